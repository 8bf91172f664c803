"""Bytes that a run owns, by the path that owns them, found by walking from given roots.

Every numpy buffer and torch storage is counted once, under the first path that reaches it: a view
counts the whole base that it keeps alive.
"""

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

_MAX_DEPTH = 6
_PATH_LENGTH = 2  # components of a path that is reported; what lies deeper is added to it


def owned_bytes(roots: dict[str, object]) -> dict[str, int]:
    """Bytes of arrays and tensors by path, e.g. {"replay.dynamic": 9600000}."""
    seen: set[int] = set()
    found: dict[str, int] = {}
    for name, root in roots.items():
        for path, size in _walk(root, name, 0, seen):
            owner = ".".join(path.split(".")[:_PATH_LENGTH])
            found[owner] = found.get(owner, 0) + size
    return found


def _walk(thing: object, path: str, depth: int, seen: set[int]) -> Iterator[tuple[str, int]]:
    if isinstance(thing, np.ndarray):
        base: Any = thing
        while isinstance(base.base, np.ndarray):
            base = base.base
        if id(base) not in seen:
            seen.add(id(base))
            yield path, base.nbytes
        return
    storage = _storage(thing)
    if storage is not None:
        if storage.data_ptr() not in seen:
            seen.add(storage.data_ptr())
            yield path, storage.nbytes()
        return
    if depth >= _MAX_DEPTH or id(thing) in seen or isinstance(thing, str | bytes | int | float):
        return
    seen.add(id(thing))
    for name, child in _children(thing):
        yield from _walk(child, f"{path}.{name}", depth + 1, seen)


def _storage(thing: object) -> Any:
    """The torch storage of a tensor. Torch is not imported here: no tensor exists without it."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(thing, torch.Tensor):
        return thing.untyped_storage()
    return None


def _children(thing: object) -> Iterator[tuple[str, object]]:
    if isinstance(thing, dict):
        yield from ((key if isinstance(key, str) else "[]", value)
                    for key, value in list(thing.items()))
    elif isinstance(thing, tuple) and hasattr(thing, "_fields"):
        yield from zip(thing._fields, thing, strict=True)
    elif isinstance(thing, list | tuple | set):
        # One path for all members, or a long list would make a path each.
        yield from (("[]", value) for value in list(thing))
    elif hasattr(thing, "__dict__"):
        yield from vars(thing).items()
    elif hasattr(type(thing), "__slots__"):
        names: Any = type(thing).__slots__  # type: ignore[attr-defined]
        for name in (names,) if isinstance(names, str) else names:
            if hasattr(thing, name):
                yield name, getattr(thing, name)
