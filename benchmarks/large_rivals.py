"""Rivals of plans by windows on maps whose fires do not fit the memory side by side.

    python -m benchmarks.large_rivals plan LANDSCAPE --method downstream-value --out FOLDER
    python -m benchmarks.large_rivals test LANDSCAPE FOLDER... --out records.jsonl

`plan` makes the plan of a rival on the plan fires that `firebreak plan` shows the windows, with the
same options of the scene, and writes it as that command does:

- downstream-value and betweenness: the fires wait in the boxes that they burned, as those of a
  plan by windows do. In each round their trees are read there, the best cells are broken, and what
  that changes burns again. downstream-value has the plan of the method for the whole map.
- strips: as the method for the whole map, its patterns burned one after the other.
- rows: the best of the rows across the map that `firebreak plan` begins with, as they are.
- equal-shares: windows alone. Each spends its own share of the budget, and no line is judged. What
  a window without fires would spend is not spent.

`test` burns the test fires under each plan and compares the first one with the others, in pairs.
"""

import argparse
import json
import os
import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.agent.policy_file import load_policy
from firebreak.api.shared.scene_options import FireOptions, SceneOptions, WeatherOptions
from firebreak.fire import REACH, STENCIL, Fires, Scene, burn
from firebreak.fire.incremental.aside import AsideFire
from firebreak.fire.travel.stencil import FACET_CODE, IGNITION, SPOT
from firebreak.landscape.formats.read import read_landscape
from firebreak.native_library import set_threads
from firebreak.planning.core.kernels import path_counts
from firebreak.planning.core.plan import Plan, cost_of, cost_unit
from firebreak.planning.core.rounds import afford, default_batch, spaced_best, spendable
from firebreak.planning.output.export import read_plan, write_plan
from firebreak.planning.patterns import strips
from firebreak.planning.patterns.rows import main_winds, row_plans
from firebreak.planning.windows.cores import CORE_CELLS, MOST_FIRES, cores_of, margin_for, reach_of
from firebreak.planning.windows.make import FEWEST_FIRES, make_region
from firebreak.planning.windows.region import RegionWorker, fires_in, footprints_of
from firebreak.planning.windows.shards.shard import Shard
from firebreak.planning.windows.shards.shard_plan import PLACES, loss_bound, shards_of

Map = NDArray[np.float64]


class Tree(NamedTuple):
    """A fire in its box [h, w], flat: code u8, weight f32, how each cell was reached; value f64 and
    share i64, what a cell loses, as it is and in whole units; offset i64 [32], of the cell at each
    step.
    """

    code: NDArray[np.uint8]
    weight: NDArray[np.float32]
    value: Map
    share: NDArray[np.int64]
    offset: NDArray[np.int64]


class Scratch:
    """Room for trees of any size."""

    def __init__(self) -> None:
        self._size = 0

    def of(self, size: int) -> tuple[NDArray[np.int32], NDArray[np.uint8], Map]:
        """ints [2, size], seen [size], which is 0, and reals [2, size]."""
        if size > self._size:
            self._size = size
            self._ints, self._seen = np.zeros(2 * size, np.int32), np.zeros(size, np.uint8)
            self._reals = np.zeros(2 * size)
        return (self._ints[:2 * size].reshape(2, size), self._seen[:size],
                self._reals[:2 * size].reshape(2, size))


def _parents(tree: Tree) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The one or two cells that each cell was reached from, -1 for none."""
    code = tree.code.astype(np.int64)
    facet = np.clip(code - FACET_CODE, 0, len(STENCIL.facets) - 1)
    through, cell = (code >= FACET_CODE) & (code < SPOT), np.arange(code.size)
    step = np.where(through, STENCIL.facets[facet, 0], np.minimum(code, FACET_CODE - 1))
    first = np.where(code < SPOT, cell + tree.offset[step], -1)
    return first, np.where(through, cell + tree.offset[STENCIL.facets[facet, 1]], -1)


def downstream_value(tree: Tree, scratch: Scratch) -> NDArray[np.int64]:
    """Value burned below each cell, itself included, in whole units, by the rule of the engine:
    cells hand their sums up in waves, each once all its children have.
    """
    first, second = _parents(tree)
    total = np.where(tree.code < SPOT, tree.share, 0)
    total[tree.code == IGNITION] = tree.share[tree.code == IGNITION]
    parents = np.concatenate([first[first >= 0], second[second >= 0]])
    waiting = np.bincount(parents, minlength=total.size)
    wave = np.flatnonzero((first >= 0) & (waiting == 0))
    while wave.size:
        mine, one, other = total[wave], first[wave], second[wave]
        part = np.where(other >= 0, np.rint(tree.weight[wave].astype(np.float64) * mine), 0)
        np.add.at(total, one, mine - part.astype(np.int64))
        np.add.at(total, other[other >= 0], part[other >= 0].astype(np.int64))
        done = np.concatenate([one, other[other >= 0]])
        np.subtract.at(waiting, done, 1)
        reached = np.unique(done)
        wave = reached[(waiting[reached] == 0) & (first[reached] >= 0)]
    return total


def paths(tree: Tree, scratch: Scratch) -> Map:
    """Paths of fire through each cell, see `planning.ranking.TreeSums.paths`."""
    total = np.zeros(tree.code.size)
    path_counts(tree.code[None], np.ones(1), tree.value, tree.offset,
                *scratch.of(tree.code.size), total)
    return total


SCORES: dict[str, Callable[[Tree, Scratch], NDArray]] = {"downstream-value": downstream_value,
                                                         "betweenness": paths}


class Forest:
    """The trees of all plan fires under the breaks so far, on hard breaks in constant weather."""

    def __init__(self, scene: Scene, fires: Fires, places: int = PLACES) -> None:
        boxes = [one.box for one in footprints_of(scene, fires, ())]
        bound = loss_bound(scene, fires.source.size)
        self._scene, self._scratch = scene, Scratch()
        self._shards = [Shard(scene, plan, fires.part(plan.fires), bound) for plan in shards_of(
            boxes, fires.scenario, places=places)]

    def break_cells(self, cells: NDArray[np.int64]) -> None:
        """Breaks flat cells of the map, each as a line of its own, and burns what that changes."""
        for shard in self._shards:
            own = [line for line in (shard._own(cells[k:k + 1]) for k in range(cells.size))
                   if line.size]
            if own:
                shard._burning.break_lines(own)
                assert not shard._burning.beyond, "a fire came round to what its shard cuts off"

    def score(self, of: Callable[[Tree, Scratch], NDArray]) -> NDArray:
        """Score of all trees together, [H, W]."""
        rows, cols = self._scene.landscape.shape
        total: NDArray | None = None
        for shard in self._shards:
            burning, fires, window = shard._burning, shard._slots.fires, shard._window
            burning.put_all_aside()
            for aside in fires._aside.values():
                own = of(_tree_of(shard, aside), self._scratch)
                top, left, bottom, right = aside.box  # which counts the cells around the map
                if total is None:
                    total = np.zeros((rows + 2 * REACH, cols + 2 * REACH), own.dtype)
                total[window.row + top:window.row + bottom,
                      window.col + left:window.col + right] += own.reshape(aside.code.shape)
        assert total is not None
        return total[REACH:-REACH, REACH:-REACH]

    def share_unit(self) -> float:
        """Whole units of `Tree.share` in a loss of 1."""
        return self._shards[0]._slots.fires._share_unit(0)


def _tree_of(shard: Shard, aside: AsideFire) -> Tree:
    top, left, bottom, right = aside.box
    fires, slots = shard._slots.fires, shard._slots
    part = (slice(top, bottom), slice(left, right))
    share, value = (grid[0, 0].reshape(-1, fires.width)[part] for grid in (
        fires._value.share, slots.value))
    return Tree(aside.code.ravel(), aside.weight.ravel(), value.astype(np.float64).ravel(),
                share.astype(np.int64).ravel(),
                STENCIL.steps[:, 0] * (right - left) + STENCIL.steps[:, 1])


def ranked_cells(scene: Scene, fires: Fires, budget_share: float, method: str,
                 places: int = PLACES, said: Callable[[str], object] = lambda words: None,
                 ) -> NDArray[np.int64]:
    """The cells of a method that ranks, round by round, in order of placement."""
    land = scene.landscape
    budget = budget_share * cost_of(np.flatnonzero(land.treatable), land)
    batch, forest = default_batch(land, budget_share), Forest(scene, fires, places)
    mask = np.zeros(land.shape, np.bool_)
    cells, left = np.empty(0, np.int64), budget
    while True:
        free = land.treatable & ~mask & (land.cost <= spendable(left))
        if not free.any():
            return cells
        total = forest.score(SCORES[method])
        score = (total / forest.share_unit() / fires.source.size / land.cost
                 if method == "downstream-value" else total / land.cost)
        new = afford(np.array(spaced_best(score, free, batch), np.int64), land.cost, left)
        cells, left = np.concatenate([cells, new]), left - cost_of(new, land)
        mask.ravel()[new] = True
        forest.break_cells(new)
        said(f"{cells.size:,} cells, {budget - left:,.0f} of {budget:,.0f}")


def strip_cells(scene: Scene, fires: Fires, budget_share: float,
                said: Callable[[str], object] = lambda words: None) -> NDArray[np.int64]:
    """The cells of the pattern of strips under which the plan fires lose least."""
    land = scene.landscape
    budget = budget_share * cost_of(np.flatnonzero(land.treatable), land)
    loss = burn(scene, fires).loss
    towards = _heading(scene, int(np.bincount(fires.scenario, loss).argmax()))
    best, least = np.empty(0, np.int64), np.inf
    for length, cover in [(strips.STRIP_CELLS[0], 1.0), *(
            (length, cover) for length in strips.STRIP_CELLS for cover in strips.COVERS[:-1])]:
        cells = strips.most_strips(land, towards, length, cover, scene.conditions.leak, budget)
        lost = burn(scene, fires, _mask(cells, land.shape)).loss.sum()
        said(f"strips of {length:g} cells over {cover:.2f} of a row: {1 - lost / loss.sum():.3f}")
        if lost < least:
            best, least = cells, lost
    return best


def row_cells(scene: Scene, fires: Fires, budget_share: float,
              said: Callable[[str], object] = lambda words: None) -> NDArray[np.int64]:
    """The cells of the rows across the map under which the plan fires lose least, as they are."""
    land = scene.landscape
    budget = budget_share * cost_of(np.flatnonzero(land.treatable), land)
    loss = burn(scene, fires).loss
    winds = main_winds(scene, np.bincount(
        fires.scenario, loss, minlength=scene.streams.weight.size).tolist())
    best, least = np.empty(0, np.int64), np.inf
    for cells, across in row_plans(land, winds, budget, scene.conditions.leak):
        lost = burn(scene, fires, _mask(cells, land.shape)).loss.sum()
        said(f"{cells.size:,} cells across {len(across)}: {1 - lost / loss.sum():.3f}")
        if lost < least:
            best, least = cells, lost
    return best


def _heading(scene: Scene, row: int) -> tuple[float, float]:
    """Strips of `planning.patterns.strips`."""
    def parts(behavior: Any) -> dict[str, Map]:
        rate, heading = behavior.rate_of_spread_m_min[row], np.radians(behavior.heading_deg[row])
        return {"north": rate * np.cos(heading), "east": rate * np.sin(heading)}

    found = scene.mean_behavior(None, parts)
    north, east = float(found["north"].sum()), float(found["east"].sum())
    length = float(np.hypot(north, east))
    return -north / length, east / length


def equal_shares(scene: Scene, fires: Fires, budget_share: float, said: Callable[[str], object],
                 ) -> NDArray[np.int64]:
    """Plans of windows for their own share of the budget."""
    land = scene.landscape
    region = make_region(scene, budget_share, "dqn", seed=scene.seed, policy=load_policy(),
                         plan_fires=fires.source.size, over=1.0)
    worker = RegionWorker(region)
    boxes = [one.box for one in footprints_of(scene, fires.first(FEWEST_FIRES), ())]
    cores = cores_of(land.shape, CORE_CELLS, margin_for(reach_of(
        fires.source[:FEWEST_FIRES], boxes, land.shape[1]), CORE_CELLS))
    footprints = footprints_of(scene, fires, cores)
    cells = [np.empty(0, np.int64)]
    for core in cores:
        cells += worker.propose(core, fires_in(core, fires, footprints, MOST_FIRES,
                                               land.shape[1])).lines
        said(f"window {core.number + 1} of {len(cores)}")
    return np.concatenate(cells)


def _mask(cells: NDArray[np.int64], shape: tuple[int, int]) -> NDArray[np.bool_]:
    mask = np.zeros(shape, np.bool_)
    mask.ravel()[cells] = True
    return mask


WHOLE = {"strips": strip_cells, "rows": row_cells, "equal-shares": equal_shares}
METHODS = (*SCORES, *WHOLE)


def _scene(given: argparse.Namespace) -> Scene:
    set_threads(1)
    fire = (FireOptions(burned_share=given.burned_share) if given.duration_min is None else
            FireOptions(duration_min=given.duration_min))
    scene = SceneOptions(weather=WeatherOptions(scenarios=given.scenarios), fire=fire,
                         seed=given.seed).tiled_scene(read_landscape(given.landscape),
                                                     given.landscape)
    _said(f"fires last --duration-min {scene.median_duration_min!r} in the middle")
    return scene


def cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _said(words: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {cpu_s():.0f} s of processor: {words}", flush=True)


def plan(given: argparse.Namespace) -> None:
    scene = _scene(given)
    _said("map and fires")
    land, fires, began = scene.landscape, scene.fires("plan", given.plan_fires), cpu_s()
    if given.method in SCORES:
        cells = ranked_cells(scene, fires, given.budget, given.method, said=_said)
    else:
        cells = WHOLE[given.method](scene, fires, given.budget, _said)
    spent, budget = cpu_s() - began, given.budget * cost_of(np.flatnonzero(land.treatable), land)
    before, after = (float(burn(scene, fires, breaks).loss.sum())
                     for breaks in (None, _mask(cells, land.shape)))
    write_plan(Plan(
        method=given.method, cells=cells, shape=land.shape, cost=cost_of(cells, land),
        cost_unit=cost_unit(land), budget=budget, budget_share=given.budget, landscape=land.name,
        landscape_checksum=land.checksum(), plan_fires=given.plan_fires, seed=given.seed,
        seconds=spent, simulations=0.0, notes={
            "promised": 1.0 - after / before, "cpu_s": spent,
            "peak_gb": 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e9}),
        land, given.out)
    _said(f"{given.method}: {cells.size:,} cells, promises {1.0 - after / before:.3f}")


def test(given: argparse.Namespace) -> None:
    scene = _scene(given)
    fires = scene.fires("test", given.test_fires)
    before = burn(scene, fires).loss
    own: NDArray | None = None
    for folder in given.plans:
        made = read_plan(folder, scene.landscape)
        saved = before - burn(scene, fires, made.break_mask()).loss
        own = saved if own is None else own
        record = {"plan": folder.name, "method": made.method, "cells": int(made.cells.size),
                  "notes": made.notes, "test_fires": given.test_fires,
                  "saved": ratio(saved, before), "ours_ahead_by": ratio(own - saved, before)}
        with given.out.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
        _said(json.dumps(record))


def ratio(part: NDArray, whole: NDArray) -> tuple[float, float]:
    """A ratio of means and half of its 95 % interval, by the delta method."""
    share = float(part.sum() / whole.sum())
    half = 1.96 * float(np.std(part - share * whole, ddof=1)) / np.sqrt(part.size)
    return share, half / float(whole.mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    actions = parser.add_subparsers(required=True)
    one, other = actions.add_parser("plan"), actions.add_parser("test")
    one.add_argument("landscape")
    one.add_argument("--method", choices=METHODS, required=True)
    one.add_argument("--budget", type=float, default=0.01)
    one.add_argument("--plan-fires", type=int, default=2048)
    one.add_argument("--out", type=Path, required=True)
    one.set_defaults(run=plan)
    other.add_argument("landscape")
    other.add_argument("plans", type=Path, nargs="+", help="folders of plans, ours first")
    other.add_argument("--test-fires", type=int, default=2000)
    other.add_argument("--out", type=Path, default=Path("large_rivals.jsonl"))
    other.set_defaults(run=test)
    for action in (one, other):
        lasts = action.add_mutually_exclusive_group(required=True)
        lasts.add_argument("--burned-share", type=float,
                           help="of the burnable cells, by a fire on average")
        lasts.add_argument("--duration-min", type=float,
                           help="the median duration that follows from it, which is said: the same "
                                "fires, sooner")
        action.add_argument("--scenarios", type=int, default=8)
        action.add_argument("--seed", type=int, default=0)
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    given = parser.parse_args()
    given.run(given)


if __name__ == "__main__":
    main()
