"""Rows of metrics and memory: the full series goes to disk as JSON lines, bounded tails stay in
memory. A file that has grown to its size goes on in another one: `metrics.jsonl` is the newest
part, `metrics.1.jsonl`, `metrics.2.jsonl` ... the older ones, the lowest number the oldest.
"""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Row = dict[str, Any]

MOST_BYTES = 16_000_000
MOST_FILES = 20
MOST_ROWS = 20_000
"""Rows that a figure or a verdict of a run of any length is made from."""


class JsonLines:
    """An append-only file of one JSON object per line, flushed at every row.

    Args:
        most_bytes: size at which it goes on in another file.
        most_files: of them kept; the oldest is deleted.
    """

    def __init__(self, path: Path, most_bytes: int = MOST_BYTES,
                 most_files: int = MOST_FILES) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        _drop_cut_line(path)
        self.path, self.most_bytes, self.most_files = path, most_bytes, most_files
        self._file = path.open("a", encoding="utf-8")

    def write(self, row: Row) -> None:
        """Appends one row."""
        self._file.write(json.dumps(row, allow_nan=False) + "\n")
        self._file.flush()
        if self._file.tell() >= self.most_bytes:
            self._rotate()

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def _rotate(self) -> None:
        self._file.close()
        older = _older_parts(self.path)
        number = older[-1][0] + 1 if older else 1
        os.replace(self.path, _part(self.path, number))
        for _, path in older[:max(len(older) + 2 - self.most_files, 0)]:
            path.unlink()
        self._file = self.path.open("a", encoding="utf-8")


def parts_of(path: Path) -> list[Path]:
    """The files of a series, oldest first."""
    return [part for _, part in _older_parts(path)] + ([path] if path.is_file() else [])


def iterate_rows(path: Path) -> Iterator[Row]:
    """All complete rows of a series, oldest first; a last line cut off by a kill is left out."""
    for part in parts_of(path):
        with part.open(encoding="utf-8") as lines:
            for line in lines:
                if line.endswith("\n"):
                    yield json.loads(line)


def read_rows(path: Path, most: int | None = None) -> list[Row]:
    """Rows of a series. With `most`, rows of progress and of scheduled memory readings are thinned
    evenly until there are no more than that in all, so that a figure of any run holds no more.

    Raises:
        FileNotFoundError: there is no such series.
    """
    if not parts_of(path):
        raise FileNotFoundError(2, "no such file", str(path))
    if most is None:
        return list(iterate_rows(path))
    rows: list[Row] = []
    every = seen = 0
    for row in iterate_rows(path):
        dense = _is_dense(row)
        seen += dense
        if not dense or seen % 2**every == 0:
            rows.append(row)
        if len(rows) > most:
            every += 1
            rows = _halved(rows)
    return rows


def _halved(rows: list[Row]) -> list[Row]:
    kept, dense = [], 0
    for row in rows:
        if _is_dense(row):
            dense += 1
            if dense % 2:
                continue
        kept.append(row)
    return kept


def _is_dense(row: Row) -> bool:
    """Whether there are so many of its sort that half of them tell the same."""
    return isinstance(row, dict) and (
        row.get("kind") == "progress" or row.get("phase") in ("collect", "learn", "cleanup"))


def _part(path: Path, number: int) -> Path:
    return path.with_name(f"{path.stem}.{number}{path.suffix}")


def _older_parts(path: Path) -> list[tuple[int, Path]]:
    name = re.compile(re.escape(path.stem) + r"\.(\d+)" + re.escape(path.suffix))
    found = ((name.fullmatch(other.name), other) for other in path.parent.glob(f"{path.stem}.*"))
    return sorted((int(match[1]), other) for match, other in found if match)


def _drop_cut_line(path: Path) -> None:
    """A run killed while writing leaves a part of a line; what follows must not join it."""
    if not path.is_file():
        return
    with path.open("rb+") as file:
        content = file.read()  # at most one part
        file.truncate(content.rfind(b"\n") + 1)
