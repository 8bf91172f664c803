"""Fires at a break: which cross it although it is bare, and which crews hold there.

Crossing. "wilson" and "wilson-trees": the logistic rule of Wilson 1988 (Can. J. For. Res. 18:
682-687) from 113 experimental grass fires in northern Australia. Data: breaks of 1.5 to 15 m,
intensities up to 17,000 kW/m, blocks of 1 to 4 ha, no fire-fighting. "wilson-trees" is for trees
within 20 m of the break, which throw brands across it. Wider breaks, forest fires and long fronts
lie outside the data: there the rule is an extrapolation. "flame-length": a break holds if it is at
least 1.5 times as wide as the flames are long, the rule of thumb that the Prometheus model took up
(Alexander, Tymstra & Frederick 2004; it goes back to Byram 1959). It leaves brands out. "never":
nothing crosses, whatever the width.

Crews. Limits are the interpretations of Rothermel 1983 (INT-143) that hauling charts print: persons
with hand tools hold flames below 4 ft at the head, equipment below 8 ft; above 11 ft efforts at the
head are ineffective. In kW/m these are 346, 1,730 and 3,460 (100, 500 and 1,000 Btu/ft/s), in which
the FBP System is judged. Between what a kind of crew surely holds and 11 ft the chance falls
linearly from 1 to 0 in flame length, in the FBP System in intensity: an assumption, no source gives
it.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from firebreak.settings.scene import BreachRule, BreakSettings, HoldBy
from firebreak.units import KW_M_PER_BTU_FT_S, METRES_PER_FOOT

Floats = NDArray[np.float64]

WILSON_CONSTANT = 1.36
WILSON_PER_KW_M = 0.00036
WILSON_PER_METRE = {"wilson": 0.99, "wilson-trees": 0.38}
WIDTH_PER_FLAME_LENGTH = 1.5
TESTED_KW_M = 17_000.0
"""The highest intensity of Wilson's data."""
TREES_WITHIN_M = 20.0
"""Distance from a break within which trees throw brands across it (Wilson 1988)."""
TESTED_FRONT_M = 100.0
"""Length of front to which Wilson's probability belongs: the side of his smallest blocks."""


def breach_probability(intensity_kw_m: ArrayLike, flame_length_m: ArrayLike, width_m: ArrayLike,
                       rule: BreachRule = "wilson") -> Floats:
    """Probability that the head of a fire crosses a break; arrays, broadcast.

    It never falls with intensity or flame length and never rises with width. It is 0 where there
    is no fire, and for a break of infinite width.

    Args:
        intensity_kw_m: Byram's, of the fire that reaches the break.
        flame_length_m: of that fire.
        width_m: of the bare strip, above 0; inf for a break that nothing crosses.
        rule: one of `settings.scene.BreachRule`.
    """
    intensity, flame, width = np.broadcast_arrays(
        *(np.asarray(part, dtype=np.float64) for part in (intensity_kw_m, flame_length_m, width_m)))
    if rule == "never":
        return np.zeros(intensity.shape)
    if rule == "flame-length":
        crossed: Floats = flame_contact(flame, width).astype(np.float64)
    else:
        crossed = wilson(intensity, width, trees=rule == "wilson-trees")
    return np.where(intensity > 0.0, crossed, 0.0)


def in_one_cell(probability: ArrayLike, cell_size_m: float) -> Floats:
    """Probability that fire crosses within one cell: 1 - (1 - P)^(cell size / tested front).

    Where cells are drawn independently, a front as long as the tested one then crosses with the
    probability P, whatever the cell size.
    """
    holds: Floats = 1.0 - np.asarray(probability, dtype=np.float64)
    return 1.0 - holds ** (cell_size_m / TESTED_FRONT_M)


def wilson(intensity_kw_m: Floats, width_m: Floats, *, trees: bool) -> Floats:
    """P = z / (1 + z), z = exp(1.36 + 0.00036 I - b W), b = 0.99, with trees 0.38 (Wilson 1988)."""
    per_metre = WILSON_PER_METRE["wilson-trees" if trees else "wilson"]
    odds: Floats = expit(WILSON_CONSTANT + WILSON_PER_KW_M * intensity_kw_m - per_metre * width_m)
    return odds


def flame_contact(flame_length_m: Floats, width_m: Floats) -> NDArray[np.bool_]:
    """True where flames cross a break: it is narrower than 1.5 times their length."""
    return width_m < WIDTH_PER_FLAME_LENGTH * flame_length_m


FLAME_FT: dict[HoldBy, float] = {"hand": 4.0, "equipment": 8.0}
INTENSITY_KW_M: dict[HoldBy, float] = {"hand": 346.0, "equipment": 1730.0}
NEVER_FLAME_FT, NEVER_KW_M = 11.0, 3460.0
BYRAM_FLAME_FT, BYRAM_POWER = 0.45, 0.46
"""Flame length in ft of an intensity in Btu/ft/s: 0.45 I^0.46 (Byram 1959)."""
SCALE_M = BYRAM_FLAME_FT * METRES_PER_FOOT / KW_M_PER_BTU_FT_S**BYRAM_POWER
"""The same with m and kW/m."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldRule:
    """Crews that hold breaks.

    Attributes:
        by: "hand" (tools) or "equipment" (dozers, engines).
        response_min: minutes from ignition until crews are at the nearest road, or anywhere on a
            map without roads.
        crew_speed_km_h: from the road to the break.
        crew_km: length of break that they hold in one fire; None for no bound.
    """

    by: HoldBy
    response_min: float = BreakSettings.response_min
    crew_speed_km_h: float = BreakSettings.crew_speed_km_h
    crew_km: float | None = None


def hold_rule(breaks: BreakSettings) -> HoldRule | None:
    """The crews that the settings of breaks ask for."""
    if breaks.hold is None:
        return None
    return HoldRule(by=breaks.hold, response_min=breaks.response_min,
                    crew_speed_km_h=breaks.crew_speed_km_h,
                    crew_km=None if breaks.crew_km == "unlimited" else breaks.crew_km)


def ready_min(rule: HoldRule, shape: tuple[int, int], road_m: NDArray[np.float64] | None,
              fought: NDArray[np.bool_] | None = None) -> NDArray[np.float32]:
    """Minutes from ignition until crews can be in each cell, f32 [H, W]; inf where none come.

    Args:
        road_m: [H, W], distance to the nearest road; None where no roads are known.
        fought: [H, W], where crews come; None for everywhere.
    """
    ready = np.full(shape, rule.response_min, np.float32)
    if road_m is not None:
        ready += (road_m * (60.0 / (1000.0 * rule.crew_speed_km_h))).astype(np.float32)
    return ready if fought is None else np.where(fought, ready, np.float32(np.inf))
