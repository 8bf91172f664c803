"""The fires: their start, spread and end, and the values that they destroy."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from firebreak.settings.kinds import Positive, Share

CrownLink = Literal["finney", "scott-reinhardt", "cruz"]
"""Model by which the rate of spread of a crown fire follows from the surface fire."""
CrownModel = Literal["none", CrownLink]
BURNED_SHARE = 0.15


@dataclass(frozen=True, kw_only=True)
class FireSettings:
    """The fires."""

    burned_share: Share | None = None
    """Mean share of the burnable cells that an untreated fire burns, on synthetic land; 0.15 if not
    given."""
    duration_min: Positive | None = None
    """Median duration in minutes, instead of hours or a share; a single fire lasts just so long."""
    crown: CrownModel = "finney"
    """Crown fire where there are crowns: Finney 1998 (as FlamMap: torching trees do not quicken the
    fire), Scott & Reinhardt 2001, Cruz et al. 2005 (they do), or none. The FBP System has its
    own."""
    initial_attack: Positive | None = None
    """Minutes from ignition to the initial attack, which contains a fire with a chance that falls
    with its size and intensity then (Hirsch, Corey & Martell 1998); nobody attacks fires if not
    given."""
    spotting: bool = False
    """Crowning cells throw embers that may cross breaks (Sardoy et al. 2008); on maps shrub and
    timber do too, and none fly further than Albini's maxima (1979, 1983)."""


@dataclass(frozen=True, kw_only=True)
class ValueSettings:
    """The values that fires destroy."""

    losses: str | list[float] | None = None
    """Share of the value lost by flame length: six fractions for flames below 2 ft, 2-4, 4-6, 6-8,
    8-12 and above 12 ft, such as 0,0.2,0.4,0.6,0.8,1; any flame destroys the whole value if not
    given."""
    layers: str | Path | None = None
    """A .toml file of several values, instead of --value and --losses. Each [[layer]] has a raster,
    and optionally a name, a weight, and losses as six fractions."""
