"""A policy that looks ahead: which segments it burns, which it places, and whom it refuses."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from break_cases import BREAKS
from firebreak.agent.policy_file import Policy
from firebreak.checks import InputError
from firebreak.env.core import open_cells
from firebreak.env.storage.problem import problem_of
from firebreak.env.storage.problem_batch import ProblemBatch
from firebreak.fire import FireConditions, Scene, burn, make_scene
from firebreak.landscape.synthetic.generate import generate
from firebreak.line_actions import SHAPES
from firebreak.planning.core.line_trials import UNTRIED, untried_words
from firebreak.planning.core.plan import Plan
from firebreak.planning.core.rounds import loaded
from firebreak.planning.learned.lookahead import (
    DISTRUST,
    MAX_CANDIDATES,
    MAX_SHARED,
    MAX_TRIED,
    differing,
)
from firebreak.planning.learned.policy import leading_actions, line_values
from firebreak.planning.making import make_plan
from untrained import untrained

FIRES = 40


@pytest.fixture(scope="module")
def scene() -> Scene:
    return make_scene(generate(8, 14), FireConditions(scenarios=3), 1)


@pytest.fixture(scope="module")
def policy() -> Policy:
    return untrained(SHAPES)


def slots_of(scene: Scene) -> ProblemBatch:
    fires = scene.fires("plan", FIRES)
    return loaded(problem_of(scene, 0.1, fires, fires.first(0)))


def loss_of(scene: Scene, cells: np.ndarray) -> float:
    mask = np.zeros(scene.landscape.shape, bool)
    mask.ravel()[cells] = True
    return float(burn(scene, scene.fires("plan", FIRES), mask).loss.mean())


def plan_of(scene: Scene, policy: Policy, method: str = "dqn-lookahead") -> Plan:
    return make_plan(scene, 0.1, FIRES, method, seed=0, policy=policy, batch=1)


def slowly_differing(slots: ProblemBatch, values: np.ndarray) -> list[int]:
    found: list[int] = []
    taken: set[int] = set()
    for action in sorted(np.flatnonzero(values > -np.inf).tolist(), key=lambda a: (-values[a], a)):
        cells = set(open_cells(slots, action).tolist())
        if len(cells & taken) <= MAX_SHARED * len(cells) and len(found) < MAX_TRIED:
            found.append(action)
            taken |= cells
    return found


@given(st.lists(st.sampled_from([-np.inf, 0.0, 0.5, 1.0, 2.0]), max_size=60), st.integers(1, 40))
def test_leading_actions_are_the_first_of_all_in_order(values: list[float], most: int) -> None:
    order = sorted((k for k, value in enumerate(values) if value > -np.inf),
                   key=lambda k: (-values[k], k))
    assert leading_actions(np.array(values, np.float32), most).tolist() == order[:most]


def test_segments_that_share_most_of_their_cells_are_looked_at_once(scene: Scene,
                                                                    policy: Policy) -> None:
    slots = slots_of(scene)
    for cell in np.flatnonzero(slots.available[0])[:3].tolist():
        slots.place(0, cell)
    values = line_values(policy, slots)
    leading = leading_actions(values, MAX_CANDIDATES)
    assert differing(slots, leading, MAX_TRIED) == slowly_differing(slots, values)


@pytest.mark.parametrize("kind", BREAKS)
def test_the_first_line_is_the_best_by_the_fires_and_the_policy(kind: str, policy: Policy) -> None:
    scene = make_scene(generate(8, 14), BREAKS[kind], 1)
    slots, trust = slots_of(scene), FIRES / (FIRES + DISTRUST)
    values, untreated = line_values(policy, slots), loss_of(scene, np.empty(0, np.int64))
    scores = {}
    for action in slowly_differing(slots, values):
        cells = open_cells(slots, action)
        saved = 100.0 * (untreated - loss_of(scene, cells)) / untreated / cells.size
        scores[action] = trust * saved + (1.0 - trust) * float(values[action])
    best = open_cells(slots, max(scores, key=scores.__getitem__))
    plan = plan_of(scene, policy)
    assert plan.cells[:best.size].tolist() == best.tolist()
    assert plan.simulations > plan_of(scene, policy, "dqn").simulations


def test_an_untrained_policy_that_looks_ahead_saves_more_than_one_that_does_not(
        scene: Scene, policy: Policy) -> None:
    looking, blind = (plan_of(scene, policy, name) for name in ("dqn-lookahead", "dqn"))
    assert loss_of(scene, looking.cells) < loss_of(scene, blind.cells)
    assert looking.cells.size == blind.cells.size


@pytest.mark.parametrize("method", ["segments", "dqn-lookahead"])
def test_beyond_the_bound_only_the_line_that_leads_burns_fires_anew(
        method: str, scene: Scene, policy: Policy, monkeypatch: pytest.MonkeyPatch) -> None:
    def made(scene: Scene, most: float) -> Plan:
        monkeypatch.setattr("firebreak.planning.core.line_trials.MOST_BURNED", most)
        return plan_of(scene, policy, method)

    assert made(scene, 1.0).cells.tolist() == made(scene, np.inf).cells.tolist()  # in place
    shaded = make_scene(scene.landscape, BREAKS["shaded"], 1)
    whole, less = made(shaded, np.inf), made(shaded, 1.0)
    assert less.simulations < 0.6 * whole.simulations
    assert less.cost > 0.9 * whole.cost
    assert loss_of(shaded, less.cells) < loss_of(shaded, less.cells[:0])
    assert UNTRIED not in (whole.notes or {})
    assert 0.0 < (less.notes or {})[UNTRIED] < less.budget  # one round was tried
    assert {"segments": "most value burned behind them", "dqn-lookahead": "the policy values most"}[
        method] in str(untried_words(less))


@pytest.mark.parametrize("method", ["segments", "dqn-lookahead"])
def test_beyond_the_bound_as_many_cells_are_placed_in_a_round(
        method: str, policy: Policy, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fires burn anew after every round: one line in each would take longer than the trials."""
    scene, rounds = make_scene(generate(8, 20), BREAKS["shaded"], 1), []
    for most in (np.inf, 0.0):
        monkeypatch.setattr("firebreak.planning.core.line_trials.MOST_BURNED", most)
        told: list[float] = []
        made = make_plan(scene, 0.4, FIRES, method, seed=0, policy=policy, batch=40,
                         report=told.append)
        assert made.cost > 0.9 * made.budget
        rounds.append(len(told))
    assert rounds[1] < 2 * rounds[0]


def test_a_policy_for_cells_is_refused(scene: Scene) -> None:
    with pytest.raises(InputError, match=r"dqn-lookahead: expected a policy that places lines"):
        plan_of(scene, untrained())
