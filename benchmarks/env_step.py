"""Time of an environment's step, by stage.

    python benchmarks/env_step.py [--environments 1] [--episodes 5]

40x40 cells, 256 plan and 256 reward fires that burn 15 % of the map, on one core; breaks where
downstream value is greatest.
"""

import argparse
import time
from collections import Counter
from typing import Any

import numpy as np

from firebreak.cli.commands.bench.measurements import bench_source
from firebreak.env import core
from firebreak.env.storage.problem_batch import ProblemBatch
from firebreak.layout import OBSERVATION
from firebreak.native_library import set_threads

STEPS = 60  # of an episode


class Clock:
    """Seconds by stage, of functions that it is put around."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()

    def around(self, owner: Any, name: str, stage: str) -> None:
        """Count owner.name as a stage."""
        plain = getattr(owner, name)

        def timed(*args: Any, **named: Any) -> Any:
            begin = time.perf_counter()
            result = plain(*args, **named)
            self.seconds[stage] += time.perf_counter() - begin  # type: ignore[assignment]
            return result

        setattr(owner, name, timed)


def episode(number: int, environments: int, clock: Clock | None) -> float:
    """Seconds of STEPS steps of one episode."""
    source = bench_source()
    slots = ProblemBatch(source.sizes(environments))
    core.begin(slots, np.arange(environments),
               [source.problem(k, number) for k in range(environments)])
    if clock is not None:
        clock.around(slots.fires, "burn", "burning again")
        clock.around(slots, "update", "update")
        clock.around(slots, "reward_losses", "rewards")
    guide, seconds = OBSERVATION.channel("downstream_value"), 0.0
    for _ in range(STEPS):
        score = np.where(slots.available, slots.layers[:, guide].astype(np.int64) + 1, 0)
        cells = score.reshape(environments, -1).argmax(axis=1)
        begin = time.perf_counter()
        core.step(slots, cells)
        seconds += time.perf_counter() - begin
    return seconds


def stages(environments: int, episodes: int) -> float:
    """Prints the stages of a step; returns how long one takes, ms."""
    clock, steps = Clock(), environments * STEPS * episodes
    episode(0, environments, None)
    clock.around(core, "place_actions", "breaks, budgets, affected fires")
    clock.around(core, "are_allowed", "which actions are allowed")
    whole = sum(episode(k, environments, clock) for k in range(episodes))
    spent = clock.seconds
    spent["observation, masks"] = spent.pop("update") - spent["burning again"]
    print(f"a step of one of {environments}: {1e3 * whole / steps:.3f} ms, "
          f"{steps / whole:.0f} steps/s\n")
    for stage, seconds in [*spent.most_common(), ("all else", whole - spent.total())]:
        print(f"{stage:34}{1e3 * seconds / steps:8.3f} ms {seconds / whole:7.1%}")
    return 1e3 * whole / steps


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--environments", type=int, default=1)
    parser.add_argument("--episodes", type=int, default=5)
    args = parser.parse_args()
    set_threads(1)
    stages(args.environments, args.episodes)


if __name__ == "__main__":
    main()
