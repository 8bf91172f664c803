"""Injects every fault of docs/reliability.md and writes what was found into its table.

    .venv/bin/python scripts/fault_injection.py                    # all, some 40 minutes of a core
    .venv/bin/python scripts/fault_injection.py kill fuzz --count 20
    .venv/bin/python scripts/fault_injection.py --short --dry      # a minute, nothing is written
"""

import argparse
import os
import sys
import tempfile
import warnings
from contextlib import nullcontext
from pathlib import Path

# Processes are forked from this one, which GNU OpenMP does not allow; one thread for all.
os.environ |= {"FIREBREAK_THREADS": "1",
               "OMP_NUM_THREADS": "1"}
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))


def main() -> int:
    """Runs the rows asked for; 1 if any fault had its way."""
    from faults import runs, table

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", nargs="*", choices=[*table.ROWS, []], help="all if none is given")
    parser.add_argument("--count", type=int, help="how often, instead of the row's own count")
    parser.add_argument("--short", action="store_true", help="the counts of the test suite")
    parser.add_argument("--scratch", help="a folder to work in that is kept: a fuzz that was "
                        "stopped goes on from the reader that it was at")
    parser.add_argument("--dry", action="store_true", help="do not write into docs")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    bad = 0
    kept = nullcontext(given.scratch) if given.scratch else tempfile.TemporaryDirectory(
        dir=_memory_folder())
    with kept as scratch:
        runs.warm_up()
        for name in given.rows or table.ROWS:
            if not table.available(name):
                continue
            row = table.ROWS[name]
            record = table.measure(name, Path(scratch),
                                   given.count or (row.few if given.short else row.many))
            print(f"{name}: {record['figure']} ({record['seconds']} s)", flush=True)
            for line in record["first_bad"]:
                print(f"  {line[:600]}")
            bad += record["bad"]
            if not given.dry:
                table.keep(name, record)
    return min(bad, 1)


def _memory_folder() -> Path | None:
    shared = Path("/dev/shm")  # thousands of small files, none worth a disk's time
    return shared if os.access(shared, os.W_OK) else None


if __name__ == "__main__":
    sys.exit(main())
