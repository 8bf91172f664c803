"""Kinds of jobs beside that of the other tables: breaks that fire gets past, weather, places."""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from firebreak.fire import FireConditions, HoldRule
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.synthetic.job_land import draw_part
from firebreak.landscape.treatments import Treatment
from firebreak.seeding import generator
from firebreak.settings.scene import DRAWN_BREACH, DRAWN_HOLD_BY
from firebreak.units import M_MIN_PER_KM_H
from firebreak.weather.streams import draw_streams


def _whole(land: Landscape, seed: int) -> Landscape:
    return land


def _as_given(conditions: FireConditions, seed: int) -> FireConditions:
    return conditions


class Kind(NamedTuple):
    """words: of the page. conditions: of a map by its seed. land: what of it is treated. policy: of
    the package that commands follow for such jobs.
    """

    words: str
    conditions: Callable[[FireConditions, int], FireConditions] = _as_given
    land: Callable[[Landscape, int], Landscape] = _whole
    policy: str = "general"


def _strips(conditions: FireConditions, seed: int) -> FireConditions:
    return replace(conditions, treatment=Treatment(width_m=10.0))


def _breached(conditions: FireConditions, seed: int) -> FireConditions:
    return replace(_strips(conditions, seed), breach=DRAWN_BREACH)


def _shaded(conditions: FireConditions, seed: int) -> FireConditions:
    return replace(conditions, treatment=Treatment(kind="shaded"))


def _held(conditions: FireConditions, seed: int) -> FireConditions:
    return replace(_shaded(conditions, seed), hold=HoldRule(by=DRAWN_HOLD_BY))


def _by_hour(conditions: FireConditions, seed: int) -> FireConditions:
    rng = generator(seed, "weather")
    return replace(conditions, weather=draw_streams(conditions.climate, rng, conditions.scenarios))


def _windy(conditions: FireConditions, seed: int) -> FireConditions:
    climate = conditions.climate
    faster = 45.0 * M_MIN_PER_KM_H / climate.wind_20ft_mean_m_min
    return replace(conditions, climate=replace(
        climate, wind_20ft_mean_m_min=climate.wind_20ft_mean_m_min * faster,
        wind_20ft_spread_m_min=climate.wind_20ft_spread_m_min * faster))


def _part(land: Landscape, seed: int) -> Landscape:
    return replace(land, treatable=draw_part(generator(seed, "part"), land))


KINDS = {
    "": Kind("hard breaks as wide as their cells"),
    "narrow": Kind("bare strips of 10 m", _strips),
    "breached": Kind("bare strips of 10 m that fire breaches", _breached),
    "held": Kind("shaded breaks that crews hold", _held),
    "shaded": Kind("shaded breaks that nobody holds", _shaded, policy="shaded"),
    "by-hour": Kind("weather that changes by the hour", _by_hour),
    "windy": Kind("wind of 45 km/h", _windy),
    "part": Kind("a ring or a corridor is treatable", land=_part)}
"""By the name that records have; the first is that of the other tables."""
