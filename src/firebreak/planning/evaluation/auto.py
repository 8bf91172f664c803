"""Planning by choice (method `auto`): several methods plan, and the plan that saves most on fires
of their own is kept.

The choice fires are a keyed set that neither a method nor the test of a plan is given. Each
candidate sees the same plan fires; what it proposes in short pieces is spent again, see
`planning.core.gaps`. On the choice fires the candidates race, see `choice.race`. The breaks of
the best two move, on the plan fires, as far as the choice fires lose less, see
`planning.search.improve`. Segments that save nothing on the choice fires are left out.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import InputError
from firebreak.env.storage.problem import nothing_burned
from firebreak.fire import Fires, Scene, burn_loss
from firebreak.planning.core.break_segments import MAX_LENGTH_M, break_segments_of
from firebreak.planning.core.fire_counts import check_test_fires
from firebreak.planning.core.gaps import least_length_m
from firebreak.planning.core.plan import Plan
from firebreak.planning.core.progress import Reporter, no_report, part_of
from firebreak.planning.core.rules import FREE, PlanRules
from firebreak.planning.evaluation.choice import Verdict, choose, ends_of, race
from firebreak.planning.evaluation.losses import relative_drop
from firebreak.planning.evaluation.moving import moved_plan, with_cells
from firebreak.planning.evaluation.pruning import useful_segments
from firebreak.planning.making import make_plan
from firebreak.planning.methods import AUTO, CANDIDATES, METHODS

if TYPE_CHECKING:
    from firebreak.agent.policy_file import Policy

T = TypeVar("T")
CHOICE_SET = "choice"
PER_PLAN_FIRE, FEWEST = 16, 4000
"""Choice fires for each plan fire, and how many there are at least: a thousand are too few to tell
plans apart that a test of as many fires tells apart."""
MOST_CELLS = 400_000_000
"""Choice fires times cells of the map, at most; but there are as many choice fires as plan fires.
"""

FIRST = "dqn"
"""The candidate that plans first, since it is quick and saves much; the others follow in order."""

NO_LINES = "cells are placed there and not lines that are given"
"""Why a candidate is left out where the user supplies lines."""


FINALISTS = 2
"""Candidates whose breaks are moved: those that save most on the choice fires."""

OWN_SHARE = 0.7
"""Of a candidate's progress: its own plan; the rest is the spending anew of what short pieces cost.
"""


class Choice(NamedTuple):
    """Why a plan was kept.

    Attributes:
        fires: number of choice fires.
        burned: of each candidate, how many of them, the first ones, say what it saves; the others
            told that it cannot be kept.
        verdict: what was kept, and by how much each candidate is behind the best, a share of the
            untreated loss.
        reduction: of each candidate, in the fixed order, on the choice fires; of one that burned
            a part of them by its paired difference to the best.
        moved: of the finalists, how much of that came from moving breaks; 0 where no move helped.
        seconds: that each candidate's plan and its moves took.
        refused: by name of a candidate why it made no plan.
        least_m: shorter pieces are not proposed unless they close a gap against a barrier.
        useless: segments left out of the kept plan, as they save nothing.
        unspent: of the budget, in the landscape's unit of cost; 0 where it buys no cell.
    """

    fires: int
    burned: dict[str, int]
    verdict: Verdict
    reduction: dict[str, float]
    moved: dict[str, float]
    seconds: dict[str, float]
    refused: dict[str, str]
    least_m: float
    useless: int
    unspent: float

    def as_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {"fires": self.fires, "chosen": self.verdict.chosen, "best": self.verdict.best,
                "candidates": {name: {"reduction": self.reduction[name],
                                      "seconds": self.seconds[name],
                                      "fires": self.burned[name],
                                      "behind": behind._asdict()}
                               for name, behind in self.verdict.behind.items()},
                "moved": self.moved, "refused": self.refused, "least_m": self.least_m,
                "segments_left_out": self.useless, "unspent": self.unspent}


class FirstPlan(NamedTuple):
    """A plan that may be replaced by a better one. saved: share of the loss of so many fires that
    no method was given.
    """

    plan: Plan
    saved: float
    fires: int


class Chosen(NamedTuple):
    """The plan that is kept, why, and the plan that each candidate makes when it is named."""

    plan: Plan
    choice: Choice
    others: dict[str, Plan]


def choice_fires(plan_fires: int, cells: int) -> int:
    """How many choice fires there are for so many plan fires on a map of so many cells."""
    wanted = max(PER_PLAN_FIRE * plan_fires, FEWEST)
    return max(plan_fires, 2, min(wanted, MOST_CELLS // cells))


def first_plan(scene: Scene, plan: Plan) -> FirstPlan:
    """A plan with what it saves of the first of the choice fires."""
    fires = scene.fires(CHOICE_SET, ends_of(
        choice_fires(plan.plan_fires, scene.landscape.fuel_model.size))[0])
    before, after = (float(burn_loss(scene.field, fires, scene.value_by_class, breaks).mean())
                     for breaks in (None, plan.break_mask()))
    return FirstPlan(plan, relative_drop(before, after), fires.source.size)


def plan_by_choice(scene: Scene, budget_share: float, plan_fires: int, *, seed: int,
                   policy: "Policy | None" = None, rules: PlanRules = FREE,
                   segment_m: float = MAX_LENGTH_M, report: Reporter = no_report,
                   first: Callable[[Plan], object] | None = None) -> Chosen:
    """The plan of the candidate that saves most on the choice fires.

    Args:
        budget_share, plan_fires, seed, rules: see `make_plan`.
        policy: that the candidates follow which follow one.
        segment_m: length of the segments that are tried for use, see `break_segments_of`.
        report: takes the share of the work that is done.
        first: takes the plan of the first candidate, as soon as it is made.

    Raises:
        InputError: every candidate refuses, in the words of the first; choice fires that burn
            nothing of value.
    """
    began = perf_counter()
    land = scene.landscape
    everyone = _tried(scene, budget_share, plan_fires)
    # Where lines are an offer, plans without them compete.
    anywhere = rules.lines is None or not rules.lines.only
    names = [name for name in everyone if anywhere or METHODS[name].takes_lines]
    count = choice_fires(plan_fires, land.fuel_model.size)
    check_test_fires(land.name, count, len(names) + 1, "--plan-fires")
    mended = replace(rules, least_m=least_length_m(land.cell_size_m))

    def make(name: str, rules: PlanRules, report: Reporter, begun: Plan | None = None) -> Plan:
        if not METHODS[name].takes_lines:
            rules = replace(rules, lines=None)
        return make_plan(scene, budget_share, plan_fires, name, seed=seed, policy=policy,
                         rules=rules, report=report, begun=begun)

    # One part of the progress for each candidate, one to choose, one for each finalist's moves, one
    # for segments that save nothing.
    parts = np.linspace(0.0, 1.0, len(names) + FINALISTS + 3).tolist()
    made = _made(names, make, rules, mended, report, parts, first)
    refused = {name: str(error) for name, error in made.refused.items()}
    refused |= {name: NO_LINES for name in everyone if name not in names}
    judge = judge_on(scene, count)
    plans, seconds = dict(made.mended), dict(made.seconds)
    saved = race(list(plans), lambda name, part: judge.savings(plans[name], part), count, FINALISTS,
                 part_of(report, parts[len(names)], parts[len(names) + 1]))
    burned = {name: own.size for name, own in saved.items()}
    burns = 1.0 + sum(burned.values()) / count
    before = {name: float(own.mean()) for name, own in saved.items()}
    finalists = finalists_of(saved) if anywhere else []
    for name, begin, end in zip(finalists, parts[-FINALISTS - 2:], parts[-FINALISTS - 1:],
                                strict=False):
        since = perf_counter()
        plans[name], saved[name], more = moved_plan(scene, plans[name], saved[name], judge.savings,
                                                    replace(mended, lines=None),
                                                    part_of(report, begin, end))
        seconds[name] += perf_counter() - since
        burns += more
    report(parts[-2])
    verdict = choose(saved, CANDIDATES)
    kept, useless = _without_useless(scene, judge.fires, plans[verdict.chosen], rules.include,
                                     segment_m)
    simulations = sum(plan.simulations for plan in plans.values()) + count * burns / plan_fires
    report(1.0)
    after = {name: float(saved[verdict.best].mean()) - behind.mean
             for name, behind in verdict.behind.items()}
    return Chosen(
        replace(kept, chosen_by=AUTO, simulations=simulations, seconds=perf_counter() - began),
        Choice(count, {name: burned[name] for name in after}, verdict, after,
               {name: float(saved[name].mean()) - before[name] for name in finalists},
               {name: seconds[name] for name in verdict.behind}, refused, mended.least_m, useless,
               _unspent(scene, kept)), made.own)


def finalists_of(saved: Mapping[str, NDArray[np.float64]]) -> list[str]:
    """The candidates whose breaks are moved, the best first, by what they save of each fire."""
    fires = max(own.size for own in saved.values())
    whole = [name for name, own in saved.items() if own.size == fires]
    return sorted(whole, key=lambda name: -float(saved[name].mean()))[:FINALISTS]


class _Made(NamedTuple):
    """By candidate: the plan that it makes when it is named, that without short pieces, the seconds
    of both, and why it made none.
    """

    own: dict[str, Plan]
    mended: dict[str, Plan]
    seconds: dict[str, float]
    refused: dict[str, InputError]


def _made(names: Sequence[str], make: Callable[..., Plan], rules: PlanRules, mended: PlanRules,
          report: Reporter, parts: Sequence[float],
          first: Callable[[Plan], object] | None) -> _Made:
    made = _Made({}, {}, {}, {})
    for name, begin, end in zip(sorted(names, key=lambda name: name != FIRST), parts, parts[1:],
                                strict=False):
        share = part_of(report, begin, end)
        try:
            made.own[name] = make(name, rules, part_of(share, 0.0, OWN_SHARE))
            made.mended[name] = make(name, mended, part_of(share, OWN_SHARE, 1.0), made.own[name])
        except InputError as error:
            made.refused[name] = error
            continue
        made.seconds[name] = made.own[name].seconds + made.mended[name].seconds
        if first is not None and len(made.mended) == 1:
            first(made.mended[name])
    made = _Made(_in_order(made.own, names), _in_order(made.mended, names),
                 _in_order(made.seconds, names), _in_order(made.refused, names))
    if not made.mended:
        raise next(iter(made.refused.values()))
    return made


def _in_order(found: Mapping[str, T], names: Sequence[str]) -> dict[str, T]:
    return {name: found[name] for name in names if name in found}


ALL = slice(None)


class Judge(NamedTuple):
    """The choice fires, and what they lose without breaks, f64 [F]."""

    scene: Scene
    fires: Fires
    untreated: NDArray[np.float64]

    def savings(self, plan: Plan, part: slice = ALL) -> NDArray[np.float64]:
        """By fire of a range what it loses less under a plan, a share of the mean loss of all fires
        without breaks.
        """
        loss = burn_loss(self.scene.field, self.fires.part(part), self.scene.value_by_class,
                         plan.break_mask())
        shares: NDArray[np.float64] = (self.untreated[part] - loss) / self.untreated.mean()
        return shares


def judge_on(scene: Scene, count: int) -> Judge:
    """So many choice fires, burned without breaks.

    Raises:
        InputError: they burn nothing of value.
    """
    fires = scene.fires(CHOICE_SET, count)
    untreated = burn_loss(scene.field, fires, scene.value_by_class)
    if not untreated.mean() > 0.0:
        raise nothing_burned(scene)
    return Judge(scene, fires, untreated)


def _tried(scene: Scene, budget_share: float, plan_fires: int) -> list[str]:
    """The candidates for a plan, in their fixed order."""
    entries = [(name, METHODS[name].candidate) for name in CANDIDATES]
    return [name for name, entry in entries
            if entry is not None and entry.fits(scene, budget_share, plan_fires)]


def _unspent(scene: Scene, plan: Plan) -> float:
    land, left = scene.landscape, plan.budget - plan.cost
    return left if left >= float(land.cost[land.treatable].min()) else 0.0


def _without_useless(scene: Scene, fires: Fires, plan: Plan, include: NDArray[np.int64],
                     segment_m: float) -> tuple[Plan, int]:
    """A plan without the segments that save nothing, and how many these are."""
    segments = break_segments_of(plan.break_mask(), scene.landscape, segment_m)
    useful = useful_segments(scene, fires, segments, include)
    if len(useful) == len(segments):
        return plan, 0
    stay = np.concatenate([np.empty(0, np.int64), *(segment.cells for segment in useful)])
    cells = plan.cells[np.isin(plan.cells, stay)]
    return with_cells(plan, cells, scene), len(segments) - len(useful)
