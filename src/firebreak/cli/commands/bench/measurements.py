"""The measurements of `firebreak bench`: speed, accuracy, threads and building of fires; steps and
bytes of the environment; updates of the learner.
"""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from firebreak.env.sources import ProblemSource
    from firebreak.env.storage.problem import Problem
    from firebreak.env.storage.problem_batch import ProblemBatch
    from firebreak.fire import Fires, Scene

WINDS = 12
_WHOLE_MAP = 160_000  # cells that the fires of one measurement burn, at least
_WEATHERS = 8  # of a problem, by default


class Measured(NamedTuple):
    """Median over repetitions, and half the range over the median."""

    value: float
    spread: float


def measured(values: Sequence[float]) -> Measured:
    """Summary of the repetitions of one measurement."""
    middle = median(values)
    return Measured(middle, (max(values) - min(values)) / 2 / middle)


def timed(work: Callable[[], object]) -> float:
    """Processor seconds of one call: other programs on the machine do not count."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def bench_scene(size: int, seed: int, weathers: int = 2) -> "Scene":
    """A synthetic map; durations are not calibrated, its fires burn all of it."""
    from firebreak.fire import FireConditions, FireRegime, make_scene
    from firebreak.landscape.synthetic.generate import generate

    conditions = FireConditions(scenarios=weathers, regime=FireRegime(duration_min=1.0))
    return make_scene(generate(seed, size), conditions, seed)


def endless_fires(scene: "Scene", least: int) -> "Fires":
    """Fires that burn their whole map, `least` or as many as make a measurement."""
    count = max(least, _WHOLE_MAP // scene.landscape.burnable.size)
    return scene.fires("bench", count)._replace(duration_min=np.full(count, np.inf))


def against_scipy(size: int, seed: int, repeats: int) -> tuple[Measured, Measured]:
    """Fires per second, and over those of scipy's Dijkstra on the same 8-neighbour edge times:
    both burn in turns, and each ratio is of one turn.
    """
    from scipy.sparse.csgraph import dijkstra

    from firebreak.fire import burn

    scene = bench_scene(size, seed)
    fires = endless_fires(scene, 2)
    graph = neighbour_graph(scene.field.unit_time[0], scene.landscape.burnable, size)
    sources = fires.source[:max(1, fires.source.size // 8)]
    burn(scene, fires.first(1))
    rates, ratios = [], []
    for _ in range(repeats):
        rates.append(fires.source.size / timed(lambda: burn(scene, fires)))
        theirs = sources.size / timed(lambda: dijkstra(graph, indices=sources))
        ratios.append(rates[-1] / theirs)
    return measured(rates), measured(ratios)


def thread_scaling(seed: int, repeats: int) -> dict[str, Any] | None:
    """Speed of all threads over that of one: of alternating pairs the median and the best, for
    other programs take from both. None where there is one thread.
    """
    from firebreak.fire import burn
    from firebreak.native_library import max_threads, set_threads

    threads = max_threads()
    if threads < 2:
        return None
    scene = bench_scene(100, seed)
    fires = endless_fires(scene, 128)

    def seconds(count: int) -> float:
        set_threads(count)
        begin = time.perf_counter()
        burn(scene, fires)
        return time.perf_counter() - begin

    try:
        seconds(threads)
        ratios = [seconds(1) / seconds(threads) for _ in range(max(repeats, 5))]
    finally:
        set_threads(1)
    return {"threads": threads, "median": median(ratios), "best": max(ratios)}


def build_in_fires(size: int, seed: int, repeats: int) -> float:
    """Seconds that the travel times of one weather take, in fires that burn the map: one of as many
    as a problem has, which are built together; of a large map it is built alone.
    """
    from firebreak.fire import burn, ellipse_of, field_from_ellipse

    weathers = min(_WEATHERS, max(1, _WHOLE_MAP // size**2))
    scene = bench_scene(size, seed, weathers)
    land, fires, ellipse = scene.landscape, endless_fires(scene, 4), ellipse_of(scene.behavior)
    ratios = []
    for _ in range(repeats):
        build = timed(lambda: field_from_ellipse(ellipse, land.burnable, land.cell_size_m,
                                                 land.slope_tan, land.aspect_deg))
        burned = timed(lambda: burn(scene, fires))
        ratios.append(build / weathers / (burned / fires.source.size))
    return median(ratios)


def neighbour_graph(unit_time: NDArray[np.float32], burnable: NDArray[np.bool_],
                    cols: int) -> Any:
    """Edge times of one scenario as a sparse matrix over H * W cells, for scipy."""
    from scipy.sparse import csr_matrix

    from firebreak.fire import NEIGHBOURS, unpad

    rows = burnable.shape[0]
    own = unpad(np.moveaxis(unit_time, -1, 0), burnable.shape).astype(np.float64)
    starts, ends, times = [], [], []
    for step, (dr, dc) in enumerate(NEIGHBOURS):
        row, col = np.nonzero(burnable)
        inside = (row + dr >= 0) & (row + dr < rows) & (col + dc >= 0) & (col + dc < cols)
        row, col = row[inside], col[inside]
        keep = burnable[row + dr, col + dc]
        if step % 2:
            keep &= burnable[row + dr, col] | burnable[row, col + dc]
        row, col = row[keep], col[keep]
        starts.append((row + dr) * cols + col + dc)
        ends.append(row * cols + col)
        times.append(0.5 * (own[step, row, col] + own[step, row + dr, col + dc]))
    cells = burnable.size
    return csr_matrix((np.concatenate(times), (np.concatenate(starts), np.concatenate(ends))),
                      shape=(cells, cells))


def ellipse_areas(ratio: float, size: int) -> tuple[NDArray[np.float64], float]:
    """Burned area on uniform fuel over the closed-form ellipse's, for wind directions [WINDS],
    on a map of `size` x `size` cells; and the nanoseconds it took per burned cell.
    """
    from firebreak.fire import (
        Ellipse,
        Fires,
        backing_rate,
        burn_field,
        field_from_ellipse,
        flanking_rate,
    )

    head_m_min, cell_m = 10.0, 30.0
    winds = np.linspace(0.0, 360.0, WINDS, endpoint=False) + 3.7
    grid = np.ones((WINDS, size, size))
    back, flank = float(backing_rate(head_m_min, ratio)), float(flanking_rate(head_m_min, ratio))
    field = field_from_ellipse(
        Ellipse(head_m_min * grid, back * grid, flank * grid, winds[:, None, None] * grid),
        np.ones((size, size), np.bool_), cell_m)
    # The head comes to rest well inside the map.
    duration = 0.37 * size * cell_m / head_m_min
    fires = Fires(np.full(WINDS, (size // 2) * size + size // 2), np.arange(WINDS),
                  np.full(WINDS, duration), np.zeros(WINDS, np.uint64))
    burn_field(field, fires.first(1), want="arrival")
    begin = time.perf_counter()
    cells = np.isfinite(burn_field(field, fires, want="arrival").arrivals_min).sum(axis=(1, 2))
    seconds = time.perf_counter() - begin
    true_area = math.pi * 0.5 * (head_m_min + back) * flank * duration**2
    return cells * cell_m**2 / true_area, seconds / cells.sum() * 1e9


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

    agent = DQNAgent(RunConfig().agent, seed=0)
    seen: Any = torch.rand((64, OBSERVATION.channels, SIZE, SIZE),
                           generator=torch.Generator().manual_seed(0))
    batch = Batch(seen, torch.zeros(64, dtype=torch.int64), torch.zeros(64), torch.ones(64), seen,
                  torch.ones((64, SIZE * SIZE), dtype=torch.bool))
    agent.learn(batch)
    return 1.0 / median([timed(lambda: agent.learn(batch)) for _ in range(repeats)])
