"""Paired returns: what they are, how they are kept, and that breaks which save only together are
learned from them.
"""

import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from firebreak.agent.dqn import DQNAgent
from firebreak.agent.gain_store import GainBatch, GainStore
from firebreak.agent.network import QMapNetwork
from firebreak.agent.settings import DQNSettings, LinearSchedule
from firebreak.agent.symmetry import turn_map
from firebreak.agent.targets import paired_loss, unit_of
from firebreak.checks import InputError
from firebreak.env import synthetic_source
from firebreak.env.actions import action_count, open_cells
from firebreak.env.gains import ExactGains
from firebreak.env.sources import ProblemSource
from firebreak.env.vector_env import FuelbreakVectorEnv
from firebreak.fire import FireConditions, FireRegime, burn_loss
from firebreak.landscape.fuels import BARREN
from firebreak.landscape.synthetic.closed_form import closed_form
from firebreak.layout import OBSERVATION
from firebreak.memory.owned import owned_bytes
from firebreak.train.config.load import load_config
from firebreak.train.data.splits import make_splits
from firebreak.train.gains.gain_labels import GainLabels
from firebreak.train.gains.line_gains import LineGains
from firebreak.train.gains.paired_returns import FIRE_SET, PairedReturns
from firebreak.train.run.trainer import ParallelTrainer
from tiny import TINY

SIZE = 8
CELLS = SIZE * SIZE
ACTIONS, FIRES = 6, 40
RETURNS = ["agent.gain_share=0.25", "agent.gain_fires=4", "agent.discount_end=0",
           "agent.return_share=0.5", "agent.return_actions=4", "agent.return_fires=12"]


def env_of(lines: bool) -> FuelbreakVectorEnv:
    env = FuelbreakVectorEnv(synthetic_source(SIZE, budget=0.15, plan_fires=8, reward_fires=10,
                                              lines=lines), 2)
    env.reset(seed=3)
    env.step(np.array([np.flatnonzero(mask)[5] for mask in env.action_masks()]))
    return env


def drawn_values(lines: bool, seed: int) -> Callable[[np.ndarray], np.ndarray]:
    """Values that depend on all that is observed of a state, as those of a network do."""
    count = action_count((SIZE, SIZE), lines)

    def values(layers: np.ndarray) -> np.ndarray:
        return np.stack([np.random.default_rng([seed, zlib.crc32(one.tobytes())]).random(count)
                         for one in layers]).astype(np.float32)
    return values


def returns_of(env: FuelbreakVectorEnv, lines: bool, **changed: Any) -> PairedReturns:
    given = {"actions": ACTIONS, "fires": FIRES, "lines": lines,
             "online": drawn_values(lines, 1), "frozen": drawn_values(lines, 2), "seed": 5}
    return PairedReturns(env.source.sizes(2), **(given | changed))


@pytest.mark.parametrize("lines", [False, True])
def test_returns_are_what_whole_plans_save_of_one_set_of_fires(lines: bool) -> None:
    env = env_of(lines)
    paired = returns_of(env, lines)
    frozen = drawn_values(lines, 2)
    for slot in (1, 0):
        problem = env.slots.problem(slot)
        scene, mask = problem.scene, env.action_masks()[slot]
        fires = scene.fires(FIRE_SET, FIRES)
        state = env.slots.breaks[slot].copy()

        def loss(breaks: np.ndarray, scene=scene, fires=fires) -> float:
            return float(burn_loss(scene.field, fires, scene.value_by_class, breaks).mean())
        action, gain, returns = paired.of(env.slots, slot, 7)
        assert mask[action].all()
        assert len(np.unique(action)) == action.size == ACTIONS
        assert np.where(mask, drawn_values(lines, 1)(env.slots.layers[slot:slot + 1])[0],
                        -1).argmax() == action[0]
        untreated = loss(np.zeros_like(state))
        for k, first in enumerate(action.tolist()):
            # Slowly: an environment of its own plays the plan with the frozen values.
            own = FuelbreakVectorEnv(env.source, 1, autoreset=False)
            own.reset(options={"problem": problem})
            own.slots.put_back(0, state, float(env.slots.budget_left[slot]))
            own.slots.update(np.array([0]))
            new = open_cells(own.slots, first)
            own.step(np.array([first]))
            saved = (loss(state) - loss(own.slots.breaks[0])) / untreated
            per = scene.landscape.cost.ravel()[new].sum() if lines else 1.0
            assert gain[k] == pytest.approx(saved / per, abs=1e-6)
            while own.action_masks()[0].any():
                values = np.where(own.action_masks()[0], frozen(own.slots.layers)[0], -np.inf)
                own.step(np.array([values.argmax()]))
            saved = (loss(state) - loss(own.slots.breaks[0])) / untreated
            assert returns[k] == pytest.approx(saved, abs=1e-6)


def test_a_state_is_labelled_alike_whatever_was_labelled_before() -> None:
    env = env_of(True)
    before = env.slots.layers.copy(), env.slots.budget_left.copy()
    one, other = returns_of(env, True), returns_of(env, True)
    one.of(env.slots, 1, 0)
    held = one.owned_bytes()
    for k, (left, right) in enumerate(zip(one.of(env.slots, 0, 3), other.of(env.slots, 0, 3),
                                          strict=True)):
        assert np.array_equal(left, right), k
    assert not np.array_equal(one.of(env.slots, 0, 4).action, other.of(env.slots, 0, 3).action)
    assert one.owned_bytes() == held
    assert (before[0] == env.slots.layers).all()
    assert (before[1] == env.slots.budget_left).all()


def test_no_plan_is_judged_on_fires_that_it_was_made_or_paid_for() -> None:
    problem = env_of(False).slots.problem(0)
    judged = set(problem.scene.fires(FIRE_SET, 200).key.tolist())
    for others in (problem.plan_fires, problem.reward_fires):
        assert not judged & set(others.key.tolist())


def batch_with_gradients() -> tuple[torch.Tensor, ...]:
    layers = torch.randint(256, (OBSERVATION.channels, SIZE, SIZE)).to(torch.uint8)
    weights = torch.rand(5, requires_grad=True)
    return layers, weights * 2.0, torch.arange(5) * 300, weights - 1.0


def test_what_is_kept_is_detached_and_lies_in_memory_of_the_store() -> None:
    store = GainStore(OBSERVATION, (SIZE, SIZE), 3, lines=7, returns=True)
    held, places = store.nbytes, [t.data_ptr() for t in store.state().values()][:4]
    for _ in range(4):
        layers, gain, line, returns = batch_with_gradients()
        store.append(layers, gain, line, returns)
    kept = store.state()
    assert set(kept) == {"layers", "gain", "segment", "returns", "counters"}
    for tensor in kept.values():
        assert not tensor.requires_grad
        assert tensor.grad_fn is None
        assert tensor.device.type == "cpu"
    assert [t.data_ptr() for t in kept.values()][:4] == places
    assert store.nbytes == held == sum(owned_bytes({"store": store}).values())
    assert torch.equal(store.returns[0, :5], returns.detach())
    assert store.returns[0, 5:].isnan().all()
    batch = store.sample(20, torch.Generator().manual_seed(0))
    assert not any(part.requires_grad for part in batch)
    again = GainStore(OBSERVATION, (SIZE, SIZE), 3, lines=7, returns=True)
    again.restore(kept)
    assert all(a.numpy().tobytes() == b.numpy().tobytes()
               for a, b in zip(again.state().values(), kept.values(), strict=True))


@pytest.mark.parametrize("k", range(8))
def test_returns_turn_with_their_actions(k: int) -> None:
    returns = torch.full((2, CELLS), torch.nan)
    returns[:, 3:9] = torch.rand(2, 6)
    seen = torch.rand(2, OBSERVATION.channels, SIZE, SIZE)
    turned = GainBatch(seen, torch.rand(2, CELLS), None, returns).turned(k, OBSERVATION)
    expected = turn_map(returns.reshape(2, SIZE, SIZE), k).flatten(1)
    assert torch.equal(turned.returns.nan_to_num(-1.0), expected.nan_to_num(-1.0))
    # Of lines they stay in their places, beside the gains.
    line = torch.randint(65 * CELLS, (2, 9))
    gain = torch.rand(2, 9)
    turned = GainBatch(seen, gain, line, gain + 1.0).turned(k, OBSERVATION)
    assert torch.equal(turned.returns.isnan(), turned.gain.isnan())


def test_the_paired_loss_by_hand() -> None:
    nan = float("nan")
    value = torch.tensor([[1.0, 2.0, 9.0], [5.0, 0.0, 0.0]])
    returns = torch.tensor([[0.5, 0.3, nan], [nan, nan, 7.0]])
    # Means 1.5 and 0.4: errors -0.5 - 0.1 and 0.5 + 0.1; of the other state there is one return.
    assert float(paired_loss(value, returns)) == pytest.approx(2 * 0.5 * 0.6**2)
    shifted = paired_loss(value + torch.tensor([[3.0], [1.0]]), returns - 40.0)
    assert float(shifted) == pytest.approx(0.36, rel=1e-4)


def agent_of(seed: int = 0, **changed: Any) -> DQNAgent:
    constant = LinearSchedule(0.0, 0.0, 0, 1)
    given = {"epsilon": constant, "discount": constant, "width": 8, "continuation": True,
             "learning_rate": LinearSchedule(5e-3, 5e-3, 0, 1)}
    return DQNAgent(OBSERVATION, DQNSettings(**(given | changed)), seed)


@pytest.mark.slow
@pytest.mark.parametrize("lines", [False, True])
def test_a_value_is_the_gain_until_returns_say_more(lines: bool) -> None:
    agent, plain = (agent_of(segments=lines, continuation=own) for own in (True, False))
    seen = torch.rand(3, OBSERVATION.channels, SIZE, SIZE,
                      generator=torch.Generator().manual_seed(1))
    assert torch.equal(agent.q_values(seen), plain.q_values(seen))
    shapes = 65 if lines else 1
    line = torch.randint(shapes * CELLS, (3, 5), generator=torch.Generator().manual_seed(2))
    action = line if lines else None
    count = 5 if lines else CELLS
    unit = unit_of(seen, OBSERVATION)[:, None]
    gain = torch.rand(3, count, generator=torch.Generator().manual_seed(3)) * unit
    returns = torch.linspace(-1.0, 1.0, count)[None] * unit
    for _ in range(80):
        agent.learn_gains(GainBatch(seen, gain, action, returns))
    with torch.no_grad():
        told, later = agent.online_net.parts(seen, action)
        here = torch.arange(count).expand(3, -1) if action is None else action
        together = agent.online_net.values_at(seen, here)
        everywhere = agent.online_net(seen).gather(1, here)
    assert later is not None
    torch.testing.assert_close(told + later, together, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(everywhere, together, rtol=1e-4, atol=1e-4)
    wanted = (returns / unit).expand(3, -1)
    ranks = [np.corrcoef(a.numpy(), b.numpy())[0, 1] for a, b in zip(later, wanted, strict=True)]
    assert min(ranks) > (0.9 if lines else 0.7)


def test_the_bits_of_a_run_without_returns_are_those_of_a_network_without_continuation() -> None:
    torch.manual_seed(0)
    plain = QMapNetwork(5, 8)
    torch.manual_seed(0)
    with_head = QMapNetwork(5, 8, continuation=True)
    assert "continuation" not in plain.options
    own = with_head.state_dict()
    for name, tensor in plain.state_dict().items():
        assert torch.equal(own.pop(name), tensor)
    assert sorted(own) == ["later.bias", "later.weight"]
    assert not any(tensor.any() for tensor in own.values())


def two_doors() -> tuple[ProblemSource, list[int], int]:
    """A map on which two breaks save all that is of much value, either alone nothing, and a third a
    little: the source, the cells of the two, and the third. The budget buys two.
    """
    form = closed_form("door", 9, 0)
    fuel = np.full((9, 9), BARREN, np.int16)
    grass = form.landscape.fuel_model[0, 0]
    fuel[:, :3] = grass       # fires start here
    fuel[:5, 4:] = grass      # value, behind two doors
    fuel[6:, 4:] = grass      # less value, behind one
    doors, decoy = [0 * 9 + 3, 4 * 9 + 3], 7 * 9 + 3
    fuel.ravel()[[*doors, decoy]] = grass
    value = np.zeros((9, 9), np.float32)
    value[:5, 4:], value[6:, 4:] = 1.0, 0.4
    treatable = np.zeros((9, 9), np.bool_)
    treatable.ravel()[[*doors, decoy]] = True
    start = np.zeros((9, 9), np.float32)
    start[:, :3] = 1.0
    land = replace(form.landscape, fuel_model=fuel, value=value, treatable=treatable,
                   ignition_weight=start, name="two doors")
    conditions = FireConditions(scenarios=2, regime=FireRegime(duration_min=1e7,
                                                               duration_sigma=0.0))
    source = ProblemSource(shape=(9, 9), landscape=lambda seed, episode: land,
                           conditions=conditions, budget_share=0.7, plan_fires=16, reward_fires=16)
    return source, doors, decoy


def plan_learned(with_returns: bool, seed: int = 0) -> list[int]:
    """The cells that an agent places on the map of two doors, after it has learned there."""
    source, _, _ = two_doors()
    env = FuelbreakVectorEnv(source, 4)
    _, info = env.reset(seed=0)
    agent = agent_of(seed, continuation=with_returns, target_period=20)
    sizes = source.sizes(4)
    frozen, online = (lambda layers, of=of: of(torch.from_numpy(layers).float() / 255).numpy()
                      for of in (agent.target_values, agent.q_values))
    paired = PairedReturns(sizes, 3, 16, False, online, frozen, 0) if with_returns else None
    labels = GainLabels(env, ExactGains(sizes, 16), 1.0, 400, paired, 0.5)
    rng = np.random.default_rng(0)
    for _ in range(40):
        labels.label(2)
        _, _, _, _, info = env.step(np.array([rng.choice(np.flatnonzero(mask))
                                              for mask in info["action_mask"]]))
        for _ in range(4):
            agent.learn_gains(labels.store.sample(8, agent.sampling))
    greedy = FuelbreakVectorEnv(source, 1, autoreset=False)
    observation, info = greedy.reset(seed=0)
    placed = []
    while info["action_mask"].any():
        action = agent.act_greedily(torch.from_numpy(observation),
                                    torch.from_numpy(info["action_mask"].astype(bool))).numpy()
        placed.append(int(action[0]))
        observation, _, _, _, info = greedy.step(action)
    return placed


@pytest.mark.slow
def test_breaks_that_save_only_together_are_learned_from_returns_and_not_at_discount_0() -> None:
    _, doors, decoy = two_doors()
    assert plan_learned(with_returns=False)[0] == decoy
    assert sorted(plan_learned(with_returns=True)) == doors


def run_of(folder: Path, *changes: str) -> ParallelTrainer:
    config = load_config("quick", [*TINY, *RETURNS, *changes])
    folder.mkdir()
    return ParallelTrainer(config, make_splits(config, Path()), folder)


@pytest.mark.slow
@pytest.mark.usefixtures("bare_runs")
def test_a_run_samples_its_replay_of_returns_and_reads_its_target_network(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: Counter[str] = Counter()

    def count(kind: type, name: str) -> None:
        method = getattr(kind, name)

        def counted(*given: Any) -> Any:
            calls[name] += 1
            return method(*given)
        monkeypatch.setattr(kind, name, counted)
    count(GainStore, "sample")
    count(DQNAgent, "target_values")
    count(PairedReturns, "of")
    trainer = run_of(tmp_path / "run")
    read = []
    trainer.agent.target_net.register_forward_hook(lambda *_: read.append(1))
    rows = list(trainer.run())
    store = trainer.arenas[0].labels.store
    assert calls["sample"] == rows[-1]["learner_steps"] > 5
    assert calls["of"] == len(store) // 2 > 3
    assert len(read) == calls["target_values"] > 3
    known = ~store.returns[:len(store)].isnan()
    assert known.any(1).sum() == calls["of"]
    assert calls["sample"] * trainer.agent.settings.batch_size > 2 * len(store)
    assert not torch.equal(trainer.agent.online_net.later.weight,
                           torch.zeros_like(trainer.agent.online_net.later.weight))
    held = trainer.arenas[0].replay.nbytes + store.nbytes
    assert f"replay {held / 1e6:.1f} MB" in trainer.describe()
    assert f"{len(store.layers):,} labelled states" in trainer.describe()
    owned = owned_bytes({"trainer": trainer})
    assert sum(size for path, size in owned.items() if "labels" in path) >= store.nbytes


@pytest.mark.parametrize("lines", [False, True])
def test_a_replay_of_returns_above_the_budget_of_memory_is_refused(tmp_path: Path,
                                                                   lines: bool) -> None:
    with pytest.raises(InputError, match=r"a replay of at most 1 MB.*memory_budget_mb"):
        run_of(tmp_path / "run", "agent.gain_capacity=2000", "replay.memory_budget_mb=1",
               *(["agent.segments=true"] if lines else []))


@pytest.mark.parametrize("change", ["agent.gain_share=0", "agent.discount_end=0.5"])
def test_returns_are_learned_beside_gains_only(change: str) -> None:
    with pytest.raises(InputError, match="return_share"):
        load_config("quick", [*RETURNS, change])


def test_lines_with_returns_have_room_beside_those_with_gains() -> None:
    env = env_of(True)
    values = drawn_values(True, 1)
    gains = LineGains(env.source.sizes(2), 10, lambda layers: values(layers[None])[0], seed=1)
    labels = GainLabels(env, gains, 1.0, 5, returns_of(env, True), 0.5)
    labels.label(2)
    assert [int((~row.isnan()).sum()) for row in labels.store.returns[:2]] == [0, ACTIONS]
    known = ~labels.store.returns[1].isnan()
    assert not labels.store.gain[1][known].isnan().any()
