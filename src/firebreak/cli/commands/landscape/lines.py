"""`firebreak landscape lines`: candidate lines for breaks."""

import shlex
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from firebreak.api.shared.scene_options import SceneOptions
from firebreak.checks import counted, fail, unknown_name
from firebreak.cli.shared import common
from firebreak.cli.shared.common import scene_words
from firebreak.files import check_not_kept
from firebreak.settings.binding import Bound
from firebreak.settings.kinds import NotNegative, Positive
from firebreak.settings.schema import POSITIONAL

if TYPE_CHECKING:
    from firebreak.landscape.candidates.corridor import Cells, Corridor
    from firebreak.landscape.landscape import Landscape

CORRIDOR = "corridor"
FIRES = 128
"""Fires that say how much burns behind a corridor."""
MOST_CELLS = 16_000_000
"""Cells of a map: its drainage is followed cell by cell, in some microseconds each."""


@dataclass(frozen=True)
class LinesArguments:
    """Find lines on which a fire may be held: corridors that can be built as one, with names, or
    ridges, valleys, roads and edges of fuels."""

    landscape: Annotated[str, POSITIONAL]
    """A file or folder, synthetic:SEED[:SIZE], or sample:NAME."""
    out: Path
    """The file to write: .gpkg or .geojson."""
    kinds: str = CORRIDOR
    """Kinds of lines, separated by commas: corridor, ridge, valley, road, fuel-edge. A corridor is
    a route of least cost between two places that a break can be tied to."""
    area: str | None = None
    """Part of the map to look for lines in: R0:R1,C0:C1, or a file of polygons or a raster. Lines
    that touch it are kept."""
    basin_ha: Positive = 15.0
    """Smallest area that drains through a cell of a valley, or off a cell of a ridge; a larger one
    gives fewer lines."""
    least_m: Positive = 300.0
    """Shortest length of a line, but for gaps between two stretches of bare ground."""
    house_buffer: NotNegative = 30.0
    """Distance from a house within which no corridor runs, m."""
    scene: SceneOptions = field(default_factory=SceneOptions)


def run(bound: Bound[LinesArguments]) -> int:
    """Runs the command."""
    args = bound.options
    common.check_there(args, args.landscape)
    from firebreak.api.plans.corridors import named_in
    from firebreak.landscape.candidates.corridors.find import with_names
    from firebreak.landscape.candidates.lines import KINDS, candidate_lines, masks_of
    from firebreak.planning.core.area import area_mask, named_area
    from firebreak.planning.output.vectors import check_line_file, write_lines

    begin = time.perf_counter()
    check_not_kept(args.out)
    kinds = [name.strip() for name in args.kinds.split(",") if name.strip()]
    for name in kinds:
        if name not in (CORRIDOR, *KINDS):
            raise unknown_name("kind", name, (CORRIDOR, *KINDS), "--kinds")
    full = args.scene.read(args.landscape)
    land, inside = full, None
    if args.area is not None:
        land, (top, left) = named_area(full, args.area)
        inside = area_mask(full, args.area)[top:top + land.shape[0], left:left + land.shape[1]]
    check_line_file(args.out, land)
    if land.fuel_model.size > MOST_CELLS:
        raise fail(expected=f"at most {MOST_CELLS:,} cells", given=f"{land.fuel_model.size:,}",
                   where=f"landscape {land.name}", remedy="name a part with --area")
    # Without --roads, bare or built-up ground as narrow as one.
    roads = None if land.road_m is None else land.road_m == 0.0
    masks = masks_of(land, roads, args.basin_ha)
    named = named_in(args.scene.map.roads, None, land)
    found = _corridors(args, land, named) if CORRIDOR in kinds else []
    found += sorted(candidate_lines(land, {kind: mask for kind, mask in masks.items()
                                           if kind in kinds}, args.least_m),
                    key=lambda line: -line.length_m)
    lines = with_names(found, land, named)
    if inside is not None:  # around the area the land is read too
        lines = [line for line in lines if inside.ravel()[line.path].any()]
    if not lines:
        raise fail(expected="lines on the map", given="none", where=f"landscape {land.name}",
                   remedy="lower --least-m or --basin-ha")
    file = write_lines(args.out, [line.path for line in lines],
                       [_columns(line) for line in lines], land)
    print(f"{_table(lines)}\n{file}")
    area = "" if args.area is None else f" --area {shlex.quote(args.area)}"
    print(f"next: firebreak plan {shlex.quote(args.landscape)}{area} --lines "
          f"{shlex.quote(str(args.out))} --only-lines{scene_words(_of_plan(args.scene))} --out "
          "my_plan")
    if args.scene.json:
        common.print_json({"files": [str(file)], "lines": len(lines),
                           "seconds": time.perf_counter() - begin})
    return 0


def _corridors(args: LinesArguments, land: "Landscape", named: "Mapping[str, Cells]",
               ) -> "list[Corridor]":
    """The corridors of the map behind which fires burn most value per cost."""
    from firebreak.fire import burn
    from firebreak.landscape.candidates.corridors.find import corridors_on
    from firebreak.landscape.candidates.corridors.ground import check_houses, ground_of
    from firebreak.planning.patterns.offered import offered

    check_houses(land, args.house_buffer)
    scene = args.scene.scene(land, args.landscape, FIRES)
    worth = burn(scene, scene.fires("plan", FIRES), want="statistics").downstream_value
    found = corridors_on(land, ground_of(land, args.house_buffer, args.basin_ha),
                         args.least_m, args.scene.breaks.leak)
    return list(offered(found, worth, land, named=named).corridors)


def _of_plan(scene: SceneOptions) -> SceneOptions:
    """The options for a plan: it takes roads only where somebody comes by them."""
    return scene if scene.breaks.hold is not None else replace(
        scene, map=replace(scene.map, roads=None))


def _columns(line: "Corridor") -> dict[str, str | float | None]:
    return {"name": line.name, "kind": line.kind, **line.facts(),
            "length_m": round(line.length_m, 1), "cells": int(line.path.size),
            "treatable_cells": int(line.cells.size)}


def _table(lines: "list[Corridor]") -> str:
    """Lines and their length by kind."""
    words = [counted(len(lines), "line")]
    for kind in dict.fromkeys(line.kind for line in lines):
        own = [line.length_m for line in lines if line.kind == kind]
        words.append(f"  {kind:<10} {len(own):>5}  {sum(own) / 1000.0:>8,.1f} km")
    return "\n".join(words)
