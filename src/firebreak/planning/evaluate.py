"""Methods compared on fires that no method was shown: rows, 95 % intervals, paired differences.

Each row says what is saved on the whole map and what is saved on the cells that the plan leaves
untreated, so that deleted cells are not sold as protection. Intervals are over landscapes where
there are several, else over the fires of the one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.agent.policy_file import Policy
from firebreak.checks import fail
from firebreak.fire.scene import Scene
from firebreak.planning.judging import Judged, Row, judge_scene
from firebreak.planning.methods import check_methods, make_plan
from firebreak.planning.plan import Plan, check_plan
from firebreak.planning.statistics import RESAMPLES, bootstrap_means, percentile_interval
from firebreak.seeding import generator, integer_seed

_HEADER = ("method", "reduction", "95 % interval", "untreated cells", "worst 10 %", "in sample",
           "seconds", "simulations")

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
        paired: "a-b" -> how much more a saves than b.
        test_fires: fires per landscape that no method was shown.
    """

    interval: IntervalOver
    landscapes: tuple[str, ...]
    rows: tuple[Row, ...]
    methods: dict[str, MethodSummary]
    paired: dict[str, Difference]
    test_fires: int


_Results = list[dict[str, Judged]]  # scene -> method -> result


def evaluate(scenes: Sequence[Scene], methods: Sequence[str], *, budget_share: float,
             plan_fires: int, test_fires: int, seed: int, policy: Policy | None = None,
             random_draws: int = 10, plans: Sequence[Plan] = ()) -> Evaluation:
    """Plans with every method on every scene and burns the test fires under the plans.

    Args:
        budget_share, plan_fires, policy: see `make_plan`.
        test_fires: number of fires of the keyed set "test", never used for planning.
        seed: of random plans and of the bootstrap.
        random_draws: `random` is the mean over this many plans.
        plans: made elsewhere; each method or file name among them must cover every scene.

    Raises:
        InputError: as `make_plan`; nothing to evaluate; plans that fit no scene or not all; test
            fires that burn nothing of value.
    """
    _check_request(scenes, methods, plans, random_draws)
    given = _plans_by_scene(scenes, methods, plans)
    results = []
    for scene, own in zip(scenes, given, strict=True):
        made = {method: _plans_of(scene, method, budget_share, plan_fires, seed, policy,
                                  random_draws) for method in methods}
        results.append(judge_scene(scene, made | {name: [plan] for name, plan in own.items()},
                                   plan_fires, test_fires))
    names = list(results[0])
    several = len(scenes) > 1
    means = (_resampled_by_landscape(results, seed) if several
             else _resampled_by_fire(results[0], seed))
    return Evaluation(
        interval="landscapes" if several else "fires",
        landscapes=tuple(scene.landscape.name for scene in scenes),
        rows=tuple(judged.row for own in results for judged in own.values()),
        methods={name: _summary(results, means, name) for name in names},
        paired={f"{a}-{b}": _difference(results, means, a, b) for a, b in _pairs(names)},
        test_fires=test_fires)


def _check_request(scenes: Sequence[Scene], methods: Sequence[str], plans: Sequence[Plan],
                   random_draws: int) -> None:
    check_methods(methods, "--methods")
    if not scenes or not (methods or plans) or len(set(methods)) < len(methods):
        raise fail(expected="landscapes, and methods or plans, each method once",
                   given=f"{len(scenes)} landscapes, methods {', '.join(methods) or 'none'}",
                   where="evaluate", remedy="correct the list")
    if len({scene.key for scene in scenes}) < len(scenes):
        raise fail(expected="each landscape once", given="one twice", where="evaluate",
                   remedy="remove the repeated landscape")
    if random_draws < 1:
        raise fail(expected="at least 1 random plan", given=f"{random_draws}", where="evaluate",
                   remedy="10 is usual")


def _plans_by_scene(scenes: Sequence[Scene], methods: Sequence[str],
                    plans: Sequence[Plan]) -> list[dict[str, Plan]]:
    """The given plans of each scene by name; a name already taken gets -2, -3 and so on."""
    found: list[dict[str, Plan]] = [{} for _ in scenes]
    keys = [scene.key for scene in scenes]
    for plan in plans:
        if plan.landscape_checksum not in keys:
            raise fail(expected="plans for the landscapes that are evaluated",
                       given=f"one for {plan.landscape}", where=f"plan '{plan.method}'",
                       remedy="name its landscape too, or leave the plan out")
        place = keys.index(plan.landscape_checksum)
        check_plan(plan, scenes[place].landscape)
        taken = {*methods, *found[place]}
        number = 1
        while (name := plan.method if number == 1 else f"{plan.method}-{number}") in taken:
            number += 1
        found[place][name] = plan
    if any(own.keys() != found[0].keys() for own in found):
        raise fail(expected=f"given plans for each of the {len(scenes)} landscapes",
                   given=f"{len(plans)} plans that do not cover them", where="evaluate",
                   remedy="evaluate the landscapes that have plans by themselves")
    return found


def _plans_of(scene: Scene, method: str, budget_share: float, plan_fires: int, seed: int,
              policy: Policy | None, random_draws: int) -> list[Plan]:
    seeds = [seed]
    if method == "random":
        seeds = [integer_seed(seed, "random-draw", draw) for draw in range(random_draws)]
    return [make_plan(scene, budget_share, plan_fires, method, seed=own, policy=policy)
            for own in seeds]


def _resampled_by_landscape(results: _Results, seed: int) -> dict[str, NDArray[np.float64]]:
    """Mean reductions [R] by method, landscapes drawn with replacement."""
    names = list(results[0])
    samples = np.array([[own[name].row.reduction for name in names] for own in results])
    means = bootstrap_means(samples, generator(seed, "bootstrap", "landscapes"))
    return dict(zip(names, means.T, strict=True))


def _resampled_by_fire(judged: dict[str, Judged], seed: int) -> dict[str, NDArray[np.float64]]:
    """Reductions [R] by method on one landscape, fires drawn with replacement."""
    untreated = next(iter(judged.values())).untreated
    samples = np.stack([untreated, *(own.saved for own in judged.values())], axis=1)
    means = bootstrap_means(samples, generator(seed, "bootstrap", "fires"))
    whole = np.maximum(means[:, 0], np.finfo(np.float64).tiny)
    return {name: means[:, place] / whole for place, name in enumerate(judged, start=1)}


def _mean_of(results: _Results, name: str, field: str) -> float:
    return float(np.mean([getattr(own[name].row, field) for own in results]))


def _summary(results: _Results, means: dict[str, NDArray[np.float64]], name: str) -> MethodSummary:
    return MethodSummary(_mean_of(results, name, "reduction"), *percentile_interval(means[name]),
                         _mean_of(results, name, "seconds"))


def _difference(results: _Results, means: dict[str, NDArray[np.float64]], a: str,
                b: str) -> Difference:
    more = _mean_of(results, a, "reduction") - _mean_of(results, b, "reduction")
    return Difference(more, *percentile_interval(means[a] - means[b]))


def _pairs(names: Sequence[str]) -> list[tuple[str, str]]:
    """dqn against every other method, or, without it, every later method against the first."""
    treating = [name for name in names if name != "none"]
    if "dqn" in treating:
        return [("dqn", other) for other in treating if other != "dqn"]
    return [(later, treating[0]) for later in treating[1:]]


def table(evaluation: Evaluation) -> str:
    """The methods and their paired differences as aligned text, several lines."""
    rows = evaluation.rows
    count = len(evaluation.landscapes)
    where = f"{count} landscapes" if count > 1 else evaluation.landscapes[0]
    budget = _span([100.0 * row.budget for row in rows])
    shown = _span([row.plan_fires for row in rows])
    loss = np.mean([row.untreated_loss for row in rows])
    lines = [f"{where}, budget {budget} % of the treatable cost, {shown} plan fires, "
             f"{evaluation.test_fires} test fires that no method was shown",
             f"mean loss without breaks {loss:.4g}; reductions are shares of it", "",
             *_aligned([_HEADER, *(_line(evaluation, name) for name in evaluation.methods)])]
    if evaluation.paired:
        lines += ["", *_aligned([("difference", "mean", "95 % interval"), *(
            (name, f"{pair.difference:+.3f}", f"{pair.low:+.3f} to {pair.high:+.3f}")
            for name, pair in evaluation.paired.items())])]
    return "\n".join([*lines, "", _footnote(evaluation)])


def _line(evaluation: Evaluation, name: str) -> tuple[str, ...]:
    summary = evaluation.methods[name]
    own = [row for row in evaluation.rows if row.method == name]

    def mean(field: str) -> float:
        return float(np.mean([getattr(row, field) for row in own]))

    return (name, f"{summary.reduction:.3f}", f"{summary.low:.3f} to {summary.high:.3f}",
            *(f"{mean(field):.3f}" for field in ("reduction_untreated_cells", "cvar90_reduction",
                                                 "in_sample_reduction")),
            f"{summary.seconds:.3f}", f"{mean('simulations'):.1f}")


def _span(values: Sequence[float]) -> str:
    low, high = min(values), max(values)
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def _aligned(lines: Sequence[tuple[str, ...]]) -> list[str]:
    """The first column to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return ["  ".join([line[0].ljust(widths[0]),
                       *(text.rjust(width) for text, width in zip(line[1:], widths[1:],
                                                                   strict=True))])
            for line in lines]


def _footnote(evaluation: Evaluation) -> str:
    over = (f"the {len(evaluation.landscapes)} landscapes" if evaluation.interval == "landscapes"
            else f"the {evaluation.test_fires} test fires of one landscape")
    return (f"Intervals: bootstrap over {over}, {RESAMPLES:,} resamples.\n"
            "'untreated cells' counts losses only where the plan treats nothing; 'in sample' is on "
            "the plan fires.")


def to_json(evaluation: Evaluation) -> dict[str, Any]:
    """Plain data of the `evaluate` contract: schema 1."""
    return {
        "schema": 1,
        "landscapes": len(evaluation.landscapes),
        "interval": evaluation.interval,
        "test_fires": evaluation.test_fires,
        "rows": [row._asdict() for row in evaluation.rows],
        "methods": {name: summary._asdict() for name, summary in evaluation.methods.items()},
        "paired": {name: pair._asdict() for name, pair in evaluation.paired.items()},
    }
