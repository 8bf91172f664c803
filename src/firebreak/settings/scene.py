"""The settings of a scene: weather, fires and the values that they destroy, breaks and the rules by
which fire crosses them.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from annotated_types import Ge, Le

from firebreak.settings.kinds import AtLeastOne, NotNegative, Positive, Share, WindSpeed

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


HoldBy = Literal["hand", "equipment"]
"""Crews that hold breaks, with hand tools, or with dozers and engines."""
BreakKind = Literal["hard", "shaded"]
BreachRule = Literal["never", "wilson", "wilson-trees", "flame-length"]
TOML_NAMES = {"break_kind": "kind", "break_width_m": "width_m"}
"""Keys of [breaks] in a run's TOML that are not the names of their options."""
DRAWN_BREACH: BreachRule = "wilson-trees"
"""Rule by which fire crosses breaks that a mixture of training draws as breached."""
DRAWN_HOLD_BY: HoldBy = "equipment"
"""Crews of breaks that a mixture of training draws as held."""


@dataclass(frozen=True, kw_only=True)
class BreakSettings:
    """The breaks of plans, and of fires that meet them."""

    break_kind: BreakKind = "hard"
    """Bare ground, or the fuel of the least load of the same kind under fewer and higher crowns,
    which burns."""
    break_width_m: Positive | None = None
    """Width of the bare strip; the whole cell if not given. It holds every fire unless a rule of
    --breach says otherwise."""
    breach: BreachRule = "never"
    """Rule by which fire crosses a hard break: never, by Wilson 1988 (with or without trees beside
    it), or where flames are longer than two thirds of the width."""
    leak: bool = False
    """Fire passes the corner at which two breaks, or a break and bare ground, touch."""
    hold: HoldBy | None = None
    """Crews hold breaks, with hand tools or with equipment: a break stops a fire if the crews are
    there first and the flames are short enough for them (Rothermel 1983). Nobody holds breaks if
    not given."""
    response_min: NotNegative = 60.0
    """Minutes from ignition until crews are at the nearest road, or at every break if no roads are
    given; an assumption."""
    crew_speed_km_h: Positive = 3.0
    """Speed of crews from the nearest road to a break; an assumption."""
    crew_km: Positive | Literal["unlimited"] | None = None
    """Kilometres of break that crews hold in a fire, where it comes first; if not given, 1 on maps
    that are read, else unlimited."""


@dataclass(frozen=True, kw_only=True)
class PlanBreaks(BreakSettings):
    """The breaks of plans, beside bare ground that is there already."""

    breach: BreachRule | None = None  # type: ignore[assignment]
    """Rule by which fire crosses a hard break: by Wilson 1988 (with or without trees beside it), or
    where flames are longer than two thirds of the width. If not given, never; roads and other bare
    ground of a map are crossed by their width. never: nothing crosses either of them."""


@dataclass(frozen=True, kw_only=True)
class TreatmentSettings:
    """The making of breaks, by the table of treatments."""

    treatment: str | None = None
    """Way to make breaks, with its cost by slope and its ageing: bare-line,
    mastication, thinning-pile-burn, prescribed-fire, grazing, shaded-break. Of several with commas
    each cell takes the cheapest that can be done there. Instead of --break-kind and --cost."""
    treatment_age: Annotated[int, Ge(0)] = 0
    """Years since the breaks were made, without upkeep."""


@dataclass(frozen=True, kw_only=True)
class MadeBreaks(TreatmentSettings, PlanBreaks):
    """The breaks of plans, and of fires that meet them, and their making."""

    treatments: Path | None = None
    """TOML table of treatments of your own, beside those that come with firebreak or instead."""
