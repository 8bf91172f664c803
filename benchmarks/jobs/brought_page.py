"""The page of docs/ on what planners bring: its tables are made from the records beside it, its
words are not.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.validation.page import replaced

from firebreak.files import write_text

PAGE, ROWS = "results-jobs.md", "results/brought.json"
ONCE = "build-once"


def with_brought_tables(page: str, records: Sequence[Mapping[str, Any]]) -> str:
    """The page with what these records say between its markers.

    Raises:
        InputError: the page lacks a pair of markers.
    """
    for name, text in (("years", years_markdown(records)), ("lines", lines_markdown(records)),
                       ("schedules", schedules_markdown(records))):
        page = replaced(page, name, text)
    return page


def write_brought_page(records: Sequence[Mapping[str, Any]], docs: Path) -> list[Path]:
    """Writes the records into the documentation and makes the tables of the page anew."""
    rows = [_short(record) for record in records]
    page = with_brought_tables((docs / PAGE).read_text(encoding="utf-8"), rows)
    write_text(docs / ROWS, json.dumps(rows, indent=1) + "\n")
    write_text(docs / PAGE, page)
    return [docs / PAGE, docs / ROWS]


def years_markdown(records: Sequence[Mapping[str, Any]]) -> str:
    """Table of the schedule that each job keeps beside building once."""
    lines = ["| job | treatment | build-once saves (95 %) | kept schedule | saves (95 %) | "
             "more than build-once (95 %, paired) |", "|---|---|---:|---|---:|---:|"]
    for one in records:
        once, kept = one["schedules"][ONCE], one["schedules"][one["chosen"]]
        more = "" if one["chosen"] == ONCE else _more(kept["more"], kept["more_low"],
                                                      kept["more_high"])
        lines.append("| " + " | ".join([
            one["job"], one["treatment"].replace(",", ", "), _share(once), one["chosen"],
            _share(kept), more]) + " |")
    return "\n".join(lines)


def schedules_markdown(records: Sequence[Mapping[str, Any]]) -> str:
    """Table of the savings of every schedule."""
    names = list(records[0]["schedules"])
    lines = ["| job | " + " | ".join(names) + " |", "|---|" + "---:|" * len(names)]
    for one in records:
        cells = [f"{one['schedules'][name]['reduction']:z.2%}" for name in names]
        kept = names.index(one["chosen"])
        cells[kept] = f"**{cells[kept]}**"
        lines.append("| " + " | ".join([one["job"], *cells]) + " |")
    return "\n".join(lines)


def lines_markdown(records: Sequence[Mapping[str, Any]]) -> str:
    """Table of what a choice among given lines costs beside breaks placed anywhere."""
    lines = ["| job | pieces of lines | free | lines and own | less than free (95 %, paired) | "
             "only lines | less than free (95 %, paired) |",
             "|---|---:|---:|---:|---:|---:|---:|"]
    for one in records:
        if one["lines"]:
            free, mixed, only = (one["lines"]["ways"][way]
                                 for way in ("free", "lines and own", "only lines"))
            lines.append("| " + " | ".join([
                one["job"], f"{one['lines']['pieces']}", f"{free['reduction']:z.2%}",
                f"{mixed['reduction']:z.2%}", _less(mixed), f"{only['reduction']:z.2%}",
                _less(only)]) + " |")
    return "\n".join(lines)


def _share(one: Mapping[str, Any]) -> str:
    return f"{one['reduction']:z.2%} ({one['low']:.2%} to {one['high']:.2%})"


def _more(more: float, low: float, high: float) -> str:
    return f"{more:+.2%} ({low:+.2%} to {high:+.2%})"


def _less(way: Mapping[str, Any]) -> str:
    low, high = way["more_interval"]
    return _more(0.0 - way["more"], 0.0 - high, 0.0 - low)  # never -0


def _short(value: Any) -> Any:
    """Numbers with six digits."""
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, dict):
        return {name: _short(one) for name, one in value.items() if name != "key"}
    return [_short(one) for one in value] if isinstance(value, list | tuple) else value
