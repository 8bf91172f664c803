"""All corridors of a map: routes between anchors, and gaps between barriers."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from firebreak.landscape.candidates.corridor import (
    Anchor,
    Cells,
    Corridor,
    Ground,
    corridor_of,
)
from firebreak.landscape.candidates.corridors.anchors import BARE, anchors_of, neighbours_of
from firebreak.landscape.candidates.corridors.ground import GroundMaps
from firebreak.landscape.candidates.corridors.routes import joined_by_edges, routes_between
from firebreak.landscape.landscape import NODATA, Landscape

LEAST_M, NEAR_M, MOST_M = 300.0, 1500.0, 2600.0
"""Distance between the ends of a route: the shortest, that up to which each sector has three, and
the longest."""
MOST_OFF = 0.08
"""Share of a route over wide bare ground, or ground that burns and is not treatable, at most."""
LEAST_TREATED = 0.6
"""Share of a route that is treated, at least: else it is a road that is there already."""
CLOSER, ENOUGH = (1.0, 0.5, 0.25), 100
"""Where an area is so small that it has fewer routes, its anchors come closer together."""

SECTORS = ("east", "south-east", "south", "south-west", "west", "north-west", "north", "north-east")


def corridors_on(land: Landscape, ground: GroundMaps, least_m: float = LEAST_M,
                 joined: bool = False) -> list[Corridor]:
    """Routes of `least_m` at least, and gaps between barriers, which may be shorter.

    Args:
        joined: the cells of a route touch by edges, for breaks that leak at corners.
    """
    found: dict[bytes, Corridor] = {}
    for closer in CLOSER:
        found = _routes(land, ground, anchors_of(land, ground, closer), least_m, joined)
        if len(found) >= ENOUGH:
            break
    for gap in gaps_of(land, ground, least_m, joined):
        found.setdefault(gap.cells.tobytes(), gap)
    return [own._replace(ground=ground_below(own.cells, land, ground)) for own in found.values()]


def _routes(land: Landscape, ground: GroundMaps, anchors: list[Anchor], least_m: float,
            joined: bool) -> dict[bytes, Corridor]:
    """Routes of `least_m` at least between anchors that are neighbours, by their cells."""
    pairs = neighbours_of(anchors, land, min(least_m, NEAR_M), NEAR_M, max(MOST_M, least_m))
    may = (land.treatable & ~ground.near_houses).ravel()
    way = may | (~land.burnable & (land.fuel_model != NODATA) & (ground.wide == 0)).ravel()
    found: dict[bytes, Corridor] = {}
    if pairs.size:
        at = np.array([own.cell for own in anchors], np.int64)
        for route in routes_between(ground.surface, at, pairs, land.cell_size_m,
                                    max(MOST_M, least_m)):
            path = route.path[_from_first_to_last(may[route.path])]
            if not path.size or (~way[path]).mean() > MOST_OFF or (
                    may[path].mean() < LEAST_TREATED):
                continue
            path = joined_by_edges(path, ground.surface) if joined else path
            one, other = (anchors[k] for k in route.ends)
            own = corridor_of(path, land, "route", (one, other))
            if own.length_m >= least_m:
                found.setdefault(own.cells.tobytes(), own)
    return found


def gaps_of(land: Landscape, ground: GroundMaps, most_m: float, joined: bool) -> list[Corridor]:
    """The narrowest place between each two wide stretches of bare ground that are nearer to each
    other than `most_m`, where all of it may be treated.
    """
    if not ground.wide.any():
        return []
    away, (row, col) = ndimage.distance_transform_edt(ground.wide == 0, return_indices=True)
    number, may = ground.wide[row, col], (land.treatable & ~ground.near_houses).ravel()
    narrowest: dict[tuple[int, int], tuple[float, int, int]] = {}
    for down, right in ((0, 1), (1, 0)):
        first = (slice(0, land.shape[0] - down), slice(0, land.shape[1] - right))
        then = (slice(down, None), slice(right, None))
        wide_m = (away[first] + away[then]) * land.cell_size_m
        for up, left in np.argwhere((number[first] != number[then]) & (wide_m < most_m)).tolist():
            here, there = (up, left), (up + down, left + right)
            one, other = (int(row[own]) * land.shape[1] + int(col[own]) for own in (here, there))
            low, high = sorted((int(number[here]), int(number[there])))
            narrowest[low, high] = min(narrowest.get((low, high), (np.inf, 0, 0)),
                                       (float(wide_m[up, left]), one, other))
    found = []
    for _, one, other in narrowest.values():
        path = _straight(one, other, land.shape[1])
        path = (joined_by_edges(path, ground.surface) if joined else path)[1:-1]
        if path.size and may[path].all():
            found.append(corridor_of(path, land, "gap", (Anchor(int(path[0]), BARE),
                                                         Anchor(int(path[-1]), BARE))))
    return found


def _straight(one: int, other: int, width: int) -> Cells:
    """The cells of a straight line from a flat cell to another, which touch at least at corners."""
    (row, col), (to_row, to_col) = divmod(one, width), divmod(other, width)
    steps = max(abs(to_row - row), abs(to_col - col)) + 1
    rows, cols = (np.rint(np.linspace(*ends, steps)).astype(np.int64)
                  for ends in ((row, to_row), (col, to_col)))
    return np.asarray(rows * width + cols)


def _from_first_to_last(mask: NDArray[np.bool_]) -> slice:
    there = np.flatnonzero(mask)
    return slice(int(there[0]), int(there[-1]) + 1) if there.size else slice(0, 0)


def ground_below(cells: Cells, land: Landscape, ground: GroundMaps) -> Ground:
    """The ground of treated cells."""
    ridge, road, edge = (float(mask.ravel()[cells].mean())
                         for mask in (ground.ridge, ground.road, ground.edge))
    return Ground(ridge, road, edge, float(np.quantile(land.slope_tan.ravel()[cells], 0.9)))


def with_names(corridors: Sequence[Corridor], land: Landscape) -> list[Corridor]:
    """Corridors with names, from what most of each lies on and where among what may be treated:
    "north-west ridge 2". Those that have a name keep it.
    """
    rows, cols = np.nonzero(land.treatable)
    box = ((rows.min(), cols.min(), np.ptp(rows) + 1, np.ptp(cols) + 1) if rows.size
           else (0, 0, 1, 1))
    seen: dict[str, int] = {}
    found = []
    for own in corridors:
        if not own.name:
            kind = f"{_district(own.path, land.shape[1], *map(int, box))} {_lies_on(own)}"
            seen[kind] = seen.get(kind, 0) + 1
            own = own._replace(name=f"{kind} {seen[kind]}")
        found.append(own)
    return found


def _lies_on(own: Corridor) -> str:
    if own.kind != "route" or own.ground is None:
        return {"given": "line", "segment": "piece", "route": "route"}.get(own.kind, own.kind)
    shares = {"ridge": own.ground.ridge, "road": own.ground.road, "fuel edge": own.ground.edge}
    most = max(shares, key=lambda name: shares[name])
    return most if shares[most] >= 0.5 else "slope" if own.ground.slope > 0.15 else "flat"


def _district(path: Cells, width: int, top: int, left: int, rows: int, cols: int) -> str:
    """The part of a rectangle of a map so wide in which the middle of a path lies."""
    row, col = np.divmod(path[path.size // 2], width)
    down, right = (row - top) / rows - 0.5, (col - left) / cols - 0.5
    if np.hypot(down, right) < 1.0 / 6.0:
        return "central"
    return SECTORS[int(np.round(np.degrees(np.arctan2(down, right)) / 45.0)) % 8]
