"""The weather that plans for one wind are made for, and directions on the map under it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.env.storage.problem import Problem
from firebreak.fire import Scene, burn


class ProblemWeather(NamedTuple):
    """row: of the travel field. towards: (rows, columns) that fire runs to in it, of length 1.
    cells_burned: cell by cell, by all plan fires on the untreated map.
    """

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
    return ProblemWeather(row, _heading(scene, row),
                          float(burned.burn_probability.sum()) * fires.source.size)


def _heading(scene: Scene, row: int) -> tuple[float, float]:
    """Where the heads of fires run to, mean over the map weighted by the rate of spread."""
    rate = scene.behavior.rate_of_spread_m_min[row]
    heading = np.radians(scene.behavior.heading_deg[row])
    north, east = float((rate * np.cos(heading)).sum()), float((rate * np.sin(heading)).sum())
    length = float(np.hypot(north, east))
    return (-north / length, east / length) if length > 0.0 else (0.0, 1.0)


def along(shape: tuple[int, int], towards: tuple[float, float]) -> NDArray[np.float64]:
    """How far each cell [H, W] lies in a direction, in cells from the north-west corner."""
    rows, cols = np.indices(shape)
    return rows * towards[0] + cols * towards[1]
