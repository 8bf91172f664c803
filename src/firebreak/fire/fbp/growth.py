"""A fire of the Canadian FBP System in time and in any direction.

A fire from a point takes a while to reach the rates of `fbp_behavior`; a fire from a line burns at
them from the start. Equations of Forestry Canada 1992 (ST-X-3), the rate in a direction of Wotton,
Alexander & Taylor 2009 (GLC-X-10). Rates in m/min, distances in m, times in minutes.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from firebreak.checks import fail
from firebreak.fire.fbp.fuels import Indices, fuel_index, is_any
from firebreak.fire.fbp.spread import flank_rate
from firebreak.fire.fbp.system import FbpBehavior

Floats = NDArray[np.float64]

OPEN_ACCELERATION_PER_MIN = 0.115
"""Of fires in the open: 90 % of the rate at equilibrium after 20 minutes (eq. 72's first case)."""
_WHERE = "FBP growth"


class FbpGrowth(NamedTuple):
    """A fire some minutes after it started; float64 arrays [N].

    Attributes:
        head_rate_m_min: rate of spread of the head at that time.
        back_rate_m_min: against the heading.
        flank_rate_m_min: half the growth in breadth.
        length_to_breadth: of the ellipse at that time.
        head_distance_m: how far the head has come.
        back_distance_m: how far the back has come.
        flank_distance_m: half the breadth.
    """

    head_rate_m_min: Floats
    back_rate_m_min: Floats
    flank_rate_m_min: Floats
    length_to_breadth: Floats
    head_distance_m: Floats
    back_distance_m: Floats
    flank_distance_m: Floats


def acceleration(index: Indices, crown_fraction: Floats) -> Floats:
    """Rate at which a fire from a point nears its equilibrium, 1/min (eq. 72).

    Under a closed canopy it depends on the crown fraction burned of the head at equilibrium. Of
    the open types only C-1 has crowns; the others have a fraction of 0, which leads to the same.
    """
    closed = OPEN_ACCELERATION_PER_MIN - 18.8 * crown_fraction**2.5 * np.exp(-8.0 * crown_fraction)
    return np.where(is_any(index, "C-1"), OPEN_ACCELERATION_PER_MIN, closed)


def accelerated(value: Floats, acceleration_per_min: Floats, minutes: Floats) -> Floats:
    """A rate some minutes after a start at a point, from the one at equilibrium (eq. 70)."""
    return value * -np.expm1(-acceleration_per_min * minutes)


def distance_run(rate_m_min: Floats, acceleration_per_min: Floats, minutes: Floats) -> Floats:
    """Distance run after a start at a point, m: eq. 70 summed over time (eq. 71)."""
    lag = -np.expm1(-acceleration_per_min * minutes) / acceleration_per_min
    return rate_m_min * (minutes - lag)


def growth(fuel_type: ArrayLike, fire: FbpBehavior, minutes: ArrayLike,
           from_point: ArrayLike = True) -> FbpGrowth:
    """A fire of constant weather `minutes` after it started at a point, or else at a line.

    The flanks follow from head, back and the length to breadth of the time (eqs. 81, 89).

    Args:
        fuel_type: names, as in `fbp_behavior`.
        fire: what `fbp_behavior` found for them.
        minutes: since ignition, 0 or more.
        from_point: False for a line, which burns at the rates of equilibrium at once.

    Raises:
        InputError: if a fuel type is unknown or a time is negative or not finite.
    """
    names, time, point, *_ = np.atleast_1d(*np.broadcast_arrays(
        np.asarray(fuel_type, dtype=np.str_), np.asarray(minutes, dtype=np.float64),
        np.asarray(from_point, dtype=np.bool_), fire.rate_of_spread_m_min))
    if not (np.isfinite(time) & (time >= 0.0)).all():
        raise fail(expected="minutes of 0 or more", given=f"{time.min():g}", where=_WHERE,
                   remedy="count minutes from the ignition")
    index = np.array([fuel_index(str(name), _WHERE) for name in names], dtype=np.intp)
    speed = acceleration(index, fire.crown_fraction_burned)

    def rate(value: Floats) -> Floats:
        return np.where(point, accelerated(value, speed, time), value)

    def distance(value: Floats) -> Floats:
        return np.where(point, distance_run(value, speed, time), value * time)

    head, back = rate(fire.rate_of_spread_m_min), rate(fire.back_rate_m_min)
    ahead, behind = distance(fire.rate_of_spread_m_min), distance(fire.back_rate_m_min)
    ratio = 1.0 + rate(fire.length_to_breadth - 1.0)
    return FbpGrowth(
        head_rate_m_min=head, back_rate_m_min=back, flank_rate_m_min=flank_rate(head, back, ratio),
        length_to_breadth=ratio, head_distance_m=ahead, back_distance_m=behind,
        flank_distance_m=flank_rate(ahead, behind, ratio))


def rate_towards(head_m_min: ArrayLike, back_m_min: ArrayLike, flank_m_min: ArrayLike,
                 angle_from_heading_deg: ArrayLike) -> Floats:
    """Rate of spread in a direction from the origin, m/min (GLC-X-10 eq. 94).

    The point of the ellipse of velocities in that direction, solved so that nothing is divided by
    the angle's cosine. 0 where head or flanks do not spread.
    """
    head, back, flank = (np.asarray(rate, dtype=np.float64)
                         for rate in (head_m_min, back_m_min, flank_m_min))
    angle = np.radians(np.asarray(angle_from_heading_deg, dtype=np.float64))
    along, across = np.cos(angle), np.sin(angle)
    half, centre = 0.5 * (head + back), 0.5 * (head - back)
    root = np.sqrt((flank * along) ** 2 + head * back * across**2)
    spreads = (half > 0.0) & (flank > 0.0)
    below = np.where(spreads, (flank * along) ** 2 + (half * across) ** 2, 1.0)
    return np.where(spreads, flank * (centre * flank * along + half * root) / below, 0.0)
