"""Files of a run that are not as they were written are one sentence."""

import json
from pathlib import Path
from typing import Any

import pytest

from firebreak.checks import InputError
from firebreak.report.pages.run_report import comparison_picture
from firebreak.train.storage.stored import evaluation_of, memory_rows, metrics_rows

READING = {"phase": "collect", "episodes": 3, "env_steps": 9, "rss_bytes": 9}
PROGRESS = {"kind": "progress", "episodes": 3, "mean_return": None, "loss": 0.5, "epsilon": 0.5,
            "discount": 0}
FOUND = {"reduction": 0.3, "low": 0.2, "high": 0.4}


def written(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_rows_as_they_are_written_are_given_back(tmp_path: Path) -> None:
    written(tmp_path / "memory.jsonl", READING | {"more": [1]})
    written(tmp_path / "metrics.jsonl", PROGRESS, {"kind": "end"})
    assert memory_rows(tmp_path) == [READING | {"more": [1]}]
    assert metrics_rows(tmp_path) == [PROGRESS, {"kind": "end"}]


@pytest.mark.parametrize(("change", "said"), [
    ({"rss_bytes": "a"}, "expected rss_bytes in each row as this version writes it"),
    ({"episodes": 10**400}, "expected episodes in each row"),
    ({"episodes": -1}, "expected episodes in each row"),
    ({"rss_bytes": float("nan")}, "expected rss_bytes in each row"),
    ({"grown": {"a": None}}, "expected grown.a in each row"),
    ({"phase": "cleanup"}, "expected rows with heap_bytes, owned_bytes, items")])
def test_a_row_of_another_kind_is_named(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    written(tmp_path / "memory.jsonl", READING, READING | change)
    with pytest.raises(InputError, match=said):
        memory_rows(tmp_path)


@pytest.mark.parametrize(("change", "said"), [
    ({"loss": "a"}, "expected loss in each row"), ({"kind": 3}, "expected kind in each row"),
    ({"kind": "validation"}, "expected rows with reduction, half_width")])
def test_a_row_of_metrics_of_another_kind_is_named(tmp_path: Path, change: dict[str, Any],
                                                   said: str) -> None:
    written(tmp_path / "metrics.jsonl", PROGRESS, PROGRESS | change)
    with pytest.raises(InputError, match=said):
        metrics_rows(tmp_path)


@pytest.mark.parametrize("change", [
    {"methods": {}}, {"methods": {"dqn": FOUND | {"low": "a"}}}, {"landscapes": None},
    {"methods": {"$x$": FOUND}}])
def test_a_damaged_comparison_is_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    whole = {"landscapes": 3, "interval": "fires", "methods": {"dqn": FOUND}}
    assert evaluation_of(tmp_path) == {}
    path = written(tmp_path / "evaluation.json", {"synthetic": whole})
    assert evaluation_of(tmp_path) == {"synthetic": whole}
    written(path, {"synthetic": whole | change})
    with pytest.raises(InputError, match="the results of a comparison, got a damaged file"):
        evaluation_of(tmp_path)


def test_names_of_test_sources_are_no_paths() -> None:
    assert comparison_picture({"a": 1}, "a") == "comparison"
    assert comparison_picture({"a": 1, "../../b c": 2}, "../../b c") == "comparison_______b_c"
