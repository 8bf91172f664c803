"""Scheduled cleanups: what they free, when they raise the alarm, what they cost."""

import gc

import numpy as np
import pytest

from firebreak.agent.dqn import DQNAgent
from firebreak.env import synthetic_source
from firebreak.env.gym_env import FuelbreakVectorEnv
from firebreak.memory.process import heap_bytes
from firebreak.settings.agent import AgentSettings
from firebreak.train.config.schema import CleanupConfig
from firebreak.train.rollout.collector import ExperienceCollector
from firebreak.train.run.cleanup import ALARM_BYTES, Cleaner

no_heap = pytest.mark.skipif(heap_bytes() is None, reason="the C library does not tell")


class Node:
    """Part of a cycle that holds a lot."""

    __module__ = "firebreak.planted"

    def __init__(self, size: int) -> None:
        self.array = np.ones(size, np.uint8)
        self.me = self


@pytest.fixture
def cleaner() -> Cleaner:
    return make_cleaner()


def make_cleaner(**given: object) -> Cleaner:
    source = synthetic_source(size=8, plan_fires=4, reward_fires=4)
    agent = DQNAgent(AgentSettings(width=8), seed=0)
    collector = ExperienceCollector(FuelbreakVectorEnv(source, 2), agent, 2, 0, CleanupConfig())
    return Cleaner(CleanupConfig(), agent, [collector], **given)  # type: ignore[arg-type]


def everything(cleaner: Cleaner, episodes: int) -> object:
    done = {freed.owner: freed for freed in cleaner.after(0, 0, episodes)}
    return done["everything"]


@pytest.mark.slow
@no_heap
def test_cycles_that_hold_memory_raise_the_alarm_by_name(cleaner: Cleaner) -> None:
    gc.disable()
    try:
        first = [Node(2 * ALARM_BYTES)]
        del first
        assert not everything(cleaner, 10).alarming  # start-up leaves things behind
        assert not everything(cleaner, 20).alarming
        kept = [Node(2 * ALARM_BYTES)]
        assert not everything(cleaner, 30).alarming  # still in use
        del kept
        freed = everything(cleaner, 40)
        assert freed.alarming
        assert freed.freed_bytes > 1.9 * ALARM_BYTES
        assert "1 Node" in freed.what
        again = everything(cleaner, 50)
        assert not again.alarming
        assert again.freed_bytes < ALARM_BYTES
    finally:
        gc.enable()


@pytest.mark.slow
def test_only_the_full_cleanup_collects_garbage(
        cleaner: Cleaner, monkeypatch: pytest.MonkeyPatch) -> None:
    collected = []
    monkeypatch.setattr(gc, "collect", lambda: collected.append(1))
    assert [f.owner for f in cleaner.after(50, 100, 9)] == ["collector", "agent"]
    assert collected == []
    cleaner.after(50, 100, 10)
    assert collected == [1]


@pytest.mark.slow
def test_seconds_and_runs_are_counted(cleaner: Cleaner) -> None:
    done = [*cleaner.after(50, 100, 10), *cleaner.after(100, 200, 20)]
    assert cleaner.runs == len(done) == 6
    assert cleaner.seconds == pytest.approx(sum(freed.seconds for freed in done))


def test_a_full_gpu_is_cleaned_up_out_of_turn_and_warned_of() -> None:
    shares = iter([0.70, 0.76, 0.76, 0.90, 0.70, 0.90, 0.85])
    cleaner = make_cleaner(gpu_share=lambda: next(shares))
    assert [f.owner for f in cleaner.after(50, 0, 0)] == ["collector"]
    relieved = cleaner.after(100, 0, 0)[-1]
    assert (relieved.owner, relieved.alarming) == ("gpu", False)
    relieved = cleaner.after(150, 0, 0)[-1]
    assert (relieved.owner, relieved.alarming) == ("gpu", False)
    relieved = cleaner.after(200, 0, 0)[-1]
    assert (relieved.owner, relieved.alarming) == ("gpu", True)
    assert "90% of the GPU in use before and 85% after" in relieved.what
