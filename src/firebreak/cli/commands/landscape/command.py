"""`firebreak landscape info` and `generate`."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from firebreak.cli.shared import common
from firebreak.files import check_folder, check_not_kept, held_folder
from firebreak.landscape.names import FUEL_MAP
from firebreak.settings.binding import Bound
from firebreak.settings.kinds import Positive
from firebreak.settings.schema import POSITIONAL

if TYPE_CHECKING:
    from firebreak.landscape.landscape import Landscape

_PICTURE = "landscape.png"


@dataclass(frozen=True)
class InfoArguments:
    """Describe a landscape: size, place, terrain, fuels by area."""

    landscape: Annotated[str, POSITIONAL]
    """A file or folder, synthetic:SEED[:SIZE], or sample:NAME."""
    terrain: Literal["derived", "shipped"] = "derived"
    """Derive slope and aspect from elevation, or take the file's own."""
    crs: str | None = None
    """Coordinate reference system to use instead of the file's own."""
    out: Path | None = None
    """Also write the map into this folder: a picture, and the fuels as a coloured GeoTIFF."""
    json: bool = False
    """End with one machine-readable line."""


@dataclass(frozen=True)
class GenerateArguments:
    """Make a synthetic landscape."""

    out: Annotated[Path, POSITIONAL]
    """The GeoTIFF to write."""
    seed: int = 0
    """The same seed gives the same landscape."""
    size: int = 40
    """Rows and columns."""
    family: str | None = None
    """Kind of landscape; drawn from the seed if not given."""
    cell_size_m: Positive = 100.0
    """Side of a cell."""
    json: bool = False
    """End with one machine-readable line."""


def info(bound: Bound[InfoArguments]) -> int:
    """Runs the action."""
    args = bound.options
    begin = time.perf_counter()
    if args.out is not None:
        check_folder(args.out)
        for name in (_PICTURE, FUEL_MAP):
            check_not_kept(args.out / name)
    common.check_there(args, args.landscape)
    from firebreak.landscape.formats.read import read_landscape

    land = read_landscape(args.landscape, terrain=args.terrain, crs=args.crs)
    print("\n".join([describe(land), *about_sample(args.landscape)]))
    files = []
    if args.out is not None:
        from firebreak.landscape.formats.write import write_fuel_map
        from firebreak.report.figures.canvas import save_figure
        from firebreak.report.figures.maps import landscape_figure

        with held_folder(args.out):
            picture = landscape_figure(land, caption=land.name)
            files = [str(save_figure(picture, args.out / _PICTURE)),
                     str(write_fuel_map(args.out / FUEL_MAP, land))]
        print("\n".join(files))
    if args.json:
        rows, cols = land.shape
        common.print_json({"files": files, "seconds": time.perf_counter() - begin, "rows": rows,
                           "columns": cols, "cell_size_m": land.cell_size_m,
                           "burnable_cells": int(land.burnable.sum()),
                           "checksum": land.checksum()})
    return 0


def generate_landscape(bound: Bound[GenerateArguments]) -> int:
    """Runs the action."""
    from firebreak.landscape.formats.write import write_landscape
    from firebreak.landscape.synthetic.generate import generate

    args = bound.options
    begin = time.perf_counter()
    land = generate(args.seed, args.size, family=args.family, cell_size_m=args.cell_size_m)
    path = write_landscape(args.out, land)
    print(f"{describe(land)}\n{path}")
    if args.json:
        common.print_json({"files": [str(path)], "seconds": time.perf_counter() - begin})
    return 0


def describe(land: "Landscape") -> str:
    """A landscape in a few lines: size, place, terrain, fuels by area."""
    import numpy as np

    from firebreak.landscape.landscape import NODATA
    from firebreak.landscape.raster.geotiff import crs_name

    rows, cols = land.shape
    hectares = land.cell_size_m**2 / 1e4
    lines = [
        f"{land.name}: {rows} x {cols} cells of {land.cell_size_m:g} m, "
        f"{rows * cols * hectares:,.0f} ha, CRS {crs_name(land.crs)}",
        f"elevation {land.elevation_m.min():.0f} to {land.elevation_m.max():.0f} m, mean slope "
        f"{100 * land.slope_tan.mean():.0f} %, mean canopy cover "
        f"{100 * land.canopy_cover.mean():.0f} %",
        f"fuel system {land.fuel_system}, burnable {land.burnable.mean():.1%}, treatable "
        f"{land.treatable.mean():.1%}"]
    lines[1:1] = _box(land)
    lines += _special_layers(land)
    codes, counts = np.unique(land.fuel_model, return_counts=True)
    for code, count in sorted(zip(codes.tolist(), counts.tolist(), strict=True),
                              key=lambda pair: -pair[1]):
        name = "no data" if code == NODATA else land.fuels.described(code)
        lines.append(f"  {code:>6}  {name:<28} {count / land.fuel_model.size:6.1%}  "
                     f"{count * hectares:>10,.0f} ha")
    return "\n".join(lines)


def _box(land: "Landscape") -> list[str]:
    """The place of the map, in degrees; nothing without a reference system."""
    from firebreak.landscape.raster.degrees import corners_of

    if land.crs is None:
        return []
    west, south, east, north = corners_of(land)
    return [f"from {_degrees(west, 'EW')} to {_degrees(east, 'EW')}, from "
            f"{_degrees(south, 'NS')} to {_degrees(north, 'NS')}"]


def _degrees(angle: float, signs: str) -> str:
    return f"{abs(angle):.4f} {signs[0] if angle >= 0 else signs[1]}"


def about_sample(spec: str) -> list[str]:
    """The facts of a sample's making, a line each; nothing of another landscape."""
    from firebreak.landscape.names import ABOUT_FILE, is_sample, sample_folder
    from firebreak.reading import read_toml

    if not is_sample(spec):
        return []
    folder = sample_folder(spec)
    facts = {**read_toml(folder / ABOUT_FILE), "files": folder}
    return [f"{key.replace('_', ' ')}: {value}" for key, value in facts.items()]


def _special_layers(land: "Landscape") -> list[str]:
    """A line for each optional layer that differs from its default."""
    from firebreak.landscape.formats.write import extra_layers

    units = {"grass_curing": " %"}
    return [f"{name.replace('_', ' ')} {grid.min():g} to {grid.max():g}{units.get(name, '')}"
            for name, grid in extra_layers(land).items() if name != "treatable"]
