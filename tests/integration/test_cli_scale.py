"""`evolve` and `trials` as a user types them: lines, files, the last line, a stop, mistakes."""

import gc
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bare import without_looks_at_memory
from firebreak.cli import main
from firebreak.memory.registry import live_counts
from firebreak.train.config.load import load_config
from firebreak.train.rollout.player import Player
from firebreak.train.storage.metrics import read_rows
from tiny import TINIER

SET = [part for change in [
    *TINIER, "evolution.population=3", "evolution.generations=3", "evolution.episodes=2",
    "evolution.updates=2", "evolution.elites=1", "evolution.figure_every=2", "train.num_envs=2",
    "evaluation.methods=['none','dqn']", "train.episodes=6", "trials.landscapes=4"]
    for part in ("--set", change)]


def run(*arguments: str) -> int:
    return main([*arguments[:1], "quick", *SET, *arguments[1:]])


@pytest.fixture(scope="module")
def evolved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cli") / "run"
    with pytest.MonkeyPatch.context() as patch:
        without_looks_at_memory(patch)
        assert run("evolve", "--out", str(folder), "--set",
                   f"artifacts.store='{folder.parent}/store'") == 0
    return folder


def test_evolve_writes_figure_policy_metrics_and_copies(evolved: Path) -> None:
    assert (evolved / "figures" / "fitness.png").stat().st_size > 10_000
    for name in ("policy.safetensors", "metrics.jsonl", "memory.jsonl", "config.toml",
                 "evaluation.json"):
        assert (evolved / name).is_file()
    assert (evolved.parent / "store" / "policy.safetensors").read_bytes() == (
        evolved / "policy.safetensors").read_bytes()
    assert json.loads((evolved / "artifacts.json").read_text())["failed"] == 0


@pytest.mark.slow
def test_evolve_resumes_to_more_generations_and_ends_with_the_contract(
        evolved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gc.collect()  # what other tests no longer hold
    before = live_counts()
    assert main(["evolve", "--resume", str(evolved), "--generations", "4", "--json"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert len([line for line in out if line.startswith("generation ")]) == 1
    last = json.loads(out[-1])
    assert last["schema"] == 1
    assert last["generations"] == 4
    assert last["best_fitness"] >= last["first_fitness"]
    kinds = {"agents": "DQNAgent", "envs": "FuelbreakVectorEnv", "replays": "Replay"}
    assert {name: last["live"][name] - before.get(kind, 0) for name, kind in kinds.items()} == {
        "agents": 4, "envs": 2, "replays": 1}


@pytest.mark.slow
def test_another_evolution_has_the_same_bytes_of_metrics(evolved: Path, tmp_path: Path) -> None:
    assert run("evolve", "--out", str(tmp_path / "again"), "--executor", "processes",
               "--workers", "2") == 0
    again = (tmp_path / "again" / "metrics.jsonl").read_bytes()
    # The first run may have been resumed to more generations since.
    assert (evolved / "metrics.jsonl").read_bytes().startswith(again[:again.rindex(b'{"kind"')])
    assert again.count(b'"generation"') >= 3


@pytest.mark.slow
@pytest.mark.usefixtures("bare_runs")
def test_the_gate_is_printed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert run("evolve", "--out", str(tmp_path / "r"), "--generations", "1", "--set",
               "train.learning_starts=6960") == 0
    line = next(line for line in capsys.readouterr().out.splitlines()
                if line.startswith("generation 0"))
    assert " / 6,960, not ready: no learning" in line


@pytest.mark.usefixtures("bare_runs")
def test_trials_write_a_table_and_a_configuration_that_trains(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "t"
    assert run("trials", "--folds", "3", "--trials", "1", "--search", "grid", "--executor",
               "in-process", "--out", str(folder), "--json") == 0
    last = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert {"schema", "files", "seconds", "best"} <= set(last)
    assert all(Path(file).is_file() for file in last["files"])
    best = load_config(str(folder / "best.toml"))
    assert best.agent.n_step == last["best"]["changes"]["agent.n_step"]


@pytest.mark.slow
def test_an_optuna_search_that_is_killed_goes_on_to_the_same_trials(tmp_path: Path) -> None:
    """Through the command: proposals, pruning, journal and table."""
    pytest.importorskip("optuna")
    search = ["--folds", "3", "--trials", "8", "--search", "optuna", "--executor", "in-process"]
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    assert run("trials", *search, "--out", str(whole)) == 0
    child = subprocess.Popen(
        [sys.executable, "-c", "import sys; from firebreak.cli import main; main(sys.argv[1:])",
         "trials", "quick", *SET, *search, "--out", str(broken)], stdout=subprocess.DEVNULL)
    rows = broken / "trials.jsonl"
    while not rows.is_file() or len(rows.read_text().splitlines()) < 6:
        assert child.poll() is None
        time.sleep(0.05)
    child.kill()
    child.wait()
    assert len(rows.read_text().splitlines()) < len((whole / rows.name).read_text().splitlines())
    assert main(["trials", "--resume", str(broken), "--executor", "in-process"]) == 0

    def told(folder: Path) -> list[dict[str, object]]:
        return [{key: value for key, value in row.items() if "rss" not in key and key != "live"}
                for row in read_rows(folder / rows.name)]
    assert told(broken) == told(whole)
    assert {row["state"] for row in told(whole) if row["kind"] == "trial"} == {"finished", "pruned"}
    assert load_config(str(broken / "best.toml")) == load_config(str(whole / "best.toml"))


@pytest.mark.parametrize(("arguments", "text"), [
    (("evolve", "--population", "1"), "--population: expected a whole number of at least 2"),
    (("evolve", "--resume", "nowhere"), "config.toml"),
    (("evolve", "--executor", "ray", "--ray-address", "127.0.0.1:9"), "no answer"),
    (("evolve", "--executor", "processes", "--workers", "-1"), "at least 0 and at most 4096"),
    (("evolve", "--set", "artifacts.store='/proc/nowhere'"), "a store that can be written"),
    (("trials", "--folds", "5"), "at most 4 folds"),
    (("trials", "--set", "trials.search={'agent.widht'=[8]}"), "widht")])
def test_mistakes_are_one_sentence_and_exit_2(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
        arguments: tuple[str, ...], text: str) -> None:
    monkeypatch.chdir(tmp_path)
    if "ray" in arguments:
        pytest.importorskip("ray")
    alone = "--resume" in arguments  # which takes no preset and no other folder beside it
    assert (main([*arguments]) if alone else
            run(arguments[0], "--out", str(tmp_path / "new"), *arguments[1:])) == 2
    error = capsys.readouterr().err
    assert error.startswith("firebreak: ")
    assert error.count("\n") == 1
    assert text in error
    assert not os.path.exists(tmp_path / "new" / "metrics.jsonl")


@pytest.mark.slow
def test_a_worker_that_dies_every_time_ends_the_run_with_its_index_and_a_checkpoint(
        evolved: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def dying(self: object, *_: object) -> None:
        raise MemoryError("planted")
    monkeypatch.setattr(Player, "judge", dying)
    assert main(["evolve", "--resume", str(evolved), "--generations", "9"]) == 3
    assert "worker 0 of 1 (in-process) raised" in capsys.readouterr().err
    monkeypatch.undo()
    assert main(["evolve", "--resume", str(evolved), "--generations", "5"]) == 0
