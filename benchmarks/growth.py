"""Plans by windows by size of the map: processor seconds, memory, savings promised and kept.

    python -m benchmarks.growth measure LANDSCAPE --side 256 --out records.jsonl
    python -m benchmarks.growth table records.jsonl

A side longer than the landscape's is tiled by mirror images of it. Each measurement is a process of
its own, so that its peak memory is its own. Every fire lasts alike on every map: the median
duration is the one at which fires burn --fire-cells cells on average on the largest square of the
landscape itself. Rivals see the same plan fires, on the whole map.
"""

import argparse
import itertools
import json
import os
import resource
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any

import numpy as np

from firebreak.agent.policy_file import load_policy
from firebreak.api.shared.scene_checks import (
    BYTES_PER_CELL,
    BYTES_PER_CELL_STEP,
    BYTES_PER_CELL_THREAD,
)
from firebreak.executors.choice import open_executor
from firebreak.fire import FireConditions, FireRegime, Fires, Scene, burn, make_scene
from firebreak.landscape.formats.read import read_landscape
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.terrain import slope_aspect
from firebreak.native_library import set_threads
from firebreak.planning.core.plan import Plan, cost_of, cost_unit
from firebreak.planning.core.rounds import afford, default_batch, spaced_best, spendable
from firebreak.planning.methods import method_of
from firebreak.planning.windows.make import (
    WindowSettings,
    make_region,
    plan_by_windows,
    plan_fires_for,
    region_recipe,
)
from firebreak.planning.windows.region import RegionWorker


def square(landscape: Landscape, side: int) -> Landscape:
    """A square of so many cells: the north-west corner, or the map and its mirror images."""
    rows, cols = landscape.shape
    if side <= min(rows, cols):
        return landscape.crop(0, 0, side, side)

    def tiled(grid: np.ndarray) -> np.ndarray:
        return np.pad(grid, ((0, max(side - rows, 0)), (0, max(side - cols, 0))),
                      mode="symmetric")[:side, :side]

    tiles = landscape.map_grids(tiled, name=f"{landscape.name} mosaic {side}", crs=None)
    slope, aspect = slope_aspect(tiles.elevation_m, tiles.cell_size_m, tiles.fuel_model != -9999)
    return tiles.map_grids(lambda grid: grid, slope_tan=slope, aspect_deg=aspect)


def cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def peak_gb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def measured(work: Callable[[], Any]) -> tuple[Any, dict[str, float]]:
    began, cpu = time.perf_counter(), cpu_s()
    made = work()
    return made, {"wall_s": time.perf_counter() - began, "cpu_s": cpu_s() - cpu,
                  "peak_gb": peak_gb()}


def median_min(landscape: Landscape, conditions: FireConditions, fire_cells: float,
               seed: int) -> float:
    """The median duration at which fires burn so many cells on the map itself."""
    own = square(landscape, min(landscape.shape))
    share = fire_cells / float(own.burnable.sum())
    regime = replace(conditions.regime, burned_share=share)
    return make_scene(own, replace(conditions, regime=regime), seed, tiled=True).median_duration_min


def kept(scene: Scene, fires: Fires, plan: Plan) -> dict[str, float]:
    before = burn(scene, fires).loss
    saved = before - burn(scene, fires, plan.break_mask()).loss
    share = float(saved.sum() / before.sum())
    half = 1.96 * float(np.std(saved - share * before, ddof=1)) / np.sqrt(before.size)
    return {"kept": share, "half": half / float(before.mean())}


def timed_calls() -> dict[str, float]:
    """Processor seconds of each kind of call to the workers of this process, from now on."""
    spent = dict.fromkeys(("footprints", "propose", "lost", "rate"), 0.0)
    for name in spent:
        original = getattr(RegionWorker, name)

        @wraps(original)
        def call(self: RegionWorker, *arguments: Any, name: str = name,
                 original: Callable[..., Any] = original) -> Any:
            began = cpu_s()
            try:
                return original(self, *arguments)
            finally:
                spent[name] += cpu_s() - began

        setattr(RegionWorker, name, call)
    return spent


def by_windows(scene: Scene, given: argparse.Namespace) -> tuple[Plan, dict[str, float]]:
    policy = load_policy() if method_of(given.method).guided else None
    region = make_region(scene, given.budget, given.method, seed=given.seed, policy=policy,
                         plan_fires=given.plan_fires)
    settings, parts, before = WindowSettings(margin=given.margin), timed_calls(), peak_gb()
    with closing(open_executor("in-process", region_recipe(region), 1)) as executor:
        made, spent = measured(lambda: plan_by_windows(region, given.budget, executor, settings))
    return made.plan, {**spent, "promised": made.promised, "plan_fires": made.plan.plan_fires,
                       "windows": made.windows, "lines": made.lines, "taken": made.taken,
                       "shards": made.shards, "rated": made.rated, "risen": made.risen,
                       "beyond": made.beyond, "margin": made.margin,
                       "told_gb": before + made.needed_bytes / 1e9,
                       **{f"{name}_cpu_s": part for name, part in parts.items()}}


def downstream_value(scene: Scene, given: argparse.Namespace,
                     plan_fires: int) -> tuple[Plan, dict[str, float]]:
    """The plan of downstream-value for the whole map: its rounds, with all plan fires burned anew
    in each, which takes no memory for fires.
    """
    land, fires = scene.landscape, scene.fires("plan", plan_fires)
    budget = given.budget * cost_of(np.flatnonzero(land.treatable), land)

    def work() -> Plan:
        mask = np.zeros(land.shape, np.bool_)
        cells: list[int] = []
        batch = default_batch(land, given.budget)
        while True:
            left = spendable(budget - cost_of(np.array(cells, np.int64), land))
            free = land.treatable & ~mask & (land.cost <= left)
            if not free.any():
                break
            score = burn(scene, fires, mask, want="statistics").downstream_value / land.cost
            new = np.array(spaced_best(score, free, batch), np.int64)
            new = afford(new, land.cost, left)
            cells += new.tolist()
            mask.ravel()[new] = True
        own = np.array(cells, np.int64)
        return Plan(method="downstream-value", cells=own, shape=land.shape,
                    cost=cost_of(own, land), cost_unit=cost_unit(land), budget=budget,
                    budget_share=given.budget, landscape=land.name,
                    landscape_checksum=land.checksum(), plan_fires=plan_fires, seed=given.seed,
                    seconds=0.0, simulations=0.0)

    plan, spent = measured(work)
    before, after = (burn(scene, fires, one).loss.sum()
                     for one in (None, plan.break_mask()))
    return plan, {**spent, "plan_fires": plan_fires, "promised": float(1.0 - after / before)}


def simulated(scene: Scene, given: argparse.Namespace) -> dict[str, float | str]:
    """Fires burned and summed up, as `firebreak simulate` does, without its files."""
    before, cells = peak_gb(), scene.landscape.fuel_model.size
    found, spent = measured(lambda: burn(
        scene, scene.fires("simulate", given.simulate), want="statistics"))
    return {"method": f"simulate, {given.simulate:,} fires", **spent,
            "mean_loss": float(found.loss.mean()),
            "told_gb": before + cells * (BYTES_PER_CELL + BYTES_PER_CELL_STEP
                                         + BYTES_PER_CELL_THREAD * given.threads) / 1e9}


def measure(given: argparse.Namespace) -> None:
    set_threads(given.threads)
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    whole = read_landscape(given.landscape)
    conditions = FireConditions(scenarios=given.scenarios)
    land = square(whole, given.side) if given.side else whole
    regime = (FireRegime(burned_share=given.burned_share) if given.burned_share else FireRegime(
        duration_min=median_min(whole, conditions, given.fire_cells, given.seed)))
    scene, made_scene = measured(lambda: make_scene(land, replace(
        conditions, regime=regime), given.seed, tiled=True))
    fires = scene.fires("test", given.test_fires)
    record: dict[str, Any] = {
        "landscape": Path(given.landscape).name, "rows": land.shape[0], "cols": land.shape[1],
        "budget": given.budget, "fire_cells": (
            given.fire_cells if not given.burned_share
            else given.burned_share * float(land.burnable.sum())), "test_fires": given.test_fires,
        "threads": given.threads, "load": os.getloadavg()[0], "scene_cpu_s": made_scene["cpu_s"]}
    if given.simulate:
        written(record | simulated(scene, given), given.out)
        return
    if given.downstream_value:
        plan, spent = downstream_value(scene, given, given.plan_fires or plan_fires_for(
            round(given.budget * int(land.treatable.sum()))))
        record |= {"method": "downstream-value, whole map", **spent}
    else:
        plan, spent = by_windows(scene, given)
        record |= {"method": f"windows, {given.method}", **spent}
    judged, test = measured(lambda: kept(scene, fires, plan))
    record |= {**judged, "test_cpu_s": test["cpu_s"], "cells": int(plan.cells.size)}
    written(record, given.out)


def written(record: dict[str, Any], out: Path) -> None:
    with out.open("a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")
    print(json.dumps(record))


def table(given: argparse.Namespace) -> None:
    print(table_of([json.loads(line) for line in given.records.read_text().splitlines()]))


def table_of(records: list[dict[str, Any]]) -> str:
    """The table, and the exponent of processor seconds in cells between the plans by windows of
    each landscape.
    """
    lines = ["| land | cells | what | plan fires | CPU s | peak GB (estimate) | promised | kept |",
             "|---|---|---|---|---|---|---|---|"]
    order = sorted(records, key=lambda one: (one["rows"] * one["cols"],
                                             not one["method"].startswith("windows")))
    lines += [_row(one) for one in order]
    own = [one for one in order if one["method"].startswith("windows")]
    for first, last in itertools.pairwise(own):
        cells = last["rows"] * last["cols"] / (first["rows"] * first["cols"])
        if cells > 1.0:
            lines.append("")
            power = float(np.log(last["cpu_s"] / first["cpu_s"]) / np.log(cells))
            lines.append(f"From {first['rows']:,} to {last['rows']:,} rows CPU seconds grow as "
                         f"cells^{power:.2f}.")
    return "\n".join(lines)


def _row(one: dict[str, Any]) -> str:
    told = f" ({one['told_gb']:.1f})" if "told_gb" in one else ""
    promised = f"{one['promised']:.3f}" if "promised" in one else ""
    saved = f"{one['kept']:.3f} +- {one['half']:.3f}" if "kept" in one else ""
    fires = f"{one['plan_fires']:,}" if "plan_fires" in one else ""
    return (f"| {one['landscape']} | {one['rows']:,} x {one['cols']:,} | {one['method']} | {fires} "
            f"| {one['cpu_s']:.0f} | {one['peak_gb']:.1f}{told} | {promised} | {saved} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    actions = parser.add_subparsers(required=True)
    one = actions.add_parser("measure")
    one.add_argument("landscape")
    one.add_argument("--side", type=int, help="cells along a side; the whole map if not given")
    one.add_argument("--budget", type=float, default=0.05)
    one.add_argument("--fire-cells", type=float, default=1000.0)
    one.add_argument("--burned-share", type=float, help="of the square itself, instead")
    one.add_argument("--scenarios", type=int, default=8)
    one.add_argument("--method", default="dqn", help="of the windows")
    one.add_argument("--margin", type=int)
    one.add_argument("--downstream-value", action="store_true",
                     help="plan the whole map by downstream-value instead, on as many plan fires")
    one.add_argument("--simulate", type=int, metavar="FIRES",
                     help="burn so many fires instead of planning")
    one.add_argument("--plan-fires", type=int, help="as many as the budget needs if not given")
    one.add_argument("--test-fires", type=int, default=2000)
    one.add_argument("--threads", type=int, default=1)
    one.add_argument("--seed", type=int, default=0)
    one.add_argument("--out", type=Path, default=Path("growth.jsonl"))
    one.set_defaults(run=measure)
    other = actions.add_parser("table")
    other.add_argument("records", type=Path)
    other.set_defaults(run=table)
    given = parser.parse_args()
    given.run(given)


if __name__ == "__main__":
    main()
