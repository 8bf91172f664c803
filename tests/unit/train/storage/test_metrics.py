"""Rows on disk: parts of bounded size and number, cut lines dropped, thinned for figures."""

from itertools import pairwise
from pathlib import Path

import pytest

from firebreak.train.storage.metrics import JsonLines, iterate_rows, parts_of, read_rows


def written(path: Path, count: int, **bounds: int) -> list[int]:
    file = JsonLines(path, **bounds)
    for k in range(count):
        file.write({"kind": "progress", "k": k})
    file.close()
    return [row["k"] for row in iterate_rows(path)]


def test_rows_come_back_in_order_over_all_parts(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    assert written(path, 100, max_bytes=500) == list(range(100))
    assert len(parts_of(path)) > 5
    assert all(part.stat().st_size < 600 for part in parts_of(path))
    assert written(path, 30, max_bytes=500) == [*range(100), *range(30)]


def test_the_oldest_parts_go_when_there_are_too_many(tmp_path: Path) -> None:
    path = tmp_path / "memory.jsonl"
    kept = written(path, 400, max_bytes=500, max_files=4)
    assert len(parts_of(path)) == 4
    assert kept == list(range(kept[0], 400))
    assert kept[0] > 300


def test_other_series_in_the_folder_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "metrics.old.jsonl").write_text("x\n")
    (tmp_path / "metricsx.1.jsonl").write_text("x\n")
    assert written(tmp_path / "metrics.jsonl", 3) == [0, 1, 2]


def test_a_line_cut_off_is_dropped_before_more_is_written(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    written(path, 3)
    with path.open("a") as file:
        file.write('{"kind": "prog')
    assert [row["k"] for row in iterate_rows(path)] == [0, 1, 2]
    assert written(path, 1) == [0, 1, 2, 0]


@pytest.mark.parametrize("count", [10, 100, 1000, 1001])
def test_thinned_rows_are_bounded_even_and_keep_what_is_rare(tmp_path: Path, count: int) -> None:
    path = tmp_path / "metrics.jsonl"
    file = JsonLines(path)
    for k in range(count):
        file.write({"kind": "progress", "k": k})
        if k % 100 == 5:
            file.write({"kind": "validation", "k": k})
    file.close()
    rows = read_rows(path, 50)
    assert len(rows) <= 50
    assert [r["k"] for r in rows if r["kind"] == "validation"] == list(range(5, count, 100))
    dense = [r["k"] for r in rows if r["kind"] == "progress"]
    assert len({b - a for a, b in pairwise(dense)}) == 1
    assert dense[-1] >= count - 1 - (dense[1] - dense[0])
    assert read_rows(path) == list(iterate_rows(path))


def test_a_series_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"metrics\.jsonl"):
        read_rows(tmp_path / "metrics.jsonl")
