"""Episodes of a mixture draw their breaks, where these may go, what they cost and which stand."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firebreak.checks import InputError
from firebreak.env.drawn_breaks import DRAWN_KINDS, HELD_ON, draw_breaks
from firebreak.env.gym_env import FuelbreakEnv, FuelbreakVectorEnv
from firebreak.env.sources import ProblemSource, synthetic_landscapes
from firebreak.env.storage.problem import Problem, make_problem, sizes_for
from firebreak.env.storage.problem_batch import ProblemBatch
from firebreak.fire import FireConditions, HoldRule, conditions_from, make_scene
from firebreak.settings.agent import AgentSettings
from firebreak.settings.mixture import MixtureSettings
from firebreak.settings.scene import BreakSettings, FireSettings
from firebreak.train.rollout.gains import ActionGains
from firebreak.weather.scenarios import make_scenarios
from firebreak.weather.streams import STEPS, make_streams

SIZE, PLAN, REWARD = 12, 10, 8
SHAPE = (SIZE, SIZE)
EVERY = AgentSettings(gain_share=1.0, gain_fires=REWARD)
PLACES = {"parts": 0.5, "existing": 0.6, "slope_costs": 0.5}
BREACHED = MixtureSettings(shaded=0.25, narrow=0.25, breached=0.25, **PLACES)
HELD = MixtureSettings(shaded=0.25, narrow=0.25, held=0.3, **PLACES)
ALL = MixtureSettings(shaded=0.2, narrow=0.2, breached=0.25, held=0.2, **PLACES)


def source(jobs: MixtureSettings, *, lines: bool = False, fbp: float = 0.0,
           changing: float = 0.0) -> ProblemSource:
    return ProblemSource(
        shape=SHAPE, landscape=synthetic_landscapes(SIZE, "train", fbp=fbp),
        budget_share=0.15,
        conditions=FireConditions(scenarios=3), plan_fires=PLAN, reward_fires=REWARD,
        mixture=replace(jobs, changing_weather=changing), lines=lines)


def by_hand(mixed: Problem, kind: str, width_share: float, seed: int) -> Problem:
    """The problem, with the breaks that a user would ask for."""
    land = mixed.scene.landscape
    width = width_share * land.cell_size_m
    breaks = {"given": BreakSettings(), "shaded": BreakSettings(break_kind="shaded"),
              "narrow": BreakSettings(break_width_m=width),
              "breached": BreakSettings(break_width_m=width, breach="wilson-trees"),
              "held": BreakSettings(break_kind="shaded", hold="equipment")
              if land.fuel_system == HELD_ON else BreakSettings(break_kind="shaded")}[kind]
    own = mixed.scene.conditions
    conditions = conditions_from(FireSettings(), breaks, climate=own.climate, scenarios=3)
    assert conditions == replace(own, weather=None)
    conditions = replace(conditions, weather=own.weather)
    scene = make_scene(land, conditions, seed)
    return replace(make_problem(scene, mixed.budget_share, PLAN, REWARD), standing=mixed.standing)


@pytest.mark.parametrize(("jobs", "fbp", "changing"), [
    (BREACHED, 0.0, 0.0), pytest.param(HELD, 0.0, 0.0, marks=pytest.mark.slow),
    pytest.param(HELD, 0.5, 0.0, marks=pytest.mark.slow), (ALL, 0.0, 0.0),
    pytest.param(ALL, 0.3, 0.5, marks=pytest.mark.slow)],
    ids=["breached", "held", "held-on-both-systems", "all", "all-and-changing-weather"])
def test_a_drawn_problem_beside_others_is_the_problem_set_by_hand(
        jobs: MixtureSettings, fbp: float, changing: float) -> None:
    mixed, draw = source(jobs, fbp=fbp, changing=changing), np.random.default_rng(0)
    env, gains = FuelbreakVectorEnv(mixed, 3), ActionGains(mixed.sizes(3), EVERY, 0)
    observation, info = env.reset(seed=0)
    values = draw.random(int(env.single_action_space.n), np.float32)
    seen: set[tuple[str, str]] = set()
    steps: list[set[int]] = []
    for _ in range(7):
        alone = []
        steps.append({env.slots.problem(slot).scene.field.steps for slot in range(3)})
        for slot in range(3):
            problem = env.slots.problem(slot)
            seed, episode = env.state()["streams"][slot], env.state()["episodes"][slot]
            job = draw_breaks(jobs, seed, episode, SHAPE)
            seen.add((job.kind, problem.scene.landscape.fuel_system))
            hand = by_hand(problem, job.kind, job.width_share, seed)
            own = FuelbreakEnv(mixed)
            own.slots = ProblemBatch(sizes_for(hand.scene, 1, PLAN, REWARD))
            assert np.array_equal(own.reset(options={"problem": hand})[0], observation[slot])
            alone.append((own, ActionGains(own.slots.sizes, EVERY, 0)))
        for _ in range(3):
            masks = info["action_mask"]
            actions = np.array([draw.choice(np.flatnonzero(mask)) for mask in masks])
            for slot, (own, own_gains) in enumerate(alone):
                assert np.array_equal(own.action_masks(), masks[slot] > 0)
                for one, other in zip(gains.of(env.slots, slot, values, 0),
                                      own_gains.of(own.slots, 0, values, 0), strict=True):
                    np.testing.assert_array_equal(one, other)
            observation, reward, over, _, info = env.step(actions)
            for slot, (own, _) in enumerate(alone):
                result = own.step(int(actions[slot]))
                assert (reward[slot], over[slot]) == result[1:3]
                assert over[slot] or np.array_equal(observation[slot], result[0])
            if over.any():
                break
        observation, info = env.reset()
    assert {kind for kind, _ in seen} == {"given", *(
        kind for kind in DRAWN_KINDS if getattr(jobs, kind))}
    assert len({system for _, system in seen}) == (2 if fbp else 1)
    assert ({1, STEPS} in steps) == (changing > 0.0)


def test_a_slot_forgets_what_crossed_the_breaks_of_its_problem_before() -> None:
    of = {kind: source(MixtureSettings(**{kind: 1.0}, width_share=(0.1, 0.1))).problem(3, 0)
          for kind in ("breached", "narrow")}
    sizes = source(BREACHED).sizes(2)

    def losses(*before: str) -> tuple[np.ndarray, np.ndarray]:
        slots = ProblemBatch(sizes)
        slots.load(1, of["breached"])
        for kind in (*before, "narrow"):
            slots.load(0, of[kind])
        slots.update(np.arange(2), fresh=True)
        for cell in np.flatnonzero(of["narrow"].scene.landscape.burnable)[::2].tolist():
            slots.place(0, cell)
            slots.place(1, cell)
        slots.update(np.arange(2))
        return slots.fires.loss[slots.plan_ids(0)].copy(), slots.fires.loss[slots.plan_ids(1)]

    alone, crossed = losses()
    assert (alone != crossed).any()
    np.testing.assert_array_equal(losses("breached")[0], alone)


def test_lines_are_tried_with_the_budget_that_is_left_beside_breaks_that_stand() -> None:
    mixed = source(MixtureSettings(existing=1.0), lines=True)
    env = FuelbreakVectorEnv(mixed, 1)
    env.reset(seed=1)
    assert env.slots.breaks[0].sum() > 2
    gains = ActionGains(mixed.sizes(1), replace(EVERY, segments=True), 0)
    gains.of(env.slots, 0, np.zeros(int(env.single_action_space.n), np.float32), 0)
    tried = gains.exact._slots
    assert tried.budget_left[0] == env.slots.budget_left[0]
    assert np.array_equal(tried.available[0], env.slots.available[0])
    assert np.array_equal(tried.breaks[0], env.slots.breaks[0])


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 10_000), st.floats(0.0, 0.5), st.floats(0.0, 0.5), st.floats(0.0, 1.0))
def test_shares_are_those_asked_for(seed: int, shaded: float, held: float, parts: float) -> None:
    jobs = MixtureSettings(shaded=shaded, held=held, parts=parts, existing=1.0, slope_costs=0.0)
    drawn = [draw_breaks(jobs, seed, episode, SHAPE) for episode in range(600)]
    def share(chosen: list[bool]) -> float:
        return float(np.mean(chosen))
    assert share([job.kind == "shaded" for job in drawn]) == pytest.approx(shaded, abs=0.1)
    assert share([job.kind == "held" for job in drawn]) == pytest.approx(held, abs=0.1)
    assert share([job.part for job in drawn]) == pytest.approx(parts, abs=0.1)
    assert all(job.existing and job.cost_slope == 0.0 for job in drawn)


def test_maps_of_two_sizes_have_other_jobs_in_one_episode() -> None:
    jobs = replace(BREACHED, shaded=0.3)
    kinds = [[draw_breaks(jobs, 3, episode, (side, side)).kind for episode in range(40)]
             for side in (12, 13)]
    assert 5 < sum(one != other for one, other in zip(*kinds, strict=True)) < 38


@pytest.mark.slow
def test_the_share_of_land_of_the_fbp_system_is_that_asked_for() -> None:
    for side in (6, 7):
        draw = synthetic_landscapes(side, "train", fbp=0.3)
        systems = [draw(1, episode).fuel_system for episode in range(300)]
        assert 0.2 < np.mean([system == "fbp" for system in systems]) < 0.4


def test_each_value_is_drawn_by_itself() -> None:
    jobs = replace(BREACHED, parts=0.5)
    more = replace(jobs, shaded=0.5, breached=0.0, existing=1.0)
    for episode in range(50):
        one, other = draw_breaks(jobs, 3, episode, SHAPE), draw_breaks(more, 3, episode, SHAPE)
        assert (one.part, one.width_share, one.cost_slope) == (
            other.part, other.width_share, other.cost_slope)


def test_a_mixture_without_jobs_is_as_it_was() -> None:
    plain = source(MixtureSettings())
    without = replace(plain, mixture=None)
    for episode in range(3):
        one, other = plain.problem(5, episode), without.problem(5, episode)
        assert one.scene.landscape.checksum() == other.scene.landscape.checksum()
        assert one.budget == other.budget
        assert one.standing.size == 0
        assert np.array_equal(one.plan_fires.source, other.plan_fires.source)


def test_existing_breaks_stand_and_cost_nothing() -> None:
    problem = source(MixtureSettings(existing=1.0)).problem(2, 0)
    land = problem.scene.landscape
    assert 0 < problem.standing.size <= 0.1 * (land.treatable.sum() + problem.standing.size)
    assert not land.treatable.ravel()[problem.standing].any()
    assert problem.budget == pytest.approx(0.15 * land.cost[land.treatable].sum())


def test_weather_steps_of_two_lengths_do_not_stand_in_one_environment() -> None:
    env = FuelbreakVectorEnv(source(MixtureSettings(), changing=0.5), 2)
    changing = source(MixtureSettings(), changing=1.0).problem(0, 0)
    streams = changing.scene.conditions.weather
    assert streams is not None
    shorter = make_scene(changing.scene.landscape, replace(
        changing.scene.conditions, weather=streams._replace(step_min=60.0)), 0)
    env.reset(options={"problem": changing})
    with pytest.raises(InputError, match="length of weather steps"):
        env.slots.load(0, replace(changing, scene=shorter))


def test_the_rule_of_crews_of_a_problem_that_is_gone_binds_nobody() -> None:
    mixed = source(MixtureSettings(held=1.0))
    nobody = source(MixtureSettings(shaded=1.0)).problem(0, 0)
    by_hand_crews, by_equipment = (replace(nobody, scene=make_scene(
        nobody.scene.landscape, replace(nobody.scene.conditions, hold=HoldRule(by=by)), 0))
        for by in ("hand", "equipment"))
    slots = ProblemBatch(mixed.sizes(2))
    for problem in (by_hand_crews, nobody):
        slots.load(0, problem)
        slots.load(1, problem)
    slots.load(0, by_equipment)
    with pytest.raises(InputError, match="crews"):
        slots.load(1, by_hand_crews)


def test_weather_that_is_given_is_that_of_all_episodes() -> None:
    given_weather = make_streams(make_scenarios(
        wind_20ft_m_min=[100.0, 300.0], wind_from_deg=10.0, dead_moisture_1h=0.05,
        dead_moisture_10h=0.06, dead_moisture_100h=0.07, live_moisture_herb=0.6,
        live_moisture_woody=0.9), 2, 60.0)
    mixed = replace(source(MixtureSettings(), changing=1.0), conditions=FireConditions(
        weather=given_weather))
    assert mixed.rows == 2
    assert mixed.problem(0, 0).scene.field.step_min == 60.0


@pytest.mark.slow
def test_the_share_of_episodes_with_changing_weather_is_that_asked_for() -> None:
    mixed, plain = source(MixtureSettings(), changing=0.3), source(MixtureSettings())
    changes = 0
    for episode in range(100):
        one, other = (made.problem(4, episode).scene for made in (mixed, plain))
        assert one.landscape.checksum() == other.landscape.checksum()
        if one.field.steps == STEPS:
            changes += 1
        else:
            np.testing.assert_array_equal(one.field.metric, other.field.metric)
    assert 18 <= changes <= 42
