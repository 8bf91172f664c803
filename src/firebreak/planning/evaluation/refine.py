"""A plan made better on fires that no method saw: its breaks are moved as far as these fires
agree, and segments that save nothing on them are left out, their money unspent. Breaks that stand
on a map already, or were drawn for it, are made better too: those that save least are given up for
others that save more.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.env.storage.problem import Again, problem_of
from firebreak.fire import KnownFires, Scene
from firebreak.landscape.candidates.corridor import Cells, Corridor
from firebreak.landscape.landscape import Landscape
from firebreak.planning.core.corridors import mask_of, with_crossings
from firebreak.planning.core.plan import Plan, cost_of
from firebreak.planning.core.progress import Reporter, no_report, part_of
from firebreak.planning.core.rules import PlanRules
from firebreak.planning.evaluation.build_order import in_build_order
from firebreak.planning.evaluation.intervals import student_interval
from firebreak.planning.search.moves import improved

ALL = slice(None)
FIRST_SHARE = 16
"""Part of the fires, the first of so many, on which most segments show that they save something."""
KEPT = (1.0, 0.85, 0.7, 0.5, 0.0)
"""Shares of what a network costs that plans begin with; the last is a plan without it."""
IMPROVED = "improved"
"""The name of such a plan beside those of methods."""
BEFORE = 0.3
"""Of the progress: the order to build a network in."""
_ROUNDING = 1e-9  # relative to the mean loss; sums over fires carry rounding


class Moved(NamedTuple):
    """A plan after moves, what it saves of each choice fire, f64 [F], and how often these burned.
    """

    plan: Plan
    saved: NDArray[np.float64]
    burns: int


def moved_plan(scene: Scene, plan: Plan, saved: NDArray[np.float64],
               savings: Callable[[Plan], NDArray[np.float64]], rules: PlanRules,
               report: Reporter, again: Again | None = None) -> Moved:
    """A plan after the moves that save more on the choice fires; itself where none does.

    A longer way of moves has to save more than the best before it by its paired 95 % interval.

    Args:
        saved: f64 [F], what the plan saves of each choice fire.
        savings: the same of any plan.
        rules: that the moves keep to; without lines to choose among.
        report: takes the share that is done.
        again: see `Problem`.
    """
    plan_set = scene.fires("plan", plan.plan_fires)
    problem = replace(problem_of(scene, plan.budget_share, plan_set, plan_set.first(0)),
                      again=again)
    best, burns = Moved(plan, saved, 0), 0

    def judge(cells: NDArray[np.int64]) -> None:
        nonlocal best, burns
        own = _with_cells(plan, cells, scene)
        less, burns = savings(own), burns + 1
        if student_interval(less - best.saved)[0] > 0.0:
            best = Moved(own, less, burns)

    simulations = improved(problem, plan.cells, rules, plan.budget, judge, report)
    kept = replace(best.plan, simulations=plan.simulations + simulations)
    return Moved(kept, best.saved, burns)


def without_useless(known: KnownFires, plan: Plan, included: NDArray[np.int64],
                    segments: Sequence[Corridor]) -> tuple[Plan, int]:
    """A plan without segments that save nothing on the fires, unless `included`; how many."""
    useful = useful_segments(known, segments, included)
    if len(useful) == len(segments):
        return plan, 0
    stay = np.concatenate([np.empty(0, np.int64), *(
        segment.cells for segment in with_crossings(useful, known.scene.landscape))])
    return (_with_cells(plan, plan.cells[np.isin(plan.cells, stay)], known.scene),
            len(segments) - len(useful))


def useful_segments(known: KnownFires, segments: Sequence[Corridor],
                    included: NDArray[np.int64]) -> list[Corridor]:
    """Segments without those that save nothing on the fires beside the others.

    What saves something on the first of the fires is in use; the others are tried on all of them.
    All that save nothing go together where the fires then lose no more, as they do where nothing
    depends on two of them; else the one that saves least goes first, and the others are tried anew.

    Args:
        included: int64 [n], flat cells that the plan must have: their segments stay.
    """
    kept, shape = list(range(len(segments))), known.scene.landscape.shape
    known = known.under(mask_of(segments, shape))
    doubtful = [k for k in kept if not np.isin(segments[k].cells, included).any()]
    few = slice(-(-known.loss.size // FIRST_SHARE))
    whole, saved = saved_by_each(known, segments, doubtful, few)
    doubtful = [k for k, own in zip(doubtful, saved, strict=True) if own <= _ROUNDING * whole]
    while doubtful:
        standing = [segments[k] for k in kept]
        whole, saved = saved_by_each(known, standing, [kept.index(k) for k in doubtful])
        least = dict(zip(doubtful, saved.tolist(), strict=True))
        useless = [k for k in doubtful if least[k] <= _ROUNDING * whole]
        if not useless:
            break
        rest = [segments[k] for k in kept if k not in useless]
        if len(useless) == 1 or known.loss_under(mask_of(
                rest, shape)).mean() <= whole * (1.0 + _ROUNDING):
            return rest
        worst = min(useless, key=lambda k: (least[k], -k))
        kept.remove(worst)
        doubtful = [k for k in useless if k != worst]
    return [segments[k] for k in kept]


def saved_by_each(known: KnownFires, segments: Sequence[Corridor], which: Sequence[int],
                  part: slice = ALL) -> tuple[float, NDArray[np.float64]]:
    """Mean loss of a range of fires under all segments, and what those in `which` save of it beside
    all others.
    """
    shape = known.scene.landscape.shape
    standing = known.under(mask_of(segments, shape))
    loss, saved = standing.loss[part], np.zeros(len(which))
    for place, k in enumerate(which):
        rest = mask_of([*segments[:k], *segments[k + 1:]], shape)
        saved[place] = (standing.loss_under(rest, part) - loss).mean()
    return float(loss.mean()), saved


def improved_plan(scene: Scene, network: Sequence[Corridor], budget_share: float, rules: PlanRules,
                  make: Callable[[PlanRules, Reporter], Plan], plan_fires: int,
                  saving: Callable[[Plan], float], report: Reporter = no_report,
                  tell: Callable[[Plan], object] | None = None) -> Plan:
    """A plan that begins with the lines of a network that pay.

    The order in which to build them says which save least. So plans are made that keep a beginning
    of that order, shorter each time, and spend what is left of the budget as their method does. Of
    those that save most on other fires the one is kept that keeps most.

    Args:
        network: its lines.
        budget_share: of the cost of all treatable cells, where the rules have no budget.
        rules: of the plan; cells that it must have are there whatever it keeps.
        make: makes a plan that includes what its rules say.
        saving: of a plan, on fires that it was not made from.
        report: takes the share that is done.
        tell: takes the first of the plans, as soon as it is made.

    Raises:
        InputError: of `make`.
    """
    land = scene.landscape
    budget = budget_share * cost_of(np.flatnonzero(land.treatable), land)
    order = in_build_order(scene, list(network), plan_fires,
                           lambda done: report(BEFORE * done / max(len(network), 1)))
    begun = list(_beginnings(
        land, order, rules.include, budget if rules.budget is None else rules.budget))
    steps = np.linspace(BEFORE, 1.0, len(begun) + 1).tolist()
    best, most = None, -np.inf
    for include, first, last in zip(begun, steps, steps[1:], strict=False):
        plan = make(replace(rules, include=include), part_of(report, first, last))
        if best is None and tell is not None:
            tell(plan)
        saved = saving(plan)
        if best is None or saved > most:
            best, most = plan, saved
    assert best is not None, "a network has a beginning"
    return best


def _beginnings(land: Landscape, order: Sequence[Corridor], must: Cells,
                budget: float) -> Iterator[Cells]:
    """The cells to include with the lines that are kept, most of them first."""
    begun, costs = [must], [cost_of(must, land)]
    for line in order:
        begun.append(np.union1d(begun[-1], line.cells))
        costs.append(cost_of(begun[-1], land))
    last = -1
    for share in KEPT:
        most = min(costs[0] + share * (costs[-1] - costs[0]), budget) * (1.0 + 1e-9)
        # What must be included may be too dear already, which `make` refuses.
        count = max(int(np.searchsorted(costs, most, side="right")) - 1, 0)
        if count != last:
            yield begun[count]
        last = count


def _with_cells(plan: Plan, cells: NDArray[np.int64], scene: Scene) -> Plan:
    """The plan with other cells, and their cost."""
    return replace(plan, cells=cells, cost=cost_of(cells, scene.landscape))
