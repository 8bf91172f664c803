"""Sets of fires: where each starts, in which weather, and how long it burns.

Draws are keyed by (seed, name of the set, landscape), one stream per quantity, so the first fires
of a long set are those of a short one and every plan meets the same fires.

A fire counts as one, or in a set that is drawn where fires matter (`proposal`) as often as its
weight says. Losses are given times the weight, so that any mean of them over the fires is the mean
that plain draws have; what counts fires or orders their losses takes the weight from `Fires`.

A fire lasts one burning period or several. Between two of them the front rests where it is, and
the next one has weather of its own. All times of a fire are minutes of burning, without the pauses.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from firebreak.checks import fail
from firebreak.fire.effects.keyed_random import CELL_STEP, fire_keys
from firebreak.fire.travel.travel_field import padded_width
from firebreak.seeding import generator
from firebreak.settings.kinds import DURATION_SPREAD
from firebreak.settings.scene import BURNED_SHARE, FireSettings

WHOLE = 4096
"""Parts of a fire that weights count."""
HEAVIEST = 5
"""Fires that a fire counts for, at most."""
MIN_PER_DAY = 24.0 * 60.0
HOURS_SIGMA = 0.4
"""Standard deviation of the logarithm of the length of a burning period; an assumption."""
LEAST_HOURS, MOST_HOURS = 3.0 / 8.0, 2.0
"""Shortest and longest burning period over the median: 3 and 16 hours of 8; an assumption."""


class Fires(NamedTuple):
    """F fires.

    source: int64 [F], flat ignition cell row * W + col.
    scenario: int64 [F], weather scenario or stream.
    duration_min: float64 [F].
    key: uint64 [F], names the fire in the draws made while it burns, such as breaches.
    weight: int64 [F], how often the fire counts, in parts of 1 / WHOLE; None where each counts
        once. Whole numbers, so that weighted sums have the same bits in any order.
    later_min: float64 [F, L], minutes of burning at which each later burning period begins, inf
        where there is none; None where all fires last one.
    """

    source: NDArray[np.int64]
    scenario: NDArray[np.int64]
    duration_min: NDArray[np.float64]
    key: NDArray[np.uint64]
    weight: NDArray[np.int64] | None = None
    later_min: NDArray[np.float64] | None = None

    @property
    def whole(self) -> int:
        """Parts that a fire has which counts once; sums of `parts` are counted in these."""
        return 1 if self.weight is None else WHOLE

    @property
    def heaviest(self) -> int:
        """Fires that one of these may count for."""
        return 1 if self.weight is None else HEAVIEST

    @property
    def parts(self) -> NDArray[np.int64]:
        """int64 [F], how often each counts, in parts."""
        return np.ones(self.source.size, np.int64) if self.weight is None else self.weight

    @property
    def times(self) -> NDArray[np.float64]:
        """f64 [F], how often each counts; exactly."""
        return self.parts / self.whole

    def weighed(self, loss: NDArray[np.float64]) -> NDArray[np.float64]:
        """Losses of the fires f64 [F], each as often as it counts."""
        return loss if self.weight is None else loss * self.times

    def part(self, which: slice | NDArray) -> "Fires":
        """Some of the fires."""
        return Fires._make(None if column is None else column[which] for column in self)

    @property
    def begins_min(self) -> NDArray[np.float64]:
        """f64 [F, L], as `later_min`, with L = 0 where all fires last one period."""
        return np.empty((self.source.size, 0)) if self.later_min is None else self.later_min

    @property
    def longest_min(self) -> NDArray[np.float64]:
        """f64 [F], minutes of the longest burning period."""
        ends = np.column_stack([np.minimum(self.begins_min, self.duration_min[:, None]),
                                self.duration_min])
        return np.asarray(np.diff(ends, axis=1, prepend=0.0).max(axis=1))

    @property
    def pauses_min(self) -> NDArray[np.float64]:
        """f64 [F, L], minutes of all pauses before each later period. One begins a day after the
        one before it began, or at once where that lasts longer.
        """
        begins = self.begins_min
        lasts = np.diff(np.where(np.isfinite(begins), begins, 0.0), axis=1, prepend=0.0)
        pauses = np.cumsum(np.maximum(MIN_PER_DAY - lasts, 0.0), axis=1)
        return np.where(np.isfinite(begins), pauses, 0.0)

    def first(self, count: int) -> "Fires":
        """The first `count` fires."""
        return self.part(slice(count))

    def on_rows(self, first: int, cols: int) -> "Fires":
        """The same fires on the rows from `first` on of a map of so many columns, with the same
        luck in every cell: a draw adds steps of the cell's number to the key, so the key makes up
        for the cells above, which the part does not count.
        """
        above = first * padded_width(cols) * int(CELL_STEP) % 2**64
        return self._replace(source=self.source - first * cols, key=self.key + np.uint64(above))


def effective_number(times: NDArray[np.float64]) -> float:
    """Number of plain draws that tell as much as fires which count so often [F].

    Source: Kish (1965), Survey sampling, section 11.7.
    """
    return float(times.sum() ** 2 / np.square(times).sum()) if times.size else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class FireRegime:
    """Distribution that fires are drawn from on any landscape.

    Attributes:
        burned_share: mean share of the burnable cells that an untreated fire burns, (0, 1].
        duration_sigma: standard deviation of the logarithm of the duration.
        edge_share: share of fires that enter from the map's edge instead of starting anywhere.
        duration_min: median duration; None to take the one at which fires burn `burned_share`.
        hours: median length of a burning period, instead of a duration; None for fires that last
            one period, by their duration. Lengths are lognormal (HOURS_SIGMA) between LEAST_HOURS
            and MOST_HOURS times the median.
        periods: burning periods of a fire, 1 to MOST_PERIODS; of 1.2, one fire in five has two,
            the others one.
    """

    burned_share: float = BURNED_SHARE
    duration_sigma: float = DURATION_SPREAD
    edge_share: float = 0.0
    duration_min: float | None = FireSettings.duration_min
    hours: float | None = None
    periods: float = 1.0

    @property
    def median_min(self) -> float | None:
        """The median length of a period, or the median duration; None where it follows from the
        share burned.
        """
        return self.duration_min if self.hours is None else 60.0 * self.hours

    def periods_words(self) -> str:
        """The burning periods, in short."""
        several = f", {self.periods:g} a fire on average" if self.periods > 1.0 else ""
        return f"burning periods of {self.hours:g} h (median){several}"

    @property
    def most_periods(self) -> int:
        """The most burning periods that a fire may last."""
        return 1 if self.hours is None else math.ceil(self.periods)


def check_fires(fires: Fires, burnable: NDArray[np.bool_], scenarios: int,
                later: int = 0) -> None:
    """Refuses fires that cannot burn on a map, bool [H, W], in so many weathers, of each of which
    so many later burning periods are known.

    Raises:
        InputError: no fire, columns of other kinds or lengths, an ignition elsewhere, an unknown
            weather, a duration below 0, a weight out of range, more burning periods than the
            weather has.
    """
    _check_columns(fires)
    if fires.source.size == 0:
        raise fail(expected="at least 1 fire", given="none", where="fires",
                   remedy="draw fires first")
    inside = (fires.source >= 0) & (fires.source < burnable.size)
    if not inside.all() or not burnable.ravel()[fires.source].all():
        raise fail(expected="ignitions in burnable cells of the map",
                   given="an ignition outside of them",
                   where="fires", remedy="draw ignitions from landscape.burnable")
    if (fires.scenario < 0).any() or (fires.scenario >= scenarios).any():
        raise fail(expected=f"weather scenarios 0 to {scenarios - 1}",
                   given="a number outside of these",
                   where="fires", remedy="draw fires with the weights of these scenarios")
    if np.isnan(fires.duration_min).any() or (fires.duration_min < 0).any():
        raise fail(expected="durations of 0 minutes or more", given="nan or below 0",
                   where="fires", remedy="check the fire regime")
    if (fires.parts < 1).any() or (fires.parts > fires.heaviest * fires.whole).any():
        raise fail(expected=f"weights of 1 to {HEAVIEST * WHOLE} parts",
                   given=f"{fires.parts.min()} to {fires.parts.max()}", where="fires",
                   remedy="leave the weights out, or draw fires with Scene.fires")
    begins = np.asarray(fires.begins_min)
    if begins.ndim != 2 or begins.dtype.kind != "f" or len(begins) != fires.source.size or (
            begins.shape[1] > later or (begins != np.sort(begins, axis=1)).any()):
        raise fail(expected=f"at most {1 + later} burning periods, one after the other",
                   given=f"beginnings of shape {begins.shape}", where="fires",
                   remedy="draw the fires from the scene that they burn on")


def _check_columns(fires: Fires) -> None:
    kinds = (("source", "iu"), ("scenario", "iu"), ("duration_min", "f"), ("key", "u"),
             ("parts", "i"))
    for name, kind in kinds:
        column = np.asarray(getattr(fires, name))
        if column.ndim != 1 or column.dtype.kind not in kind or (
                column.size != np.size(fires.source)):
            raise fail(expected="columns of equal length: whole sources, scenarios and weights, "
                                "real durations, unsigned keys",
                       given=f"{name} of shape {column.shape} and type {column.dtype}",
                       where="fires", remedy="draw fires with draw_fires")


def draw_fires(regime: FireRegime, burnable: NDArray[np.bool_],
               scenario_weight: NDArray[np.float64], count: int, median_duration_min: float,
               *, seed: int, fire_set: str, landscape: str,
               ignition_weight: NDArray[np.float32] | None = None) -> Fires:
    """Draws `count` fires of the set `fire_set` on a landscape.

    Ignitions are drawn from the burnable cells (or from the burnable cells of the edge, for
    `edge_share` of them), weather by the scenarios' weights, durations lognormal.

    Args:
        burnable: bool [H, W].
        ignition_weight: [H, W], relative chance of each cell; uniform if not given.
        scenario_weight: [S], sums to 1.
        landscape: the landscape's key, usually its `fire_checksum`.

    Raises:
        InputError: nothing burns, or count < 1.
    """
    if count < 1:
        raise fail(expected="at least 1 fire", given=f"{count}", where=f"fires '{fire_set}'",
                   remedy="raise the number of fires")

    def stream(quantity: str) -> np.random.Generator:
        return generator(seed, "fires", fire_set, landscape, quantity)

    source = _ignitions(regime, burnable, ignition_weight, stream("ignition").random(count),
                        stream("edge").random(count), fire_set)
    scenario = _chosen(scenario_weight, stream("scenario").random(count))
    key = fire_keys(seed, fire_set, landscape, count)
    if regime.hours is None:
        spread = np.exp(regime.duration_sigma * stream("duration").standard_normal(count))
        return Fires(source, scenario, median_duration_min * spread, key)
    lengths = np.stack([_period_lengths(regime.hours, stream(f"burning period {k}").random(count))
                        for k in range(1, regime.most_periods + 1)], axis=1)
    full, more = divmod(regime.periods, 1.0)
    periods = full + (stream("burning periods").random(count) < more)
    ends = np.cumsum(lengths, axis=1)
    is_last = np.arange(1, regime.most_periods + 1) == periods[:, None]
    later = np.where(np.arange(1, regime.most_periods) < periods[:, None], ends[:, :-1], np.inf)
    return Fires(source, scenario, ends[is_last], key, later_min=later)


def _period_lengths(median_h: float, place: NDArray[np.float64]) -> NDArray[np.float64]:
    """Minutes at the places [0, 1) along the distribution: lognormal, where draws out of bounds are
    drawn again.
    """
    low, high = ndtr(np.log([LEAST_HOURS, MOST_HOURS]) / HOURS_SIGMA)
    return 60.0 * median_h * np.exp(HOURS_SIGMA * ndtri(low + (high - low) * place))


def spread_out_fires(regime: FireRegime, burnable: NDArray[np.bool_],
                     scenario_weight: NDArray[np.float64], count: int, *, seed: int,
                     landscape: str, ignition_weight: NDArray[np.float32] | None = None) -> Fires:
    """`count` fires of median duration 1 that stand for the regime better than drawn ones do.

    Places, weathers and durations are each spread evenly over their distribution and paired at
    random, so that means over few fires are less noisy (stratified sampling).
    """
    def evenly(quantity: str) -> NDArray[np.float64]:
        rng = generator(seed, "fires", "calibration", landscape, quantity)
        return rng.permutation((np.arange(count) + rng.random(count)) / count)

    source = _ignitions(regime, burnable, ignition_weight, evenly("ignition"), evenly("edge"),
                        "calibration")
    duration = np.exp(regime.duration_sigma * ndtri(evenly("duration")))
    return Fires(source, _chosen(scenario_weight, evenly("scenario")), duration,
                 fire_keys(seed, "calibration", landscape, count))


def _chosen(weight: NDArray[np.float64], along: NDArray[np.float64]) -> NDArray[np.int64]:
    """Scenarios at the places [0, 1) along the sum of their weights."""
    last = np.searchsorted(np.cumsum(weight), along, "right")
    return np.minimum(last, weight.size - 1).astype(np.int64)


def _ignitions(regime: FireRegime, burnable: NDArray[np.bool_],
               ignition_weight: NDArray[np.float32] | None, place: NDArray[np.float64],
               edge_draw: NDArray[np.float64], fire_set: str) -> NDArray[np.int64]:
    anywhere = np.flatnonzero(burnable)
    if anywhere.size == 0:
        raise fail(expected="burnable cells", given="none", where=f"fires '{fire_set}'",
                   remedy="choose a window with fuel in it")
    weight = np.ones(burnable.shape) if ignition_weight is None else ignition_weight
    source = _placed(anywhere, weight, place, fire_set)
    inside = burnable.copy()
    inside[[0, -1]] = inside[:, [0, -1]] = False
    edge = np.flatnonzero(burnable & ~inside)
    if regime.edge_share == 0.0 or edge.size == 0:
        return source
    return np.where(edge_draw < regime.edge_share, _placed(edge, weight, place, fire_set), source)


def _placed(cells: NDArray[np.int64], weight: NDArray, place: NDArray[np.float64],
            fire_set: str) -> NDArray[np.int64]:
    """Cells at the places [0, 1) along the sum of their weights."""
    chance = weight.ravel()[cells].astype(np.float64)
    if not chance.sum() > 0.0:
        raise fail(expected="burnable cells where fires may start", given="weights of 0 only",
                   where=f"fires '{fire_set}'", remedy="check the ignition raster")
    if (chance == chance[0]).all():
        return cells[(place * cells.size).astype(np.int64)]
    along = np.cumsum(chance)
    index = np.searchsorted(along, place * along[-1], side="right")
    return cells[np.minimum(index, np.flatnonzero(chance)[-1])]
