"""Processes that are killed or told to stop at random instants."""

import os
import random
import signal
import time
from pathlib import Path
from typing import NamedTuple

import torch

from faults.runs import differing, train, unbroken
from firebreak.tensor_file import Damaged
from firebreak.train.storage.checkpoints import (
    checkpoints_of,
    latest_checkpoint,
    save_checkpoint,
)
from firebreak.train.storage.store import open_folder, sweep


class Found(NamedTuple):
    """tried: how often; bad: what went wrong, in words; figure: what the table shows."""

    tried: int
    bad: list[str]
    figure: str


def kill_runs(folder: Path, count: int, seed: int = 0) -> Found:
    """kill -9 at random instants of a run, then `--resume`; compared with the unbroken run."""
    whole, seconds = unbroken(folder)
    draw = random.Random(seed)
    bad, killed = [], 0
    for number in range(count):
        run = folder / f"killed-{number}"
        process = train(run)
        time.sleep(draw.uniform(0.0, seconds))
        process.signal(signal.SIGKILL)
        killed += process.wait().code == -signal.SIGKILL
        ended = train(run).wait()
        if ended.code != 0:
            bad.append(f"{run}: exit {ended.code}: {ended.text[-500:]}")
        else:
            bad += [f"{run}: {name}" for name in differing(whole, run)]
    return Found(killed, bad, f"{count - _runs_in(bad)} of {count} equal to the unbroken run "
                              f"({killed} were killed before their end)")


def signal_runs(folder: Path, count: int, seed: int = 0) -> Found:
    """SIGINT and SIGTERM by turns at random instants after the run has begun; then `--resume`."""
    whole, seconds = unbroken(folder)
    draw = random.Random(seed)
    bad, slowest, stopped = [], 0.0, 0
    for number in range(count):
        run, sent = folder / f"stopped-{number}", (signal.SIGINT, signal.SIGTERM)[number % 2]
        process = train(run)
        while process.running() and not (run / "config.toml").exists():
            time.sleep(0.005)
        time.sleep(draw.uniform(0.0, 0.8 * seconds))
        if process.running():
            process.signal(sent)
        ended = process.wait()
        if ended.code == 0:  # it was too late
            continue
        stopped += 1
        slowest = max(slowest, ended.seconds)
        if ended.code != (130, 143)[number % 2] or "Traceback" in ended.text:
            bad.append(f"{run}: exit {ended.code}: {ended.text[-500:]}")
        again = train(run).wait()
        bad += ([f"{run}: resumed: exit {again.code}: {again.text[-500:]}"] if again.code
                else [f"{run}: {name}" for name in differing(whole, run)])
    return Found(stopped, bad, f"{slowest:.2f} s at most; {stopped - _runs_in(bad)} of {stopped} "
                               "resumed and equal")


def _runs_in(bad: list[str]) -> int:
    return len({line.partition(":")[0] for line in bad})


def kill_saves(folder: Path, count: int, seed: int = 0, megabytes: int = 4) -> Found:
    """kill -9 of a process that does nothing but save; what it had saved must be readable."""
    draw = random.Random(seed)
    root = folder / "saves"
    bad, killed_inside = [], 0
    for number in range(count):
        reader, writer = os.pipe()
        pid = os.fork()
        if pid == 0:
            _save_for_ever(root, writer, megabytes)
        os.close(writer)
        os.read(reader, 8)  # the first save of this process is complete
        time.sleep(draw.uniform(0.0, 0.06))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        with os.fdopen(reader, "rb") as pipe:
            told = pipe.read()
        last = int.from_bytes(told[-8:], "little") if told else 0
        killed_inside += any(path.name.startswith(".writing") for path in root.iterdir())
        sweep(root)
        try:
            for path in checkpoints_of(root):
                open_folder(path, "run")
            state = latest_checkpoint(root, "run").load()
            if state["number"] < last or not bool((state["data"] == state["number"] % 251).all()):
                bad.append(f"kill {number}: {state['number']} found, {last} was saved")
        except Damaged as error:
            bad.append(f"kill {number}: {error}")
    return Found(count, bad, f"{len(bad)} unreadable of {count} ({killed_inside} within a write)")


def _save_for_ever(root: Path, writer: int, megabytes: int) -> None:
    try:
        found = checkpoints_of(root)
        number = open_folder(found[-1], "run").state["number"] if found else 0
        data = torch.empty(megabytes << 20, dtype=torch.uint8)
        while True:
            number += 1
            data.fill_(number % 251)
            save_checkpoint(root, "run", {"number": number, "data": data})
            os.write(writer, number.to_bytes(8, "little"))
    finally:
        os._exit(1)
