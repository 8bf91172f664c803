"""The effect of a plan, segment by segment, on test fires that no method was shown.

The test fires burn without breaks and then under the first, the first two, ... segments, only those
anew that a segment changes. They are burned in batches, so that the change of burn probability in a
cell comes with an interval.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from scipy.special import stdtrit

from firebreak.checks import fail
from firebreak.env.storage.problem import nothing_burned, problem_of
from firebreak.env.storage.problem_batch import SLOT_0, ProblemBatch, sizes_for
from firebreak.fire import HELD, UNBURNED, Fires, Scene, padded_cells
from firebreak.landscape.candidates.corridor import Corridor
from firebreak.landscape.value_unit import ValueUnit
from firebreak.planning.core.fire_counts import check_test_fires
from firebreak.planning.core.progress import Reporter, no_report
from firebreak.planning.evaluation.intervals import (
    FireGroups,
    Interval,
    fire_groups,
    single_fires,
)
from firebreak.planning.evaluation.losses import (
    relative_drop,
    worst_tenth_mean,
    worst_tenth_parts,
)
from firebreak.weather.scenarios import DEAD_MOISTURES, LIVE_MOISTURES

MIN_BATCHES = 20
"""Batches of fires, at least, that the half width of a change comes from."""
MAX_CELLS_TOGETHER = 24_000_000
"""Cells of the fires that are held together, at most."""
PROTECTED_DROP = 0.01
"""A segment protects cells whose burn probability it lowers by so much."""


class PlanEffect(NamedTuple):
    """A plan of n segments on F test fires; maps are [H, W].

    Attributes:
        loss: f64 [n + 1, F], under the first 0 to n segments, in units of value, but see `in_unit`,
            as often as each fire counts.
        before, after: f64, burn probability without and with all segments.
        half_width: f64, of the 95 % interval of after - before in a cell, the weather as given.
        protected: f64 [n], value on the cells in which the burn probability falls by
            PROTECTED_DROP or more when the segment is added.
        scenario, times: i64, f64 [F], stream of weather of each fire, and how often it counts.
        cost: f64 [n + 1], spent on the first 0 to n segments.
        engaged, held: f64 [n], mean length of each segment, m, that a fire reaches, and at which
            crews hold it, under all segments; None where crews hold no breaks, or narrow ones. Of
            hard breaks only what fire would cross counts.
    """

    loss: NDArray[np.float64]
    before: NDArray[np.float64]
    after: NDArray[np.float64]
    half_width: NDArray[np.float64]
    protected: NDArray[np.float64]
    scenario: NDArray[np.int64]
    times: NDArray[np.float64]
    cost: NDArray[np.float64]
    engaged: NDArray[np.float64] | None = None
    held: NDArray[np.float64] | None = None

    @property
    def groups(self) -> FireGroups:
        """The fires that count as one draw in intervals."""
        return fire_groups(self.scenario, self.loss[0], self.times)


def effect_of(scene: Scene, segments: Sequence[Corridor], test_fires: int,
              report: Reporter = no_report) -> PlanEffect:
    """Burns the test fires under the segments of a plan, in this order.

    Args:
        report: takes test fires as they are done, under all segments.

    Raises:
        InputError: fewer than two fires, or fires that burn nothing of value.
    """
    if test_fires < 2:
        raise fail(expected="at least 2 test fires", given=f"{test_fires}", where="--test-fires",
                   remedy="1000 is usual")
    check_test_fires(scene.landscape.name, test_fires, len(segments) + 1)
    fires = scene.fires("test", test_fires)
    batches = fire_batches(test_fires, scene.landscape.fuel_model.size)
    slots = ProblemBatch(sizes_for(scene, 1, max(part.stop - part.start for part in batches), 0))
    shape, cells = scene.landscape.shape, scene.landscape.fuel_model.size
    ends, met = np.zeros((2, *shape)), np.zeros((2, len(segments)))
    drops = csr_array((len(segments), cells), dtype=np.int32)
    losses, spread = [], _Spread(shape)
    for part in batches:
        burned = _burn(slots, scene, fires.part(part), segments)
        losses.append(burned.loss)
        count = burned.loss.shape[1]
        spread.add((burned.ends[1] - burned.ends[0]) / (count * fires.whole))
        ends += burned.ends
        drops = drops + burned.drops
        met += _met(slots, scene, segments) / test_fires
        report(count)
    loss = np.concatenate(losses, axis=1)
    if not loss[0].mean() > 0.0:
        raise nothing_burned(scene)
    before, after = ends / (test_fires * fires.whole)
    return PlanEffect(loss, before, after, spread.half_width(),
                      _protected(scene, drops, test_fires * fires.whole), fires.scenario,
                      fires.times,
                      np.cumsum([0.0, *(one.cost for one in segments)]),
                      *(met if meets_crews(scene) else (None, None)))


def meets_crews(scene: Scene) -> bool:
    """True where it is known where crews hold: narrow breaks burn, whoever stops the fire there."""
    return not scene.tiled and scene.field.breaks.held and not scene.field.breaks.strips


def _met(slots: ProblemBatch, scene: Scene,
         segments: Sequence[Corridor]) -> NDArray[np.float64]:
    """Length of each segment that the fires of a slot reach, and that crews hold: m of all fires
    together, f64 [2, n].
    """
    if not meets_crews(scene):
        return np.zeros((2, len(segments)))
    trees, cols = slots.plan_trees(0), scene.landscape.shape[1]
    codes = [trees.code[:, padded_cells(segment.cells, cols)] for segment in segments]
    reached = [[trees.times @ met.sum(axis=1) for met in (code != UNBURNED, code == HELD)]
               for code in codes]
    return scene.landscape.cell_size_m * np.array(reached, np.float64).reshape(-1, 2).T


def in_unit(effect: PlanEffect, unit: ValueUnit) -> PlanEffect:
    """An effect with losses, and what is protected, in another unit than that of value."""
    return effect._replace(loss=effect.loss * unit.per_value,
                           protected=effect.protected * unit.per_value)


def _protected(scene: Scene, drops: csr_array, parts: int) -> NDArray[np.float64]:
    """Value f64 [n] where each segment lowers the burn probability by PROTECTED_DROP or more.

    drops: i32 [n, cells], by how many parts of fires fewer burn a cell with each segment, of so
    many parts of all.
    """
    value = (scene.value * scene.landscape.burnable).ravel()
    fewest = PROTECTED_DROP * parts * (1.0 - 1e-12)
    found = np.zeros(drops.shape[0])
    for k, (first, end) in enumerate(pairwise(drops.indptr.tolist())):
        there = drops.data[first:end] >= fewest
        found[k] = float(value[drops.indices[first:end][there]].sum())
    return found


class _Spread:
    """The spread of maps [H, W], of which none is kept.

    Source: Welford (1962), "Note on a method for calculating corrected sums of squares".
    """

    def __init__(self, shape: tuple[int, int]) -> None:
        self._count = 0
        self._mean, self._squares = np.zeros(shape), np.zeros(shape)

    def add(self, one: NDArray[np.float64]) -> None:
        """One more map."""
        self._count += 1
        off = one - self._mean
        self._mean += off / self._count
        self._squares += off * (one - self._mean)

    def half_width(self) -> NDArray[np.float64]:
        """Half of Student's 95 % interval of the mean, of two maps at least."""
        error = np.sqrt(self._squares / (self._count - 1) / self._count)
        return np.asarray(stdtrit(self._count - 1, 0.975) * error)


def fire_batches(fires: int, cells: int, least: int = MIN_BATCHES) -> list[slice]:
    """Ranges of nearly as many fires each, at least so many, and more where the maps are large."""
    count = min(fires, max(least, -(-fires * cells // MAX_CELLS_TOGETHER)))
    ends = np.linspace(0, fires, count + 1).round().astype(int).tolist()
    return [slice(first, last) for first, last in pairwise(ends)]


class _Burned(NamedTuple):
    """loss: f64 [n + 1, F], under the first 0 to n segments; ends: i64 [2, H, W], parts of fires
    that burn each cell without and with all of them; drops: i32 [n, cells], see `_protected`.
    """

    loss: NDArray[np.float64]
    ends: NDArray[np.int64]
    drops: csr_array


def _burn(slots: ProblemBatch, scene: Scene, fires: Fires,
          segments: Sequence[Corridor]) -> _Burned:
    """Fires under the segments, one after the other."""
    slots.load(0, problem_of(scene, 1.0, fires, fires.first(0)))
    slots.update(SLOT_0, fresh=True)
    losses, first = [slots.plan_trees(0).loss.copy()], slots.fires.sums(0)[0].copy()
    before, cells, drops = first, [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for segment in segments:
        slots.place(0, segment.cells)
        if not slots.update(SLOT_0):  # as for most segments of a large map
            losses.append(losses[-1])
            cells.append(cells[0])
            drops.append(drops[0])
            continue
        losses.append(slots.plan_trees(0).loss.copy())
        after = slots.fires.sums(0)[0].copy()
        less = (before - after).ravel()
        cells.append(np.flatnonzero(less))
        drops.append(less[cells[-1]])
        before = after
    return _Burned(np.stack(losses), np.stack([first, before]), csr_array(
        (np.concatenate(drops).astype(np.int32), np.concatenate(cells),
         np.cumsum([one.size for one in cells])),
        shape=(len(segments), scene.landscape.fuel_model.size)))


def marginal_benefit(effect: PlanEffect) -> NDArray[np.float64]:
    """Fall of the mean loss by each segment, added after those before it: f64 [n]."""
    return -np.diff(effect.loss.mean(axis=1))


def marginal_intervals(effect: PlanEffect) -> list[Interval]:
    """`marginal_benefit` with 95 % intervals."""
    before, less = effect.loss[0], -np.diff(effect.loss, axis=0)
    low, high = effect.groups.bounds(less, before, before)
    unit = float(before.mean())
    return [Interval(*one) for one in zip(less.mean(axis=1).tolist(), (unit * low).tolist(),
                                          (unit * high).tolist(), strict=True)]


def reductions(effect: PlanEffect) -> list[Interval]:
    """Share of the untreated loss that the first 0 to n segments save, with the intervals that
    `evaluate` gives: a plan has one.
    """
    before = effect.loss[0]
    low, high = effect.groups.bounds(before - effect.loss, before, before)
    exact = 1.0 - effect.loss.mean(axis=1) / before.mean()
    return [Interval(*one) for one in zip(exact.tolist(), low.tolist(),
                                          np.minimum(high, 1.0).tolist(), strict=True)]


def risk(effect: PlanEffect) -> dict[str, Interval]:
    """Mean loss and mean of the worst tenth without and with the plan, and the share of each that
    the plan saves, with intervals.
    """
    return risk_of(effect.loss[0], effect.loss[-1], effect.groups)


def risk_of(before: NDArray[np.float64], after: NDArray[np.float64],
            groups: FireGroups) -> dict[str, Interval]:
    """The same of losses [F] of fires without and with a plan."""
    times = groups.times
    worst, worst_loss = worst_tenth_parts(before, times)
    left, left_loss = worst_tenth_parts(after, times)
    tail, tail_left = worst_tenth_mean(before, times), worst_tenth_mean(after, times)
    return {
        "mean_loss_before": groups.mean(before), "mean_loss_after": groups.mean(after),
        "mean_loss_reduction": groups.saving(before - after, before)._replace(
            mean=relative_drop(float(before.mean()), float(after.mean()))),
        "cvar90_before": groups.mean(worst, worst_loss)._replace(mean=tail),
        "cvar90_after": groups.mean(left, left_loss)._replace(mean=tail_left),
        "cvar90_reduction": groups.saving(worst - left, worst, worst_loss)._replace(
            mean=relative_drop(tail, tail_left))}


def exceedance(losses: NDArray[np.float64], times: NDArray[np.float64] | float = 1.0,
               ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(losses of single fires ascending [F], chance that a fire loses at least so much [F]), of
    losses [F] as often as each fire counts; each once if not given.
    """
    ordered = np.sort(losses / times)
    return ordered, chance_of(losses, times, ordered)


def chance_of(losses: NDArray[np.float64], times: NDArray[np.float64] | float,
              least: ArrayLike) -> NDArray[np.float64]:
    """The chance [...] that a fire loses at least so much [...]; see `exceedance`."""
    single = losses / times
    order = np.argsort(single, kind="stable")
    less = np.cumsum([0.0, *np.broadcast_to(times, losses.shape)[order]])
    return np.asarray(1.0 - less[np.searchsorted(single[order], least, side="left")] / less[-1])


def by_weather(effect: PlanEffect, scene: Scene) -> list[dict[str, float | None]]:
    """For each stream of weather that a fire met: its wind and moistures, its fires, losses and
    their drop with an interval over its fires, None for a single one. Wind in km/h 20 ft above the
    vegetation, moistures as fractions, both means of its rows.
    """
    rows, steps = scene.scenarios, scene.field.steps
    lines: list[dict[str, float | None]] = []
    for stream in np.unique(effect.scenario).tolist():
        own = effect.scenario == stream
        before, after = effect.loss[0, own], effect.loss[-1, own]
        count = float(effect.times[own].sum())
        part = slice(stream * steps, (stream + 1) * steps)
        mean, left = float(before.sum()) / count, float(after.sum()) / count
        groups = single_fires(before.size, effect.times[own])
        low, high = (None, None) if before.size < 2 else groups.saving(before - after, before)[1:]
        lines.append({
            "weather": stream, "probability": float(scene.streams.weight[stream]),
            "wind_20ft_km_h": float(rows.wind_20ft_m_min[part].mean()) * 60.0 / 1000.0,
            "wind_from_deg": _mean_direction(rows.wind_from_deg[part]),
            **{name: float(getattr(rows, name)[part].mean())
               for name in (*DEAD_MOISTURES, *LIVE_MOISTURES)},
            "fires": int(own.sum()), "mean_loss_before": mean,
            "mean_loss_after": left, "reduction": relative_drop(mean, left), "low": low,
            "high": high})
    return lines


def _mean_direction(degrees: NDArray[np.float64]) -> float:
    angle = np.radians(degrees)
    return float(np.degrees(np.arctan2(np.sin(angle).mean(), np.cos(angle).mean())) % 360.0)
