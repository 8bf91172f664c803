"""The page of docs/ on the jobs: its tables are made from the rows beside it, its words are not."""

import json
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.jobs.measure import Record
from benchmarks.jobs.table import markdown, rows_of, summary, verdict_words
from benchmarks.validation.page import replaced

from firebreak.files import write_text

PAGE, ROWS = "results-jobs.md", "results/jobs.json"


def with_tables(page: str, rows: Sequence[dict[str, Any]]) -> str:
    """The page with what these rows say between its markers.

    Raises:
        InputError: the page lacks a pair of markers.
    """
    words = "\n\n".join(textwrap.fill(line, 100, break_on_hyphens=False)
                        for line in verdict_words(rows).splitlines())
    for name, text in (("verdict", words), ("jobs", summary(rows)), ("methods", markdown(rows))):
        page = replaced(page, name, text)
    return page


def write_page(records: Sequence[Record], docs: Path) -> list[Path]:
    """Writes the rows into the documentation and makes the tables of the page anew."""
    rows = [_short(row) for row in rows_of(records)]
    page = with_tables((docs / PAGE).read_text(encoding="utf-8"), rows)
    write_text(docs / ROWS, json.dumps(rows, indent=1) + "\n")
    write_text(docs / PAGE, page)
    return [docs / PAGE, docs / ROWS]


def _short(row: dict[str, Any]) -> dict[str, Any]:
    return {name: float(f"{value:.6g}") if isinstance(value, float) else value
            for name, value in row.items()}
