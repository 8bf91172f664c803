"""Bytes and entries that a run owns, by the path that owns them, found by walking from given roots.

Every numpy buffer and torch storage is counted once, under the first path that reaches it: a view
counts the whole base that it keeps alive. Lists, dicts, sets and deques count their entries, so
that something that grows without holding arrays has a path too. What bounded containers hold is
counted a second time by itself: until they are full it grows, and is no leak.
"""

import sys
import types
from collections import Counter
from functools import cache
from typing import NamedTuple

from firebreak.memory.parts import (
    allocations_of,
    bound_of,
    buffer_of,
    children_of,
    entries_of,
    has_no_parts,
    is_atom,
    is_store,
)
from firebreak.memory.registry import PACKAGE

Path = tuple[str, ...]

_MAX_DEPTH = 40
_PATH_LENGTH = 6  # components of a path that is reported; what lies deeper is added to it
_LARGE_TEXT = 1000  # characters; shorter strings are not worth a look


class Owned(NamedTuple):
    """Things that roots own, by path. owned_bytes: of arrays, tensors and long strings; items:
    entries of containers. A container with a bound counts its bound, because that is what it may
    hold; filled: the share in use of those that are not full.

    Of the content of containers with a bound, reached on no other path, bounded_bytes: of Python
    objects, without what `owned_bytes` counts; bounded_blocks: Python's allocations, rather too
    many than too few; bounded_objects: of this package's classes by name.
    """

    owned_bytes: dict[str, int]
    items: dict[str, int]
    filled: dict[str, float]
    bounded_bytes: int
    bounded_blocks: int
    bounded_objects: dict[str, int]


def owned(roots: dict[str, object], without: tuple[object, ...] = ()) -> Owned:
    """Bytes and entries by path, e.g. owned_bytes {"trainer.arenas[].replay.dynamic": 9600000}.

    Args:
        without: things not to look into, such as who asks.
    """
    walk = _Walk({id(thing) for thing in without})
    for name, root in roots.items():
        walk.from_root(root, (name,))
    used, bounds = _by_owner(walk.used), _by_owner(walk.bounds)
    filled = {path: used.get(path, 0) / bound for path, bound in bounds.items()
              if used.get(path, 0) < bound}
    return Owned(_by_owner(walk.sizes), _by_owner(walk.items), filled, walk.bytes, walk.blocks,
                 dict(sorted(walk.objects.items())))


def _by_owner(found: Counter[tuple[str, ...]]) -> dict[str, int]:
    """Paths as text, cut to the length that is reported."""
    owners: Counter[str] = Counter()
    for path, count in found.items():
        owners[".".join(path[:_PATH_LENGTH])] += count
    return {owner: count for owner, count in owners.items() if count}


def package_globals() -> dict[str, object]:
    """Content that the modules of this package and their classes hold in containers, arrays and
    caches, by module name without the package's: roots for what hangs on no object of the run. Not
    of this part, which grows with the number of classes that it has seen.
    """
    found: dict[str, object] = {}
    for name, module in list(sys.modules.items()):
        if (name.startswith(PACKAGE + ".") and not name.startswith(__package__ + ".")
                and isinstance(module, types.ModuleType) and (held := _held_by(module))):
            found[name.removeprefix(PACKAGE + ".")] = held
    return found


def _held_by(module: types.ModuleType) -> dict[str, object]:
    held: dict[str, object] = {}
    for kind, name in _store_names(module, len(vars(module))):
        owner = vars(module).get(kind) if kind else module
        if name in getattr(owner, "__dict__", ()):
            held[f"{kind}.{name}" if kind else name] = vars(owner)[name]
    return held


@cache
def _store_names(module: types.ModuleType, size: int) -> list[tuple[str, str]]:
    """The names of a module of so many that are worth walking, as pairs of a class ("" for the
    module itself) and a name. Looking through all names takes longer than the walk.
    """
    found = []
    for key, thing in list(vars(module).items()):
        if isinstance(thing, type):
            if thing.__module__ == module.__name__:
                found += [(key, name) for name, value in vars(thing).items()
                          if not name.startswith("__") and is_store(value)]
        elif not key.startswith("__") and is_store(thing):
            found.append(("", key))
    return found


class _Walk:
    """Sums over all that was reached. A run looks at thousands of things at each reading, most of
    them arrays and plain values.
    """

    def __init__(self, seen: set[int]) -> None:
        self.seen = seen
        self.sizes, self.items, self.used, self.bounds = (Counter[Path]() for _ in range(4))
        self.bytes = self.blocks = 0
        self.objects: Counter[str] = Counter()

    def from_root(self, root: object, path: Path) -> None:
        """Adds what is reached from a root, in the order of attributes."""
        seen, waiting = self.seen, [(root, path, False)]
        while waiting:
            thing, path, bounded = waiting.pop()
            key = id(thing)
            if key in seen:
                continue
            seen.add(key)
            if bounded:
                self._count_bounded(thing)
            if is_atom(thing):
                if _is_long_text(thing):
                    self.sizes[path] += sys.getsizeof(thing)
                continue
            place, size = buffer_of(thing)
            if size and place not in seen:
                seen.add(place)
                self.sizes[path] += size
            if has_no_parts(thing):
                continue
            bound = self._count_entries(thing, path)
            if len(path) < _MAX_DEPTH:
                inside = bounded or bound is not None
                below = [(child, _below(path, name), inside) for name, child in children_of(thing)
                         if inside or not is_atom(child) or _is_long_text(child)]
                below.reverse()  # the last one put down is the first one taken up
                waiting += below

    def _count_entries(self, thing: object, path: Path) -> int | None:
        """Counts the entries of a container, or its bound, which is returned."""
        bound, count = bound_of(thing), entries_of(thing)
        if bound is not None:
            self.used[path] += min(count, bound)
            self.bounds[path] += bound
        if bound or count:
            self.items[path] += count if bound is None else bound
        return bound

    def _count_bounded(self, thing: object) -> None:
        blocks, size = allocations_of(thing)
        self.blocks += blocks
        self.bytes += 0 if _is_long_text(thing) else size
        if str(type(thing).__module__).partition(".")[0] == PACKAGE:
            self.objects[type(thing).__name__] += 1


def _is_long_text(thing: object) -> bool:
    return isinstance(thing, str | bytes | bytearray) and len(thing) > _LARGE_TEXT


def _below(path: Path, name: str) -> Path:
    """Members of a container share a path, or a long list would make one each."""
    return (*path, name) if name else (*path[:-1], path[-1].removesuffix("[]") + "[]")
