"""`firebreak landscape info|generate|convert|fetch`: what is in a file; synthetic maps; formats;
download."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import tyro

from firebreak.checks import fail, unknown_name
from firebreak.cli import common

if TYPE_CHECKING:
    from firebreak.landscape.landscape import Landscape


@dataclass
class InfoArguments:
    """Say what a landscape holds."""

    landscape: Annotated[str, tyro.conf.Positional]
    """A file or folder, or synthetic:SEED[:SIZE]."""
    terrain: Literal["derived", "shipped"] = "derived"
    """Slope and aspect from elevation, or the file's own."""
    crs: str | None = None
    """Coordinate reference system to use instead of the file's own."""
    out: Path | None = None
    """Also write the map into this folder: a picture, and the fuels as a coloured GeoTIFF."""
    seed: int = 0
    """Not used: nothing here is random."""
    json: bool = False
    """End with one machine-readable line."""


@dataclass
class GenerateArguments:
    """Make a synthetic landscape."""

    out: Annotated[Path, tyro.conf.Positional]
    """The GeoTIFF to write."""
    seed: int = 0
    """Names the landscape."""
    size: int = 40
    """Rows and columns."""
    family: str | None = None
    """Kind of landscape; drawn from the seed if not given."""
    cell_size_m: float = 100.0
    """Side of a cell."""
    json: bool = False
    """End with one machine-readable line."""


@dataclass
class ConvertArguments:
    """Write a landscape in another format, on other cells, or with other layers."""

    landscape: Annotated[str, tyro.conf.Positional]
    """A file or folder, or synthetic:SEED[:SIZE]."""
    out: Path
    """The file to write, or for ascii and cell2fire a folder that is new or empty."""
    to: Literal["geotiff", "ascii", "cell2fire", "lcp"] = "geotiff"
    """One landscape GeoTIFF, one ASCII grid per layer, a Cell2Fire (C2F-W) folder, with the
    weather and ignitions of the Cell2Fire folder that it came from, or a FARSITE .lcp."""
    terrain: Literal["derived", "shipped"] = "derived"
    """Slope and aspect from elevation, or the file's own."""
    crs: str | None = None
    """Coordinate reference system to use instead of the file's own."""
    cell_size_m: float | None = None
    """Side of a cell to resample to."""
    value: Path | None = None
    """Raster of what is lost where a cell burns; no data counts 0."""
    cost: Path | None = None
    """Raster of the cost of treating a cell."""
    treatable: Path | None = None
    """Raster of cells that may be treated: those that are not 0."""
    barriers: Path | None = None
    """Raster of what stops fire, such as roads and rivers: cells that it touches do not burn."""
    ignitions: Path | None = None
    """Raster of ignition weights, or a .csv of points: x,y or row,col or Year,Ncell."""
    seed: int = 0
    """Not used: nothing here is random."""
    json: bool = False
    """End with one machine-readable line."""


def run(arguments: list[str]) -> int:
    """Runs `info`, `generate`, `convert` or `fetch`."""
    actions = {"info": _info, "generate": _generate, "convert": _convert, "fetch": _fetch}
    if not arguments or arguments[0] in ("-h", "--help"):
        print("usage: firebreak landscape info|generate|convert|fetch ...\n\n"
              "  info LANDSCAPE                   fuels by area, terrain, extent\n"
              "  generate FILE.tif                a synthetic landscape\n"
              "  convert LANDSCAPE --to FORMAT --out PATH   geotiff, ascii, cell2fire or lcp\n"
              "  fetch FILE.tif --bbox W S E N --email ADDRESS   from LANDFIRE")
        return 0
    if arguments[0] not in actions:
        raise unknown_name("action", arguments[0], actions, "firebreak landscape")
    return actions[arguments[0]](arguments[1:])


def _fetch(arguments: list[str]) -> int:
    from firebreak.cli import landscape_fetch

    return landscape_fetch.run(arguments)


def _info(arguments: list[str]) -> int:
    from firebreak.landscape.readers import read_landscape

    args = common.parse(InfoArguments, arguments, "landscape info")
    begin = time.perf_counter()
    land = read_landscape(args.landscape, terrain=args.terrain, crs=args.crs)
    print(describe(land))
    files = []
    if args.out is not None:
        from firebreak.landscape.writers import write_fuel_map
        from firebreak.report.canvas import save_figure
        from firebreak.report.maps import landscape_figure

        folder = common.new_folder(args.out, "landscape")
        picture = landscape_figure(land, caption=land.name)
        files = [str(save_figure(picture, folder / "landscape.png")),
                 str(write_fuel_map(folder / "fuel.tif", land))]
        print("\n".join(files))
    if args.json:
        rows, cols = land.shape
        common.print_json({"files": files, "seconds": time.perf_counter() - begin, "rows": rows,
                           "columns": cols, "cell_size_m": land.cell_size_m,
                           "burnable_cells": int(land.burnable.sum()),
                           "checksum": land.checksum()})
    return 0


def describe(land: "Landscape") -> str:
    """A landscape in a few lines: size, place, terrain, fuels by area."""
    import numpy as np

    from firebreak.landscape.fuel_systems import fuel_name
    from firebreak.landscape.landscape import NODATA

    rows, cols = land.shape
    hectares = land.cell_size_m**2 / 1e4
    crs = (land.crs or "none").split('"')[1] if land.crs and '"' in land.crs else land.crs or "none"
    lines = [
        f"{land.name}: {rows} x {cols} cells of {land.cell_size_m:g} m, "
        f"{rows * cols * hectares:,.0f} ha, CRS {crs}",
        f"elevation {land.elevation_m.min():.0f} to {land.elevation_m.max():.0f} m, mean slope "
        f"{100 * land.slope_tan.mean():.0f} %, mean canopy cover "
        f"{100 * land.canopy_cover.mean():.0f} %",
        f"fuel system {land.fuel_system}, burnable {land.burnable.mean():.1%}, treatable "
        f"{land.treatable.mean():.1%}"]
    lines += _special_layers(land)
    codes, counts = np.unique(land.fuel_model, return_counts=True)
    for code, count in sorted(zip(codes.tolist(), counts.tolist(), strict=True),
                              key=lambda pair: -pair[1]):
        name = "no data" if code == NODATA else fuel_name(code, land.fuel_system)
        lines.append(f"  {code:>6}  {name:<24} {count / land.fuel_model.size:6.1%}  "
                     f"{count * hectares:>10,.0f} ha")
    return "\n".join(lines)


def _special_layers(land: "Landscape") -> list[str]:
    """A line for each layer that most landscapes have not, where it says anything."""
    from firebreak.landscape.writers import extra_layers

    units = {"grass_curing": " %"}
    return [f"{name.replace('_', ' ')} {grid.min():g} to {grid.max():g}{units.get(name, '')}"
            for name, grid in extra_layers(land).items() if name != "treatable"]


def _generate(arguments: list[str]) -> int:
    from firebreak.landscape.synthetic import generate
    from firebreak.landscape.writers import write_landscape

    args = common.parse(GenerateArguments, arguments, "landscape generate")
    if not args.cell_size_m > 0.0:
        raise fail(expected="a cell size above 0 m", given=f"{args.cell_size_m:g}",
                   where="--cell-size-m", remedy="30 to 100 is usual")
    begin = time.perf_counter()
    land = generate(args.seed, args.size, family=args.family, cell_size_m=args.cell_size_m)
    path = write_landscape(args.out, land)
    print(f"{describe(land)}\n{path}")
    if args.json:
        common.print_json({"files": [str(path)], "seconds": time.perf_counter() - begin})
    return 0


def _convert(arguments: list[str]) -> int:
    from firebreak.landscape.rasters import with_rasters
    from firebreak.landscape.readers import read_landscape
    from firebreak.landscape.resample import to_cell_size

    args = common.parse(ConvertArguments, arguments, "landscape convert")
    begin = time.perf_counter()
    land = read_landscape(args.landscape, terrain=args.terrain, crs=args.crs)
    if args.cell_size_m is not None:
        land = to_cell_size(land, args.cell_size_m)
    land = with_rasters(land, value=args.value, cost=args.cost, treatable=args.treatable,
                        barriers=args.barriers, ignition=args.ignitions)
    files = [str(path) for path in _write(land, args)]
    copies = _copied(args) if args.to == "cell2fire" else []
    print(describe(land))
    print("\n".join([*files, *(f"{copy} (copied)" for copy in copies)]))
    files += copies
    if args.json:
        rows, cols = land.shape
        common.print_json({"files": files, "seconds": time.perf_counter() - begin, "rows": rows,
                           "columns": cols, "cell_size_m": land.cell_size_m,
                           "fuel_system": land.fuel_system, "checksum": land.checksum()})
    return 0


def _write(land: "Landscape", args: ConvertArguments) -> list[Path]:
    from firebreak.landscape.cell2fire_writer import write_cell2fire
    from firebreak.landscape.lcp_writer import write_lcp
    from firebreak.landscape.writers import write_ascii_folder, write_landscape

    if args.to in ("geotiff", "lcp"):
        if args.out.is_dir():
            raise fail(expected="a file to write", given="a folder", where=str(args.out),
                       remedy="choose a name such as landscape.tif")
        return write_lcp(args.out, land) if args.to == "lcp" else [write_landscape(args.out, land)]
    folder = common.new_folder(args.out, "landscape")
    # What another map left there would be read as a layer of this one.
    if any(folder.iterdir()):
        raise fail(expected="a folder that is new or empty", given="one with files",
                   where=str(folder), remedy="choose another --out")
    return (write_cell2fire if args.to == "cell2fire" else write_ascii_folder)(folder, land)


def _copied(args: ConvertArguments) -> list[str]:
    """Copies of what a Cell2Fire folder holds beside its map."""
    from firebreak.landscape.cell2fire import is_folder
    from firebreak.landscape.cell2fire_writer import copy_weather_and_ignitions

    source = Path(args.landscape)
    if not source.is_dir() or not is_folder(source):
        return []
    # The cells in Ignitions.csv are numbered on the source's own grid.
    kept = args.cell_size_m is None and args.ignitions is None
    if not kept and any(path.name.lower() == "ignitions.csv" for path in source.iterdir()):
        print(f"Ignitions.csv of {source} is not copied: other cells or ignitions were asked for")
    return [str(path) for path in copy_weather_and_ignitions(source, args.out, ignitions=kept)]
