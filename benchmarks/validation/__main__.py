"""Runs the cases and makes docs/validation.md, docs/validation-cases.md and their figures anew.

    python -m benchmarks.validation [--data FOLDER] [--reference FOLDER] [--out docs] [--only CASES]

Without --only all cases are run, which takes some minutes on one core. Cases whose landscapes
(--data, else FIREBREAK_DATA) or reference numbers (--reference, else FIREBREAK_REFERENCE) are not
there are "not evaluable"; tables and figures that need them keep what they have, which is said.
"""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from benchmarks.validation import page, parts
from benchmarks.validation.registry import (
    Case,
    Places,
    Record,
    all_cases,
    judge,
    judge_all,
    read_records,
    write_records,
)

from firebreak.checks import InputError, fail
from firebreak.native_library import set_threads


def chosen_records(cases: Sequence[Case], only: str, out: Path, places: Places) -> list[Record]:
    """Records of all cases: of those named by --only run now, of the others the last ones.

    Raises:
        InputError: a name that no case has or begins with, or a case without a last record.
    """
    if not only:
        return judge_all(cases, places)
    names = only.split(",")
    unknown = [name for name in names
               if not any(case.identifier.startswith(name) for case in cases)]
    if unknown:
        raise fail(expected="identifiers of cases, or how they begin", given=", ".join(unknown),
                   where="--only", remedy="see docs/validation-cases.md")
    path = next((folder / page.RECORDS for folder in (out, parts.ROOT / "docs")
                 if (folder / page.RECORDS).is_file()), None)
    last = {record.identifier: record for record in read_records(path)} if path else {}
    records = []
    for case in cases:
        if any(case.identifier.startswith(name) for name in names):
            records.append(judge(case, places))
            print(f"{case.identifier}: {records[-1].status}")
        elif case.identifier in last:
            records.append(last[case.identifier])
        else:
            raise fail(expected="a last record of every case", given=f"none of {case.identifier}",
                       where="--only", remedy="run all cases once")
    return records


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command."""
    beside = parts.ROOT.parent / "shared"
    parser = argparse.ArgumentParser(prog="python -m benchmarks.validation",
                                     description=(__doc__ or "").split("\n", 1)[0])
    for option, variable, name in (("--data", "FIREBREAK_DATA", "landscapes"),
                                   ("--reference", "FIREBREAK_REFERENCE", "reference")):
        parser.add_argument(option, type=Path, default=Path(
            os.environ.get(variable, beside / name)), help=f"folder of {name} ({variable})")
    parser.add_argument("--out", type=Path, default=parts.ROOT / "docs", help="folder of the pages")
    parser.add_argument("--only", default="", metavar="CASES",
                        help="identifiers, or how they begin, with commas between; the other cases "
                             "keep their last results")
    given = parser.parse_args(arguments)
    set_threads(1)
    try:
        cases = all_cases()
        records = chosen_records(cases, given.only, given.out, Places(given.data, given.reference))
        given.out.mkdir(parents=True, exist_ok=True)
        page.write_pages(given.out, parts.tables(given.data, given.reference), cases, records)
        write_records(given.out / page.RECORDS, records)
        page.write_figures(given.out, parts.figures(given.data))
    except InputError as error:
        parser.error(str(error))
    print(", ".join(f"{sum(record.status == status for record in records)} {status}"
                    for status in ("pass", "fail", "not evaluable")))


if __name__ == "__main__":
    main()
