"""Sets of fires: where each starts, in which weather, and how long it burns.

Draws are keyed by (seed, name of the set, landscape), one stream per quantity, so the first fires
of a long set are those of a short one and every plan meets the same fires.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import check_fraction, fail
from firebreak.seeding import generator


class Fires(NamedTuple):
    """F fires.

    source: int64 [F], flat ignition cell row * W + col.
    scenario: int64 [F], weather scenario.
    duration_min: float64 [F].
    """

    source: NDArray[np.int64]
    scenario: NDArray[np.int64]
    duration_min: NDArray[np.float64]

    def first(self, count: int) -> "Fires":
        """The first `count` fires."""
        return Fires(self.source[:count], self.scenario[:count], self.duration_min[:count])


@dataclass(frozen=True, slots=True, kw_only=True)
class FireRegime:
    """How fires are drawn on any landscape.

    Attributes:
        burned_share: mean share of the burnable cells that an untreated fire burns, (0, 1].
        duration_sigma: standard deviation of the logarithm of the duration.
        edge_share: share of fires that enter from the map's edge instead of starting anywhere.
    """

    burned_share: float = 0.15
    duration_sigma: float = 0.5
    edge_share: float = 0.0

    def __post_init__(self) -> None:
        check_fraction(self.burned_share, what="a mean burned share", where="fires.burned_share",
                       remedy="0.1 to 0.2 is usual")
        if not 0.0 <= self.edge_share <= 1.0 or self.duration_sigma < 0.0:
            raise fail(expected="edge_share in 0-1 and duration_sigma >= 0",
                       given=f"{self.edge_share:g} and {self.duration_sigma:g}", where="fires",
                       remedy="correct these values")


def draw_fires(regime: FireRegime, burnable: NDArray[np.bool_],
               scenario_weight: NDArray[np.float64], count: int, median_duration_min: float,
               *, seed: int, fire_set: str, landscape: str) -> Fires:
    """Draws `count` fires of the set `fire_set` on a landscape.

    Ignitions are uniform over the burnable cells (or over the burnable cells of the edge, for
    `edge_share` of them), weather by the scenarios' weights, durations lognormal.

    Args:
        burnable: bool [H, W].
        scenario_weight: [S], sums to 1.
        landscape: the landscape's key, usually its checksum.

    Raises:
        InputError: nothing burns, or count < 1.
    """
    if count < 1:
        raise fail(expected="at least 1 fire", given=f"{count}", where=f"fires '{fire_set}'",
                   remedy="raise the number of fires")
    anywhere = np.flatnonzero(burnable)
    if anywhere.size == 0:
        raise fail(expected="burnable cells", given="none", where=f"fires '{fire_set}'",
                   remedy="choose a window with fuel in it")
    def stream(quantity: str) -> np.random.Generator:
        return generator(seed, "fires", fire_set, landscape, quantity)

    place = stream("ignition").random(count)
    source = anywhere[(place * anywhere.size).astype(np.int64)]
    if regime.edge_share > 0.0:
        edge = _edge_cells(burnable)
        if edge.size:
            enters = stream("edge").random(count) < regime.edge_share
            source = np.where(enters, edge[(place * edge.size).astype(np.int64)], source)
    last = np.searchsorted(np.cumsum(scenario_weight), stream("scenario").random(count), "right")
    scenario = np.minimum(last, scenario_weight.size - 1).astype(np.int64)
    spread = np.exp(regime.duration_sigma * stream("duration").standard_normal(count))
    return Fires(source, scenario, median_duration_min * spread)


def _edge_cells(burnable: NDArray[np.bool_]) -> NDArray[np.int64]:
    edge = burnable.copy()
    edge[1:-1, 1:-1] = False
    return np.flatnonzero(edge)


def median_for_share(arrival_time_min: NDArray[np.float64], duration_min: NDArray[np.float64],
                     burnable_cells: int, burned_share: float) -> float:
    """The median duration at which fires burn the wanted mean share.

    Args:
        arrival_time_min: [F, ...] of fires burned without a limit.
        duration_min: [F], drawn with a median of 1.

    A cell burns if its arrival time over the fire's unit duration is at most the median, so the
    wanted median is a quantile of these ratios over all fires and burnable cells.
    """
    flat = arrival_time_min.reshape(arrival_time_min.shape[0], -1)
    ratio = (flat / duration_min[:, None]).ravel()
    finite = np.sort(ratio[np.isfinite(ratio)])
    wanted = round(burned_share * burnable_cells * duration_min.size)
    # At least one step beyond the ignition cells, and never beyond what fire can reach.
    place = min(max(wanted, duration_min.size + 1), finite.size) - 1
    return float(finite[place]) if finite[place] > 0.0 else 1.0
