"""Entries of the native library: Python functions whose body is the kernel of the same name.

An entry's signature says what is checked (`layouts`), its docstring what the kernel does. The
kernel itself checks the indices that arrays hold, before it reads or writes anything by them. Calls
release the interpreter's lock.
"""

import ctypes
import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple, TypeVar, get_type_hints

from firebreak.native_library.layouts import Layout, layout_from, packed
from firebreak.native_library.library import library
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


def camel_case(name: str) -> str:
    """burn_many -> BurnMany, the name of the C++ struct of an entry's arguments."""
    return "".join(word.capitalize() for word in name.split("_"))


def entry(*, parallel: bool = False) -> Callable[[F], F]:
    """Makes a function with annotated arguments and a docstring an entry of the native library.

    The kernel `firebreak_NAME` takes a pointer to its arguments' words, behind the number of
    threads where it is parallel. It returns null, or a sentence that says what is wrong with them.

    Raises, when called:
        TypeError, ValueError: an argument is not what the signature says, or holds an index that
            lies outside the arrays.
    """
    def decorate(function: F) -> F:
        annotations = get_type_hints(function, include_extras=True)
        annotations.pop("return", None)
        layout = layout_from(function.__name__, annotations)
        ENTRIES[function.__name__] = Entry(function.__name__, layout, parallel,
                                           inspect.getdoc(function) or "")
        names, kernel = list(layout.parts), None

        @wraps(function)
        def call(*values: Any, **named: Any) -> None:
            nonlocal kernel
            if named:
                values = inspect.signature(function).bind(*values, **named).args
            if len(values) != len(names):
                raise TypeError(f"{function.__name__}: expected {len(names)} arguments, got "
                                f"{len(values)}")
            words = packed(layout, values)
            if kernel is None:
                kernel = library()[f"firebreak_{function.__name__}"]
                kernel.argtypes, kernel.restype = (ctypes.c_char_p,), ctypes.c_char_p
            if parallel:
                words = thread_count().to_bytes(8, "little") + words
            fault = kernel(words)
            if fault is not None:
                raise ValueError(f"{function.__name__}: {fault.decode()}")
        return call  # type: ignore[return-value]
    return decorate
