"""Corridors beside free cells on the jobs, their areas widened: what plans of equal money save.

    python -m benchmarks.jobs.corridors [--jobs NAME ...] [--data DIR] [--out DIR] [--docs DIR]

Each area grows about its middle to 4 km along a side, where the map allows. `auto` plans
of the corridors that `firebreak plan` offers; plans of cells may spend what its plan costs. Each
job has a record of its own, which is kept.
"""

import argparse
import json
import os
from collections.abc import Sequence
from dataclasses import replace
from math import ceil
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from benchmarks.jobs.inputs import OUT, ROOT, config_of, make_inputs
from benchmarks.jobs.load import Job, load_config, load_job, names_of
from benchmarks.jobs.page import PAGE
from benchmarks.validation.page import replaced
from numpy.typing import NDArray

from firebreak.agent.policy_file import load_policy
from firebreak.api.plans.corridors import house_buffer_of, with_corridors
from firebreak.api.shared.executor_options import use_threads
from firebreak.api.shared.policies import shipped_for
from firebreak.files import made_folder, write_text
from firebreak.fire import Scene, burn, burn_plans, held_by
from firebreak.landscape.candidates.corridor import Corridor
from firebreak.landscape.candidates.corridors.ground import ground_of
from firebreak.planning.core.corridors import parts_of
from firebreak.planning.core.plan import Plan, cost_of
from firebreak.planning.evaluation.auto import plan_by_choice
from firebreak.planning.evaluation.intervals import fire_groups
from firebreak.planning.making import make_plan
from firebreak.planning.output.buildable import counts_of

SIDE_M, PLAN_FIRES, TEST_FIRES = 4000.0, 96, 400
ROWS = "results/jobs-corridors.json"
CORRIDORS = "corridors"
CELLS = ("dqn", "downstream-value", "segments", "enclose")
SLOWER = ("segments", "enclose")
"""Left out where crews hold breaks: there its trials burn every fire anew, for many minutes."""


def wider(area: str, shape: tuple[int, int], cell_m: float) -> str:
    """An area R0:R1,C0:C1 that is SIDE_M along each side, or as much as the map has."""
    parts = []
    for part, most in zip(area.split(","), shape, strict=True):
        first, end = map(int, part.split(":"))
        side = min(max(ceil(SIDE_M / cell_m), end - first), most)
        first = min(max((first + end - side) // 2, 0), most - side)
        parts.append(f"{first}:{first + side}")
    return ",".join(parts)


def widened(name: str, out: Path) -> Job:
    """A job with its area widened."""
    own = load_job(name, out)
    area = own.args.place.area
    assert isinstance(area, str)
    return load_config(name, config_of(name), out,
                       area=wider(area, own.place.full.shape, own.place.full.cell_size_m))


def plans_of(job: Job) -> tuple[dict[str, Plan], list[Corridor]]:
    """The plan of corridors and plans of cells that may spend as much, and the parts of the first.
    """
    everywhere = job.place.anywhere
    whole = cost_of(np.flatnonzero(everywhere.treatable), everywhere)
    area = with_corridors(job.args, job.place._replace(money=job.place.share * whole),
                          job.scene, PLAN_FIRES)
    assert area is not None, job.name
    own = replace(job.scene, landscape=area.land)
    policy = load_policy(shipped_for(job.args.scene))
    found = {CORRIDORS: plan_by_choice(own, area.share, PLAN_FIRES, seed=0, policy=policy,
                                       rules=area.rules).plan}
    money = found[CORRIDORS].cost
    rules = replace(job.place.rules, budget=money)
    for method in CELLS:
        if job.scene.conditions.hold is None or method not in SLOWER:
            found[f"cells, {method}"] = make_plan(job.scene, money / whole, PLAN_FIRES, method,
                                                  seed=0, policy=policy, rules=rules)
    return found, parts_of(found[CORRIDORS], area.land, lines=area.rules.lines)


def measured(job: Job) -> dict[str, Any]:
    """The record of a job: by plan what it saves, and what corridors save of what cells do."""
    began, scene = process_time(), job.scene
    (plans, parts), fires = plans_of(job), scene.fires("test", TEST_FIRES)
    before, *after = burn_plans(scene, fires, [None, *(
        plan.break_mask() for plan in plans.values())])
    saved = {name: before - loss for name, loss in zip(plans, after, strict=True)}
    groups = fire_groups(fires.scenario, before, fires.times)
    buffer_m = house_buffer_of(job.args.place)
    ground, rows = ground_of(scene.landscape, buffer_m), {}
    for name, plan in plans.items():
        counts = counts_of(plan.cells, scene.landscape, ground, buffer_m,
                           parts if name == CORRIDORS else ())
        free = without_limit(scene, plan, before)
        rows[name] = {
            "method": plan.method, "cost": plan.cost, "cells": int(plan.cells.size),
            "pieces": counts.pieces, "single": counts.single, "seconds": plan.seconds,
            "saves": groups.saving(saved[name], before),
            "unlimited": groups.saving(free, before) if free.size else None,
            "ratio": None if name == CORRIDORS else groups.saving(
                saved[CORRIDORS], saved[name], before, None)}
    return {"job": job.name, "area": job.args.place.area, "cell_m": scene.landscape.cell_size_m,
            "rows": rows, "seconds": process_time() - began}


def without_limit(scene: Scene, plan: Plan, before: NDArray[np.float64]) -> NDArray[np.float64]:
    """Savings of each test fire under a plan with crews without limit; empty where nobody
    holds breaks.
    """
    hold = scene.conditions.hold
    if hold is None:
        return np.empty(0)
    held = held_by(scene, replace(hold, crew_km=None))
    saved: NDArray[np.float64] = before - burn(
        held, held.fires("test", before.size), plan.break_mask()).loss
    return saved


def table(records: Sequence[dict[str, Any]]) -> str:
    """A row for each plan of each job."""
    lines = ["| job | area, km | plan | cost | pieces, single cells | saves (95 %) | crews without "
             "limit | corridors save of that (95 %) |", "|---|---|---|---:|---:|---:|---:|---:|"]
    for own in records:
        for name, row in own["rows"].items():
            lines.append("| " + " | ".join([
                own["job"], _km(own["area"], own["cell_m"]), name, f"{row['cost']:,.0f}",
                f"{row['pieces']}, {row['single']}", _share(row["saves"]),
                _share(row["unlimited"]), _share(row["ratio"])]) + " |")
    return "\n".join(lines)


def with_table(page: str, records: Sequence[dict[str, Any]]) -> str:
    """The page with the table of these records between its markers."""
    return replaced(page, "corridors", table(records))


def _km(area: str, cell_m: float) -> str:
    ends = [[int(end) for end in part.split(":")] for part in area.split(",")]
    return " x ".join(f"{(end - first) * cell_m / 1000.0:.1f}" for first, end in ends)


def _share(interval: Sequence[float] | None) -> str:
    if interval is None:
        return ""
    return f"{interval[0]:.3f} ({interval[1]:.3f} to {interval[2]:.3f})"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures the jobs that have no record, and prints the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.jobs.corridors",
                                     description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--jobs", nargs="+", default=[], metavar="NAME",
                        help="jobs of configs/jobs; all if not given")
    parser.add_argument("--data", type=Path, default=Path(os.environ.get(
        "FIREBREAK_DATA", ROOT.parent / "shared" / "landscapes")),
        help="folder of the maps (FIREBREAK_DATA)")
    parser.add_argument("--out", type=Path, default=OUT, help="folder of inputs and records")
    parser.add_argument("--docs", type=Path, help="folder of the documentation, to write its page")
    given = parser.parse_args(arguments)
    use_threads(1, torch_threads=1)
    records = []
    for name in names_of(given.jobs):
        path = made_folder(given.out / "corridors") / f"{name}.json"
        if not path.exists():
            make_inputs(name, given.data, given.out)
            write_text(path, json.dumps(measured(widened(name, given.out))) + "\n")
        records.append(json.loads(path.read_text(encoding="utf-8")))
    print(table(records))
    if given.docs is not None:
        page = (given.docs / PAGE).read_text(encoding="utf-8")
        write_text(given.docs / ROWS, json.dumps(records, indent=1) + "\n")
        write_text(given.docs / PAGE, with_table(page, records))


if __name__ == "__main__":
    main()
