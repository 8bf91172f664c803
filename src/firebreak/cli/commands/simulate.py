"""`firebreak simulate LANDSCAPE`: burn a landscape many times and write the maps."""

import shlex
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import tyro
from numpy.typing import NDArray

from firebreak.checks import counted, fail
from firebreak.cli.shared import common
from firebreak.cli.shared.progress import progress_bar
from firebreak.cli.shared.scene_checks import check_wide_memory
from firebreak.cli.shared.scene_options import SceneOptions
from firebreak.landscape.agreement import Agreement, agreement_of
from firebreak.settings.kinds import NotNegative

if TYPE_CHECKING:
    from collections.abc import Callable

    from firebreak.fire import BurnStatistics, FireBehavior, Fires, WideScene
    from firebreak.landscape.landscape import Landscape

OUTSIDE = -9999.0  # written where there is no data

Bands = dict[str, NDArray[np.float64]]


@dataclass
class SimulateArguments:
    """Burn a landscape and map burn probability, arrival time, flame length, downstream value."""

    landscape: Annotated[str, tyro.conf.Positional]
    """A file or folder, or synthetic:SEED[:SIZE]."""
    fires: int = 1000
    """Number of fires."""
    area: str | None = None
    """Burn these cells with 16 around them only: R0:R1,C0:C1 (half-open, from the north-west
    corner), or a file of polygons or a raster. Rasters are empty outside them."""
    plan: Path | None = None
    """Burn with the breaks of a plan: a folder, plan.csv, plan.tif or a Cell2Fire table."""
    observed: Path | None = None
    """The area that a real fire burned, polygons or a raster (not 0), to compare the fire of
    --fires 1 with. Give its start by --ignitions, its weather by --weather, its length by
    --duration-min and --duration-spread 0."""
    fires_per_ha_year: NotNegative | None = None
    """Fires that start per hectare and year: adds a map of the chance to burn in a year."""
    out: Path | None = None
    """Output folder; a new one under outputs/ if not given."""
    scene: SceneOptions = field(default_factory=SceneOptions)


def run(arguments: list[str]) -> int:
    """Runs the command."""
    args = common.parse(SimulateArguments, arguments, "simulate")
    from firebreak.cli.shared.plan_inputs import part_of
    from firebreak.fire import burn_wide_arrival, burn_wide_statistics
    from firebreak.planning.core.fire_counts import check_test_fires
    from firebreak.planning.output.export import read_plan
    from firebreak.planning.warm_up import warm_up
    from firebreak.report.pages.run_report import write_simulation_report

    if args.fires < 1:
        raise fail(expected="at least 1 fire", given=f"{args.fires}", where="--fires",
                   remedy="1000 is usual")
    if args.observed is not None and args.fires != 1:
        raise fail(expected="--fires 1 together with --observed", given=f"{args.fires} fires",
                   where="--observed", remedy="burn the one fire that was observed")
    common.use_threads(args.scene.threads)
    full = args.scene.read(args.landscape)
    land, offset = (full, (0, 0)) if args.area is None else part_of(full, args.area)
    observed = None if args.observed is None else _observed(args.observed, land)
    check_test_fires(land.name, args.fires, 1, "--fires")
    warm_up()
    begin = time.perf_counter()
    scene = _scene(args, land)
    fires = scene.fires("simulate", args.fires)
    breaks = None
    if args.plan is not None:
        common.warn_of_other_options(args.plan, args.scene)
        breaks = _on_part(read_plan(args.plan, full).break_mask(), land, offset)
    with progress_bar(args.fires, "fire", quiet=args.scene.bars_hidden) as advance:
        burned = burn_wide_statistics(scene, fires, breaks, advance)
    # Counted in cells: a fire's loss counts value.
    share = float(burned.burn_probability[land.burnable].mean())
    agreement = None if observed is None else agreement_of(burned.burn_probability > 0.0, observed)
    maps = _maps(scene, burned, args.fires_per_ha_year, breaks)
    seconds = time.perf_counter() - begin
    out = common.new_folder(args.out, "simulate")
    tags = {"seed": str(args.scene.seed), "fires": str(args.fires)}
    files = [_written(out / f"{name}.tif", _on_full(bands, full, offset), full, tags)
             for name, bands in maps.items()]
    files += write_simulation_report(
        out, land, burned.burn_probability, burned.downstream_value,
        maps["fireline_intensity_kw_m"]["fireline_intensity_kw_m"],
        maps["flame_length_m"]["flame_length_m"],
        burn_wide_arrival(scene, fires.first(1), breaks), seed=args.scene.seed)
    common.write_options(out, args.scene)
    asked = (f"asked for {args.scene.fire.burned_share:.1%}; " if args.scene.fire.duration_min
             is None else "")
    print(f"{counted(args.fires, 'fire')} in {_weather_words(scene)} burned {share:.1%} of the "
          f"burnable cells on average in {seconds:.1f} s ({asked}median duration "
          f"{scene.median_duration_min:.0f} min); mean loss {burned.loss.mean():.4g}")
    if agreement is not None:
        print(_agreement_words(agreement))
    print(args.scene.crews_words(), end="")
    print(_outlasting(scene, fires), end="")
    print(_hemmed_in(land, fires), end="")
    for path in files:
        print(path)
    if args.plan is None:
        area = "" if args.area is None else f" --area {shlex.quote(args.area)}"
        print(f"next: firebreak plan {shlex.quote(args.landscape)}{area} --budget 0.05 "
              "--out my_plan")
    if args.scene.json:
        common.print_json({"mean_burned_share": share, "fires": args.fires, "seconds": seconds,
                           "files": [str(path) for path in files]}
                          | ({} if agreement is None else {"observed": agreement._asdict()}))
    return 0


def _observed(path: Path, land: "Landscape") -> NDArray[np.bool_]:
    from firebreak.landscape.formats.overlays import mask_of

    mask = mask_of(path, land)
    if not mask.any():
        raise fail(expected="cells that the observed fire burned", given="none on the landscape",
                   where=str(path), remedy="check its place and reference system")
    return mask


def _agreement_words(found: Agreement) -> str:
    return (f"observed fire: {found.observed:,} cells, simulated {found.simulated:,}, both "
            f"{found.both:,}: precision {found.precision:.2f}, recall {found.recall:.2f}, area "
            f"ratio {found.area_ratio:.2f}, intersection over union {found.iou:.2f}")


def _scene(args: SimulateArguments, land: "Landscape") -> "WideScene":
    """The scene, with flame lengths told apart even where all of them lose all."""
    from firebreak.fire import BURNED, make_wide_scene, max_threads

    conditions = args.scene.conditions(land, args.landscape)
    weather = conditions.weather
    check_wide_memory(land, 1 if weather is None else weather.steps_per_stream, max_threads())
    return make_wide_scene(land, replace(conditions, response=conditions.response or BURNED),
                      args.scene.seed, layers=args.scene.layers(land))


def _weather_words(scene: "WideScene") -> str:
    streams = scene.streams
    count, steps = streams.weight.size, streams.steps_per_stream
    hours = f" of {steps} steps of {streams.step_min:g} min" if steps > 1 else ""
    return f"{count} weather scenario{'s' if count > 1 else ''}{hours}"


def _outlasting(scene: "WideScene", fires: "Fires") -> str:
    """A line for fires that burn longer than their weather lasts; nothing where none does."""
    lasts = scene.streams.steps_per_stream * scene.streams.step_min
    share = float((fires.duration_min > lasts).mean())
    words = f"{share:.0%} of the fires outlast their weather, whose last row then holds\n"
    return words if share > 0.0 else ""


def _hemmed_in(land: "Landscape", fires: "Fires") -> str:
    """A line for fires that start where nothing around burns; nothing where none does."""
    around = np.zeros(land.shape, np.int64)
    rows, cols = land.shape
    padded = np.pad(land.burnable, 1)
    for row in range(3):
        for col in range(3):
            around += padded[row:row + rows, col:col + cols]
    alone = int(np.count_nonzero(around.ravel()[fires.source] == 1))
    words = "1 fire starts" if alone == 1 else f"{alone:,} fires start"
    return (f"{words} in a cell without a burnable neighbour: nothing else burns, unless embers "
            "fly\n" if alone else "")


def _maps(scene: "WideScene", burned: "BurnStatistics", fires_per_ha_year: float | None,
          breaks: NDArray[np.bool_] | None) -> dict[str, Bands]:
    """Bands by the name of their file."""
    from firebreak.fire import CLASS_NAMES, annual_burn_probability, mean_behavior

    land = scene.landscape
    single = {"burn_probability": burned.burn_probability,
              "mean_arrival_time_min": burned.arrival_time_min,
              **mean_behavior(scene, breaks, _means(scene.scenarios.weight)),
              "downstream_value": burned.downstream_value, "expected_loss": burned.lost}
    if fires_per_ha_year is not None:
        area_ha = float(land.burnable.sum()) * land.cell_size_m**2 / 1e4
        single["annual_burn_probability"] = annual_burn_probability(
            burned.burn_probability, fires_per_ha_year, area_ha)
    by_flame = {f"flames {name}": grid
                for name, grid in zip(CLASS_NAMES, burned.class_probability, strict=True)}
    return {name: {name: grid} for name, grid in single.items()} | {
        "flame_length_probability": by_flame}


def _means(weight: NDArray[np.float64]) -> "Callable[[FireBehavior], Bands]":
    """What makes mean maps of a band's fire behaviour, over weather of these weights."""
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


def _on_part(grid: NDArray[np.bool_], land: "Landscape",
             offset: tuple[int, int]) -> NDArray[np.bool_]:
    """The part of a grid of the whole map that a landscape cut from it covers."""
    (top, left), (rows, cols) = offset, land.shape
    return np.ascontiguousarray(grid[top:top + rows, left:left + cols])


def _on_full(bands: Bands, full: "Landscape", offset: tuple[int, int]) -> Bands:
    """Bands of a part on the whole map, no number outside it."""
    lifted = {}
    for name, grid in bands.items():
        if grid.shape == full.shape:
            return bands
        whole = np.full(full.shape, np.nan)
        whole[offset[0]:offset[0] + grid.shape[0], offset[1]:offset[1] + grid.shape[1]] = grid
        lifted[name] = whole
    return lifted


def _written(path: Path, bands: Bands, land: "Landscape", tags: dict[str, str]) -> Path:
    """A GeoTIFF; no data where the landscape has none, and where there is no number."""
    from firebreak.landscape.formats.write import write_geotiff
    from firebreak.landscape.landscape import NODATA

    masked = {name: np.where(np.isfinite(grid) & (land.fuel_model != NODATA), grid,
                             OUTSIDE).astype(np.float32) for name, grid in bands.items()}
    return write_geotiff(path, masked, land, nodata=OUTSIDE, dtype="float32", tags=tags)
