"""Fire behaviour of every cell of a landscape in every weather, whatever its fuel system.

`MODELS` says which model burns which fuel system: Rothermel's surface fire, with crown fire above
it where there are crowns, or the Canadian FBP System.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import get_args

import numpy as np

from firebreak.checks import unknown_name
from firebreak.fire.behavior.crown_fire import with_crown_fire
from firebreak.fire.behavior.surface import surface_spread
from firebreak.fire.behavior.types import SURFACE_FIRE, FireBehavior
from firebreak.fire.behavior.wind import backing_rate, flanking_rate
from firebreak.fire.fbp.on_landscape import fbp_fire_behavior
from firebreak.landscape.fuel_systems import FBP, ROTHERMEL
from firebreak.landscape.landscape import Landscape
from firebreak.settings.fire import CrownLink, CrownModel, EllipseForm, FireSettings, WindLimit
from firebreak.weather.scenarios import WeatherScenarios

__all__ = ["BehaviorModel", "FireBehavior", "fire_behavior"]

SURFACE_FLAME_POWER, CROWN_FLAME_POWER = 0.46, 2.0 / 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class BehaviorModel:
    """Which published forms are used on Rothermel landscapes; the FBP System has its own.

    Attributes:
        crown: crown fire by Finney 1998 (FlamMap), Scott & Reinhardt 2001 (NEXUS) or Cruz et al.
            2005; "none" for surface fire alone.
        wind_limit: above which effective wind fire runs no faster: "none", "rothermel" (1972) or
            "andrews" (2013).
        length_to_width: of surface fire's ellipse: "behave", "anderson" (1983) or "behaveplus".
        rate_factors: by which the rates of spread of single fuel codes are multiplied, in either
            system: for the doubt in them.

    Raises:
        InputError: a name that is not one of these.
    """

    crown: CrownModel = FireSettings.crown
    wind_limit: WindLimit = FireSettings.wind_limit
    length_to_width: EllipseForm = FireSettings.length_to_width
    rate_factors: tuple[tuple[int, float], ...] = ()

    def __post_init__(self) -> None:
        for field, known in (("crown", CrownModel), ("wind_limit", WindLimit),
                             ("length_to_width", EllipseForm)):
            if getattr(self, field) not in get_args(known):
                raise unknown_name(field, getattr(self, field), get_args(known),
                                   "fire behaviour model")


def fire_behavior(landscape: Landscape, scenarios: WeatherScenarios,
                  model: BehaviorModel | None = None) -> FireBehavior:
    """Fire behaviour of each cell under each scenario."""
    model = model or BehaviorModel()
    found = MODELS[landscape.fuel_system](landscape, scenarios, model)
    return with_rate_factors(found, landscape, model.rate_factors) if model.rate_factors else found


def with_rate_factors(behavior: FireBehavior, landscape: Landscape,
                      factors: tuple[tuple[int, float], ...]) -> FireBehavior:
    """Fire behaviour with the rates of single fuel codes multiplied, and the intensity with them,
    which is in proportion to the rate (Byram 1959); flame lengths follow by Byram's power, and
    under burning crowns by Thomas's (1963).
    """
    factor = np.ones(landscape.shape)
    for code, own in factors:
        factor[landscape.fuel_model == code] = own
    crowns = behavior.fire_type > SURFACE_FIRE
    flame = np.where(crowns, factor**CROWN_FLAME_POWER, factor**SURFACE_FLAME_POWER)
    return behavior._replace(
        rate_of_spread_m_min=behavior.rate_of_spread_m_min * factor,
        backing_rate_m_min=behavior.backing_rate_m_min * factor,
        flanking_rate_m_min=behavior.flanking_rate_m_min * factor,
        fireline_intensity_kw_m=behavior.fireline_intensity_kw_m * factor,
        flame_length_m=behavior.flame_length_m * flame)


def rothermel_behavior(landscape: Landscape, scenarios: WeatherScenarios,
                       model: BehaviorModel) -> FireBehavior:
    """Surface fire by Rothermel, and crown fire above it by the model's link."""
    surface = surface_spread(landscape, scenarios, wind_limit=model.wind_limit,
                             ellipse=model.length_to_width)
    link: CrownLink | None = None if model.crown == "none" else model.crown
    spread, fraction, fire_type = with_crown_fire(landscape, scenarios, surface, link,
                                                  model.wind_limit)
    head, ratio = spread.rate_of_spread_m_min, spread.length_to_width
    return FireBehavior(
        rate_of_spread_m_min=head, backing_rate_m_min=backing_rate(head, ratio),
        flanking_rate_m_min=flanking_rate(head, ratio),
        heading_deg=np.where(head > 0.0, spread.heading_deg, 0.0),
        fireline_intensity_kw_m=spread.fireline_intensity_kw_m,
        flame_length_m=spread.flame_length_m, crown_fraction_burned=fraction,
        fire_type=fire_type)


MODELS: dict[str, Callable[[Landscape, WeatherScenarios, BehaviorModel], FireBehavior]] = {
    ROTHERMEL.name: rothermel_behavior,
    FBP.name: lambda landscape, scenarios, _: fbp_fire_behavior(landscape, scenarios),
}
"""Fire behaviour of a landscape, by the name of its fuel system."""
