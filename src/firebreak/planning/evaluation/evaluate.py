"""Methods compared on fires that no method was shown: rows, 95 % intervals, paired differences.

Each row says what is saved on the whole map and what is saved on the cells that the plan leaves
untreated, so that deleted cells are not sold as protection. Intervals are over landscapes where
there are several, else over the weathers of the one's fires, see `intervals`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.fire import Scene
from firebreak.planning.core.fire_counts import check_test_fires
from firebreak.planning.core.limits import SEARCH, SearchOptions
from firebreak.planning.core.plan import Plan
from firebreak.planning.core.progress import Bar, no_bar
from firebreak.planning.core.rules import FREE, PlanRules
from firebreak.planning.evaluation.compared_plans import (
    RANDOM_DRAWS,
    Planned,
    planned,
    plans_to_make,
)
from firebreak.planning.evaluation.drawn import (
    FeatureWorth,
    Named,
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


Rows = Sequence[Mapping[str, Row]]
"""Of each scene by method."""


class Bounds(NamedTuple):
    """95 % bounds of what methods save.

    of: (method, minus which or None) -> of its reduction, or of the difference. over: what they
    are over. weathers: how many, 0 where they are over something else.
    """

    of: Callable[[str, str | None], tuple[float, float]]
    over: IntervalOver
    weathers: int = 0


def evaluate(scenes: Sequence[Scene], methods: Sequence[str], *,
             budget_share: float | Sequence[float], plan_fires: int, test_fires: int,
             seed: int, policy: "Policy | None" = None, random_draws: int = RANDOM_DRAWS,
             plans: Sequence[Plan] = (),
             search: SearchOptions = SEARCH, rules: PlanRules = FREE,
             existing: Mapping[str, Plan] | None = None,
             pairs: Sequence[tuple[str, str]] = (), bar: Bar = no_bar,
             burn: Burn = statistics, features: Sequence[Sequence[Named]] = ()) -> Evaluation:
    """Plans with every method on every scene and burns the test fires under the plans.

    Args:
        scenes: tiled ones where no method treats anything.
        budget_share: see `make_plan`; of all scenes, or of each.
        plan_fires, policy, search: see there.
        test_fires: number of fires of the keyed set "test", never used for planning.
        seed: of random plans and of the bootstrap over landscapes.
        random_draws: a stochastic method is the mean over this many plans.
        rules: what plans must keep to, see `make_plan`; of one scene only.
        existing: plans of one scene to be compared at their own cost, by name; the others are held
            against the first.
        pairs: further methods to compare with one another: how much more the first saves.
        plans: made elsewhere; each method or file name among them must cover every scene.
        bar: of the plans as they are made, and then of the fires as they burn under them.
        burn: burns them, with the bits of `judging.statistics`.
        features: of each of `plans`, of one scene, its lines and polygons; none of one that was not
            drawn.

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
            existing=existing or {}, report=report))
    with bar(_fires_to_burn(request, plan_fires + test_fires), "fire") as report:
        results = [judge_scene(scene, own.plans, plan_fires, test_fires, own.given, report, burn)
                   for scene, own in zip(scenes, request, strict=True)]
    kept = tuple({name: drawn[0] for name, drawn in own.plans.items()} for own in request)
    rows = [found.rows for found in results]
    one = results[0]
    groups = fire_groups(one.weather, one.untreated, one.times)
    bounds = over_landscapes(rows, seed) if len(scenes) > 1 else over_groups(
        {name: groups.sums(saved) for name, saved in one.saved.items()},
        groups.sums(one.untreated), groups.weathers)
    done = concluded(rows, bounds, test_fires, kept, subject=next(iter(existing or ()), None),
                     pairs=pairs)
    if not plans or len(scenes) > 1:
        return done
    names = {id(plan): name for name, plan in kept[0].items()}
    drawn = {names[id(plan)]: (plan, own)
             for plan, own in zip(plans, features, strict=False) if own}
    with bar(test_fires * sum(1 + 2 * len(own) for _, own in drawn.values()), "fire") as report:
        return replace(done, rates=rates_of(scenes[0], one, kept[0]), features={
            name: worth_of(scenes[0], one, plan, own, burn, report)
            for name, (plan, own) in drawn.items()})


def _fires_to_burn(request: Sequence[Planned], fires: int) -> int:
    """Number of fires that burn in all, `fires` of them under each plan and without any."""
    return fires * sum(1 + sum(map(len, own.plans.values())) for own in request)


def concluded(rows: Rows, bounds: Bounds, test_fires: int,
              plans: tuple[dict[str, Plan], ...] = (), subject: str | None = None,
              pairs: Sequence[tuple[str, str]] = ()) -> Evaluation:
    """The evaluation of rows by scene and method. subject: the method that the others are held
    against; if not given AUTO, or POLICY_METHOD where it is not there. pairs: further ones.
    """
    names = list(rows[0])
    usual = AUTO if AUTO in names else POLICY_METHOD

    def mean(name: str, field: str) -> float:
        return float(np.mean([getattr(own[name], field) for own in rows]))

    return Evaluation(
        interval=bounds.over, weathers=bounds.weathers,
        landscapes=tuple(next(iter(own.values())).landscape for own in rows),
        rows=tuple(row for own in rows for row in own.values()),
        methods={name: MethodSummary(mean(name, "reduction"), *bounds.of(name, None),
                                     mean(name, "seconds")) for name in names},
        paired={f"{a} - {b}": Difference(mean(a, "reduction") - mean(b, "reduction"),
                                         *bounds.of(a, b))
                for a, b in [*_pairs(names, subject or usual), *pairs]},
        test_fires=test_fires, plans=plans)


def over_landscapes(rows: Rows, seed: int) -> Bounds:
    """Bounds over landscapes."""
    def bounds(name: str, minus: str | None) -> tuple[float, float]:
        own = np.array([row[name].reduction - (row[minus].reduction if minus else 0.0)
                        for row in rows])
        return bounds_over_maps(own, seed)

    return Bounds(bounds, "landscapes")


def over_groups(saved: Mapping[str, NDArray[np.float64]], before: NDArray[np.float64],
                weathers: int) -> Bounds:
    """Bounds over groups [K] of the fires of one landscape: by method what those of each group lose
    less, and what they lose without breaks. weathers: how many they are, 0 where they are others.
    """
    def bounds(name: str, minus: str | None) -> tuple[float, float]:
        own = saved[name] - (saved[minus] if minus else 0.0)
        low, high = ratio_bounds(own, before, before)
        return float(low), float(high) if minus else min(float(high), 1.0)

    return Bounds(bounds, "weathers" if weathers else "fires", weathers)


def _pairs(names: Sequence[str], subject: str) -> list[tuple[str, str]]:
    """The subject against every other method; where it is not there, every later method against the
    first.
    """
    treating = [name for name in names if method_of(name).treats]
    if subject in treating:
        return [(subject, other) for other in treating if other != subject]
    return [(later, treating[0]) for later in treating[1:]]
