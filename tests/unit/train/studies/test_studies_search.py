"""Searches: the grid's order and pruning, Optuna's journal, mistakes."""

import sys
from pathlib import Path

import pytest

from firebreak.checks import InputError
from firebreak.train.config.load import as_toml, load_config
from firebreak.train.config.schema import RunConfig
from firebreak.train.studies.search import (
    GridSearch,
    OptunaSearch,
    changed,
    check_search,
    make_search,
)
from firebreak.train.studies.trials import best_trial, table

pytestmark = pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
try:
    import optuna  # noqa: F401
except ImportError:
    pytestmark = []  # type: ignore[assignment]


def config(*changes: str) -> RunConfig:
    return load_config("quick", list(changes))


def test_the_grid_has_every_combination_once_in_an_order_of_the_seed() -> None:
    first, again, other = (GridSearch(config(f"seed={seed}")) for seed in (1, 1, 2))
    points = [first.ask(k) for k in range(12)]
    assert points == [again.ask(k) for k in range(12)]
    assert points != [other.ask(k) for k in range(12)]
    assert len({tuple(point.items()) for point in points}) == 12
    assert {point["agent.n_step"] for point in points} == {1, 3}


def test_more_trials_than_points_are_refused() -> None:
    with pytest.raises(InputError, match="at most 12 trials, as many as the grid has points"):
        GridSearch(config("trials.trials=13"))


def test_a_trial_below_the_median_of_four_is_given_up_after_two_folds() -> None:
    search = GridSearch(config())
    for trial, score in enumerate((0.1, 0.2, 0.3, 0.4)):
        assert not search.report(trial, [0.0, 0.0])
        search.finish(trial, [score] * 5, pruned=False)
    assert not search.report(4, [0.0])
    assert search.report(4, [0.2, 0.29])
    assert not search.report(4, [0.25, 0.25])
    search.finish(4, [0.0, 0.0], pruned=True)
    assert not search.report(5, [0.25, 0.25])  # what was given up does not count
    assert not GridSearch(config("trials.prune=false")).report(4, [0.0, 0.0])


def test_changes_are_checked_like_a_file() -> None:
    assert changed(config(), {"agent.n_step": 3, "fires.plan_fires": 7}).agent.n_step == 3
    for wrong in ({"agent.n_stepp": 3}, {"agent.n_step": 0}, {"agent": 3}, {"agnt.n_step": 3}):
        with pytest.raises(InputError, match=r"trials\.search"):
            changed(config(), wrong)
    with pytest.raises(InputError, match="keys to search over, got none"):
        check_search(config("trials.search={}"))


def test_trials_take_no_workers_of_their_own() -> None:
    asked = ["train.collectors=2", "agent.gain_share=0"]
    with pytest.raises(InputError, match=r"train\.collectors = 0 in trials, got 2; leave it out"):
        check_search(config(*asked))
    check_search(config(*asked, "train.collector_executor='in-process'"))


def test_the_search_table_round_trips_through_toml(tmp_path: Path) -> None:
    given = config('trials.search={"agent.n_step" = [1, 2], "fires.crown" = ["none", "cruz"]}')
    (tmp_path / "c.toml").write_text(as_toml(given))
    assert load_config(str(tmp_path / "c.toml")) == given


def test_a_missing_optuna_says_which_extra_to_install(
        monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(InputError, match=r"pip install 'optuna>=|pip install '\.\[tune\]'"):
        make_search("optuna", config(), tmp_path)
    assert make_search("auto", config(), tmp_path).name == "grid"


def test_optuna_goes_on_after_a_stop_as_if_there_had_been_none(tmp_path: Path) -> None:
    pytest.importorskip("optuna")

    def score(changes: dict[str, float], fold: int) -> float:
        return 1.0 - 1000 * abs(changes["agent.learning_rate"] - 1e-3) - 0.01 * fold

    def go(folder: Path, stop_after: int) -> list[dict[str, float]]:
        """A new search object every `stop_after` trials, each of which repeats its first call."""
        asked = []
        for trial in range(7):
            if trial % stop_after == 0:
                search = OptunaSearch(config(), folder)
                search.ask(trial)
            changes = search.ask(trial)
            asked.append(changes)
            scores: list[float] = []
            pruned = False
            while len(scores) < 3 and not pruned:
                scores.append(score(changes, len(scores)))
                pruned = search.report(trial, scores)
            search.finish(trial, scores, pruned)
        return asked
    unbroken, broken = go(tmp_path / "a", 100), go(tmp_path / "b", 2)
    assert unbroken == broken
    assert all(3e-4 <= point["agent.learning_rate"] <= 1.5e-3 for point in unbroken)
    assert all(point["agent.n_step"] in (1, 2, 3) for point in unbroken)
    assert len({point["agent.learning_rate"] for point in unbroken}) == 7


def test_the_best_trial_is_chosen_by_validation_not_by_test() -> None:
    rows = [{"trial": k, "state": state, "validation": validation, "test": test, "low": None,
             "high": None, "folds": 3, "reference": 0.3, "rss_bytes": 1e6, "changes": {"a.b": k}}
            for k, (state, validation, test) in enumerate([
                ("finished", 0.2, 0.9), ("finished", 0.4, 0.1), ("pruned", 0.8, 0.8)])]
    assert best_trial(rows)["trial"] == 1
    lines = table(rows).split("\n")
    assert [line.split()[0] for line in lines[1:4]] == ["1", "0", "2"]
    assert "3*" in lines[3]
