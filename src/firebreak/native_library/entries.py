"""Entries of the native library: Python functions whose body is the kernel of the same name.

An entry's signature says what is checked (`layouts`), its docstring what the kernel does. The
kernel itself checks the indices that arrays hold, before it reads or writes anything by them. Calls
release the interpreter's lock.
"""

import ctypes
import inspect
from collections.abc import Callable
from functools import cache, wraps
from typing import Any, NamedTuple, TypeVar, get_type_hints

from firebreak.native_library.layouts import Layout, layout_from, packed
from firebreak.native_library.loading import library
from firebreak.native_library.threads import thread_count

F = TypeVar("F", bound=Callable[..., None])


class Entry(NamedTuple):
    """A function of the native library. parallel: it works on several threads."""

    name: str
    layout: Layout
    parallel: bool
    description: str


ENTRIES: dict[str, Entry] = {}
"""All entries of the modules that are imported, by name."""


@cache
def _kernel(name: str) -> Any:
    kernel = library()[f"firebreak_{name}"]
    kernel.argtypes, kernel.restype = (ctypes.c_char_p,), ctypes.c_char_p
    return kernel


def words_of(own: Entry, values: tuple) -> bytes:
    """A call's arguments as the kernel reads them.

    Raises:
        TypeError, ValueError: an argument is not what the signature says.
    """
    words = packed(own.layout, values)
    return thread_count().to_bytes(8, "little") + words if own.parallel else words


def call(own: Entry, values: tuple) -> None:
    """Calls an entry's kernel.

    Raises:
        TypeError, ValueError: an argument is not what the signature says, or holds an index that
            lies outside the arrays.
    """
    fault = _kernel(own.name)(words_of(own, values))
    if fault is not None:
        raise ValueError(f"{own.name}: {fault.decode()}")


def entry(*, parallel: bool = False) -> Callable[[F], F]:
    """Makes a function with annotated arguments and a docstring an entry of the native library.

    The kernel `firebreak_NAME` takes a pointer to its arguments' words, behind the number of
    threads where it is parallel. It returns null, or a sentence that says what is wrong with them.
    """
    def decorate(function: F) -> F:
        annotations = get_type_hints(function, include_extras=True)
        annotations.pop("return", None)
        own = Entry(function.__name__, layout_from(function.__name__, annotations), parallel,
                    inspect.getdoc(function) or "")
        ENTRIES[own.name] = own
        signature = inspect.signature(function)

        @wraps(function)
        def called(*values: Any, **named: Any) -> None:
            if named or len(values) != len(annotations):
                values = signature.bind(*values, **named).args
            call(own, values)
        return called  # type: ignore[return-value]
    return decorate
