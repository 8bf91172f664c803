"""The rules of the game (DESIGN, section 4), the observation, and reset(options=...)."""

import numpy as np
import pytest

from firebreak.checks import InputError
from firebreak.env import core, synthetic_source
from firebreak.env.gym_env import FuelbreakEnv, FuelbreakVectorEnv
from firebreak.env.storage.problem import budget_cost, make_problem
from firebreak.env.storage.problem_batch import ProblemBatch, Sizes
from firebreak.fire import burn_field, make_scene
from firebreak.fire.fires import Fires
from firebreak.landscape.synthetic.generate import generate
from firebreak.layout import OBSERVATION
from firebreak.native_library import max_threads, set_threads
from strategies import ellipse_like, plain_landscape, problem_on, random_case

SIZE = 8


@pytest.fixture(scope="module")
def source():
    return synthetic_source(SIZE, budget=0.1, plan_fires=16, reward_fires=12)


@pytest.fixture(scope="module")
def env(source):
    return FuelbreakEnv(source, "rgb_array")


def play(env, rng, **reset):
    """One episode of random legal actions: [(observation, mask)], rewards, last info."""
    observation, info = env.reset(**reset)
    seen, rewards, over = [(observation, info["action_mask"])], [], False
    while not over:
        action = int(rng.choice(np.flatnonzero(info["action_mask"])))
        observation, reward, over, truncated, info = env.step(action)
        assert not truncated
        assert not info["illegal_action"]
        assert over or info["action_mask"].any()
        assert not info["action_mask"][env.slots.breaks[0].ravel()].any()
        seen.append((observation, info["action_mask"]))
        rewards.append(reward)
    return seen, rewards, info


def test_the_return_is_the_relative_reduction(env) -> None:
    rng = np.random.default_rng(0)
    for seed in range(4):
        _, rewards, info = play(env, rng, seed=seed)
        problem = env.slots.problems[0]
        value = problem.scene.landscape.value[None]
        losses = [burn_field(problem.scene.field, problem.reward_fires, value, breaks).loss.mean()
                  for breaks in (None, env.slots.breaks[0])]
        assert sum(rewards) == pytest.approx((losses[0] - losses[1]) / losses[0], abs=1e-9)
        assert info["untreated_loss"] == pytest.approx(losses[0])
        assert info["loss"] == pytest.approx(losses[1])


def test_the_budget_buys_what_it_costs(env) -> None:
    _, rewards, _ = play(env, np.random.default_rng(1), seed=3)
    land = env.slots.problems[0].scene.landscape
    assert env.slots.breaks[0].sum() == len(rewards) == int(0.1 * land.treatable.sum())
    assert not (env.slots.breaks[0] & ~land.treatable).any()


def test_costs_are_paid_and_the_dear_is_masked() -> None:
    case = random_case(np.random.default_rng(2), SIZE, SIZE, unburnable=0.0, fires=20)
    cost = np.ones((SIZE, SIZE), np.float32)
    cost[:, :4], cost[0, 0] = 3.0, 9.0
    treatable = np.ones((SIZE, SIZE), bool)
    treatable[7] = False
    problem = problem_on(case, case.fires, case.fires, budget=5.0, cost=cost, treatable=treatable,
                         value=1.0)
    env = sized_env(problem)
    _, info = env.reset(options={"problem": problem})
    mask = info["action_mask"].reshape(SIZE, SIZE)
    assert mask.sum() == 7 * SIZE - 1
    assert not mask[0, 0]
    _, _, over, _, info = env.step(1)  # pays 3 of 5
    assert not over
    mask = info["action_mask"].reshape(SIZE, SIZE)
    assert not mask[:, :4].any()
    assert mask[:7, 4:].all()
    _, _, over, _, _ = env.step(4)
    assert not over
    assert env.step(5)[2]
    assert env.slots.budget_left[0] == 0.0


def sized_env(problem):
    rows, cols = problem.scene.field.shape
    source = synthetic_source(rows)
    object.__setattr__(source, "shape", (rows, cols))
    env = FuelbreakEnv(source)
    env.slots = type(env.slots)(Sizes(1, (rows, cols), problem.scene.field.metric.shape[0],
                                      problem.plan_fires.source.size,
                                      problem.reward_fires.source.size))
    return env


def test_an_illegal_action_wastes_budget_and_comes_to_an_end(env) -> None:
    _, info = env.reset(seed=2)
    bad = int(np.flatnonzero(info["action_mask"] == 0)[0])
    before, over, steps = env.slots.budget_left[0], False, 0
    while not over:
        _, reward, over, _, info = env.step(bad)
        steps += 1
        assert reward == 0.0
        assert info["illegal_action"]
        assert env.slots.budget_left[0] < before
        before = env.slots.budget_left[0]
    assert steps == int(env.slots.problems[0].budget)
    assert not env.slots.breaks.any()


def test_a_treated_ignition_still_burns() -> None:
    """Rule 1: treating the ignitions of all fires saves nothing there, and nothing beyond."""
    case = random_case(np.random.default_rng(3), SIZE, SIZE, unburnable=0.0)
    uniform = ellipse_like(np.full(case.ellipse.head.shape, 10.0), 2.0, 70.0)
    fires = Fires(np.full(5, 27), np.zeros(5, np.int64), np.full(5, 1e9),
                  np.zeros(5, np.uint64))
    problem = problem_on(case._replace(ellipse=uniform), fires, fires, value=1.0)
    env = sized_env(problem)
    _, before = env.reset(options={"problem": problem})
    _, reward, _, _, after = env.step(27)
    assert reward == 0.0
    assert before["loss"] == after["loss"] == SIZE * SIZE
    # A cell that no fire starts in is saved.
    assert env.step(28)[1] == pytest.approx(1 / SIZE**2)


def test_reward_fires_are_not_the_plan_fires(env) -> None:
    """Rule 2."""
    env.reset(seed=6)
    problem = env.slots.problems[0]
    for shown, paid in zip(problem.plan_fires.first(12)[:4], problem.reward_fires[:4], strict=True):
        assert (shown != paid).mean() > 0.3


def test_the_observation_is_made_from_plan_fires_and_the_reward_from_others(env) -> None:
    env.reset(seed=6)
    problem = env.slots.problems[0]
    scene = problem.scene
    plan, reward = problem.plan_fires, problem.reward_fires
    ours, ours_info = env.reset(options={"landscape": scene.landscape, "fires": (plan, reward)})
    other, other_info = env.reset(options={"landscape": scene.landscape,
                                           "fires": (plan, scene.fires("other", 12))})
    np.testing.assert_array_equal(ours, other)
    assert ours_info["untreated_loss"] != other_info["untreated_loss"]


def test_landscapes_are_the_same_after_training_on_them_as_before(env) -> None:
    """Rule 4."""
    land = generate(5, SIZE)
    before = land.checksum()
    for episode in range(3):
        play(env, np.random.default_rng(episode), seed=episode, options={"landscape": land})
    assert land.checksum() == before == generate(5, SIZE).checksum()


def test_a_random_policy_does_not_get_better(env) -> None:
    """Rule 4: breaks that stay from one episode to the next would show as a trend."""
    rng = np.random.default_rng(8)
    land = generate(5, SIZE)
    returns = [sum(play(env, rng, seed=0 if k == 0 else None, options={"landscape": land})[1])
               for k in range(60)]
    first, second = np.array(returns[:30]), np.array(returns[30:])
    noise = np.sqrt(first.var(ddof=1) / 30 + second.var(ddof=1) / 30)
    assert noise > 0
    assert abs(first.mean() - second.mean()) < 2.5 * noise


def test_observations_are_bytes_in_the_unit_interval_and_hold_the_mask(env) -> None:
    for observation, mask in play(env, np.random.default_rng(4), seed=11)[0]:
        assert observation in env.observation_space
        in_bytes = observation * np.float32(255.0)
        np.testing.assert_array_equal(in_bytes, np.rint(in_bytes))
        np.testing.assert_array_equal(observation[OBSERVATION.channel("available")].ravel(), mask)


def test_channels_show_the_plan_fires_under_the_breaks(env) -> None:
    seen, _, _ = play(env, np.random.default_rng(5), seed=12)
    problem, breaks = env.slots.problems[0], env.slots.breaks[0]
    scene, land = problem.scene, problem.scene.landscape

    def shown(name, observation=seen[-1][0]):
        return observation[OBSERVATION.channel(name)]

    before = burn_field(scene.field, problem.plan_fires, land.value, want="statistics")
    after = burn_field(scene.field, problem.plan_fires, land.value, breaks, want="statistics")
    mean = before.burn_probability[land.burnable].mean()
    half_a_byte = 0.51 / 255
    np.testing.assert_allclose(shown("burn_probability"), after.burn_probability
                               / (after.burn_probability + mean), atol=half_a_byte)
    best = after.downstream_value[land.treatable & ~breaks].max()
    below = np.sqrt(after.downstream_value / best)
    np.testing.assert_allclose(shown("downstream_value"), np.clip(below, 0, 1), atol=half_a_byte)
    np.testing.assert_array_equal(shown("breaks"), breaks)
    np.testing.assert_array_equal(shown("burnable"), land.burnable)
    np.testing.assert_allclose(shown("budget_share"), np.sqrt(0.1), atol=half_a_byte)
    np.testing.assert_allclose(shown("plan_fires"), 4 / 12, atol=half_a_byte)
    np.testing.assert_allclose(shown("budget_left"),
                               env.slots.budget_left[0] / problem.budget, atol=half_a_byte)
    np.testing.assert_allclose(
        shown("burned_share"), np.sqrt(before.loss.mean() / land.value[land.burnable].sum()),
        atol=half_a_byte)
    np.testing.assert_allclose(shown("best_downstream"), (best / before.loss.mean())**0.25,
                               atol=half_a_byte)
    np.testing.assert_allclose(shown("loss_left"), after.loss.mean() / before.loss.mean(),
                               atol=half_a_byte)
    assert (shown("budget_left", seen[0][0]) == 1.0).all()
    assert (shown("loss_left", seen[0][0]) == 1.0).all()
    assert not shown("breaks", seen[0][0]).any()


def test_what_was_not_looked_at_in_between_is_seen_the_same_at_last(source) -> None:
    problem = source.problem(3, 0)
    watched, unwatched = (ProblemBatch(source.sizes(1)) for _ in range(2))
    for slots in (watched, unwatched):
        core.begin(slots, np.zeros(1, np.int64), [problem])
    first = watched.layers.copy()
    for _ in range(4):
        cell = np.flatnonzero(watched.available[0])[:1]
        for slots in (watched, unwatched):
            core.step(slots, cell)
        seen = watched.layers.copy()
    np.testing.assert_array_equal(unwatched.layers, seen)
    assert (seen != first).any()


def test_a_reused_environment_has_the_bits_of_a_fresh_one(env, source) -> None:
    play(env, np.random.default_rng(1), seed=3, options={"budget": 0.3})
    fresh = FuelbreakEnv(source)
    for options in ({"landscape": generate(9, SIZE)}, {"landscape": generate(9, SIZE),
                                                       "fires": "validation-", "budget": 0.2}):
        ours, theirs = (play(one, np.random.default_rng(2), seed=4, options=options)
                        for one in (env, fresh))
        assert ours[1] == theirs[1]
        for (one, _), (two, _) in zip(ours[0], theirs[0], strict=True):
            np.testing.assert_array_equal(one, two)


def test_resets_go_on_in_the_stream_of_the_seed(env) -> None:
    first = [env.reset(seed=7)[0], env.reset()[0], env.reset()[0]]
    again = [env.reset(seed=7)[0], env.reset()[0], env.reset()[0]]
    for one, two in zip(first, again, strict=True):
        np.testing.assert_array_equal(one, two)
    assert not np.array_equal(first[0], first[1])
    assert not np.array_equal(first[0], env.reset(seed=8)[0])


def test_options_replace_parts_of_the_problem(env, source) -> None:
    land = generate(20, SIZE)
    env.reset(seed=1, options={"landscape": land, "budget": 0.25, "fires": "test-"})
    problem = env.slots.problems[0]
    assert problem.scene.landscape is land
    assert problem.budget == 0.25 * land.cost[land.treatable].sum()
    np.testing.assert_array_equal(problem.plan_fires.source,
                                  problem.scene.fires("test-plan", 16).source)
    given = make_problem(make_scene(land, source.conditions, 99), 0.1, 5, 6)
    env.reset(options={"problem": given})
    assert env.slots.problems[0] is given


@pytest.mark.parametrize(("options", "message"), [
    ({"budgets": 0.1}, "did you mean 'budget'"), ({"budget": 0.0}, "budget"),
    ({"budget": 1e-6}, "buys the cheapest"), ({"landscape": generate(1, 9)}, "8 x 8")])
def test_options_that_cannot_be_are_refused(env, options, message) -> None:
    with pytest.raises(InputError, match=message):
        env.reset(options=options)


def test_problems_too_big_for_the_storage_are_refused(env, source) -> None:
    scene = make_scene(generate(1, SIZE), source.conditions, 0)
    for plan, reward in ((17, 12), (16, 13)):
        with pytest.raises(InputError, match="at most"):
            env.reset(options={"problem": make_problem(scene, 0.1, plan, reward)})


def test_fires_that_burn_nothing_of_value_are_refused() -> None:
    case = random_case(np.random.default_rng(3), SIZE, SIZE)
    problem = problem_on(case, case.fires, case.fires, value=0.0)
    with pytest.raises(InputError, match="of value"):
        sized_env(problem).reset(options={"problem": problem})


def test_a_map_without_treatable_cells_is_refused(source) -> None:
    land = plain_landscape(np.ones((SIZE, SIZE), bool), treatable=False)
    with pytest.raises(InputError, match="treatable"):
        budget_cost(land, 0.1)


def test_the_picture_shows_breaks_in_black(env) -> None:
    play(env, np.random.default_rng(0), seed=0)
    picture = env.render()
    assert picture.dtype == np.uint8
    dark = (picture == 20).all(axis=-1)
    assert dark.sum() == 64 * env.slots.breaks[0].sum()


@pytest.mark.parametrize("action", [-1, 100])
def test_an_action_off_the_map_is_refused(action: int) -> None:
    env = FuelbreakEnv(synthetic_source(size=10, plan_fires=4, reward_fires=4))
    env.reset(seed=0)
    with pytest.raises(InputError, match="actions from 0 to 99"):
        env.step(action)


def test_stepping_past_the_end_wastes_nothing() -> None:
    env = FuelbreakEnv(synthetic_source(size=10, plan_fires=4, reward_fires=4))
    env.reset(seed=0)
    over = False
    while not over:
        _, _, over, _, _ = env.step(int(np.flatnonzero(env.action_masks())[0]))
    left = env.slots.budget_left[0]
    _, reward, over, _, info = env.step(0)
    assert (reward, over, info["illegal_action"]) == (0.0, True, True)
    assert env.slots.budget_left[0] == left


@pytest.mark.slow
@pytest.mark.skipif(max_threads() < 2, reason="one core only")
def test_more_threads_than_when_it_was_made_do_no_harm() -> None:
    set_threads(1)
    env = FuelbreakEnv(synthetic_source(size=16, plan_fires=64, reward_fires=64))
    alone = env.reset(seed=1)[0]
    set_threads(2)
    for _ in range(20):
        assert np.array_equal(env.reset(seed=1)[0], alone)


def test_without_autoreset_ended_slots_stay_as_they_are() -> None:
    env = FuelbreakVectorEnv(synthetic_source(size=8, plan_fires=4, reward_fires=4), 2,
                             autoreset=False)
    _, info = env.reset(seed=0)
    over = np.zeros(2, bool)
    while not over.all():
        observation, _, over, _, info = env.step(info["action_mask"].argmax(1))
    assert "final_obs" not in info
    after, reward, still_over, _, _ = env.step(np.zeros(2, int))
    assert np.array_equal(after, observation)
    assert still_over.all()
    assert not reward.any()
