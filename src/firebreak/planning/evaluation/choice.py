"""The choice among several plans by what they save on choice fires, which no method saw.

The plans race: all burn a part of the fires, and those that may still be among the best burn the
next. Of the plans that are not significantly worse than the best, the first in a fixed order is
kept. Seconds do not count: one seed gives one plan on any machine.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.env.storage.problem import nothing_burned
from firebreak.fire import KnownFires, Scene
from firebreak.planning.core.fire_counts import CHOICE_SET
from firebreak.planning.core.plan import Plan
from firebreak.planning.core.progress import Reporter, no_report
from firebreak.planning.evaluation.intervals import Interval, student_interval

ALL = slice(None)
PARTS = (0.125, 0.25, 0.5, 1.0)
"""Shares of the fires after which plans fall out; after the last one all is known."""
FEWEST_FIRES = 100
"""Fires that a plan burns at least before it falls out: fewer say little of rare large losses."""
SIGMAS = 3.0
"""A plan falls out that is behind by so many standard errors of the paired difference. Chosen on
200 drawn jobs (`benchmarks/race.py`): no other choice than that of all fires was made there."""


class ChoiceFires(NamedTuple):
    """Fires that choose."""

    known: KnownFires

    def savings(self, plan: Plan, part: slice = ALL) -> NDArray[np.float64]:
        """Saving of each fire of a range under a plan, a share of the mean loss of all fires
        without breaks.
        """
        untreated = self.known.loss
        loss = self.known.loss_under(plan.break_mask(), part)
        shares: NDArray[np.float64] = (untreated[part] - loss) / untreated.mean()
        return shares


def choice_fires(scene: Scene, count: int) -> ChoiceFires:
    """The first choice fires of a scene, burned without breaks.

    Raises:
        InputError: they burn nothing of value.
    """
    known = KnownFires(scene, scene.fires(CHOICE_SET, count), scene.landscape.treatable)
    if not known.loss.mean() > 0.0:
        raise nothing_burned(scene)
    return ChoiceFires(known)


class Verdict(NamedTuple):
    """The plan that is kept.

    Attributes:
        chosen: its name.
        best: the one that saves most.
        behind: by how much each plan saves less than the best, the mean with its paired interval;
            in the fixed order.
    """

    chosen: str
    best: str
    behind: dict[str, Interval]


def race(names: Sequence[str], savings: Callable[[str, slice], NDArray[np.float64]], fires: int,
         places: int, report: Reporter = no_report, sigmas: float = SIGMAS,
         ) -> dict[str, NDArray[np.float64]]:
    """Saving of each fire under a plan, by the plan's name, f64 [n]; n is `fires`, and fewer, the
    first ones, of a plan that fell out.

    Args:
        names: of the plans.
        savings: of the plan of a name, for a range of the fires.
        places: how many plans are sure to burn all fires: those that save most.
        report: takes the share that is done, if no plan falls out.
        sigmas: see SIGMAS.
    """
    saved = {name: np.empty(0) for name in names}
    running, done = list(names), 0
    for first, last in pairwise([0, *ends_of(fires)]):
        for name in running:
            saved[name] = np.concatenate([saved[name], savings(name, slice(first, last))])
            done += last - first
            report(done / (fires * len(names)))
        running = still_running({name: saved[name] for name in running}, places, sigmas)
    report(1.0)
    return saved


def ends_of(fires: int) -> list[int]:
    """Number of fires that have burned after each part."""
    return sorted({min(max(round(share * fires), FEWEST_FIRES), fires) for share in PARTS})


def still_running(saved: Mapping[str, NDArray[np.float64]], places: int,
                  sigmas: float = SIGMAS) -> list[str]:
    """The plans that may be among the best: not behind the last of the `places` best by so many
    standard errors.
    """
    last = sorted(saved, key=lambda name: -float(saved[name].mean()))[:places][-1]
    return [name for name, own in saved.items() if not is_behind(saved[last] - own, sigmas)]


def is_behind(less: NDArray[np.float64], sigmas: float) -> bool:
    """True where a plan that saves so much less of each fire [n] is behind by more than chance."""
    return bool(less.mean() > sigmas * less.std(ddof=1) / np.sqrt(less.size))


def choose(saved: Mapping[str, NDArray[np.float64]], order: Sequence[str]) -> Verdict:
    """The first plan in `order` whose paired 95 % interval to the best holds 0. It takes the
    weather as given, for which plans are made.

    Args:
        saved: by name what each fire loses less under the plan, f64 [F], F >= 2; the same fires,
            and of a plan that is not to be kept the first ones.
        order: all of the names.
    """
    names = [name for name in order if name in saved]
    fires = max(own.size for own in saved.values())
    whole = [name for name in names if saved[name].size == fires]
    best = max(whole, key=lambda name: float(saved[name].mean()))  # the first of equals
    behind = {}
    for name in names:
        less = saved[best][:saved[name].size] - saved[name]
        behind[name] = Interval(float(less.mean()), *student_interval(less))
    chosen = next(name for name in whole if behind[name].low <= 0.0)
    return Verdict(chosen, best, behind)
