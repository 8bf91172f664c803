"""Turns a policy file of format 2, torch's archive of a pickle, into one of format 3.

    python -I -S old_policy.py SECONDS BYTES < policy.pt > policy.safetensors

`policy_file` runs this as a process of its own, whose processor time and memory are limited before
it reads anything: a pickle can ask for any amount of both. Only the standard library is used, and
no name in the pickle leads anywhere but to the three that stand here. Any error ends the process,
which is the answer that the file is refused.
"""

import hashlib
import json
import math
import pickle
import resource
import sys
import zipfile
from collections import OrderedDict
from typing import Any, BinaryIO, NamedTuple

OLD_FORMAT, NEW_FORMAT = "firebreak-policy-2", "firebreak-policy-3"
MAX_TEXT = 1 << 20
"""Bytes of JSON of all that is no weight; a policy of ours has thousands."""

_NEUTRAL = {"quantiles": 1, "risk": 1.0}
"""Options that earlier versions wrote into every file; other values are of networks that this one
does not have.
"""


class Weight(NamedTuple):
    """A tensor of 32-bit floats: its shape, and its numbers as little-endian bytes."""

    shape: tuple[int, ...]
    content: bytes


class _Reader(pickle.Unpickler):
    """Reads plain values and weights; every other name is refused."""

    def __init__(self, archive: zipfile.ZipFile, root: str) -> None:
        super().__init__(archive.open(f"{root}/data.pkl"))
        self._archive, self._root = archive, root

    def find_class(self, module: str, name: str) -> Any:
        """What a name in the pickle stands for."""
        return {("torch._utils", "_rebuild_tensor_v2"): _weight, ("torch", "FloatStorage"): "float",
                ("collections", "OrderedDict"): OrderedDict}[module, name]

    def persistent_load(self, pid: Any) -> bytes:
        """The bytes that weights lie in."""
        what, kind, key, _, numbers = pid
        content = self._archive.read(f"{self._root}/data/{key}")
        if (what, kind) != ("storage", "float") or len(content) != 4 * numbers:
            raise ValueError("other storage")
        return content


def _weight(storage: bytes, offset: int, shape: tuple[int, ...], strides: tuple[int, ...],
            *_: Any) -> Weight:
    """A tensor; ValueError unless it lies in its storage in one piece, each number once."""
    inner = 1
    for side, stride in zip(reversed(shape), reversed(strides), strict=True):
        if side < 0 or (side != 1 and stride != inner):
            raise ValueError("repeated or scattered numbers")
        inner *= side
    if offset < 0 or 4 * (offset + inner) > len(storage):
        raise ValueError("more numbers than are stored")
    return Weight(tuple(shape), storage[4 * offset:4 * (offset + inner)])


def convert(source: BinaryIO, target: BinaryIO) -> None:
    """Reads an old policy and writes it anew. Any exception: it is none, or it is damaged."""
    with zipfile.ZipFile(source) as archive:
        parts = archive.infolist()
        size = source.seek(0, 2)
        if any(part.compress_type != zipfile.ZIP_STORED for part in parts) or sum(
                part.file_size for part in parts) > size:
            raise ValueError("packed parts")
        root, = {part.filename.partition("/")[0] for part in parts}
        content = _Reader(archive, root).load()
    weights = content.pop("weights")
    digest = content.pop("sha256")
    text = _text(content, sort_keys=False)
    if content["format"] != OLD_FORMAT or digest != _old_sha256(
            _text(content, sort_keys=True), weights):
        raise ValueError("another format, or damaged")
    if sum(len(weight.content) for weight in weights.values()) > size:
        raise ValueError("weights that share numbers")
    plain = json.loads(text)
    options = {name: value for name, value in plain.get("options", {}).items()
               if name not in _NEUTRAL or _NEUTRAL[name] != value}
    _write(target, json.dumps({"channels": plain["channels"], "width": plain["width"],
                               "options": options, "provenance": plain["provenance"]}), weights)


def _text(plain: Any, *, sort_keys: bool) -> str:
    """The JSON text of plain values, written piece by piece: lists that hold one another many times
    are few bytes in a pickle and any number in JSON.
    """
    pieces, length = [], 0
    for piece in json.JSONEncoder(sort_keys=sort_keys).iterencode(plain):
        pieces.append(piece)
        length += len(piece)
        if length > MAX_TEXT:
            raise ValueError("more text than is ever written")
    return "".join(pieces)


def _old_sha256(text: str, weights: dict[str, Weight]) -> str:
    """The checksum of format 2."""
    digest = hashlib.sha256(text.encode())
    for name, weight in sorted(weights.items()):
        digest.update(f"{name} torch.float32 {weight.shape}".encode())
        digest.update(weight.content)
    return digest.hexdigest()


def _write(target: BinaryIO, about: str, weights: dict[str, Weight]) -> None:
    """A file of format 3, as `policy_file` describes it."""
    sha256, place = "0" * 64, 0
    header: dict[str, Any] = {
        "__metadata__": {"format": NEW_FORMAT, "sha256": sha256, "policy": about}}
    for name, weight in weights.items():
        end = place + 4 * math.prod(weight.shape)
        header[name] = {"dtype": "F32", "shape": weight.shape, "data_offsets": [place, end]}
        place = end
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    head = len(text).to_bytes(8, "little") + text
    digest = hashlib.sha256(head)
    for weight in weights.values():
        digest.update(weight.content)
    target.write(head.replace(sha256.encode(), digest.hexdigest().encode(), 1))
    for weight in weights.values():
        target.write(weight.content)


def _limit(kind: int, most: int) -> None:
    """Takes a right from this process for good; one that has less already keeps what it has."""
    hard = resource.getrlimit(kind)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(kind, (most, most))


if __name__ == "__main__":
    _limit(resource.RLIMIT_CPU, int(sys.argv[1]))
    _limit(resource.RLIMIT_AS, int(sys.argv[2]))
    _limit(resource.RLIMIT_FSIZE, int(sys.argv[2]))
    convert(sys.stdin.buffer, sys.stdout.buffer)
