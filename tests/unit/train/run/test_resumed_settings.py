"""A resumed run is told of settings that were changed, and of no others."""

from pathlib import Path

import pytest

from firebreak.checks import InputError
from firebreak.train.config.load import as_toml, load_config
from firebreak.train.data.splits import make_splits
from firebreak.train.run.resume import changed_settings
from firebreak.train.run.trainer import ParallelTrainer
from tiny import TINY

NEW_KEYS = ("crown", "spotting", "wind_towards")


def test_keys_that_a_checkpoint_does_not_know_yet_are_no_change() -> None:
    now = as_toml(load_config("quick"))
    then = "".join(line for line in now.splitlines(keepends=True)
                   if not line.startswith(NEW_KEYS))
    assert now.count("\n") - then.count("\n") == len(NEW_KEYS)
    assert changed_settings(then, now) == []
    words = ", ".join(changed_settings(then, as_toml(load_config("quick", ["fires.crown=cruz"]))))
    assert "fires.crown cruz instead of finney" in words


def test_a_checkpoint_of_another_version_is_compared_as_it_is() -> None:
    now = as_toml(load_config("quick"))
    words = ", ".join(changed_settings(f"unheard_of = 3\n{now}", now))
    assert "unheard_of None instead of 3" in words


@pytest.mark.usefixtures("bare_runs")
def test_a_change_that_does_not_fit_what_was_saved_is_named(tmp_path: Path) -> None:
    first = trainer_of(tmp_path)
    first.save()
    first.close()
    for change in ("replay.capacity=200", "train.num_envs=2", "agent.width=16"):
        key, value = change.split("=")
        again = trainer_of(tmp_path, change, "train.episodes=40")
        with pytest.raises(InputError) as told:
            again.resume()
        again.close()
        assert f"one with other settings: {key} {value} instead of " in str(told.value)
        assert "train.episodes" not in str(told.value)
        assert "torch" not in str(told.value)
        assert "resume with the settings the run was started with" in str(told.value)


def trainer_of(folder: Path, *changes: str) -> ParallelTrainer:
    config = load_config("quick", [*TINY, *changes])
    return ParallelTrainer(config, make_splits(config, Path()), folder)
