"""`firebreak bench`: how fast this machine is, as ratios measured in one run wherever possible."""

import math
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from firebreak.cli import common

if TYPE_CHECKING:
    from firebreak.fire.travel import SpreadMode

MODES: "tuple[SpreadMode, ...]" = ("front", "graph")
ELLIPSE_RATIOS = (1.0, 2.0, 3.0, 4.0)
WINDS = 12


@dataclass
class BenchArguments:
    """Measure fires, environment steps and learner updates per second on this machine."""

    quick: bool = False
    """Fewer repetitions."""
    seed: int = 0
    """Names the landscapes and fires."""
    json: bool = False
    """End with one machine-readable line."""


def run(arguments: list[str]) -> int:
    """Runs the command."""
    args = common.parse(BenchArguments, arguments, "bench")
    begin = time.perf_counter()
    repeats = 3 if args.quick else 7
    common.use_threads(1, 1)
    print(f"one core of {platform.processor() or platform.machine()}, medians of {repeats}; "
          "fires burn their whole map")
    found: dict[str, Any] = {"fires_per_second": {}, "ratio_to_scipy": {}}
    for mode in MODES:
        rates, ratios = {}, {}
        for size in (20, 40, 100):
            ours, spread, scipys = _fires_per_second(mode, size, args.seed, repeats)
            rates[str(size)], ratios[str(size)] = ours, ours / scipys
            print(f"{mode:<6} {size:>4}x{size:<4} {ours:>9,.0f} fires/s ±{spread:.0%}   "
                  f"{ours / scipys:5.2f} x scipy's Dijkstra on 8 neighbours")
        found["fires_per_second"][mode], found["ratio_to_scipy"][mode] = rates, ratios
    size = 101 if args.quick else 201
    found["ellipse_area_ratio"] = {
        mode: {f"{ratio:g}": float(ellipse_areas(mode, ratio, size)[0].mean())
               for ratio in ELLIPSE_RATIOS} for mode in MODES}
    for mode, areas in found["ellipse_area_ratio"].items():
        print(f"{mode:<6} burned area over the ellipse's, mean of 12 winds: " + ", ".join(
            f"{area:.3f} at length/width {ratio}" for ratio, area in areas.items()))
    steps, speedup = _env_steps_per_second(args.seed, repeats)
    found["env_steps_per_second"], found["reburn_speedup"] = steps, speedup
    print(f"environment 40x40, 256 plan and 256 reward fires: {steps:.0f} steps/s; burning only "
          f"the fires that a break changes is {speedup:.1f} x as fast as burning all")
    found["learner_updates_per_second"] = _updates_per_second(repeats)
    print(f"learner 40x40, batch 64: {found['learner_updates_per_second']:.1f} updates/s")
    if args.json:
        common.print_json(found | {"files": [], "seconds": time.perf_counter() - begin})
    return 0


def _timed(work: Callable[[], object], repeats: int) -> list[float]:
    seconds = []
    for _ in range(repeats):
        begin = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - begin)
    return seconds


def _fires_per_second(mode: "SpreadMode", size: int, seed: int,
                      repeats: int) -> tuple[float, float, float]:
    """Ours, its relative spread, and scipy's, alternating in one loop on the same edge times."""
    from scipy.sparse.csgraph import dijkstra

    from firebreak.fire.engine import burn_loss
    from firebreak.fire.scene import FireConditions, make_scene
    from firebreak.landscape.synthetic import generate

    land = generate(seed, size)
    scene = make_scene(land, FireConditions(spread=mode), seed)
    count = max(16, 160_000 // size**2)
    fires = scene.fires("bench", count)._replace(duration_min=np.full(count, np.inf))
    graph = neighbour_graph(scene.field.unit_time[0], land.burnable, size)
    sources = fires.source[:max(4, count // 8)]
    burn_loss(scene.field, fires, land.value)
    ours, theirs = [], []
    for _ in range(repeats):
        ours += _timed(lambda: burn_loss(scene.field, fires, land.value), 1)
        theirs += _timed(lambda: dijkstra(graph, indices=sources), 1)
    rate = count / median(ours)
    return rate, (max(ours) - min(ours)) / 2 / median(ours), sources.size / median(theirs)


def neighbour_graph(unit_time: NDArray[np.float32], burnable: NDArray[np.bool_],
                    cols: int) -> Any:
    """Edge times of one scenario as a sparse matrix over H * W cells, for scipy."""
    from scipy.sparse import csr_matrix

    from firebreak.fire.ring import NEIGHBOURS
    from firebreak.fire.travel import unpad

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


def ellipse_areas(mode: "SpreadMode", ratio: float,
                  size: int) -> tuple[NDArray[np.float64], float]:
    """Burned area on uniform fuel over the closed-form ellipse's, for wind directions [WINDS],
    on a map of `size` x `size` cells; and the nanoseconds it took per burned cell.
    """
    from firebreak.fire.engine import burn_arrival
    from firebreak.fire.fires import Fires
    from firebreak.fire.travel import Ellipse, field_from_ellipse
    from firebreak.fire.wind import backing_rate, flanking_rate

    head_m_min, cell_m = 10.0, 30.0
    winds = np.linspace(0.0, 360.0, WINDS, endpoint=False) + 3.7
    grid = np.ones((WINDS, size, size))
    back, flank = float(backing_rate(head_m_min, ratio)), float(flanking_rate(head_m_min, ratio))
    field = field_from_ellipse(
        Ellipse(head_m_min * grid, back * grid, flank * grid, winds[:, None, None] * grid),
        np.ones((size, size), np.bool_), cell_m, mode)
    # The head comes to rest well inside the map.
    duration = 0.37 * size * cell_m / head_m_min
    fires = Fires(np.full(WINDS, (size // 2) * size + size // 2), np.arange(WINDS),
                  np.full(WINDS, duration), np.zeros(WINDS, np.uint64))
    burn_arrival(field, fires.first(1))
    begin = time.perf_counter()
    cells = np.isfinite(burn_arrival(field, fires)).sum(axis=(1, 2))
    seconds = time.perf_counter() - begin
    true_area = math.pi * 0.5 * (head_m_min + back) * flank * duration**2
    return cells * cell_m**2 / true_area, seconds / cells.sum() * 1e9


def _env_steps_per_second(seed: int, repeats: int) -> tuple[float, float]:
    """Steps per second at 40x40 by the best cell of downstream value, observation included; and
    how much faster a step's burning is than burning all fires anew.
    """
    from firebreak.env import core, synthetic_source
    from firebreak.env.slots import Slots
    from firebreak.layout import OBSERVATION

    source = synthetic_source(size=40, plan_fires=256, reward_fires=256)
    slots = Slots(source.sizes(1))
    guide = OBSERVATION.channel("downstream_value")
    per_step, speedups = [], []
    only = np.zeros(1, np.int64)
    for episode in range(repeats):
        problem = source.problem(seed, episode)
        core.begin(slots, only, [problem])
        slots.load(0, problem)
        anew = _timed(lambda: slots.update(only, np.ones(1, np.bool_)), 1)[0]
        begin, steps, over = time.perf_counter(), 0, False
        while not over:
            score = np.where(slots.available[0], slots.layers[0, guide] + 1, 0)
            over = bool(core.step(slots, np.array([int(score.argmax())])).terminated[0])
            steps += 1
        per_step.append((time.perf_counter() - begin) / steps)
        speedups.append(anew / per_step[-1])
    return 1.0 / median(per_step), median(speedups)


def _updates_per_second(repeats: int) -> float:
    import torch

    from firebreak.agent.dqn import DQNAgent
    from firebreak.agent.replay import Batch
    from firebreak.layout import OBSERVATION
    from firebreak.train.schema import RunConfig
    from firebreak.train.setup import settings_of

    agent = DQNAgent(OBSERVATION, settings_of(RunConfig().agent), seed=0)
    seen = torch.rand((64, OBSERVATION.channels, 40, 40),
                      generator=torch.Generator().manual_seed(0))
    batch = Batch(seen, torch.zeros(64, dtype=torch.int64), torch.zeros(64), torch.ones(64), seen,
                  torch.ones((64, 1600), dtype=torch.bool))
    agent.learn(batch)
    return 1.0 / median(_timed(lambda: agent.learn(batch), repeats))
