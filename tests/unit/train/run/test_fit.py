"""The learner steps after the last episode, on all states that a run has labelled."""

import copy
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
import torch

from firebreak.agent.distillation import lesson
from firebreak.agent.gain_store import GainBatch, GainStore
from firebreak.agent.network import QMapNetwork
from firebreak.agent.symmetry import as_floats
from firebreak.agent.targets import unit_of
from firebreak.checks import InputError
from firebreak.layout import ObservationLayout
from firebreak.train.config.load import load_config
from firebreak.train.data.splits import make_splits
from firebreak.train.run.fit import go_on_with, is_due, is_over, pass_over_empty
from firebreak.train.run.progress import Progress, RunState
from firebreak.train.run.trainer import ParallelTrainer
from tiny import TINY

SEGMENTS = ["agent.segments=true", "agent.gain_share=0.4", "agent.gain_fires=4",
            "agent.discount_end=0"]
FIT = [*TINY, *SEGMENTS, "agent.fit_steps=40", "train.episodes=6", "evaluation.every_episodes=6"]
EARLY = ["agent.learning_rate=0.004", "agent.learning_rate_end=0.0000001", "agent.decay_begin=0",
         "agent.decay_finish=1"]


def test_a_fit_begins_at_the_full_rate_and_lowers_the_loss_on_what_was_labelled(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run itself learns next to nothing: its rate has fallen to 1e-7 after one step."""
    monkeypatch.setattr("firebreak.train.run.fit.CELLS", 800)
    rates, sizes = [], []
    sample = GainStore.sample
    config = load_config("quick", [*FIT, *EARLY])
    trainer = ParallelTrainer(config, make_splits(config, Path()), tmp_path)

    def noted(store: GainStore, size: int, generator: torch.Generator) -> object:
        rates.append(trainer.agent.settings.learning_rate(trainer.agent.learner_steps))
        sizes.append(size)
        return sample(store, size, generator)

    monkeypatch.setattr(GainStore, "sample", noted)
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


@pytest.mark.parametrize(("kind", "steps"), [([], 48), (SEGMENTS, 24)], ids=["cells", "lines"])
def test_a_distillation_brings_a_view_nearer_to_the_mean_of_all(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: list[str], steps: int) -> None:
    """On states of the replay. The teacher is the network before the first step, to the last."""
    monkeypatch.setattr("firebreak.train.run.fit.CELLS", 800)
    config = load_config("quick", [*TINY, *kind, f"agent.distill_steps={steps}", "train.episodes=6",
                                   "agent.learning_rate=0.002", "evaluation.every_episodes=6",
                                   "evaluation.validation_landscapes=1"])
    trainer = ParallelTrainer(config, make_splits(config, Path()), tmp_path)
    agent, rows = trainer.agent, []
    before: QMapNetwork | None = None
    for row in trainer.run():
        if row["kind"] == "validation" and not trainer.progress.fitted:
            before = copy.deepcopy(agent.online_net)
        rows.append(row)
    assert before is not None
    assert all(torch.equal(one, other) for one, other in zip(
        before.parameters(), agent.target_net.parameters(), strict=True))
    drawn = trainer.arenas[0].replay.sample(40, 0.0, 1, torch.Generator().manual_seed(0))
    seen = as_floats(drawn.observation)
    taught = lesson(before, seen, agent.layout, torch.Generator().manual_seed(0))
    errors = [_error(network, taught, agent.layout) for network in (before, agent.online_net)]
    assert errors[1] < 0.7 * errors[0]
    trainer.close()
    checked = [row["learner_steps"] - rows[-1]["learner_steps"] for row in rows
               if row["kind"] == "validation"]
    assert checked[-9:] == list(range(-steps, 1, steps // 8))
    told = [row for row in rows if "distilled" in row]
    assert told[-1]["distilled"] == told[-1]["distill_steps"] == steps


@torch.no_grad()
def _error(network: QMapNetwork, taught: GainBatch, layout: ObservationLayout) -> float:
    """Mean square of what a network says less what it was taught."""
    unit = unit_of(taught.observation, layout)[:, None]
    said = network.parts(taught.observation, taught.line)[0]
    known = ~taught.gain.isnan()
    return float((said - taught.gain / unit)[known].square().mean())


def test_a_distillation_follows_a_fit_and_each_is_validated_by_itself() -> None:
    config = load_config("quick", [*FIT, "agent.distill_steps=16"])
    due = [step for step in range(57) if is_due(
        cast(RunState, SimpleNamespace(progress=SimpleNamespace(fitted=step))), config)]
    assert due == [*range(0, 41, 5), *range(42, 57, 2)]


@pytest.mark.parametrize("total", [1, 7, 8, 9, 15, 16, 17, 100, 1001])
def test_a_fit_is_validated_before_it_and_at_most_eight_times_on_the_way(total: int) -> None:
    config = load_config("quick", [*FIT, f"agent.fit_steps={total}"])
    due = [step for step in range(total + 1) if is_due(
        cast(RunState, SimpleNamespace(progress=SimpleNamespace(fitted=step))), config)]
    assert due[0] == 0
    assert due[-1] == total
    assert len(due) <= 9


@pytest.mark.parametrize(("fitted", "then", "now", "stands"), [
    (7, 10, 10, 7), (13, 10, 10, 13), (7, 10, 4, 4), (13, 10, 4, 7), (7, 10, 20, 7),
    (13, 10, 20, 10), (0, 10, 4, 0), (3, 0, 4, 0), (5, 10, 5, 5)])
def test_a_run_that_goes_on_with_other_steps_stands_in_the_part_that_it_was_in(
        fitted: int, then: int, now: int, stands: int) -> None:
    turn = Progress(next_validation=0, validated_at=100 + fitted, fitted=fitted)
    go_on_with(turn, then, now)
    assert turn.fitted == stands
    assert turn.validated_at == 100 + stands


def test_a_distillation_needs_no_labelled_states_and_a_fit_without_them_is_told_of(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firebreak.train.run.fit.CELLS", 800)
    config = load_config("quick", [*TINY, "agent.gain_share=1e-9", "agent.discount_end=0",
                                   "agent.fit_steps=40", "agent.distill_steps=6",
                                   "train.episodes=6", "evaluation.every_episodes=6",
                                   "evaluation.validation_landscapes=1"])
    trainer = ParallelTrainer(config, make_splits(config, Path()), tmp_path)
    with pytest.warns(UserWarning, match=r"no state was labelled with gains.*fit_steps = 40"):
        rows = list(trainer.run())
    trainer.close()
    assert [row["distilled"] for row in rows if "distilled" in row] == [1, 2, 3, 4, 5, 6]
    assert rows[-1]["learner_steps"] > 6
    assert not any("fitted" in row for row in rows)
    trainer.arenas[0].replay.clear()
    trainer.progress.fitted = 40
    with pytest.warns(UserWarning, match=r"the replay is empty.*distill_steps = 6"):
        pass_over_empty(trainer.state, config)
    assert is_over(trainer.state, config)


def test_a_fit_without_gains_is_refused() -> None:
    with pytest.raises(InputError, match="fit_steps needs gain_share above 0"):
        load_config("quick", ["agent.fit_steps=40"])
    with pytest.raises(InputError, match=r"agent\.fit_steps"):
        load_config("quick", [*FIT, "agent.fit_steps=-1"])
