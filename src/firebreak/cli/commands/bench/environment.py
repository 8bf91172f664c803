"""The measurements of `firebreak bench` of the environment and of the learner."""

import time
from dataclasses import replace
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from firebreak.cli.commands.bench.fires import timed

if TYPE_CHECKING:
    from firebreak.env.sources import ProblemSource
    from firebreak.env.storage.problem import Problem
    from firebreak.env.storage.problem_batch import ProblemBatch

SIZE, FIRES = 40, 256
BUDGETS = (0.01, 0.05, 0.10)
_STEPS_AROUND = 8  # steps of an episode that a speed-up is the median of


def bench_source(burned_share: float = 0.15, budget: float = 0.05) -> "ProblemSource":
    """Problems at 40x40 with 256 plan and 256 reward fires."""
    from firebreak.env import synthetic_source
    from firebreak.fire import FireConditions, FireRegime

    source = synthetic_source(size=SIZE, budget=budget, plan_fires=FIRES, reward_fires=FIRES)
    return replace(source, conditions=FireConditions(
        regime=FireRegime(burned_share=burned_share)))


def reburn_speedup(seed: int, burned_share: float, repeats: int) -> dict[str, float]:
    """Time to burn all fires anew over the time of a step, which burns what its break changes; by
    share of the treatable cells broken, breaks by the best cell of downstream value.
    """
    from firebreak.env.storage.problem_batch import SLOT_0

    found: dict[str, list[float]] = {f"{budget:g}": [] for budget in BUDGETS}
    for episode in range(repeats):
        source = bench_source(burned_share, BUDGETS[-1])
        problem = source.problem(seed, episode)
        slots = _begun(source, [problem])
        whole = int(problem.scene.landscape.treatable.sum())
        marks = {max(_STEPS_AROUND, int(budget * whole)): f"{budget:g}" for budget in BUDGETS}
        seconds: list[float] = []
        for step in range(1, max(marks) + 1):
            if not slots.available.any():
                break
            slots.place_each(SLOT_0, _best_cells(slots))
            seconds.append(timed(partial(slots.update, SLOT_0)))
            if step in marks:
                anew = min(_anew(problem, slots.breaks[0]) for _ in range(3))
                found[marks[step]].append(anew / median(seconds[-_STEPS_AROUND:]))
    return {budget: median(ratios) for budget, ratios in found.items() if ratios}


def _anew(problem: "Problem", breaks: np.ndarray) -> float:
    """Seconds to burn all fires under breaks: sums of the plan fires, losses of the others."""
    from firebreak.fire import burn

    scene = problem.scene
    return (timed(lambda: burn(scene, problem.plan_fires, breaks, want="statistics"))
            + timed(lambda: burn(scene, problem.reward_fires, breaks).loss))


def env_steps_per_second(seed: int, envs: int, repeats: int) -> float:
    """Steps per second of all slots together, observation included, over whole episodes."""
    from firebreak.env import core

    source = bench_source()
    rates = []
    for episode in range(repeats):
        slots = _begun(source, [source.problem(seed + k, episode) for k in range(envs)])
        begin, steps, over = time.process_time(), 0, False
        while not over:
            over = bool(core.step(slots, _best_cells(slots)).terminated.any())
            steps += envs
        rates.append(steps / (time.process_time() - begin))
    return median(rates)


def bytes_per_fire() -> float:
    """Bytes that an environment holds for one more fire at 40x40, plan and reward fires alike."""
    from firebreak.env.storage.problem_batch import ProblemBatch

    sizes = bench_source().sizes(1)
    half = sizes._replace(plan_fires=FIRES // 2, reward_fires=FIRES // 2)
    return (ProblemBatch(sizes).owned_bytes() - ProblemBatch(half).owned_bytes()) / FIRES


def _begun(source: "ProblemSource", problems: "list[Problem]") -> "ProblemBatch":
    from firebreak.env import core
    from firebreak.env.storage.problem_batch import ProblemBatch

    slots = ProblemBatch(source.sizes(len(problems)))
    core.begin(slots, np.arange(len(problems)), problems)
    return slots


def _best_cells(slots: "ProblemBatch") -> np.ndarray:
    """The available cell of the greatest downstream value in each slot."""
    from firebreak.layout import OBSERVATION

    guide = OBSERVATION.channel("downstream_value")
    score = np.where(slots.available, slots.layers[:, guide].astype(np.int64) + 1, 0)
    return score.reshape(score.shape[0], -1).argmax(axis=1)


def updates_per_second(repeats: int) -> float:
    """Updates of the default network per second, 40x40, batch 64."""
    import torch

    from firebreak.agent.dqn import DQNAgent
    from firebreak.agent.experience import Batch
    from firebreak.layout import OBSERVATION
    from firebreak.train.config.schema import RunConfig

    agent = DQNAgent(OBSERVATION, RunConfig().agent, seed=0)
    seen: Any = torch.rand((64, OBSERVATION.channels, SIZE, SIZE),
                           generator=torch.Generator().manual_seed(0))
    batch = Batch(seen, torch.zeros(64, dtype=torch.int64), torch.zeros(64), torch.ones(64), seen,
                  torch.ones((64, SIZE * SIZE), dtype=torch.bool))
    agent.learn(batch)
    return 1.0 / median([timed(lambda: agent.learn(batch)) for _ in range(repeats)])
