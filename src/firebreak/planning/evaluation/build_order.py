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
from firebreak.fire import Fires, KnownFires, Scene
from firebreak.landscape.candidates.corridor import Corridor
from firebreak.planning.core.corridors import mask_of
from firebreak.planning.core.progress import Reporter, in_shares, no_report
from firebreak.planning.search.plan_state import PlanState

MAX_TRIALS = 4
"""Times that every segment is removed on trial, at most."""
MOST_BURNS, FEWEST_FIRES = 16_384, 64
"""Plan fires times segments, and plan fires that each segment is tried on at least."""
MOST_HELD = 2**28
"""Bytes of what is known of fires without each segment, at most; else it is found anew."""

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
    standing = (_Anew if scene.field.burns_anew else _InPlace)(scene, segments, fires)
    saved = dict.fromkeys(range(len(segments)), 0.0)
    given_up: list[int] = []
    pause = -(-len(segments) // MAX_TRIALS)
    trials, done = sum(range(len(segments), 0, -pause)), 0
    share = in_shares(lambda part: report(part * len(segments)))

    def tried(k: int) -> float:
        nonlocal done
        done += 1
        share(done / trials)
        return standing.saved_by(k)

    while saved:
        fresh: set[int] = set()
        if len(given_up) % pause == 0:
            saved = {k: tried(k) for k in saved}
            fresh = set(saved)
        while True:
            least = min(saved, key=lambda k: (saved[k], -k))
            if least in fresh:
                break
            saved[least] = standing.saved_by(least)
            fresh.add(least)
        standing.give_up(least)
        del saved[least]
        given_up.append(least)
    return [segments[k] for k in reversed(given_up)]


class _InPlace:
    """Segments that stand, where fires are solved again in the places that a break changes."""

    def __init__(self, scene: Scene, segments: Sequence[Corridor], fires: Fires) -> None:
        # The order may not depend on the budget: all segments are affordable.
        self._state = PlanState(problem_of(scene, 1.0, fires, fires.first(0)))
        self._segments = segments
        for segment in segments:
            self._state.change([], segment.cells.tolist())

    def saved_by(self, k: int) -> float:
        """The saving of a segment on the fires beside the others, per unit of its cost."""
        before, cells = self._state.loss, self._segments[k].cells.tolist()
        self._state.change(cells, [])
        more = self._state.loss - before
        self._state.change([], cells)
        return more / self._segments[k].cost

    def give_up(self, k: int) -> None:
        """Takes a segment away."""
        self._state.change(self._segments[k].cells.tolist(), [])


class _Anew:
    """The same where fires burn anew: what is known of them without each segment holds for those
    that came near none which was given up since.
    """

    def __init__(self, scene: Scene, segments: Sequence[Corridor], fires: Fires) -> None:
        self._segments, self._mask = segments, mask_of(segments, scene.landscape.shape)
        self._all = KnownFires(scene, fires, self._mask).under(self._mask)
        self._without: dict[int, KnownFires] = {}

    def saved_by(self, k: int) -> float:
        """See `_InPlace`."""
        found = self._tried(k)
        if len(self._segments) * found.nbytes <= MOST_HELD:
            self._without[k] = found
        return float(found.loss.mean() - self._all.loss.mean()) / self._segments[k].cost

    def give_up(self, k: int) -> None:
        """Takes a segment away."""
        self._all = self._tried(k)
        self._mask.ravel()[self._segments[k].cells] = False
        self._without.pop(k, None)

    def _tried(self, k: int) -> KnownFires:
        rest = self._mask.copy()
        rest.ravel()[self._segments[k].cells] = False
        return self._without.get(k, self._all).under(rest, self._all)


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
