"""Wind near the ground, and the shape of the fire it makes.

From the wind at 20 ft above the vegetation to the wind at midflame height: the adjustment factors
of Albini & Baughman (1979, INT-221) as used by Finney (1998, RMRS-RP-4) and BEHAVE, which takes the
crown ratio into account. Limits of the wind's effect are published in several forms, which are
named here. Lengths in feet inside the equations, as in the
papers; the public functions take metres.
"""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from firebreak.units import FEET_PER_METRE, M_MIN_PER_MPH

Floats = NDArray[np.float64]

WindLimit = Literal["none", "rothermel", "andrews"]
"""Above which effective wind a surface fire runs no faster."""
EllipseForm = Literal["behave", "anderson", "behaveplus"]
"""Length-to-width ratio of surface fires."""
MAX_LENGTH_TO_WIDTH = 8.0
"""Upper limit of the length-to-width ratio, beyond the data behind it (Finney 1998)."""

_SHELTERING_CROWN_FILL = 0.05
_SHELTERING_HEIGHT_FT = 6.0
# A crown fill of 5 % itself counts as open; the slack keeps rounding from deciding it.
_CROWN_FILL_SLACK = 1e-6


def wind_adjustment_factor(fuel_depth_m: ArrayLike, canopy_cover: ArrayLike = 0.0,
                           canopy_height_m: ArrayLike = 0.0,
                           crown_ratio: ArrayLike = 0.0) -> Floats:
    """Midflame wind over 20-ft wind, in [0, 1]; arguments broadcast.

    Args:
        fuel_depth_m: depth of the surface fuel bed, m, > 0.
        canopy_cover: fraction 0-1.
        canopy_height_m: top of the canopy above ground, m.
        crown_ratio: crown length over tree height, fraction 0-1.
    """
    depth_ft = np.asarray(fuel_depth_m, dtype=np.float64) * FEET_PER_METRE
    height_ft = np.asarray(canopy_height_m, dtype=np.float64) * FEET_PER_METRE
    fill = crown_fill_portion(canopy_cover, crown_ratio)
    sheltered = ((fill > _SHELTERING_CROWN_FILL + _CROWN_FILL_SLACK)
                 & (height_ft >= _SHELTERING_HEIGHT_FT))
    # Where open, any canopy serves, for that branch is not used there.
    under = sheltered_factor(np.where(sheltered, height_ft, _SHELTERING_HEIGHT_FT),
                             np.where(sheltered, fill, 1.0))
    return np.clip(np.where(sheltered, under, unsheltered_factor(depth_ft)), 0.0, 1.0)


def crown_fill_portion(canopy_cover: ArrayLike, crown_ratio: ArrayLike) -> Floats:
    """Share of the volume under the canopy top that conical crowns fill, fraction."""
    ratio = np.asarray(crown_ratio, dtype=np.float64)
    return ratio * np.asarray(canopy_cover, dtype=np.float64) / 3.0


def unsheltered_factor(fuel_depth_ft: ArrayLike) -> Floats:
    """Adjustment of the 20-ft wind over open fuel of a depth in ft (Albini & Baughman 1979).

    The mean wind between the top of the fuel and twice its depth, in a logarithmic profile.
    """
    return 1.83 * _log_profile(np.asarray(fuel_depth_ft, dtype=np.float64))


def sheltered_factor(canopy_height_ft: ArrayLike, crown_fill: ArrayLike) -> Floats:
    """Adjustment of the 20-ft wind below a canopy (Albini & Baughman 1979).

    Canopy height in ft; crown fill as a fraction. The wind below a canopy is taken as uniform.
    """
    height_ft = np.asarray(canopy_height_ft, dtype=np.float64)
    return 0.555 * _log_profile(height_ft) / np.sqrt(np.asarray(crown_fill) * height_ft)


def _log_profile(height_ft: Floats) -> Floats:
    return 1.0 / np.log((20.0 + 0.36 * height_ft) / (0.13 * height_ft))


def greatest_wind(reaction_intensity_btu_ft2_min: Floats, limit: WindLimit) -> Floats:
    """The effective midflame wind, ft/min, above which a fire of that intensity runs no faster.

    "rothermel": 0.9 times the reaction intensity (Rothermel 1972 eq. 87). "andrews": 96.8 times
    its cube root (Andrews, Cruz & Rothermel 2013, who advise against both). "none": infinity.
    """
    intensity = np.asarray(reaction_intensity_btu_ft2_min, dtype=np.float64)
    if limit == "rothermel":
        return 0.9 * intensity
    if limit == "andrews":
        return 96.8 * np.cbrt(intensity)
    return np.full_like(intensity, np.inf)


def length_to_width(effective_wind_m_min: ArrayLike, form: EllipseForm = "behave") -> Floats:
    """Length over width of a surface fire's ellipse, 1 to 8, at an effective midflame wind, m/min.

    "behave": Anderson 1983 (INT-305) less 0.397, so that a calm fire is a circle (Finney 1998;
    BEHAVE and FlamMap). "anderson", "behaveplus": forms of other programs, to be held against them:
    without the last term, and 1 plus a quarter of the wind in mi/h.
    """
    # Far above the limit the exponential would overflow.
    wind_mph = np.minimum(np.asarray(effective_wind_m_min, dtype=np.float64) / M_MIN_PER_MPH, 100.0)
    if form == "behaveplus":
        ratio = 1.0 + 0.25 * wind_mph
    else:
        ratio = 0.936 * np.exp(0.1147 * wind_mph) + 0.461 * np.exp(-0.0692 * wind_mph)
        ratio -= 0.397 if form == "behave" else 0.0
    return np.clip(ratio, 1.0, MAX_LENGTH_TO_WIDTH)


def crown_length_to_width(wind_20ft_m_min: ArrayLike) -> Floats:
    """Length over width of a crown fire's ellipse, 1 to 8, at a 20-ft wind, m/min.

    Rothermel 1991 (INT-438) eq. 10, limited like the ellipse of surface fires.
    """
    wind_mph = np.asarray(wind_20ft_m_min, dtype=np.float64) / M_MIN_PER_MPH
    return np.minimum(1.0 + 0.125 * wind_mph, MAX_LENGTH_TO_WIDTH)


def eccentricity(ratio: ArrayLike) -> Floats:
    """Eccentricity of an ellipse of length-to-width `ratio` >= 1, in [0, 1)."""
    return np.sqrt(1.0 - 1.0 / np.square(np.asarray(ratio, dtype=np.float64)))


def backing_rate(head_rate: ArrayLike, ratio: ArrayLike) -> Floats:
    """Rate of spread against the heading, in the unit of `head_rate`.

    The ignition is the rear focus of the ellipse of length-to-width `ratio` (Alexander 1985).
    """
    excentric = eccentricity(ratio)
    return np.asarray(head_rate, dtype=np.float64) * (1.0 - excentric) / (1.0 + excentric)


def flanking_rate(head_rate: ArrayLike, ratio: ArrayLike) -> Floats:
    """Half the ellipse's growth in width, in the unit of `head_rate`."""
    head = np.asarray(head_rate, dtype=np.float64)
    return (head + backing_rate(head, ratio)) / (2.0 * np.asarray(ratio, dtype=np.float64))
