"""The segments of a plan as a table and as vectors."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from firebreak.landscape.formats.write import write_text
from firebreak.landscape.landscape import Landscape
from firebreak.planning.core.area import Offset, lift_segments
from firebreak.planning.core.break_segments import BreakSegment, break_segments_of
from firebreak.planning.core.plan import Plan
from firebreak.planning.output.export_effect import BUILD_ORDER, csv_text
from firebreak.planning.output.vectors import write_segments


def in_plan_order(plan: Plan, landscape: Landscape, longest_m: float) -> list[BreakSegment]:
    """The segments of a plan, in the order in which it took the first cell of each."""
    rank = np.empty(landscape.fuel_model.size, np.int64)
    rank[plan.cells] = np.arange(plan.cells.size)
    return sorted(break_segments_of(plan.break_mask(), landscape, longest_m),
                  key=lambda segment: int(rank[segment.cells].min()))


def columns_of(segments: Sequence[BreakSegment], saved: Sequence[float], whole: float,
               unit: str, priced_in: str) -> list[dict[str, Any]]:
    """What is known of each segment, by column, as `export_effect.segment_columns` names them.

    Args:
        saved: by how much each lowers the mean loss once those before it are built; whole: the
            mean loss without any, both in `unit`.
        priced_in: what costs are in, see `Plan.priced_in`.
    """
    cost = np.cumsum([segment.cost for segment in segments])
    return [{BUILD_ORDER: k + 1, "cells": int(segment.cells.size),
             "length_m": round(segment.length_m, 1), "area_ha": round(segment.area_ha, 4),
             "cost": round(segment.cost, 4), "cumulative_cost": round(float(cost[k]), 4),
             "marginal_benefit": round(saved[k], 6),
             "benefit_percent": round(100.0 * saved[k] / whole, 4) if whole > 0.0 else 0.0,
             "benefit_per_cost": round(saved[k] / segment.cost, 6), "loss_unit": unit,
             "cost_unit": priced_in}
            for k, segment in enumerate(segments)]


def write_segment_table(folder: Path, segments: Sequence[BreakSegment],
                        columns: Sequence[Mapping[str, Any]], shape: tuple[int, int],
                        offset: Offset, full: Landscape) -> list[Path]:
    """Writes segments.csv and the vectors of `write_segments` into a folder; returns the files.

    shape: of the part of the whole map that the segments are of; offset: where it lies.
    """
    whole = lift_segments(segments, shape, offset, full)
    return [*write_segments(folder, whole, [dict(row) for row in columns], full, BUILD_ORDER),
            write_text(folder / "segments.csv", [csv_text(columns)])]
