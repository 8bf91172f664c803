"""The environment with the options of the commands, on synthetic land and on a landscape."""

import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import firebreak.env
from firebreak import read_landscape
from firebreak.api.environment import source_with
from firebreak.checks import InputError

ENV_ID = firebreak.env.ENV_ID
FEW = {"plan_fires": 6, "reward_fires": 6}


def make(**options):
    return gymnasium.make(ENV_ID, **FEW, **options)


def test_every_episode_is_on_the_landscape_that_is_given_with_other_fires() -> None:
    land = read_landscape("synthetic:3:12")
    env = make(landscape=land).unwrapped
    first, info = env.reset(seed=1)
    second, other = env.reset()
    burnable = firebreak.env.gym_env.OBSERVATION.channel("burnable")
    np.testing.assert_array_equal(first[burnable] > 0, land.burnable)
    np.testing.assert_array_equal(first[burnable], second[burnable])
    assert info["untreated_loss"] != other["untreated_loss"]
    assert env.source.landscape(5, 7) is env.source.landscape(0, 0)


def test_options_are_those_of_the_commands() -> None:
    source = source_with("synthetic:3:12", {
        "break_kind": "shaded", "hold": "hand", "response_min": 30, "wind_20ft_km_h": 40.0,
        "duration_min": 90.0, "budget": "7%", "lines": True} | FEW)
    conditions = source.conditions
    assert (conditions.treatment.kind, source.budget_share, source.lines) == ("shaded", 0.07, True)
    assert conditions.hold is not None
    assert conditions.hold.response_min == 30
    assert conditions.regime.duration_min == 90.0
    assert conditions.climate.wind_20ft_mean_m_min == pytest.approx(40.0 * 1000.0 / 60.0)


def test_gymnasium_accepts_it_on_a_landscape() -> None:
    check_env(make(landscape="synthetic:3:12", render_mode="rgb_array").unwrapped)


def test_an_environment_is_pickled_and_goes_on() -> None:
    for options in ({"size": 8}, {"landscape": "synthetic:3:12"}):
        env = make(**options).unwrapped
        _, info = env.reset(seed=4)
        copy = pickle.loads(pickle.dumps(env))
        action = int(np.flatnonzero(info["action_mask"])[-1])
        for ours, theirs in zip(env.step(action)[:3], copy.step(action)[:3], strict=True):
            np.testing.assert_array_equal(ours, theirs)


def test_environments_burn_together_on_a_landscape() -> None:
    together = gymnasium.make_vec(ENV_ID, 2, vectorization_mode="vector_entry_point",
                                  landscape="synthetic:3:12", **FEW)
    observation, _ = together.reset(seed=5)
    single, _ = make(landscape="synthetic:3:12").reset(seed=6)
    np.testing.assert_array_equal(observation[1], single)


@pytest.mark.parametrize(("options", "words"), [
    ({"budget": 2.0}, "budget: .*at most 1"), ({"size": -3}, "size: .*at least 8"),
    ({"size": "10"}, "size: expected a whole number .*, got '10'"), ({"area": ""}, "not empty"),
    
    ({"size": 1000}, "size: .*at most 256"), ({"breach": "maybe"}, "breach: "),
    ({"family": "none"}, "family 'none'"), ({"nope": 1}, "'nope'"),
    ({"render_mode": "human"}, "render mode 'human'"), ({"landscape": "nope.tif"}, "nope.tif"),
    ({"landscape": 3}, "got int"), ({"landscape": "synthetic:1:12", "size": 12}, "no size beside"),
    ({"landscape": "synthetic:1:300"}, "at most 65,536 cells"), ({"lines": 3}, "lines: "),
    ({"plan_fires": 0}, "plan_fires: "), ({"area": "0:5,0:5"}, "a landscape together with area"),
    ({"value": "houses.tif"}, "a landscape together with value")])
def test_what_is_wrong_is_said_in_one_sentence(options, words: str) -> None:
    with pytest.raises(InputError, match=words) as error:
        gymnasium.make(ENV_ID, **options)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("options", [
    {}, {"lines": True}, {"area": "10:30,10:30"}, {"burning_hours": 4.0}, {"spotting": True},
    {"break_kind": "shaded", "hold": "equipment"}, {"treatment": "mastication"},
    {"initial_attack": 60.0}, {"break_width_m": 10.0, "breach": "wilson"}], ids=str)
def test_a_real_map_is_taken_with_any_breaks(options) -> None:
    env = make(landscape="sample:santa-ana", **options)
    _, info = env.reset(seed=1)
    _, _, _, _, info = env.step(int(info["action_mask"].argmax()))
    assert not info["illegal_action"]
    assert (env.get_wrapper_attr("action_masks")() == info["action_mask"]).all()


@pytest.mark.parametrize("action", [2.5, -1, 10**9, "a", None, [1, 2], True])
def test_what_is_no_action_is_refused(action) -> None:
    env = make(size=8)
    env.reset(seed=1)
    with pytest.raises(InputError, match="1 actions from 0 to 63"):
        env.unwrapped.step(action)


@pytest.mark.parametrize("count", [0, -2, 1.5])
def test_environments_together_are_one_at_least(count) -> None:
    with pytest.raises(InputError, match="num_envs: expected a whole number"):
        gymnasium.make_vec(ENV_ID, count, vectorization_mode="vector_entry_point", size=8)
