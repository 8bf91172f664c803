"""The file that tensors are kept in: the safetensors format, version 0.4 (8 bytes of header length,
JSON header, contiguous little-endian data), written and read in pieces. Checkpoints and policies
are kept in it.

Nothing in it can be executed, and no array is allocated that is larger than the file it comes from.
"""

import json
import math
import os
from collections.abc import Iterator, Mapping
from io import BufferedReader
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor

from firebreak.checks import InputError, fail
from firebreak.reading import from_json

MAX_TEXT = 64 << 20
"""Bytes of JSON; a state of ours has thousands."""

CHUNK = 1 << 20
"""Bytes that are written or read at a time."""

_METADATA = "__metadata__"
_MAX_NUMBERS = 1 << 40
_MAX_SIDES = 16  # of a shape; ours have five
KINDS = {"U8": torch.uint8, "I8": torch.int8, "BOOL": torch.bool, "I16": torch.int16,
          "I32": torch.int32, "I64": torch.int64, "F16": torch.float16, "BF16": torch.bfloat16,
          "F32": torch.float32, "F64": torch.float64}
_NAMES = {kind: name for name, kind in KINDS.items()}


class Damaged(InputError):
    """A file or folder that is not what was written."""


class Entry(NamedTuple):
    """A tensor in the file: its kind of number, shape, and bytes from `begin` to `end`."""

    kind: torch.dtype
    shape: tuple[int, ...]
    begin: int
    end: int


def damaged(what: str, where: Path) -> Damaged:
    """The error for a file that is not as it was written."""
    return Damaged(str(fail(expected="an undamaged file", given=what, where=str(where),
                            remedy="use another copy or an earlier one")))


class Header(NamedTuple):
    """texts: by name, what stands beside the tensors; entries: the tensors by name, in order."""

    texts: dict[str, str]
    entries: dict[str, Entry]


def pieces_of_file(tensors: Mapping[str, Tensor], texts: Mapping[str, str] | None = None
                   ) -> Iterator[bytes | memoryview]:
    """Bytes to be written, in order; the first two pieces are the header.

    texts: to stand beside the tensors, before them in the header.
    """
    header: dict[str, Any] = {_METADATA: dict(texts)} if texts else {}
    place = 0
    for name, tensor in tensors.items():
        header[name] = {"dtype": _NAMES[tensor.dtype], "shape": list(tensor.shape),
                        "data_offsets": [place, place + tensor.nbytes]}
        place += tensor.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    yield len(text).to_bytes(8, "little")
    yield text
    for tensor in tensors.values():
        content = _bytes_of(tensor.detach().cpu().contiguous())
        for begin in range(0, len(content), CHUNK):
            yield content[begin:begin + CHUNK]


def _bytes_of(tensor: Tensor) -> memoryview:
    """The bytes of a contiguous tensor, not copied."""
    return tensor.reshape(-1).view(torch.uint8).numpy().data


def header_of(file: BufferedReader, path: Path, most: int = MAX_TEXT) -> Header:
    """Header of a file: where each tensor lies. Refused: names, kinds, shapes and places that do
    not fill the file exactly, before any memory is asked for.

    most: bytes that the header may have.

    Raises:
        Damaged: any of these.
    """
    size = os.fstat(file.fileno()).st_size
    file.seek(0)
    length = int.from_bytes(file.read(8), "little")
    if size < 8 or length > min(size - 8, most):
        raise damaged("a header longer than the file, or than is ever written", path)
    header = json_of(file.read(length), path)
    if not isinstance(header, dict):
        raise damaged("a header that lists no tensors", path)
    texts = header.pop(_METADATA, {})
    if not isinstance(texts, dict) or not all(isinstance(text, str) for text in texts.values()):
        raise damaged("something else than texts beside the tensors", path)
    entries, begin, place = {}, 8 + length, 0
    for name, fields in header.items():
        entry = _entry(fields, place)
        if entry is None:
            raise damaged(f"a header that does not fit the data at {name[:80]!r}", path)
        entries[name] = entry._replace(begin=begin + entry.begin, end=begin + entry.end)
        place = entry.end
    if begin + place != size:
        raise damaged("tensors that do not fill the file", path)
    return Header(texts, entries)


def _entry(fields: Any, place: int) -> Entry | None:
    """The entry that begins at `place` of the data; None if it says anything else."""
    if not isinstance(fields, dict) or not isinstance(fields.get("dtype"), str):
        return None
    kind, shape = KINDS.get(fields["dtype"]), fields.get("shape")
    if kind is None or not isinstance(shape, list):
        return None
    if len(shape) > _MAX_SIDES or not all(
            type(side) is int and 0 <= side <= _MAX_NUMBERS for side in shape):
        return None
    if math.prod(side for side in shape if side) > _MAX_NUMBERS:
        return None
    end = place + math.prod(shape) * kind.itemsize
    return Entry(kind, tuple(shape), place, end) if fields.get("data_offsets") == [
        place, end] else None


def read_tensor(file: BufferedReader, entry: Entry, into: Tensor | None, path: Path) -> Tensor:
    """One tensor, into the memory of `into` where that is on the CPU and of one piece.

    path: of the file, for the error.

    Raises:
        Damaged: the file ends before the tensor does.
    """
    inside = into is not None and into.device.type == "cpu" and into.is_contiguous()
    tensor = into if inside and into is not None else torch.empty(entry.shape, dtype=entry.kind)
    content = _bytes_of(tensor)
    file.seek(entry.begin)
    for begin in range(0, len(content), CHUNK):
        piece = content[begin:begin + CHUNK]
        if file.readinto(piece) != len(piece):
            raise damaged("a file that was cut off as it was read", path)
    if tensor.dtype == torch.bool and bool((tensor.view(torch.uint8) > 1).any()):
        raise damaged("something that is neither true nor false", path)
    if into is not None and not inside:
        into.copy_(tensor)
        return into
    return tensor


def json_of(content: bytes, path: Path) -> Any:
    """The values of a JSON text.

    Raises:
        Damaged: it is none.
    """
    try:
        return from_json(content)
    except ValueError as error:
        raise damaged("text that is not JSON", path) from error
