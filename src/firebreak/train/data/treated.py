"""Landscapes on which breaks are made by treatments of a table: where each can be done, and what it
costs there.
"""

from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from firebreak.checks import fail
from firebreak.env.sources import LandscapeDraw
from firebreak.fire import FireConditions, flames_after
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.treatment_table import per_ha, with_treatments
from firebreak.seeding import integer_seed
from firebreak.train.config.schema import RunConfig
from firebreak.train.config.setup import TREATMENT, treatment_rows

MOST_DRAWS = 100
"""Landscapes that are drawn in place of ones where nothing can be treated, at most."""

Treat = Callable[[Landscape], Landscape | None]
"""A landscape with the treatment and the cost of each cell; None where no cell can be treated, or
so few that the budget, a share of what treating all of them costs, buys none.
"""


def treat_as(config: RunConfig, conditions: FireConditions, data: Path) -> Treat:
    """Return the function that treats a landscape as configured; where no treatment is named it
    does nothing.
    """
    rows, breaks = treatment_rows(config, data), config.breaks
    treatment = conditions.treatment

    def treat(land: Landscape) -> Landscape | None:
        done = np.stack([np.isfinite(per_ha(row, land.slope_tan)) for row in rows])
        reached = None
        if breaks.treated_flame_m is not None:
            reached = flames_after(land, treatment.by_cell or (treatment,), conditions,
                                   config.seed) <= breaks.treated_flame_m
            done &= reached
        if not (land.treatable & done.any(axis=0)).any():
            return None
        treated = with_treatments(land, rows, TREATMENT, breaks.break_width_m, reached)
        costs = treated.cost[treated.treatable].astype(np.float64)
        return treated if costs.min() <= config.budget * costs.sum() else None

    return treat if rows else lambda land: land


def treated_draw(draw: LandscapeDraw, treat: Treat) -> LandscapeDraw:
    """The landscapes of a draw, treated; in the place of one where nothing can be treated another.
    """
    def drawn(seed: int, episode: int) -> Landscape:
        for again in range(MOST_DRAWS):
            own = seed if again == 0 else integer_seed(seed, "treatable", again)
            land = treat(draw(own, episode))
            if land is not None:
                return land
        raise _nowhere()

    return drawn


def all_treated(lands: Iterable[Landscape], treat: Treat) -> list[Landscape]:
    """Landscapes, treated, without those where nothing can be treated.

    Raises:
        InputError: none is left.
    """
    found = [land for land in map(treat, lands) if land is not None]
    if not found:
        raise _nowhere()
    return found


def _nowhere() -> Exception:
    return fail(expected="landscapes on which the treatment can be done",
                given="none, on their slopes and in their weather", where=TREATMENT,
                remedy="name another treatment, or add a gentler cost row to a table of your own")
