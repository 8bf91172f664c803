"""The identity of kept work: a hash of all that its numbers follow from, so that work of other
fires or of another program is not taken up.
"""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import firebreak
from firebreak import __version__
from firebreak.fire import Scene


def hash_of(parts: Iterable[str | bytes]) -> str:
    """SHA-256 over parts, in hex."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part if isinstance(part, bytes) else part.encode())
        digest.update(b"\0")
    return digest.hexdigest()


@cache
def program() -> str:
    """The version and a hash of all sources: any of them may change a bit of the numbers."""
    package = Path(firebreak.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        digest.update(f"{path.relative_to(package).as_posix()}\0".encode())
        digest.update(path.read_bytes())
    return f"{__version__} {digest.hexdigest()}"


def parts_of_scene(scene: Scene) -> Iterator[str | bytes]:
    """Parts that make the fires on a scene, and what is lost to them."""
    streams = scene.streams
    yield scene.landscape.checksum()
    # Numpy shortens long arrays in words, so the weather is told in bytes.
    yield repr((scene.key, scene.seed, scene.median_duration_min,
                replace(scene.conditions, weather=None), streams.steps_per_stream,
                streams.step_min))
    for array in (*streams.steps, streams.weight, streams.later, scene.value_by_class):
        yield bytes_of(array)


def bytes_of(array: NDArray | None) -> bytes:
    """The numbers of an array; none of None, whose bytes in Numpy are a place in memory."""
    return b"" if array is None else np.ascontiguousarray(array).tobytes()
