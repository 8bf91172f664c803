"""Families of synthetic landscapes: which fuels, how large the patches, how steep, what barriers.

Fuels whose fires barely move in ordinary fire weather (SH1 to SH3, TU1, TL1 to TL7) are left out:
on a map where nothing burns there is nothing to learn. Inside a family the head fire of the
fastest patches is about 10 times as fast as that of the slowest; only green aspen (D-2), which
stands for moist ground in the families of the FBP System, is slower still.
"""

from dataclasses import dataclass

from firebreak.checks import unknown_name
from firebreak.landscape.fbp_codes import NON_FUEL
from firebreak.landscape.fuel_systems import DEFAULT_SYSTEM, FBP
from firebreak.landscape.fuels import BARREN, URBAN

Range = tuple[float, float]
Fuels = tuple[tuple[int, float, float], ...]
"""(fuel code, weight, preference for high and north-facing ground from -1 to 1)."""

AGRICULTURE, WATER = 93, 98
FBP_WATER, FBP_WETLAND = 102, 105


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Parameters of a family; a range is drawn from uniformly, once per map.

    Attributes:
        name: as in synthetic:SEED:SIZE:NAME.
        fuels: of all ground, or of ground that burned longest ago.
        fuel_system: of the codes.
        stages: (years since the last fire, fuels until then), rising: what grows where fire passed.
        scars: number of past fires per map of up to 40 cells, both ends included.
        scar_cells: their mean radius, cells.
        cut_share: share of the map that is logged in blocks, which carry slash.
        cut_fuels: (fuel code, weight) of the blocks.
        green_up: (fuel code before leaves are out, code after): half of the maps show either.
        patch_cells: correlation length of the fuel patches, cells.
        patch_exponent: fall of the patches' spectrum: low is ragged, high is rounded.
        stretch: length of patches over their width.
        relief_cells: correlation length of the relief, cells.
        slope: root mean square of the slope, rise over run.
        ridged: relief has sharp crests and broad valleys.
        barrier_codes: unburnable codes that patches may have.
        barrier_share: share of the map that unburnable patches take.
        rivers: number of rivers per map of up to 40 cells, both ends included.
        roads: number of roads, likewise.
        gaps: expected number of gaps (bridges, dry reaches, culverts) in each river or road.
        river_code, road_code: of the cells of rivers and roads.
        town: radius of a town near the middle, share of the side; none of it may be treated, nearly
            all value is there, and fires start at the map's edge. (0, 0): no town.
    """

    name: str
    fuels: Fuels
    fuel_system: str = DEFAULT_SYSTEM
    stages: tuple[tuple[float, Fuels], ...] = ()
    scars: tuple[int, int] = (0, 0)
    scar_cells: Range = (5.0, 16.0)
    cut_share: Range = (0.0, 0.0)
    cut_fuels: tuple[tuple[int, float], ...] = ()
    green_up: tuple[tuple[int, int], ...] = ()
    patch_cells: Range
    patch_exponent: Range = (2.4, 3.6)
    stretch: Range = (1.0, 1.6)
    relief_cells: Range = (15.0, 40.0)
    slope: Range = (0.05, 0.25)
    ridged: bool = False
    barrier_codes: tuple[int, ...] = (WATER, BARREN)
    barrier_share: Range = (0.0, 0.12)
    rivers: tuple[int, int] = (0, 1)
    roads: tuple[int, int] = (0, 1)
    gaps: Range = (1.0, 3.0)
    river_code: int = WATER
    road_code: int = URBAN
    town: Range = (0.0, 0.0)


_ALL = (
    Family(name="grassland",
           fuels=((101, 1.0, 0.3), (102, 1.5, 0.0), (104, 1.0, -0.3), (121, 1.0, 0.3),
                  (122, 0.7, 0.5)),
           patch_cells=(9.0, 26.0), slope=(0.02, 0.12), barrier_codes=(WATER, AGRICULTURE),
           barrier_share=(0.0, 0.15), roads=(0, 2)),
    Family(name="patchy",
           fuels=((101, 1.0, -0.3), (102, 1.0, -0.3), (121, 1.0, 0.0), (122, 1.2, 0.0),
                  (145, 0.8, 0.3), (146, 0.8, 0.3)),
           patch_cells=(5.0, 10.0), barrier_codes=(BARREN, AGRICULTURE),
           barrier_share=(0.08, 0.28)),
    Family(name="ridges",
           fuels=((102, 0.8, -0.8), (122, 1.0, -0.5), (144, 0.8, -0.2), (146, 0.8, 0.0),
                  (162, 0.8, 0.5), (163, 0.8, 0.4), (165, 0.8, 0.7)),
           patch_cells=(8.0, 18.0), stretch=(1.5, 3.0), relief_cells=(14.0, 28.0),
           slope=(0.20, 0.45), ridged=True, barrier_codes=(BARREN,), barrier_share=(0.0, 0.12),
           rivers=(0, 1), roads=(0, 1)),
    Family(name="corridors",
           fuels=((102, 1.0, -0.2), (121, 1.0, 0.0), (122, 1.0, 0.0), (145, 0.8, 0.2),
                  (146, 0.6, 0.2), (163, 0.8, 0.4)),
           patch_cells=(6.0, 14.0), stretch=(2.0, 4.5), barrier_codes=(AGRICULTURE, WATER),
           barrier_share=(0.10, 0.25), rivers=(1, 1), roads=(1, 3), gaps=(1.5, 4.0)),
    Family(name="forest",
           fuels=((162, 1.0, 0.2), (163, 1.0, 0.1), (165, 1.2, 0.4), (188, 0.6, 0.3),
                  (189, 0.8, 0.0), (202, 0.5, 0.0), (121, 0.7, -0.6), (122, 0.5, -0.7)),
           patch_cells=(9.0, 22.0), relief_cells=(18.0, 50.0), slope=(0.10, 0.35),
           barrier_codes=(WATER, BARREN), barrier_share=(0.0, 0.15)),
    Family(name="mosaic",
           fuels=((101, 0.7, -0.4), (102, 1.0, -0.4), (122, 1.0, -0.1), (144, 0.7, 0.0),
                  (146, 0.6, 0.1), (163, 0.7, 0.3), (165, 1.0, 0.5), (189, 0.7, 0.6)),
           patch_cells=(9.0, 28.0), slope=(0.05, 0.30),
           barrier_codes=(WATER, BARREN, AGRICULTURE, URBAN), barrier_share=(0.02, 0.20)),
    Family(name="interface",
           fuels=((101, 0.8, -0.5), (102, 1.0, -0.3), (121, 0.8, 0.0), (122, 1.0, 0.1),
                  (145, 0.8, 0.3), (163, 0.8, 0.6)),
           patch_cells=(8.0, 18.0), slope=(0.05, 0.25), barrier_codes=(URBAN,),
           barrier_share=(0.08, 0.25), roads=(1, 3)),
)

FAMILIES: dict[str, Family] = {family.name: family for family in _ALL}
"""The families that a seed draws from."""

_GREEN_UP = ((11, 12), (31, 32), (425, 525), (450, 550), (475, 575), (735, 835))
"""Aspen D-1 and D-2, matted grass O-1a and standing grass O-1b, mixedwood M-1 and M-2 by its share
of conifers, stands with dead fir M-3 and M-4.
"""

_CANADIAN = (
    Family(name="boreal", fuel_system=FBP.name, green_up=_GREEN_UP,
           # Old forest: black spruce, lichen woodland on high ground, old pine, mixedwood.
           fuels=((2, 1.5, 0.0), (1, 0.7, 0.7), (3, 0.9, -0.2), (475, 0.6, -0.2), (450, 0.5, -0.4)),
           stages=((8.0, ((31, 1.5, 0.0), (11, 0.6, -0.2))),
                   (30.0, ((11, 1.4, -0.4), (425, 0.7, 0.0), (4, 0.7, 0.3))),
                   (70.0, ((4, 1.2, 0.1), (3, 0.9, 0.0), (450, 0.8, -0.2), (425, 0.5, -0.4)))),
           scars=(3, 7), patch_cells=(10.0, 26.0), relief_cells=(20.0, 50.0), slope=(0.02, 0.15),
           cut_share=(0.0, 0.06), cut_fuels=((21, 1.0), (22, 0.8)),
           barrier_codes=(FBP_WATER, FBP_WETLAND), barrier_share=(0.03, 0.20), roads=(0, 1),
           river_code=FBP_WATER, road_code=NON_FUEL),
    Family(name="montane", fuel_system=FBP.name, green_up=_GREEN_UP,
           # Valleys of grass and open pine, closed pine and spruce above, plantations and slash.
           fuels=((3, 1.0, 0.1), (7, 0.9, -0.7), (2, 0.8, 0.6), (5, 0.5, 0.0), (6, 0.4, -0.2),
                  (31, 0.5, -0.9), (11, 0.3, -0.5), (735, 0.3, 0.5)),
           stages=((10.0, ((31, 1.6, -0.2), (11, 0.5, -0.2))),
                   (45.0, ((4, 1.2, 0.2), (11, 0.6, -0.5), (425, 0.6, -0.1), (6, 0.5, 0.0)))),
           scars=(1, 5), scar_cells=(4.0, 13.0), patch_cells=(7.0, 18.0), relief_cells=(14.0, 30.0),
           slope=(0.15, 0.40), ridged=True, cut_share=(0.02, 0.14),
           cut_fuels=((21, 1.0), (22, 0.7), (23, 0.6)),
           barrier_codes=(NON_FUEL, FBP_WATER), barrier_share=(0.0, 0.12), roads=(0, 2),
           river_code=FBP_WATER, road_code=NON_FUEL),
)

FBP_FAMILIES: dict[str, Family] = {family.name: family for family in _CANADIAN}
"""Families of the fuel types of the Canadian FBP System; only by name, or where they are asked for:
other fires than those of `FAMILIES` have other rates, intensities and weather."""

HELD_OUT: dict[str, Family] = {"shifted": Family(
    name="shifted",
    fuels=((103, 0.8, -0.4), (123, 1.0, -0.2), (147, 1.0, 0.2), (149, 0.6, 0.4), (164, 0.8, 0.5),
           (201, 0.8, 0.0), (203, 0.5, 0.3)),
    patch_cells=(3.0, 6.0), stretch=(4.0, 7.0), relief_cells=(8.0, 14.0), slope=(0.35, 0.60),
    ridged=True, barrier_codes=(BARREN, URBAN), barrier_share=(0.22, 0.34), rivers=(0, 2),
    roads=(0, 2), gaps=(3.0, 6.0))}
"""Only by name: other fuels, finer and longer patches, steeper ground and more barriers than in any
family that is drawn, to see how what was learned on those carries over."""

TOWNS: dict[str, Family] = {"town": Family(
    name="town",
    fuels=((101, 0.8, -0.4), (102, 1.0, -0.3), (121, 1.0, 0.0), (122, 1.2, 0.0), (145, 0.7, 0.3)),
    patch_cells=(5.0, 14.0), slope=(0.02, 0.20), barrier_share=(0.0, 0.10), rivers=(0, 0),
    roads=(0, 0), town=(0.12, 0.17))}
"""Only by name: no break saves much before a barrier around the town is closed."""


def family_named(name: str, where: str = "synthetic landscape") -> Family:
    """The family of that name; `InputError` with the nearest name if there is none."""
    every = FAMILIES | FBP_FAMILIES | HELD_OUT | TOWNS
    if name not in every:
        raise unknown_name("family", name, every, where)
    return every[name]
