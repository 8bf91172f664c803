"""Fire behaviour of every cell of a landscape in every weather, whatever its fuel system.

The one place that knows which model burns which landscape: Rothermel's surface fire, with crown
fire above it where there are crowns, or the Canadian FBP System.
"""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from firebreak.checks import unknown_name
from firebreak.fire.behavior import surface_spread
from firebreak.fire.behavior_types import FireBehavior
from firebreak.fire.crown_fire import CrownLink, with_crown_fire
from firebreak.fire.fbp_landscape import fbp_fire_behavior
from firebreak.fire.weather import WeatherScenarios
from firebreak.fire.wind import EllipseForm, WindLimit, backing_rate, flanking_rate
from firebreak.landscape.landscape import Landscape

__all__ = ["BehaviorModel", "CrownModel", "FireBehavior", "fire_behavior"]

CrownModel = Literal["none", "finney", "scott-reinhardt", "cruz"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BehaviorModel:
    """Which published forms are used on Rothermel landscapes; the FBP System has its own.

    Attributes:
        crown: crown fire by Finney 1998 (FlamMap), Scott & Reinhardt 2001 (NEXUS) or Cruz et al.
            2005; "none" for surface fire alone.
        wind_limit: above which effective wind fire runs no faster: "none", "rothermel" (1972) or
            "andrews" (2013).
        length_to_width: of surface fire's ellipse: "behave", "anderson" (1983) or "behaveplus".

    Raises:
        InputError: a name that is not one of these.
    """

    crown: CrownModel = "finney"
    wind_limit: WindLimit = "none"
    length_to_width: EllipseForm = "behave"

    def __post_init__(self) -> None:
        for field, known in (("crown", CrownModel), ("wind_limit", WindLimit),
                             ("length_to_width", EllipseForm)):
            if getattr(self, field) not in get_args(known):
                raise unknown_name(field, getattr(self, field), get_args(known),
                                   "fire behaviour model")


def fire_behavior(landscape: Landscape, scenarios: WeatherScenarios,
                  model: BehaviorModel | None = None) -> FireBehavior:
    """Fire behaviour of each cell under each scenario."""
    if landscape.fuel_system == "fbp":
        return fbp_fire_behavior(landscape, scenarios)
    chosen = model or BehaviorModel()
    surface = surface_spread(landscape, scenarios, wind_limit=chosen.wind_limit,
                             ellipse=chosen.length_to_width)
    link: CrownLink | None = None if chosen.crown == "none" else chosen.crown
    spread, fraction, fire_type = with_crown_fire(landscape, scenarios, surface, link,
                                                  chosen.wind_limit)
    head, ratio = spread.rate_of_spread_m_min, spread.length_to_width
    return FireBehavior(
        rate_of_spread_m_min=head, backing_rate_m_min=backing_rate(head, ratio),
        flanking_rate_m_min=flanking_rate(head, ratio),
        heading_deg=np.where(head > 0.0, spread.heading_deg, 0.0),
        fireline_intensity_kw_m=spread.fireline_intensity_kw_m,
        flame_length_m=spread.flame_length_m, crown_fraction_burned=fraction,
        fire_type=fire_type)
