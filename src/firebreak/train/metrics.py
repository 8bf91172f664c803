"""Rows of metrics: the full series goes to disk as JSON lines, bounded tails stay in memory."""

import json
from pathlib import Path
from typing import Any


class JsonLines:
    """An append-only file of one JSON object per line, flushed at every row."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        _drop_cut_line(path)
        self._file = path.open("a", encoding="utf-8")

    def write(self, row: dict[str, Any]) -> None:
        """Appends one row."""
        self._file.write(json.dumps(row, allow_nan=False) + "\n")
        self._file.flush()

    def close(self) -> None:
        """Closes the file."""
        self._file.close()


def _drop_cut_line(path: Path) -> None:
    """A run killed while writing leaves a part of a line; what follows must not join it."""
    if not path.is_file():
        return
    with path.open("rb+") as file:
        content = file.read()
        file.truncate(content.rfind(b"\n") + 1)


def read_rows(path: Path) -> list[dict[str, Any]]:
    """All complete rows of a file; a last line cut off by a kill is left out."""
    rows = []
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.endswith("\n"):
                rows.append(json.loads(line))
    return rows
