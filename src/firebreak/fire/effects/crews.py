"""Which fires crews hold at a break, and when they can be there.

Limits are the interpretations of Rothermel 1983 (INT-143) that hauling charts print: persons with
hand tools hold flames below 4 ft at the head, equipment below 8 ft; above 11 ft efforts at the head
are ineffective. In kW/m these are 346, 1,730 and 3,460 (100, 500 and 1,000 Btu/ft/s), in which the
FBP System is judged. Between what a kind of crew surely holds and 11 ft the chance falls linearly
from 1 to 0 in flame length, in the FBP System in intensity: an assumption, no source gives it.
"""

from dataclasses import dataclass
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import fail, unknown_name
from firebreak.settings.breaks import BreakSettings, HoldBy
from firebreak.units import KW_M_PER_BTU_FT_S, METRES_PER_FOOT

FLAME_FT: dict[HoldBy, float] = {"hand": 4.0, "equipment": 8.0}
INTENSITY_KW_M: dict[HoldBy, float] = {"hand": 346.0, "equipment": 1730.0}
NEVER_FLAME_FT, NEVER_KW_M = 11.0, 3460.0
BYRAM_FLAME_FT, BYRAM_POWER = 0.45, 0.46
"""Flame length in ft of an intensity in Btu/ft/s: 0.45 I^0.46 (Byram 1959)."""
SCALE_M = BYRAM_FLAME_FT * METRES_PER_FOOT / KW_M_PER_BTU_FT_S**BYRAM_POWER
"""The same with m and kW/m."""

_WHERE = "crews"


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldRule:
    """Crews that hold breaks.

    Attributes:
        by: "hand" (tools) or "equipment" (dozers, engines).
        response_min: minutes from ignition until crews are at the nearest road, or anywhere on a
            map without roads.
        crew_speed_km_h: from the road to the break.
        crew_km: length of break that they hold in one fire; None for no bound.

    Raises:
        InputError: an unknown crew, or a number out of range.
    """

    by: HoldBy
    response_min: float = BreakSettings.response_min
    crew_speed_km_h: float = BreakSettings.crew_speed_km_h
    crew_km: float | None = None

    def __post_init__(self) -> None:
        if self.by not in get_args(HoldBy):
            raise unknown_name("crew", self.by, get_args(HoldBy), _WHERE)
        if not 0.0 <= self.response_min < np.inf:
            raise fail(expected="a response time of 0 minutes or more",
                       given=f"{self.response_min:g}", where=_WHERE, remedy="correct it")
        if not 0.0 < self.crew_speed_km_h < np.inf:
            raise fail(expected="a crew speed above 0 km/h", given=f"{self.crew_speed_km_h:g}",
                       where=_WHERE, remedy="correct it")
        if self.crew_km is not None and not 0.0 < self.crew_km < np.inf:
            raise fail(expected="a length of break above 0 km", given=f"{self.crew_km:g}",
                       where=_WHERE, remedy="leave it out for no bound")


def hold_rule(breaks: BreakSettings) -> HoldRule | None:
    """The crews that the settings of breaks ask for."""
    if breaks.hold is None:
        return None
    return HoldRule(by=breaks.hold, response_min=breaks.response_min,
                    crew_speed_km_h=breaks.crew_speed_km_h, crew_km=breaks.crew_km)


def ready_min(rule: HoldRule, shape: tuple[int, int],
              road_m: NDArray[np.float64] | None) -> NDArray[np.float32]:
    """Minutes from ignition until crews can be in each cell, f32 [H, W].

    road_m: [H, W], distance to the nearest road; None where no roads are known.
    """
    ready = np.full(shape, rule.response_min, np.float32)
    if road_m is not None:
        ready += (road_m * (60.0 / (1000.0 * rule.crew_speed_km_h))).astype(np.float32)
    return ready
