"""The median duration at which fires burn a wanted share of a map.

A cell burns if its arrival time over the fire's unit duration is at most the median, so the wanted
median is a quantile of these ratios over all fires and burnable cells. Stopping a fire early
changes nothing before, so fires burn only a little longer than the quantile: the first guess
decides what that costs and no bit of the result.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from firebreak.fire.fires import Fires

Times = Sequence[NDArray[np.float32]]  # of the cells that each fire burned

_LEAST_GROWTH, _MAX_GROWTH, _MARGIN = 1.3, 8.0, 1.2  # of the duration from one try to the next
_POWERS = 0.5, 2.0  # of the duration in burned cells: along a strip of fuel and less, everywhere
_ENCLOSED = 0.7  # power below which fires seem to have burned most of what they can reach
_TRIES = 16
_DETOUR_FACTOR = 1.6
_ROUNDING = 1.0 - 1e-9


def first_guess(burned_share: float, burnable_cells: int, cell_size_m: float,
                mean_rate_m_min: float) -> float:
    """Minutes in which a fire of length/width 2 burns the share at a mean rate of spread, and more
    for the slow fuels that fire has to go round.
    """
    if not mean_rate_m_min > 0.0:
        return 1.0
    cells = np.sqrt(2.0 * burned_share * burnable_cells)
    return float(_DETOUR_FACTOR * cells * cell_size_m / mean_rate_m_min)


def calibrated_median(unit: Fires, burnable_cells: int, burned_share: float, guess: float,
                      burn: Callable[[Fires], Times]) -> float:
    """The median duration at which fires like `unit`, whose median is 1, burn the wanted share.

    burn: the arrival times of the cells that fires burn within their durations.
    """
    count = unit.source.size
    # At least one step beyond the ignition cells, and never beyond what fire can reach.
    wanted = max(round(burned_share * burnable_cells * count), count + 1)
    median, before, growth = guess, 0, 1.0
    for _ in range(_TRIES):
        ratios = _ratios(burn(unit._replace(duration_min=unit.duration_min * median)), unit)
        known = int(np.count_nonzero(ratios <= median * _ROUNDING))
        if known >= wanted:
            return _quantile(ratios, wanted)
        power = math.log(known / before, growth) if before > count else _POWERS[1]
        if power < _ENCLOSED and wanted > known * _MAX_GROWTH**power:
            break
        missing = wanted / max(known, count)
        growth = _MARGIN * missing ** (1.0 / min(max(power, _POWERS[0]), _POWERS[1]))
        growth = min(max(growth, _LEAST_GROWTH), _MAX_GROWTH)
        median, before = median * growth, known
    endless = unit._replace(duration_min=np.full(count, np.inf))
    return _quantile(_ratios(burn(endless), unit), wanted)


def _ratios(times: Times, unit: Fires) -> NDArray[np.float64]:
    ratios = np.empty(sum(part.size for part in times))
    end = 0
    for part, duration in zip(times, unit.duration_min, strict=True):
        np.divide(part, duration, out=ratios[end:end + part.size])
        end += part.size
    return ratios


def _quantile(ratios: NDArray[np.float64], wanted: int) -> float:
    place = min(wanted, ratios.size) - 1
    ratios.partition(place)
    return float(ratios[place]) if ratios[place] > 0.0 else 1.0
