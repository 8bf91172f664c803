"""The one result of every fire behaviour model: what the head of the fire does in each cell."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

NO_FIRE, SURFACE_FIRE, PASSIVE_CROWN_FIRE, ACTIVE_CROWN_FIRE = range(4)
"""Values of `FireBehavior.fire_type`."""


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
