"""The weather that fires burn in."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from annotated_types import Ge, Le

from firebreak.settings.kinds import AtLeastOne, WindSpeed

DEFAULT_WIND_KM_H = 16.2
WIND_SPREAD = 0.45
"""Standard deviation of the wind speed over its mean on the command line (7.29 of 16.2); a run's
TOML has wind_spread_km_h, 7.2 if not given."""
DEFAULT_MOISTURE = "D2L2"
"""Fuel moisture where a weather file has none: dry dead, two-thirds cured live fuel."""


@dataclass(frozen=True, kw_only=True)
class WeatherSettings:
    """The weather that fires burn in."""

    scenarios: Annotated[int, Ge(1), Le(256)] = 8
    """Number of weather scenarios; of a weather file, at most so many; the wind event that is
    assumed on maps without weather has its own 18."""
    wind_20ft_km_h: WindSpeed | None = None
    """Mean wind speed at 20 ft, for weather that is drawn; if not given, 16.2, and on maps that are
    read a wind event of 32, 56 and 80."""
    wind_from_deg: Annotated[float, Ge(-360), Le(360)] | None = None
    """Main direction that the wind blows from, for weather that is drawn; drawn from the seed if
    not given."""
    weather: str | Path | None = None
    """A weather file or folder, instead of weather that is drawn."""
    hours: AtLeastOne | None = None
    """Number of hours of weather that changes by the hour, from a weather file; weather is constant
    during a fire if not given."""
    wind_towards: bool = False
    """The directions in the weather file are those that the wind blows to, as C2F-W reads them with
    FBP fuels."""
    moisture: str | None = None
    """Fuel moisture, for weather files without it: D1L1 (dry) to D4L4 (Scott & Burgan 2005); D2L2
    if not given."""
