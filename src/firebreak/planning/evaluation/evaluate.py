"""Methods compared on fires that no method was shown: rows, 95 % intervals, paired differences.

Each row says what is saved on the whole map and what is saved on the cells that the plan leaves
untreated, so that deleted cells are not sold as protection. Intervals are over landscapes where
there are several, else over the weathers of the one's fires, see `intervals`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from firebreak.fire import Scene
from firebreak.planning.core.fire_counts import check_test_fires
from firebreak.planning.core.limits import SEARCH, SearchOptions
from firebreak.planning.core.plan import Plan
from firebreak.planning.core.progress import Bar, no_bar
from firebreak.planning.core.rules import FREE, PlanRules
from firebreak.planning.evaluation.compared_plans import RANDOM_DRAWS, planned, plans_to_make
from firebreak.planning.evaluation.drawn import (
    Drawn,
    FeatureWorth,
    Rate,
    rates_of,
    worth_of,
)
from firebreak.planning.evaluation.intervals import (
    IntervalOver,
    bounds_over_maps,
    fire_groups,
    ratio_bounds,
)
from firebreak.planning.evaluation.judging import (
    Burn,
    Row,
    SceneResult,
    judge_scene,
    statistics,
)
from firebreak.planning.methods import AUTO, POLICY_METHOD, method_of

if TYPE_CHECKING:
    from firebreak.agent.policy_file import Policy


class MethodSummary(NamedTuple):
    """Mean reduction of a method with its 95 % interval, and its mean planning time."""

    reduction: float
    low: float
    high: float
    seconds: float


class Difference(NamedTuple):
    """Mean difference of two methods' reductions with its 95 % interval."""

    difference: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """Methods compared on test fires.

    Attributes:
        interval: what the 95 % intervals are over: landscapes, or of a single one the weathers
            that its fires share; fires where these are fewer than 4 and are taken as given.
        landscapes: names, in order.
        rows: one per landscape and method.
        methods: by name of the method, in order.
        paired: "a - b" -> how much more a saves than b.
        test_fires: fires per landscape that no method was shown.
        plans: one per landscape, by method the plan, of a stochastic one the first.
        weathers: that intervals are over, 0 where they are over something else.
        rates: of plans that were made elsewhere, and those beside them on the one landscape, what
            each saves for its length and its cost.
        features: by plan that was drawn the worth of each of its lines and polygons.
    """

    interval: IntervalOver
    landscapes: tuple[str, ...]
    rows: tuple[Row, ...]
    methods: dict[str, MethodSummary]
    paired: dict[str, Difference]
    test_fires: int
    plans: tuple[dict[str, Plan], ...] = ()
    weathers: int = 0
    rates: dict[str, Rate] = field(default_factory=dict)
    features: dict[str, list[FeatureWorth]] = field(default_factory=dict)


def evaluate(scenes: Sequence[Scene], methods: Sequence[str], *,
             budget_share: float | Sequence[float], plan_fires: int, test_fires: int,
             seed: int, policy: "Policy | None" = None, random_draws: int = RANDOM_DRAWS,
             plans: Sequence[Plan] = (),
             search: SearchOptions = SEARCH, rules: PlanRules = FREE,
             existing: Mapping[str, Plan] | None = None,
             pairs: Sequence[tuple[str, str]] = (), bar: Bar = no_bar,
             burn: Burn = statistics, features: Sequence[Sequence[Drawn]] = (),
             own: Sequence[Scene | None] = ()) -> Evaluation:
    """Plans with every method on every scene and burns the test fires under the plans.

    Args:
        scenes: tiled ones where no method treats anything.
        budget_share: of all scenes, or of each; plan_fires, policy, search, rules: see `make_plan`.
        test_fires: number of fires of the keyed set "test", never used for planning.
        seed: of random plans and of the bootstrap over landscapes.
        random_draws: a stochastic method is the mean over this many plans.
        existing: plans of one scene at their own cost, by name; the others are held against the
            first; pairs: further methods to compare: how much more the first saves.
        plans: made elsewhere; each name among them must cover every scene; features: of each of
            them, of one scene, its lines and polygons; none of one that was not drawn; own: the
            scene with its own treatments, `fire.treated_as`, or None.
        bar: of the plans as they are made, and then of the fires as they burn under them.
        burn: burns them, with the bits of `judging.statistics`.

    Raises:
        InputError: as `make_plan`; nothing to evaluate; plans that fit no scene or not all; test
            fires that burn nothing of value.
    """
    for scene in scenes[:1]:
        check_test_fires(scene.landscape.name, test_fires,
                         random_draws + (len(methods) + 1) * len(scenes))
    with bar(plans_to_make(scenes, methods, random_draws), "plan") as report:
        request = list(planned(
            scenes, methods, budget_share=budget_share, plan_fires=plan_fires, seed=seed,
            policy=policy, random_draws=random_draws, plans=plans, search=search, rules=rules,
            lands=[None if one is None else one.landscape for one in own],
            existing=existing or {}, report=report))
    burns = (plan_fires + test_fires) * sum(1 + sum(map(len, made.plans.values()))
                                            for made in request)
    kept = tuple({name: drawn[0] for name, drawn in made.plans.items()} for made in request)
    names = {id(plan): name for name, plan in kept[0].items()}
    scene_of = {names[id(plan)]: one for plan, one in zip(plans, own, strict=False) if one}
    with bar(burns, "fire") as report:
        results = [judge_scene(scene, made.plans, plan_fires, test_fires, made.given, report, burn,
                               scene_of) for scene, made in zip(scenes, request, strict=True)]
    done = _concluded(results, seed, test_fires, kept, next(iter(existing or ()), None), pairs)
    if not plans or len(scenes) > 1:
        return done
    drawn = {names[id(plan)]: (plan, lines)
             for plan, lines in zip(plans, features, strict=False) if lines}
    with bar(test_fires * sum(1 + 2 * len(own) for _, own in drawn.values()), "fire") as report:
        return replace(done, rates=rates_of(scenes[0], results[0], kept[0]), features={
            name: worth_of(scene_of.get(name, scenes[0]), results[0], plan, lines, burn, report)
            for name, (plan, lines) in drawn.items()})


def _concluded(results: Sequence[SceneResult], seed: int, test_fires: int,
               plans: tuple[dict[str, Plan], ...], subject: str | None,
               pairs: Sequence[tuple[str, str]]) -> Evaluation:
    """The evaluation of scenes. subject: the method that the others are held against; if not given
    AUTO, or POLICY_METHOD where it is not there. pairs: further ones.
    """
    rows, one = [found.rows for found in results], results[0]
    names, several = list(one.rows), len(results) > 1
    groups = fire_groups(one.weather, one.untreated, one.times)
    before = groups.sums(one.untreated)
    saved = {name: groups.sums(own) for name, own in one.saved.items()}

    def bounds(name: str, minus: str | None = None) -> tuple[float, float]:
        if several:
            return bounds_over_maps(np.array([
                row[name].reduction - (row[minus].reduction if minus else 0.0) for row in rows]),
                seed)
        low, high = ratio_bounds(saved[name] - (saved[minus] if minus else 0.0), before, before)
        return float(low), float(high) if minus else min(float(high), 1.0)

    def mean(name: str, field: str) -> float:
        return float(np.mean([getattr(own[name], field) for own in rows]))

    return Evaluation(
        interval="landscapes" if several else groups.over,
        weathers=0 if several else groups.weathers,
        landscapes=tuple(next(iter(own.values())).landscape for own in rows),
        rows=tuple(row for own in rows for row in own.values()),
        methods={name: MethodSummary(mean(name, "reduction"), *bounds(name), mean(name, "seconds"))
                 for name in names},
        paired={f"{a} - {b}": Difference(mean(a, "reduction") - mean(b, "reduction"),
                                         *bounds(a, b))
                for a, b in [*_pairs(names, subject or (AUTO if AUTO in names else POLICY_METHOD)),
                             *pairs]},
        test_fires=test_fires, plans=plans)


def _pairs(names: Sequence[str], subject: str) -> list[tuple[str, str]]:
    """The subject against every other method, or without it every later one and the first."""
    treating = [name for name in names if method_of(name).treats]
    if subject in treating:
        return [(subject, other) for other in treating if other != subject]
    return [(later, treating[0]) for later in treating[1:]]
