"""Reads the files of an ended run, checked for what is judged, drawn or gone on from.

They are the run's own, but a hand, a full disk or another version may have been at them. Only what
is used is checked; what else a row holds is let through.
"""

from pathlib import Path
from typing import Annotated, Any, Literal

import pydantic
from pydantic import BaseModel, ConfigDict, Field

from firebreak.checks import fail
from firebreak.reading import record_of
from firebreak.train.storage.metrics import MAX_ROWS, Row, parts_of, read_rows

Count = Annotated[int, Field(ge=0, lt=2**63)]
Amount = Annotated[float, Field(gt=-1e18, lt=1e18)]
Share = Annotated[float, Field(gt=-1e6, lt=1e6)]
Name = Annotated[str, Field(pattern=r"^[\w ./:-]+$")]
Amounts = dict[str, Amount]


class _Stored(BaseModel):
    model_config = ConfigDict(strict=True)


class _Reading(_Stored):
    """A row of memory.jsonl."""

    phase: str
    episodes: Count
    env_steps: Count
    rss_bytes: Amount
    heap_bytes: Amount | None = None
    grown: Amounts = {}


_FULL: dict[str, Any] = (
    dict.fromkeys(("owned_bytes", "items", "objects", "live"), (Amounts, ...))
    | dict.fromkeys(("figures", "open_files", "threads"), (Amount, ...))
    | dict.fromkeys(("filled", "bounded_objects", "file_kinds", "thread_kinds"), (Amounts, {}))
    | dict.fromkeys(("graph_tensors", "children", "children_bytes", "python_blocks", "gpu_bytes",
                     "bounded_bytes", "bounded_blocks"), (Amount, 0))
    | {"heap_bytes": (Amount | None, ...), "heap_free_bytes": (Amount | None, None),
       "mapped_bytes": (Amounts | None, None)})
_FullReading = pydantic.create_model("_FullReading", __base__=_Reading, **_FULL)


class _Progress(_Stored):
    """Rows of metrics.jsonl."""

    kind: Literal["progress"]
    episodes: Count
    mean_return: Share | None
    loss: Share | None
    epsilon: Share
    discount: Share


class _Validation(_Stored):
    kind: Literal["validation"]
    episodes: Count
    reduction: Share
    half_width: Share
    twin_reduction: Share | None = None
    twin_half_width: Share | None = None


class _Other(_Stored):
    kind: str


class _Interval(_Stored):
    reduction: Share
    low: Share
    high: Share


class _Difference(_Stored):
    difference: Share
    low: Share
    high: Share


class _Comparison(_Stored):
    """Results of `evaluate` on one kind of test landscapes."""

    landscapes: Count
    interval: str
    methods: Annotated[dict[Name, _Interval], Field(min_length=1)]
    paired: dict[Name, _Difference] = {}


_METRICS: dict[str, type[_Stored]] = {"progress": _Progress, "validation": _Validation}
_EVALUATION = pydantic.TypeAdapter(dict[Name, _Comparison])


def memory_rows(run: Path) -> list[Row]:
    """Rows of memory.jsonl, thinned to what a figure can show.

    Raises:
        InputError: there are none, or one that is damaged or of another version.
    """
    path = run / "memory.jsonl"
    remedy = "let it train until its first cleanup"
    if not parts_of(path):
        raise fail(expected=f"a run with {path.name}", given="none there", where=str(run),
                   remedy=remedy)
    rows = read_rows(path, MAX_ROWS)
    if not rows:
        raise fail(expected="rows", given="none", where=str(path), remedy=remedy)
    for row in rows:
        full = row.get("phase") == "cleanup" or "owned_bytes" in row
        _check(row, _FullReading if full else _Reading, path)
    return rows


def metrics_rows(run: Path) -> list[Row]:
    """Rows of metrics.jsonl, thinned to what a figure can show.

    Raises:
        InputError: there is no such file, or a row that is damaged or of another version.
    """
    path = run / "metrics.jsonl"
    if not parts_of(path):
        raise fail(expected=path.name, given="none there", where=str(run),
                   remedy="name the folder of a run that has begun")
    rows = read_rows(path, MAX_ROWS)
    for row in rows:
        _check(row, _METRICS.get(str(row.get("kind")), _Other), path)
    return rows


def evaluation_of(run: Path) -> dict[str, Any]:
    """Results of a run's comparison, by test source; empty before there was one.

    Raises:
        InputError: the file is damaged.
    """
    path = run / "evaluation.json"
    if not path.is_file():
        return {}
    try:
        found: dict[str, Any] = record_of(path)
        _EVALUATION.validate_python(found)
    except ValueError:
        raise fail(expected="the results of a comparison", given="a damaged file", where=str(path),
                   remedy="delete it, or resume the run to have it made again") from None
    return found


def _check(row: Row, kind: type[_Stored], path: Path) -> None:
    try:
        kind.model_validate(row)
    except pydantic.ValidationError as error:
        errors = error.errors()
        missing = [str(one["loc"][0]) for one in errors if one["type"] == "missing"]
        first = ".".join(map(str, errors[0]["loc"]))[:60]
        needed = (f"rows with {', '.join(missing)}" if missing else
                  f"{first} in each row as this version writes it")
        raise fail(expected=needed, given=f"{row!s:.40}", where=str(path),
                   remedy="delete that line") from None
