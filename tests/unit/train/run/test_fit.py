"""The learner steps after the last episode, on all states that a run has labelled."""

from itertools import count, pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
import torch

from firebreak.agent.dqn import DQNAgent
from firebreak.agent.network import hash_of_weights
from firebreak.agent.policy_file import load_policy
from firebreak.agent.replay import Replay
from firebreak.checks import InputError
from firebreak.train.config.load import load_config
from firebreak.train.data.splits import make_splits
from firebreak.train.rollout.player import Validation
from firebreak.train.run.progress import RunState
from firebreak.train.run.trainer import ParallelTrainer
from firebreak.train.run.turn import is_due
from tiny import TINY

pytestmark = pytest.mark.usefixtures("bare_runs")
SEGMENTS = ["agent.segments=true", "agent.gain_share=0.25", "agent.gain_fires=4",
            "agent.discount_end=0"]
FIT = [*TINY, *SEGMENTS, "agent.fit_steps=40", "train.episodes=6", "evaluation.every_episodes=6"]
EARLY = ["agent.learning_rate=0.004", "agent.learning_rate_end=0.0000001", "agent.decay_begin=0",
         "agent.decay_finish=1"]


@pytest.mark.slow
def test_a_fit_begins_at_the_full_rate_and_lowers_the_loss_on_what_was_labelled(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run itself learns next to nothing: its rate has fallen to 1e-7 after one step."""
    monkeypatch.setattr("firebreak.train.data.sizes.CELLS", 800)
    rates, sizes = [], []
    sample, learn = Replay.sample_gains, DQNAgent.learn
    config = load_config("quick", [*FIT, *EARLY])
    trainer = ParallelTrainer(config, make_splits(config, Path()), tmp_path)

    def noted(replay: Replay, size: int, generator: torch.Generator) -> object:
        sizes.append(size)
        return sample(replay, size, generator)

    def learned(agent: DQNAgent, *given: object) -> object:
        update = learn(agent, *given)
        rates.append(agent.optimizer.param_groups[0]["lr"])
        return update

    monkeypatch.setattr(Replay, "sample_gains", noted)
    monkeypatch.setattr(DQNAgent, "learn", learned)
    rows = list(trainer.run())
    trainer.close()
    end = rows[-1]
    before = end["learner_steps"] - 40
    assert rates[before:before + 9] == pytest.approx([0.004] * 9)
    assert rates[before + 24] == pytest.approx(0.002)
    assert 0.0 < rates[-1] < 0.004 / 30
    assert all(one > other for one, other in pairwise(rates[before + 8:]))
    assert set(sizes[before:]) == {8}
    losses = [row["loss"] for row in rows if row["kind"] == "progress"
              and row["learner_steps"] > before]
    assert losses[-1] < 0.8 * losses[0]
    checked = [row["learner_steps"] - before for row in rows if row["kind"] == "validation"]
    assert checked[-9:] == [0, 5, 10, 15, 20, 25, 30, 35, 40]
    assert trainer.progress.fitted == 40


@pytest.mark.slow
@pytest.mark.parametrize("fit_steps", [0, 16])
def test_a_fit_keeps_its_last_weights_and_a_run_without_one_the_best(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fit_steps: int) -> None:
    """Validation falls from one time to the next."""
    given = count(0, -1)
    monkeypatch.setattr("firebreak.train.run.trainer.validate",
                        lambda *_: Validation(float(next(given)), 0.0))
    config = load_config("quick", [*FIT, f"agent.fit_steps={fit_steps}", "train.episodes=8",
                                   "evaluation.every_episodes=4"])
    trainer = ParallelTrainer(config, make_splits(config, Path()), tmp_path)
    rows = list(trainer.run())
    trainer.close()
    last = hash_of_weights(trainer.agent.online_net)
    assert next(given) < -1  # there were earlier ones, all better
    kept = load_policy(tmp_path)
    assert (hash_of_weights(kept.network) == last) == bool(fit_steps)
    assert rows[-1]["best_learner_steps"] == kept.provenance["learner_steps"]
    assert (rows[-1]["best_learner_steps"] == rows[-1]["learner_steps"]) == bool(fit_steps)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:the run goes on with agent.fit_steps")
@pytest.mark.parametrize("lowered", [5, 8])
def test_a_fit_that_is_cut_short_keeps_its_last_weights_also_for_what_goes_on(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lowered: int) -> None:
    """It stops at a validation in its midst; validation falls from one time to the next."""
    given = count(0, -1)
    monkeypatch.setattr("firebreak.train.run.trainer.validate",
                        lambda *_: Validation(float(next(given)), 0.0))

    def trainer(*changes: str) -> ParallelTrainer:
        config = load_config("quick", [*FIT, "agent.fit_steps=16", *changes])
        return ParallelTrainer(config, make_splits(config, Path()), tmp_path)
    first = trainer()
    for row in first.run():
        if row["kind"] == "validation" and first.progress.fitted == 8:
            first.stop_asked = True
    first.close()
    again = trainer(f"agent.fit_steps={lowered}")
    again.resume()
    assert list(again.run())[-1]["kind"] == "end"
    again.close()
    last = hash_of_weights(again.agent.online_net)
    assert hash_of_weights(load_policy(tmp_path).network) == last
    longer = trainer("train.episodes=40")
    longer.resume()  # writes the policy that its checkpoint has
    longer.close()
    assert hash_of_weights(load_policy(tmp_path).network) == last


@pytest.mark.parametrize("total", [1, 7, 8, 9, 15, 16, 17, 100, 1001])
def test_a_fit_is_validated_before_it_and_at_most_eight_times_on_the_way(total: int) -> None:
    config = load_config("quick", [*FIT, f"agent.fit_steps={total}"])
    due = [step for step in range(total + 1) if is_due(
        cast(RunState, SimpleNamespace(config=config, progress=SimpleNamespace(fitted=step))))]
    assert due[0] == 0
    assert due[-1] == total
    assert len(due) <= 9


def test_a_fit_without_labelled_states_is_passed_over_with_a_warning(tmp_path: Path) -> None:
    config = load_config("quick", [*TINY, "agent.gain_share=1e-9", "agent.discount_end=0",
                                   "agent.fit_steps=40", "train.episodes=6",
                                   "evaluation.every_episodes=6",
                                   "evaluation.validation_landscapes=1"])
    trainer = ParallelTrainer(config, make_splits(config, Path()), tmp_path)
    with pytest.warns(UserWarning, match=r"no state was labelled with gains.*fit_steps = 40"):
        rows = list(trainer.run())
    trainer.close()
    assert rows[-1]["kind"] == "end"
    assert rows[-1]["learner_steps"] > 0
    assert not any("fitted" in row for row in rows)


def test_a_fit_without_gains_is_refused() -> None:
    with pytest.raises(InputError, match=r"gain_share above 0 and .* with agent\.fit_steps"):
        load_config("quick", ["agent.fit_steps=40"])
    with pytest.raises(InputError, match=r"agent\.fit_steps"):
        load_config("quick", [*FIT, "agent.fit_steps=-1"])
