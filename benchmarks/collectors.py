"""Worth of collectors beside the learner: CPU time per environment step, and whole runs.

    python benchmarks/collectors.py              about 5 minutes on two free cores
    python benchmarks/collectors.py --costs      CPU times and the ceiling that follows, no more

A step of an environment costs c CPU seconds to collect and u * l to learn from (u updates of l
seconds). One process takes c + u * l; with its own burning on all cores somewhat less. On k cores
no arrangement that keeps one learner is faster than max(u * l, (c + u * l) / k).
"""

import argparse
import contextlib
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple

import psutil

from firebreak.api.shared.executor_options import use_threads
from firebreak.train.config.load import load_config
from firebreak.train.config.schema import RunConfig
from firebreak.train.data.splits import make_splits
from firebreak.train.run.trainer import ParallelTrainer
from firebreak.train.run.turn import update

CORES, COLLECTORS, CALLS, NO_UPDATES = 2, 2, 30, 1e-4

COMMON = ["agent.gain_share=0", "train.episodes=1000000", "train.num_envs=4",
          "train.learning_starts=40", "evaluation.every_episodes=1000000",
          "evaluation.validation_landscapes=1", "evaluation.test_landscapes=1"]
SETTINGS = [("20x20, 1 update a step", 20, 1.0), ("40x40, 1/10 update a step", 40, 0.1),
            ("40x40, no updates", 40, NO_UPDATES)]
VARIANTS = [("one process", []),
            ("1 worker", ["train.collector_workers=1"]),
            ("2 workers", ["train.collector_workers=2"])]


class Spent(NamedTuple):
    """Between two rows of a run. workers_s: CPU seconds of all workers."""

    env_steps: int
    wall_s: float
    workers_s: float


def clocks() -> tuple[float, float]:
    """Wall seconds, and CPU seconds of this process's workers."""
    workers = 0.0
    for child in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            workers += sum(child.cpu_times()[:2])
    return time.perf_counter(), workers


def spent(changes: list[str], seconds: float, warm_steps: int) -> Spent:
    """Figures of a run over `seconds`, from its env step number `warm_steps` on."""
    config = load_config("quick", [*COMMON, *changes])
    use_threads(config.train.threads, config.train.torch_threads)
    with tempfile.TemporaryDirectory() as folder:
        trainer = ParallelTrainer(config, make_splits(config, Path()), Path(folder))
        try:
            rows = (row for row in trainer.run() if row["kind"] == "progress")
            first = next(row for row in rows if row["env_steps"] >= warm_steps)
            begin = clocks()
            last = next(row for row in rows if clocks()[0] - begin[0] >= seconds
                        and row["env_steps"] > first["env_steps"])
            wall, workers = (b - a for a, b in zip(begin, clocks(), strict=True))
        finally:
            trainer.close()
    return Spent(last["env_steps"] - first["env_steps"], wall, workers)


def cpu_of(config: RunConfig, calls: int) -> tuple[float, float]:
    """Median CPU seconds of collecting an environment step and of an update, in this process."""
    use_threads(1, config.train.torch_threads)
    with tempfile.TemporaryDirectory() as folder:
        trainer = ParallelTrainer(config, make_splits(config, Path()), Path(folder))
        try:
            arena = trainer.arenas[0]
            collected, updated = [], []
            for _ in range(calls):
                begin = time.process_time()
                arena.collector.collect(trainer.env_steps, trainer.check_stop)
                seconds = time.process_time() - begin
                collected.append(seconds / arena.collector.drain(arena.replay))
            for _ in range(calls):
                begin = time.process_time()
                update(trainer.agent, trainer.arenas)
                updated.append(time.process_time() - begin)
        finally:
            trainer.close()
    return median(collected), median(updated)


def costs(calls: int) -> Iterator[str]:
    """Costs of a step and of an update, and the best that two cores could do at so many updates a
    step, as a multiple of one process.
    """
    rates = (1.0, 0.5, 0.25, 0.1)
    names = ["map", "collect a step, ms CPU", "an update, ms CPU",
             *(f"ceiling at {rate:g}" for rate in rates)]
    yield f"| {' | '.join(names)} |\n{'|---' * len(names)}|"
    for size in sorted({size for _, size, _ in SETTINGS}):
        collect, learn = cpu_of(load_config("quick", [*COMMON, f"landscapes.size={size}"]), calls)
        ceilings = [(collect + rate * learn) / max(rate * learn, (collect + rate * learn) / CORES)
                    for rate in rates]
        yield (f"| {size}x{size} | {1e3 * collect:.1f} | {1e3 * learn:.1f} | "
               + " | ".join(f"{ceiling:.2f}" for ceiling in ceilings) + " |")


def runs(seconds: float) -> Iterator[str]:
    """Environment steps per second of whole runs by wall clock, in brackets over those of one
    process; and milliseconds of CPU that a step took in workers.
    """
    names = ["setting", *(name for name, _ in VARIANTS)]
    yield f"| {' | '.join(names)} |\n{'|---' * len(names)}|"
    for name, size, updates in SETTINGS:
        cells: list[str] = []
        single = 0.0
        for place, (_, changes) in enumerate(VARIANTS):
            more = [*changes, f"train.collectors={COLLECTORS}"] if place else changes
            found = spent([f"landscapes.size={size}", f"train.updates_per_env_step={updates}",
                           *more], seconds, 10 * size)
            rate = found.env_steps / found.wall_s
            single = single or rate
            workers = f", {1e3 * found.workers_s / found.env_steps:.1f} ms" if place else ""
            cells.append(f"{rate:.0f} ({rate / single:.2f}{workers})")
        yield f"| {name} | " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--costs", action="store_true", help="no whole runs")
    parser.add_argument("--seconds", type=float, default=6.0, help="of each run")
    given = parser.parse_args()
    for line in costs(CALLS):
        print(line, flush=True)
    if not given.costs:
        print()
        for line in runs(given.seconds):
            print(line, flush=True)


if __name__ == "__main__":
    main()
