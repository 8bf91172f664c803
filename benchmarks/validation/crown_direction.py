"""Three readings of "surface fire of the critical intensity lights the crowns", and their shapes.

A level, uniform stand of fuel model TU5 burns from its middle. Its surface fire can light the
crowns at the head and yet not at the flanks. Which part of the front decides? On such a stand each
reading has a closed form:

- at the head: the whole cell burns with the crown fire's ellipse (BEHAVE, FlamMap, firebreak);
- by travel: where the surface fire's speed along the path of a point of the front is high enough
  (FARSITE's vertices); the least time over all paths fills the hull of these speeds;
- by normal: where the surface fire's speed across the front is high enough (Pyretechnics); a fire
  from a point grows as the Wulff shape of that speed (Osher & Merriman 1997, Asian J. Math. 1:
  560-571).

Nothing here imports firebreak: the other program may live in another environment.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

WINDS_20FT_KM_H = (20.0, 35.0)
WINDS_FROM_DEG = (270.0, 292.5, 315.0)
MINUTES, MAP_M, UNIT_M = 20.0, 3630.0, 30.0
STAND = {"fuel_model": 165.0, "canopy_cover": 0.6, "canopy_height_m": 12.0,
         "canopy_base_height_m": 1.3, "canopy_bulk_density_kg_m3": 0.15}
MOISTURE = {"dead_moisture_1h": 0.06, "dead_moisture_10h": 0.07, "dead_moisture_100h": 0.08,
            "live_moisture_herb": 0.90, "live_moisture_woody": 1.20, "foliar_moisture": 1.0}
_TURN = np.radians(np.arange(1440) * 0.25)
_UNIT = np.stack([np.cos(_TURN), np.sin(_TURN)], axis=1)


class Rates(NamedTuple):
    """Head and back of a surface fire and of the crown fire above it, m/min, heading alike, and the
    surface rate at which crowns light.
    """

    head: float
    back: float
    crown_head: float
    crown_back: float
    lights: float


def normal_speed(head: float, back: float) -> Floats:
    """Speed across the front by the angle between its normal and the heading, m/min [1440].

    The ignition is the ellipse's rear focus, so that the half width is sqrt(head back).
    """
    along, offset = 0.5 * (head + back), 0.5 * (head - back)
    return offset * _UNIT[:, 0] + np.sqrt((along * _UNIT[:, 0])**2 + head * back * _UNIT[:, 1]**2)


def reached(normal: Floats) -> Floats:
    """Reach of a fire from a point in a minute, by direction, m [1440], if its front moves with
    `normal` speeds [1440]: the Wulff shape, all points that lie behind every such front.
    """
    return (normal * _over_cosine()).min(axis=1)


@cache
def _over_cosine() -> Floats:
    """1 / cosine of the angle between direction (row) and normal (column); inf from 90 degrees."""
    cosine = _UNIT @ _UNIT.T
    ahead = cosine > 1e-9
    return np.where(ahead, 1.0 / np.where(ahead, cosine, 1.0), np.inf)


@cache
def judged_by_normal(rates: Rates) -> Floats:
    """Metres per minute by direction, [1440], where the speed across the front decides."""
    surface = normal_speed(rates.head, rates.back)
    crown = normal_speed(rates.crown_head, rates.crown_back)
    return reached(np.where(surface >= rates.lights, np.maximum(surface, crown), surface))


@cache
def judged_by_travel(rates: Rates) -> Floats:
    """Metres per minute by direction, [1440], where the speed along the path decides; the hull of
    these speeds, for a path may turn.
    """
    surface = reached(normal_speed(rates.head, rates.back))
    crown = reached(normal_speed(rates.crown_head, rates.crown_back))
    speed = np.where(surface >= rates.lights, np.maximum(surface, crown), surface)
    return reached((_UNIT @ _UNIT.T * speed).max(axis=1))


@cache
def judged_at_head(rates: Rates) -> Floats:
    """Metres per minute by direction, [1440], where the head decides for the whole cell."""
    crowns = rates.head >= rates.lights
    fire = (rates.crown_head, rates.crown_back) if crowns else (rates.head, rates.back)
    return reached(normal_speed(*fire))


def area(speed: Floats, minutes: float = MINUTES) -> float:
    """Area burned after some minutes in cells of UNIT_M."""
    return float(0.5 * (_TURN[1] - _TURN[0]) * np.sum(speed**2)) * (minutes / UNIT_M)**2


def lit_within_deg(rates: Rates) -> float:
    """Greatest angle between the front's normal and the heading at which crowns light; nan: none.

    Below 90 degrees the crown fire cannot outrun the fronts beside it: its head is held back to
    lights / cos(angle).
    """
    lit = np.flatnonzero(normal_speed(rates.head, rates.back)[:721] >= rates.lights)
    return float(np.degrees(_TURN[lit[-1]])) if lit.size else float("nan")
