"""What fires destroy."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class ValueSettings:
    """What fires destroy."""

    losses: str | list[float] | None = None
    """Share of the value lost by flame length: six fractions for flames below 2 ft, 2-4, 4-6, 6-8,
    8-12 and above 12 ft, such as 0,0.2,0.4,0.6,0.8,1; any flame destroys the whole value if not
    given."""
    layers: str | Path | None = None
    """A .toml file of several values, instead of --value and --losses. Each [[layer]] has a raster,
    and optionally a name, a weight, and losses as six fractions."""
