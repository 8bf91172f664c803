"""Patches across the routes that fire takes fastest from the upwind edge.

The idea of the treatment optimization model: in one weather fire enters along the whole upwind
edge, its minimum travel time routes are traced, and patches of limited size are put across the
major routes, in zones one behind the other, with the fire burned anew in between.
"""

from itertools import product
from typing import NamedTuple

import numpy as np
from benchmarks.rivals.burned_maps import burn_maps
from numpy.typing import NDArray

from firebreak.fire import UNBURNED, Fires, TravelField, pad, unpad
from firebreak.line_actions import line_steps
from firebreak.planning.core.rounds import SPACING, Placement, Task, spendable
from firebreak.planning.patterns.line_greedy import Ground, Lines, rated_lines
from firebreak.planning.patterns.strips import (
    ProblemWeather,
    along,
    best_on_plan_fires,
    problem_weather,
)
from firebreak.planning.ranking import Floats, TreeSums, conditional_value

PATCH_CELLS = (4, 8, 16)
ZONES = (2, 3)
MAX_FRONTS = 16
"""About as many times the fire is burned anew for one plan."""
MAX_SOURCES = 12
"""Cells of the upwind edge that fire starts from, spread evenly where the edge has more."""
TRIES = 6
"""Patches that are tried on the front before one is placed."""
_AT_ONCE = 16  # fires of the edge whose maps are held together


class Front(NamedTuple):
    """A fire that enters along the upwind edge. arrival_time_min: [H, W], inf = never. code: u8
    [P], how it reached each cell first. burned: cells that were burned to learn it.
    """

    arrival_time_min: Floats
    code: NDArray[np.uint8]
    burned: float


def place_tom(task: Task) -> Placement:
    """Patches across the fastest routes of the worst weather; of several sizes of patches and
    numbers of zones those that save most on the plan fires.

    Source: Finney (2007), doi:10.1071/WF06063; patches here are straight lines across the wind,
    and a route counts by the value that fire carries over it.
    """
    weather = problem_weather(task.problem)
    value, simulations = conditional_value(task.problem.scene, task.problem.plan_fires)
    tried = [_patches(task, weather, value, size, zones)
             for size, zones in product(PATCH_CELLS, ZONES)]
    cells = best_on_plan_fires(task, [plan for plan, _ in tried])
    burned = sum(cost for _, cost in tried)
    return Placement(cells, 1.0 + simulations + len(tried) + burned / weather.cells_burned)


def _patches(task: Task, weather: ProblemWeather, value: Floats, size: int,
             zones: int) -> tuple[NDArray[np.int64], float]:
    """The cells of patches of at most `size` cells, zone by zone from the wind, and the number of
    cells burned for them.
    """
    problem = task.problem
    land, field = problem.scene.landscape, _steady(problem.scene.field, weather.row)
    lengths = sorted({size >> k for k in range(size.bit_length())})
    across = line_steps((-weather.towards[1], weather.towards[0]), size, field.breaks.leak)
    zone = _zones(land.shape, weather.towards, zones)
    padded, sums = pad(value), TreeSums(land.shape)
    breaks, left, burned = problem.standing_mask(), problem.budget, 0.0
    often = max(task.batch, problem.budget_share * int(land.treatable.sum()) / MAX_FRONTS)
    cells: list[int] = []
    turn, since = 0, often
    while True:
        ground = Ground(breaks, _affordable(land.cost, left) & land.treatable & ~breaks, left)
        if not ground.available.any():
            return np.array(cells, np.int64), burned
        if since >= often:
            front = enter(field, breaks, weather.towards)
            flow, since = sums.flow(front.code[None], padded, np.ones(1)), 0.0
            burned += front.burned
        lines = rated_lines(land, ground, flow, [across], lengths)
        new, cost = _slowest(field, weather, ground, front, value, [
            lines.cells(k, [across], land.shape[1]) for k in _choose(lines, zone, turn % zones)])
        burned += cost
        breaks.ravel()[new] = True
        left -= float(land.cost.ravel()[new].astype(np.float64).sum())
        cells += new.tolist()
        turn, since = turn + 1, since + float(new.size)


def _slowest(field: TravelField, weather: ProblemWeather, ground: Ground, front: Front,
             value: Floats, patches: list[NDArray[np.int64]]) -> tuple[NDArray[np.int64], float]:
    """The new cells of the patch that delays the front most, and the cells burned to find it."""
    best, most, burned = patches[0], -np.inf, 0.0
    for patch in patches if len(patches) > 1 else []:
        after = ground.breaks.copy()
        after.ravel()[patch] = True
        found = enter(field, after, weather.towards)
        burned += found.burned
        slowed = delay(front.arrival_time_min, found.arrival_time_min, value)
        if slowed > most:
            best, most = patch, slowed
    return best[ground.available.ravel()[best]], burned


def delay(before: Floats, after: Floats, value: Floats) -> float:
    """Share of its speed that fire loses on the way to a cell, times the cell's value, summed: 1 in
    cells that it no longer reaches. Arrival times [H, W] in minutes.
    """
    reached = np.isfinite(before) & (before > 0.0)
    return float((value[reached] * (1.0 - before[reached] / after[reached])).sum())


def _affordable(cost: NDArray[np.float32], left: float) -> NDArray[np.bool_]:
    return cost <= spendable(left)


def _choose(lines: Lines, zone: NDArray[np.int64], wanted: int) -> list[int]:
    """The longest lines of the zone, of the whole map if it has none; the best of them per cost,
    apart from one another.
    """
    here = zone.ravel()[lines.start] == wanted
    useful = lines.gain > 0.0
    for among in (here & useful, useful, np.ones_like(useful)):
        if among.any():
            break
    own = np.flatnonzero(among)
    longest = own[lines.length[own] == lines.length[own].max()]
    order = longest[np.argsort(-lines.gain[longest] / lines.price[longest], kind="stable")]
    places = np.stack(np.divmod(lines.start[order], zone.shape[1]))
    chosen: list[int] = []
    while order.size and len(chosen) < TRIES:
        chosen.append(int(order[0]))
        away = np.abs(places - places[:, :1]).max(axis=0) >= SPACING
        order, places = order[away], places[:, away]
    return chosen


def _zones(shape: tuple[int, int], towards: tuple[float, float], count: int) -> NDArray[np.int64]:
    """Zones [H, W] of equal depth across the wind, 0 the first that it meets."""
    ahead = along(shape, towards)
    share = (ahead - ahead.min()) / max(float(np.ptp(ahead)), 1e-9)
    return np.minimum((share * count).astype(np.int64), count - 1)


def enter(field: TravelField, breaks: NDArray[np.bool_], towards: tuple[float, float]) -> Front:
    """The fire from the whole upwind edge: each cell burns when the first of its fires arrives."""
    edge = upwind_edge(unpad(field.burnable, field.shape), towards)
    sources = edge[np.linspace(0, edge.size - 1, min(edge.size, MAX_SOURCES)).astype(np.int64)]
    first = np.full(field.shape, np.inf)
    code = np.full(field.shape, UNBURNED, np.uint8)
    unit_value, burned = np.ones(field.shape, np.float32), 0.0
    for block in np.split(sources, range(_AT_ONCE, sources.size, _AT_ONCE)):
        fires = Fires(block, np.zeros(block.size, np.int64), np.full(block.size, np.inf),
                      np.zeros(block.size, np.uint64))
        found = burn_maps(field, fires, unit_value, breaks)
        burned += float(found.loss.sum())
        earliest = found.arrival_time_min.argmin(axis=0)[None]
        arrival = np.take_along_axis(found.arrival_time_min, earliest, 0)[0]
        code = np.where(arrival < first, np.take_along_axis(found.parent_code, earliest, 0)[0],
                        code)
        first = np.minimum(arrival, first)
    return Front(first, pad(code, UNBURNED), burned)


def upwind_edge(burnable: NDArray[np.bool_], towards: tuple[float, float]) -> NDArray[np.int64]:
    """Flat burnable cells of the edges that the wind blows in over; if none burns, the burnable
    cells furthest upwind.
    """
    edge = np.zeros(burnable.shape, np.bool_)
    rows, cols = towards
    edge[0] |= rows > _INTO
    edge[-1] |= rows < -_INTO
    edge[:, 0] |= cols > _INTO
    edge[:, -1] |= cols < -_INTO
    if (edge & burnable).any():
        return np.flatnonzero(edge & burnable)
    ahead = np.where(burnable, along(burnable.shape, towards), np.inf)
    return np.flatnonzero(ahead <= ahead.min() + 0.5)


_INTO = 1e-6


def _steady(field: TravelField, row: int) -> TravelField:
    """The field of one row of weather, without flame lengths, embers or breaches."""
    rows = slice(row, row + 1)
    rules = field.breaks._replace(breach=_NO_ROWS, treated=None)
    return TravelField(field.shape, field.metric[rows], field.unit_time[rows], field.rate[rows],
                       field.facets[rows], field.accepts[rows], field.sends[rows],
                       field.burnable, breaks=rules)


_NO_ROWS = np.empty((0, 0), np.float32)
