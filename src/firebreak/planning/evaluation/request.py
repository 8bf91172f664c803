"""What a comparison is asked for, checked before there is a scene."""

from collections.abc import Sequence

import numpy as np

from firebreak.checks import fail
from firebreak.env.storage.problem import budget_on
from firebreak.landscape.landscape import Landscape
from firebreak.planning.core.plan import Plan, check_plan, cost_of
from firebreak.planning.methods import check_methods

RANDOM_DRAWS = 30
"""Plans that a stochastic method is the mean over."""


def checked_plans(lands: Sequence[Landscape], methods: Sequence[str], plans: Sequence[Plan],
                  budget_share: float, random_draws: int) -> list[dict[str, Plan]]:
    """The given plans of each landscape by name; a name already taken gets -2, -3 and so on.

    Raises:
        InputError: nothing to evaluate; a budget that buys nothing; plans that fit no landscape,
            or not all.
    """
    if methods or not plans:
        check_methods(methods, "--methods", choosers=True)
    if not lands:
        raise fail(expected="at least 1 landscape", given="none", where="evaluate",
                   remedy="name at least one")
    keys = [land.checksum() for land in lands]
    if len(set(keys)) < len(lands):
        raise fail(expected="each landscape once", given="one twice", where="evaluate",
                   remedy="remove the repeated landscape")
    if random_draws < 1:
        raise fail(expected="at least 1 random plan", given=f"{random_draws}", where="evaluate",
                   remedy=f"{RANDOM_DRAWS} is usual")
    budgets = [budget_on(land, budget_share) for land in lands]
    found: list[dict[str, Plan]] = [{} for _ in lands]
    for plan in plans:
        if plan.landscape_checksum not in keys:
            raise fail(expected="plans for the landscapes that are evaluated",
                       given=f"one for {plan.landscape}", where=f"plan '{plan.method}'",
                       remedy="name its landscape too, or leave the plan out")
        place = keys.index(plan.landscape_checksum)
        check_plan(plan, lands[place])
        _check_comparable(plan, lands[place], budgets[place])
        taken = {*methods, *found[place]}
        number = 1
        while (name := plan.label if number == 1 else f"{plan.label}-{number}") in taken:
            number += 1
        found[place][name] = plan
    if any(own.keys() != found[0].keys() for own in found):
        raise fail(expected=f"given plans for all of the {len(lands)} landscapes",
                   given=f"{len(plans)} plans that do not cover them", where="evaluate",
                   remedy="evaluate the landscapes that have plans separately")
    return found


def _check_comparable(plan: Plan, land: Landscape, budget: float) -> None:
    """A plan is only held against methods that may spend what it was allowed to spend, whatever it
    left of that, or what it spends; to within one cell.
    """
    cell = float(land.cost[land.treatable].max()) * (1.0 + 1e-6)
    if min(abs(plan.budget - budget), abs(plan.cost - budget)) > cell:
        whole = cost_of(np.flatnonzero(land.treatable), land)
        raise fail(expected=f"plans of the evaluated budget of {budget:g} {plan.priced_in}",
                   given=f"one of {plan.budget:g} that costs {plan.cost:g}",
                   where=f"plan '{plan.method}'",
                   remedy=f"evaluate it with a budget of {plan.budget / whole:.6g}")
