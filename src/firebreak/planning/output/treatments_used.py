"""Which treatments a plan asks for, where, and what they cost."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firebreak.landscape.landscape import Landscape
from firebreak.landscape.treatment_choice import treated_ha
from firebreak.landscape.treatment_table import TreatmentRow


def treatments_used(landscape: Landscape, cells: NDArray[np.int64], rows: Sequence[TreatmentRow],
                    width_m: float | None) -> list[dict[str, Any]]:
    """What each treatment does in a plan of flat cells, by column; those that it does not use are
    left out.

    Args:
        rows: the treatments that `landscape.treatment` numbers.
        width_m: of the strip that is treated; None for the whole cell.
    """
    assert landscape.treatment is not None
    own = landscape.treatment.ravel()[cells]
    cost = landscape.cost.ravel()[cells].astype(np.float64)
    each_ha = treated_ha(landscape, width_m)
    found = []
    for k, row in enumerate(rows):
        count = int((own == k).sum())
        if count:
            found.append({"treatment": row.name, "title": row.title, "cells": count,
                          "area_ha": round(count * each_ha, 4),
                          "cost": round(float(cost[own == k].sum()), 2),
                          "upkeep_per_year": round(count * each_ha * row.upkeep_per_ha_year, 2),
                          "currency": row.currency,
                          "sources": "; ".join(sources_of(row))})
    return found


def treatments_of_cells(landscape: Landscape, cells: NDArray[np.int64],
                        rows: Sequence[TreatmentRow]) -> str:
    """The treatments of some cells in words, the one of most cells first."""
    assert landscape.treatment is not None
    counts = np.bincount(landscape.treatment.ravel()[cells], minlength=len(rows))
    used = [k for k in np.argsort(-counts, kind="stable").tolist() if counts[k]]
    if len(used) == 1:
        return rows[used[0]].name
    return ", ".join(f"{rows[k].name} {counts[k] / cells.size:.0%}" for k in used)


def sources_of(row: TreatmentRow) -> list[str]:
    """The sources of a treatment's numbers, each once, in the order of the table."""
    every = [*(state.source for state in row.states), *(cost.source for cost in row.costs),
             row.upkeep_source]
    return list(dict.fromkeys(every))
