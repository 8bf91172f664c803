"""A run that makes no gradient step says so at its start and its end, and has no policy."""

import json
import re
import warnings
from pathlib import Path

import pytest

import firebreak
from firebreak.agent.policy_file import load_policy
from firebreak.checks import InputError
from firebreak.cli import main
from firebreak.train.config.load import load_config
from firebreak.train.data.splits import make_splits
from firebreak.train.run.trainer import ParallelTrainer
from firebreak.train.run.turn import longest_episode
from firebreak.train.storage.checkpoints import CHECKPOINTS, checkpoints_of
from tiny import TINY

pytestmark = pytest.mark.usefixtures("bare_runs")

NEVER = "train.learning_starts=2000"
TINIER = [*TINY, "train.learning_starts=8", "train.episodes=4", "evaluation.every_episodes=4"]
SAID = r"the run will make no gradient step and write no policy: "


def run_of(folder: Path, *changes: str) -> ParallelTrainer:
    config = load_config("quick", [*TINIER, *changes])
    return ParallelTrainer(config, make_splits(config, Path()), folder)


@pytest.mark.filterwarnings("default")
def test_the_command_has_no_policy_to_offer_and_goes_on_to_one(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "run"
    assert main(["train", "quick", "--out", str(out), "--quiet", "--json",
                 *(word for change in [*TINIER, NEVER] for word in ("--set", change))]) == 0
    said, warned = capsys.readouterr()
    assert re.search(SAID + r".*2,000 .*learning_starts.*4 episodes .* give about", warned)
    told = json.loads(said.splitlines()[-1])
    assert told["learner_steps"] == 0
    assert told["weights_sha256"] is None
    assert "next:" not in said
    assert "Test landscapes" not in said
    assert "made no gradient step in" in said
    assert not (out / "policy.safetensors").exists()
    assert not (out / "evaluation.json").exists()
    assert checkpoints_of(out / CHECKPOINTS)
    longer = ParallelTrainer(load_config("quick", [*TINIER, "train.episodes=16"]),
                             make_splits(load_config("quick", TINIER), Path()), out)
    with pytest.warns(UserWarning, match=r"train\.learning_starts 8 instead of 2000"):
        longer.resume()
    assert list(longer.run())[-1]["weights_sha256"] == longer.weights_sha256()
    longer.close()
    assert load_policy(out).provenance["validation_reduction"] == longer.best.reduction


def test_python_gives_no_policy_that_learned_nothing() -> None:
    with (pytest.warns(UserWarning, match=SAID),
          pytest.raises(InputError, match="expected a run that makes a gradient step, got none")):
        firebreak.train_policy("quick", quiet=True, set=[*TINIER, NEVER])


def test_a_replay_below_the_first_step_is_named(tmp_path: Path) -> None:
    trainer = run_of(tmp_path, "train.episodes=1000", "replay.capacity=40",
                     "train.learning_starts=37")
    rows = trainer.run()
    with pytest.warns(UserWarning, match=SAID + r".* 37 .* the replay has room for 36 "):
        next(rows)
    rows.close()
    trainer.close()


def test_too_few_updates_for_one_step_are_named(tmp_path: Path) -> None:
    trainer = run_of(tmp_path, "train.updates_per_env_step=0.001")
    with pytest.warns(UserWarning, match=SAID + r".*needs 1,000 .*updates_per_env_step"):
        next(trainer.run())
    trainer.close()


def test_a_run_that_learns_is_not_warned(tmp_path: Path) -> None:
    trainer = run_of(tmp_path)
    longest = max(longest_episode(problem) for problem in trainer.arenas[0].problems)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        end = list(trainer.run())[-1]
    trainer.close()
    assert end["learner_steps"] > 0
    assert end["env_steps"] <= (4 + 4) * longest
    assert load_policy(tmp_path).provenance


def test_a_policy_that_was_best_before_learning_is_written_once_the_run_has_learned(
        tmp_path: Path) -> None:
    trainer = run_of(tmp_path)
    trainer.best.take(2.0, 0, {"run": "early"})  # no validation is better
    trainer.save()
    assert not (tmp_path / "policy.safetensors").exists()
    list(trainer.run())
    trainer.close()
    assert load_policy(tmp_path).provenance["run"] == "early"
