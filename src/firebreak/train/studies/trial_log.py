"""What trials write and read again: `trials.jsonl` holds what the seed decides, so that it has the
same bytes again; `timings.jsonl` the memory of the processes.
"""

from pathlib import Path
from typing import Any

from firebreak.train.storage.metrics import JsonLines
from firebreak.train.storage.stored import trial_measurements, trial_rows

ROWS, TIMINGS = "trials.jsonl", "timings.jsonl"
MEASURED = frozenset({"rss_bytes", "peak_rss_bytes", "driver_rss_bytes", "left", "live"})
"""Keys of rows that are measured: they differ from run to run."""
_KINDS = ("fold", "trial")
Row = dict[str, Any]


class TrialLog:
    """The two files of a search.

    Attributes:
        known: rows of folds and trials that ended before, each with what was measured, as far as
            that is on disk. Rows of earlier versions hold it themselves.
    """

    def __init__(self, folder: Path) -> None:
        self.known = _known(folder)
        self._rows = JsonLines(folder / ROWS)
        self._timings = JsonLines(folder / TIMINGS)

    def write(self, row: Row) -> None:
        """Appends a row of a fold or a trial; what was measured first, so that a row of
        `trials.jsonl` never lacks it.
        """
        named = {key: row[key] for key in ("kind", "trial", "fold") if key in row}
        self._timings.write(named | {key: row[key] for key in row if key in MEASURED})
        self._rows.write({key: row[key] for key in row if key not in MEASURED})

    def close(self) -> None:
        """Closes both files."""
        self._timings.close()
        self._rows.close()


def _known(folder: Path) -> list[Row]:
    if not (folder / ROWS).is_file():
        return []
    measured = {}
    if (folder / TIMINGS).is_file():
        # Of a fold that was measured twice, since a stop came between the files, the last one.
        measured = {_ended(row): row for row in trial_measurements(folder / TIMINGS)
                    if row["kind"] in _KINDS}
    return [measured.get(_ended(row), {}) | row for row in trial_rows(folder / ROWS)
            if row["kind"] in _KINDS]


def _ended(row: Row) -> tuple[str, int, int | None]:
    """What a row is of: a fold of a trial, or the trial."""
    return row["kind"], row["trial"], row.get("fold") if row["kind"] == "fold" else None
