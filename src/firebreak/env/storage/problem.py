"""One decision problem: a scene, a budget, its plan fires and its reward fires; and the sizes of
storage for it.
"""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import InputError, check_fraction, fail
from firebreak.env.storage.observation import static_layers
from firebreak.fire import Fires, Scene
from firebreak.landscape.landscape import Landscape


class Again:
    """The slots of a problem that is done with, for the next problem with the same fires: a
    `ProblemBatch`, which is made of problems, or None.
    """

    slots: Any = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Problem:
    """An episode's problem.

    Attributes:
        scene: landscape, weather and travel times.
        plan_fires: what the observation is made from.
        reward_fires: other fires, which the reward is counted on.
        budget: total cost of the cells that may be treated, besides those standing.
        budget_share: the budget as a share of the cost of all treatable cells.
        layers: uint8 [static channels, H, W], see `observation.static_layers`.
        standing: int64 [n], flat cells that are broken from the start, paid for and not treatable.
        again: where its slots are taken from and left; None where they are made anew.
    """

    scene: Scene
    plan_fires: Fires
    reward_fires: Fires
    budget: float
    budget_share: float
    layers: NDArray[np.uint8]
    standing: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    again: Again | None = None

    def standing_mask(self) -> NDArray[np.bool_]:
        """bool [H, W], True on the cells that stand from the start."""
        mask = np.zeros(self.scene.landscape.shape, np.bool_)
        mask.ravel()[self.standing] = True
        return mask


def make_problem(scene: Scene, budget_share: float, plan_fires: int, reward_fires: int,
                 fire_set: str = "") -> Problem:
    """A problem with fires of the sets `plan` and `reward` (with `fire_set` as a prefix)."""
    return problem_of(scene, budget_share, scene.fires(f"{fire_set}plan", plan_fires),
                      scene.fires(f"{fire_set}reward", reward_fires))


def problem_of(scene: Scene, budget_share: float, plan: Fires, reward: Fires) -> Problem:
    """A problem of given fires.

    Raises:
        InputError: the budget is not a share, or buys no treatable cell.
    """
    return Problem(scene=scene, plan_fires=plan, reward_fires=reward,
                   budget=budget_cost(scene.landscape, budget_share), budget_share=budget_share,
                   layers=static_layers(scene))


def budget_cost(land: Landscape, budget_share: float) -> float:
    """The budget in cost units: a share of the cost of treating all treatable cells.

    Raises:
        InputError: the budget is not a share, or buys no treatable cell.
    """
    check_fraction(budget_share, what="a budget", where="budget",
                   remedy="0.05 treats 5 % of the treatable cells")
    costs = land.cost[land.treatable].astype(np.float64)
    if costs.size == 0:
        raise fail(expected="treatable cells", given="none", where=f"landscape {land.name}",
                   remedy="give a treatable mask or an area that holds burnable cells")
    budget = float(budget_share * costs.sum())
    if budget < costs.min():
        raise fail(expected=f"a budget that buys the cheapest cell ({costs.min():g})",
                   given=f"{budget_share:g} of {costs.sum():g} = {budget:g}",
                   where=f"landscape {land.name}", remedy="raise the budget or widen the area")
    return budget


def nothing_burned(scene: Scene) -> InputError:
    """The error to raise where the untreated fires of a scene lose nothing that breaks could save.
    """
    return fail(expected="fires that burn something of value", given="a mean loss of 0",
                where=f"landscape {scene.landscape.name}, seed {scene.seed}",
                remedy="check its value map and the fires' durations")


class Sizes(NamedTuple):
    """Sizes that storage is made for: slots, map shape, rows of weather, most plan and reward fires
    a slot, classes of flame length (1 where losses do not depend on it), whether breaks are
    breached and fires throw embers, whether fires have intensities and crews hold breaks.
    """

    slots: int
    shape: tuple[int, int]
    scenarios: int
    plan_fires: int
    reward_fires: int
    classes: int = 1
    breach: bool = False
    spotting: bool = False
    heat: bool = False
    held: bool = False


def sizes_for(scene: Scene, slots: int, plan_fires: int, reward_fires: int) -> Sizes:
    """Storage for problems on a scene."""
    return Sizes(slots, scene.field.shape, scene.field.metric.shape[0], plan_fires, reward_fires,
                 scene.value_by_class.shape[0], scene.field.breaks.breach.size > 0,
                 scene.field.spots.cells.size > 0, scene.field.heat.size > 0,
                 scene.field.breaks.held)


def check_fits(sizes: Sizes, problem: Problem) -> None:
    """Refuses a problem that storage of these sizes cannot hold.

    Raises:
        InputError: another shape or kind of losses and breaks, or too many fires or weathers.
    """
    given = sizes_for(problem.scene, sizes.slots, problem.plan_fires.source.size,
                      problem.reward_fires.source.size)
    too_big = any(have > room for have, room in zip(given[2:5], sizes[2:5], strict=True))
    # A problem may lack what there is room for: breaches, intensities, crews.
    too_rich = any(have > room for have, room in (
        (given.breach, sizes.breach), (given.heat, sizes.heat), (given.held, sizes.held)))
    same = (given.shape, given.classes, given.spotting) == (
        sizes.shape, sizes.classes, sizes.spotting)
    if not same or too_big or too_rich:
        other = [(name, room, have) for name, room, have in zip(
            Sizes._fields, sizes, given, strict=True) if room != have]
        raise fail(expected="a problem of at most " + ", ".join(
                       f"{name} {room}" for name, room, _ in other),
                   given=", ".join(f"{name} {have}" for name, _, have in other),
                   where=f"landscape {problem.scene.landscape.name}",
                   remedy="make the environment for these sizes")


class PlanTrees(NamedTuple):
    """K plan fires as they burned under the breaks so far, by padded cell.

    code: u8 [K, P], how each cell was reached, see `fire.travel.stencil`. source: i64 [K].
    loss: f64 [K], as often as each counts; times: f64 [K], how often that is.
    """

    code: NDArray[np.uint8]
    source: NDArray[np.int64]
    loss: NDArray[np.float64]
    times: NDArray[np.float64]
