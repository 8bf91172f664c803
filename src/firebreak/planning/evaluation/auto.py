"""Planning by choice (method `auto`): several methods plan, and the plan that saves most on fires
of their own is kept.

The choice fires are a keyed set that neither a method nor the test of a plan is given. Each
candidate sees the same plan fires; what it proposes in short pieces is spent again, see
`planning.core.break_segments`. On the choice fires the candidates race, see `choice.race`. The
breaks of the best two move, on the plan fires, as far as the choice fires lose less, see
`planning.search.moves`. Segments that save nothing on the choice fires are left out.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from time import perf_counter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import InputError
from firebreak.env.storage.problem import Again
from firebreak.fire import Scene
from firebreak.planning.core.break_segments import MAX_LENGTH_M, least_length_m
from firebreak.planning.core.corridors import Corridors, parts_of
from firebreak.planning.core.fire_counts import CHOICE_SET, check_test_fires, choice_count
from firebreak.planning.core.limits import MAX_TREATABLE
from firebreak.planning.core.plan import Plan
from firebreak.planning.core.progress import Reporter, no_report, part_of
from firebreak.planning.core.rules import FREE, PlanRules
from firebreak.planning.evaluation.choice import choice_fires, choose, ends_of, race
from firebreak.planning.evaluation.intervals import Interval
from firebreak.planning.evaluation.losses import mean_saving
from firebreak.planning.evaluation.refine import moved_plan, without_useless
from firebreak.planning.making import make_plan
from firebreak.planning.methods import AUTO, CANDIDATES, METHODS
from firebreak.planning.search.filling import tries_quickly

if TYPE_CHECKING:
    from firebreak.agent.policy_file import Policy

FIRST = ("dqn", "downstream-value", "dqn-lookahead")
"""Candidates that plan first, the quickest before: among corridors or given lines alone it is the
third, or the second where trials are slow. The others follow in order, and then those that are
made by windows."""

NO_LINES = "cells are placed there, not corridors or given lines"
TOO_SLOW = "each of its trials would burn fires of a large map anew"
"""Reasons to leave a candidate out where only corridors or given lines may be built."""

Maker = Callable[[Scene, float, int, str, PlanRules, Reporter], Plan]
"""Makes the plan of a scene, share, plan fires, method and rules."""
NO_MAKERS: Mapping[str, Maker] = MappingProxyType({})

FINALISTS = 2
"""Candidates whose breaks are moved: those that save most on the choice fires."""

OWN_SHARE = 0.7
"""Of a candidate's progress: its own plan; the rest is the spending anew of what short pieces cost.
"""


class Candidate(NamedTuple):
    """The plan of a method on the choice fires.

    Attributes:
        reduction: share of the untreated loss that it saves; of one that burned a part of the fires
            by its paired difference to the best.
        behind: by how much it is behind the best, a share of the untreated loss.
        fires: how many choice fires, the first ones, say so; the others told that it cannot be
            kept.
        seconds: that the plan and its moves took.
        moved: how much of the reduction came from moving breaks; 0 where no move helped, None
            where none was tried.
    """

    reduction: float
    behind: Interval
    fires: int
    seconds: float
    moved: float | None


class Choice(NamedTuple):
    """The choice of a plan, with the reasons.

    Attributes:
        fires: number of choice fires.
        chosen, best: the candidate whose plan is kept, and the one that saves most.
        candidates: in the fixed order.
        refused: by name of a candidate why it made no plan.
        least_m: shorter pieces are not proposed unless they close a gap against a barrier.
        useless: segments left out of the kept plan, as they save nothing.
        unspent: of the budget, in the landscape's unit of cost; 0 where it buys no cell.
    """

    fires: int
    chosen: str
    best: str
    candidates: dict[str, Candidate]
    refused: dict[str, str]
    least_m: float
    useless: int
    unspent: float

    def as_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {"fires": self.fires, "chosen": self.chosen, "best": self.best,
                "candidates": {name: {"reduction": own.reduction, "seconds": own.seconds,
                                      "fires": own.fires, "behind": own.behind._asdict()}
                               for name, own in self.candidates.items()},
                "moved": {name: own.moved for name, own in self.candidates.items()
                          if own.moved is not None},
                "refused": self.refused, "segments_left_out": self.useless,
                "unspent": self.unspent}


class FirstPlan(NamedTuple):
    """A plan that may be replaced by a better one. saved: share of the loss of so many fires that
    no method saw.
    """

    plan: Plan
    saved: float
    fires: int


class Chosen(NamedTuple):
    """The plan that is kept, why, and the plan that each candidate makes when it is named."""

    plan: Plan
    choice: Choice
    others: dict[str, Plan]


def first_plan(scene: Scene, plan: Plan) -> FirstPlan:
    """A plan with what it saves of the first of the choice fires."""
    count = ends_of(choice_count(plan.plan_fires, scene.landscape.fuel_model.size))[0]
    (saved,) = mean_saving(scene, scene.fires(CHOICE_SET, count), [plan.break_mask()])
    return FirstPlan(plan, saved, count)


def plan_by_choice(scene: Scene, budget_share: float, plan_fires: int, *, seed: int,
                   policy: "Policy | None" = None, rules: PlanRules = FREE,
                   segment_m: float = MAX_LENGTH_M, report: Reporter = no_report,
                   first: Callable[[Plan], object] | None = None,
                   makers: Mapping[str, Maker] = NO_MAKERS) -> Chosen:
    """The plan of the candidate that saves most on the choice fires.

    Args:
        budget_share, plan_fires, seed, rules: see `make_plan`.
        policy: that the candidates follow which follow one.
        segment_m: length of the segments that are tried for use, see `break_segments_of`.
        report: takes the share of the work that is done.
        first: takes the plan of the first candidate, as soon as it is made.
        makers: of candidates that are made otherwise than by `make_plan` where they choose among no
            given lines.

    Raises:
        InputError: every candidate refuses, in the words of the first; choice fires that burn
            nothing of value.
    """
    began = perf_counter()
    land = scene.landscape
    # Where lines are an offer, plans without them compete.
    anywhere = rules.lines is None or not rules.lines.only
    everyone = [name for name in CANDIDATES if (entry := METHODS[name].candidate) is not None
                and entry.fits(scene, budget_share, plan_fires)]
    # A corridor is as long as it should be, bare ground on the way included.
    routes = rules.lines is not None and rules.lines.routes
    left_out = {name: why for name in everyone if (why := _left_out(name, rules.lines, scene))}
    if len(left_out) == len(everyone):
        # Corridors have more cells than what tries them takes: what rates them plans.
        left_out = {name: why for name, why in left_out.items() if not _rates(name)}
    names = [name for name in everyone if name not in left_out]
    count = choice_count(plan_fires, land.fuel_model.size)
    check_test_fires(land.name, count, len(names) + 1, "--plan-fires")
    mended = rules if routes else replace(rules, least_m=least_length_m(land.cell_size_m))

    again = Again()

    def make(name: str, rules: PlanRules, report: Reporter, begun: Plan | None = None) -> Plan:
        if anywhere and not METHODS[name].takes_lines:
            rules = replace(rules, lines=None)
        if name in makers and rules.lines is None:
            return begun or makers[name](scene, budget_share, plan_fires, name, rules, report)
        return make_plan(scene, budget_share, plan_fires, name, seed=seed, policy=policy,
                         rules=rules, report=report, begun=begun, again=again)

    # One part of the progress for each candidate, one to choose, one for each finalist's moves, one
    # for segments that save nothing.
    parts = np.linspace(0.0, 1.0, len(names) + FINALISTS + 3).tolist()
    in_turn = sorted(names, key=lambda name: (
        name in makers, FIRST.index(name) if name in FIRST else len(FIRST)))
    proposals, errors = _proposals(names, in_turn, make, rules, mended, report, parts, first)
    judging = choice_fires(scene, count)
    plans = {name: own.mended for name, own in proposals.items()}
    seconds = {name: own.plan.seconds + own.mended.seconds * (own.mended is not own.plan)
               for name, own in proposals.items()}
    # Moves of single cells take too long on maps of windows.
    moves = anywhere and int(land.treatable.sum()) <= MAX_TREATABLE
    saved = race(list(plans), lambda name, part: judging.savings(plans[name], part), count,
                 FINALISTS if moves else 1,
                 part_of(report, parts[len(names)], parts[len(names) + 1]))
    burned = {name: own.size for name, own in saved.items()}
    burns = 1.0 + sum(burned.values()) / count
    before = {name: float(own.mean()) for name, own in saved.items()}
    finalists = finalists_of(saved) if moves else []
    for name, begin, end in zip(finalists, parts[-FINALISTS - 2:], parts[-FINALISTS - 1:],
                                strict=False):
        since = perf_counter()
        plans[name], saved[name], more = moved_plan(scene, plans[name], saved[name],
                                                    judging.savings, replace(mended, lines=None),
                                                    part_of(report, begin, end), again)
        seconds[name] += perf_counter() - since
        burns += more
    again.slots = None
    report(parts[-2])
    verdict = choose(saved, CANDIDATES)
    kept, useless = without_useless(
        judging.known, plans[verdict.chosen], rules.include, sorted(
            parts_of(plans[verdict.chosen], land, segment_m, rules.lines if routes else None,
                     rules.include),
            key=lambda part: int(part.cells[0])))
    simulations = sum(plan.simulations for plan in plans.values()) + count * burns / plan_fires
    report(1.0)
    most = float(saved[verdict.best].mean())
    candidates = {name: Candidate(
        most - behind.mean, behind, burned[name], seconds[name],
        float(saved[name].mean()) - before[name] if name in finalists else None)
        for name, behind in verdict.behind.items()}
    refused = {name: str(error) for name, error in errors.items()}
    refused |= left_out
    return Chosen(
        replace(kept, chosen_by=AUTO, simulations=simulations, seconds=perf_counter() - began),
        Choice(count, verdict.chosen, verdict.best, candidates, refused, mended.least_m, useless,
               _unspent(scene, kept)), {name: own.plan for name, own in proposals.items()})


def _left_out(name: str, lines: Corridors | None, scene: Scene) -> str | None:
    """The reason to leave a candidate out beside lines; None where it plans."""
    if lines is None or not lines.only:
        return None
    method = METHODS[name]
    assert method.candidate is not None, "a candidate"
    slow = lines.routes and not tries_quickly(scene.field)
    if not method.takes_lines:
        return None if slow and _rates(name) else NO_LINES
    cells, most = scene.landscape.fuel_model.size, method.candidate.slow_cells
    return TOO_SLOW if slow and most is not None and cells > most else None


def _rates(name: str) -> bool:
    candidate = METHODS[name].candidate
    return candidate is not None and candidate.rates


def finalists_of(saved: Mapping[str, NDArray[np.float64]]) -> list[str]:
    """The candidates whose breaks are moved, the best first, by what they save of each fire."""
    fires = max(own.size for own in saved.values())
    whole = [name for name, own in saved.items() if own.size == fires]
    return sorted(whole, key=lambda name: -float(saved[name].mean()))[:FINALISTS]


class _Proposal(NamedTuple):
    """The plan that a candidate makes when it is named, and that without short pieces."""

    plan: Plan
    mended: Plan


def _proposals(names: Sequence[str], in_turn: Sequence[str], make: Callable[..., Plan],
               rules: PlanRules, mended: PlanRules, report: Reporter, parts: Sequence[float],
               first: Callable[[Plan], object] | None,
               ) -> tuple[dict[str, _Proposal], dict[str, InputError]]:
    """Proposals of the candidates, made in turn, and the errors of those that propose nothing, in
    the order of the names.

    Raises:
        InputError: of the first, where none proposes anything.
    """
    found: dict[str, _Proposal] = {}
    errors: dict[str, InputError] = {}
    for name, begin, end in zip(in_turn, parts, parts[1:], strict=False):
        share = part_of(report, begin, end)
        try:
            plan = make(name, rules, part_of(share, 0.0, OWN_SHARE))
            found[name] = _Proposal(plan, plan if mended is rules else make(
                name, mended, part_of(share, OWN_SHARE, 1.0), plan))
        except InputError as error:
            errors[name] = error
            continue
        if first is not None and len(found) == 1:
            first(found[name].mended)
    if not found:
        raise errors[names[0]]
    return ({name: found[name] for name in names if name in found},
            {name: errors[name] for name in names if name in errors})


def _unspent(scene: Scene, plan: Plan) -> float:
    land, left = scene.landscape, plan.budget - plan.cost
    return left if left >= float(land.cost[land.treatable].min()) else 0.0
