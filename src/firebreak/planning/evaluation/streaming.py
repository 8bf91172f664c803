"""Judging plans on any number of fires in constant memory: chunks of fires, sums that are added.

Each chunk is a keyed set of fires of its own, so it burns alike wherever and whenever it is burned,
and sums that are added in the order of chunks have the same bits for any number of workers. The
worst tenth comes from a histogram of losses with the sum of each bin: what the quantile's own bin
holds counts at its mean, an error of at most one bin's width over the fires of that tenth.
"""

from collections.abc import Iterator, Sequence
from math import ceil
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.fire import Scene, burn
from firebreak.planning.core.plan import Plan
from firebreak.planning.evaluation.evaluate import Bounds
from firebreak.planning.evaluation.intervals import FEWEST_WEATHERS, ratio_bounds
from firebreak.planning.evaluation.judging import TEST_SET, Row, untreated_loss_of
from firebreak.planning.evaluation.losses import relative_drop

BINS = 2048
RANDOM_GROUPS = 256
"""Groups that fires are dealt to in turn, for intervals that take the weather as given."""
_CELLS_PER_CHUNK = 3_000_000
_MIN_FIRES, _MAX_FIRES = 16, 8192  # fires of a chunk


class FireSums(NamedTuple):
    """Sums over fires, K methods, J plans (a method may have several).

    fires: f64 [1], their number. total: f64 [K + 1], untreated loss and loss saved by each method.
    by_weather, by_group: f64 [weathers, K + 1] and [RANDOM_GROUPS, K + 1], the same of the fires
    of each weather, and of each group. burned: f64 [1], share of the burnable cells.
    outside: f64 [J, 2], loss on cells the plan does not treat, without and with it.
    binned, binned_loss: f64 [J + 1, BINS], fires and their loss by bin of the loss of a fire,
    untreated and under each plan.
    """

    fires: NDArray[np.float64]
    total: NDArray[np.float64]
    by_weather: NDArray[np.float64]
    by_group: NDArray[np.float64]
    burned: NDArray[np.float64]
    outside: NDArray[np.float64]
    binned: NDArray[np.float64]
    binned_loss: NDArray[np.float64]


def fires_per_chunk(scene: Scene) -> int:
    """So many that a chunk is worth sending; depends on the map's size alone."""
    return int(np.clip(_CELLS_PER_CHUNK // scene.landscape.burnable.size, _MIN_FIRES, _MAX_FIRES))


def chunk_counts(scene: Scene, test_fires: int) -> Iterator[int]:
    """Fires of each chunk of a scene, one by one: there may be more than memory has room for."""
    size = fires_per_chunk(scene)
    return (min(size, test_fires - begin) for begin in range(0, test_fires, size))


def no_fires(weathers: int, methods: int, plans: int) -> FireSums:
    """Sums over nothing."""
    return FireSums(np.zeros(1), np.zeros(methods + 1), np.zeros((weathers, methods + 1)),
                    np.zeros((RANDOM_GROUPS, methods + 1)), np.zeros(1), np.zeros((plans, 2)),
                    np.zeros((plans + 1, BINS)), np.zeros((plans + 1, BINS)))


def added(first: FireSums, second: FireSums) -> FireSums:
    """Sums over the fires of both."""
    return FireSums(*(a + b for a, b in zip(first, second, strict=True)))


def burn_chunk(scene: Scene, masks: list[list[NDArray[np.bool_]]], chunk: int,
               count: int) -> FireSums:
    """The first `count` fires of a chunk, untreated and under every plan.

    masks: for each method the break masks [H, W] of its plans, whose mean it stands for.
    """
    fires = scene.fires(f"{TEST_SET}-{chunk}", count)
    before = burn(scene, fires, want="statistics")
    highest = float(scene.value[scene.landscape.burnable].sum(dtype=np.float64))
    columns, outside, bins = [before.loss], [], [_histogram(before.loss, highest)]
    for plans in masks:
        saved = np.zeros(count)
        for mask in plans:
            after = burn(scene, fires, mask, want="statistics")
            saved += before.loss - after.loss
            outside.append([count * before.lost[~mask].sum(), count * after.lost[~mask].sum()])
            bins.append(_histogram(after.loss, highest))
        columns.append(saved / len(plans))
    samples = np.stack(columns, axis=1)
    empty = no_fires(scene.streams.weight.size, len(masks), len(outside))
    np.add.at(empty.by_weather, fires.scenario, samples)
    turn = (chunk * fires_per_chunk(scene) + np.arange(count)) % RANDOM_GROUPS
    np.add.at(empty.by_group, turn, samples)
    share = float(before.burn_probability[scene.landscape.burnable].mean())
    return FireSums(np.array([float(count)]), samples.sum(axis=0), empty.by_weather,
                    empty.by_group, np.array([count * share]), np.array(outside).reshape(-1, 2),
                    np.stack([one for one, _ in bins]), np.stack([one for _, one in bins]))


def rows_from(scene: Scene, sums: FireSums, plans: dict[str, list[Plan]], plan_fires: int,
              promised: dict[str, float | None]) -> dict[str, Row]:
    """Rows by method.

    promised: `in_sample_reduction` of each method.
    """
    fires, whole = float(sums.fires[0]), float(sums.total[0])
    rows, plan = {}, 0
    for place, (name, own) in enumerate(plans.items(), start=1):
        these = slice(plan, plan + len(own))
        drops = [relative_drop(*pair) for pair in sums.outside[these].tolist()]
        worst = worst_tenth(sums.binned[0], sums.binned_loss[0])
        tails = [relative_drop(worst, worst_tenth(sums.binned[k], sums.binned_loss[k]))
                 for k in range(plan + 1, plan + 1 + len(own))]
        rows[name] = Row(
            landscape=scene.landscape.name, budget=own[0].budget_share, plan_fires=plan_fires,
            method=name, **untreated_loss_of(scene, whole / fires),
            untreated_burned_share=float(sums.burned[0]) / fires,
            median_duration_min=scene.median_duration_min,
            reduction=float(sums.total[place]) / whole,
            reduction_untreated_cells=float(np.mean(drops)), cvar90_reduction=float(np.mean(tails)),
            in_sample_reduction=promised[name], seconds=float(np.mean([p.seconds for p in own])),
            simulations=float(np.mean([p.simulations for p in own])))
        plan += len(own)
    return rows


def bounds_from(sums: FireSums, names: Sequence[str]) -> Bounds:
    """95 % bounds over the weathers of one scene, or over its fires where these are few."""
    weathers = int(np.count_nonzero(sums.by_weather[:, 0]))
    if weathers < FEWEST_WEATHERS:
        weathers, groups = 0, sums.by_group
    else:
        groups = sums.by_weather

    def bounds(name: str, minus: str | None) -> tuple[float, float]:
        saved = groups[:, 1 + names.index(name)]
        if minus is not None:
            saved = saved - groups[:, 1 + names.index(minus)]
        low, high = ratio_bounds(saved, groups[:, 0], groups[:, 0])
        return float(low), float(high) if minus else min(float(high), 1.0)

    return Bounds(bounds, "weathers" if weathers else "fires", weathers)


def worst_tenth(count: NDArray[np.float64], loss: NDArray[np.float64]) -> float:
    """Mean loss of the worst 10 % of the fires (at least one) of a histogram [BINS]."""
    wanted = max(1, ceil(0.1 * float(count.sum())))
    above = np.concatenate([np.cumsum(count[::-1])[::-1][1:], [0.0]])
    taken = np.clip(wanted - above, 0.0, count)
    mean = np.divide(loss, count, out=np.zeros_like(loss), where=count > 0)
    return float(taken @ mean) / wanted


def _histogram(loss: NDArray[np.float64], highest: float) -> tuple[NDArray[np.float64],
                                                                NDArray[np.float64]]:
    """Fires and their loss by bin, even from 0 to `highest`."""
    place = np.minimum((loss * (BINS / highest)).astype(np.int64), BINS - 1) if highest > 0.0 else (
        np.zeros(loss.size, np.int64))
    return (np.bincount(place, minlength=BINS).astype(np.float64),
            np.bincount(place, loss, minlength=BINS).astype(np.float64))
