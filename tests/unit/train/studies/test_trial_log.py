"""Rows of trials on disk: the same bytes again, clocks and memory elsewhere, old folders read."""

import json
from pathlib import Path
from typing import Any

import pytest

from firebreak.checks import InputError
from firebreak.train.studies import trials
from firebreak.train.studies.trials import ROWS, TIMINGS, FoldRunner, TrialLog

Row = dict[str, Any]
FOLD = {"kind": "fold", "trial": 0, "fold": 1, "changes": {"agent.n_step": 3}, "validation": 0.3,
        "test": 0.2, "reference": 0.1, "weights_sha256": "ab"}
TRIAL = {"kind": "trial", "trial": 0, "state": "finished", "changes": {"agent.n_step": 3},
         "folds": 2, "validation": 0.3, "test": 0.2, "low": 0.1, "high": 0.3, "reference": 0.1}


def measured(number: int) -> Row:
    return {"rss_bytes": number, "peak_rss_bytes": number + 1, "left": {"Replay": 0},
            "live": {"Replay": number}}


def written(folder: Path, *rows: Row) -> Path:
    log = TrialLog(folder)
    for row in rows:
        log.write(row)
    log.close()
    return folder


def known(folder: Path) -> list[Row]:
    log = TrialLog(folder)
    log.close()
    return log.known


def test_rows_have_the_same_bytes_whatever_was_measured(tmp_path: Path) -> None:
    a, b = (written(tmp_path / name, FOLD | measured(number),
                    TRIAL | measured(number) | {"driver_rss_bytes": number})
            for name, number in (("a", 7), ("b", 9)))
    assert (a / ROWS).read_bytes() == (b / ROWS).read_bytes()
    assert [json.loads(line) for line in (a / ROWS).read_text().splitlines()] == [FOLD, TRIAL]
    assert known(b) == [FOLD | measured(9), TRIAL | measured(9) | {"driver_rss_bytes": 9}]


def test_rows_of_earlier_versions_hold_what_was_measured_themselves(tmp_path: Path) -> None:
    (tmp_path / ROWS).write_text(json.dumps(FOLD | measured(5)) + "\n")
    assert known(tmp_path) == [FOLD | measured(5)]
    written(tmp_path, TRIAL | measured(6))
    assert known(tmp_path) == [FOLD | measured(5), TRIAL | measured(6)]


def test_of_a_fold_that_was_measured_twice_the_last_reading_counts(tmp_path: Path) -> None:
    """A stop came after its reading and before its row, so the fold was run again."""
    written(tmp_path, FOLD | measured(5))
    (tmp_path / ROWS).write_text("")
    assert known(tmp_path) == []
    assert known(written(tmp_path, FOLD | measured(6))) == [FOLD | measured(6)]


def test_rows_without_readings_are_enough(tmp_path: Path) -> None:
    written(tmp_path, FOLD | measured(5))
    (tmp_path / TIMINGS).unlink()
    assert known(tmp_path) == [FOLD]


def test_damaged_readings_are_named(tmp_path: Path) -> None:
    written(tmp_path, FOLD | measured(5))
    (tmp_path / TIMINGS).write_text('{"kind": "fold", "trial": 0, "fold": 1, "rss_bytes": "a"}\n')
    with pytest.raises(InputError, match=r"timings\.jsonl: expected rss_bytes in each row"):
        TrialLog(tmp_path)


def test_a_fold_writes_its_clocks_beside_its_results(tmp_path: Path,
                                                     monkeypatch: pytest.MonkeyPatch) -> None:
    class Trainer:
        def __init__(self, *_: object) -> None:
            pass

        def run(self) -> list[Row]:
            clocks = {"seconds": len(list(tmp_path.iterdir())), "rss_bytes": 7}
            counts = {"episodes": 4, "env_steps": 9, "learner_steps": 3}
            return [{"kind": "memory", **counts}, {"kind": "progress", **counts, **clocks},
                    {"kind": "validation", **counts, "reduction": 0.1},
                    {"kind": "end", **counts, "best_reduction": 0.1, "weights_sha256": "ab",
                     **clocks}]

        def close(self) -> None:
            pass

        check_learned = close

    class Nothing:
        def __getattr__(self, _: str) -> Any:
            return self

        def __getitem__(self, _: object) -> Any:
            return self

    nothing: Any = Nothing()
    monkeypatch.setattr(trials, "ParallelTrainer", Trainer)
    monkeypatch.setattr(trials, "splits_of", lambda *_: nothing)
    monkeypatch.setattr(trials, "evaluate", lambda *_, **__: nothing)
    monkeypatch.setattr(trials, "load_policy", lambda _: None)
    runner = FoldRunner.__new__(FoldRunner)
    runner.store = runner.folds = runner.data = nothing
    for name in ("a", "b"):
        runner._trained_and_tested(nothing, 0, tmp_path / name)
    files = {path.name for path in (tmp_path / "a").iterdir()}
    assert files == {"metrics.jsonl", "timings.jsonl"}
    results = (tmp_path / "a" / "metrics.jsonl").read_bytes()
    assert results == (tmp_path / "b" / "metrics.jsonl").read_bytes()
    assert [json.loads(line)["kind"] for line in results.splitlines()] == ["validation", "end"]
    assert "seconds" in (tmp_path / "a" / "timings.jsonl").read_text()
