"""Test scenes of a run are made when it has ended."""

from pathlib import Path

import pytest

from firebreak.train.config.load import load_config
from firebreak.train.data import splits as module
from firebreak.train.data.splits import make_splits
from firebreak.train.run.trainer import ParallelTrainer
from tiny import TINIER


def test_no_test_scene_is_made_before_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[object] = []
    make = module.make_scene
    config = load_config("quick", [*TINIER, "evaluation.test_landscapes=3"])
    before = make_splits(config, Path()).test["synthetic"][1]
    monkeypatch.setattr(module, "make_scene", lambda *a: made.append(a) or make(*a))
    scenes = make_splits(config, Path()).test["synthetic"]
    validation = len(made)
    assert len(scenes) == 3
    assert len(made) == validation
    assert [scene.landscape.checksum() for scene in scenes][1] == before.landscape.checksum()
    assert scenes[1].key == before.key
    assert len(list(scenes)) == len(made) - validation == 3  # once


@pytest.mark.usefixtures("bare_runs")
def test_a_released_trainer_holds_no_environment(tmp_path: Path) -> None:
    config = load_config("quick", TINIER)
    trainer = ParallelTrainer(config, make_splits(config, Path()), tmp_path)
    list(trainer.run())
    trainer.release()
    assert trainer.arenas == trainer.cleaner.collectors == []
    assert trainer.weights_sha256()
