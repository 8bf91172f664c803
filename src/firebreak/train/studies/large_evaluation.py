"""Plans judged on any number of test fires by workers: sums come back, the driver stays small.

The sums so far are kept on disk, so a killed evaluation goes on where it was; chunks are added in
their order, so the figures are the same for any number of workers and stops.
"""

import time
from collections.abc import Callable, Iterator
from itertools import islice, tee
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from firebreak.checks import fail
from firebreak.env.storage.problem import nothing_burned
from firebreak.executors.base import Executor, map_chunks
from firebreak.fire import Scene
from firebreak.planning.core.identity import hash_of, parts_of_scene, program
from firebreak.planning.core.plan import Plan
from firebreak.planning.evaluation.evaluate import (
    Evaluation,
    Planned,
    concluded,
    over_landscapes,
)
from firebreak.planning.evaluation.losses import mean_saving
from firebreak.planning.evaluation.streaming import (
    FireSums,
    added,
    bounds_from,
    burn_chunk,
    chunk_counts,
    no_fires,
    rows_from,
)
from firebreak.train.storage.checkpoints import checkpoints_of, latest_checkpoint, save_checkpoint
from firebreak.train.storage.forms import check_form, restoring

KIND = "evaluation"
SECONDS_BETWEEN_SAVES = 10.0

Masks = list[list[NDArray[np.bool_]]]
"""Break masks [H, W] of each method's plans."""


class Judge:
    """What a worker holds: scenes, and the break masks of every method on each."""

    def __init__(self, scenes: list[Scene], masks: list[Masks]) -> None:
        self.scenes, self.masks = scenes, masks

    def burn(self, scene: int, chunk: int, count: int) -> FireSums:
        """Sums over a chunk of a scene's fires."""
        return burn_chunk(self.scenes[scene], self.masks[scene], chunk, count)


def masks_of(planned: list[Planned]) -> list[Masks]:
    """Of each scene."""
    return [[[plan.break_mask() for plan in plans] for plans in _by_name(own).values()]
            for own in planned]


def evaluate_in_chunks(scenes: list[Scene], planned: list[Planned], executor: Executor, *,
                       plan_fires: int, test_fires: int, seed: int, folder: Path | None = None,
                       progress: Callable[[int], object] = lambda fires: None) -> Evaluation:
    """Judges plans on `test_fires` fires of each scene.

    Args:
        executor: of workers that hold a `Judge` of these scenes and plans.
        folder: keeps the sums so far, and goes on with those it holds.
        progress: called with the number of fires as they are added.

    Raises:
        InputError: the folder holds sums of another evaluation, or no fire burns anything of value.
    """
    sums = [no_fires(scene.streams.weight.size, len(masks), sum(map(len, masks)))
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
                map_chunks(executor, Judge.burn.__name__, calls), known, strict=True):
            sums[scene] = added(sums[scene], found)
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


def _chunks(scenes: list[Scene], test_fires: int) -> Iterator[tuple[int, int, int]]:
    """Scene, number and fires of each chunk, in the order in which they are added."""
    for place, scene in enumerate(scenes):
        for chunk, count in enumerate(chunk_counts(scene, test_fires)):
            yield place, chunk, count


def _concluded(scenes: list[Scene], planned: list[Planned], sums: list[FireSums],
               plan_fires: int, test_fires: int, seed: int) -> Evaluation:
    rows = []
    for scene, own, total in zip(scenes, planned, sums, strict=True):
        if not total.total[0] > 0.0:
            raise nothing_burned(scene)
        plans = _by_name(own)
        promised = {name: None if name in own.given else float(np.mean(mean_saving(
            scene, scene.fires("plan", plan_fires), [plan.break_mask() for plan in mine])))
            for name, mine in plans.items()}
        rows.append(rows_from(scene, total, plans, plan_fires, promised))
    bounds = (over_landscapes(rows, seed) if len(scenes) > 1
              else bounds_from(sums[0], list(rows[0])))
    return concluded(rows, bounds, test_fires)


def _by_name(own: Planned) -> dict[str, list[Plan]]:
    return own.made | {name: [plan] for name, plan in own.given.items()}


def _identity(scenes: list[Scene], planned: list[Planned], test_fires: int) -> str:
    """What sums belong to: the program, scenes, plans, number of fires."""
    return hash_of(_parts(scenes, planned, test_fires))


def _parts(scenes: list[Scene], planned: list[Planned],
           test_fires: int) -> Iterator[str | bytes]:
    yield program()
    yield repr(test_fires)
    for scene, own in zip(scenes, planned, strict=True):
        yield from parts_of_scene(scene)
        for name, plans in _by_name(own).items():
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
