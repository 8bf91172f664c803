"""Plans the eight maps with what a planner brings: houses, lines, treatments, years.

    python -m benchmarks.jobs.brought [--jobs NAME ...] [--data DIR] [--out DIR] [--docs DIR]

Makes the inputs of each job (`configs/jobs/brought`), plans it by `auto`, holds the schedules of
ten years against building once, and where there are lines the plan that may use nothing else and
the one that may use them too against the plan that is free to go anywhere; all on the same test
fires, with paired intervals. Each job has a record of its own, written when it is done: a run that
was stopped goes on. With --docs it writes docs/results-jobs.md.
"""

import argparse
import json
import os
from collections.abc import Sequence
from pathlib import Path
from time import process_time
from typing import Any

from benchmarks.jobs.brought_inputs import BROUGHT, COUNTIES, brought_config, make_brought
from benchmarks.jobs.brought_page import write_brought_page
from benchmarks.jobs.inputs import OUT, ROOT
from benchmarks.jobs.load import Job, load_config
from benchmarks.jobs.measure import key_from
from benchmarks.jobs.verdict import paired_p, share_interval

from firebreak.agent.policy_file import Policy, load_policy
from firebreak.api.shared.budget import money_by_year
from firebreak.api.shared.executor_options import use_threads
from firebreak.api.shared.map_defaults import rows_named
from firebreak.api.shared.policies import shipped_for
from firebreak.checks import InputError, unknown_name
from firebreak.files import made_folder, write_text
from firebreak.landscape.value_unit import value_unit
from firebreak.planning.core.break_segments import break_segments_of
from firebreak.planning.core.plan import Plan
from firebreak.planning.evaluation.auto import plan_by_choice
from firebreak.planning.evaluation.build_order import in_build_order
from firebreak.planning.evaluation.judging import judge_scene
from firebreak.planning.output.tables import spent
from firebreak.planning.years.savings import years_of_plan

RECORDS = "records-brought"
FREE, MIXED, ONLY = "free", "lines and own", "only lines"
PLACES: dict[str, dict[str, Any]] = {
    FREE: {"lines": None, "only_lines": False}, MIXED: {"only_lines": False},
    ONLY: {"only_lines": True}}
"""Options of the place, by how a plan may use lines."""

Record = dict[str, Any]


def key_of(name: str, job: Job) -> str:
    """Return the key of the inputs that a record must have been made from."""
    return key_from(brought_config(name), job)


def measure(name: str, out: Path) -> Record:
    """A job: its plan, its schedules, and how it may use lines."""
    job = load_config(name, brought_config(name), out)
    policy = load_policy(shipped_for(job.args.scene))
    begin = process_time()
    plan = _plan(job, policy)
    took = process_time() - begin
    return {"job": name, "key": key_of(name, job), "seconds": took, "by": plan.method,
            "cells": int(plan.cells.size), "cost": plan.cost, "cost_unit": plan.cost_unit,
            "treatment": job.args.scene.breaks.treatment,
            "loss_unit": value_unit(job.scene.landscape).name, **_years(job, plan),
            "lines": _lines(name, job, plan, out, policy)}


def _plan(job: Job, policy: Policy) -> Plan:
    place, args = job.place, job.args
    return plan_by_choice(job.scene, place.share, job.plan_fires, seed=args.scene.seed,
                          policy=policy, rules=place.rules,
                          segment_m=args.place.segment_m).plan


def _years(job: Job, plan: Plan) -> Record:
    args, scene = job.args, job.scene
    assert args.place.horizon is not None
    segments = break_segments_of(plan.break_mask(), scene.landscape, args.place.segment_m)
    order = in_build_order(scene, segments, job.plan_fires)
    years, money = money_by_year(job.place.phases, job.place.money, args.place.horizon)
    found = years_of_plan(scene, order, rows_named(args.scene.breaks), years, money,
                          args.test_fires, discount_rate=args.place.discount_rate)
    return {"segments": len(order), "years": len(years), "discount_rate": found.discount_rate,
            "chosen": found.chosen, "schedules": {
                schedule: {"reduction": one.reduction, "low": one.low, "high": one.high,
                           "more": one.more, "more_low": one.more_low, "more_high": one.more_high,
                           "spent": spent(found.schedules[schedule]),
                           "by_year": one.by_year.tolist()}
                for schedule, one in found.saved.items()}}


def _lines(name: str, job: Job, plan: Plan, out: Path, policy: Policy) -> Record:
    """Savings of plans that may use lines beside the free one; nothing where there are no lines."""
    args = job.args
    if args.place.lines is None:
        return {}
    own = ONLY if args.place.only_lines else MIXED
    jobs = {way: load_config(name, brought_config(name), out, **options)
            for way, options in PLACES.items()}
    plans = {way: plan if way == own else _plan(one, policy) for way, one in jobs.items()}
    scene = jobs[FREE].scene  # the others differ in what may be treated alone
    result = judge_scene(scene, {way: [one] for way, one in plans.items()}, plan.plan_fires,
                         args.test_fires)
    untreated, free = result.untreated, result.saved[FREE]
    lines = jobs[ONLY].place.rules.lines
    assert lines is not None
    return {"pieces": len(lines.corridors), "ways": {
        way: {"by": plans[way].method, "cost": plans[way].cost,
              "reduction": float(saved.mean() / untreated.mean()),
              "interval": share_interval(saved, untreated),
              "more": float((saved - free).mean() / untreated.mean()),
              "more_interval": share_interval(saved - free, untreated),
              "p": paired_p(saved - free)} for way, saved in result.saved.items()}}


def read_record(path: Path) -> Record | None:
    """A record; None where there is none."""
    try:
        record: Record = json.loads(path.read_text(encoding="utf-8"))
        return record
    except (OSError, ValueError):
        return None


def record_of(name: str, out: Path) -> Record:
    """A job's record, made now where there is none of this job."""
    path = made_folder(out / RECORDS) / f"{name}.json"
    record = read_record(path)
    if record is None or record.get("key") != key_of(name, load_config(
            name, brought_config(name), out)):
        record = measure(name, out)
        write_text(path, json.dumps(record) + "\n")
    once = record["schedules"]["build-once"]["reduction"]
    kept = record["schedules"][record["chosen"]]["reduction"]
    print(f"{name}: {record['chosen']} saves {kept:.2%}, build-once {once:.2%}", flush=True)
    return record


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.jobs.brought",
                                     description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--jobs", nargs="+", default=[], metavar="NAME",
                        help="jobs of configs/jobs/brought, or with --inputs-only maps of "
                             "configs/jobs/county; all jobs if not given")
    parser.add_argument("--data", type=Path, default=Path(os.environ.get(
        "FIREBREAK_DATA", ROOT.parent / "shared" / "landscapes")),
        help="folder of the maps (FIREBREAK_DATA)")
    parser.add_argument("--out", type=Path, default=OUT, help="folder of inputs and records")
    parser.add_argument("--docs", type=Path, help="folder of the documentation, to write its page")
    parser.add_argument("--inputs-only", action="store_true", help="make the inputs, plan nothing")
    given = parser.parse_args(arguments)
    use_threads(1, torch_threads=1)
    try:
        known = [*BROUGHT, *(COUNTIES if given.inputs_only else ())]
        for name in given.jobs:
            if name not in known:
                raise unknown_name("job", name, known, "--jobs")
        names = given.jobs or list(BROUGHT)
        for name in names:
            for path in make_brought(name, given.data, given.out):
                print(path)
        if given.inputs_only:
            return
        records = [record_of(name, given.out) for name in names]
        if given.docs is not None:
            for path in write_brought_page(records, given.docs):
                print(path)
    except InputError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
