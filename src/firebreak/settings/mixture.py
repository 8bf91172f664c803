"""The settings in which the episodes of a run differ."""

from dataclasses import dataclass, field, replace
from typing import Annotated, TypeVar

from annotated_types import Ge, Le

from firebreak.settings.kinds import Fraction, NotNegative, Share, WindSpeed
from firebreak.settings.schema import RISING

Count = Annotated[int, Ge(1), Le(100_000)]
Angle = Annotated[float, Ge(0), Le(180)]
Number = TypeVar("Number")
Rising = Annotated[tuple[Number, Number], RISING]


@dataclass(frozen=True, kw_only=True)
class MixtureSettings:
    """Settings in which the episodes of training differ; comparisons use the values of the other
    tables.

    A pair is drawn from once per episode: shares and counts evenly in their logarithm.
    """

    sizes: list[Annotated[int, Ge(6), Le(256)]] = field(default_factory=list)
    """Treatable rows and columns, one group of environments each; landscapes.size if not set."""
    fbp: Fraction = 0.0
    """Share of synthetic landscapes with fuels of the FBP System, where landscapes.family is not
    set."""
    margin: Annotated[int, Ge(0), Le(64)] = 0
    """Most cells at the edge that only burn."""
    value_maps: Fraction = 0.0
    """Share of landscapes on which cells differ in value."""
    changing_weather: Fraction = 0.0
    """Share of episodes whose weather changes while fires burn: wind and moisture by the course of
    a day, and the wind turns once."""
    shaded: Fraction = 0.0
    """Share of episodes whose breaks are shaded."""
    narrow: Fraction = 0.0
    """Share whose breaks are bare strips narrower than their cell."""
    breached: Fraction = 0.0
    """Share whose breaks are such strips, which fire crosses by the rule wilson-trees."""
    held: Fraction = 0.0
    """Share whose breaks are shaded and held with equipment, 60 minutes after ignition; on land of
    the FBP System by nobody."""
    width_share: Rising[Share] = (0.1, 0.9)
    """Width of narrow and breached breaks, in cells; drawn evenly."""
    parts: Fraction = 0.0
    """Share in which only a part may be treated: a ring around a point of value, a corridor along
    high ground or along gentle ground."""
    existing: Fraction = 0.0
    """Share in which some breaks are built already."""
    slope_costs: Fraction = 0.0
    """Share in which cells cost more on slopes."""
    cost_slope: Rising[NotNegative] = (0.5, 4.0)
    """Share that a slope of 100 % adds to the cost there; drawn evenly."""
    budget: Rising[Share] | None = None
    """Share of the cells' cost."""
    plan_fires: Rising[Count] | None = None
    """Number of plan fires."""
    burned_share: Rising[Share] | None = None
    """Mean share of the burnable cells that untreated fires burn."""
    wind_20ft_km_h: Rising[WindSpeed] | None = None
    """Mean wind."""
    wind_direction_spread_deg: Rising[Angle] | None = None
    """Spread of directions around the main wind."""

    @property
    def is_mixed(self) -> bool:
        """True where episodes, and with them the validation problems, differ in anything from what
        the other tables say, and so from the evaluation's.
        """
        return self.in_use != MixtureSettings()

    @property
    def in_use(self) -> "MixtureSettings":
        """The mixture without what says nothing: bounds of what no episode draws."""
        idle = [name for name, share in (("width_share", self.narrow + self.breached),
                                         ("cost_slope", self.slope_costs)) if share == 0.0]
        return replace(self, **{name: getattr(MixtureSettings, name) for name in idle})
