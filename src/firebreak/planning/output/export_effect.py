"""The changes by a plan, as files for a GIS and a spreadsheet in the data of its folder.

Rasters lie on the landscape's grid, in its reference system; where only a part of the map was
planned for, they are empty outside it. Each has a QGIS style beside it.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak import __version__
from firebreak.files import made_folder
from firebreak.fire import Scene
from firebreak.landscape.candidates.corridor import Corridor
from firebreak.landscape.formats.qgis_styles import Class, even_stops, write_classes, write_ramp
from firebreak.landscape.formats.write import Colour, write_geotiff, write_text
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.names import DATA
from firebreak.landscape.treatment_table import TreatmentRow
from firebreak.landscape.value_unit import UNKNOWN, ValueUnit
from firebreak.planning.core.area import Offset, lift_grid, lift_segments
from firebreak.planning.core.plan import Plan
from firebreak.planning.evaluation.doubt import DoubtResult
from firebreak.planning.evaluation.effect import (
    PlanEffect,
    by_weather,
    chance_of,
    exceedance,
    marginal_benefit,
    marginal_intervals,
    reductions,
    risk,
)
from firebreak.planning.output.buildable import Counts
from firebreak.planning.output.segment_layers import write_segments
from firebreak.planning.output.tables import (
    BUILD_ORDER,
    columns_of,
    csv_text,
    schedule_table,
    treatments_of_cells,
    treatments_used,
    years_built,
    years_table,
)
from firebreak.planning.years.savings import YearsResult

OUTSIDE = -9999.0
_UNTREATED, _TREATED, _INCLUDED, _BARRIER, _NONE = 0, 1, 2, 3, 255
_TREATMENT = {_UNTREATED: ("#ffffff00", "untreated"), _TREATED: ("#b2182b", "to treat"),
              _INCLUDED: ("#ef8a62", "to treat, as was asked for"),
              _BARRIER: ("#4d4d4d", "does not burn"), _NONE: ("#ffffff00", "no data")}
BURN_COLOURS = ("#ffffcc", "#fed976", "#fd8d3c", "#e31a1c", "#800026")
CHANGE_COLOURS = ("#053061", "#4393c3", "#f7f7f7", "#d6604d", "#67001f")


NO_CELLS = np.empty(0, np.int64)


class PlanResult(NamedTuple):
    """A plan, judged. plan and scene are of the part of the map planned for, which lies at `offset`
    in `full`; segments in build order; effect: its losses in `unit`; years: of each segment, or
    none; included: cells that the plan had to have; existing: those of a network to compare with;
    standing: those of breaks that stand already; all flat in the part; treatments: those that
    `Landscape.treatment` numbers, or none; trust: what it saves where the fire model is wrong, or
    why that was not looked at; over_years: what to build and maintain when, where that was asked;
    fires_per_ha_year: how many fires start, where that is known; counts: whether this plan and
    others can be built, by name, where it was built of corridors; without: by how much the mean
    loss rises if a segment is left out, of each, or none; alternatives: parts of each, by name.
    """

    scene: Scene
    plan: Plan
    full: Landscape
    offset: Offset
    segments: list[Corridor]
    effect: PlanEffect
    seed: int
    included: NDArray[np.int64]
    years: list[int] | None = None
    existing: NDArray[np.int64] = NO_CELLS
    standing: NDArray[np.int64] = NO_CELLS
    unit: ValueUnit = ValueUnit(UNKNOWN)
    treatments: Sequence[TreatmentRow] = ()
    trust: DoubtResult | str | None = None
    over_years: YearsResult | None = None
    fires_per_ha_year: float | None = None
    counts: Mapping[str, Counts] = MappingProxyType({})
    without: Sequence[float] = ()
    alternatives: Mapping[str, Sequence[Corridor]] = MappingProxyType({})


def write_effect(folder: Path, result: PlanResult, tags: Mapping[str, str]) -> list[Path]:
    """Writes rasters, styles, segments and tables into a plan's folder; returns the files."""
    data = made_folder(folder / DATA)
    return [*_write_treatment(data, result, tags), *_write_burned(data, result, tags),
            *write_segments(folder, on_full_map(result), segment_columns(result), result.full, {
                name: lift_segments(parts, result.plan.shape, result.offset, result.full)
                for name, parts in result.alternatives.items()}),
            *_write_tables(data, result)]


def segment_columns(result: PlanResult) -> list[dict[str, Any]]:
    """Columns of each segment, in build order."""
    effect, rows = result.effect, []
    saves = marginal_intervals(effect)
    built = None if result.over_years is None else years_built(result.over_years)
    found = columns_of(result.segments, marginal_benefit(effect).tolist(),
                       float(effect.loss[0].mean()), result.unit.name, result.plan.priced_in,
                       result.scene.conditions.treatment.width_m or result.full.cell_size_m,
                       result.scene.landscape.strip_m)
    for k, (segment, row) in enumerate(zip(result.segments, found, strict=True)):
        units = {name: row.pop(name) for name in ("loss_unit", "cost_unit")}  # these come behind
        if "name" in row:
            row |= {name: round(end, 4) for name, end in zip(
                ("saves", "saves_low", "saves_high"), saves[k], strict=True)}
        if result.without:
            row["lost_without"] = round(result.without[k], 4)
        row |= {"value_protected": round(float(effect.protected[k]), 4), **units}
        if effect.engaged is not None and effect.held is not None:
            engaged, held = float(effect.engaged[k]), float(effect.held[k])
            row |= {"engaged_m": round(engaged, 1), "held_m": round(held, 1),
                    "held_percent": round(100.0 * held / engaged, 1) if engaged > 0.0 else 0.0}
        if result.treatments:
            row["treatment"] = treatments_of_cells(result.scene.landscape, segment.cells,
                                                   result.treatments)
        if built is not None:
            row["built"] = built[k]
        rows.append(row if result.years is None else row | {"year": result.years[k]})
    return rows


def treatments_in(result: PlanResult) -> list[dict[str, Any]]:
    """Area and cost of each treatment in the plan, by column."""
    return treatments_used(result.scene.landscape, result.plan.cells, result.treatments,
                           result.scene.conditions.treatment.width_m)


def plan_id(plan: Plan) -> str:
    """Names a plan: the beginning of a checksum over its landscape and cells."""
    digest = hashlib.sha256(plan.landscape_checksum.encode())
    digest.update(plan.cells.tobytes())
    return digest.hexdigest()[:12]


def summary_of(result: PlanResult) -> dict[str, Any]:
    """Mean loss and worst tenth before and after, with 95 % intervals, and by weather."""
    effect = result.effect
    numbers = risk(effect)
    return {"schema": 1, "firebreak": __version__, "test_fires": int(effect.loss.shape[1]),
            "interval": f"95 %, {effect.groups.words}", "loss_unit": result.unit.name,
            **{name: interval._asdict() for name, interval in numbers.items()},
            "weather": by_weather(effect, result.scene)}


def on_full_map(result: PlanResult) -> list[Corridor]:
    """The segments of the part as segments of the whole map."""
    return lift_segments(result.segments, result.plan.shape, result.offset, result.full)


def _write_treatment(folder: Path, result: PlanResult, tags: Mapping[str, str]) -> list[Path]:
    """treatment.tif: what to do in each cell; segments.tif: the build order of its segment."""
    plan, land = result.plan, result.scene.landscape
    done = np.where(land.burnable, _UNTREATED, _BARRIER).astype(np.uint8)
    done.ravel()[plan.cells] = _TREATED
    done.ravel()[result.included] = _INCLUDED
    grid = lift_grid(done, land, result.offset, result.full, _NONE)
    path = write_geotiff(folder / "treatment.tif", {"treatment": grid}, result.full, nodata=_NONE,
                         dtype=np.uint8, tags=tags,
                         colours={code: _rgba(colour) for code, (colour, _) in _TREATMENT.items()})
    style = write_classes(path, [Class(code, colour, label)
                                 for code, (colour, label) in _TREATMENT.items() if code != _NONE])
    numbers = np.zeros(land.shape, np.int32)
    for number, segment in enumerate(result.segments, start=1):
        numbers.ravel()[segment.cells] = number
    numbers = lift_grid(numbers, land, result.offset, result.full, -1)
    segments = write_geotiff(folder / "segments.tif", {BUILD_ORDER: numbers}, result.full,
                             nodata=-1, dtype=np.int32, tags=tags)
    return [path, style, segments]


def _write_burned(folder: Path, result: PlanResult, tags: Mapping[str, str]) -> list[Path]:
    """Burn probability before, after, and the difference with half its 95 % interval."""
    effect = result.effect
    land = result.scene.landscape
    shown = land.burnable & land.inside
    change = effect.after - effect.before
    top = max(float(np.maximum(effect.before, effect.after)[shown].max(initial=0.0)), 1e-6)
    most = max(float(np.abs(change[shown]).max(initial=0.0)), 1e-6)
    made = {"burn_probability_before": ({"burn probability": effect.before},
                                        even_stops(BURN_COLOURS, 0.0, top)),
            "burn_probability_after": ({"burn probability": effect.after},
                                       even_stops(BURN_COLOURS, 0.0, top)),
            "burn_probability_difference": ({"after minus before": change,
                                             "half width of the 95 % interval": effect.half_width},
                                            even_stops(CHANGE_COLOURS, -most, most))}
    files = []
    for name, (bands, stops) in made.items():
        grids = {band: lift_grid(grid.astype(np.float32), land, result.offset, result.full, OUTSIDE)
                 for band, grid in bands.items()}
        path = write_geotiff(folder / f"{name}.tif", grids, result.full, nodata=OUTSIDE,
                             dtype=np.float32, tags=tags)
        files += [path, write_ramp(path, stops)]
    return files


def _write_tables(folder: Path, result: PlanResult) -> list[Path]:
    """The tables of a plan and effect.json; those of doubt, treatments and years where known."""
    effect = result.effect
    summary = summary_of(result)
    curve = [{"segments": k, "cost": float(effect.cost[k]),
              "mean_loss": float(effect.loss[k].mean()), "reduction": saved.mean,
              "reduction_low": saved.low, "reduction_high": saved.high,
              "loss_unit": result.unit.name, "cost_unit": result.plan.priced_in}
             for k, saved in enumerate(reductions(effect))]
    tables: dict[str, Sequence[Mapping[str, Any]]] = {
        "budget_curve": curve, "exceedance": _in_unit(_exceeded(effect), result),
        "weather": _in_unit(summary["weather"], result)}
    if result.treatments:
        tables["treatments"] = treatments_in(result)
    if result.over_years is not None:
        tables |= {"years": [{**row, "cost_unit": result.plan.priced_in} for row in _in_unit(
                       years_table(result.over_years, result.unit.per_value), result)],
                   "schedule": [{**row, "cost_unit": result.plan.priced_in} for row in
                                schedule_table(result.over_years, result.segments)]}
    if isinstance(result.trust, DoubtResult):
        tables["doubt"] = _doubted(result.trust)
    files = [write_text(folder / f"{name}.csv", [csv_text(rows)]) for name, rows in tables.items()]
    return [*files, write_text(folder / "effect.json", [json.dumps(summary, indent=2), "\n"])]


def _doubted(trust: DoubtResult) -> list[dict[str, Any]]:
    """A row for each perturbed world, the first for the one as it is."""
    own = {"perturbed": "nothing", "draw": 0, "untreated_fire_ha": trust.own_burned_ha,
           **{f"reduction_{name}": float(one)
              for name, one in zip(trust.methods, trust.own, strict=True)}}
    return [own, *({"perturbed": kind, "draw": draw + 1,
                    "untreated_fire_ha": float(found.burned_ha[draw]),
                    **{f"reduction_{name}": float(one) for name, one in zip(
                        trust.methods, found.reduction[draw], strict=True)}}
                   for kind, found in trust.by_kind.items()
                   for draw in range(found.burned_ha.size))]


def _in_unit(rows: Sequence[Mapping[str, Any]], result: PlanResult) -> list[dict[str, Any]]:
    """Rows with a column that names the unit of their losses."""
    return [{**row, "loss_unit": result.unit.name} for row in rows]


def _exceeded(effect: PlanEffect) -> list[dict[str, float]]:
    """Chance that a fire loses at least so much, before and after, at every loss before."""
    losses, before = exceedance(effect.loss[0], effect.times)
    left = chance_of(effect.loss[-1], effect.times, losses)
    return [{"loss": float(loss), "before": float(own), "after": float(other)}
            for loss, own, other in zip(losses, before, left, strict=True)]


def _rgba(colour: str) -> Colour:
    parts = bytes.fromhex(colour.removeprefix("#"))
    return parts[0], parts[1], parts[2], parts[3] if len(parts) > 3 else 255
