"""Single planning methods: what they choose, in which order, and what they refuse."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from firebreak.agent.network import QMapNetwork
from firebreak.agent.policy_file import Policy
from firebreak.checks import InputError
from firebreak.env.core import begin
from firebreak.env.storage.observation import to_floats
from firebreak.env.storage.problem import problem_of
from firebreak.env.storage.problem_batch import ProblemBatch, Sizes
from firebreak.fire import FireConditions, Scene, burn_field, make_scene
from firebreak.landscape.synthetic.generate import generate
from firebreak.layout import OBSERVATION
from firebreak.planning.core import area, limits
from firebreak.planning.core.area import cut_plan, lift, named_area
from firebreak.planning.core.plan import Plan, check_plan, pieces_of
from firebreak.planning.core.rounds import afford, default_batch, spaced_best
from firebreak.planning.making import make_plan

CONDITIONS = FireConditions(scenarios=3)


@pytest.fixture(scope="module")
def scene() -> Scene:
    return make_scene(generate(8, 20), CONDITIONS, 1)


def network_policy() -> Policy:
    torch.manual_seed(4)
    return Policy(QMapNetwork(OBSERVATION.channels, 8).eval(), {"run": "untrained"})


@pytest.mark.parametrize("method", ["burn-probability", "downstream-value", "random"])
def test_a_smaller_plan_is_the_beginning_of_a_larger_one(scene: Scene, method: str) -> None:
    small, large = (make_plan(scene, share, 48, method, seed=0) for share in (0.03, 0.05))
    assert 0 < small.cells.size < large.cells.size
    assert small.cells.tolist() == large.cells[:small.cells.size].tolist()


@pytest.mark.parametrize(("method", "field"), [("burn-probability", "burn_probability"),
                                               ("downstream-value", "downstream_value")])
def test_each_cell_is_the_best_on_a_map_burned_anew(scene: Scene, method: str,
                                                    field: str) -> None:
    cells = make_plan(scene, 0.03, 48, method, seed=0).cells
    land, fires = scene.landscape, scene.fires("plan", 48)
    breaks = np.zeros(land.shape, bool)
    for cell in cells:
        burned = burn_field(scene.field, fires, land.value, breaks, want="statistics")
        score = np.where(land.treatable & ~breaks, getattr(burned, field), -1.0).ravel()
        assert score[cell] == pytest.approx(score.max(), rel=1e-5)
        breaks.ravel()[cell] = True


def test_heuristics_choose_by_score_per_cost(scene: Scene) -> None:
    cost = np.random.default_rng(2).uniform(0.2, 5.0, scene.landscape.shape)
    priced = make_scene(replace(scene.landscape, cost=cost), CONDITIONS, 1)
    land = priced.landscape
    burned = burn_field(priced.field, priced.fires("plan", 48), land.value, want="statistics")
    for method, score in (("downstream-value", burned.downstream_value),
                          ("burn-probability", burned.burn_probability)):
        first = make_plan(priced, 0.05, 48, method, seed=0).cells[0]
        assert first == np.where(land.treatable, score / land.cost, -1.0).argmax()
        assert first != np.where(land.treatable, score, -1.0).argmax()


def test_random_depends_on_the_seed_and_is_spread_evenly(scene: Scene) -> None:
    plans = [make_plan(scene, 0.1, 1, "random", seed=seed) for seed in range(200)]
    share = np.mean([plan.break_mask() for plan in plans], axis=0)[scene.landscape.treatable]
    assert share.mean() == pytest.approx(0.1, abs=0.005)
    # Binomial with 200 draws: a standard deviation of 0.021.
    assert share.std() == pytest.approx(0.021, abs=0.005)


def test_dqn_takes_the_best_available_cell_of_the_q_map(scene: Scene) -> None:
    policy = network_policy()
    plan = make_plan(scene, 0.03, 16, "dqn", seed=0, policy=policy)
    fires = scene.fires("plan", 16)
    slots = ProblemBatch(Sizes(1, scene.landscape.shape, 3, 16, 0))
    begin(slots, np.zeros(1, np.int64), [problem_of(scene, 0.03, fires, fires.first(0))])
    for cell in plan.cells.tolist():
        with torch.no_grad():
            q = policy.network(torch.from_numpy(to_floats(slots.layers)))[0].numpy()
        assert cell == np.where(slots.available[0].ravel(), q, -np.inf).argmax()
        slots.place(0, cell)
        slots.update(np.zeros(1, np.int64))
    assert plan.policy == {"run": "untrained"}


def test_a_policy_is_recorded_only_where_it_was_used(scene: Scene) -> None:
    assert make_plan(scene, 0.05, 1, "random", seed=0, policy=network_policy()).policy is None


def test_dqn_without_a_policy_names_the_option(scene: Scene) -> None:
    with pytest.raises(InputError, match="--policy"):
        make_plan(scene, 0.05, 4, "dqn", seed=0)


def test_dqn_on_a_large_map_asks_for_an_area(scene: Scene,
                                             monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_TREATABLE", int(scene.landscape.treatable.sum()) - 1)
    with pytest.raises(InputError, match="--area"):
        make_plan(scene, 0.05, 1, "dqn", seed=0, policy=network_policy())


@pytest.mark.parametrize(("share", "method", "message"), [
    (0.05, "downstream", "did you mean 'downstream-value'"),
    (1e-4, "random", "buys the cheapest cell"),
    (1.5, "random", "at most 1"),
])
def test_bad_requests_are_refused(scene: Scene, share: float, method: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make_plan(scene, share, 4, method, seed=0)


def test_spaced_best_takes_the_best_that_are_apart_and_breaks_ties_by_index() -> None:
    score = np.zeros((1, 9))
    score[0, [3, 4, 6, 8]] = 5.0, 6.0, 4.0, 9.0
    available = np.ones((1, 9), bool)
    available[0, 8] = False
    # 4 is best; 3 and 6 are within 2 cells of it; of the zeros 0 comes first, then 7.
    assert spaced_best(score, available, 9) == [4, 0, 7]
    assert spaced_best(np.zeros((3, 3)), np.ones((3, 3), bool), 1) == [0]


def test_afford_passes_over_what_is_too_dear() -> None:
    cost = np.array([[3.0, 1.0, 2.0, 1.0]], np.float32)
    assert afford(np.array([1, 0, 2, 3]), cost, 3.5).tolist() == [1, 2]
    # Ten times 0.1 in single precision is a little more than 1.
    assert afford(np.arange(10), np.full((1, 10), 0.1, np.float32), 1.0).size in (9, 10)
    assert afford(np.empty(0, np.int64), cost, 3.0).size == 0


def test_about_fifty_rounds_by_default() -> None:
    land = generate(1, 60)
    cells = int(land.treatable.sum())
    assert default_batch(land, 50 / cells) == 1
    assert default_batch(land, 74.5 / cells) == 1
    assert default_batch(land, 76.5 / cells) == 2
    assert default_batch(land, 0.5) == round(int(0.5 * cells) / 50)


def test_an_area_is_cut_planned_and_put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(area, "MARGIN", 4)
    land = generate(2, (30, 34))
    part, offset = named_area(land, "2:14,20:32")
    assert (part.shape, offset) == ((18, 18), (0, 16))
    inside = np.zeros(land.shape, bool)
    inside[2:14, 20:32] = True
    assert part.treatable.sum() == (land.treatable & inside).sum()
    assert part.transform[2] == land.transform[2] + 16 * land.cell_size_m
    plan = make_plan(make_scene(part, CONDITIONS, 0), 0.1, 16, "downstream-value", seed=0)
    lifted = lift(plan, offset, land)
    assert lifted.break_mask()[:18, 16:].tolist() == plan.break_mask().tolist()
    assert lifted.cells.size == plan.cells.size
    assert (lifted.break_mask() & ~inside).sum() == 0
    assert lifted.landscape_checksum == land.checksum()
    back = cut_plan(lifted, offset, part, land)
    assert back.cells.tolist() == plan.cells.tolist()
    assert back.budget_share == pytest.approx(plan.budget_share)
    with pytest.raises(InputError, match="a plan inside the area"):
        cut_plan(lifted, (3, 18), part, land)


@pytest.mark.parametrize("named", ["0:31,0:4", "4:4,0:4", "0:4,0:35", "5:3,0:4"])
def test_a_bad_area_is_refused(named: str) -> None:
    with pytest.raises(InputError, match="an area inside"):
        named_area(generate(2, (30, 34)), named)


def plan_with(scene: Scene, cells: list[int], **fields: object) -> Plan:
    plan = make_plan(scene, 0.05, 1, "random", seed=0)
    return replace(plan, cells=np.array(cells), cost=float(len(cells)), **fields)  # type: ignore[arg-type]


def test_a_plan_is_checked(scene: Scene) -> None:
    land = scene.landscape
    burnable, rock = (np.flatnonzero(land.burnable == kind).tolist() for kind in (True, False))
    check_plan(plan_with(scene, burnable[:3]), land)
    with pytest.raises(InputError, match=r"fuel model 9\d"):
        check_plan(plan_with(scene, [burnable[0], rock[0]]), land)
    with pytest.raises(InputError, match="twice"):
        plan_with(scene, [5, 5])
    with pytest.raises(InputError, match="cell 400"):
        plan_with(scene, [400])
    with pytest.raises(InputError, match="at most 2"):
        plan_with(scene, burnable[:3], budget=2.0)
    with pytest.raises(InputError, match="20 x 20"):
        check_plan(plan_with(scene, [0], shape=(10, 40)), land)


def test_pieces_of_a_plan_hang_together_by_corners() -> None:
    mask = np.zeros((5, 6), np.bool_)
    mask[0, 0] = mask[1, 1] = mask[1, 2] = mask[4, 4] = mask[4, 0] = True
    assert pieces_of(mask) == 3
    assert pieces_of(np.zeros((2, 2), np.bool_)) == 0
