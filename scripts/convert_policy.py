"""Writes a policy of an earlier version in the format of this one; its weights stay the same.

    python scripts/convert_policy.py outputs/RUN outputs/RUN/policy.safetensors

The old one is a file of format 2, a pickle in an archive as torch makes it, or the folder of a run
that holds it as `policy.pt`. A pickle can ask for any amount of time and memory, so it is read in a
process whose time and memory are limited before it reads anything. Only the standard library is
used, and no name in the pickle leads anywhere but to the three that stand here. That the weights
fit a network is checked where the new file is read.
"""

import argparse
import hashlib
import json
import math
import os
import pickle
import resource
import sys
import zipfile
from collections import OrderedDict
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

OLD_FORMAT, NEW_FORMAT = "firebreak-policy-2", "firebreak-policy-3"
MAX_TEXT = 1 << 20
"""Bytes of JSON of all that is no weight; a policy of ours has thousands."""
MAX_FILE, MAX_MEMORY, MAX_SECONDS = 64 << 20, 512 << 20, 10
"""Bytes of an old file; memory and processor time that it may take to be read."""

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
        """Return one of the three things that names in a policy stand for."""
        return {("torch._utils", "_rebuild_tensor_v2"): _weight, ("torch", "FloatStorage"): "float",
                ("collections", "OrderedDict"): OrderedDict}[module, name]

    def persistent_load(self, pid: Any) -> bytes:
        """Return the bytes that weights lie in."""
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


def converted(old: Path, new: Path) -> bool:
    """Return whether a process of little time and memory could convert the one into the other."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            _limit(resource.RLIMIT_CPU, MAX_SECONDS)
            _limit(resource.RLIMIT_AS, MAX_MEMORY)
            _limit(resource.RLIMIT_FSIZE, MAX_MEMORY)
            with old.open("rb") as source, new.open("wb") as target:
                convert(source, target)
            code = 0
        finally:
            os._exit(code)
    return os.waitpid(child, 0)[1] == 0


def main() -> str | None:
    """Converts; returns the sentence that says why not, None if it is done."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old", type=Path, help="a policy.pt, or the folder of a run that holds one")
    parser.add_argument("new", type=Path, help="the file to write, as policy.safetensors")
    args = parser.parse_args()
    old = args.old / "policy.pt" if args.old.is_dir() else args.old
    if not old.is_file() or old.stat().st_size > MAX_FILE:
        return f"{old}: expected a policy of format {OLD_FORMAT}, got no such file"
    if args.new.is_dir() or not args.new.absolute().parent.is_dir() or (
            args.new.exists() and args.new.samefile(old)):
        return f"{args.new}: expected another file, in a folder that exists"
    partial = args.new.with_name(f".{args.new.name}-{os.getpid()}")
    try:
        if not converted(old, partial):
            return (f"{old}: expected a policy of format {OLD_FORMAT}, got a file that is none, is "
                    f"damaged, or takes more than {MAX_SECONDS} s or {MAX_MEMORY >> 20} MB to read")
        partial.replace(args.new)
    except OSError as error:
        return f"{args.new}: {error.strerror}"
    finally:
        partial.unlink(missing_ok=True)
    print(args.new)
    return None


if __name__ == "__main__":
    refused = main()
    if refused:
        print(refused, file=sys.stderr)
        sys.exit(2)
