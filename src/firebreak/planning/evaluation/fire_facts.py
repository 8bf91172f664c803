"""The fires that a plan is judged on: how long they burn, how much, in which wind, where they come
from, and what about them should be doubted.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.fire import Fires, Scene, burn, burn_tracks, effective_number
from firebreak.landscape.value_unit import value_unit
from firebreak.planning.core.fire_counts import FEWEST_MEETING, most_plan_fires

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

SHARES = (0.1, 0.5, 0.9, 1.0)
"""The parts of the fires below a quantile that is listed; the last is the most."""
MOST_FIRES = 400
"""Fires that the numbers are of; the first of a set are a draw like the whole of it."""

LONG_H, MOST_LONG = 24.0, 0.10
"""Hours of one weather, and the share of fires that may burn longer in it. Assumed: synoptic winds
seldom last longer; Burn-P3 and FSim draw each day's weather anew."""
MOST_FROM_EDGE = 0.20
"""Share of the loss that may be of fires that touch the edge. Assumed."""
_MORE_LAND = ("a smaller --area, or fewer weathers (--scenarios), leaves room for more land around "
              "it; where the map ends, give one that reaches further.")
WIND_RUN_KM_H, WIND_RUN_HA = 80.0, 1_620.0
"""Wind at 20 ft, and the area that fires pass in a day in it: 4,000 acres. Source: Balch et al.
(2024), The fastest-growing and most destructive fires in the US, doi:10.1126/science.adk5737: such
fires cause 78 % of the lost structures."""


class WindFires(NamedTuple):
    """The fires in winds of one speed. wind_km_h: at 20 ft, of the windiest step of their weather,
    whole; share: of all fires; hours, hectares: their quantiles SHARES.
    """

    wind_km_h: int
    share: float
    hours: Floats
    hectares: Floats


class FireFacts(NamedTuple):
    """Untreated fires of one set.

    Attributes:
        fires: number of fires that this is about.
        hours, hectares: quantiles SHARES of the time that they burn and of what they burn.
        sizes_ha, times: what each burns, and how often it counts, f64 [fires].
        winds: the same by wind.
        at_edge: share that touches the edge of the land that burns here.
        outside: share that starts outside the area of a domain; 0 where there is no domain.
        away_km: 10, 50 and 90 % of the distance of these from the area; empty where there are none.
        lost, burned_ha: mean loss of a fire, in the unit of `lost_unit`, and mean hectares.
        lost_from_edge, lost_from_outside: share of the loss of fires of the two kinds.
        plan_fires: number of plan fires; 0 where there are none.
        meeting: effective number of those that meet value, (sum w)^2 / sum w^2.
        doubts: sentences on what should be doubted, each with the option that mends it.
        assumed: what was assumed of weather, fires and crews, each with the option that gives it.
    """

    fires: int
    hours: Floats
    hectares: Floats
    sizes_ha: Floats
    times: Floats
    winds: tuple[WindFires, ...]
    at_edge: float
    outside: float
    away_km: Floats
    lost: float
    lost_unit: str
    burned_ha: float
    lost_from_edge: float
    lost_from_outside: float
    plan_fires: int
    meeting: float
    doubts: tuple[str, ...]
    assumed: tuple[str, ...] = ()


class _Burned(NamedTuple):
    """Hectares and loss f64 by fire [F], the loss as often as the fire counts; edge: it touches
    the edge; alone_h: hours in one weather; day_ha: burned in the first 24 hours.
    """

    hectares: Floats
    loss: Floats
    edge: Flags
    alone_h: Floats
    day_ha: Floats


def fire_facts(scene: Scene, fires: Fires, plan_fires: Fires | None = None) -> FireFacts:
    """Burn fires without breaks and describe them.

    Args:
        fires: of the set that judges; the first MOST_FIRES count.
        plan_fires: those that methods plan with; None: there are none.
    """
    fires = fires.first(MOST_FIRES)
    burned = _burned(scene, fires)
    weight = fires.times
    away = _away_km(scene, fires)
    outside = away > 0.0
    unit = value_unit(scene.landscape)
    whole = max(float(burned.loss.sum()), np.finfo(float).tiny)
    facts = FireFacts(
        fires=fires.source.size, hours=_quantiles(fires.duration_min / 60.0, weight),
        hectares=_quantiles(burned.hectares, weight),
        sizes_ha=burned.hectares, times=weight,
        winds=_by_wind(fires, _wind_of_fires(scene, fires), burned.hectares, weight),
        at_edge=_share(burned.edge, weight), outside=_share(outside, weight),
        away_km=(_quantiles(away[outside], weight[outside], SHARES[:3]) if outside.any()
                 else np.empty(0)),
        lost=float(burned.loss.mean()) * unit.per_value, lost_unit=unit.name,
        burned_ha=float(np.average(burned.hectares, weights=weight)),
        lost_from_edge=float(burned.loss[burned.edge].sum()) / whole,
        lost_from_outside=float(burned.loss[outside].sum()) / whole,
        plan_fires=0 if plan_fires is None else plan_fires.source.size,
        meeting=np.inf if plan_fires is None else effective_number(
            plan_fires.times[burn(scene, plan_fires).loss > 0.0]), doubts=(),
        assumed=scene.conditions.assumed)
    if scene.landscape.crs is None:  # synthetic land, which has no surroundings
        return facts
    return facts._replace(doubts=tuple(_doubts(scene, fires, burned, facts, weight)))


def _burned(scene: Scene, fires: Fires) -> _Burned:
    land, count = scene.landscape, fires.source.size
    rows, cols = land.shape
    # The next day begins with the next burning period.
    day_min = np.minimum(LONG_H * 60.0, fires.begins_min.min(axis=1, initial=np.inf))
    cell_ha = land.cell_size_m**2 / 1e4
    hectares, day_ha, edge = np.zeros(count), np.zeros(count), np.zeros(count, np.bool_)

    def take(number: int, cells: NDArray[np.int64], times: NDArray[np.float32]) -> None:
        row, col = np.divmod(cells, cols)
        hectares[number] = cells.size * cell_ha
        day_ha[number] = np.count_nonzero(times <= day_min[number]) * cell_ha
        edge[number] = bool(((row == 0) | (row == rows - 1) | (col == 0) | (col == cols - 1)).any())

    burn_tracks(scene, fires, take)
    lasts = scene.streams.step_min if scene.streams.steps_per_stream > 1 else np.inf
    alone_min = np.minimum(fires.longest_min, lasts)
    return _Burned(hectares, burn(scene, fires).loss, edge, alone_min / 60.0, day_ha)


def _by_wind(fires: Fires, wind_km_h: Floats, hectares: Floats,
             weight: Floats) -> tuple[WindFires, ...]:
    whole = wind_km_h.round().astype(int)
    return tuple(WindFires(speed, _share(own, weight),
                           _quantiles(fires.duration_min[own] / 60.0, weight[own]),
                           _quantiles(hectares[own], weight[own]))
                 for speed in np.unique(whole).tolist() for own in [whole == speed])


def _away_km(scene: Scene, fires: Fires) -> Floats:
    """Distance of each start from the area, km; 0 within it."""
    inside = scene.landscape.inside
    if inside.all():
        return np.zeros(fires.source.size)
    from scipy.ndimage import distance_transform_edt

    away = distance_transform_edt(~inside, sampling=scene.landscape.cell_size_m / 1e3)
    return np.asarray(away.ravel()[fires.source])


def _doubts(scene: Scene, fires: Fires, burned: _Burned, facts: FireFacts,
            weight: Floats) -> list[str]:
    """Sentences on what of the fires should be doubted."""
    found = []
    long = _share(burned.alone_h > LONG_H, weight)
    if long > MOST_LONG:
        found.append(f"{long:.0%} of the fires burn for more than {LONG_H:g} hours of one weather: "
                     "give weather by the hour (--weather FILE --hours N), or shorter fires "
                     "(--duration-min).")
    if facts.lost_from_edge > MOST_FROM_EDGE:
        found.append(f"{facts.lost_from_edge:.0%} of the loss is of fires that reach the edge of "
                     f"the land that burns here: {_MORE_LAND}")
    if (fall := _fall_with_wind(facts, fires, burned, scene)) is not None:
        found.append(f"Fires burn less where the wind is stronger ({fall:+.1f} ha per km/h): they "
                     f"leave the land that burns here: {_MORE_LAND}")
    if facts.meeting < FEWEST_MEETING:
        most = max(most_plan_fires(scene.landscape.fuel_model.size), facts.plan_fires)
        found.append(f"The {facts.plan_fires:,} plan fires tell as much as {facts.meeting:.0f} "
                     f"plain draws that meet value, where {FEWEST_MEETING} are wanted: give more "
                     f"(--plan-fires; without it at most {most:,} are taken here).")
    wild = _wind_of_fires(scene, fires) >= WIND_RUN_KM_H
    if wild.any() and burned.day_ha[wild].max() < WIND_RUN_HA:
        found.append(f"No fire burns more than {WIND_RUN_HA:,.0f} ha in a day in winds of "
                     f"{WIND_RUN_KM_H:g} km/h and more: this land and this model make no "
                     "wind-driven runs; check the fuels and moistures (--moisture).")
    return found


def _fall_with_wind(facts: FireFacts, fires: Fires, burned: _Burned, scene: Scene) -> float | None:
    """Slope of hectares over wind, ha per km/h, where it falls by more than two standard errors."""
    wind, weight = _wind_of_fires(scene, fires), facts.times
    off = wind - np.average(wind, weights=weight)
    spread = float((weight * off**2).sum())
    if len(facts.winds) < 3 or spread == 0.0:
        return None
    slope = float((weight * off * burned.hectares).sum()) / spread
    residual = burned.hectares - facts.burned_ha - slope * off
    # Fires of one weather share its wind: their residuals count together.
    groups = np.bincount(fires.scenario, weight * off * residual)
    error = float(np.sqrt((groups**2).sum())) / spread
    return slope if slope < -2.0 * error else None


def _wind_of_fires(scene: Scene, fires: Fires) -> Floats:
    """Strongest wind at 20 ft of each fire's weather, km/h."""
    wind = scene.streams.steps.wind_20ft_m_min.reshape(-1, scene.streams.steps_per_stream)
    return np.asarray(wind.max(axis=1)[fires.scenario] * 0.06)


def _share(those: Flags, weight: Floats) -> float:
    return float(weight[those].sum() / weight.sum())


def fact_words(facts: FireFacts) -> list[str]:
    """Hours and hectares of the fires, where they come from, and what to doubt, for a terminal."""
    hours, hectares = (f"{low:,.{places}f}, {middle:,.{places}f}, {high:,.{places}f} and at most "
                       f"{most:,.{places}f}" for places, (low, middle, high, most) in (
                           (1, facts.hours), (0, facts.hectares)))
    away = ("" if not facts.away_km.size else
            f"; {facts.outside:.0%} start outside the area, half of them within "
            f"{facts.away_km[1]:.1f} km, with {facts.lost_from_outside:.0%} of the loss")
    return [*(f"assumed: {words}" for words in facts.assumed),
            f"fires without breaks burn {hours} hours, and {hectares} ha (10, 50 and 90 % of them)",
            f"{facts.at_edge:.0%} of them reach the edge of the land, with "
            f"{facts.lost_from_edge:.0%} of the loss{away}",
            *([f"methods plan with {facts.plan_fires:,} fires, which tell as much as "
               f"{facts.meeting:.0f} plain draws that meet value"] if facts.plan_fires else []),
            *(f"check: {words}" for words in facts.doubts)]


def size_words(hectares: Floats, records: Floats, weight: Floats | None = None) -> str:
    """Compare the sizes of fires with those of records, both in ha.

    The distance is that of Kolmogorov and Smirnov: the most by which the shares of fires below a
    size differ.
    """
    weight = np.ones(hectares.size) if weight is None else weight
    at = np.sort(np.concatenate((hectares, records)))
    order = np.argsort(hectares)
    below = np.concatenate(([0.0], np.cumsum(weight[order]))) / weight.sum()
    share = below[np.searchsorted(hectares[order], at, "right")]
    known = np.searchsorted(np.sort(records), at, "right") / records.size
    pairs = zip(_quantiles(hectares, weight), _quantiles(records, np.ones(records.size)),
                strict=True)
    words = "; ".join(f"{name} {ours:,.0f} and {theirs:,.0f}" for name, (ours, theirs) in zip(
        ("10 %", "50 %", "90 %", "most"), pairs, strict=True))
    return (f"sizes of these fires and of {records.size:,} on record, ha: {words}; distance of "
            f"Kolmogorov and Smirnov {float(abs(share - known).max()):.2f}")


def _quantiles(values: Floats, weight: Floats, shares: Sequence[float] = SHARES) -> Floats:
    """Quantiles of values of these weights."""
    return np.asarray(np.quantile(values, shares, weights=weight, method="inverted_cdf"))
