"""A disk that is full at each place where a run writes, for a moment or for good.

Each run has a small file system of its own in memory, mounted where only its process sees it, and
that file system is really full at the moment of the write.
"""

import ctypes
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from faults.kills import Found
from faults.runs import SET, Process, differing, draw_nothing, leftovers, unbroken

_NEWNS, _NEWUSER, _PRIVATE = 0x20000, 0x10000000, 0x40000 | 0x4000
_SIZE = 64 << 20


class Site(NamedTuple):
    """Where a run writes. figures: whether it is reached only by a run that draws."""

    name: str
    figures: bool = False


SITES = [Site(name) for name in (
    "config.toml", "state.json", "tensors.safetensors", "manifest.json", "policy.safetensors",
    "metrics.jsonl", "timings.jsonl", "memory.jsonl")] + [
    Site("evaluation.json", True), Site("learning_curve.png", True)]


def can_mount(folder: Path) -> bool:
    """Whether this system lets a process mount a file system of its own."""
    process = Process([], folder / "mount.log", lambda: _mount(folder) and os._exit(0))
    return process.wait().code == 0


def fill_disks(folder: Path, sites: list[Site] = SITES) -> Found:
    """Each site, with the disk full for one write, and from one write on."""
    whole, _ = unbroken(folder)
    bad = []
    for site in sites:
        for lasting in (False, True):
            name = f"{site.name} {'lasting' if lasting else 'once'}"
            disk = folder / name
            disk.mkdir()
            log = folder / f"{name}.log"
            process = Process([], log, lambda site=site, lasting=lasting, disk=disk: os._exit(
                _child(site, lasting, disk, whole)))
            ended = process.wait(300.0)
            found = disk.with_name(f"{disk.name}.result")
            faults = json.loads(found.read_text()) if found.is_file() else ["did not end well"]
            bad += [f"{name}: {fault}" for fault in faults]
            bad += [f"{name}: a traceback"] * ("Traceback" in ended.text)
    lost = sum("lost" in line for line in bad)
    return Found(2 * len(sites), bad, f"{lost} good checkpoints lost at {len(sites)} sites, full "
                                      "for one write and for good")


def _mount(folder: Path) -> bool:
    libc = ctypes.CDLL(None, use_errno=True)
    if os.getuid() and libc.unshare(_NEWUSER | _NEWNS):
        return False
    if not os.getuid() and libc.unshare(_NEWNS):
        return False
    libc.mount(None, b"/", None, _PRIVATE, None)
    size = f"size={_SIZE}".encode()
    return libc.mount(b"none", os.fsencode(folder), b"tmpfs", 0, size) == 0


def _child(site: Site, lasting: bool, disk: Path, whole: Path) -> int:
    from firebreak.cli import main

    report = disk.with_name(f"{disk.name}.result")
    faults: list[str] = []
    if not _mount(disk):
        report.write_text(json.dumps(["cannot mount"]))
        return 1
    if not site.figures:
        draw_nothing()
    filler, run = disk / "filler", disk / "run"
    hits = _fill_at(site, lasting, filler)
    code = main(["train", "quick", "--out", str(run), *SET, "--quiet"])
    if not hits:
        faults.append("never written")
    early = site.name == "config.toml"
    expected = 3 if lasting or early or site.figures else 0
    if code != expected:
        faults.append(f"exit {code} instead of {expected}")
    faults += [f"left behind: {path.name}" for path in leftovers(run)]
    saved = _whole_checkpoints(run)
    if not saved and not early and site.name != "policy.safetensors":
        faults.append("lost: no whole checkpoint")
    filler.unlink(missing_ok=True)
    draw_nothing()
    again = ["--resume", str(run)] if (run / "config.toml").exists() else [
        "quick", "--out", str(run), *SET]
    code = main(["train", *again, "--quiet"])
    if code:
        faults.append(f"resume: exit {code}")
    else:
        faults += [f"resumed: {name}" for name in differing(whole, run)]
    report.write_text(json.dumps(faults))
    return 0


def _whole_checkpoints(run: Path) -> list[Path]:
    from firebreak.train.storage.checkpoints import CHECKPOINTS, checkpoints_of
    from firebreak.train.storage.store import open_folder

    found = checkpoints_of(run / CHECKPOINTS)
    for folder in found:
        open_folder(folder, "run")
    return found


def _fill_at(site: Site, lasting: bool, filler: Path) -> list[int]:
    """Fills the disk when the site is written, once there is a checkpoint where it is written more
    than once; returns a list that gets an entry then.
    """
    from firebreak.api.shared import run_output
    from firebreak.report.figures import canvas
    from firebreak.train.run import progress
    from firebreak.train.storage import metrics, store

    calls: list[int] = [0]
    hits: list[int] = []
    wanted = {"config.toml": 1, "policy.safetensors": 1, "metrics.jsonl": 12, "timings.jsonl": 12,
              "memory.jsonl": 12}.get(site.name, 1 if site.figures else 3)

    def guarded(write: Callable[..., Any], name_of: Callable[..., str]) -> Callable[..., Any]:
        def call(*args: Any, **more: Any) -> Any:
            if site.name not in name_of(*args) or hits:
                return write(*args, **more)
            calls[0] += 1
            if calls[0] == wanted:
                hits.append(1)
                _fill(filler)
            try:
                return write(*args, **more)
            finally:
                if hits and not lasting:
                    filler.unlink(missing_ok=True)
        return call
    store._write = guarded(store._write, lambda path, *_: path.name)  # type: ignore[assignment]
    run_output.write_text = guarded(  # type: ignore[attr-defined]
        run_output.write_text, lambda path, *_: path.name)
    progress.save_policy = guarded(  # type: ignore[assignment]
        progress.save_policy, lambda path, *_: path.name)
    metrics.JsonLines._flush = guarded(  # type: ignore[method-assign]
        metrics.JsonLines._flush, lambda lines: lines.path.name)
    canvas.write_bytes = guarded(  # type: ignore[attr-defined]
        canvas.write_bytes, lambda path, *_: path.name)
    return hits


def _fill(filler: Path) -> None:
    """Leaves not one block free."""
    with filler.open("wb") as file:
        free = os.statvfs(filler)
        os.posix_fallocate(file.fileno(), 0, max(free.f_bavail * free.f_bsize, 1))

