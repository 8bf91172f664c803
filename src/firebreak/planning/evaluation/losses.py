"""Losses of fires under plans, burned here or by workers, and measures of these losses; and by how
many crews there are, since it is they who hold breaks that burn.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import ceil
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.env.storage.problem import nothing_burned
from firebreak.executors.base import Executor, map_chunks
from firebreak.executors.calls import Recipe
from firebreak.fire import (
    BurnResult,
    Fires,
    PartsTotal,
    PartSums,
    Scene,
    burn,
    burn_part,
    burn_plans,
    held_by,
    parts_of,
)
from firebreak.landscape.value_unit import value_unit
from firebreak.planning.core.plan import Plan, cost_of
from firebreak.planning.core.progress import Reporter, no_report

Floats = NDArray[np.float64]
CURVE_POINTS = 5


def untreated_losses(scene: Scene, fires: Fires) -> Floats:
    """The loss of each fire without breaks, f64 [F].

    Raises:
        InputError: nothing of value burns.
    """
    loss = burn(scene, fires).loss
    if not loss.mean() > 0.0:
        raise nothing_burned(scene)
    return loss


def mean_saving(scene: Scene, fires: Fires, plans: Sequence[NDArray[np.bool_]]) -> list[float]:
    """The share of the loss of fires that each of some breaks saves."""
    before, *after = burn_plans(scene, fires, [None, *plans]).mean(axis=1).tolist()
    return [relative_drop(before, one) for one in after]


def saved_by_order(scene: Scene, plan: Plan, untreated: Floats, whole: float,
                   points: int = CURVE_POINTS, report: Reporter = no_report,
                   ) -> tuple[Floats, Floats]:
    """Costs and shares of the untreated loss saved by the beginnings of a plan in its own order of
    placement, f64 [points + 1] each, fewer for a plan of fewer cells.

    Args:
        untreated: f64 [F], what the test fires lose without breaks, as `PlanEffect.loss` tells.
        whole: what the whole plan saves of it, as `evaluate` tells.
        report: takes test fires as they are done, under all beginnings.
    """
    # So many cells come at once that hardly a fire stays as it was: all are burned anew.
    fires = scene.fires("test", untreated.size)
    parts = [part for part in np.array_split(plan.cells, points) if part.size]
    mask = np.zeros(plan.shape, np.bool_)
    saved = [0.0]
    for part in parts[:-1]:
        mask.ravel()[part] = True
        saved.append(1.0 - float(burn(scene, fires, mask).loss.mean() / untreated.mean()))
    report(untreated.size)
    costs = np.cumsum([0.0, *(cost_of(part, scene.landscape) for part in parts)])
    return costs, np.array([*saved, whole][:costs.size])


def relative_drop(before: float, after: float) -> float:
    """(before - after) / before; 0 where there was nothing to lose."""
    return (before - after) / before if before > 0.0 else 0.0


def worst_tenth_mean(losses: Floats, times: Floats | float = 1.0) -> float:
    """Mean of the largest 10 % of losses [F], one fire at least: the conditional value at risk.

    Args:
        losses: of fires, as often as each counts.
        times: how often that is, f64 [F]; each once if not given.

    Source: Rockafellar & Uryasev (2000), Optimization of conditional value-at-risk.
    """
    times = np.broadcast_to(times, losses.shape)
    single, tenth = losses / times, _tenth(times)
    order = np.argsort(-single, kind="stable")
    within = np.diff(np.minimum(np.cumsum(times[order]), tenth), prepend=0.0)
    count = int(np.count_nonzero(within))
    return float((single[order] * within)[:count][::-1].copy().sum() / tenth)


def worst_tenth_parts(losses: Floats, times: Floats | float = 1.0) -> tuple[Floats, Floats]:
    """The part of each fire in the mean of the worst tenth, f64 [F], whose mean it is, and its loss
    where it is one of that tenth, else 0, as often as it counts; arguments of `worst_tenth_mean`.

    Near the sample, a mean over fires: the quantile's own change does not count.
    """
    times = np.broadcast_to(times, losses.shape)
    single, tenth = losses / times, _tenth(times)
    order = np.argsort(-single, kind="stable")
    quantile = single[order[np.searchsorted(np.cumsum(times[order]), tenth)]]
    above = np.maximum(single - quantile, 0.0) * times
    return (quantile * (times * (losses.size / times.sum())) + above * (losses.size / tenth),
            np.where(single >= quantile, losses, 0.0))


def _tenth(times: Floats) -> float:
    whole = float(times.sum())
    return min(max(1.0, ceil(0.1 * whole)), whole)


class FireBurner:
    """Scenes, held by a worker. A call has the fires and the breaks with it."""

    def __init__(self, scenes: Sequence[Scene]) -> None:
        self.scenes = scenes

    def burn(self, place: int, fires: Fires, cells: NDArray[np.int64],
             units: tuple[float, float]) -> PartSums:
        """The sums of fires of one weather, in these units, under flat cells of breaks."""
        return burn_part(self.scenes[place], fires, cells, units)


def burner_recipe(scenes: Sequence[Scene]) -> Recipe:
    """The recipe by which a worker makes its `FireBurner`."""
    return Recipe(FireBurner, (scenes,))


def burned_by_workers(executor: Executor, scene: Scene, fires: Fires,
                      breaks: NDArray[np.bool_] | None = None,
                      report: Callable[[int], object] = lambda count: None,
                      place: int = 0) -> BurnResult:
    """The statistics of `fire.burn`, bit for bit, by workers that are made by `burner_recipe`.

    report: is given the number of fires that have burned since it was last called.
    place: of the scene among those of the recipe.
    """
    cells = np.empty(0, np.int64) if breaks is None else np.flatnonzero(breaks)
    parts, sums = parts_of(fires, scene.landscape.shape), PartsTotal(scene, fires, breaks)
    calls = ((place, fires.part(which), cells, sums.units) for which in parts)
    for number, part in map_chunks(executor, FireBurner.burn.__name__, calls, "async"):
        sums.add(parts[number], part)
        report(parts[number].size)
    return sums.result()


CREWS_KM = (1.0, 2.0, 5.0)
"""Lengths of break that crews hold in one fire, which are compared."""


class CrewLosses(NamedTuple):
    """Mean losses of the same fires without and with a plan, by crews.

    Attributes:
        labels: of the cases, from no breaks to crews without limit.
        km: f64 [n], length of break that crews hold in one fire; nan without breaks.
        burned_ha, lost: f64 [n], of a fire; lost in `unit`.
        unit: what losses are counted in.
        own: number of the case that the plan was judged in.
    """

    labels: tuple[str, ...]
    km: NDArray[np.float64]
    burned_ha: NDArray[np.float64]
    lost: NDArray[np.float64]
    unit: str
    own: int

    @property
    def saved(self) -> NDArray[np.float64]:
        """Share of the loss without breaks that is saved, f64 [n]."""
        return 1.0 - self.lost / max(float(self.lost[0]), np.finfo(float).tiny)


def crew_losses(scene: Scene, breaks: NDArray[np.bool_], fires: Fires) -> CrewLosses | None:
    """Losses without a plan, and with it and no, some or all crews; None without crews."""
    hold = scene.conditions.hold
    if hold is None:
        return None
    own = np.inf if hold.crew_km is None else hold.crew_km
    lengths = sorted({0.0, *CREWS_KM, own, np.inf})
    cases = [burn(scene, fires, want="statistics")]
    for km in lengths:
        rule = None if km == 0.0 else replace(hold, crew_km=None if km == np.inf else km)
        cases.append(burn(held_by(scene, rule), fires, breaks, want="statistics"))
    unit = value_unit(scene.landscape)
    cell_ha = scene.landscape.cell_size_m**2 / 1e4
    return CrewLosses(
        labels=("no breaks", "breaks, no crews",
                *(f"crews hold {km:g} km" for km in lengths[1:-1]), "crews without limit"),
        km=np.array([np.nan, *lengths]),
        burned_ha=np.array([case.burn_probability.sum() * cell_ha for case in cases]),
        lost=np.array([case.loss.mean() * unit.per_value for case in cases]),
        unit=unit.name, own=1 + lengths.index(own))
