"""Learner steps shared by workers: the same bits with any number of them, a killed one too."""

import os
import signal
import warnings
from pathlib import Path
from typing import Any

import pytest

from firebreak.agent import losses
from firebreak.checks import InputError
from firebreak.train.config.load import load_config
from firebreak.train.data.splits import make_splits
from firebreak.train.run.learners import LearnerPool, most_parts
from firebreak.train.run.trainer import ParallelTrainer
from tiny import TINY

SHORT = [*TINY, "agent.target_period=3", "train.learning_starts=8"]
TRANSITIONS = ["agent.discount=0.5", "agent.n_step=2", "agent.demonstrations=0.5",
               "mixture.sizes=[10,14]"]
RETURNS = ["agent.gain_share=0.25", "agent.gain_fires=4", "agent.discount_end=0",
           "agent.return_share=0.6", "agent.return_actions=3", "agent.return_fires=8",
           "agent.segments=true"]
FIT = ["agent.segments=true", "agent.gain_share=0.25", "agent.gain_fires=4",
       "agent.discount_end=0", "agent.fit_steps=12", "train.episodes=8"]
MIXED = ["agent.gain_share=0.2", "agent.gain_fires=4", "agent.discount_begin=6",
         "agent.discount_finish=12"]
HERE = ["train.learners=2", "train.learner_executor='in-process'"]

pytestmark = pytest.mark.usefixtures("bare_runs")


@pytest.fixture(autouse=True)
def several_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches of eight maps of 10x10 go through the network in three parts, the last a short one.
    """
    monkeypatch.setattr(losses, "MAX_PART_CELLS", 300)


def begun(folder: Path, *changes: str) -> ParallelTrainer:
    config = load_config("quick", [*SHORT, *changes])
    folder.mkdir(exist_ok=True)
    return ParallelTrainer(config, make_splits(config, Path()), folder)


def finished(trainer: ParallelTrainer) -> dict[str, Any]:
    """The last row of a run, without times."""
    try:
        end = list(trainer.run())[-1]
    finally:
        trainer.close()
    assert end["learner_steps"] > 4
    return {name: end[name] for name in ("weights_sha256", "mean_loss", "learner_steps",
                                         "best_reduction")}


def pool_of(trainer: ParallelTrainer) -> LearnerPool:
    assert trainer.learners is not None
    return trainer.learners


@pytest.mark.parametrize("changes", [TRANSITIONS, MIXED, RETURNS,
                                     pytest.param(FIT, marks=pytest.mark.slow)],
                         ids=["transitions", "gains-then-transitions", "returns-of-lines", "fit"])
def test_learners_give_the_bits_of_a_run_without_them(tmp_path: Path, changes: list[str]) -> None:
    alone = finished(begun(tmp_path / "alone", *changes))
    shared = begun(tmp_path / "shared", *changes, *HERE)
    assert finished(shared) == alone


@pytest.mark.slow
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGSTOP])
def test_processes_give_the_same_bits_even_if_one_is_killed_or_hangs(
        tmp_path: Path, sent: signal.Signals) -> None:
    alone = finished(begun(tmp_path / "alone", *MIXED))
    trainer = begun(tmp_path / "shared", *MIXED, "train.learners=2", "train.collector_limit_s=40")
    pool, struck = pool_of(trainer), False
    step = trainer.agent.descend

    def striking(*given: Any) -> Any:
        nonlocal struck
        if not struck and trainer.agent.learner_steps == 3:
            executor = pool._open()
            os.kill(executor.backend.process_ids()[1], sent)  # type: ignore[attr-defined]
            struck = True
        return step(*given)
    trainer.agent.descend = striking
    rows = list(trainer.run())
    assert pool._open().restarts == 1
    trainer.close()
    assert rows[-1]["weights_sha256"] == alone["weights_sha256"]


@pytest.mark.slow
def test_a_run_goes_on_with_another_number_of_learners_and_no_warning(tmp_path: Path) -> None:
    long = [*MIXED, "evaluation.every_episodes=8"]
    alone = finished(begun(tmp_path / "alone", *long))
    finished(begun(tmp_path / "parts", *long, *HERE, "train.episodes=8"))
    again = begun(tmp_path / "parts", *long)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again.resume()
    assert finished(again) == alone


@pytest.mark.parametrize(("changes", "reason"), [
    (["train.device='cuda'"], r"train\.device = \"cpu\" together with train\.learners"),
    (["train.torch_threads=2"], r"train\.torch_threads = 1 together with train\.learners"),
])
def test_what_learners_cannot_do_is_refused(tmp_path: Path, changes: list[str],
                                            reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        begun(tmp_path, *changes, *HERE)


def test_more_learners_than_parts_are_warned_of(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match=r"at most 3 parts, so that of train\.learners = 5"):
        begun(tmp_path, "train.learners=5").close()


@pytest.mark.slow
def test_most_parts_are_those_of_the_batches(tmp_path: Path) -> None:
    trainer = begun(tmp_path, *FIT, "mixture.sizes=[10,14,20]", "landscapes.margin=2")
    seen = []
    step = trainer.agent.descend

    def counting(networks: Any, parts: Any) -> Any:
        seen.append(len(parts))
        return step(networks, parts)
    trainer.agent.descend = counting
    finished(trainer)
    assert max(seen) == most_parts(trainer.config) > 1
