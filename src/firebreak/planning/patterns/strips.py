"""Equal strips across the wind of the worst weather, in rows shifted against each other."""

from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.env.storage.problem import Problem
from firebreak.fire import KnownFires, burn
from firebreak.landscape.landscape import Landscape
from firebreak.planning.core.plan import cost_of
from firebreak.planning.core.rounds import Placement, Task, afford


class ProblemWeather(NamedTuple):
    """row: of the travel field; towards: of fire, length 1; cells_burned: by all plan fires."""

    row: int
    towards: tuple[float, float]
    cells_burned: float


def problem_weather(problem: Problem) -> ProblemWeather:
    """The weather in which the plan fires lose most: one burn of all plan fires.

    Where weather changes while fires burn, the step of it in which fire runs fastest.

    Raises:
        InputError: the plan fires are no fires of the scene.
    """
    scene, fires = problem.scene, problem.plan_fires
    burned = burn(scene, fires, want="statistics")
    worst = int(np.bincount(fires.scenario, burned.loss).argmax())
    steps = scene.field.steps
    rows = slice(worst * steps, (worst + 1) * steps)
    fastest = scene.behavior.rate_of_spread_m_min[rows].mean(axis=(1, 2)).argmax()
    row = worst * steps + int(fastest)
    rate = scene.behavior.rate_of_spread_m_min[row]
    heading = np.radians(scene.behavior.heading_deg[row])
    # The mean direction that the heads of fires run to, weighted by the rate of spread.
    north, east = float((rate * np.cos(heading)).sum()), float((rate * np.sin(heading)).sum())
    length = float(np.hypot(north, east))
    return ProblemWeather(
        row, (-north / length, east / length) if length > 0.0 else (0.0, 1.0),
        float(burned.burn_probability.sum()) * fires.source.size)


def along(shape: tuple[int, int], towards: tuple[float, float]) -> NDArray[np.float64]:
    """Distance of each cell [H, W] in a direction, in cells from the north-west corner."""
    rows, cols = np.indices(shape)
    return rows * towards[0] + cols * towards[1]


STRIP_CELLS, COVERS = (4.0, 8.0, 16.0, 32.0), (0.5, 2.0 / 3.0, 0.8, 1.0)
"""Lengths of strips, and their shares of a row: above a half those of two rows overlap."""
KINDS = tuple((length, cover) for length, cover in product(STRIP_CELLS, COVERS)
              if cover < 1.0 or length == STRIP_CELLS[0])
"""(length, cover) of the patterns that are tried."""

_TIE = 1e-9


class Pattern(NamedTuple):
    """Rows of strips. length: cells of a strip; cover: its share of a row; rows: their number."""

    length: float
    cover: float
    rows: int


def place_strips(task: Task) -> Placement:
    """Strips across the wind of the worst weather, of several kinds that which saves most.

    Source: parallel strips that overlap in part, Finney (2001), Forest Science 47(2), 219-228.
    """
    weather, land = problem_weather(task.problem), task.problem.scene.landscape
    joined, budget = task.problem.scene.field.breaks.leak, task.problem.budget
    plans = [most_strips(land, weather.towards, length, cover, joined, budget)
             for length, cover in KINDS]
    return Placement(best_on_plan_fires(task, plans), 1.0 + len(plans))


def best_on_plan_fires(task: Task, plans: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """The plan under which the plan fires lose least, the first of equals."""
    scene, standing = task.problem.scene, task.problem.standing_mask()
    known = KnownFires(scene, task.problem.plan_fires, scene.landscape.treatable | standing)
    losses = []
    for cells in plans:
        breaks = standing.copy()
        breaks.ravel()[cells] = True
        losses.append(known.loss_under(breaks).mean())
    return plans[int(np.argmin(losses))]


def most_strips(land: Landscape, towards: tuple[float, float], length: float, cover: float,
                joined: bool, budget: float) -> NDArray[np.int64]:
    """Flat cells of the strips of the most rows that the budget buys, looked for one by one."""
    rows = 1
    while rows < max(land.shape) and cost_of_strips(
            land, towards, Pattern(length, cover, rows + 1), joined) <= budget:
        rows += 1
    return strips_for(land, towards, Pattern(length, cover, rows), joined, budget)


def strips_for(land: Landscape, towards: tuple[float, float], pattern: Pattern, joined: bool,
               budget: float) -> NDArray[np.int64]:
    """Flat cells of strips, of which what is left of the budget lengthens some."""
    gap = distance_to_strips(land.shape, towards, pattern, joined)
    allowed = np.flatnonzero(land.treatable)
    return afford(allowed[np.argsort(gap.ravel()[allowed], kind="stable")], land.cost, budget)


def cost_of_strips(land: Landscape, towards: tuple[float, float], pattern: Pattern,
                   joined: bool) -> float:
    """Cost of the treatable cells of strips."""
    strips = distance_to_strips(land.shape, towards, pattern, joined) <= 0.0
    return cost_of(np.flatnonzero(strips & land.treatable), land)


def distance_to_strips(shape: tuple[int, int], towards: tuple[float, float], pattern: Pattern,
                       joined: bool) -> NDArray[np.float64]:
    """0 in the strips; along their rows the distance to the next strip, cells; elsewhere more than
    on any row, the more the further from a row; [H, W].

    joined: strips are as thick as cells that touch by edges need, else by corners.
    """
    ahead, across = along(shape, towards), along(shape, (-towards[1], towards[0]))
    low, high = float(ahead.min()), float(ahead.max())
    spacing = (high - low + 1.0) / pattern.rows
    row = np.clip(np.floor((ahead - low + 0.5) / spacing), 0, pattern.rows - 1)
    off = ahead - (low - 0.5 + (row + 0.5) * spacing)
    thick = abs(towards[0]) + abs(towards[1]) if joined else max(abs(towards[0]), abs(towards[1]))
    period = pattern.length / pattern.cover
    middle = 0.5 * (float(across.min()) + float(across.max()))
    place = (across - middle + 0.5 * pattern.length + 0.5 * period * (row % 2)) % period
    gap = np.where(place < pattern.length, 0.0,
                   np.minimum(place - pattern.length, period - place) + 1e-9)
    # Half open, so that a line is not two cells thick where its middle lies between two; shifted
    # by more than rounding, so that all cells between two are decided alike.
    on_row = (off >= -0.5 * thick - _TIE) & (off < 0.5 * thick - _TIE)
    return np.where(on_row, gap, period + np.abs(off))
