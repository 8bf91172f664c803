"""Workers of an executor that are killed, hang, or raise in the midst of their calls."""

import os
import random
import signal
import time
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import psutil

from faults.kills import Found
from firebreak.executors.base import Executor, map_chunks
from firebreak.executors.calls import Recipe, WorkerLostError
from firebreak.executors.processes import Processes
from firebreak.fire import FireConditions, make_scene
from firebreak.landscape.formats.read import read_landscape
from firebreak.native_library import set_threads
from firebreak.planning.making import make_plan

_LANDS, _CALLS = 6, 8  # landscapes, and calls from one signal to the next
_LIMIT_S = 30.0  # starting a worker counts too
_FEWER = 10  # a hang costs its limit


class Burner:
    """What a worker holds: it plans on a landscape of its own for each call."""

    def __init__(self) -> None:
        set_threads(1)

    def cells(self, seed: int) -> list[int]:
        """The breaks of a plan on the landscape of a seed; an error for one below 0."""
        if seed < 0:
            raise ZeroDivisionError("planted")
        scene = make_scene(read_landscape(f"synthetic:{seed}:12"), FireConditions(), seed)
        return make_plan(scene, 0.1, 16, "downstream-value", seed=seed).cells.tolist()


class _Signalled(NamedTuple):
    count: int
    again: int
    stops: int
    bad: list[str]


def disturb_workers(folder: Path, count: int, seed: int = 0) -> Found:
    """Random workers are killed, and a tenth as often stopped for good, at random instants; as many
    raise. The answers are those of undisturbed work, or the run stops and names the worker.
    """
    draw, few = random.Random(seed), max(count // _FEWER, 1)
    killed = _signalled(draw, signal.SIGKILL, count, None)
    hung = _signalled(draw, signal.SIGSTOP, few, _LIMIT_S)
    raised = [line for number in range(few) for line in _raised(number % 2)]
    left = [child for child in psutil.Process().children(recursive=True)
            if "resource_tracker" not in " ".join(child.cmdline())]
    bad = [*killed.bad, *hung.bad, *raised, *(f"left: {c.pid} {c.status()}" for c in left)]
    return Found(killed.count + hung.count + few, bad, "; ".join([
        f"{killed.count} kills: {killed.again} calls made again, {killed.stops} clean stops",
        f"{hung.count} hangs: {hung.again} calls made again, {hung.stops} clean stops",
        f"{few} raised: {few - len(raised)} stops that name the worker",
        f"{sum('another' in line for line in bad)} answers that differ, "
        f"{len(left)} processes left"]))


def _signalled(draw: random.Random, sent: signal.Signals, count: int,
               limit_s: float | None) -> _Signalled:
    """Sends a signal to random workers `count` times while they work."""
    backend, burner = Processes(Recipe(Burner)), Burner()
    expected = [burner.cells(land) for land in range(_LANDS)]
    done = again = stops = 0
    bad: list[str] = []
    while done < count:
        executor = Executor(backend, 2, limit_s=limit_s)
        try:
            with closing(executor):
                calls = [(number % _LANDS,) for number in range(_CALLS * (count - done + 1))]
                for place, answer in map_chunks(executor, "cells", calls):
                    if answer != expected[place % _LANDS]:
                        bad.append(f"{sent.name}, call {place}: another answer")
                    if place % _CALLS == _CALLS - 1 and done < count:
                        time.sleep(draw.uniform(0.0, 0.05))
                        os.kill(draw.choice(backend.process_ids()), sent)
                        done += 1
        except WorkerLostError as error:  # at every attempt of one call
            stops += 1
            bad += [] if "worker" in str(error) else [f"a stop that names no worker: {error}"]
        again += executor.restarts
    return _Signalled(done, again, stops, bad)


def _raised(worker: int) -> list[str]:
    """A worker that raises ends the run, with its number; what is wrong with that."""
    executor = Executor(Processes(Recipe(Burner)), 2)
    try:
        with closing(executor):
            executor.submit(worker, "cells", -1)
            executor.answers()
    except WorkerLostError as error:
        said = str(error)
        return [] if f"worker {worker} of 2" in said and "planted" in said else [f"said {said}"]
    return ["an error of a worker had no effect"]
