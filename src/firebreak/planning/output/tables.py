"""Tables of a plan: of its segments, its treatments, its alternatives, and what is done in which
year.
"""

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import counted
from firebreak.landscape.candidates.corridor import Corridor
from firebreak.landscape.landscape import FloatGrid, Landscape
from firebreak.landscape.treatment_table import TreatmentRow, treated_ha
from firebreak.planning.alternatives import Alternative
from firebreak.planning.core.plan import Plan
from firebreak.planning.evaluation.evaluate import Difference, Evaluation
from firebreak.planning.output.buildable import Counts
from firebreak.planning.years.savings import YearsResult, discount_factors
from firebreak.planning.years.schedule import BUILD_ONCE, NOT_BUILT, Schedule

BUILD_ORDER = "build_order"
"""The number of a segment wherever it is told, from 1: the order in which to build them."""
SLOPE_CLASSES = ((0.10, "0 to 10 %"), (0.25, "10 to 25 %"), (0.40, "25 to 40 %"))
STEEPER = "over 40 %"


def slope_class(slope_tan: float) -> str:
    """The class of a slope, in words."""
    return next((words for most, words in SLOPE_CLASSES if slope_tan <= most), STEEPER)


def treatments_used(landscape: Landscape, cells: NDArray[np.int64], rows: Sequence[TreatmentRow],
                    width_m: float | None) -> list[dict[str, Any]]:
    """Area and cost of each treatment in a plan of flat cells, by column; those not used are
    left out.

    Args:
        rows: the treatments that `landscape.treatment` numbers.
        width_m: of the strip that is treated; None for the whole cell.
    """
    assert landscape.treatment is not None
    own = landscape.treatment.ravel()[cells]
    cost = landscape.cost.ravel()[cells].astype(np.float64)
    each_ha = treated_ha(landscape, width_m).ravel()[cells]
    found = []
    for k, row in enumerate(rows):
        count, hectares = int((own == k).sum()), float(each_ha[own == k].sum())
        if count:
            found.append({"treatment": row.name, "title": row.title, "cells": count,
                          "area_ha": round(hectares, 4),
                          "cost": round(float(cost[own == k].sum()), 2),
                          "upkeep_per_year": round(hectares * row.upkeep_per_ha_year, 2),
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


def years_table(found: YearsResult, per_value: float) -> list[dict[str, Any]]:
    """A row for each schedule and year: what is spent, what stands, what the year saves and loses.

    per_value: of the losses' unit in a value of 1.
    """
    weight = discount_factors(found.discount_rate, len(found.years))
    return [{"schedule": name, "chosen": name == found.chosen, "year": year,
             "build_cost": round(float(own.built[place]), 2),
             "upkeep_cost": round(float(own.kept[place]), 2),
             "again_cost": round(float(own.again[place]), 2),
             "segments_standing": int((own.age[place] != NOT_BUILT).sum()),
             "reduction": round(float(found.saved[name].by_year[place]), 6),
             "mean_loss": round(per_value * float(found.saved[name].loss[place]), 6),
             "mean_loss_low": round(per_value * float(found.saved[name].loss_low[place]), 6),
             "mean_loss_high": round(per_value * float(found.saved[name].loss_high[place]), 6),
             "discount_factor": round(float(weight[place]), 6)}
            for name, own in found.schedules.items() for place, year in enumerate(found.years)]


def schedule_table(found: YearsResult, segments: Sequence[Corridor]) -> list[dict[str, Any]]:
    """A row for each thing to do in the schedule that is kept, by year, named by build order."""
    own, prices = found.schedules[found.chosen], found.prices
    actions = (("build", prices.build), ("keep up", prices.upkeep), ("treat again", prices.build))
    return [{"year": year, "action": action, "build_order": k + 1,
             "area_ha": round(segments[k].area_ha, 4), "cost": round(float(price[k]), 2)}
            for year, done in zip(found.years, own.done, strict=True)
            for (action, price), numbers in zip(actions, done, strict=True) for k in numbers]


def years_built(found: YearsResult) -> list[int | None]:
    """The year in which the kept schedule builds each segment, in build order, or None."""
    age = found.schedules[found.chosen].age
    stands = age != NOT_BUILT
    return [found.years[int(first)] if any_ else None
            for first, any_ in zip(stands.argmax(axis=0), stands.any(axis=0), strict=True)]


def years_words(found: YearsResult) -> str:
    """A sentence on the schedule that is kept, and what it saves."""
    kept, name = found.saved[found.chosen], found.chosen
    words = (f"over {counted(len(found.years), 'year')} {name} is kept: it saves "
             f"{kept.reduction:.1%} ({kept.low:.1%} to {kept.high:.1%})")
    if name == BUILD_ONCE.name:
        return f"{words}; no other schedule is significantly better"
    return (f"{words}, {kept.more:+.1%} ({kept.more_low:+.1%} to {kept.more_high:+.1%}) beside "
            f"{BUILD_ONCE.name}")


def years_record(found: YearsResult) -> dict[str, Any]:
    """The schedule that is kept, for machines."""
    kept = found.saved[found.chosen]
    return {"schedule": found.chosen, "years": len(found.years),
            "discount_rate": found.discount_rate,
            **{name: getattr(kept, name) for name in ("reduction", "low", "high", "more",
                                                      "more_low", "more_high")}}


def spent(own: Schedule) -> float:
    """Cost of a schedule in all years."""
    return float(own.built.sum() + own.kept.sum() + own.again.sum())


def columns_of(segments: Sequence[Corridor], saved: Sequence[float], whole: float,
               unit: str, priced_in: str, width_m: float,
               strip_m: FloatGrid | None = None) -> list[dict[str, Any]]:
    """Columns that each segment of every plan has.

    Args:
        saved: by how much each lowers the mean loss once those before it are built; whole: the
            mean loss without any, both in `unit`.
        priced_in: what costs are in, see `Plan.priced_in`.
        width_m: that is treated; strip_m: the same by cell, where widths differ.
    """
    cost = np.cumsum([segment.cost for segment in segments])
    named = any(segment.name for segment in segments)
    return [{BUILD_ORDER: k + 1, **(_name_and_ends(segment) if named else {}),
             "cells": int(segment.cells.size),
             "length_m": round(segment.length_m, 1),
             "width_m": round(_width_m(segment, width_m if strip_m is None else float(
                 strip_m.ravel()[segment.cells].mean(dtype=np.float64))), 2),
             "area_ha": round(segment.area_ha, 4),
             "cost": round(segment.cost, 4), "cumulative_cost": round(float(cost[k]), 4),
             "marginal_benefit": _round(saved[k], 6),
             "benefit_percent": _round(100.0 * saved[k] / whole, 4) if whole > 0.0 else 0.0,
             "benefit_per_cost": _round(saved[k] / segment.cost, 6), "loss_unit": unit,
             "cost_unit": priced_in}
            for k, segment in enumerate(segments)]


def _width_m(segment: Corridor, width_m: float) -> float:
    """The mean width of a segment that treats cells beside its path; else that of all."""
    beside = segment.cells.size - np.isin(segment.cells, segment.path).sum()
    return 1e4 * segment.area_ha / segment.length_m if beside and segment.path.size else width_m


def _name_and_ends(part: Corridor) -> dict[str, Any]:
    """Columns of a corridor that a part of any other plan has not."""
    return {"name": part.name or "piece", "kind": part.kind, **part.facts(),
            "slope_class": "" if part.ground is None else slope_class(part.ground.slope)}


def _round(number: float, digits: int) -> float:
    """Rounded, and no -0 where next to nothing is lost."""
    return round(float(number), digits) + 0.0


def alternatives_table(plan: Plan, segments: Sequence[Corridor], found: Mapping[str, Alternative],
                       evaluation: Evaluation,
                       counts: Mapping[str, Counts]) -> list[dict[str, Any]]:
    """A row for a plan of corridors and for each alternative to it; none without alternatives.
    difference: how much more it saves than the plan.
    """
    every = {plan.label: Alternative(plan, [*segments], 1.0, 0.0), **found} if found else {}
    rows = []
    for name, own in every.items():
        saved = evaluation.methods[name]
        less = evaluation.paired.get(f"{plan.label} - {name}", Difference(0.0, 0.0, 0.0))
        rows.append({
            "plan": name, "method": own.plan.method, "cost": round(own.plan.cost, 4),
            "cost_unit": plan.priced_in,
            "length_km": round(sum(part.length_m for part in own.parts) / 1000.0, 3),
            "pieces": counts[name].pieces, "share_in_common": round(own.shared, 4),
            **{key: _round(share, 6) for key, share in (
                ("reduction", saved.reduction), ("reduction_low", saved.low),
                ("reduction_high", saved.high), ("difference", -less.difference),
                ("difference_low", -less.high), ("difference_high", -less.low))}})
    return rows


def alternatives_rows(rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, ...]]:
    """The table of `alternatives_table` for people, its header first."""
    return [("plan", "method", f"cost, {rows[0]['cost_unit']}", "km", "pieces", "in common",
             "saves", "95 % interval", "more than the plan", "95 % interval"), *(
        (row["plan"], row["method"], f"{row['cost']:,.6g}", f"{row['length_km']:.1f}",
         f"{row['pieces']}", f"{row['share_in_common']:.0%}", f"{row['reduction']:.1%}",
         f"{row['reduction_low']:.1%} to {row['reduction_high']:.1%}",
         f"{row['difference']:+.1%}",
         f"{row['difference_low']:+.1%} to {row['difference_high']:+.1%}") for row in rows)]


_COMPUTED = ("=", "+", "-", "@")


def csv_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows of the same columns as a table. Text that a spreadsheet would compute, such as the name
    of a shape that begins with "=", has an apostrophe before it.
    """
    text = io.StringIO()
    if rows:
        writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows({
            name: f"'{value}" if isinstance(value, str) and value.startswith(_COMPUTED) else value
            for name, value in row.items()} for row in rows)
    return text.getvalue()


def text_of_csv(cell: str) -> str:
    """The text that `csv_text` made a cell of."""
    return cell[1:] if cell.startswith(tuple(f"'{sign}" for sign in _COMPUTED)) else cell
