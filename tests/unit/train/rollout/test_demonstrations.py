"""Demonstrations: barriers that episodes go along, the same wherever they are played."""

from collections.abc import Iterator

import numpy as np
import pytest
import torch

from firebreak.env.gym_env import FuelbreakVectorEnv
from firebreak.env.sources import ProblemSource, synthetic_landscapes
from firebreak.fire import FireConditions, FireRegime, burn
from firebreak.train.rollout.demonstrations import Demonstrations

CONDITIONS = FireConditions(regime=FireRegime(burned_share=0.7, duration_sigma=0.2))


def source(budget: float = 0.2, family: str = "town") -> ProblemSource:
    return ProblemSource(shape=(12, 12), landscape=synthetic_landscapes(12, "train", family),
                         conditions=CONDITIONS, budget_share=budget, plan_fires=128,
                         reward_fires=24)


@pytest.fixture
def env() -> Iterator[FuelbreakVectorEnv]:
    made = FuelbreakVectorEnv(source(), 3)
    yield made
    made.close()


def played(env: FuelbreakVectorEnv, shown: Demonstrations, steps: int,
           info: dict) -> list[list[int]]:
    """Actions of each step; those that nothing leads are the last that is allowed."""
    actions = []
    for _ in range(steps):
        mask = torch.from_numpy(info["action_mask"].astype(np.bool_))
        action = mask.shape[1] - 1 - mask.flip(1).to(torch.uint8).argmax(1)
        shown.lead(action, mask, env.slots, env.episodes)
        assert mask[torch.arange(env.num_envs), action].all()
        actions.append(action.tolist())
        info = env.step(action.numpy())[-1]
    return actions


def test_a_barrier_that_the_budget_pays_for_saves_nearly_all() -> None:
    saved = []
    for episode in range(8):
        problem = source().problem(3, episode)
        path = Demonstrations(1.0).path(problem, (3, episode))
        assert len(set(path.tolist())) == path.size
        assert problem.scene.landscape.treatable.ravel()[path].all()
        fires = problem.reward_fires
        saved.append(1.0 - burn(problem.scene, fires, path).loss.mean()
                     / burn(problem.scene, fires).loss.mean())
    assert max(saved) > 0.8
    assert min(saved) < 0.6  # half of the episodes leave it on the way


def test_an_episode_goes_along_its_barrier_cell_by_cell(env: FuelbreakVectorEnv) -> None:
    shown, (_, info) = Demonstrations(1.0), env.reset(seed=5)
    paths = [shown.path(env.slots.problem(slot), one) for slot, one in enumerate(env.episodes)]
    steps = min(path.size for path in paths)
    assert steps > 1
    assert played(env, shown, steps, info) == np.stack(
        [path[:steps] for path in paths], axis=1).tolist()


def test_where_an_episode_was_left_its_demonstration_goes_on(env: FuelbreakVectorEnv) -> None:
    whole = played(env, Demonstrations(0.7), 30, env.reset(seed=5)[1])
    first = played(env, Demonstrations(0.7), 11, env.reset(seed=5)[1])
    state = env.state()
    env.reset(seed=99)
    rest = played(env, Demonstrations(0.7), 19, env.restore(state)[1])
    assert first + rest == whole


def test_the_share_of_the_episodes_is_led() -> None:
    problem = source().problem(1, 0)
    led = [Demonstrations(0.3).path(problem, (k, 0)).size > 0 for k in range(60)]
    assert 8 <= sum(led) <= 28
    assert not Demonstrations(0.0).path(problem, (0, 0)).size


def test_only_paths_of_episodes_under_way_are_held(env: FuelbreakVectorEnv) -> None:
    shown = Demonstrations(1.0)
    played(env, shown, 60, env.reset(seed=5)[1])
    assert max(number for _, number in env.episodes) > 1
    assert len(shown._paths) == env.num_envs
