"""The stand of `validation/crown_direction.py` burned in a simulator that is not ours.

    python -m benchmarks.other_crown_direction > tests/physics/data/crown_direction.csv

Runs where pyretechnics (Johnson et al., EPL-2.0) is, with cells of 30 to 2.5 m; takes a minute. One
row for each wind, direction and cell size: its rates (m/min), and what burned (ha).
"""

import csv
import sys
from importlib.metadata import version
from typing import Any

import numpy as np
import pyretechnics.eulerian_level_set as els
from benchmarks.validation.crown_direction import (
    MAP_M,
    MINUTES,
    MOISTURE,
    STAND,
    WINDS_20FT_KM_H,
    WINDS_FROM_DEG,
    Rates,
)
from pyretechnics.burn_cells import burn_cell_toward_azimuth
from pyretechnics.crown_fire import calc_crown_fire_behavior_max
from pyretechnics.space_time_cube import SpaceTimeCube

CELLS_M = (30.0, 10.0, 5.0, 2.5)
COLUMNS = ("wind_20ft_km_h", "wind_from_deg", "cell_m", *Rates._fields, "burned_ha", "source")
WIND_10M_PER_20FT = 1.15
TOO_WET = 50.0  # foliar moisture that keeps crowns out, as a fraction


def main() -> None:
    """Prints the rows."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(COLUMNS)
    for wind in WINDS_20FT_KM_H:
        rates = [f"{rate:.6g}" for rate in _rates_there(wind)]
        for source in WINDS_FROM_DEG:
            for cell_m in CELLS_M:
                hectares = _burned_there(wind, source, cell_m) * cell_m**2 / 1e4
                writer.writerow((f"{wind:g}", f"{source:g}", f"{cell_m:g}", *rates,
                                 f"{hectares:.6g}", f"pyretechnics {version('pyretechnics')}"))


def _inputs_there(size: int, wind: float, source_deg: float, foliar_moisture: float) -> Any:
    names = {"dead_moisture_1h": "fuel_moisture_dead_1hr",
             "dead_moisture_10h": "fuel_moisture_dead_10hr",
             "dead_moisture_100h": "fuel_moisture_dead_100hr",
             "live_moisture_herb": "fuel_moisture_live_herbaceous",
             "live_moisture_woody": "fuel_moisture_live_woody"}
    given = {names.get(name, name.removesuffix("_kg_m3").removesuffix("_m")): value
             for name, value in {**STAND, **MOISTURE}.items()}
    given |= {"slope": 0.0, "aspect": 0.0, "wind_speed_10m": wind * WIND_10M_PER_20FT,
              "upwind_direction": source_deg, "foliar_moisture": foliar_moisture}
    return {name: SpaceTimeCube((1, size, size), value) for name, value in given.items()}


def _rates_there(wind: float) -> Rates:
    """Its surface fire, seen without crowns, and its crown fire."""
    here, downwind_deg, source_deg = (0, 1, 1), 90.0, 270.0
    inputs = _inputs_there(3, wind, source_deg, TOO_WET)
    head, back = (burn_cell_toward_azimuth(inputs, here, towards)
                  for towards in (downwind_deg, source_deg))
    crown = calc_crown_fire_behavior_max(
        STAND["canopy_height_m"], STAND["canopy_base_height_m"],
        STAND["canopy_bulk_density_kg_m3"], 18_000.0, MOISTURE["dead_moisture_1h"],
        wind * WIND_10M_PER_20FT, source_deg, 0.0, 0.0)
    # Its heat of ignition takes 2,600 kJ/kg of water where ours takes 2,590.
    heat = 460.0 + 2600.0 * MOISTURE["foliar_moisture"]
    critical = (0.01 * STAND["canopy_base_height_m"] * heat)**1.5
    behind = (1.0 - crown["eccentricity"]) / (1.0 + crown["eccentricity"])
    return Rates(head["spread_rate"], back["spread_rate"], crown["max_spread_rate"],
                 crown["max_spread_rate"] * behind,
                 head["spread_rate"] * critical / head["fireline_intensity"])


def _burned_there(wind: float, source_deg: float, cell_m: float) -> int:
    size = round(MAP_M / cell_m) // 2 * 2 + 1
    state = els.SpreadState((1, size, size)).ignite_cell((size // 2, size // 2))
    done = els.spread_fire_with_phi_field(
        _inputs_there(size, wind, source_deg, MOISTURE["foliar_moisture"]), state,
        (MINUTES + 1.0, cell_m, cell_m), start_time=0.0, max_duration=MINUTES)
    times = done["spread_state"].get_full_matrices()["time_of_arrival"]
    return int(np.isfinite(times).sum())


if __name__ == "__main__":
    main()
