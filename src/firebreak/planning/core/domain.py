"""The domain of an area: the area and the land around it where its fires come from.

Probe fires, of a set of their own, tell the reach of fires, from the start to the farthest cell
that burns, by the sector of 45 degrees in which they start as seen from the area. The margin in a
sector is the UPWIND_REACH quantile of the reach where wind blows from there in UPWIND_SHARE of the
weather or more, else the OTHER_REACH quantile, widened while starts in its outer fifth make
OUTER_LOSS or more of what the area loses. Where the map ends before, its mirror image goes on.
"""

from collections.abc import Callable
from dataclasses import replace
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import distance_transform_edt

from firebreak.fire import FireConditions, Fires, Scene, ValueLayer, burn_tracks, make_scene
from firebreak.landscape.landscape import AREA, BEYOND, MARGIN, Landscape, rectangle_of
from firebreak.landscape.raster.windows import Window, inside_map, mirrored_part, padded_to

SECTORS = ("N", "NE", "E", "SE", "S", "SW", "W", "NW")
UPWIND_SHARE, UPWIND_REACH, OTHER_REACH = 0.10, 0.95, 0.75
FARTHEST_M = 15_000.0
OUTER_LOSS, WITHIN, WIDENING, MOST_WIDENINGS = 0.05, 0.8, 1.25, 3
MOST_ROW_CELLS = 1_000_000
"""Cells of a domain times rows of weather, at most: methods that burn each change of a plan burn
all of it, so that more takes minutes. But around an area lie DISTRICT_SPARE times its cells, up to
DISTRICT_CELLS, or LEAST_SPARE times as many as it has."""
DISTRICT_SPARE, DISTRICT_CELLS, LEAST_SPARE = 1.5, 100_000, 0.5
PROBE_FIRES, FIRST_FIRES = 512, 32
MOST_BURNED = 12_000_000
"""Cells that probe fires burn, about: not seconds, so that machines find the same domain."""
FEWEST_FIRES = 8
"""Fires that start in a sector, below which those of all sectors stand for it."""

LayersOn = Callable[[Landscape], list[ValueLayer] | None]
"""Gives what is lost on a landscape; None for its own value."""

_BOUNDS = {
    "memory": "more land around it would need more memory than a plan should take",
    "distance": f"some may come from beyond the {FARTHEST_M / 1000:g} km that are looked at",
    "map": "some may come from beyond the map"}


class Domain(NamedTuple):
    """The facts of an area with its margin.

    Attributes:
        shape: rows and columns of both together.
        margin_m: in each of SECTORS, m.
        upwind: of each, whether wind blows from there.
        mirrored: share of its cells that are a mirror image of the map.
        outer_loss: share of the area's loss by fires that start in the outer fifth of the margin.
        bounded: why the margin is narrower than fires reach: "memory", "distance" or "map"; empty
            where it is not.
    """

    shape: tuple[int, int]
    margin_m: tuple[float, ...]
    upwind: tuple[bool, ...]
    mirrored: float
    outer_loss: float
    bounded: str

    def words(self) -> str:
        """The domain in a sentence."""
        away = [f"{metres / 1000:.1f}" for metres in self.margin_m]
        by_sector = ", ".join(f"{name} {one}" for name, one in zip(SECTORS, away, strict=True))
        km = f"{away[0]} km from it" if len({*away}) == 1 else f"so many km from it: {by_sector}"
        words = [f"fires also start around the area, up to {km}"]
        if self.bounded:
            words.append(_BOUNDS[self.bounded])
        if self.mirrored > 0.0:
            words.append(f"{self.mirrored:.0%} of this land lies beyond the map, where the map's "
                         "mirror image stands for it")
        return "; ".join(words)

    def to_json(self) -> dict[str, object]:
        """Plain data."""
        return {"rows": self.shape[0], "columns": self.shape[1],
                "margin_m": dict(zip(SECTORS, self.margin_m, strict=True)),
                "upwind": [name for name, is_upwind in zip(SECTORS, self.upwind, strict=True)
                           if is_upwind],
                "mirrored_share": self.mirrored, "outer_loss_share": self.outer_loss,
                "bounded_by": self.bounded or None}


class Surroundings(NamedTuple):
    """Cells [H, W] of a domain: m to the area, 0 inside; sector seen from there, N inside."""

    distance_m: NDArray[np.float64]
    sector: NDArray[np.int64]

    @classmethod
    def of(cls, land: Landscape) -> "Surroundings":
        """Surroundings of the area of a landscape."""
        distance, (row, col) = distance_transform_edt(~land.inside, return_indices=True)
        north, east = row - np.arange(land.shape[0])[:, None], np.arange(land.shape[1]) - col
        return cls(distance * land.cell_size_m, sector_of(np.degrees(np.arctan2(east, north))))

    def within(self, margin_m: NDArray[np.float64], share: float = 1.0) -> NDArray[np.bool_]:
        """The cells [H, W] inside a share of the margins [8]."""
        return self.distance_m <= share * margin_m[self.sector]


class Probe(NamedTuple):
    """F probe fires, burned: flat cell of the start, reach, and value lost in the area."""

    source: NDArray[np.int64]
    reach_m: NDArray[np.float64]
    lost: NDArray[np.float64]


def find_domain(full: Landscape, area: NDArray[np.bool_], conditions: FireConditions, seed: int,
                layers: LayersOn) -> tuple[Landscape, tuple[int, int], Domain]:
    """The domain of an area of a map, the same at every call: the land, with its zones, of which
    only the area has value and may be treated, and beyond whose margin no fire starts; the row and
    column of its north-west cell on the map, below 0 beyond the map's edge; the facts.

    Args:
        area: bool [H, W], its cells on the map, one at least.
        conditions: of the fires, whose durations are given.
        layers: what is lost.

    Raises:
        InputError: nothing burns.
    """
    window, widest_m, bound = _widest(full, area, conditions.rows)
    land = _zoned(full, area, window)
    around = Surroundings.of(land)
    scene = make_scene(land, conditions, seed, layers=layers(land),
                       tiled=land.fuel_model.size * conditions.rows > MOST_ROW_CELLS)
    upwind, probe = upwind_sectors(scene), _probed(scene)
    room = np.array([around.distance_m[around.sector == k].max(initial=0.0)
                     for k in range(len(SECTORS))])
    wanted, outer_loss = widened(reach_of(probe, around, upwind), np.minimum(room, widest_m),
                                 probe, around)
    margin = np.minimum(wanted, np.minimum(room, widest_m))
    starts = around.within(margin)
    own = Window(*rectangle_of(starts))
    zone = np.where(land.zone == AREA, AREA, np.where(starts, MARGIN, BEYOND)).astype(np.int8)
    made = own.of(replace(land, zone=zone))
    found = replace(made, name=land.name,
                    ignition_weight=np.where(made.starts, made.ignition_weight, 0.0))
    placed = Window(window.row + own.row, window.col + own.col, own.rows, own.cols)
    real = inside_map(placed, full.shape)
    if (wanted < margin + land.cell_size_m).all():
        bound = ""
    elif (room + land.cell_size_m < np.minimum(wanted, widest_m)).any():
        bound = "map"
    return found, (placed.row, placed.col), Domain(
        found.shape, tuple(margin.tolist()), tuple(upwind.tolist()),
        1.0 - real.rows * real.cols / found.fuel_model.size, outer_loss, bound)


def _widest(full: Landscape, area: NDArray[np.bool_], rows: int) -> tuple[Window, float, str]:
    """The largest rectangle that a domain may have; its margin, m, and what bounds that."""
    top, left, height, width = rectangle_of(area)
    half = (height + width) / 4.0
    cells = height * width
    spare = max(MOST_ROW_CELLS / rows - cells, LEAST_SPARE * cells,
                min(DISTRICT_SPARE * cells, DISTRICT_CELLS))
    fitting = int(sqrt(half * half + spare / 4.0) - half)
    farthest = int(FARTHEST_M / full.cell_size_m)
    most = min(fitting, farthest)

    # Where the map says where fires start, none is known to start beyond it.
    def ends(first: int, count: int, size: int) -> tuple[int, int]:
        more = size if full.starts_anywhere else 0
        return max(first - most, -more), min(first + count + most, size + more)

    (north, south), (west, east) = (ends(top, height, full.shape[0]),
                                    ends(left, width, full.shape[1]))
    return (Window(north, west, south - north, east - west), most * full.cell_size_m,
            "memory" if fitting < farthest else "distance")


def _zoned(full: Landscape, area: NDArray[np.bool_], window: Window) -> Landscape:
    """A window of the map, and of its mirror image, all around the area margin."""
    real = inside_map(window, full.shape)
    inside = padded_to(area[real.slices], real, window, False)
    land = mirrored_part(full, window)
    return replace(
        land, name=full.name, zone=np.where(inside, AREA, MARGIN).astype(np.int8),
        value=np.where(inside, land.value, 0.0), treatable=land.treatable & inside,
        layers=tuple(np.where(inside, layer, 0.0) for layer in land.layers))


def _probed(scene: Scene) -> Probe:
    """The fires of the set "probe", burned: as many as burn MOST_BURNED cells together, about."""
    land, most = scene.landscape, PROBE_FIRES
    cols, value = land.shape[1], scene.value.ravel().astype(np.float64)
    fires = scene.fires("probe", most)
    found = Probe(fires.source, np.zeros(most), np.zeros(most))
    burned = 0

    def burn(some: Fires, first: int) -> None:
        def take(number: int, cells: NDArray[np.int64], times: NDArray[np.float32]) -> None:
            nonlocal burned
            burned += cells.size
            fire = first + number
            (row, col), (start_row, start_col) = (np.divmod(cells, cols),
                                                  divmod(int(fires.source[fire]), cols))
            found.reach_m[fire] = land.cell_size_m * np.sqrt(
                ((row - start_row) ** 2 + (col - start_col) ** 2).max())
            found.lost[fire] = value[cells].sum()

        burn_tracks(scene, some, take)

    burn(fires.first(FIRST_FIRES), 0)
    count = min(most, max(FIRST_FIRES, FIRST_FIRES * MOST_BURNED // max(burned, 1)))
    if count > FIRST_FIRES:
        burn(fires.part(slice(FIRST_FIRES, count)), FIRST_FIRES)
    return Probe(found.source[:count], found.reach_m[:count], found.lost[:count])


def upwind_sectors(scene: Scene) -> NDArray[np.bool_]:
    """The sectors that wind blows from in UPWIND_SHARE of the weather: bool [8]."""
    weather = scene.scenarios
    share = np.bincount(sector_of(weather.wind_from_deg), weather.weight, len(SECTORS))
    return share >= UPWIND_SHARE


def sector_of(bearing_deg: NDArray[np.float64]) -> NDArray[np.int64]:
    """The sector, the number of one of SECTORS, in which a bearing clockwise from north lies."""
    return np.round(bearing_deg / 45.0).astype(np.int64) % len(SECTORS)


def reach_of(probe: Probe, around: Surroundings,
             upwind: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The margin that the reach of probe fires asks for in each sector, m, f64 [8]."""
    outside = around.distance_m.ravel()[probe.source] > 0.0
    sector = around.sector.ravel()[probe.source]
    found = []
    for k, is_upwind in enumerate(upwind.tolist()):
        own = outside & (sector == k)
        few = np.count_nonzero(own) < FEWEST_FIRES
        found.append(np.quantile(probe.reach_m[np.ones_like(own) if few else own],
                                 UPWIND_REACH if is_upwind else OTHER_REACH))
    return np.array(found)


def widened(wanted_m: NDArray[np.float64], most_m: NDArray[np.float64], probe: Probe,
            around: Surroundings) -> tuple[NDArray[np.float64], float]:
    """The margins [8] that are wanted, widened as long as starts in the outer fifth of what may be
    had of them, at most `most_m` [8], make OUTER_LOSS of the loss; the share that they make then.
    """
    source = probe.source
    for widening in range(MOST_WIDENINGS + 1):
        margin = np.minimum(wanted_m, most_m)
        every, inner = (float(probe.lost[around.within(margin, share).ravel()[source]].sum())
                        for share in (1.0, WITHIN))
        outer = 1.0 - inner / every if every > 0.0 else 0.0
        if outer < OUTER_LOSS or widening == MOST_WIDENINGS:
            break
        wanted_m = wanted_m * WIDENING
    return wanted_m, outer
