"""The order in which to build a plan's segments, so that each beginning is a good plan, and the
year in which each of them is built. Backwards: the segment that saves least per cost is given up,
and so on, so that segments that need one another stay together. It is made on the plan fires, so
that the test fires may say how good it is.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from firebreak.checks import fail
from firebreak.env.storage.problem import problem_of
from firebreak.fire import Scene
from firebreak.landscape.candidates.corridor import Corridor
from firebreak.planning.core.progress import Reporter, in_shares, no_report
from firebreak.planning.search.plan_state import PlanState

MAX_TRIALS = 4
"""Times that every segment is removed on trial, at most."""
MOST_BURNS, FEWEST_FIRES = 16_384, 64
"""Plan fires times segments, and plan fires that each segment is tried on at least."""

LAST_YEAR = 9999
"""Of phases."""

_ROUNDING = 1e-6  # relative; sums of costs carry rounding


def in_build_order(scene: Scene, segments: list[Corridor], plan_fires: int,
                   report: Reporter = no_report) -> list[Corridor]:
    """Segments in the order to build them.

    What a segment saves falls when one that it works with is given up, and rises when one that
    stood in for it is. All segments are therefore tried anew MAX_TRIALS times, every time where
    there are no more than MAX_TRIALS segments; in between a value stands until it is the least, and
    is then computed again (after Minoux 1978, doi:10.1007/BFb0006528). Ties go to the last cell.

    Args:
        plan_fires: number of fires of the set "plan"; see MOST_BURNS for how many of them decide.
        report: takes segments, in parts of them from the first trial on.
    """
    if len(segments) < 2:
        report(len(segments))
        return list(segments)
    few = min(plan_fires, max(FEWEST_FIRES, MOST_BURNS // len(segments)))
    fires = scene.fires("plan", plan_fires).first(few)
    # The order may not depend on the budget: all segments are affordable.
    state = PlanState(problem_of(scene, 1.0, fires, fires.first(0)))
    for segment in segments:
        state.change([], segment.cells.tolist())
    saved = dict.fromkeys(range(len(segments)), 0.0)
    given_up: list[int] = []
    pause = -(-len(segments) // MAX_TRIALS)
    trials, done = sum(range(len(segments), 0, -pause)), 0
    share = in_shares(lambda part: report(part * len(segments)))

    def tried(k: int) -> float:
        nonlocal done
        done += 1
        share(done / trials)
        return _saved_by(state, segments[k])

    while saved:
        fresh: set[int] = set()
        if len(given_up) % pause == 0:
            saved = {k: tried(k) for k in saved}
            fresh = set(saved)
        while True:
            least = min(saved, key=lambda k: (saved[k], -k))
            if least in fresh:
                break
            saved[least] = _saved_by(state, segments[least])
            fresh.add(least)
        state.change(segments[least].cells.tolist(), [])
        del saved[least]
        given_up.append(least)
    return [segments[k] for k in reversed(given_up)]


def _saved_by(state: PlanState, segment: Corridor) -> float:
    """The saving of a segment on the plan fires beside the others, per unit of its cost."""
    before, cells = state.loss, segment.cells.tolist()
    state.change(cells, [])
    more = state.loss - before
    state.change([], cells)
    return more / segment.cost


class Phase(NamedTuple):
    """A year, and what may be spent in it, in units of cost. What is left goes to the next."""

    year: int
    budget: float


def check_phases(phases: Sequence[Phase], where: str) -> None:
    """Holds phases to rising years of four digits at most and budgets that are not negative.

    Raises:
        InputError: they are not.
    """
    years = [phase.year for phase in phases]
    if years != sorted(set(years)):
        raise fail(expected="years in ascending order", given=", ".join(map(str, years)),
                   where=where, remedy="list each year once, the earliest first")
    if not all(0 < year <= LAST_YEAR for year in years):
        raise fail(expected=f"years from 1 to {LAST_YEAR}", given=", ".join(map(str, years)),
                   where=where, remedy="correct the years")
    budgets = [phase.budget for phase in phases]
    if any(not 0.0 <= budget < np.inf for budget in budgets) or not sum(budgets) > 0.0:
        raise fail(expected="a budget of 0 or more for each year, and a sum above 0",
                   given=", ".join(f"{budget:g}" for budget in budgets), where=where,
                   remedy="correct the budgets")


def years_of(segments: Sequence[Corridor], phases: Sequence[Phase]) -> list[int]:
    """The year of each segment, in the order to build them: the first by whose end all that was
    ever to be spent pays for it and those before it.

    Raises:
        InputError: the years together do not pay for the segments.
    """
    paid = np.cumsum([phase.budget for phase in phases])
    spent = np.cumsum([segment.cost for segment in segments])
    place = np.searchsorted(paid * (1.0 + _ROUNDING), spent)
    if place.size and int(place[-1]) == len(phases):
        raise fail(expected=f"phases whose budgets pay for the plan ({spent[-1]:g})",
                   given=f"{paid[-1]:g}", where="phases", remedy="raise their budgets")
    return [phases[k].year for k in place.tolist()]
