"""The tables of the jobs: every method's saving with its interval, the choice of `auto`, seconds.
"""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.jobs.inputs import JOBS
from benchmarks.jobs.measure import Record
from benchmarks.jobs.verdict import LEVEL, Compared, compared_with_auto, share_interval

from firebreak.files import made_folder, write_text
from firebreak.planning.methods import AUTO

COLUMNS = ("job", "method", "chosen", "reduction", "low", "high", "auto_minus", "auto_minus_low",
           "auto_minus_high", "p", "holm", "slower", "better", "seconds", "cells", "pieces", "cost",
           "budget", "plan_reduction", "refused")


def rows_of(records: Sequence[Record]) -> list[dict[str, Any]]:
    """One row of plain data per job and method, by job, the method that saves most first; methods
    that refuse last.
    """
    compared = {(one.job, one.method): one for one in compared_with_auto(records)}
    rows = [_row(record, compared.get((record.job, record.method))) for record in records]
    jobs = list(dict.fromkeys(record.job for record in records))
    return sorted(rows, key=lambda row: (jobs.index(row["job"]), row["refused"] is not None,
                                         -(row["reduction"] or 0.0)))


def _row(record: Record, own: Compared | None) -> dict[str, Any]:
    row: dict[str, Any] = dict.fromkeys(COLUMNS)
    row |= {"job": record.job, "method": record.method, "refused": record.refused}
    if record.refused is not None:
        return row
    low, high = share_interval(record.saved, record.untreated)
    row |= {"chosen": record.chosen, "reduction": record.reduction, "low": low, "high": high,
            "seconds": record.seconds, "cells": record.cells, "pieces": record.pieces,
            "cost": record.cost, "budget": record.budget, "plan_reduction": record.plan_reduction}
    if own is not None:
        row |= {"auto_minus": own.more, "auto_minus_low": own.interval[0],
                "auto_minus_high": own.interval[1], "p": own.p, "holm": own.holm,
                "slower": own.slower, "better": own.better}
    return row


def verdict_words(rows: Sequence[dict[str, Any]]) -> str:
    """Sentences on the methods to which `auto` loses; several lines."""
    compared = [row for row in rows if row["holm"] is not None]
    quick = [row for row in compared if not row["slower"]]
    lost, slow = ([row for row in compared if row["better"] and row["slower"] is slower]
                  for slower in (False, True))
    took = {row["job"]: row["seconds"] for row in rows if row["method"] == AUTO}
    losses = "none" if not lost else f"{len(lost)}: {_names(lost, took)}"
    lines = [f"In {len(quick)} comparisons with methods that took no longer, auto is significantly "
             f"worse in {losses} (Holm over all {len(compared)} comparisons, {LEVEL:.0%})."]
    lines.append("No slower method is significantly better." if not slow else
                 f"Slower methods that are significantly better: {_names(slow, took)}.")
    asked = {(job, row["method"]) for job in JOBS for row in rows}
    missing = len(asked - {(row["job"], row["method"]) for row in rows})
    if missing:
        lines.append(f"Not measured: {missing} of {len(asked)} methods on jobs.")
    return "\n".join(lines)


def _names(rows: Sequence[dict[str, Any]], took: Mapping[str, float]) -> str:
    return ", ".join(f"{row['method']} on {row['job']} ({-row['auto_minus']:.2%} more, in "
                     f"{row['seconds']:.1f} s against {took[row['job']]:.1f} s)" for row in rows)


def markdown(rows: Sequence[dict[str, Any]]) -> str:
    """The rows for a page."""
    header = ("job", "method", "saves (95 %)", "auto saves more (95 %)", "p, Holm", "seconds",
              "cells", "pieces")
    lines = ["| " + " | ".join(header) + " |", "|---|---|" + "---:|" * 6]
    lines += ["| " + " | ".join(_cells(row)) + " |" for row in rows]
    return "\n".join(lines)


def summary(rows: Sequence[dict[str, Any]]) -> str:
    """One line per job: what `auto` chose and saves, and the best of the others."""
    header = ("job", "auto, by", "saves (95 %)", "seconds", "best that took no longer", "best")
    lines = ["| " + " | ".join(header) + " |", "|---|---|---:|---:|---|---|"]
    for job in dict.fromkeys(row["job"] for row in rows):
        own = [row for row in rows if row["job"] == job and row["refused"] is None]
        auto = next((row for row in own if row["method"] == AUTO), None)
        if auto is not None:
            others = [row for row in own if row["method"] != AUTO]
            quick = [row for row in others if not row["slower"]]
            lines.append("| " + " | ".join([
                job, auto["chosen"], _share(auto, "reduction", ".2%", ""),
                f"{auto['seconds']:.1f}", _best(quick), _best(others)]) + " |")
    return "\n".join(lines)


def _best(rows: Sequence[dict[str, Any]]) -> str:
    if not rows:
        return ""
    best = max(rows, key=lambda row: float(row["reduction"]))
    slower = ", slower" if best["slower"] else ""
    return f"{best['method']}, {best['reduction']:.2%}{slower}"


def _cells(row: dict[str, Any]) -> list[str]:
    method = row["method"] if row["chosen"] is None else f"**{AUTO}**, by {row['chosen']}"
    if row["refused"] is not None:
        stopped = row["refused"].startswith("not done")
        return [row["job"], method, row["refused"] if stopped else "refuses", *[""] * 5]
    against = ["", ""]
    if row["holm"] is not None:
        mark = "" if not row["better"] else " better"
        against = [_share(row, "auto_minus", "+.2%", "auto_minus_"),
                   f"{row['holm']:.2g}{mark}"]
    slower = " (slower)" if row["slower"] else ""
    return [row["job"], method, _share(row, "reduction", ".2%", ""), *against,
            f"{row['seconds']:.1f}{slower}", f"{row['cells']:.0f}", f"{row['pieces']:.0f}"]


def _share(row: dict[str, Any], name: str, form: str, prefix: str) -> str:
    low, high = row[f"{prefix}low"], row[f"{prefix}high"]
    return f"{row[name]:{form}} ({low:{form}} to {high:{form}})"


def write_tables(records: Sequence[Record], out: Path) -> list[Path]:
    """Writes `table.csv`, `table.md` and `verdict.json` into a folder."""
    rows = rows_of(records)
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    made_folder(out)
    paths = [out / name for name in ("table.csv", "table.md", "verdict.json")]
    write_text(paths[0], text.getvalue())
    write_text(paths[1], f"{verdict_words(rows)}\n\n{summary(rows)}\n\n{markdown(rows)}\n")
    write_text(paths[2], json.dumps({"rows": rows}) + "\n")
    return paths
