"""Bytes and entries that a run owns, by the path that owns them, found by walking from given roots.

Every numpy buffer and torch storage is counted once, under the first path that reaches it: a view
counts the whole base that it keeps alive. Lists, dicts, sets and deques count their entries, so
that something that grows without holding arrays has a path too.
"""

import sys
import types
from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from firebreak.memory.parts import Lru, buffer_of, children_of, has_no_parts, is_atom, is_store

_MAX_DEPTH = 40
_PATH_LENGTH = 6  # components of a path that is reported; what lies deeper is added to it
_LARGE_TEXT = 1000  # characters; shorter strings are not worth a look


class Owned(NamedTuple):
    """What roots own, by path. bytes: of arrays, tensors and long strings; items: entries of
    containers. A deque with a bound counts its bound, because that is what it may hold.
    """

    bytes: dict[str, int]
    items: dict[str, int]


def owned(roots: dict[str, object], without: tuple[object, ...] = ()) -> Owned:
    """Bytes and entries by path, e.g. bytes {"trainer.arenas[].replay.dynamic": 9600000}.

    Args:
        without: things not to look into, such as who asks.
    """
    seen = {id(thing) for thing in without}
    sizes: dict[tuple[str, ...], int] = {}
    items: dict[tuple[str, ...], int] = {}
    for name, root in roots.items():
        for path, size, count in _walk(root, (name,), seen):
            if size:
                sizes[path] = sizes.get(path, 0) + size
            if count:
                items[path] = items.get(path, 0) + count
    return Owned(_by_owner(sizes), _by_owner(items))


def _by_owner(found: dict[tuple[str, ...], int]) -> dict[str, int]:
    """Paths as text, cut to the length that is reported."""
    owners: dict[str, int] = {}
    for path, count in found.items():
        owner = ".".join(path[:_PATH_LENGTH])
        owners[owner] = owners.get(owner, 0) + count
    return owners


def owned_bytes(roots: dict[str, object]) -> dict[str, int]:
    """Bytes of arrays, tensors and long strings by path."""
    return owned(roots).bytes


def package_globals(package: str) -> dict[str, object]:
    """What the modules of a package and their classes hold in containers, arrays and caches, by
    module name without the package's: roots for what hangs on no object of the run. Not of this
    part, which grows with the number of classes that it has seen.
    """
    found: dict[str, object] = {}
    for name, module in list(sys.modules.items()):
        if (name.startswith(package + ".") and not name.startswith(__package__ + ".")
                and isinstance(module, types.ModuleType)):
            held = _held_by(module)
            if held:
                found[name.removeprefix(package + ".")] = held
    return found


_STORE_NAMES: dict[str, tuple[int, list[tuple[str, str]]]] = {}
"""Of each module seen: how many names it has, and which of them are worth walking, as pairs of a
class ("" for the module itself) and a name. Looking through all names takes longer than the walk.
"""


def _held_by(module: types.ModuleType) -> dict[str, object]:
    size, names = _STORE_NAMES.get(module.__name__, (-1, []))
    if size != len(vars(module)):
        names = list(_store_names(module))
        _STORE_NAMES[module.__name__] = len(vars(module)), names
    held: dict[str, object] = {}
    for kind, name in names:
        owner = vars(module).get(kind) if kind else module
        if name in getattr(owner, "__dict__", ()):
            held[f"{kind}.{name}" if kind else name] = vars(owner)[name]
    return held


def _store_names(module: types.ModuleType) -> Iterator[tuple[str, str]]:
    for key, thing in list(vars(module).items()):
        if isinstance(thing, type):
            if thing.__module__ == module.__name__:
                yield from ((key, name) for name, value in vars(thing).items()
                            if not name.startswith("__") and is_store(value))
        elif not key.startswith("__") and is_store(thing):
            yield "", key


def _walk(root: object, path: tuple[str, ...], seen: set[int]) -> Iterator[
        tuple[tuple[str, ...], int, int]]:
    """(path, bytes, entries) of all that is reached, in the order of attributes.

    A run looks at thousands of things at each reading, most of them arrays and plain values.
    """
    waiting: list[tuple[object, tuple[str, ...]]] = [(root, path)]
    while waiting:
        thing, path = waiting.pop()
        key = id(thing)
        if key in seen:
            continue
        seen.add(key)
        if is_atom(thing):
            if _is_long_text(thing):
                yield path, sys.getsizeof(thing), 0
            continue
        place, size = buffer_of(thing)
        if size and place not in seen:
            seen.add(place)
            yield path, size, 0
        if has_no_parts(thing):
            continue
        count = _entries(thing)
        if count:
            yield path, 0, count
        if len(path) < _MAX_DEPTH:
            below = [(child, _below(path, name)) for name, child in children_of(thing)
                     if not is_atom(child) or _is_long_text(child)]
            below.reverse()  # the last one put down is the first one taken up
            waiting += below


def _is_long_text(thing: object) -> bool:
    return isinstance(thing, str | bytes | bytearray) and len(thing) > _LARGE_TEXT


def _entries(thing: object) -> int:
    if isinstance(thing, deque):
        return len(thing) if thing.maxlen is None else thing.maxlen
    if isinstance(thing, list | dict | set):
        return len(thing)
    if isinstance(thing, Lru):
        info = thing.cache_info()
        return info.currsize if info.maxsize is None else info.maxsize
    return 0


def _below(path: tuple[str, ...], name: str) -> tuple[str, ...]:
    """Members of a container share a path, or a long list would make one each."""
    if name:
        return (*path, name)
    return path if path[-1].endswith("[]") else (*path[:-1], path[-1] + "[]")
