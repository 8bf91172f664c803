"""Rasters that firebreak writes into folders: beside the layers of a landscape they are none."""

import re

FUEL_MAP = "landscape_fuels.tif"
"""The fuels in colours, which `landscape info` writes."""
SIMULATED = frozenset(f"{name}.tif" for name in (
    "burn_probability", "mean_arrival_time_min", "rate_of_spread_m_min", "spread_direction_deg",
    "fireline_intensity_kw_m", "flame_length_m", "crown_fraction_burned", "downstream_value",
    "expected_loss", "annual_burn_probability", "flame_length_probability"))
"""The maps that `simulate` writes."""
PLANNED = frozenset(f"{name}.tif" for name in (
    "plan", "segments", "treated_landscape", "treatment", "burn_probability_before",
    "burn_probability_after", "burn_probability_difference"))
"""The rasters that `plan` writes."""
_GIVEN = re.compile(r"given_\w+-[0-9a-f]{8}\.tif")


def is_own(name: str) -> bool:
    """Whether a raster of this name is one that firebreak writes."""
    return (name == FUEL_MAP or name in SIMULATED or name in PLANNED
            or _GIVEN.fullmatch(name) is not None)
