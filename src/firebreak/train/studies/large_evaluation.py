"""Plans judged on any number of test fires by workers, in constant memory.

Fires burn in chunks. Each chunk is a keyed set of fires of its own, so it burns alike wherever and
whenever it is burned; sums over its fires come back and are added in the order of chunks, so the
figures have the same bits for any number of workers and stops. The sums so far are kept on disk: a
killed evaluation goes on where it was. The worst tenth comes from a histogram of losses with the
sum of each bin: what the quantile's own bin holds counts at its mean, an error of at most one bin's
width over the fires of that tenth.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, tee
from math import ceil
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from firebreak.checks import fail
from firebreak.env.storage.problem import nothing_burned
from firebreak.executors.base import Executor, map_chunks
from firebreak.fire import Scene, burn
from firebreak.planning.core.identity import hash_of, parts_of_scene, program
from firebreak.planning.evaluation.compared_plans import Planned
from firebreak.planning.evaluation.evaluate import (
    Bounds,
    Evaluation,
    concluded,
    over_groups,
    over_landscapes,
)
from firebreak.planning.evaluation.intervals import FEWEST_WEATHERS
from firebreak.planning.evaluation.judging import TEST_SET, Row, row_of
from firebreak.planning.evaluation.losses import mean_saving, relative_drop
from firebreak.train.storage.checkpoints import checkpoints_of, latest_checkpoint, save_checkpoint
from firebreak.train.storage.forms import check_form, restoring

KIND = "evaluation"
SECONDS_BETWEEN_SAVES = 10.0
BINS = 2048
RANDOM_GROUPS = 256
"""Groups that fires are dealt to in turn, for intervals that take the weather as given."""
_CELLS_PER_CHUNK = 3_000_000
_MIN_FIRES, _MAX_FIRES = 16, 8192  # fires of a chunk

Masks = list[list[NDArray[np.bool_]]]
"""Break masks [H, W] of each method's plans."""


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


def _fires_per_chunk(scene: Scene) -> int:
    """Number of fires of a chunk, enough to be worth sending; depends on the map's size alone."""
    return int(np.clip(_CELLS_PER_CHUNK // scene.landscape.burnable.size, _MIN_FIRES, _MAX_FIRES))


def chunk_counts(scene: Scene, test_fires: int) -> Iterator[int]:
    """Fires of each chunk of a scene, one by one: there may be more than memory has room for."""
    size = _fires_per_chunk(scene)
    return (min(size, test_fires - begin) for begin in range(0, test_fires, size))


def _no_fires(weathers: int, methods: int, plans: int) -> FireSums:
    """Sums over nothing."""
    return FireSums(np.zeros(1), np.zeros(methods + 1), np.zeros((weathers, methods + 1)),
                    np.zeros((RANDOM_GROUPS, methods + 1)), np.zeros(1), np.zeros((plans, 2)),
                    np.zeros((plans + 1, BINS)), np.zeros((plans + 1, BINS)))


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
    # By the chunk and the fire alone: no worker has to know how long the other chunks are.
    turn = (chunk * _MIN_FIRES + np.arange(count)) % RANDOM_GROUPS
    share = float(before.burn_probability[scene.landscape.burnable].mean())
    return FireSums(np.array([float(count)]), samples.sum(axis=0),
                    _grouped(samples, fires.scenario, scene.streams.weight.size),
                    _grouped(samples, turn, RANDOM_GROUPS), np.array([count * share]),
                    np.array(outside).reshape(-1, 2), *np.stack(bins, axis=1))


def _grouped(samples: NDArray[np.float64], group: NDArray[np.int64],
             groups: int) -> NDArray[np.float64]:
    """Sums of the rows of samples [F, K] over each group, [groups, K]."""
    sums = np.zeros((groups, samples.shape[1]))
    np.add.at(sums, group, samples)
    return sums


class ChunkBurner:
    """Scenes, and the break masks of every method on each, held by a worker."""

    def __init__(self, scenes: list[Scene], masks: list[Masks]) -> None:
        self.scenes, self.masks = scenes, masks

    def burn(self, scene: int, chunk: int, count: int) -> FireSums:
        """Sums over a chunk of a scene's fires."""
        return burn_chunk(self.scenes[scene], self.masks[scene], chunk, count)


def masks_of(planned: list[Planned]) -> list[Masks]:
    """Of each scene."""
    return [[[plan.break_mask() for plan in plans] for plans in own.plans.values()]
            for own in planned]


def evaluate_in_chunks(scenes: list[Scene], planned: list[Planned], executor: Executor, *,
                       plan_fires: int, test_fires: int, seed: int, folder: Path | None = None,
                       progress: Callable[[int], object] = lambda fires: None) -> Evaluation:
    """Judges plans on `test_fires` fires of each scene.

    Args:
        executor: of workers that hold a `ChunkBurner` of these scenes and plans.
        folder: keeps the sums so far, and goes on with those it holds.
        progress: called with the number of fires as they are added.

    Raises:
        InputError: the folder holds sums of another evaluation, or no fire burns anything of value.
    """
    sums = [_no_fires(scene.streams.weight.size, len(masks), sum(map(len, masks)))
            for scene, masks in zip(scenes, masks_of(planned), strict=True)]
    identity = _identity(scenes, planned, test_fires)
    done = 0
    if folder is not None:
        done, sums = _restored(folder, identity, sums)
    progress(sum(count for _, _, count in islice(_chunks(scenes, test_fires), done)))
    calls, known = tee(islice(_chunks(scenes, test_fires), done, None))
    saved = time.monotonic()
    try:
        for (_, found), (scene, _, count) in zip(
                map_chunks(executor, ChunkBurner.burn.__name__, calls), known, strict=True):
            sums[scene] = FireSums(*(a + b for a, b in zip(sums[scene], found, strict=True)))
            done += 1
            progress(count)
            if folder is not None and time.monotonic() - saved > SECONDS_BETWEEN_SAVES:
                _save(folder, identity, done, sums)
                saved = time.monotonic()
    finally:
        if folder is not None:
            _save(folder, identity, done, sums)
    return _concluded(scenes, planned, sums, plan_fires, test_fires, seed)


def check_kept(folder: Path) -> None:
    """Refuses a folder whose sums are damaged or of another kind, before plans are made.

    Raises:
        InputError: naming the folder.
    """
    if checkpoints_of(folder):
        latest_checkpoint(folder, KIND)


def _concluded(scenes: list[Scene], planned: list[Planned], sums: list[FireSums],
               plan_fires: int, test_fires: int, seed: int) -> Evaluation:
    rows = [_rows(scene, own, total, plan_fires)
            for scene, own, total in zip(scenes, planned, sums, strict=True)]
    bounds = (over_landscapes(rows, seed) if len(scenes) > 1
              else _bounds(sums[0], list(rows[0])))
    return concluded(rows, bounds, test_fires)


def _rows(scene: Scene, planned: Planned, sums: FireSums, plan_fires: int) -> dict[str, Row]:
    """Rows by method.

    Raises:
        InputError: no fire burned anything of value.
    """
    fires, whole = float(sums.fires[0]), float(sums.total[0])
    if not whole > 0.0:
        raise nothing_burned(scene)
    rows, plan = {}, 0
    for place, (name, own) in enumerate(planned.plans.items(), start=1):
        drops = [relative_drop(*pair) for pair in sums.outside[plan:plan + len(own)].tolist()]
        worst, *left = (worst_tenth(sums.binned[k], sums.binned_loss[k])
                        for k in (0, *range(plan + 1, plan + 1 + len(own))))
        promised = None if name in planned.given else float(np.mean(mean_saving(
            scene, scene.fires("plan", plan_fires), [one.break_mask() for one in own])))
        rows[name] = row_of(
            scene, name, own, whole / fires, float(sums.burned[0]) / fires,
            float(sums.total[place]) / whole, float(np.mean(drops)),
            float(np.mean([relative_drop(worst, one) for one in left])), promised)
        plan += len(own)
    return rows


def _bounds(sums: FireSums, names: Sequence[str]) -> Bounds:
    """95 % bounds over the weathers of one scene, or over its fires where these are few."""
    weathers = int(np.count_nonzero(sums.by_weather[:, 0]))
    few = weathers < FEWEST_WEATHERS
    before, *saved = (sums.by_group if few else sums.by_weather).T
    return over_groups(dict(zip(names, saved, strict=True)), before, 0 if few else weathers)


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


def _chunks(scenes: list[Scene], test_fires: int) -> Iterator[tuple[int, int, int]]:
    """Scene, number and fires of each chunk, in the order in which they are added."""
    for place, scene in enumerate(scenes):
        for chunk, count in enumerate(chunk_counts(scene, test_fires)):
            yield place, chunk, count


def _identity(scenes: list[Scene], planned: list[Planned], test_fires: int) -> str:
    """A hash of what sums belong to: the program, scenes, plans, number of fires."""
    return hash_of(_parts(scenes, planned, test_fires))


def _parts(scenes: list[Scene], planned: list[Planned],
           test_fires: int) -> Iterator[str | bytes]:
    yield program()
    yield repr(test_fires)
    for scene, own in zip(scenes, planned, strict=True):
        yield from parts_of_scene(scene)
        for name, plans in own.plans.items():
            yield repr((name, len(plans)))
            for plan in plans:
                yield np.sort(plan.cells).tobytes()


def _save(folder: Path, identity: str, done: int, sums: list[FireSums]) -> None:
    save_checkpoint(folder, KIND, {
        "identity": identity, "chunks": done,
        "sums": [{name: torch.from_numpy(array) for name, array in one._asdict().items()}
                 for one in sums]})


def _restored(folder: Path, identity: str,
              empty: list[FireSums]) -> tuple[int, list[FireSums]]:
    if not checkpoints_of(folder):
        return 0, empty
    state: dict[str, Any] = latest_checkpoint(folder, KIND).load()
    if state["identity"] != identity:
        raise fail(expected="sums of this evaluation", given="sums of other plans, landscapes, "
                   "fires or of another program", where=str(folder),
                   remedy="choose another --out (plans of a search, which the clock ends, do not "
                          "repeat)")
    with restoring(folder):
        check_form(state["chunks"], 0, "chunks")
        sums = [FireSums(**{name: tensor.numpy() for name, tensor in one.items()})
                for one in state["sums"]]
        for one, own in zip(sums, empty, strict=True):
            if any((a.dtype, a.shape) != (b.dtype, b.shape) for a, b in zip(one, own, strict=True)):
                raise ValueError("sums of other shapes")
    return state["chunks"], sums
