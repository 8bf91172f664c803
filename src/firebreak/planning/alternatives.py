"""Alternatives to a plan of corridors: plans that do nearly as much elsewhere, where a permit or an
owner rules out what the plan builds first.

Plans that other methods made already come first. Then the plan's method plans again on a part of
the plan fires, off what each plan so far builds first, and off all of them where that is not
enough. Of each its first parts count, which cost little more than the plan. The first that saves
too little ends the search, as what avoids more mostly saves less; and so does the work that it may
take.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.landscape.candidates.corridor import Cells, Corridor, with_line_lengths
from firebreak.landscape.landscape import Landscape, mask_of_cells
from firebreak.planning.core.build_rules import near_to
from firebreak.planning.core.plan import Plan, cost_of
from firebreak.planning.core.progress import Reporter, no_report, part_of
from firebreak.planning.core.rounds import spendable
from firebreak.planning.evaluation.knee import KNEE_SAVED, Knee

MOST_SHARED, LEAST_SAVED, MOST_FOUND = 0.5, 0.9, 3
"""Share of its cells that an alternative has in common with the plan and with any other, at most;
share of what the plan saves on choice fires that it saves, at least; their number, at most.
"""
AVOIDED = (0.6, 1.0)
"""Shares of the cells of earlier plans, in build order, that the next plan keeps off, one after the
other: more than half, as the rest may lie beside them.
"""
PART, FEWEST_FIRES, MOST_COST, MOST_WORK = 0.25, 32, 1.25, 1.0 / 3.0
"""Of what the plan took, to plan again: the part of its plan fires, but so many at least; the cost,
at most; the burns in all, after which nothing is planned again.
"""
NAME = "alternative-{}"

Again = Callable[[NDArray[np.bool_], Reporter], Plan | None]
"""Makes a plan whose corridors do not run along cells [H, W], and reports the share that is done;
None where nothing can be built.
"""


class Alternative(NamedTuple):
    """A plan in the place of another. parts: in the order in which it took them, which is theirs to
    be built; shared: see `share_in_common`; saved: share of the loss of the choice fires.
    """

    plan: Plan
    parts: list[Corridor]
    shared: float
    saved: float


class Alternatives(NamedTuple):
    """The alternatives to a plan by name. less: the largest share of what the plan saves that plans
    save which differ enough and save too little; None where there is none.
    """

    found: dict[str, Alternative]
    less: float | None

    def words(self) -> str | None:
        """A sentence on why there are no more; None where there are as many as are looked for."""
        if len(self.found) == MOST_FOUND:
            return None
        best = "" if self.less is None else f"; the best one saves {self.less:.0%} of it"
        return (f"no {'further ' * bool(self.found)}alternative: no plan that has at most "
                f"{MOST_SHARED:.0%} of its cells in common with {self._others} was found to save "
                f"{LEAST_SAVED:.0%} of what the plan saves on the choice fires{best}")

    @property
    def _others(self) -> str:
        return "the plan and each alternative" if self.found else "the plan"


def fires_again(plan_fires: int) -> int:
    """The number of plan fires to plan again on, of so many."""
    return min(plan_fires, max(FEWEST_FIRES, round(PART * plan_fires)))


def find_alternatives(land: Landscape, knee: Knee, others: Iterable[Plan], again: Again,
                      parts_in: Callable[[Plan], list[Corridor]], saved_by: Callable[[Plan], float],
                      included: Cells, report: Reporter = no_report) -> Alternatives:
    """The alternatives to a plan that ends at its knee and saves something there.

    Args:
        others: plans that were made already.
        again: plans anew, by the plan's method.
        parts_in: the parts of a plan in the order in which it took them.
        saved_by: what a plan saves of the choice fires that the knee is found on.
        included: flat cells that every plan must have.
        report: takes the share of the search that is done.
    """
    own = Alternative(knee.plan, knee.parts, 1.0, (knee.plan.notes or {})[KNEE_SAVED])
    found, less = [own], list[float]()

    def keep(plan: Plan) -> bool:
        saved = saved_by(plan)
        if saved < LEAST_SAVED * own.saved:
            less.append(saved / own.saved)
            return False
        found.append(Alternative(
            plan, with_line_lengths(parts_in(plan), land.shape[1], land.cell_size_m),
            share_in_common(plan.cells, knee.plan.cells, land, included), saved))
        report((len(found) - 1) / MOST_FOUND)
        return True

    def beginning(plan: Plan) -> Plan | None:
        """A plan as far as little more than the plan's cost pays for it, where that differs."""
        cells = _within(parts_in(plan), MOST_COST * knee.plan.cost)
        differs = cells.size and all(share_in_common(
            cells, one.plan.cells, land, included) <= MOST_SHARED for one in found)
        return replace(plan, cells=cells, cost=cost_of(cells, land)) if differs else None

    def next_one() -> Plan | None:
        for k, share in enumerate(AVOIDED):
            first, last = ((len(found) - 1 + part / len(AVOIDED)) / MOST_FOUND
                           for part in (k, k + 1))
            whole = again(near_to(mask_of_cells(_beginnings(found, share), land.shape), land),
                          part_of(report, first, last))
            if whole is not None and (made := beginning(whole)) is not None:
                return made
        return None

    for other in others:
        if len(found) <= MOST_FOUND and (made := beginning(other)) is not None:
            keep(made)
    while len(found) <= MOST_FOUND and (made := next_one()) is not None and keep(made):
        pass
    report(1.0)
    return Alternatives({NAME.format(number): one for number, one in enumerate(found[1:], start=1)},
                        max(less, default=None))


def share_in_common(one: Cells, other: Cells, landscape: Landscape, included: Cells) -> float:
    """The share, 0 to 1, of a plan's flat cells that lie on another's or beside them, or that of
    the other's, if it is larger; without cells that both must have.
    """
    own, its = np.setdiff1d(one, included), np.setdiff1d(other, included)
    if not own.size or not its.size:
        return 0.0
    return max(float(near_to(mask_of_cells(that, landscape.shape), landscape).ravel()[this].mean())
               for this, that in ((own, its), (its, own)))


def _within(parts: Sequence[Corridor], most: float) -> Cells:
    """Cells of the first parts that so much pays for."""
    cost = np.cumsum([part.cost for part in parts])
    return np.concatenate([np.empty(0, np.int64), *(
        part.in_order() for part, sum_ in zip(parts, cost.tolist(), strict=True)
        if sum_ <= spendable(most))])


def _beginnings(plans: Sequence[Alternative], share: float) -> Cells:
    """Cells of the first parts of each plan, as many as have a share of its cells at least."""
    cells = []
    for own in plans:
        before = np.cumsum([0, *(part.cells.size for part in own.parts)])[:-1]
        cells += [part.cells for part, sum_before in zip(own.parts, before.tolist(), strict=True)
                  if sum_before < share * own.plan.cells.size]
    return np.concatenate([np.empty(0, np.int64), *cells])
