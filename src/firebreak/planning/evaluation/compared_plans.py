"""Plans that a comparison judges: made by methods, and given."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from firebreak.checks import fail
from firebreak.env.storage.problem import budget_cost
from firebreak.fire import Scene
from firebreak.landscape.landscape import Landscape
from firebreak.planning.core.limits import SEARCH, SearchOptions
from firebreak.planning.core.plan import Plan, check_plan, plan_on
from firebreak.planning.core.progress import Reporter, in_shares, no_report
from firebreak.planning.core.rules import FREE, PlanRules
from firebreak.planning.evaluation.auto import plan_by_choice
from firebreak.planning.making import make_plan
from firebreak.planning.methods import CHOOSERS, check_methods, method_of
from firebreak.seeding import integer_seed

if TYPE_CHECKING:
    from firebreak.agent.policy_file import Policy

RANDOM_DRAWS = 30
"""Plans that a stochastic method is the mean over."""


class Planned(NamedTuple):
    """Plans of a scene by name, several of a random method. given: names of those that were made
    elsewhere, from other plan fires or none.
    """

    plans: dict[str, list[Plan]]
    given: frozenset[str]


def planned(scenes: Sequence[Scene], methods: Sequence[str], *,
            budget_share: float | Sequence[float], plan_fires: int, seed: int,
            policy: "Policy | None" = None, random_draws: int = RANDOM_DRAWS,
            plans: Sequence[Plan] = (), lands: Sequence[Landscape | None] = (),
            search: SearchOptions = SEARCH, rules: PlanRules = FREE,
            existing: Mapping[str, Plan] = MappingProxyType({}),
            report: Reporter = no_report) -> Iterator[Planned]:
    """The plans to judge on each scene, made one scene after the other; see `evaluate`.

    Args:
        report: takes plans as they are made, in parts of them too.
    """
    shares = [budget_share] * len(scenes) if isinstance(budget_share, float) else budget_share
    given = checked_plans([scene.landscape for scene in scenes], methods, plans, shares,
                          random_draws, lands)

    def make(scene: Scene, share: float, method: str, own_seed: int) -> Plan:
        if scene.tiled:
            return _nothing(scene, method, share, plan_fires, own_seed)
        if method in CHOOSERS:
            return plan_by_choice(scene, share, plan_fires, seed=own_seed, policy=policy,
                                  rules=rules, report=in_shares(report)).plan
        return make_plan(scene, share, plan_fires, method, seed=own_seed, policy=policy,
                         search=search, rules=rules, report=in_shares(report))

    for scene, share, own in zip(scenes, shares, given, strict=True):
        given_here = own | dict(existing)
        yield Planned({method: [make(scene, share, method, own_seed)
                                for own_seed in _seeds_of(method, seed, random_draws)]
                       for method in methods} | {name: [plan] for name, plan in given_here.items()},
                      frozenset(own) | {name for name, plan in existing.items()
                                        if not plan.plan_fires})


def _nothing(scene: Scene, method: str, budget_share: float, plan_fires: int, seed: int) -> Plan:
    """The plan of a method that treats nothing."""
    assert method not in CHOOSERS, "plans are not made on tiled scenes"
    assert not method_of(method).treats, "plans are not made on tiled scenes"
    return plan_on(scene.landscape, np.empty(0, np.int64), method=method,
                   budget=budget_cost(scene.landscape, budget_share), budget_share=budget_share,
                   plan_fires=plan_fires, seed=seed)


def plans_to_make(scenes: Sequence[Scene], methods: Sequence[str], random_draws: int) -> int:
    """Number of plans that `planned` makes."""
    return len(scenes) * sum(len(_seeds_of(method, 0, random_draws)) for method in methods)


def _seeds_of(method: str, seed: int, random_draws: int) -> list[int]:
    if not method_of(method).stochastic:
        return [seed]
    return [integer_seed(seed, "random-draw", draw) for draw in range(random_draws)]


def checked_plans(lands: Sequence[Landscape], methods: Sequence[str], plans: Sequence[Plan],
                  shares: Sequence[float], random_draws: int,
                  own: Sequence[Landscape | None] = ()) -> list[dict[str, Plan]]:
    """The given plans of each landscape by name; a name already taken gets -2, -3 and so on.

    Args:
        shares: of each landscape's cost that may be spent.
        own: of each plan its landscape as it treats it; None for that of the comparison.

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
    for land, share in zip(lands, shares, strict=True) if methods else ():
        budget_cost(land, share)  # refuses one that buys nothing
    found: list[dict[str, Plan]] = [{} for _ in lands]
    for plan, treated in zip_longest(plans, own):
        if plan.landscape_checksum not in keys:
            raise fail(expected="plans for the landscapes that are evaluated",
                       given=f"one for {plan.landscape}", where=f"plan '{plan.method}'",
                       remedy="name its landscape too, or leave the plan out")
        place = keys.index(plan.landscape_checksum)
        check_plan(plan, treated or lands[place])
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
