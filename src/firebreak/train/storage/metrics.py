"""Rows of metrics and memory: the full series goes to disk as JSON lines, bounded tails stay in
memory. A file that has grown to its size goes on in another one: `metrics.jsonl` is the newest
part, `metrics.1.jsonl`, `metrics.2.jsonl` ... the older ones, the lowest number the oldest.
"""

import json
import os
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from firebreak.checks import fail
from firebreak.files import made_folder
from firebreak.reading import LONGEST_LINE, from_json

Row = dict[str, Any]

MAX_BYTES = 16_000_000
MAX_FILES = 20
MAX_ROWS = 20_000
"""Rows that a figure or a verdict of a run of any length is made from."""
MAX_WAITING = 1000
"""Rows that wait for a full disk before the run ends."""

_FARTHEST = 10**15  # bytes of a series
SERIES = ("metrics", "timings", "memory")
CLOCKS = frozenset({"seconds", "seconds_per_env_step", "seconds_per_collection", "cleanup_seconds",
                    "cleanup_freed_bytes", "cleanups", "profiler_seconds", "rss_bytes"})
"""Keys of rows that differ from run to run."""


class Position(NamedTuple):
    """A place in a series: the number of its last older part (0: none), bytes of the newest."""

    part: int
    offset: int


def positions_of(saved: Mapping[str, Sequence[int]]) -> dict[str, Position]:
    """Positions as a checkpoint holds them.

    Raises:
        ValueError: they are none.
    """
    found = {name: Position(*place) for name, place in saved.items()}
    if not all(type(number) is int and 0 <= number < _FARTHEST
               for place in found.values() for number in place):
        raise ValueError("positions in rows that are none")
    return found


class JsonLines:
    """An append-only file of one JSON object per line, written at every row.

    Rows that a full disk does not take wait in memory and are written when it does.

    Args:
        max_bytes: size at which it goes on in another file.
        max_files: of them kept; the oldest is deleted.
    """

    def __init__(self, path: Path, max_bytes: int = MAX_BYTES,
                 max_files: int = MAX_FILES) -> None:
        made_folder(path.parent)
        _drop_cut_line(path)
        self.path, self.max_bytes, self.max_files = path, max_bytes, max_files
        self._waiting: list[bytes] = []
        self._open()

    def write(self, row: Row) -> None:
        """Appends one row.

        Raises:
            OSError: the disk has not taken the last `MAX_WAITING` rows.
        """
        self._waiting.append(json.dumps(row, allow_nan=False).encode() + b"\n")
        try:
            self._flush()
        except OSError as error:
            if len(self._waiting) >= MAX_WAITING:
                raise
            if len(self._waiting) == 1:
                warnings.warn(f"{self.path}: {error.strerror}; rows are held in memory until the "
                              "disk can be written again", stacklevel=2)
            return
        if self._size >= self.max_bytes:
            self._rotate()

    def position(self) -> Position:
        """Return where the next row will be, once all before it is on the disk.

        Raises:
            OSError: the disk takes no rows.
        """
        self._flush()
        os.fsync(self._file.fileno())
        return Position(max(dict(_older_parts(self.path)), default=0), self._size)

    def close(self) -> None:
        """Closes the file.

        Raises:
            OSError: the disk does not take the last rows.
        """
        try:
            self._flush()
        finally:
            self._file.close()

    def _open(self) -> None:
        self._file = self.path.open("ab", buffering=0)
        self._size = os.fstat(self._file.fileno()).st_size

    def _flush(self) -> None:
        while self._waiting:
            line, done = self._waiting[0], 0
            try:
                while done < len(line):
                    done += self._file.write(line[done:])
            except BaseException:
                os.ftruncate(self._file.fileno(), self._size)  # no part of a line stays
                raise
            self._size += len(line)
            del self._waiting[0]

    def _rotate(self) -> None:
        self._file.close()
        older = _older_parts(self.path)
        number = older[-1][0] + 1 if older else 1
        os.replace(self.path, self.path.with_name(f"{self.path.stem}.{number}{self.path.suffix}"))
        for _, path in older[:max(len(older) + 2 - self.max_files, 0)]:
            path.unlink()
        self._open()


class RunLog:
    """The three series of a run. `metrics.jsonl` holds what the seed decides, so that it has the
    same bytes again; `timings.jsonl` clocks and the process's memory; `memory.jsonl` readings.
    """

    def __init__(self, folder: Path, max_bytes: int = MAX_BYTES,
                 max_files: int = MAX_FILES) -> None:
        self._files = {name: JsonLines(folder / f"{name}.jsonl", max_bytes, max_files)
                       for name in SERIES}

    def write(self, row: Row) -> None:
        """Appends a row of a trainer to the series that it belongs to."""
        whole = {"memory": "memory", "cleanup": "timings"}.get(row["kind"])
        if whole is not None:
            self._files[whole].write(row)
            return
        if clocks := {key: row[key] for key in row if key in CLOCKS}:
            self._files["timings"].write({"kind": row["kind"], "episodes": row["episodes"],
                                          "env_steps": row["env_steps"], **clocks})
        self._files["metrics"].write({key: row[key] for key in row if key not in CLOCKS})

    def positions(self) -> dict[str, list[int]]:
        """Return where each series stands, once what was written is on the disk; see `rewind`."""
        return {name: list(file.position()) for name, file in self._files.items()}

    def close(self) -> None:
        """Closes all files."""
        for file in self._files.values():
            file.close()


def rewind(folder: Path, positions: Mapping[str, Sequence[int]]) -> None:
    """Takes the series of a run back to where they stood; warns where rows are missing.

    positions: of `RunLog.positions`; a series that is not named loses all rows.
    """
    for name in SERIES:
        path, (part, offset) = folder / f"{name}.jsonl", positions.get(name, (0, 0))
        later = [(number, other) for number, other in _older_parts(path) if number > part]
        if later:
            os.replace(later[0][1], path)
            for _, other in later[1:]:
                other.unlink()
        if not path.is_file() and offset == 0:
            continue
        size = path.stat().st_size if path.is_file() else 0
        if size < offset:
            warnings.warn(f"{path}: {offset - size} bytes of rows are missing", stacklevel=2)
        else:
            os.truncate(path, offset)


def parts_of(path: Path) -> list[Path]:
    """The files of a series, oldest first."""
    return [part for _, part in _older_parts(path)] + ([path] if path.is_file() else [])


def iterate_rows(path: Path) -> Iterator[Row]:
    """All complete rows of a series, oldest first; a last line cut off by a kill is left out.

    Raises:
        InputError: a line that is no JSON object.
    """
    for part in parts_of(path):
        with part.open("rb") as lines:
            for number, line in enumerate(iter(partial(lines.readline, LONGEST_LINE), b""), 1):
                if line.endswith(b"\n") or len(line) == LONGEST_LINE:
                    yield _row(line, f"{part}, line {number}")


def _row(line: bytes, where: str) -> Row:
    try:
        row = from_json(line) if len(line) < LONGEST_LINE else None
    except ValueError:
        row = None
    if not isinstance(row, dict):
        raise fail(expected="one JSON object per line",
                   given=f"'{line[:40].decode(errors='replace').strip()}'", where=where,
                   remedy="delete that line")
    return row


def read_rows(path: Path, max_rows: int | None = None) -> list[Row]:
    """Rows of a series. With `max_rows`, rows of progress and of scheduled memory readings are
    thinned evenly until there are no more than that in all, so that a figure of any run holds no
    more.

    Raises:
        FileNotFoundError: there is no such series.
    """
    if not parts_of(path):
        raise FileNotFoundError(2, "no such file", str(path))
    if max_rows is None:
        return list(iterate_rows(path))
    rows: list[Row] = []
    every = seen = 0
    for row in iterate_rows(path):
        dense = _is_dense(row)
        seen += dense
        if not dense or seen % 2**every == 0:
            rows.append(row)
        if len(rows) > max_rows:
            every, dense_row = every + 1, count()
            rows = [row for row in rows if not _is_dense(row) or next(dense_row) % 2]
    return rows


def _is_dense(row: Row) -> bool:
    """True of rows of which there are so many that half of them tell the same."""
    return row.get("kind") == "progress" or row.get("phase") in ("collect", "learn", "cleanup")


def _older_parts(path: Path) -> list[tuple[int, Path]]:
    name = re.compile(re.escape(path.stem) + r"\.(\d+)" + re.escape(path.suffix))
    found = ((name.fullmatch(other.name), other) for other in path.parent.glob(f"{path.stem}.*"))
    return sorted((int(match[1]), other) for match, other in found if match)


def _drop_cut_line(path: Path) -> None:
    """A run killed while writing leaves a part of a line; what follows must not join it."""
    if path.is_file():
        with path.open("rb+") as file:
            file.truncate(file.read().rfind(b"\n") + 1)
