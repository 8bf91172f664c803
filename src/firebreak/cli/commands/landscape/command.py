"""`firebreak landscape info`, `generate` and `convert`."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from firebreak.checks import fail
from firebreak.cli.shared import common
from firebreak.files import check_folder, check_not_kept, held_folder
from firebreak.landscape.landscape import NODATA
from firebreak.landscape.names import ABOUT_FILE, FUEL_MAP, is_sample, sample_folder
from firebreak.reading import read_toml
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

    from firebreak.landscape.formats.write import extra_layers
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
    lines += [f"{name.replace('_', ' ')} {grid.min():g} to {grid.max():g}"
              + (" %" if name == "grass_curing" else "")
              for name, grid in extra_layers(land).items() if name != "treatable"]
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
    if not is_sample(spec):
        return []
    folder = sample_folder(spec)
    facts = {**read_toml(folder / ABOUT_FILE), "files": folder}
    return [f"{key.replace('_', ' ')}: {value}" for key, value in facts.items()]


@dataclass(frozen=True)
class ConvertArguments:
    """Write a landscape in another format, on other cells, or with other layers."""

    landscape: Annotated[str, POSITIONAL]
    """A file or folder, synthetic:SEED[:SIZE], or sample:NAME."""
    out: Path
    """The file to write, or for ascii a folder that is new or empty."""
    to: Literal["geotiff", "ascii", "lcp"] = "geotiff"
    """One landscape GeoTIFF; one ASCII grid per layer; or a FARSITE .lcp."""
    terrain: Literal["derived", "shipped"] = "derived"
    """Derive slope and aspect from elevation, or take the file's own."""
    crs: str | None = None
    """Coordinate reference system to use instead of the file's own."""
    cell_size_m: Positive | None = None
    """Cell size to resample to."""
    value: Path | None = None
    """Value lost where a cell burns, as for plan; no data counts 0."""
    cost: Path | None = None
    """Cost of treating a cell, as for plan."""
    treatable: Path | None = None
    """Cells that may be treated: a raster (not 0) or shapes."""
    barriers: Path | None = None
    """Existing barriers, such as roads and rivers: a raster (not 0) or shapes. Cells that they
    touch do not burn."""
    ignitions: Path | None = None
    """Where fires start, as for plan."""
    json: bool = False
    """End with one machine-readable line."""


def convert(bound: Bound[ConvertArguments]) -> int:
    """Runs the action."""
    args = bound.options
    common.check_there(args, args.landscape)
    from firebreak.landscape.formats.overlays import with_rasters
    from firebreak.landscape.formats.read import read_landscape
    from firebreak.landscape.formats.write import PRJ
    from firebreak.landscape.raster.on_grid import to_cell_size

    begin = time.perf_counter()
    check_not_kept(args.out)
    if args.to == "lcp" and args.out.name:
        check_not_kept(args.out.with_suffix(PRJ))
    land = read_landscape(args.landscape, terrain=args.terrain, crs=args.crs)
    if args.cell_size_m is not None:
        land = to_cell_size(land, args.cell_size_m)
    land = with_rasters(land, value=args.value, cost=args.cost, treatable=args.treatable,
                        barriers=args.barriers, ignition=args.ignitions)
    with held_folder(args.out if args.to == "ascii" else None):
        files = [str(path) for path in _write(land, args)]
    print(describe(land))
    print("\n".join(files))
    if args.json:
        rows, cols = land.shape
        common.print_json({"files": files, "seconds": time.perf_counter() - begin, "rows": rows,
                           "columns": cols, "cell_size_m": land.cell_size_m,
                           "fuel_system": land.fuel_system, "checksum": land.checksum()})
    return 0


def _write(land: "Landscape", args: ConvertArguments) -> list[Path]:
    from firebreak.landscape.formats.folders import write_ascii_folder
    from firebreak.landscape.formats.write import write_landscape, write_lcp

    if args.to != "ascii":
        if args.out.is_dir():
            raise fail(expected="a file to write", given="a folder", where=str(args.out),
                       remedy="choose a name such as landscape.tif")
        return write_lcp(args.out, land) if args.to == "lcp" else [write_landscape(args.out, land)]
    folder = common.new_folder(args.out, "landscape")
    # What another map left there would be read as a layer of this one.
    if any(folder.iterdir()):
        raise fail(expected="a folder that is new or empty", given="one with files",
                   where=str(folder), remedy="choose another --out")
    return write_ascii_folder(folder, land)
