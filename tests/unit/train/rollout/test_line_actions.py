"""Segments of cells as actions: their shapes, masks, steps, symmetries, labels and plans."""

from dataclasses import replace

import gymnasium
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from firebreak.agent import exploration
from firebreak.agent.dqn import DQNAgent
from firebreak.agent.experience import GainBatch
from firebreak.agent.line_values import mean_along
from firebreak.agent.network import QMapNetwork, take_over
from firebreak.agent.policy_file import Policy, load_policy, save_policy
from firebreak.agent.symmetry import SYMMETRIES, turn_line_actions, turn_map
from firebreak.agent.targets import unit_of
from firebreak.checks import InputError
from firebreak.env import ENV_ID, synthetic_source
from firebreak.env.core import (
    action_costs,
    action_count,
    allowed,
    are_allowed,
    begin,
    place_actions,
)
from firebreak.env.gym_env import FuelbreakVectorEnv
from firebreak.env.storage.problem import make_problem, problem_of
from firebreak.env.storage.problem_batch import SLOT_0, ProblemBatch, sizes_for
from firebreak.fire import FireConditions, Scene, burn, make_scene
from firebreak.landscape.synthetic.generate import generate
from firebreak.layout import OBSERVATION
from firebreak.line_actions import (
    LINE_LENGTHS,
    SHAPES,
    action_cells,
    shape_cells,
    shape_number,
    turn_steps,
    turned_shapes,
)
from firebreak.planning.learned.policy import line_values, q_map
from firebreak.planning.making import make_plan
from firebreak.settings.agent import AgentSettings
from firebreak.train.config.load import load_config
from firebreak.train.data.sizes import choice_of
from firebreak.train.data.splits import make_splits
from firebreak.train.rollout.gains import ActionGains
from firebreak.train.run.trainer import ParallelTrainer
from tiny import TINY

SIZE = 12


def scene_of(seed: int, *, leak: bool = False, priced: bool = True) -> Scene:
    """A patchy landscape of dear and cheap cells, some of them not to be treated."""
    land = generate(seed, (SIZE, SIZE + 1))
    rng = np.random.default_rng(seed)
    cost = rng.uniform(0.5, 3.0, land.shape).astype(np.float32)
    treatable = land.treatable & (rng.random(land.shape) < 0.85)
    land = replace(land, treatable=treatable, cost=cost if priced else land.cost)
    return make_scene(land, FireConditions(scenarios=2, leak=leak), seed)


def slots_of(scene: Scene, share: float = 0.2) -> ProblemBatch:
    slots = ProblemBatch(sizes_for(scene, 1, 10, 10))
    begin(slots, np.zeros(1, np.int64), [make_problem(scene, share, 10, 10)])
    return slots


def slowly_allowed(slots: ProblemBatch, leak: bool) -> np.ndarray:
    """Every action cell by cell."""
    problem = slots.problems[0]
    assert problem is not None
    land, shape = problem.scene.landscape, slots.sizes.shape
    out = np.zeros((SHAPES, *shape), bool)
    for number in range(SHAPES):
        steps = shape_cells(number, leak)
        for row in range(shape[0]):
            for col in range(shape[1]):
                cells = [(row + r, col + c) for r, c in steps.tolist()]
                if any(not (0 <= r < shape[0] and 0 <= c < shape[1]) for r, c in cells):
                    continue
                fuel = [land.burnable[c] and not slots.breaks[0][c] for c in cells]
                new = [c for c, burns in zip(cells, fuel, strict=True) if burns]
                if not all(land.treatable[c] for c in new):
                    continue
                price = sum(float(land.cost[c]) for c in new)
                out[number, row, col] = (bool(slots.available[0][cells[0]]) and fuel[-1]
                                         and price <= slots.budget_left[0] + 1e-6)
    return out.ravel()


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 999), leak=st.booleans(), placed=st.integers(0, 6))
def test_allowed_segments_begin_and_end_in_new_breaks_and_are_paid_for(seed: int, leak: bool,
                                                                       placed: int) -> None:
    slots = slots_of(scene_of(seed, leak=leak))
    for _ in range(placed):
        if slots.available[0].any():
            slots.place(0, int(np.flatnonzero(slots.available[0])[seed % 5]))
    mask = allowed(slots, SLOT_0, lines=True)[0]
    assert mask.size == action_count(slots.sizes.shape, lines=True)
    assert (mask == slowly_allowed(slots, leak)).all()
    assert (mask[:slots.available[0].size] == slots.available[0].ravel()).all()
    rng = np.random.default_rng(seed)
    some = rng.choice(mask.size, 40).tolist()
    for action in some + rng.choice(np.flatnonzero(mask), 40).tolist() if mask.any() else some:
        assert are_allowed(slots, np.array([action]), lines=True)[0] == mask[action]


def test_an_episode_of_segments_places_whole_lines_and_pays_for_their_cells() -> None:
    env = gymnasium.make(ENV_ID, size=16, budget=0.1, plan_fires=6, reward_fires=6,
                         lines=True).unwrapped
    _, info = env.reset(seed=1)
    rng = np.random.default_rng(0)
    total, over, steps, placed = 0.0, False, 0, 0
    while not over:
        options = np.flatnonzero(info["action_mask"])
        action = int(options[-1] if steps == 0 else rng.choice(options))
        wanted = action_cells(action, (16, 16), joined=False)
        burnable = env.slots.problems[0].scene.landscape.burnable.ravel()[wanted]
        _, reward, over, _, info = env.step(action)
        assert not info["illegal_action"]
        assert env.slots.breaks[0].ravel()[wanted][burnable].all()
        total, steps, placed = total + reward, steps + 1, placed + wanted.size
    assert placed > steps
    assert total == pytest.approx(1.0 - info["loss"] / info["untreated_loss"], abs=1e-9)
    assert env.slots.budget_left[0] >= -1e-6


def test_an_illegal_segment_breaks_nothing_and_costs_something() -> None:
    env = FuelbreakVectorEnv(synthetic_source(16, plan_fires=6, reward_fires=6, lines=True), 2)
    env.reset(seed=1)
    masks = env.action_masks()
    left = env.slots.budget_left.copy()
    _, reward, _, _, info = env.step(np.array([int((~mask).nonzero()[0][-1]) for mask in masks]))
    assert (reward == 0.0).all()
    assert info["illegal_action"].all()
    assert not env.slots.breaks.any()
    assert (env.slots.budget_left < left).all()
    with pytest.raises(InputError, match="lines by number"):
        env.step(np.array([SHAPES * 16 * 16, 0]))


def test_numbers_of_shapes_are_found_by_way_and_length() -> None:
    for number in range(SHAPES):
        way, place = divmod(max(number - 1, 0), len(LINE_LENGTHS))
        length = len(shape_cells(number))
        assert shape_number(np.array([way]), np.array([length])).tolist() == [number]
        assert [0, 0] in shape_cells(number).tolist()
        assert number == 0 or length == LINE_LENGTHS[place]
    assert shape_number(np.array([0, 0]), np.array([5, 999])).tolist() == [-1, -1]


@pytest.mark.parametrize("k", range(SYMMETRIES))
def test_segments_turn_with_their_maps(k: int) -> None:
    """Along the axes and diagonals exactly; between them but for the cells that round otherwise."""
    side = 31
    middle = (side // 2) * side + side // 2
    new_cell = np.empty(side * side, np.int64)
    new_cell[turn_map(torch.arange(side * side).reshape(side, side), k).flatten().numpy()] = (
        np.arange(side * side))
    numbers = torch.arange(SHAPES) * side * side + middle
    turned, inside = turn_line_actions(numbers, k, side)
    assert inside.all()
    for number in range(SHAPES):
        before = action_cells(int(numbers[number]), (side, side), joined=False)
        after = action_cells(int(turned[number]), (side, side), joined=False)
        assert len(before) == len(after)
        shared = len(set(new_cell[before].tolist()) & set(after.tolist()))
        straight = (max(number - 1, 0) // len(LINE_LENGTHS)) % 2 == 0
        assert shared == len(before) if straight or k == 0 else shared >= 0.5 * len(before)


def test_steps_turn_as_maps_do_and_corners_may_turn_a_segment_out_of_the_map() -> None:
    for k in range(SYMMETRIES):
        marked = torch.zeros(5, 5)
        marked[1, 2] = 1.0  # (-1, 0) from the middle
        row, col = np.argwhere(turn_map(marked, k).numpy())[0]
        assert turn_steps(np.array([-1, 0]), k).tolist() == [row - 2, col - 2]
    to, off = turned_shapes()
    k, number = np.argwhere(off.any(axis=2))[0]
    corners = [0, 3, 12, 15]
    inside = [bool(turn_line_actions(torch.tensor([number * 16 + cell]), int(k), 4)[1])
              for cell in corners]
    assert not all(inside)
    assert (to[0] == np.arange(SHAPES)).all()


def segment_network(seed: int = 0) -> QMapNetwork:
    torch.manual_seed(seed)
    return QMapNetwork(OBSERVATION.channels, 8, shapes=SHAPES).eval()


def test_the_network_has_a_value_for_every_segment() -> None:
    seen = torch.rand(2, OBSERVATION.channels, 9, 11)
    network = segment_network()
    q = network(seen)
    assert q.shape == (2, SHAPES * 99)
    # A shape's bias moves the values of that shape, and no others.
    with torch.no_grad():
        network.base.bias[5] += 1.0
    moved = (network(seen) - q).unflatten(1, (SHAPES, 99))
    assert torch.allclose(moved[:, 5], torch.ones(2, 99), atol=1e-5)
    moved[:, 5] = 0.0
    assert moved.abs().max() < 1e-5


def test_values_of_some_segments_and_their_gradients_are_those_of_the_whole_map() -> None:
    torch.manual_seed(3)
    network = segment_network()
    seen = torch.rand(3, OBSERVATION.channels, 13, 10)
    some = torch.randint(SHAPES * 130, (3, 200), generator=torch.Generator().manual_seed(0))
    found = network.values_at(seen, some)
    expected = network(seen).gather(1, some)
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-5)
    weight = torch.rand(3, 200)
    gradients = [torch.autograd.grad((weight * values).sum(), list(network.parameters()))
                 for values in (found, expected)]
    torch.testing.assert_close(*gradients, rtol=1e-4, atol=1e-4)


def test_a_cell_adds_to_the_segments_that_it_is_part_of_and_to_no_others() -> None:
    maps = torch.zeros(1, SHAPES, 30, 30)
    maps[:, :, 12, 17] = 1.0
    means = mean_along(maps)[0].flatten()
    for action in torch.nonzero(means)[:, 0].tolist():
        cells = action_cells(action, (30, 30), joined=False)
        assert 12 * 30 + 17 in cells
        assert float(means[action]) == pytest.approx(1.0 / len(cells), rel=1e-5)
    assert int((means > 0).sum()) > 500


@pytest.mark.parametrize("shape", [(2, SHAPES, 7, 30), (1, SHAPES, 9, 12), (3, SHAPES, 1, 1),
                                   (1, SHAPES, 13, 10)])
def test_means_along_segments_have_the_same_bits_with_gradients_and_without(
        shape: tuple[int, ...]) -> None:
    maps = torch.randn(shape, generator=torch.Generator().manual_seed(1))
    torch.testing.assert_close(mean_along(maps), mean_along(maps.requires_grad_()).detach(),
                               rtol=0.0, atol=0.0)


def test_exploring_draws_a_length_first_and_only_allowed_segments() -> None:
    slots = slots_of(scene_of(3, priced=False), share=0.5)
    mask = torch.from_numpy(allowed(slots, SLOT_0, lines=True)).repeat(400, 1)
    seen = torch.rand(400, OBSERVATION.channels, *slots.sizes.shape)
    settings_ = AgentSettings(epsilon=1.0, epsilon_end=1.0, segments=True, gain_share=0.25,
                              discount_end=0.0)
    action = exploration.explored(torch.zeros(400, dtype=torch.int64), seen, mask,
                                  settings_, 0, torch.Generator().manual_seed(0))
    assert mask[0, action].all()
    cells = slots.available[0].size
    lengths = np.array([len(shape_cells(int(a) // cells)) for a in action])
    offered = {len(shape_cells(int(n))) for n in
               np.unique(np.flatnonzero(mask[0].numpy()) // cells)}
    assert set(lengths.tolist()) == offered
    counts, expected = np.bincount(lengths)[sorted(offered)], 1.0 / np.array(sorted(offered))
    np.testing.assert_allclose(counts / 400, expected / expected.sum(), atol=0.08)


@pytest.mark.parametrize("lines", [False, True])
def test_the_cost_of_an_action_is_what_it_takes_from_the_budget(lines: bool) -> None:
    slots, rng = slots_of(scene_of(3, priced=True), share=0.6), np.random.default_rng(0)
    land = slots.problem(0).scene.landscape
    mean = land.cost[land.treatable].mean(dtype=np.float64)
    seen = []
    while slots.available[0].any() and len(seen) < 12:
        action = rng.choice(np.flatnonzero(allowed(slots, SLOT_0, lines)[0]), 1)
        cost = float(action_costs(slots, action, lines)[0])
        before = float(slots.budget_left[0])
        place_actions(slots, SLOT_0, action, lines)
        assert cost * mean == pytest.approx(before - float(slots.budget_left[0]), rel=1e-6)
        seen.append(cost)
    assert len(set(seen)) > 3


def test_the_guide_of_a_segment_is_the_mean_over_its_cells() -> None:
    grid = torch.rand(2, 9, 10)
    guide = exploration.line_guide(grid).unflatten(1, (SHAPES, 9, 10))
    for number in (0, 3, 12, 30, SHAPES - 1):
        cells = shape_cells(number) + np.array([4, 5])
        inside = [(r, c) for r, c in cells.tolist() if 0 <= r < 9 and 0 <= c < 10]
        expected = sum(grid[1, r, c] for r, c in inside) / len(cells)
        assert float(guide[1, number, 4, 5]) == pytest.approx(float(expected), rel=1e-5)


def test_labels_are_what_segments_save_per_cost_of_the_reward_fires() -> None:
    env = FuelbreakVectorEnv(synthetic_source(SIZE, budget=0.2, plan_fires=8, reward_fires=10,
                                              lines=True), 2)
    env.reset(seed=3)
    env.step(np.array([np.flatnonzero(mask)[5] for mask in env.action_masks()]))
    values = np.random.default_rng(0).random(env.single_action_space.n).astype(np.float32)
    settings_ = AgentSettings(segments=True, gain_share=1.0, gain_fires=10)
    gains = ActionGains(env.source.sizes(2), settings_, seed=1)
    for slot in (1, 0):
        segment, gain, costs = gains.of(env.slots, slot, values, 4)
        mask = env.action_masks()[slot]
        assert mask[segment].all()
        assert 20 < segment.size <= choice_of(settings_).most
        assert np.where(mask, values, -1).argmax() in segment
        assert len(np.unique(segment)) == segment.size
        problem = env.slots.problems[slot]
        assert problem is not None
        scene, fires = problem.scene, problem.reward_fires
        before = burn(scene, fires, env.slots.breaks[slot]).loss.mean()
        for action, told, cost in zip(segment.tolist(), gain.tolist(), costs.tolist(),
                                      strict=True):
            breaks = env.slots.breaks[slot].copy()
            cells = action_cells(action, breaks.shape, joined=False)
            new = cells[env.slots.available[slot].ravel()[cells]]
            breaks.ravel()[new] = True
            assert cost == new.size
            after = burn(scene, fires, breaks).loss.mean()
            assert told == pytest.approx((before - after) / new.size
                                         / env.slots.untreated_reward_loss[slot], abs=1e-6)
    again, *_ = gains.of(env.slots, 0, values, 4)
    other, *_ = gains.of(env.slots, 0, values, 5)
    assert (again == segment).all()
    assert not np.array_equal(other, segment)


@pytest.mark.slow
def test_a_step_towards_the_gains_of_lines_brings_values_nearer() -> None:
    draw = torch.Generator().manual_seed(0)
    layers = torch.randint(1, 256, (12, OBSERVATION.channels, SIZE, SIZE), generator=draw)
    layers[:, OBSERVATION.channel("best_downstream")] = 128
    gain = torch.rand((12, 6), generator=draw) / 100
    gain[::2, 4:] = torch.nan
    batch = GainBatch(layers.float() / 255, gain,
                      torch.arange(6) * 700 + torch.arange(12)[:, None])
    agent = DQNAgent(AgentSettings(
        learning_rate=1e-2, width=8, segments=True, gain_share=0.25, discount_end=0.0), 0)

    def error() -> float:
        q = agent.q_values(batch.observation).gather(1, batch.action)
        unit = unit_of(batch.observation, OBSERVATION)[:, None]
        return float(((q - batch.gain) / unit)[~batch.gain.isnan()].abs().mean())

    before = error()
    for k in range(40):
        agent.learn(batch, turned=k % 2 * 4)
    assert error() < 0.7 * before


@pytest.mark.parametrize("leak", [False, True])
def test_a_policy_of_segments_places_the_allowed_one_it_values_most(leak: bool) -> None:
    scene = scene_of(5, leak=leak)
    policy = Policy(segment_network(2), {"run": "untrained"})
    plan = make_plan(scene, 0.15, 10, "dqn", seed=0, policy=policy, batch=1)
    slots = ProblemBatch(sizes_for(scene, 1, 10, 0))
    fires = scene.fires("plan", 10)
    begin(slots, np.zeros(1, np.int64), [problem_of(scene, 0.15, fires, fires.first(0))])
    placed: list[int] = []
    while slots.available[0].any():
        with torch.no_grad():
            q = policy.network(torch.from_numpy(slots.layers).float() / 255)[0].numpy()
        mask = allowed(slots, SLOT_0, lines=True)[0]
        action = int(np.where(mask, q, -np.inf).argmax())
        new = [cell for cell in action_cells(action, slots.sizes.shape, leak).tolist()
               if slots.available[0].flat[cell]]
        best = np.argwhere(q_map(policy, slots) == q_map(policy, slots).max())
        assert {tuple(divmod(c, SIZE + 1)) for c in new} <= {tuple(b) for b in best.tolist()}
        for cell in new:
            slots.place(0, cell)
        placed += new
        slots.update(np.zeros(1, np.int64))
    assert plan.cells.tolist() == placed
    assert len(placed) > 3


def test_a_policy_of_segments_comes_back_from_its_file(tmp_path) -> None:
    save_policy(tmp_path / "p.pt", segment_network(4), {"run": "r"})
    again = load_policy(tmp_path / "p.pt").network
    assert again.shapes == SHAPES
    seen = torch.rand(1, OBSERVATION.channels, 8, 8)
    assert torch.equal(again(seen), segment_network(4)(seen))


SEGMENTS = ["agent.segments=true", "agent.gain_share=0.25", "agent.gain_fires=4",
            "agent.discount_end=0"]


@pytest.mark.slow
def test_a_run_of_segments_trains_to_the_same_bits(tmp_path) -> None:
    config = load_config("quick", [*TINY, *SEGMENTS])
    for name in "ab":
        (tmp_path / name).mkdir()
    rows = list(ParallelTrainer(config, make_splits(config, tmp_path), tmp_path / "a").run())
    assert rows[-1]["kind"] == "end"
    assert rows[-1]["learner_steps"] > 0
    assert load_policy(tmp_path / "a").network.shapes == SHAPES
    again = list(ParallelTrainer(config, make_splits(config, tmp_path), tmp_path / "b").run())
    assert rows[-1]["weights_sha256"] == again[-1]["weights_sha256"]


@pytest.mark.parametrize("change", ["agent.gain_share=0", "agent.discount_end=0.5"])
def test_segments_are_learned_from_gains_at_discount_0_only(change: str) -> None:
    with pytest.raises(InputError, match="segments"):
        load_config("quick", [*SEGMENTS, change])


def test_a_q_map_of_a_map_smaller_than_the_longest_segments() -> None:
    scene = make_scene(generate(2, 8), FireConditions(scenarios=1), 0)
    slots = slots_of(scene, 0.5)
    policy = Policy(segment_network(2), {"run": "untrained"})
    found = q_map(policy, slots)
    assert np.isfinite(found[slots.available[0]]).all()
    alone = line_values(policy, slots)[:found.size].reshape(found.shape)
    assert (found >= alone).all()


def test_a_network_for_segments_begins_where_one_for_cells_left_off() -> None:
    torch.manual_seed(5)
    cells = QMapNetwork(OBSERVATION.channels, 8)
    network, seen = segment_network(6), torch.rand(2, OBSERVATION.channels, 11, 14)
    take_over(network, cells)
    with torch.no_grad():
        values = network(seen).unflatten(1, (SHAPES, -1))
        torch.testing.assert_close(values, cells(seen)[:, None].expand(-1, SHAPES, -1))
    again = segment_network(7)
    take_over(again, network)
    assert torch.equal(again(seen), network(seen))
    with pytest.raises(RuntimeError, match="policy for line actions"):
        take_over(cells, network)
