"""Fires on a map and the maps that they leave, which `firebreak simulate` and `api.simulated` take
alike.
"""

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.api.shared.domains import Part, part_of_map
from firebreak.api.shared.map_defaults import check_one_treatment
from firebreak.api.shared.option_rules import check_on_land, check_on_maps
from firebreak.api.shared.plan_options import SimulateOptions
from firebreak.api.shared.scene_checks import (
    BYTES_PER_CELL_PARTS,
    check_memory_first,
    check_tiled_memory,
    warn_of_small_fires,
)
from firebreak.checks import fail
from firebreak.files import check_not_kept
from firebreak.landscape.names import SIMULATED

if TYPE_CHECKING:
    from collections.abc import Callable

    from firebreak.fire import BurnResult, FireBehavior, Fires, Scene
    from firebreak.landscape.landscape import Landscape
    from firebreak.planning.core.progress import Bar

    BurnAll = Callable[["Scene", "Fires", NDArray[np.bool_] | None, Callable[[int], object]],
                       "BurnResult"]

OUTSIDE = -9999.0  # written where there is no data
WATER_COLOURS = ("#ffffd9", "#c7e9b4", "#41b6c4", "#225ea8", "#081d58")
"""Of what burns downstream of a cell, in QGIS; all else has the colours of burn probability."""
TURNS = "spread_direction_deg"
"""The map whose numbers go round: it has no scale from low to high, so no style."""
SHOWN_SHARE = 0.998
"""The share of the cells that a style distinguishes; the highest ones have its last colour."""

FILES = frozenset((
    *SIMULATED, *(name.replace(".tif", ".qml") for name in SIMULATED), "options.json",
    *(f"{name}.png" for name in ("landscape", "burn_probability", "downstream_value",
                                 "fireline_intensity", "flame_length", "arrival_time"))))
"""All names that a simulation's files may have."""

Bands = dict[str, NDArray[np.float64]]


class Burned(NamedTuple):
    """Fires that burned on a part. maps: bands by the name of their file, on the part's grid."""

    scene: "Scene"
    fires: "Fires"
    breaks: NDArray[np.bool_] | None
    burned: "BurnResult"
    maps: dict[str, Bands]
    seconds: float

    @property
    def burned_share(self) -> float:
        """Share of the area's burnable cells that a fire burns, mean."""
        land = self.scene.landscape
        return float(self.burned.burn_probability[land.burnable & land.inside].mean())


def part_to_burn(source: "str | Landscape", options: SimulateOptions, *,
                 moved: bool = False) -> Part:
    """Reads the landscape and cuts out the area that is named. moved: ignitions on bare ground, or
    hemmed in by it, are moved.

    Raises:
        InputError: no fires asked for; files that do not fit.
    """
    from firebreak.planning.core.area import named_shape
    from firebreak.planning.core.fire_counts import check_test_fires

    if options.fires < 1:
        raise fail(expected="at least 1 fire", given=f"{options.fires}", where="--fires",
                   remedy="1000 is usual")
    spec = source if isinstance(source, str) else ""
    check_on_maps([source], options.scene)
    check_one_treatment(options.plan, options.scene.breaks)
    named = named_shape(options.area)
    if spec and (options.area is None or named is not None):
        check_memory_first(spec, named, None)
    check_test_fires(spec or "given", options.fires, 1, "--fires")
    full = options.scene.with_strips(options.scene.read(source, moved=moved), [options.plan])
    check_on_land(full, source, options.scene)
    return part_of_map(full, options.area, options.scene, spec)


def burn(part: Part, options: SimulateOptions, bar: "Bar",
         burn_all: "BurnAll | None" = None, beside: int = 0) -> Burned:
    """Burns the fires, under the breaks of a plan where one is named.

    burn_all: burns them, with the bits of `fire.burn`, which does if not given.
    beside: processes of this machine that do.
    """
    from firebreak import fire

    breaks = _breaks(options, part)
    begin = time.perf_counter()
    scene = _scene(options, part, beside, 0 if burn_all is None or beside else BYTES_PER_CELL_PARTS)
    fires = scene.fires("simulate", options.fires)
    with bar(options.fires, "fire") as advance:
        burned = (fire.burn(scene, fires, breaks, want="statistics", report=advance)
                  if burn_all is None else burn_all(scene, fires, breaks, advance))
    maps = _maps(scene, burned, options.fires_per_ha_year, breaks)
    return Burned(scene, fires, breaks, burned, maps, time.perf_counter() - begin)


def _breaks(options: SimulateOptions, part: Part) -> NDArray[np.bool_] | None:
    """The breaks of the plan that is named, if any."""
    from firebreak.api.shared.records import warn_of_other_options
    from firebreak.planning.core.area import cut_grid, mask_on_part
    from firebreak.planning.output.earlier import is_planned
    from firebreak.planning.output.export import read_plan
    from firebreak.planning.output.given import breaks_in

    if options.plan is None:
        return None
    if isinstance(options.plan, Path):
        if not is_planned(options.plan):
            return breaks_in(options.plan, part.land, part.full, part.offset)
        warn_of_other_options(options.plan, options.scene)
        return cut_grid(read_plan(options.plan, part.full).break_mask(), part.land.shape,
                        part.offset)
    # A mask, from Python.
    return mask_on_part(options.plan, part.land, part.offset, part.full,
                        "majority") & part.land.burnable


def check_maps(out: Path) -> None:
    """Refuses a folder in which the files of a simulation would take the place of others that are
    read, before the work: of what it is made from, or of a plan, whose options say how to show it.

    Raises:
        InputError: they would.
    """
    for name in sorted(FILES):
        check_not_kept(out / name)
    if (out / "plan.json").is_file():
        raise fail(expected="a folder without a plan, which has options of its own",
                   given="one with plan.json", where=str(out),
                   remedy="choose another folder to write into")


def write_maps(out: Path, part: Part, done: Burned, options: SimulateOptions) -> list[Path]:
    """Writes the maps as GeoTIFFs of the whole map, pictures, and the options beside them."""
    from firebreak import fire
    from firebreak.api.shared.records import write_options
    from firebreak.planning.core.area import View
    from firebreak.report.pages.run_report import write_simulation_report

    tags = {"seed": str(options.scene.seed), "fires": str(options.fires)}
    files = [_written(out / f"{name}.tif", on_full(bands, part), part.full, tags)
             for name, bands in done.maps.items()]
    files += [_styled(out / f"{name}.tif", bands[name]) for name, bands in done.maps.items()
              if name in bands and name != TURNS]
    view = View.of(part.land)
    # A fire that starts in the area, if one does.
    shown = int(np.argmax(part.land.inside.ravel()[done.fires.source]))
    files += write_simulation_report(
        out, view.land, *(view.grid(grid) for grid in (
            done.burned.burn_probability, done.burned.downstream_value,
            done.maps["fireline_intensity_kw_m"]["fireline_intensity_kw_m"],
            done.maps["flame_length_m"]["flame_length_m"],
            fire.burn(done.scene, done.fires.part(slice(shown, shown + 1)), done.breaks,
                      want="arrival").arrivals_min[0])), seed=options.scene.seed)
    write_options(out, options.scene)
    return files


def _scene(options: SimulateOptions, part: Part, beside: int, more: int) -> "Scene":
    """The scene, with classes of flame length even where all of them lose all.

    beside, more: as `check_tiled_memory`.
    """
    from firebreak.fire import BURNED, make_scene
    from firebreak.native_library import max_threads

    land = part.land
    conditions = options.scene.conditions(part.land, part.source)
    if options.fires == 1 and conditions.regime.duration_min is not None:
        conditions = replace(conditions, regime=replace(conditions.regime, duration_sigma=0.0))
    check_tiled_memory(land, conditions.stream_rows, max_threads(), more, beside)
    made = make_scene(land, replace(conditions, response=conditions.response or BURNED),
                      options.scene.seed, layers=options.scene.layers(land), tiled=True)
    warn_of_small_fires(made)
    return made


def _maps(scene: "Scene", burned: "BurnResult", fires_per_ha_year: float | None,
          breaks: NDArray[np.bool_] | None) -> dict[str, Bands]:
    """Bands by the name of their file."""
    from firebreak.fire import CLASS_NAMES, annual_burn_probability

    land = scene.landscape
    single = {"burn_probability": burned.burn_probability,
              "mean_arrival_time_min": burned.arrival_time_min,
              **scene.mean_behavior(breaks, _means(scene.scenarios.weight)),
              "downstream_value": burned.downstream_value, "expected_loss": burned.lost}
    if fires_per_ha_year is not None:
        area_ha = float(land.starts.sum()) * land.cell_size_m**2 / 1e4
        single["annual_burn_probability"] = annual_burn_probability(
            burned.burn_probability, fires_per_ha_year, area_ha)
    by_flame = {f"flames {name}": grid
                for name, grid in zip(CLASS_NAMES, burned.class_probability, strict=True)}
    return {name: {name: grid} for name, grid in single.items()} | {
        "flame_length_probability": by_flame}


def _means(weight: NDArray[np.float64]) -> "Callable[[FireBehavior], Bands]":
    """The function that makes mean maps of fire behaviour over weather of these weights."""
    def mean(grid: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.tensordot(weight, grid, axes=1)

    def maps(head: "FireBehavior") -> Bands:
        angle = np.radians(head.heading_deg)
        east, north = (mean(head.rate_of_spread_m_min * part(angle)) for part in (np.sin, np.cos))
        towards = np.where(np.hypot(east, north) > 0.0,
                           np.degrees(np.arctan2(east, north)) % 360.0, np.nan)
        return {"rate_of_spread_m_min": mean(head.rate_of_spread_m_min),
                "spread_direction_deg": towards,
                "fireline_intensity_kw_m": mean(head.fireline_intensity_kw_m),
                "flame_length_m": mean(head.flame_length_m),
                "crown_fraction_burned": mean(head.crown_fraction_burned)}

    return maps


def on_full(bands: Bands, part: Part) -> Bands:
    """Bands of a part on the whole map, no number outside the area and outside the data."""
    from firebreak.planning.core.area import lift_grid

    return {name: lift_grid(grid, part.land, part.offset, part.full, np.nan)
            for name, grid in bands.items()}


def _written(path: Path, bands: Bands, land: "Landscape", tags: dict[str, str]) -> Path:
    """A GeoTIFF; no data where there is no number."""
    from firebreak.landscape.formats.write import write_geotiff

    masked = {name: np.where(np.isfinite(grid), grid, OUTSIDE).astype(np.float32)
              for name, grid in bands.items()}
    return write_geotiff(path, masked, land, nodata=OUTSIDE, dtype="float32", tags=tags)


def _styled(path: Path, grid: NDArray[np.float64]) -> Path:
    """The style of a map in QGIS, from 0 to what all but the highest cells have."""
    from firebreak.landscape.formats.qgis_styles import even_stops, write_ramp
    from firebreak.planning.output.export_effect import BURN_COLOURS

    known = grid[np.isfinite(grid)]
    top = float(np.quantile(known, SHOWN_SHARE)) if known.size else 0.0
    colours = WATER_COLOURS if path.stem == "downstream_value" else BURN_COLOURS
    return write_ramp(path, even_stops(colours, 0.0, top if top > 0.0 else 1.0))
