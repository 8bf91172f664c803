"""Workers of an executor that are killed in the midst of their calls."""

import os
import random
import signal
import time
from pathlib import Path
from typing import Any

import psutil

from faults.kills import Found
from firebreak.fire.engine import set_threads
from firebreak.fire.scene import FireConditions, make_scene
from firebreak.landscape.readers import read_landscape
from firebreak.planning.methods import make_plan

_LANDS, _CALLS = 6, 8  # landscapes, and calls from one kill to the next


class Burner:
    """What a worker holds: it plans on a landscape of its own for each call."""

    def __init__(self) -> None:
        set_threads(1)

    def cells(self, seed: int) -> list[int]:
        """The breaks of a plan on the landscape of a seed."""
        scene = make_scene(read_landscape(f"synthetic:{seed}:12"), FireConditions(), seed)
        return make_plan(scene, 0.1, 16, "downstream-value", seed=seed).cells.tolist()


def kill_workers(folder: Path, count: int, seed: int = 0) -> Found:
    """kill -9 of a random worker at random instants; the answers are those of undisturbed work."""
    from firebreak.train.executors.base import (
        Executor,
        Recipe,
        WorkerLostError,
        closing,
        map_chunks,
    )
    from firebreak.train.executors.processes import Processes

    draw = random.Random(seed)
    backend, burner = Processes(Recipe(Burner)), Burner()
    expected = [burner.cells(land) for land in range(_LANDS)]
    killed = again = stops = 0
    bad: list[str] = []
    while killed < count:
        executor = Executor(backend, 2)
        try:
            with closing(executor):
                calls = [(number % _LANDS,) for number in range(_CALLS * (count - killed + 1))]
                for place, answer in map_chunks(executor, "cells", calls):
                    if answer != expected[place % _LANDS]:
                        bad.append(f"call {place}: another answer")
                    if place % _CALLS == _CALLS - 1 and killed < count:
                        time.sleep(draw.uniform(0.0, 0.05))
                        os.kill(draw.choice(backend.process_ids()), signal.SIGKILL)
                        killed += 1
        except WorkerLostError as error:  # killed at every attempt of one call
            stops += 1
            bad += [] if "worker" in str(error) else [f"a stop that names no worker: {error}"]
        again += executor.restarts
    left: list[Any] = [child for child in psutil.Process().children(recursive=True)
                       if "resource_tracker" not in " ".join(child.cmdline())]
    bad += [f"left: {child.pid} {child.status()}" for child in left]
    return Found(killed, bad, f"{killed} kills: {again} calls made again, {stops} clean stops, "
                              f"{sum('another' in line for line in bad)} answers that differ, "
                              f"{len(left)} processes left")
