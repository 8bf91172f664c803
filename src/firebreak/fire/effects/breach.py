"""Whether a fire crosses a break that is bare but narrow.

"wilson" and "wilson-trees": the logistic rule of Wilson 1988 (Can. J. For. Res. 18: 682-687) from
113 experimental grass fires in northern Australia. Data: breaks of 1.5 to 15 m, intensities up to
17,000 kW/m, blocks of 1 to 4 ha, no fire-fighting. "wilson-trees" is for trees within 20 m of the
break, which throw brands across it. Wider breaks, forest fires and long fronts lie outside the
data: there the rule is an extrapolation.

"flame-length": a break holds if it is at least 1.5 times as wide as the flames are long, the rule
of thumb that the Prometheus model took up (Alexander, Tymstra & Frederick 2004; it goes back to
Byram 1959). It leaves brands out.

"never": nothing crosses, whatever the width.
"""

from typing import get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from firebreak.checks import fail, unknown_name
from firebreak.settings.breaks import BreachRule

Floats = NDArray[np.float64]

BREACH_RULES: tuple[str, ...] = get_args(BreachRule)

WILSON_CONSTANT = 1.36
WILSON_PER_KW_M = 0.00036
WILSON_PER_METRE = {"wilson": 0.99, "wilson-trees": 0.38}
WIDTH_PER_FLAME_LENGTH = 1.5
TESTED_FRONT_M = 100.0
"""Length of front to which Wilson's probability belongs: the side of his smallest blocks."""

_WHERE = "breach of breaks"


def breach_probability(intensity_kw_m: ArrayLike, flame_length_m: ArrayLike, width_m: ArrayLike,
                       rule: str = "wilson") -> Floats:
    """Probability that the head of a fire crosses a break; arrays, broadcast.

    It never falls with intensity or flame length and never rises with width. It is 0 where there
    is no fire, and for a break of infinite width.

    Args:
        intensity_kw_m: Byram's, of the fire that reaches the break.
        flame_length_m: of that fire.
        width_m: of the bare strip, above 0; inf for a break that nothing crosses.
        rule: one of `BREACH_RULES`.

    Raises:
        InputError: an unknown rule, or a number out of range.
    """
    if rule not in BREACH_RULES:
        raise unknown_name("breach rule", rule, BREACH_RULES, _WHERE)
    intensity, flame, width = np.broadcast_arrays(
        *(np.asarray(part, dtype=np.float64) for part in (intensity_kw_m, flame_length_m, width_m)))
    _check(intensity, flame, width)
    if rule == "never":
        return np.zeros(intensity.shape)
    if rule == "flame-length":
        crossed: Floats = flame_contact(flame, width).astype(np.float64)
    else:
        crossed = wilson(intensity, width, trees=rule == "wilson-trees")
    return np.where(intensity > 0.0, crossed, 0.0)


def in_one_cell(probability: ArrayLike, cell_size_m: float,
                tested_front_m: float = TESTED_FRONT_M) -> Floats:
    """Probability that fire crosses within one cell: 1 - (1 - P)^(cell size / tested front).

    Where cells are drawn independently, a front as long as the tested one then crosses with the
    probability P, whatever the cell size.

    Raises:
        InputError: a length that is not above 0.
    """
    if not (0.0 < cell_size_m < np.inf and 0.0 < tested_front_m < np.inf):
        raise fail(expected="a cell size and a front above 0 m",
                   given=f"{cell_size_m:g} and {tested_front_m:g} m", where=_WHERE,
                   remedy="correct these values")
    holds: Floats = 1.0 - np.asarray(probability, dtype=np.float64)
    return 1.0 - holds ** (cell_size_m / tested_front_m)


def wilson(intensity_kw_m: Floats, width_m: Floats, *, trees: bool) -> Floats:
    """P = z / (1 + z), z = exp(1.36 + 0.00036 I - b W), b = 0.99, with trees 0.38 (Wilson 1988)."""
    per_metre = WILSON_PER_METRE["wilson-trees" if trees else "wilson"]
    odds: Floats = expit(WILSON_CONSTANT + WILSON_PER_KW_M * intensity_kw_m - per_metre * width_m)
    return odds


def flame_contact(flame_length_m: Floats, width_m: Floats) -> NDArray[np.bool_]:
    """Whether flames cross a break: it is narrower than 1.5 times their length."""
    return width_m < WIDTH_PER_FLAME_LENGTH * flame_length_m


def _check(intensity: Floats, flame: Floats, width: Floats) -> None:
    for name, values in (("intensity_kw_m", intensity), ("flame_length_m", flame)):
        if not (np.isfinite(values).all() and (values >= 0.0).all()):
            raise fail(expected=f"finite {name} of 0 or more", given="a case outside this range",
                       where=_WHERE, remedy="check the fire behaviour")
    if not (width > 0.0).all():  # refuses nan too
        raise fail(expected="widths above 0 m", given="a case outside this range", where=_WHERE,
                   remedy="leave the break out instead")
