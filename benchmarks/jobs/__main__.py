"""Plans eight jobs on real maps with every method and says whether the default loses.

    python -m benchmarks.jobs [--jobs NAME ...] [--methods NAME ...] [--data DIR] [--out DIR]
                              [--docs DIR]

Makes the inputs of each job from its map, plans, burns the test fires under each plan and writes
`table.md`, `table.csv` and `verdict.json`; with --docs also docs/results-jobs.md.
Each method of a job has a file of its own, written when it is done: a run that was stopped goes on.
Searches may take the processor time that `auto` took.
"""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from benchmarks.jobs.inputs import OUT, ROOT, make_inputs
from benchmarks.jobs.load import Job, load_job, names_of
from benchmarks.jobs.measure import (
    Record,
    all_methods,
    key_of,
    measure,
    path_of,
    read_record,
    search_seconds,
    warm_up,
    write_record,
)
from benchmarks.jobs.page import write_page
from benchmarks.jobs.table import write_tables
from benchmarks.rivals import known

from firebreak.agent.policy_file import load_policy
from firebreak.api.shared.executor_options import use_threads
from firebreak.api.shared.policies import shipped_for
from firebreak.checks import InputError
from firebreak.planning.methods import AUTO, check_methods


def run_job(job: Job, methods: Sequence[str], out: Path) -> list[Record]:
    """The records of a job, of methods without one made now."""
    records: list[Record] = []
    auto, warm = None, False
    policy = load_policy(shipped_for(job.args.scene))
    for method in methods:
        record = read_record(path_of(out, job.name, method))
        if record is None or not _holds(record, job, auto):
            if not warm:
                warm_up(job, policy)
                warm = True
            record = measure(job, method, auto, policy)
            write_record(record, out)
            print(_line(record), flush=True)
        auto = record if method == AUTO else auto
        records.append(record)
    return records


def _holds(record: Record, job: Job, auto: Record | None) -> bool:
    """True for a record of this job whose search had the seconds of this record of `auto`."""
    return (record.key == key_of(job)
            and record.limit_seconds == search_seconds(record.method, auto))


def _line(record: Record) -> str:
    name = f"{record.job} {record.method}"
    if record.refused is not None:
        return f"{name}: refuses, {record.refused}"
    return f"{name}: saves {record.reduction:.2%} in {record.seconds:.1f} s"


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.jobs",
                                     description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--jobs", nargs="+", default=[], metavar="NAME",
                        help="jobs of configs/jobs; all if not given")
    parser.add_argument("--methods", nargs="+", default=[], metavar="NAME",
                        help="only these beside auto; all if not given")
    parser.add_argument("--data", type=Path, default=Path(os.environ.get(
        "FIREBREAK_DATA", ROOT.parent / "shared" / "landscapes")),
        help="folder of the maps (FIREBREAK_DATA)")
    parser.add_argument("--out", type=Path, default=OUT, help="folder of inputs, records, tables")
    parser.add_argument("--docs", type=Path, help="folder of the documentation, to write its page")
    parser.add_argument("--inputs-only", action="store_true", help="make the inputs, plan nothing")
    given = parser.parse_args(arguments)
    use_threads(1, torch_threads=1)
    try:
        names = names_of(given.jobs)
        if given.methods:
            with known():
                check_methods(given.methods, "--methods")
        methods = [AUTO, *given.methods] if given.methods else all_methods()
        for name in names:
            for path in make_inputs(name, given.data, given.out):
                print(path)
        if given.inputs_only:
            return
        records = [record for name in names
                   for record in run_job(load_job(name, given.out), methods, given.out)]
        written = write_tables(records, given.out)
        if given.docs is not None:
            written += write_page(records, given.docs)
        for path in written:
            print(path)
    except InputError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
