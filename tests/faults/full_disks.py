"""Each writer on a disk that is full after every 4 kB: the old file is intact or the new one whole.

A disk is a file system in memory with so many pages free, mounted where only one process sees it;
or, as on a disk with a quota, a limit of the system on the size of a file.
"""

import contextlib
import io
import json
import os
import resource
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

from faults.disks import _mount
from faults.kills import Found
from faults.runs import Process
from faults.writers import Writer
from firebreak.cli import main
from firebreak.cli.commands import COMMANDS, PROGRAMS, Program
from firebreak.planning.output.earlier import FILES_FILE
from firebreak.planning.output.vectors import check_package

PAGE = 4096
OLD = b"old\n"
_COMMAND = "writer-under-test"

Tree = dict[str, bytes]


@dataclass(frozen=True)
class NoOptions:
    """The options of a writer as a command."""


class Ended(NamedTuple):
    """How a writer ended. code: of the command line; told: the lines that it printed to stderr."""

    code: int
    told: list[str]


def walk(writer: Writer, folder: Path, kind: str, few: bool = False) -> Found:
    """A writer at every point of a disk, or at a few; kind: "disk" or "limit"."""
    disk = folder / f"{writer.name} {kind}"
    disk.mkdir()
    report = folder / f"{writer.name} {kind}.json"
    process = Process([], folder / f"{writer.name} {kind}.log", lambda: os._exit(
        _child(writer, disk, kind, few, report)))
    ended = process.wait(900.0)
    if not report.is_file():
        return Found(1, [f"did not end well: {ended.code} {ended.text[-2000:]}"], "")
    points, bad = json.loads(report.read_text())
    return Found(points, bad, f"{points} points")


def _child(writer: Writer, disk: Path, kind: str, few: bool, report: Path) -> int:
    if kind == "disk" and not _mount(disk):
        return 1
    out = disk / "out"
    _fresh(out, {})
    writer.write(out)
    new = _tree(out)
    room = _room(disk) if kind == "disk" else _file_limit
    bad: list[str] = []
    points = _points(new, kind, few, writer.pages)
    for point in points:
        # A plan takes the place of files that the list of an earlier one has.
        old = {name: content if Path(name).name == FILES_FILE else OLD
               for name, content in new.items()} if writer.replaces else {}
        _fresh(out, old)
        with room(point):
            ended = run(writer.write, out)
        bad += [f"{writer.name}, {kind}, {point * PAGE} bytes: {fault}"
                for fault in faults(ended, _tree(out), old, new, writer.same_bytes)]
    if ended.code:
        bad.append(f"{writer.name}, {kind}: no end of points: {ended.told}")
    report.write_text(json.dumps([len(points), bad]))
    return 0


def _points(new: Tree, kind: str, few: bool, step: int) -> list[int]:
    """Pages that are free, from none to enough."""
    pages = [-(-len(content) // PAGE) for content in new.values()]
    last = sum(pages) + 2 if kind == "disk" else max(pages) + 30
    return sorted({0, 1, last // 2, last - 3, last}) if few else sorted(
        {*range(0, last, step), last})


def run(write: Callable[[Path], object], out: Path) -> Ended:
    """A writer as a command of firebreak."""
    def command(_: object) -> int:
        done = write(out)
        return done if isinstance(done, int) else 0

    COMMANDS[_COMMAND], PROGRAMS[_COMMAND] = "", Program(_COMMAND, "NoOptions")
    sys.modules[f"firebreak.cli.commands.{_COMMAND}"] = SimpleNamespace(  # type: ignore[assignment]
        run=command, NoOptions=NoOptions)
    told = io.StringIO()
    with contextlib.redirect_stderr(told):
        code = main([_COMMAND])
    lines = [line for line in told.getvalue().splitlines() if " warning: " not in line]
    return Ended(code, lines)


def faults(ended: Ended, found: Tree, old: Tree, new: Tree, same_bytes: bool) -> Iterator[str]:
    """What is wrong with how a writer ended and with what it left."""
    if ended.code not in (0, 3):
        yield f"exit {ended.code}: {ended.told}"
    if ended.code and (len(ended.told) != 1 or not ended.told[0].startswith("firebreak: ")):
        yield f"not one sentence: {ended.told}"
    if any(".tmp" in line or ".writing-" in line for line in ended.told):
        yield f"names a file that is not the user's: {ended.told}"
    for name in {*found, *new}:
        content = found.get(name)
        whole = content == new.get(name) or (
            content is not None and not same_bytes and name in new and _whole(name, content))
        if ended.code == 0 and not whole:
            yield f"{name} is not new, at exit 0"
        elif not whole and content != old.get(name):
            yield f"{name} is neither old nor new"


def _whole(name: str, content: bytes) -> bool:
    """A file that holds a time, by its end."""
    if name.endswith((".json", ".html")):
        return content.endswith((b"}\n", b"</html>\n"))
    if not name.endswith(".gpkg"):
        return False
    copy = Path(f"/dev/shm/{os.getpid()}.gpkg")
    try:
        copy.write_bytes(content)
        check_package(copy, {})
    except Exception:
        return False
    finally:
        copy.unlink(missing_ok=True)
    return True


def _tree(out: Path) -> Tree:
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in sorted(out.rglob("*"))
            if path.is_file()}


def _fresh(out: Path, old: Tree) -> None:
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    for name, content in old.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_bytes(content)


def _room(disk: Path) -> Callable[[int], contextlib.AbstractContextManager[None]]:
    @contextlib.contextmanager
    def room(pages: int) -> Iterator[None]:
        filler = disk / "filler"
        with filler.open("wb") as file:
            free = os.statvfs(disk).f_bavail - pages
            os.posix_fallocate(file.fileno(), 0, free * PAGE)
        try:
            yield
        finally:
            filler.unlink()
    return room


@contextlib.contextmanager
def _file_limit(pages: int) -> Iterator[None]:
    """No file may grow beyond so many pages."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (pages * PAGE, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def walk_all(made: Iterable[Writer], folder: Path, kinds: Iterable[str], few: bool) -> Found:
    """All writers on all kinds of disks."""
    found = [walk(writer, folder, kind, few) for writer in made for kind in kinds]
    bad = [fault for one in found for fault in one.bad]
    return Found(sum(one.tried for one in found), bad, f"{len(bad)} losses")
