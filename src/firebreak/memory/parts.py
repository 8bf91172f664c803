"""Parts of an object, for the walk of `owned`: its buffer, its entries, its parts by name."""

import functools
import gc
import queue
import sys
import types
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

Lru = functools._lru_cache_wrapper
Part = tuple[str, object]
"""Name ("" for a member of a container, which has none) and thing."""

_NAMED_ENTRIES = 32  # a dict with more has one path for all
_ATOMS = (str, bytes, bytearray, int, float, complex, type(None), np.generic, type, range, slice,
          types.ModuleType, types.CodeType, types.FrameType, types.BuiltinFunctionType,
          weakref.ReferenceType, np.dtype, np.random.Generator, np.random.SeedSequence)
_STORES = (dict, list, set, deque, queue.Queue, np.ndarray, Lru)


@functools.cache
def _is_atom(kind: type) -> bool:
    return issubclass(kind, _ATOMS)


def is_atom(thing: Any) -> bool:
    """True of a thing on which nothing hangs that a run could own."""
    kind: Any = type(thing)
    return _is_atom(kind)


def is_store(thing: object) -> bool:
    """True of a container, an array, a tensor or a cache, and not of a constant tuple."""
    return isinstance(thing, _STORES) or _is_tensor(type(thing))


def buffer_of(thing: Any) -> tuple[int, int]:
    """Address and bytes of the memory that an array or a tensor keeps alive; (0, 0) of others."""
    while isinstance(thing, np.ndarray):
        base = thing.base
        if base is None or not (isinstance(base, np.ndarray) or _is_tensor(type(base))):
            return int(thing.__array_interface__["data"][0]), thing.nbytes
        thing = base
    if not _is_tensor(type(thing)):
        return 0, 0
    storage = thing.untyped_storage()
    return storage.data_ptr(), storage.nbytes()


def has_no_parts(thing: object) -> bool:
    """True of an array of plain numbers, as most things that a run holds are."""
    return type(thing) is np.ndarray and not thing.dtype.hasobject


def entries_of(thing: object) -> int:
    """Entries of a container; 0 of what is none."""
    if isinstance(thing, list | dict | set | deque):
        return len(thing)
    if isinstance(thing, queue.Queue):
        return len(thing.queue)
    return thing.cache_info().currsize if isinstance(thing, Lru) else 0


def bound_of(thing: object) -> int | None:
    """The most entries that a container may hold; None of one without a bound."""
    if isinstance(thing, deque):
        return thing.maxlen
    if isinstance(thing, queue.Queue):
        return thing.maxsize if thing.maxsize > 0 else None
    return thing.cache_info().maxsize if isinstance(thing, Lru) else None


def allocations_of(thing: object) -> tuple[int, int]:
    """Allocations that Python made for the thing alone, at most, and their bytes without a buffer
    that `buffer_of` counts.
    """
    kind = type(thing)
    if thing is None or kind is bool or (kind is int and -5 <= thing <= 256):  # type: ignore[operator]
        return 0, 0  # made once for all
    if isinstance(thing, np.ndarray):
        return 2, sys.getsizeof(thing[:0])
    count = 1 if is_atom(thing) or isinstance(thing, tuple) else 2
    return count + hasattr(thing, "__dict__"), sys.getsizeof(thing, 0)


def children_of(thing: Any) -> Iterable[Part]:
    """The parts that a thing keeps alive."""
    kind: Any = type(thing)
    return _opener_of(kind)(thing)


@functools.cache
def _opener_of(kind: type) -> Callable[[Any], Iterable[Part]]:
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return lambda pair: zip(kind._fields, pair, strict=True)
    if _is_tensor(kind):
        return _of_tensor
    return next((opener for base, opener in _RULES if issubclass(kind, base)), _of_object)


def _is_tensor(kind: type) -> bool:
    """Torch is not imported here: no tensor exists without it."""
    torch = sys.modules.get("torch")
    return torch is not None and issubclass(kind, torch.Tensor)


def _of_dict(things: dict[object, object]) -> Iterator[Part]:
    named = len(things) <= _NAMED_ENTRIES
    for key, value in list(things.items()):
        yield (key if named and isinstance(key, str) else ""), value
        if not is_atom(key):
            yield "", key


def _unnamed(things: Iterable[object]) -> list[Part]:
    return [("", thing) for thing in things]


def _of_tensor(tensor: Any) -> Iterator[Part]:
    if tensor.is_leaf and tensor.grad is not None:
        yield "grad", tensor.grad
    yield from list(tensor.__dict__.items())


def _of_function(function: types.FunctionType) -> Iterator[Part]:
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            yield name, cell.cell_contents
        except ValueError:  # not yet filled
            continue
    yield from list(vars(function).items())


def _of_cache(function: Any) -> list[Part]:
    """The answers that an `lru_cache` keeps; only the garbage collector's view shows them."""
    return _unnamed(thing for thing in gc.get_referents(function)
                    if thing is not function.__dict__ and not callable(thing))


def _of_object(thing: Any) -> Iterator[Part]:
    if hasattr(thing, "__dict__"):
        yield from list(vars(thing).items())
    kind: Any = type(thing)
    for name in _slots_of(kind):
        if hasattr(thing, name):
            yield name, getattr(thing, name)


@functools.cache
def _slots_of(kind: type) -> tuple[str, ...]:
    own = (vars(base).get("__slots__", ()) for base in kind.__mro__)
    return tuple(name for slots in own for name in ((slots,) if isinstance(slots, str) else slots)
                 if name not in ("__dict__", "__weakref__"))


_RULES: tuple[tuple[Any, Callable[[Any], Iterable[Part]]], ...] = (
    (dict, _of_dict),
    ((list, tuple, set, frozenset, deque), lambda things: _unnamed(list(things))),
    (np.ndarray, lambda array: _unnamed(array.ravel().tolist() if array.dtype.hasobject else ())),
    (queue.Queue, lambda waiting: _unnamed(list(waiting.queue))),
    (types.FunctionType, _of_function),
    (types.MethodType, lambda method: [("self", method.__self__), ("", method.__func__)]),
    (functools.partial,
     lambda call: [("args", call.args), ("keywords", call.keywords), ("func", call.func)]),
    (Lru, _of_cache),
    (types.GeneratorType,
     lambda one: list(one.gi_frame.f_locals.items()) if one.gi_frame else []))
