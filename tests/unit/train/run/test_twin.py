"""The twin: it learns from the same batches at discount 0, and changes nothing in the run."""

from pathlib import Path
from typing import Any

import pytest
import torch

from firebreak.agent.network import hash_of_weights
from firebreak.agent.replay import Replay
from firebreak.api.shared.run_output import consume
from firebreak.report.pages.run_report import curves
from firebreak.train.config.load import load_config
from firebreak.train.data.splits import make_splits
from firebreak.train.run.trainer import ParallelTrainer
from firebreak.train.storage.stored import metrics_rows
from tiny import TINIER

pytestmark = pytest.mark.usefixtures("bare_runs")

CLOSING = ["landscapes.family=town", "budget=0.15", "agent.demonstrations=0.5", "agent.n_step=3",
           "agent.discount=1", "agent.discount_end=1"]


def trained(folder: Path, *changes: str) -> tuple[ParallelTrainer, list[dict[str, Any]]]:
    config = load_config("quick", [*TINIER, *CLOSING, *changes])
    torch.set_num_threads(1)
    folder.mkdir(exist_ok=True)
    trainer = ParallelTrainer(config, make_splits(config, Path()), folder)
    rows = list(trainer.run())
    trainer.close()
    return trainer, rows


@pytest.mark.parametrize("gains", [[], ["agent.gain_share=0.5", "agent.gain_fires=4"]])
def test_a_twin_learns_and_the_run_is_as_without_it(tmp_path: Path, gains: list[str]) -> None:
    alone, rows = trained(tmp_path / "alone", *gains)
    beside, with_twin = trained(tmp_path / "beside", *gains, "agent.twin=true")
    assert alone.twin is None
    assert beside.twin is not None
    assert beside.weights_sha256() == alone.weights_sha256()
    assert beside.twin.learner_steps == beside.agent.learner_steps > 0
    assert hash_of_weights(beside.twin.online_net) != beside.weights_sha256()
    own = [row for row in with_twin if row["kind"] == "validation"]
    assert [row["reduction"] for row in own] == [row["reduction"] for row in rows
                                                 if row["kind"] == "validation"]
    assert all(-1.0 <= row["twin_reduction"] <= 1.0 for row in own)
    assert not any("twin_reduction" in row for row in rows)


def test_both_learn_from_the_same_transitions_at_their_own_discounts(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = []
    sample = Replay.sample

    def kept(replay: Replay, size: int, discount: float, n_step: int,
             generator: torch.Generator) -> Any:
        batch = sample(replay, size, discount, n_step, generator)
        drawn.append((discount, batch))
        return batch

    monkeypatch.setattr(Replay, "sample", kept)
    trained(tmp_path, "agent.twin=true")
    pairs = list(zip(drawn[::2], drawn[1::2], strict=True))
    assert len(pairs) > 5
    for (of_twin, twin), (discount, own) in pairs:
        assert (of_twin, discount) == (0.0, 1.0)
        assert torch.equal(twin.observation, own.observation)
        assert torch.equal(twin.action, own.action)
        assert not twin.discount.any()
    assert any(own.discount.any() for _, (_, own) in pairs)



@pytest.mark.slow
def test_the_preset_closing_draws_both_networks(tmp_path: Path) -> None:
    config = load_config("closing", [
        "train.episodes=24", "train.learning_starts=60", "agent.discount_begin=2",
        "agent.discount_finish=8", "replay.capacity=400", "evaluation.every_episodes=12",
        "evaluation.validation_landscapes=4", "evaluation.test_landscapes=2",
        "evaluation.test_fires=20"])
    trainer = ParallelTrainer(config, make_splits(config, Path()), tmp_path)
    end = consume(trainer, tmp_path, config, quiet=True)
    assert end["learner_steps"] > 8
    assert trainer.twin is not None
    assert hash_of_weights(trainer.twin.online_net) != trainer.weights_sha256()
    rows = metrics_rows(tmp_path)
    assert all("twin_reduction" in row for row in rows if row["kind"] == "validation")
    (curve,) = curves(tmp_path, rows, [], {}, "a run")
    assert curve.stat().st_size > 10_000
