"""Costs of a call to a worker and of 10 MB, and speed of burning by number of workers.

    python benchmarks/executors.py                 in-process and processes
    python benchmarks/executors.py --ray           Ray too (extra ray)
"""

import argparse
import statistics
import time
from contextlib import closing

import numpy as np
from numpy.typing import NDArray

from firebreak.executors.base import Executor, call_all
from firebreak.executors.calls import Recipe
from firebreak.executors.choice import ExecutorName, open_executor
from firebreak.fire import FireConditions, burn, make_scene
from firebreak.landscape.synthetic.generate import generate
from firebreak.native_library import set_threads

CALLS, TRANSFERS, CHUNKS, FIRES = 300, 20, 24, 1500


class Bench:
    """State of a worker: a scene of 20x20 cells."""

    def __init__(self) -> None:
        self.scene = make_scene(generate(7, 20), FireConditions(), 0)

    def nothing(self) -> int:
        return 0

    def sent_back(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return values

    def burn(self, chunk: int) -> float:
        return float(burn(self.scene, self.scene.fires(f"test-{chunk}", FIRES)).loss.sum())


def median_ms(executor: Executor, method: str, times: int, *arguments: object) -> float:
    """Median wall milliseconds of one call at a time."""
    spent = []
    for _ in range(times):
        begin = time.perf_counter()
        executor.submit(0, method, *arguments)
        executor.answers()
        spent.append(1e3 * (time.perf_counter() - begin))
    return statistics.median(spent)


def measure(name: ExecutorName, workers: int) -> str:
    with closing(open_executor(name, Recipe(Bench), workers)) as executor:
        begin = time.perf_counter()
        call_all(executor, "burn", [(k,) for k in range(2 * workers)])  # starts and compiles
        started = time.perf_counter() - begin
        call = median_ms(executor, "nothing", CALLS)
        ten = median_ms(executor, "sent_back", TRANSFERS, np.zeros(1_250_000))
        begin = time.perf_counter()
        total = sum(call_all(executor, "burn", [(k,) for k in range(CHUNKS)]))
        seconds = time.perf_counter() - begin
    return (f"| {name}, {workers} | {started:.1f} | {call:.3f} | {ten:.2f} | "
            f"{CHUNKS * FIRES / seconds:,.0f} | {total:.6f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ray", action="store_true")
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2])
    given = parser.parse_args()
    set_threads(1)
    print("| workers | start s | call ms | 10 MB there and back ms | fires/s | checksum |")
    print("|---|---|---|---|---|---|")
    print(measure("in-process", 1))
    names: list[ExecutorName] = ["processes", "ray"] if given.ray else ["processes"]
    for name in names:
        for workers in given.workers:
            print(measure(name, workers), flush=True)


if __name__ == "__main__":
    main()
