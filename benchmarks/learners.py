"""How much faster a learner step is when workers share its batch: wall time, in turns.

    python benchmarks/learners.py [--learners 2] [--steps 20]

Each step is made by an agent without workers and by one with them, from the same weights on the
same batch; the table gives medians of the wall time and of the ratio of a pair, with its quartiles.
The weights of both are compared after all steps: they have the same bits.
"""

import argparse
import time
from collections.abc import Iterator
from statistics import median, quantiles

import torch

from firebreak.agent.dqn import DQNAgent
from firebreak.agent.gain_store import GainBatch
from firebreak.agent.network import hash_of_weights
from firebreak.agent.replay import Batch
from firebreak.agent.settings import settings_of
from firebreak.api.shared.machine import use_threads
from firebreak.layout import OBSERVATION
from firebreak.line_actions import SHAPES
from firebreak.train.config.load import load_config
from firebreak.train.config.schema import RunConfig
from firebreak.train.run.learners import LearnerPool, most_parts

LABELLED = 56
"""Lines with gains of a state."""
SETTINGS = [("cells, transitions", False, 40, 64), ("cells, transitions", False, 64, 64),
            ("lines, gains", True, 40, 32), ("lines, gains", True, 64, 32)]


def batch_of(lines: bool, side: int, maps: int, draw: torch.Generator) -> Batch | GainBatch:
    """Observations and labels without a meaning, of the sizes of a run's."""
    shape = (maps, OBSERVATION.channels, side, side)
    seen = [torch.randint(256, shape, generator=draw, dtype=torch.uint8) for _ in range(2)]
    if lines:
        actions = torch.randint(SHAPES * side**2, (maps, LABELLED), generator=draw)
        return GainBatch(seen[0] / 255, torch.rand(maps, LABELLED, generator=draw) / 10, actions)
    return Batch(seen[0], torch.randint(side**2, (maps,), generator=draw),
                 torch.rand(maps, generator=draw) / 10, torch.full((maps,), 0.9), seen[1],
                 torch.ones(maps, side**2, dtype=torch.bool))


def agent_of(config: RunConfig) -> DQNAgent:
    return DQNAgent(OBSERVATION, settings_of(config.agent), seed=1)


def seconds(agent: DQNAgent, batch: Batch | GainBatch) -> float:
    """Wall time of a learner step."""
    begin = time.perf_counter()
    if isinstance(batch, Batch):
        agent.learn(batch)
    else:
        agent.learn_gains(batch)
    return time.perf_counter() - begin


def rows(learners: int, steps: int) -> Iterator[str]:
    """The table, row by row."""
    names = ["batch", "parts", "alone, ms", f"{learners} learners, ms", "times as fast"]
    yield f"| {' | '.join(names)} |\n{'|---' * len(names)}|"
    for name, lines, side, maps in SETTINGS:
        config = load_config("quick", [
            f"landscapes.size={side}", f"agent.batch_size={maps}", f"train.learners={learners}",
            *(["agent.segments=true", "agent.discount_end=0"] if lines else [])])
        alone, shared, pool = agent_of(config), agent_of(config), LearnerPool(config)
        shared.descend = pool.descend
        draw, times = torch.Generator().manual_seed(0), []
        for step in range(steps + 2):
            batch = batch_of(lines, side, maps, draw)
            pair = [seconds(agent, batch) for agent in (alone, shared)]
            times += [pair] if step >= 2 else []  # the first ones start workers and take memory
        pool.close()
        if hash_of_weights([alone.online_net]) != hash_of_weights([shared.online_net]):
            raise SystemExit(f"{name}, {side}x{side}: the weights differ")
        ratios = [one / other for one, other in times]
        low, _, high = quantiles(ratios, n=4)
        yield (f"| {name}, {maps} maps of {side}x{side} | {most_parts(config)} | "
               + " | ".join(f"{1e3 * median(column):.0f}" for column in zip(*times, strict=True))
               + f" | {median(ratios):.2f} ({low:.2f} to {high:.2f}) |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--learners", type=int, default=2)
    parser.add_argument("--steps", type=int, default=20, help="pairs for each row")
    given = parser.parse_args()
    use_threads(1, 1)
    for row in rows(given.learners, given.steps):
        print(row, flush=True)


if __name__ == "__main__":
    main()
