"""Methods compared on fires that no method was shown: rows, 95 % intervals, paired differences.

Each row says what is saved on the whole map and what is saved on the cells that the plan leaves
untreated, so that deleted cells are not sold as protection. Intervals are over landscapes where
there are several, else over the fires of the one.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.env.storage.problem import budget_cost
from firebreak.fire import Scene, WideScene
from firebreak.planning.core.fire_counts import check_test_fires
from firebreak.planning.core.limits import SEARCH, SearchOptions
from firebreak.planning.core.plan import Plan, cost_unit
from firebreak.planning.core.progress import Bar, Reporter, in_shares, no_bar, no_report
from firebreak.planning.core.rules import FREE, PlanRules
from firebreak.planning.evaluation.auto import plan_by_choice
from firebreak.planning.evaluation.judging import Burn, Judged, Row, judge_scene, statistics
from firebreak.planning.evaluation.request import RANDOM_DRAWS, checked_plans
from firebreak.planning.evaluation.statistics import (
    bootstrap_means,
    percentile_interval,
    student_interval,
)
from firebreak.planning.making import make_plan
from firebreak.planning.methods import AUTO, CHOOSERS, POLICY_METHOD, method_of
from firebreak.seeding import generator, integer_seed

if TYPE_CHECKING:
    from firebreak.agent.policy_file import Policy

MIN_BOOTSTRAP_LANDSCAPES = 10
"""Below this many, intervals are Student's: a bootstrap of a handful is too narrow."""

IntervalOver = Literal["landscapes", "fires"]


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
        interval: what the 95 % intervals are resampled over: landscapes, or fires if only one.
        landscapes: names, in order.
        rows: one per landscape and method.
        methods: by name of the method, in order.
        paired: "a - b" -> how much more a saves than b.
        test_fires: fires per landscape that no method was shown.
        plans: one per landscape, by method the plan, of a stochastic one the first.
    """

    interval: IntervalOver
    landscapes: tuple[str, ...]
    rows: tuple[Row, ...]
    methods: dict[str, MethodSummary]
    paired: dict[str, Difference]
    test_fires: int
    plans: tuple[dict[str, Plan], ...] = ()


Results = list[dict[str, Judged]]
"""Scene -> method -> result."""

IntervalOf = Callable[[str, str | None], tuple[float, float]]
"""(method, minus which or None) -> 95 % interval of its reduction, or of the difference."""


def evaluate(scenes: Sequence[Scene | WideScene], methods: Sequence[str], *, budget_share: float,
             plan_fires: int, test_fires: int, seed: int, policy: "Policy | None" = None,
             random_draws: int = RANDOM_DRAWS, plans: Sequence[Plan] = (),
             search: SearchOptions = SEARCH, rules: PlanRules = FREE,
             existing: Mapping[str, Plan] | None = None,
             pairs: Sequence[tuple[str, str]] = (), bar: Bar = no_bar,
             burn: Burn = statistics) -> Evaluation:
    """Plans with every method on every scene and burns the test fires under the plans.

    Args:
        scenes: wide ones where no method treats anything.
        budget_share, plan_fires, policy, search: see `make_plan`.
        test_fires: number of fires of the keyed set "test", never used for planning.
        seed: of random plans and of the bootstrap.
        random_draws: a stochastic method is the mean over this many plans.
        rules: what plans must keep to, see `make_plan`; of one scene only.
        existing: plans of one scene to be compared at their own cost, by name; the others are held
            against the first.
        pairs: further methods to hold against one another: how much more the first saves.
        plans: made elsewhere; each method or file name among them must cover every scene.
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
            existing=existing or {}, report=report))
    with bar(_fires_to_burn(request, plan_fires + test_fires), "fire") as report:
        results = [judge_scene(scene, made, own, plan_fires, test_fires, report, burn)
                   for scene, (made, own) in zip(scenes, request, strict=True)]
    kept = tuple({method: drawn[0] for method, drawn in made.items()} | own
                 for made, own in request)
    samples = (sampled_by_landscape(results, seed) if len(scenes) > 1
               else _sampled_by_fire(results[0], seed))
    return concluded(results, samples.interval, test_fires, kept,
                     subject=next(iter(existing or ()), None), pairs=pairs)


class Planned(NamedTuple):
    """Plans of a scene by name: made here, several for a random method, and given."""

    made: dict[str, list[Plan]]
    given: dict[str, Plan]


def planned(scenes: Sequence[Scene | WideScene], methods: Sequence[str], *, budget_share: float,
            plan_fires: int, seed: int, policy: "Policy | None" = None,
            random_draws: int = RANDOM_DRAWS, plans: Sequence[Plan] = (),
            search: SearchOptions = SEARCH, rules: PlanRules = FREE,
            existing: Mapping[str, Plan] = MappingProxyType({}),
            report: Reporter = no_report) -> Iterator[Planned]:
    """The plans to judge on each scene, made one scene after the other; see `evaluate`.

    Args:
        report: takes plans as they are made, in parts of them too.
    """
    given = checked_plans([scene.landscape for scene in scenes], methods, plans, budget_share,
                          random_draws)

    def make(scene: Scene | WideScene, method: str, own_seed: int) -> Plan:
        if isinstance(scene, WideScene):
            return _nothing(scene, method, budget_share, plan_fires, own_seed)
        if method in CHOOSERS:
            return plan_by_choice(scene, budget_share, plan_fires, seed=own_seed, policy=policy,
                                  rules=rules, report=in_shares(report)).plan
        return make_plan(scene, budget_share, plan_fires, method, seed=own_seed, policy=policy,
                         search=search, rules=rules, report=in_shares(report))

    for scene, own in zip(scenes, given, strict=True):
        yield Planned({method: [make(scene, method, own_seed)
                                for own_seed in _seeds_of(method, seed, random_draws)]
                       for method in methods}, own | dict(existing))


def _nothing(scene: WideScene, method: str, budget_share: float, plan_fires: int,
             seed: int) -> Plan:
    """The plan of a method that treats nothing."""
    assert method not in CHOOSERS, "plans are not made on wide scenes"
    assert not method_of(method).treats, "plans are not made on wide scenes"
    land = scene.landscape
    return Plan(method=method, cells=np.empty(0, np.int64), shape=land.shape, cost=0.0,
                cost_unit=cost_unit(land), currency=land.currency,
                budget=budget_cost(scene, budget_share), budget_share=budget_share,
                landscape=land.name, landscape_checksum=land.checksum(), plan_fires=plan_fires,
                seed=seed, seconds=0.0, simulations=0.0)


def plans_to_make(scenes: Sequence[Scene | WideScene], methods: Sequence[str],
                  random_draws: int) -> int:
    """How many plans `planned` makes."""
    return len(scenes) * sum(len(_seeds_of(method, 0, random_draws)) for method in methods)


def _fires_to_burn(request: Sequence[Planned], fires: int) -> int:
    """How many fires judging burns, `fires` of them under each plan and without any."""
    return fires * sum(1 + sum(map(len, made.values())) + len(own) for made, own in request)


def concluded(results: Results, interval: IntervalOf, test_fires: int,
              plans: tuple[dict[str, Plan], ...] = (), subject: str | None = None,
              pairs: Sequence[tuple[str, str]] = ()) -> Evaluation:
    """The evaluation of results by scene and method. subject: the method that the others are held
    against; if not given AUTO, or POLICY_METHOD where it is not there. pairs: further ones.
    """
    names = list(results[0])
    usual = AUTO if AUTO in names else POLICY_METHOD
    return Evaluation(
        interval="landscapes" if len(results) > 1 else "fires",
        landscapes=tuple(next(iter(own.values())).row.landscape for own in results),
        rows=tuple(judged.row for own in results for judged in own.values()),
        methods={name: _summary(results, interval, name) for name in names},
        paired={f"{a} - {b}": _difference(results, interval, a, b)
                for a, b in [*_pairs(names, subject or usual), *pairs]},
        test_fires=test_fires, plans=plans)


def _seeds_of(method: str, seed: int, random_draws: int) -> list[int]:
    if not method_of(method).stochastic:
        return [seed]
    return [integer_seed(seed, "random-draw", draw) for draw in range(random_draws)]


class Samples(NamedTuple):
    """By method: reductions per landscape [N] if they are few, else resampled means [R]."""

    values: dict[str, NDArray[np.float64]]
    few: bool

    def interval(self, name: str, minus: str | None = None) -> tuple[float, float]:
        """95 % interval of a method's reduction, or of its difference to another's."""
        own = self.values[name] - (self.values[minus] if minus else 0.0)
        return student_interval(own) if self.few else percentile_interval(own)


def sampled_by_landscape(results: Results, seed: int) -> Samples:
    """Landscapes drawn with replacement, where there are enough of them to draw from."""
    names = list(results[0])
    samples = np.array([[own[name].row.reduction for name in names] for own in results])
    few = len(results) < MIN_BOOTSTRAP_LANDSCAPES
    drawn = samples if few else bootstrap_means(samples, generator(seed, "bootstrap", "landscapes"))
    return Samples(dict(zip(names, drawn.T, strict=True)), few)


def _sampled_by_fire(judged: dict[str, Judged], seed: int) -> Samples:
    """Reductions on one landscape, fires drawn with replacement."""
    untreated = next(iter(judged.values())).untreated
    samples = np.stack([untreated, *(own.saved for own in judged.values())], axis=1)
    means = bootstrap_means(samples, generator(seed, "bootstrap", "fires"))
    whole = np.maximum(means[:, 0], np.finfo(np.float64).tiny)
    return Samples({name: means[:, place] / whole
                     for place, name in enumerate(judged, start=1)}, few=False)


def _mean_of(results: Results, name: str, field: str) -> float:
    return float(np.mean([getattr(own[name].row, field) for own in results]))


def _summary(results: Results, interval: IntervalOf, name: str) -> MethodSummary:
    return MethodSummary(_mean_of(results, name, "reduction"), *interval(name, None),
                         _mean_of(results, name, "seconds"))


def _difference(results: Results, interval: IntervalOf, a: str, b: str) -> Difference:
    more = _mean_of(results, a, "reduction") - _mean_of(results, b, "reduction")
    return Difference(more, *interval(a, b))


def _pairs(names: Sequence[str], subject: str) -> list[tuple[str, str]]:
    """The subject against every other method; where it is not there, every later method against the
    first.
    """
    treating = [name for name in names if method_of(name).treats]
    if subject in treating:
        return [(subject, other) for other in treating if other != subject]
    return [(later, treating[0]) for later in treating[1:]]
