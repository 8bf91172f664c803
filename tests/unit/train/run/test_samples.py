"""Every gradient step of every preset samples the replay, and its twin's too; the target network is
read once in each step above discount 0.
"""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from firebreak.agent import dqn
from firebreak.agent.exploration import discount_at
from firebreak.agent.replay import Replay
from firebreak.train.config.load import load_config, presets
from firebreak.train.config.schema import LandscapeConfig
from firebreak.train.data.splits import make_splits
from firebreak.train.run.trainer import ParallelTrainer
from tiny import TINIER

pytestmark = pytest.mark.usefixtures("bare_runs")


@pytest.mark.parametrize(("preset", "changes"), [
    *((preset, []) for preset in presets()), ("quick", ["agent.discount=0.3"])])
def test_every_gradient_step_of_a_preset_samples_the_replay(
        preset: str, changes: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On small land, with its own schedule of discounts, drawn together; and where the gains of
    actions are learned beside what follows.
    """
    own, tiny = load_config(preset, changes), load_config("quick", TINIER)
    fit = min(own.agent.fit_steps, 3)
    config = replace(
        tiny, mixture=replace(own.mixture, sizes=[10, 12], margin=0, plan_fires=(2, 8),
                              budget=(0.1, 0.2)),
        landscapes=LandscapeConfig(size=10), train=replace(tiny.train, episodes=14),
        agent=replace(tiny.agent, segments=own.agent.segments, gain_share=own.agent.gain_share,
                      gain_fires=4, discount=own.agent.discount, n_step=own.agent.n_step,
                      discount_end=own.agent.discount_end, discount_begin=3, discount_finish=6,
                      fit_steps=fit, twin=own.agent.twin,
                      demonstrations=own.agent.demonstrations))
    counts = dict.fromkeys(("sample", "sample_gains", "sample_ahead", "target"), 0)

    def counted(owner: object, name: str, key: str) -> None:
        called = getattr(owner, name)

        def call(*given: object) -> object:
            counts[key] += 1
            return called(*given)

        monkeypatch.setattr(owner, name, call)

    counted(Replay, "sample", "sample")
    counted(Replay, "sample_gains", "sample_gains")
    counted(Replay, "sample_ahead", "sample_ahead")
    counted(dqn, "double_q_target", "target")
    counted(dqn, "continued_value", "target")
    trainer = ParallelTrainer(config, make_splits(config, Path()), tmp_path)
    torch.manual_seed(0)
    steps = list(trainer.run())[-1]["learner_steps"]
    trainer.close()
    assert steps > 6 + fit
    ahead = own.agent.looks_ahead
    assert ahead == (own.agent.discount > 0.0)
    samples = counts["sample"] + counts["sample_gains"] + counts["sample_ahead"]
    assert samples == steps * (2 if own.agent.twin else 1)
    assert (counts["sample_ahead"] > 0) == ahead
    assert (counts["sample"] > 0) == (own.agent.discount_end > 0.0 and not ahead)
    assert (counts["sample_gains"] > 0) == (own.agent.gain_share > 0.0 and not ahead)
    # The twin, at discount 0, never reads it.
    assert counts["target"] == sum(discount_at(config.agent, step) > 0.0 for step in range(steps))
