"""Arrays between two processes of a machine: through a block of shared memory, not through a pipe.

A block is anonymous: it has no name in the file system, is inherited when a process is started and
vanishes with its last user, so that even a killed process leaves nothing behind.
"""

import pickle
from multiprocessing.context import SpawnContext
from multiprocessing.sharedctypes import RawArray
from typing import Any, NamedTuple

ALIGNMENT = 64
MIN_SHARED_BYTES = 16_384
"""Bytes of arrays below which a pipe is as fast."""


class Packed(NamedTuple):
    """body: the value without its arrays; places: (offset, bytes) of each array in the block, None
    where the body holds them.
    """

    body: bytes
    places: list[tuple[int, int]] | None


def new_block(context: SpawnContext, size: int) -> Any:
    """A block of `size` bytes, written once: if there is no room for it that shows at the start."""
    return RawArray("B", size) if context is None else context.RawArray("B", size)


def pack(value: Any, block: Any) -> Packed:
    """A value on its way to the other process; arrays go into the block where they fit."""
    buffers: list[pickle.PickleBuffer] = []
    body = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    parts = [buffer.raw() for buffer in buffers]
    places, end = [], 0
    for part in parts:
        places.append((end, part.nbytes))
        end += -(-part.nbytes // ALIGNMENT) * ALIGNMENT
    if end < MIN_SHARED_BYTES or end > len(block):
        return Packed(pickle.dumps(value, protocol=5), None)
    view = memoryview(block).cast("B")
    for (offset, size), part in zip(places, parts, strict=True):
        view[offset:offset + size] = part
    return Packed(body, places)


def unpack(packed: Packed, block: Any) -> Any:
    """The value; its arrays are copies, so that the block is free for the next one."""
    if packed.places is None:
        return pickle.loads(packed.body)
    view = memoryview(block).cast("B")
    return pickle.loads(packed.body, buffers=[bytearray(view[offset:offset + size])
                                              for offset, size in packed.places])
