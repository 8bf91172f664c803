"""`firebreak landscape info` and `generate`."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from firebreak.cli.commands.landscape.describe import about_sample, describe
from firebreak.cli.shared import common
from firebreak.files import check_folder, check_not_kept, held_folder
from firebreak.landscape.names import FUEL_MAP
from firebreak.settings.binding import Bound
from firebreak.settings.kinds import Positive
from firebreak.settings.schema import POSITIONAL

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
