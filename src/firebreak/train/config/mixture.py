"""In what the episodes of training differ: the table [mixture]."""

from typing import Annotated

import pydantic
from pydantic import Field

from firebreak.settings.kinds import Fraction, NotNegative, Share, WindSpeed
from firebreak.train.config.section import Section

Count = Annotated[int, Field(ge=1, le=100_000)]
Angle = Annotated[float, Field(ge=0, le=180)]


class MixtureConfig(Section):
    """In what the episodes of training differ; comparisons use the values of the other tables.

    A pair is drawn from once per episode: shares and counts evenly in their logarithm.
    """

    sizes: list[Annotated[int, Field(ge=6, le=256)]] = Field(
        [], description="treatable rows and columns, one group of environments each; "
                        "landscapes.size if not set")
    synthetic: float = Field(0.0, ge=0, le=1, description="share of synthetic landscapes among "
                                                          "windows")
    fbp: Fraction = Field(0.0, description="share of synthetic landscapes with fuels of the FBP "
                                           "System, where landscapes.family is not set")
    cell_sizes_m: list[Annotated[float, Field(gt=0)]] = Field(
        [], description="cell sizes that maps are joined to; as landscapes.aggregate if not set")
    margin: int = Field(0, ge=0, le=64, description="most cells at the edge that only burn")
    value_maps: float = Field(0.0, ge=0, le=1, description="share of landscapes on which cells "
                                                           "differ in value")
    changing_weather: Fraction = Field(
        0.0, description="share of episodes whose weather changes while fires burn: wind and "
                         "moisture by the course of a day, and the wind turns once")
    shaded: Fraction = Field(0.0, description="share of episodes whose breaks are shaded")
    narrow: Fraction = Field(0.0, description="share whose breaks are bare strips narrower than "
                                              "their cell")
    breached: Fraction = Field(0.0, description="share whose breaks are such strips, which fire "
                                                "crosses by the rule wilson-trees")
    held: Fraction = Field(0.0, description="share whose breaks are shaded and held with "
                                            "equipment, 60 minutes after ignition; on land of the "
                                            "FBP System by nobody")
    width_share: tuple[Share, Share] = Field(
        (0.1, 0.9), description="width of narrow and breached breaks, in cells; drawn evenly")
    parts: Fraction = Field(0.0, description="share in which only a part may be treated: a ring "
                                             "around a point of value, a corridor along high "
                                             "ground or along gentle ground")
    existing: Fraction = Field(0.0, description="share in which some breaks are built already")
    slope_costs: Fraction = Field(0.0, description="share in which cells cost more on slopes")
    cost_slope: tuple[NotNegative, NotNegative] = Field(
        (0.5, 4.0), description="what a slope of 100 % adds to the cost there, as a share; drawn "
                                "evenly")
    budget: tuple[Share, Share] | None = Field(None, description="share of the cells' cost")
    plan_fires: tuple[Count, Count] | None = Field(None, description="number of plan fires")
    burned_share: tuple[Share, Share] | None = Field(
        None, description="mean share of the burnable cells that untreated fires burn")
    wind_20ft_km_h: tuple[WindSpeed, WindSpeed] | None = Field(None, description="mean wind")
    wind_direction_spread_deg: tuple[Angle, Angle] | None = Field(
        None, description="spread of directions around the main wind")

    @pydantic.field_validator("budget", "plan_fires", "burned_share", "wind_20ft_km_h",
                              "wind_direction_spread_deg", "width_share", "cost_slope")
    @classmethod
    def _rising(cls, pair: tuple[float, float] | None) -> tuple[float, float] | None:
        if pair is not None and pair[0] > pair[1]:
            raise ValueError("the lower bound first")
        return pair

    @property
    def is_mixed(self) -> bool:
        """Whether episodes, and with them the validation problems, differ in anything from what
        the other tables say, and so from the evaluation's.
        """
        return self.in_use != MixtureConfig()

    @property
    def in_use(self) -> "MixtureConfig":
        """The mixture without what says nothing: bounds of what no episode draws."""
        idle = [name for name, share in (("width_share", self.narrow + self.breached),
                                         ("cost_slope", self.slope_costs)) if share == 0.0]
        return self.model_copy(update={
            name: MixtureConfig.model_fields[name].default for name in idle})
