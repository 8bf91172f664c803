"""`firebreak landscape convert`: another format, other cells, other layers."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from firebreak.checks import fail
from firebreak.cli.commands.landscape.command import describe
from firebreak.cli.shared import common
from firebreak.files import check_not_kept, held_folder
from firebreak.settings.binding import Bound
from firebreak.settings.kinds import Positive
from firebreak.settings.schema import POSITIONAL

if TYPE_CHECKING:
    from firebreak.landscape.landscape import Landscape

FILES = ("geotiff", "lcp")
"""Formats of one file; the others are folders."""


@dataclass(frozen=True)
class ConvertArguments:
    """Write a landscape in another format, on other cells, or with other layers."""

    landscape: Annotated[str, POSITIONAL]
    """A file or folder, synthetic:SEED[:SIZE], or sample:NAME."""
    out: Path
    """The file to write, or for ascii and cell2fire a folder that is new or empty."""
    to: Literal["geotiff", "ascii", "cell2fire", "lcp"] = "geotiff"
    """One landscape GeoTIFF; one ASCII grid per layer; a Cell2Fire (C2F-W) folder, with the
    weather and ignitions of the Cell2Fire folder that it came from; or a FARSITE .lcp."""
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


def run(bound: Bound[ConvertArguments]) -> int:
    """Runs the command."""
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
    with held_folder(None if args.to in FILES else args.out):
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
    from firebreak.landscape.formats.folders import write_ascii_folder, write_cell2fire
    from firebreak.landscape.formats.write import write_landscape, write_lcp

    if args.to in FILES:
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
    from firebreak.landscape.formats.cell2fire import is_folder
    from firebreak.landscape.formats.folders import copy_weather_and_ignitions

    source = Path(args.landscape)
    if not source.is_dir() or not is_folder(source):
        return []
    # The cells in Ignitions.csv are numbered on the source's own grid.
    kept = args.cell_size_m is None and args.ignitions is None
    if not kept and any(path.name.lower() == "ignitions.csv" for path in source.iterdir()):
        print(f"Ignitions.csv of {source} is not copied: --cell-size-m or --ignitions replaces it")
    return [str(path) for path in copy_weather_and_ignitions(source, args.out, ignitions=kept)]
