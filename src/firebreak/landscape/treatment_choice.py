"""The treatment of each cell, where one can be done at all, and its cost there."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import fail
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.treatment_table import TreatmentRow
from firebreak.landscape.treatments import Treatment

NONE = -1
"""Of `Landscape.treatment`: none of the treatments can be done in the cell."""


def per_ha(row: TreatmentRow, slope_tan: NDArray[np.float32]) -> NDArray[np.float64]:
    """The cost of a hectare at slopes [...], inf where it cannot be done."""
    bounds = np.array([cost.to_slope_percent for cost in row.costs])
    prices = np.array([*(cost.per_ha for cost in row.costs), np.inf])
    # A slope of a bound belongs to its row; float32 slopes are off by less than a thousandth.
    found: NDArray[np.float64] = prices[np.searchsorted(bounds, 100.0 * slope_tan - 1e-3)]
    return found


def with_treatments(landscape: Landscape, rows: Sequence[TreatmentRow], where: str,
                    width_m: float | None = None,
                    reached: NDArray[np.bool_] | None = None) -> Landscape:
    """The landscape with the cheapest treatment of each cell among those that can be done there and
    reach what is asked for; the first of those that cost the same. Costs are the treatment's, and
    cells that get none are not treatable.

    Args:
        where: how the treatments were asked for, for errors.
        width_m: of the strip that is treated; None for the whole cell.
        reached: bool [K, H, W], where each treatment reaches the effect that was asked for; all of
            them everywhere if None.

    Raises:
        InputError: the landscape has costs by cell, or no cell gets a treatment.
    """
    if (landscape.cost != 1.0).any():
        raise fail(expected="costs by cell, or treatments, whose table has costs", given="both",
                   where=where, remedy="leave the costs out, or put them into a table of your own")
    prices = np.stack([per_ha(row, landscape.slope_tan) for row in rows])
    if reached is not None:
        prices[~reached] = np.inf
    least = prices.min(axis=0)
    done = np.isfinite(least)
    if landscape.treatable.any() and not (landscape.treatable & done).any():
        raise _nowhere(landscape, rows, where, reached is not None)
    cost = np.where(done, least * treated_ha(landscape, width_m), 1.0)
    return replace(landscape, treatable=landscape.treatable & done, cost=cost.astype(np.float32),
                   currency=rows[0].currency,
                   treatment=np.where(done, prices.argmin(axis=0), NONE).astype(np.int16))


def treatment_of_rows(rows: Sequence[TreatmentRow], age_years: int, where: str,
                      width_m: float | None = None) -> Treatment:
    """Breaks made by these treatments at an age, as the engine takes them.

    Args:
        where: how the treatments were asked for, for errors.
        width_m: of the strip of bare ground; None for the whole cell.

    Raises:
        InputError: an age beyond a table, treatments that leave bare ground beside others, a width
            of breaks that burn.
    """
    after = [row.state_at(age_years, where).treatment for row in rows]
    kinds = {one.kind for one in after}
    if len(kinds) > 1:
        bare = [row.name for row, one in zip(rows, after, strict=True) if one.kind == "hard"]
        raise fail(expected="treatments that all leave bare ground, or none of them",
                   given=f"{' and '.join(bare)} beside others", where=where,
                   remedy="plan with these and with the others by themselves")
    if kinds == {"hard"}:
        after = [replace(one, width_m=width_m) for one in after]
    elif width_m is not None:
        raise fail(expected="no width beside a treatment of whole cells, which burn",
                   given=f"{width_m:g} m", where=where, remedy="leave --break-width-m out")
    if len(after) == 1:
        return after[0]
    return Treatment(kind=after[0].kind, width_m=after[0].width_m,
                     name=", ".join(row.name for row in rows), by_cell=tuple(after))


def _nowhere(landscape: Landscape, rows: Sequence[TreatmentRow], where: str,
             bounded: bool) -> Exception:
    slopes = landscape.slope_tan[landscape.treatable]
    steepest = max(row.steepest_percent for row in rows)
    effect = " and reaches the flame length" if bounded else ""
    return fail(expected=f"a treatable cell where {' or '.join(row.name for row in rows)} can be "
                         f"done (slopes up to {steepest:g} %){effect}",
                given=f"none, on slopes from {100.0 * float(slopes.min()):.0f} to "
                      f"{100.0 * float(slopes.max()):.0f} %",
                where=where, remedy="name another treatment")


def treated_ha(landscape: Landscape, width_m: float | None = None) -> float:
    """Hectares of a cell that are treated: all of it, or a strip of this width."""
    size = landscape.cell_size_m
    return size * (size if width_m is None else width_m) / 1e4


def with_roads(cost: NDArray[np.float64], road_m: NDArray[np.floating],
               per_km: float) -> NDArray[np.float64]:
    """Costs [H, W] with the share that the way from the nearest road, m, adds."""
    return cost * (1.0 + per_km * road_m / 1000.0)
