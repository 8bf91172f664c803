"""`firebreak simulate LANDSCAPE`: burn a landscape many times and write the maps."""

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import tyro

from firebreak.checks import fail
from firebreak.cli import common

if TYPE_CHECKING:
    from firebreak.landscape.landscape import Landscape

OUTSIDE = -9999.0  # written where there is no data


@dataclass
class SimulateArguments:
    """Burn a landscape and map burn probability, arrival time, intensity and downstream value."""

    landscape: Annotated[str, tyro.conf.Positional]
    """A file or folder, or synthetic:SEED[:SIZE]."""
    fires: int = 1000
    """Number of fires."""
    out: Path | None = None
    """Output folder; a new one under outputs/ if not given."""
    scene: common.SceneOptions = field(default_factory=common.SceneOptions)


def run(arguments: list[str]) -> int:
    """Runs the command."""
    from firebreak.fire.engine import burn_arrival, burn_statistics
    from firebreak.landscape.writers import write_geotiff
    from firebreak.planning.rounds import warm_up
    from firebreak.report.run_report import write_simulation_report

    args = common.parse(SimulateArguments, arguments, "simulate")
    if args.fires < 1:
        raise fail(expected="at least 1 fire", given=f"{args.fires}", where="--fires",
                   remedy="1000 is usual")
    common.use_threads(args.scene.threads)
    land = args.scene.read(args.landscape)
    warm_up()
    begin = time.perf_counter()
    scene = common.scene_of(land, args.scene)
    fires = scene.fires("simulate", args.fires)
    burned = burn_statistics(scene.field, fires, scene.worth)
    # Counted in cells: a fire's loss counts value.
    share = float(burned.burn_probability[land.burnable].mean())
    weight = scene.scenarios.weight
    intensity = np.tensordot(weight, scene.behavior.fireline_intensity_kw_m, axes=1)
    flame = np.tensordot(weight, scene.behavior.flame_length_m, axes=1)
    seconds = time.perf_counter() - begin
    out = common.new_folder(args.out, "simulate")
    maps = {"burn_probability": burned.burn_probability,
            "mean_arrival_time_min": burned.arrival_time_min,
            "fireline_intensity_kw_m": intensity, "flame_length_m": flame,
            "downstream_value": burned.downstream_value}
    files = [write_geotiff(out / f"{name}.tif", {name: _masked(grid, land)}, land, nodata=OUTSIDE,
                           dtype="float32", tags={"seed": str(args.scene.seed),
                                                  "fires": str(args.fires)})
             for name, grid in maps.items()]
    files += write_simulation_report(
        out, land, burned.burn_probability, burned.downstream_value, intensity, flame,
        burn_arrival(scene.field, fires.first(1))[0], seed=args.scene.seed)
    print(f"{args.fires} fires in {args.scene.scenarios} weather scenarios burned {share:.1%} of "
          f"the burnable cells on average in {seconds:.1f} s (asked for "
          f"{args.scene.burned_share:.1%}; median duration {scene.median_duration_min:.0f} min)")
    for path in files:
        print(path)
    if args.scene.json:
        common.print_json({"mean_burned_share": share, "fires": args.fires, "seconds": seconds,
                           "files": [str(path) for path in files]})
    return 0


def _masked(grid: np.ndarray, land: "Landscape") -> np.ndarray:
    """No data where the landscape has none, and where there is no number."""
    from firebreak.landscape.landscape import NODATA

    known = np.isfinite(grid) & (land.fuel_model != NODATA)
    return np.where(known, grid, OUTSIDE).astype(np.float32)
