"""A run that is stopped and goes on is the run that was not stopped, bit for bit."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from firebreak.agent.network import hash_of_weights
from firebreak.agent.policy_file import load_policy
from firebreak.api.shared.run_output import consume
from firebreak.checks import InputError
from firebreak.env.gym_env import FuelbreakVectorEnv
from firebreak.native_library import max_threads, set_threads
from firebreak.train.config.load import load_config
from firebreak.train.config.schema import RunConfig
from firebreak.train.data.splits import make_splits
from firebreak.train.run.trainer import ParallelTrainer
from firebreak.train.storage.checkpoints import CHECKPOINTS, checkpoints_of
from firebreak.train.storage.metrics import read_rows, rewind
from tiny import TINY

MIXED = ["mixture.sizes=[8,12]", "mixture.budget=[0.03,0.2]", "mixture.plan_fires=[2,12]",
         "mixture.burned_share=[0.05,0.4]", "mixture.wind_20ft_km_h=[5,40]", "mixture.margin=3",
         "mixture.wind_direction_spread_deg=[0,90]", "mixture.value_maps=0.5"]
JOBS = ["mixture.sizes=[10,14]", "mixture.fbp=0.5", "mixture.shaded=0.2", "mixture.narrow=0.2",
        "mixture.breached=0.2", "mixture.existing=0.6", "mixture.parts=0.5",
        "mixture.slope_costs=0.5", "budget=0.2"]
HELD = ["mixture.held=0.5", "mixture.narrow=0.2", "mixture.existing=1", "budget=0.2"]
PARTS = ["agent.n_step=3", "agent.demonstrations=0.6", "agent.twin=true", "agent.discount=0.5",
         "landscapes.family=town", "budget=0.15"]
GAINS = ["agent.gain_share=0.2", "agent.gain_fires=4", "agent.discount_begin=6",
         "agent.discount_finish=12"]
CELLS = ["agent.gain_share=0.25", "agent.gain_fires=4", "agent.discount_end=0"]
SEGMENTS = ["agent.segments=true", *CELLS]
ONE = ["train.episodes=6", "evaluation.every_episodes=6", "evaluation.validation_landscapes=1",
       "evaluation.test_landscapes=1"]
FIT = [*SEGMENTS, *ONE, "agent.fit_steps=40"]


pytestmark = pytest.mark.usefixtures("bare_runs")


def tiny(*changes: str) -> RunConfig:
    return load_config("quick", [*TINY, *changes])


class Stopper:
    """Asks a trainer to stop the n-th time that it looks whether it should."""

    def __init__(self, trainer: ParallelTrainer, at: int) -> None:
        self.trainer, self.left = trainer, at
        self.look, trainer.check_stop = trainer.check_stop, self  # type: ignore[method-assign]

    def __call__(self) -> None:
        self.left -= 1
        self.trainer.stop_asked |= self.left < 0
        self.look()


def made(folder: Path, config: RunConfig) -> ParallelTrainer:
    torch.set_num_threads(config.train.torch_threads)
    return ParallelTrainer(config, make_splits(config, Path()), folder)


def trained(folder: Path, *changes: str, resume: bool = False,
            stop_at: int | None = None) -> tuple[ParallelTrainer, dict[str, Any]]:
    trainer = made(folder, tiny(*changes))
    if resume:
        rewind(folder, trainer.resume())
    if stop_at is not None:
        Stopper(trainer, stop_at)
    return trainer, consume(trainer, folder, trainer.config, quiet=True)


def content(folder: Path, trainer: ParallelTrainer) -> dict[str, Any]:
    """All that must be the same, as bytes."""
    agent = trainer.agent
    replays = {f"{place}/{name}": tensor.numpy().tobytes()
               for place, arena in enumerate(trainer.arenas)
               for name, tensor in arena.replay.state().items()}
    optimizer = {(number, name): value.numpy().tobytes()
                 for number, state in agent.optimizer.state_dict()["state"].items()
                 for name, value in state.items()}
    policy = load_policy(folder)
    provenance = {k: v for k, v in policy.provenance.items() if k not in ("run", "config")}
    return {"weights": trainer.weights_sha256(), "replays": replays, "optimizer": optimizer,
            "twin": hash_of_weights(trainer.twin.online_net) if trainer.twin else None,
            "acting": agent.acting.get_state().numpy().tobytes(),
            "sampling": agent.sampling.get_state().numpy().tobytes(),
            "layers": [arena.env.slots.layers.tobytes() for arena in trainer.arenas],
            "metrics": (folder / "metrics.jsonl").read_text(), "provenance": provenance,
            "policy": {k: v.numpy().tobytes() for k, v in policy.network.state_dict().items()}}


def differing(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    return [key for key in one if one[key] != other[key]]


@pytest.mark.parametrize("changes", [[], *(pytest.param(changes, marks=pytest.mark.slow)
                                           for changes in (MIXED, PARTS, GAINS, SEGMENTS,
                                                           [*JOBS, *SEGMENTS]))],
                         ids=["plain", "mixture", "options", "gains", "segments", "jobs"])
def test_half_a_run_and_its_resumption_are_the_whole_run(tmp_path: Path,
                                                         changes: list[str]) -> None:
    long = [*changes, "train.episodes=16", "evaluation.every_episodes=6"]
    whole, _ = trained(tmp_path / "whole", *long)
    # 8 is no multiple of 6: the half is validated where the whole is not.
    trained(tmp_path / "parts", *long, "train.episodes=8")
    parts, _ = trained(tmp_path / "parts", *long, resume=True)
    expected = content(tmp_path / "whole", whole)
    assert differing(expected, content(tmp_path / "parts", parts)) == []
    assert '"kind": "end"' in expected["metrics"]


@pytest.mark.slow
@pytest.mark.parametrize("changes", [[], MIXED, GAINS], ids=["plain", "mixture", "gains"])
def test_a_run_stopped_at_any_step_goes_on_as_if_it_had_not(tmp_path: Path,
                                                            changes: list[str]) -> None:
    changes = [*changes, "train.collect_steps=3", "evaluation.every_episodes=6",
               "train.episodes=12"]
    whole, looks = counted(tmp_path / "whole", *changes)
    draw = np.random.default_rng(5)
    folder = tmp_path / "parts"
    stops, resume = 0, False
    for at in [0, 1, 2, *draw.integers(1, looks // 2, 6).tolist(), None]:
        parts, end = trained(folder, *changes, resume=resume, stop_at=at)
        resume, stops = True, stops + (end["kind"] == "stopped")
        if end["kind"] == "end":
            break
    assert stops > 4
    assert end["kind"] == "end"
    assert differing(content(tmp_path / "whole", whole), content(folder, parts)) == []
    assert len(checkpoints_of(folder / CHECKPOINTS)) <= 3


def counted(folder: Path, *changes: str) -> tuple[ParallelTrainer, int]:
    """A whole run, and how often it looked whether it should stop."""
    trainer, looks = made(folder, tiny(*changes)), list[None]()
    trainer.check_stop = lambda: looks.append(None)  # type: ignore[method-assign]
    consume(trainer, folder, trainer.config, quiet=True)
    return trainer, len(looks)


@pytest.fixture
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firebreak.train.data.sizes.CELLS", 800)


@pytest.mark.slow
@pytest.mark.usefixtures("_small_batches")
@pytest.mark.parametrize("changes", [
    FIT, pytest.param([*CELLS, *ONE, "agent.fit_steps=40"], marks=pytest.mark.slow)],
                         ids=["lines", "cells"])
def test_a_run_stopped_while_it_fits_goes_on_as_if_it_had_not(tmp_path: Path,
                                                              changes: list[str]) -> None:
    """Between learner steps, and in validations."""
    whole, looks = counted(tmp_path / "whole", *changes)
    folder = tmp_path / "parts"
    for resume, at in ((False, looks - 20), (True, 8), (True, 10)):
        stopped, end = trained(folder, *changes, resume=resume, stop_at=at)
        assert end["kind"] == "stopped"
        assert stopped.progress.fitted > 0
    parts, end = trained(folder, *changes, resume=True)
    assert end["kind"] == "end"
    assert differing(content(tmp_path / "whole", whole), content(folder, parts)) == []


@pytest.mark.slow
@pytest.mark.usefixtures("_small_batches")
def test_a_run_that_is_lengthened_collects_and_fits_again(tmp_path: Path) -> None:
    end = trained(tmp_path, *FIT)[1]
    same = trained(tmp_path, *FIT, resume=True)[1]
    assert same["weights_sha256"] == end["weights_sha256"]
    longer, last = trained(tmp_path, *FIT, "train.episodes=16", resume=True)
    assert last["episodes"] >= 16 > end["episodes"]
    assert longer.progress.fitted == 40
    assert last["learner_steps"] >= end["learner_steps"] + 40
    checked = [row["learner_steps"] for row in read_rows(tmp_path / "metrics.jsonl")
             if row["kind"] == "validation"]
    assert checked == sorted(checked)


@pytest.mark.usefixtures("_small_batches")
def test_a_fit_that_goes_on_with_fewer_steps_than_it_has_made_is_over(tmp_path: Path) -> None:
    first = made(tmp_path, tiny(*FIT))
    look = first.check_stop

    def stop_in_the_fit() -> None:
        first.stop_asked |= first.progress.fitted >= 20
        look()
    first.check_stop = stop_in_the_fit  # type: ignore[method-assign]
    assert consume(first, tmp_path, first.config, quiet=True)["kind"] == "stopped"
    trainer = made(tmp_path, tiny(*FIT, "agent.fit_steps=12"))
    with pytest.warns(UserWarning, match=r"goes on with agent\.fit_steps 12 instead of 40"):
        rewind(tmp_path, trainer.resume())
    steps = trainer.agent.learner_steps
    end = consume(trainer, tmp_path, trainer.config, quiet=True)
    assert end["learner_steps"] == steps
    assert read_rows(tmp_path / "metrics.jsonl")[-2]["kind"] == "validation"


@pytest.mark.slow
@pytest.mark.parametrize("changes", [
    [], ["breaks.kind=\"shaded\""], ["breaks.breach=\"wilson\"", "breaks.width_m=8"],
    ["fires.losses=[0.1,0.2,0.4,0.6,0.8,1.0]"], ["fires.spotting=true"], MIXED,
    JOBS, HELD])
def test_an_environment_comes_back_in_mid_episode(changes: list[str]) -> None:
    config = tiny(*changes)
    source = make_splits(config, Path()).train[-1]
    first, again = FuelbreakVectorEnv(source, 3), FuelbreakVectorEnv(source, 3)
    _, info = first.reset(seed=3)
    again.reset(seed=8)
    draw = np.random.default_rng(0)

    def actions(mask: np.ndarray) -> np.ndarray:
        return np.array([draw.choice(np.flatnonzero(row)) for row in mask])
    for step in range(7):
        if step == 4:  # an illegal action wastes some budget
            illegal = np.array([np.flatnonzero(row == 0)[0] for row in info["action_mask"]])
            info = first.step(illegal)[4]
        else:
            info = first.step(actions(info["action_mask"]))[4]
    observation, restored = again.restore(first.state())
    assert (observation * 255).round().astype(np.uint8).tobytes() == first.slots.layers.tobytes()
    assert np.array_equal(restored["action_mask"], info["action_mask"])
    for _ in range(12):
        chosen = actions(info["action_mask"])
        one, other = first.step(chosen), again.step(chosen)
        assert [part.tobytes() for part in one[:4]] == [part.tobytes() for part in other[:4]]
        info = one[4]


def test_the_metrics_file_tells_no_time(tmp_path: Path) -> None:
    trained(tmp_path / "a", "train.threads=1")
    rows = read_rows(tmp_path / "a" / "metrics.jsonl")
    assert not any("seconds" in key or "rss" in key for row in rows for key in row)
    timed = read_rows(tmp_path / "a" / "timings.jsonl")
    assert {"seconds", "rss_bytes", "cleanup_seconds", "cleanup_freed_bytes",
            "profiler_seconds"} <= set(timed[0])
    assert len(timed) == sum(row["kind"] in ("progress", "end") for row in rows)


@pytest.mark.slow
def test_threads_that_burn_fires_change_no_byte_of_the_metrics(tmp_path: Path) -> None:
    if max_threads() < 2:
        pytest.skip("one thread is all there is here")
    set_threads(1)
    trained(tmp_path / "one")
    set_threads(2)
    trained(tmp_path / "two")
    assert (tmp_path / "one" / "metrics.jsonl").read_bytes() == (
        tmp_path / "two" / "metrics.jsonl").read_bytes()


def test_another_machine_is_said_and_goes_on(tmp_path: Path,
                                             monkeypatch: pytest.MonkeyPatch) -> None:
    trained(tmp_path, "train.episodes=8")
    trainer = made(tmp_path, tiny())
    monkeypatch.setattr(torch, "__version__", "9.9")
    with pytest.warns(UserWarning, match=r"then, 9\.9 now.*may differ from those of an"):
        trainer.resume()
    assert trainer.episodes >= 8


@pytest.mark.slow
def test_other_settings_are_refused(tmp_path: Path) -> None:
    trained(tmp_path, "train.episodes=8")
    for change in ("agent.width=16", "train.num_envs=2", "landscapes.size=12",
                   "replay.capacity=200", "mixture.sizes=[8,12]"):
        with pytest.raises(InputError, match="settings the run was started with"):
            made(tmp_path, tiny(change)).resume()
