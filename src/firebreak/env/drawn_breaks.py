"""The breaks of an episode, drawn for each episode of a mixture: their kind, where they may go,
what they cost and which stand already.
"""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from firebreak.fire import FireConditions, HoldRule
from firebreak.landscape.fuel_systems import DEFAULT_SYSTEM
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.synthetic.job_land import draw_existing, draw_part, slope_costs
from firebreak.landscape.treatments import Treatment
from firebreak.seeding import generator
from firebreak.settings.mixture import MixtureSettings
from firebreak.settings.scene import DRAWN_BREACH, DRAWN_HOLD_BY

DrawnKind = Literal["given", "shaded", "narrow", "breached", "held"]
DRAWN_KINDS: tuple[DrawnKind, ...] = ("shaded", "narrow", "breached", "held")
"""Kinds of break that an episode may have, by the names of their shares; else "given", which are
those of the conditions.
"""

HELD_ON = DEFAULT_SYSTEM
"""Fuel system of the land on which crews hold breaks. In another they judge fires by another
measure, and the fires of all environments burn in one call, which has one.
"""
_NO_CELLS = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnBreaks:
    """One episode's draw. kind: of its breaks. width_share: of narrow and breached breaks, in
    cells. part, existing: whether a part is treatable and whether breaks stand. cost_slope: what a
    slope of 100 % adds to the cost, 0 for nothing.
    """

    kind: DrawnKind
    width_share: float
    part: bool
    existing: bool
    cost_slope: float


def draw_breaks(shares: MixtureSettings, seed: int, episode: int,
                shape: tuple[int, int]) -> DrawnBreaks:
    """The breaks of an episode on a map of this shape: validation has the same episodes on maps of
    each size. Its values do not hang on one another, nor on what else is drawn.
    """
    rng = generator(seed, "job", episode, *shape)
    ends = np.cumsum([getattr(shares, kind) for kind in DRAWN_KINDS])
    place = int(np.searchsorted(ends, rng.random(), side="right"))
    width = float(rng.uniform(*shares.width_share))
    part, existing, dear = (float(rng.random()) < share for share in (
        shares.parts, shares.existing, shares.slope_costs))
    rise = float(rng.uniform(*shares.cost_slope))
    return DrawnBreaks(kind=(*DRAWN_KINDS, "given")[place], width_share=width, part=part,
               existing=existing, cost_slope=rise if dear else 0.0)


def conditions_under(drawn: DrawnBreaks, conditions: FireConditions,
                     land: Landscape) -> FireConditions:
    """The conditions with the breaks of an episode on a landscape."""
    if drawn.kind == "given":
        return conditions
    if drawn.kind in ("shaded", "held"):
        crews = drawn.kind == "held" and land.fuel_system == HELD_ON
        return replace(conditions, treatment=Treatment(kind="shaded"), breach="never",
                       hold=HoldRule(by=DRAWN_HOLD_BY) if crews else None)
    strip = Treatment(width_m=drawn.width_share * land.cell_size_m)
    return replace(conditions, treatment=strip, hold=None,
                   breach=DRAWN_BREACH if drawn.kind == "breached" else "never")


def land_under(drawn: DrawnBreaks, land: Landscape, seed: int,
               episode: int) -> tuple[Landscape, NDArray[np.int64]]:
    """The landscape of an episode, and the flat cells of the breaks that stand on it, which are not
    treatable any more; none stand where they would leave nothing to treat.
    """
    rng = generator(seed, "job-land", episode)
    part = draw_part(rng, land) if drawn.part else land.treatable
    existing = draw_existing(rng, land) if drawn.existing else _NO_CELLS
    free = part.copy()
    free.ravel()[existing] = False
    if not free.any():
        free, existing = part, _NO_CELLS
    cost = slope_costs(land, drawn.cost_slope) if drawn.cost_slope else land.cost
    return replace(land, treatable=free, cost=cost), existing
