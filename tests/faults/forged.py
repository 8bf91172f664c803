"""Checkpoints that say absurd things of themselves and carry the checksums that belong to that, and
what a run does that goes on from one.

A damaged checkpoint is told by its SHA-256; a forged one only by what it says.
"""

import hashlib
import json
import math
import random
import resource
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from faults.kills import Found
from faults.runs import Process, draw_nothing, train
from firebreak.train.storage.checkpoints import CHECKPOINTS, checkpoints_of
from firebreak.train.storage.store import MANIFEST, STATE, TENSORS

MORE_BYTES = 3_000_000_000
"""Address space that a resumed run may take beside what it has when it is forked."""
_VALUES: list[Any] = [None, True, -1, 0, 1, 2, 10**6, 2**63, 10**30, 10**400, 0.5, -1e308, 1e308,
                      math.inf, math.nan, "", "x", "9" * 5000, "/dev/zero", [], [[]], {}, {"a": 1},
                      [1, 2, 3], "nan"]


class Forgery(NamedTuple):
    """where: the value or tensor that is another; files: content by name."""

    where: str
    files: dict[str, bytes]


def sealed(folder: Path, files: dict[str, bytes]) -> None:
    """Writes files of a checkpoint, with a manifest that fits them."""
    manifest = json.loads((folder / MANIFEST).read_bytes().rpartition(b"\n")[0])
    for name, content in files.items():
        (folder / name).write_bytes(content)
        manifest["files"][name] = {"bytes": len(content),
                                   "sha256": hashlib.sha256(content).hexdigest()}
    text = json.dumps(manifest, sort_keys=True).encode() + b"\n"
    (folder / MANIFEST).write_bytes(text + hashlib.sha256(text).hexdigest().encode())


def places(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where the values of a tree are, those that hold others too."""
    if path:
        yield path
    inside = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(
        tree, list) else ()
    for key, value in inside:
        yield from places(value, (*path, key))


def with_value(state: bytes, path: tuple[Any, ...], value: Any) -> bytes:
    """The plain values with another one in one place; `...` for none at all."""
    tree = json.loads(state)
    inside = tree
    for key in path[:-1]:
        inside = inside[key]
    if value is ...:
        del inside[path[-1]]
    else:
        inside[path[-1]] = value
    return json.dumps(tree).encode()


def tensor_places(tensors: bytes) -> dict[str, tuple[int, int]]:
    """Begin and end of each tensor's bytes in the file."""
    length = int.from_bytes(tensors[:8], "little")
    header = json.loads(tensors[8:8 + length])
    return {name: tuple(8 + length + at for at in entry["data_offsets"])
            for name, entry in header.items()}


def forgeries(folder: Path, count: int, seed: int) -> Iterator[Forgery]:
    """Draws: a value of another kind, none, or a tensor of other bytes."""
    draw = random.Random(seed)
    state, tensors = (folder / STATE).read_bytes(), (folder / TENSORS).read_bytes()
    values = list(places(json.loads(state)))
    spans = tensor_places(tensors)
    for _ in range(count):
        if draw.random() < 0.7:
            path, value = draw.choice(values), draw.choice([*_VALUES, ..., ...])
            yield Forgery(f"{'/'.join(map(str, path))} = {value!r:.40}",
                          {STATE: with_value(state, path, value)})
        else:
            name = draw.choice(list(spans))
            begin, end = spans[name]
            fill = draw.choice([b"\xff", b"\x7f", b"\x00", b"\x80", b""])
            content = (fill * (end - begin) if fill else draw.randbytes(end - begin))
            yield Forgery(f"{name} of {fill!r}",
                          {TENSORS: tensors[:begin] + content + tensors[end:]})


def half_run(folder: Path) -> Path:
    """A run in the midst of its episodes: of its checkpoints the earliest is left."""
    run = folder / "half"
    ended = train(run, "--set", "train.checkpoints_kept=50").wait()
    assert ended.code == 0, ended.text
    for later in checkpoints_of(run / CHECKPOINTS)[3:]:
        shutil.rmtree(later)
    return run


def forge(folder: Path, count: int) -> Found:
    """`count` forged checkpoints, each resumed in a process of its own."""
    run = half_run(folder)
    newest, bad = checkpoints_of(run / CHECKPOINTS)[-1], []
    for forgery in forgeries(newest, count, seed=2):
        fault = resumed(run, forgery, folder / "copy")
        bad += [f"{forgery.where}: {fault}"] * bool(fault)
    return Found(count, bad, f"{len(bad)} tracebacks, crashes or hangs of {count} forgeries, each "
                 "resumed; at most 3 GB more address space")


def resumed(run: Path, forgery: Forgery, place: Path) -> str:
    """What is wrong with how the run went on from the forgery; "" if nothing is."""
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(run, place)
    for earlier in checkpoints_of(place / CHECKPOINTS)[:-1]:
        shutil.rmtree(earlier)
    sealed(checkpoints_of(place / CHECKPOINTS)[-1], forgery.files)
    ended = Process(["train", "--resume", str(place), "--quiet"],
                    place.with_name("forged.log"), _bounded).wait()
    said = ended.text.strip().splitlines()
    if "Traceback" in ended.text:
        return f"traceback: {said[-1]}"
    if ended.code not in (0, 1, 2) or (ended.code and not any(
            line.startswith("firebreak: ") for line in said[-1:])):
        return f"ended with {ended.code}: {said[-1:]}"
    return ""


def _bounded() -> None:
    draw_nothing()
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MORE_BYTES, used + MORE_BYTES))
