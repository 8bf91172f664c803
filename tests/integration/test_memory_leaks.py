"""Planted leaks are found, put down to their owner and phase; clean runs raise no alarm."""

from pathlib import Path

import pytest

from firebreak.api.shared.run_output import consume
from firebreak.cli.commands.memory import often_read
from firebreak.memory.verdict import Verdict, judge
from firebreak.train.config.load import load_config
from firebreak.train.data.splits import make_splits
from firebreak.train.run.trainer import ParallelTrainer
from firebreak.train.storage.metrics import read_rows
from leaks import LEAKS, Leak
from tiny import TINIER


def verdict_of(folder: Path, leaks: list[Leak], episodes: int = 60, seed: int = 0) -> Verdict:
    """The verdict on a run with these leaks planted."""
    config = often_read(load_config("quick", [*TINIER, f"seed={seed}"]), episodes)
    folder.mkdir(exist_ok=True)
    trainer = ParallelTrainer(config, make_splits(config, Path()), folder)
    undo = [leak.plant(trainer) for leak in leaks]
    try:
        consume(trainer, folder, config, quiet=True)
    finally:
        for call in reversed(undo):
            call()
    return judge(read_rows(folder / "memory.jsonl"))


def found_in(verdict: Verdict, leak: Leak) -> bool:
    """Whether the verdict names kind, owner and phase of the leak."""
    return any(growth.state == "leak" and growth.kind == leak.kind and leak.owner in growth.owner
               and growth.phase == leak.phase for growth in verdict.growths)


@pytest.mark.slow
def test_all_sorts_of_leaks_at_once_are_told_apart(tmp_path: Path) -> None:
    planted = {name: leak for name, leak in LEAKS.items()
               if name not in ("lru cache", "out of reach",  # they replace landscapes too
                               "memory of a child")}  # little beside children that are started
    verdict = verdict_of(tmp_path, list(planted.values()))
    assert verdict.state == "leak"
    assert [name for name, leak in planted.items() if not found_in(verdict, leak)] == []


@pytest.mark.slow
def test_a_clean_run_is_no_leak(tmp_path: Path) -> None:
    verdict = verdict_of(tmp_path, [], episodes=150)
    assert verdict.state == "ok", verdict


@pytest.mark.slow
@pytest.mark.parametrize("name", LEAKS)
@pytest.mark.parametrize("seed", [1, 2])
def test_each_leak_alone_is_found(tmp_path: Path, name: str, seed: int) -> None:
    verdict = verdict_of(tmp_path, [LEAKS[name]], seed=seed)
    assert verdict.state == "leak"
    assert found_in(verdict, LEAKS[name]), verdict.growths


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_clean_runs_of_ten_seeds_are_no_leak(tmp_path: Path, seed: int) -> None:
    verdict = verdict_of(tmp_path, [], episodes=150, seed=seed)
    assert verdict.state == "ok", verdict
