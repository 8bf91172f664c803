"""All corridors of a map: routes between anchors, and gaps between barriers."""

from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType

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
from firebreak.landscape.landscape import NODATA, Landscape, rectangle_of

LEAST_M, NEAR_M, MOST_M = 300.0, 1500.0, 2600.0
"""Distance between the ends of a route: the shortest, that up to which each sector has three, and
the longest."""
MOST_OFF = 0.08
"""Share of a route over wide bare ground, or ground that burns and is not treatable, at most."""
LEAST_TREATED = 0.6
"""Share of a route that is treated, at least: else it is a road that is there already."""
CLOSER, ENOUGH = (1.0, 0.5, 0.25), 400
"""Shares of the distance between anchors, tried until an area has so many routes."""

MOST_PAIRS, WORTH_M, SAMPLES = 3000, 150.0, 9
"""Pairs of anchors that routes are found for, where it is known what burns behind each cell; the
distance over which that is smoothed, and the places between two anchors at which it is looked up.
"""

SECTORS = ("east", "south-east", "south", "south-west", "west", "north-west", "north", "north-east")


def corridors_on(land: Landscape, ground: GroundMaps, least_m: float = LEAST_M,
                 joined: bool = False,
                 worth: NDArray[np.float64] | None = None) -> list[Corridor]:
    """Routes of `least_m` at least, and gaps between barriers, which may be shorter.

    Args:
        worth: [H, W], value that burns behind each cell: routes where there is most of it alone.
        joined: the cells of a route touch by edges, for breaks that leak at corners.
    """
    found: dict[bytes, Corridor] = {}
    for closer in CLOSER:
        found = _routes(land, ground, anchors_of(land, ground, closer), least_m, joined, worth)
        if len(found) >= ENOUGH:
            break
    for gap in gaps_of(land, ground, least_m, joined):
        found.setdefault(gap.cells.tobytes(), gap)
    return [own._replace(ground=ground_below(own.cells, land, ground)) for own in found.values()]


def _routes(land: Landscape, ground: GroundMaps, anchors: list[Anchor], least_m: float,
            joined: bool, worth: NDArray[np.float64] | None) -> dict[bytes, Corridor]:
    """Routes of `least_m` at least between anchors that are neighbours, by their cells."""
    pairs = neighbours_of(anchors, land, min(least_m, NEAR_M), NEAR_M, max(MOST_M, least_m))
    if worth is not None and len(pairs) > MOST_PAIRS:
        pairs = pairs[_where_most_burns(pairs, anchors, worth, land.cell_size_m)]
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


def _where_most_burns(pairs: NDArray[np.int64], anchors: Sequence[Anchor],
                      worth: NDArray[np.float64], cell_size_m: float) -> NDArray[np.int64]:
    """Places of the MOST_PAIRS pairs of anchors between which most value burns behind a cell."""
    smooth = ndimage.gaussian_filter(worth, WORTH_M / cell_size_m)
    ends = np.stack(np.divmod(np.array([own.cell for own in anchors]), worth.shape[1]))[:, pairs]
    along = np.linspace(0.0, 1.0, SAMPLES)
    row, col = np.rint(ends[..., :1] + (ends[..., 1:] - ends[..., :1]) * along).astype(np.int64)
    return np.sort(np.argsort(-smooth[row, col].mean(axis=1), kind="stable")[:MOST_PAIRS])


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


def with_names(corridors: Sequence[Corridor], land: Landscape,
               named: Mapping[str, Cells] = MappingProxyType({})) -> list[Corridor]:
    """Corridors with names: their own, that of the road or line which most of each runs along, or
    else what most of it lies on and where among what may be treated, "north-west ridge 2".

    named: the flat cells of roads and lines by their names.
    """
    box = rectangle_of(land.treatable) if land.treatable.any() else (0, 0, 1, 1)
    near = _names_beside(named, land.shape)
    names = [own.name or _runs_along(own.path, near, list(named)) for own in corridors]
    count, given = Counter(names), Counter(own.name for own in corridors if own.name)
    seen: Counter[str] = Counter()
    found = []
    for own, name in zip(corridors, names, strict=True):
        kind = name or f"{_district(own.path, land.shape[1], *box)} {_lies_on(own)}"
        seen[kind] += 1
        while f"{kind} {seen[kind]}" in given:
            seen[kind] += 1
        alone = given[own.name] == 1 or (name and count[name] == 1)
        found.append(own._replace(name=name if alone else f"{kind} {seen[kind]}"))
    return found


def _names_beside(named: Mapping[str, Cells], shape: tuple[int, int]) -> NDArray[np.int64]:
    """The number of the name of each flat cell, or of the nearest that touches it, from 1; else 0.
    """
    number = np.zeros(shape, np.int64)
    for k, cells in enumerate(named.values(), start=1):
        number.ravel()[cells] = k
    if not named:
        return number.ravel()
    away, (row, col) = ndimage.distance_transform_edt(number == 0, return_indices=True)
    return np.where(away < 2.0, number[row, col], 0).ravel()


def _runs_along(path: Cells, near: NDArray[np.int64], names: Sequence[str]) -> str:
    """The name that at least half of a path is at or beside, or nothing."""
    counts = np.bincount(near[path], minlength=2)[1:]
    most = int(counts.argmax())
    return names[most] if counts[most] and 2 * counts[most] >= path.size else ""


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
