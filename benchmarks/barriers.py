"""Crossings of bare ground by fire, and its runs over roads.

    python benchmarks/barriers.py

Two made lands, in a west wind over dry fuel (D1L1). A bare strip across shrub under oaks, in cells
of 10 and 30 m: the share of 1,000 fires, each 300 m before the strip, that cross it within four
hours. A land of grass, shrub and oak woodland in patches of 240 m, with a road of 10 m every
kilometre: the forward run of 200 fires in four hours. Flames and embers of maps; the fires of every
row are the same.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.fire import (
    FireConditions,
    FireRegime,
    Fires,
    SpottingModel,
    burn_tracks,
    fire_keys,
    make_scene,
)
from firebreak.fire.effects.spotting import ON_MAPS
from firebreak.landscape.bare_ground import with_bare_widths
from firebreak.landscape.fuels import BARREN, URBAN
from firebreak.landscape.landscape import Landscape
from firebreak.units import M_MIN_PER_KM_H
from firebreak.weather.moisture import moisture_scenario
from firebreak.weather.scenarios import WeatherScenarios, make_scenarios

MINUTES = 240.0
GRASS, SHRUB, TALL_SHRUB, GRASS_SHRUB, LITTER = 102, 142, 145, 122, 182
WIDTHS_M, WINDS_KM_H, STRIP_FIRES = (10, 20, 30, 60, 100, 300), (30, 60, 90), 1000
BEFORE_M, ACROSS_M, STRIP_CELLS_M = 300.0, 1000.0, (10.0, 30.0)
RUN_FIRES, RUN_ROWS, RUN_KM, RUN_CELL_M, PATCH, ROAD_EVERY = 200, 100, 24, 30.0, 8, 33
OAK_COVER, OAK_HEIGHT_M = 0.25, 8.0


class Run(NamedTuple):
    """Forward runs of fires, km; each quantile of them."""

    low: float
    median: float
    high: float


def dry_west_wind(km_h: float) -> WeatherScenarios:
    """One weather of D1L1."""
    return make_scenarios(wind_20ft_m_min=km_h * M_MIN_PER_KM_H, wind_from_deg=270.0,
                          **moisture_scenario("D1L1")._asdict())


def level_land(fuel: NDArray[np.int16], oaks: NDArray[np.bool_], size: float) -> Landscape:
    """Level ground of these fuels, with oaks in some cells."""
    none, oaks = np.zeros(fuel.shape, np.float32), (oaks & (fuel > BARREN)).astype(np.float32)
    return Landscape(
        name="barriers", fuel_model=fuel, elevation_m=none, slope_tan=none, aspect_deg=none,
        canopy_cover=OAK_COVER * oaks, canopy_height_m=OAK_HEIGHT_M * oaks,
        canopy_base_height_m=2.0 * oaks, canopy_bulk_density_kg_m3=np.float32(0.05) * oaks,
        value=none + 1, cost=none + 1,
        treatable=none == 0.0, cell_size_m=size, transform=(size, 0.0, 0.0, 0.0, -size, 0.0))


def furthest_columns(land: Landscape, source: NDArray[np.int64], km_h: float,
                     embers: SpottingModel | None) -> NDArray[np.int64]:
    """The easternmost column that each fire burns."""
    conditions = FireConditions(regime=FireRegime(duration_min=MINUTES), spotting=embers)
    scene = make_scene(land, conditions, 0, dry_west_wind(km_h))
    count = source.size
    fires = Fires(source, np.zeros(count, np.int64), np.full(count, MINUTES),
                  fire_keys(0, "test", "barriers", count))
    found = np.zeros(count, np.int64)

    def take(fire: int, cells: NDArray[np.int64], _: NDArray[np.float32]) -> None:
        found[fire] = (cells % land.shape[1]).max()

    burn_tracks(scene, fires, take)
    return found


def crossed_share(width_m: float, km_h: float, embers: SpottingModel | None,
                  fires: int = STRIP_FIRES, cell_m: float = STRIP_CELLS_M[0]) -> float:
    """Share of the fires that cross a bare strip, which may be narrower than its cells."""
    before, rows = round(BEFORE_M / cell_m), round(ACROSS_M / cell_m)
    strip = max(1, round(width_m / cell_m))
    fuel = np.full((rows, 3 * before + strip), SHRUB, np.int16)
    fuel[:, 2 * before:2 * before + strip] = BARREN
    land = with_bare_widths(level_land(fuel, np.ones(fuel.shape, np.bool_), cell_m),
                            width_m=np.full(fuel.shape, width_m))
    source = np.full(fires, rows // 2 * fuel.shape[1] + before)
    return float((furthest_columns(land, source, km_h, embers) >= 2 * before + strip).mean())


def forward_run(fuels: Sequence[int] = (GRASS, TALL_SHRUB, GRASS_SHRUB), *, roads: bool = True,
                crossed: bool = True, embers: SpottingModel | None = None, km_h: float = 80.0,
                fires: int = RUN_FIRES) -> Run:
    """Quantiles (10, 50, 90 %) of the forward run. fuels: of grass, shrub and oak woodland."""
    rng, cols = np.random.default_rng(1), int(RUN_KM * 1000.0 / RUN_CELL_M)
    kind = rng.integers(0, 3, (RUN_ROWS // PATCH + 1, cols // PATCH + 1))
    kind = kind.repeat(PATCH, axis=0).repeat(PATCH, axis=1)[:RUN_ROWS, :cols]
    fuel = np.choose(kind, fuels).astype(np.int16)
    if roads:
        fuel[:, ROAD_EVERY - 1::ROAD_EVERY] = URBAN
    land = level_land(fuel, kind == 2, RUN_CELL_M)
    start = 5
    source = rng.integers(RUN_ROWS // 4, 3 * RUN_ROWS // 4, fires) * cols + start
    found = furthest_columns(with_bare_widths(land) if crossed else land, source, km_h, embers)
    low, median, high = np.percentile((found - start) * RUN_CELL_M / 1000.0, [10, 50, 90])
    return Run(float(low), float(median), float(high))


def main() -> None:
    """Prints both tables."""
    for cell_m, (name, embers) in product(STRIP_CELLS_M, (
            ("flames", None), ("flames and embers", ON_MAPS))):
        print(f"\n| {name}, share that crosses, cells of {cell_m:g} m | "
              + " | ".join(f"{w} m" for w in WIDTHS_M) + " |")
        for km_h in WINDS_KM_H:
            shares = [crossed_share(width, km_h, embers, cell_m=cell_m) for width in WIDTHS_M]
            print(f"| {km_h} km/h | " + " | ".join(f"{share:.3f}" for share in shares) + " |")
    print("\n| forward run in four hours at 80 km/h | 10 % | 50 % | 90 % |")
    rates = (0.03, 0.1, 0.275)
    for name, run in (
            ("no roads", forward_run(roads=False)),
            ("roads are walls", forward_run(crossed=False)),
            ("flames cross", forward_run()),
            *((f"flames and embers, {rate:g} brands/ha",
               forward_run(embers=replace(ON_MAPS, woody_brands_per_ha=rate))) for rate in rates),
            ("short shrub (SH2), flames cross", forward_run((GRASS, SHRUB, GRASS_SHRUB))),
            ("oak litter (TL2), flames cross", forward_run((GRASS, TALL_SHRUB, LITTER)))):
        print(f"| {name} | " + " | ".join(f"{km:.1f}" for km in run) + " |")


if __name__ == "__main__":
    main()
