"""One decision problem: a scene, a budget, its plan fires and its reward fires."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import InputError, check_fraction, fail
from firebreak.env.storage.observation import static_layers
from firebreak.fire import Fires, Scene
from firebreak.landscape.landscape import Landscape


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Problem:
    """An episode's problem.

    Attributes:
        scene: landscape, weather and travel times.
        plan_fires: what the observation is made from.
        reward_fires: other fires, which the reward is counted on.
        budget: total cost of the cells that may be treated, besides those given.
        budget_share: the budget as a share of the cost of all treatable cells.
        layers: uint8 [static channels, H, W], see `observation.static_layers`.
        given: int64 [n], flat cells that are broken from the start, paid for and not treatable.
    """

    scene: Scene
    plan_fires: Fires
    reward_fires: Fires
    budget: float
    budget_share: float
    layers: NDArray[np.uint8]
    given: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))

    def given_mask(self) -> NDArray[np.bool_]:
        """bool [H, W], True on the cells that are given."""
        mask = np.zeros(self.scene.landscape.shape, np.bool_)
        mask.ravel()[self.given] = True
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
                   budget=budget_cost(scene, budget_share), budget_share=budget_share,
                   layers=static_layers(scene))


def budget_cost(scene: Scene, budget_share: float) -> float:
    """The budget in cost units: a share of the cost of treating all treatable cells."""
    return budget_on(scene.landscape, budget_share)


def budget_on(land: Landscape, budget_share: float) -> float:
    """`budget_cost` of a landscape.

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
