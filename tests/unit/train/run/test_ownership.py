"""What a run holds is allocated once, shared where it can be, and has a bound."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from firebreak.agent.dqn import DQNAgent
from firebreak.agent.replay import Replay
from firebreak.agent.symmetry import as_floats
from firebreak.env import synthetic_source
from firebreak.env.gym_env import FuelbreakVectorEnv
from firebreak.env.storage.problem import Sizes
from firebreak.env.storage.problem_batch import ProblemBatch
from firebreak.landscape.raster.windows import dihedral
from firebreak.landscape.synthetic.generate import generate
from firebreak.layout import OBSERVATION
from firebreak.memory.owned import owned
from firebreak.memory.process import heap_bytes
from firebreak.settings.agent import AgentSettings
from firebreak.train.config.load import load_config
from firebreak.train.config.schema import CleanupConfig
from firebreak.train.data.splits import make_splits
from firebreak.train.rollout.collector import ExperienceCollector
from firebreak.train.run.trainer import ParallelTrainer
from tiny import TINIER, TINY

ENVS, SIZE = 3, 10


def test_a_transition_of_a_run_at_40_by_40_cells_takes_less_than_4_kb(tmp_path: Path) -> None:
    """With the bound on episodes that a run of a 5 % budget gives it, landscape slots included."""
    config = load_config("quick", [*TINY, "landscapes.size=40", "replay.capacity=16000"])
    trainer = ParallelTrainer(config, make_splits(config, tmp_path), tmp_path)
    replay = trainer.arenas[0].replay
    assert replay.bytes_per_transition() < 4000
    held = owned({"replay": replay}).owned_bytes
    assert sum(held.values()) == replay.nbytes
    trainer.close()


@pytest.mark.slow
def test_the_replay_is_resident_from_the_start_and_not_only_promised() -> None:
    code = """
from firebreak.agent.replay import Replay
from firebreak.layout import OBSERVATION
from firebreak.memory.process import rss_bytes
before = rss_bytes()
replay = Replay((40, 40), 8, 16_000, 40)
print((rss_bytes() - before) / replay.nbytes)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 0.95 < float(done.stdout) < 1.2


@pytest.mark.slow
def test_what_is_sampled_has_the_bits_of_what_was_seen() -> None:
    source = synthetic_source(size=SIZE, plan_fires=8, reward_fires=8)
    agent = DQNAgent(AgentSettings(width=8), seed=0)
    env = FuelbreakVectorEnv(source, ENVS)
    collector = ExperienceCollector(env, agent, 4, 3, CleanupConfig())
    replay = Replay((SIZE, SIZE), ENVS, 40 * ENVS, 2)
    seen = []
    step = env.step
    env.step = lambda action: seen.append(collector._observation.copy()) or step(action)  # type: ignore[method-assign,func-returns-value]
    for _ in range(12):
        collector.collect(collector.env_steps, lambda: None)
        collector.buffer.drain(replay)
    for k, observation in enumerate(seen[-40:]):
        row = (len(seen) - 40 + k) % replay.rows
        stored = replay.observations(torch.full((ENVS,), row), torch.arange(ENVS))
        assert torch.equal(as_floats(stored), torch.from_numpy(observation))


def test_a_reused_vector_environment_has_the_bits_of_a_fresh_one() -> None:
    source = synthetic_source(size=SIZE, plan_fires=8, reward_fires=8)
    used = FuelbreakVectorEnv(source, ENVS, autoreset=False)

    def play(env: FuelbreakVectorEnv) -> list[np.ndarray]:
        lands = [generate(k, SIZE) for k in range(ENVS)]
        shown, info = env.reset(seed=5, options={"landscape": lands, "fires": "validation-"})
        all_shown = [shown]
        for _ in range(4):
            action = info["action_mask"].argmax(axis=1)
            shown, reward, _, _, info = env.step(action)
            all_shown += [shown, reward]
        return all_shown
    used.reset(seed=1)
    for _ in range(3):
        used.step(used.action_masks().argmax(axis=1))
    place = used.slots.layers.ctypes.data
    for ours, theirs in zip(play(used), play(FuelbreakVectorEnv(source, ENVS, autoreset=False)),
                            strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert used.slots.layers.ctypes.data == place


def test_windows_of_a_landscape_are_views() -> None:
    land = generate(0, 24)
    window = land.crop(4, 6, 10, 12)
    for name in ("fuel_model", "elevation_m", "value", "cost"):
        assert np.shares_memory(getattr(window, name), getattr(land, name)), name
    turned = dihedral(window, 3)
    assert not np.shares_memory(turned.value, land.value)  # other strides, so a copy in order
    assert turned.value.flags.c_contiguous
    derived = window.treatable.nbytes + window.burnable.nbytes
    assert sum(owned({"map": land, "window": window}).owned_bytes.values()) == derived + sum(
        owned({"map": land}).owned_bytes.values())


def test_a_grid_that_its_owner_may_still_write_is_copied() -> None:
    land = generate(0, 12)
    mine = np.ones(land.shape, np.float32)
    seen = mine.view()
    seen.flags.writeable = False
    changed = replace(land, value=seen)
    mine[:] = 7.0
    assert (changed.value == 1.0).all()


@pytest.mark.slow
def test_histories_hold_plain_numbers_and_nothing_of_a_step_is_kept(tmp_path: Path) -> None:
    config = load_config("quick", [*TINY, "cleanup.max_losses=7", "cleanup.max_rewards=5"])
    trainer = ParallelTrainer(config, make_splits(config, Path()), tmp_path)
    for _ in trainer.run():
        pass
    assert len(trainer.losses) == 7
    assert len(trainer.returns) == 5
    assert {type(x) for x in [*trainer.losses, *trainer.returns]} == {float}
    items = owned({"trainer": trainer}, without=(trainer.profiler,)).items
    assert max(count for path, count in items.items() if "pydantic" not in path) <= 100
    trainer.close()


@pytest.mark.slow
@pytest.mark.skipif(heap_bytes() is None, reason="the C library does not tell")
def test_a_hundred_updates_leave_nothing_behind() -> None:
    agent = DQNAgent(AgentSettings(width=8), seed=0)
    replay = Replay((SIZE, SIZE), 2, 40, 1)
    shape = (2, OBSERVATION.channels, SIZE, SIZE)
    for _ in range(20):
        replay.append(torch.zeros(shape, dtype=torch.uint8), torch.zeros(2, dtype=torch.int64),
                      torch.zeros(2), torch.ones(2, dtype=torch.bool), torch.ones(2))

    def learn(count: int) -> int:
        for _ in range(count):
            agent.learn(replay.sample(16, 0.5, 1, agent.sampling))
        agent.cleanup_memory()
        held = heap_bytes()
        assert held is not None
        return held
    before = learn(20)
    assert learn(100) - before < 50_000


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="resident memory comes page by page on Linux")
def test_touched_slots_are_resident() -> None:
    # In a process of its own: elsewhere memory that was let go before may be handed out again.
    code = """
from firebreak.env.storage.problem import Sizes
from firebreak.env.storage.problem_batch import ProblemBatch
from firebreak.memory.process import rss_bytes
slots = ProblemBatch(Sizes(4, (20, 20), 4, 600, 200))
held = [rss_bytes()]
for _ in range(2):
    slots.touch()
    held.append(rss_bytes())
print(slots.owned_bytes(), *held)
"""
    done = subprocess.run([sys.executable, "-c", code], text=True, capture_output=True, check=True)
    owned_by_slots, untouched, touched, again = map(int, done.stdout.split())
    assert touched - untouched > 0.5 * owned_by_slots  # the rest was written when it was made
    assert again - touched < 0.05 * owned_by_slots


def test_touched_slots_are_as_they_were() -> None:
    sizes = Sizes(2, (20, 20), 4, 60, 20)
    fresh, slots = ProblemBatch(sizes), ProblemBatch(sizes)
    slots.touch()
    for one, other in zip(fresh._arrays(), slots._arrays(), strict=True):
        assert np.array_equal(one, other)


def test_the_environments_of_a_run_are_touched(monkeypatch: pytest.MonkeyPatch,
                                               tmp_path: Path) -> None:
    touched: list[ProblemBatch] = []
    monkeypatch.setattr(ProblemBatch, "touch", lambda slots: touched.append(slots))
    config = load_config("quick", [*TINIER, "agent.gain_share=0.1"])
    trainer = ParallelTrainer(config, make_splits(config, Path()), tmp_path)
    arena = trainer.arenas[0]
    assert arena.env.slots in touched
    assert arena.validation_env.slots in touched
    assert len(touched) == 3  # that in which gains are tried too
    trainer.close()
