"""A race of plans on fires that no method was given: all plans burn a part of the fires, and those
that may still be among the best burn the next.

Which plans run on follows from the losses of the fires alone, never from the clock.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from firebreak.planning.core.progress import Reporter, no_report

PARTS = (0.125, 0.25, 0.5, 1.0)
"""Shares of the fires after which plans fall out; after the last one all is known."""
FEWEST = 100
"""Fires that a plan burns at least before it falls out: fewer say little of rare large losses."""
SIGMAS = 3.0
"""A plan falls out that is behind by so many standard errors of the paired difference. Chosen on
200 drawn jobs (`benchmarks/race.py`): no other choice than that of all fires was made there."""


def race(names: Sequence[str], savings: Callable[[str, slice], NDArray[np.float64]], fires: int,
         places: int, report: Reporter = no_report, sigmas: float = SIGMAS,
         ) -> dict[str, NDArray[np.float64]]:
    """By name what each fire loses less under a plan, f64 [n]; n is `fires`, and fewer, the first
    ones, of a plan that fell out.

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
    """How many fires have burned after each part."""
    return sorted({min(max(round(share * fires), FEWEST), fires) for share in PARTS})


def still_running(saved: Mapping[str, NDArray[np.float64]], places: int,
                  sigmas: float = SIGMAS) -> list[str]:
    """The plans that may be among the best: not behind the last of the `places` best by so many
    standard errors.
    """
    last = sorted(saved, key=lambda name: -float(saved[name].mean()))[:places][-1]
    return [name for name, own in saved.items() if not is_behind(saved[last] - own, sigmas)]


def is_behind(less: NDArray[np.float64], sigmas: float) -> bool:
    """Whether a plan that saves so much less of each fire [n] is behind by more than chance."""
    return bool(less.mean() > sigmas * less.std(ddof=1) / np.sqrt(less.size))
