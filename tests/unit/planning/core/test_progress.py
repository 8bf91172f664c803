"""Progress: what is told adds up to what was announced, for every method that can tell."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from firebreak.agent.policy_file import load_policy
from firebreak.fire import FireConditions, Scene, make_scene
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.core.break_segments import break_segments_of
from firebreak.planning.core.limits import SearchOptions
from firebreak.planning.core.progress import Reporter, in_shares
from firebreak.planning.evaluation.build_order import in_build_order
from firebreak.planning.evaluation.effect import effect_of
from firebreak.planning.evaluation.evaluate import evaluate
from firebreak.planning.evaluation.losses import saved_by_order
from firebreak.planning.making import make_plan

METHODS = ["burn-probability", "dqn", "segments", "greedy", "dqn-lookahead", "dqn-search"]


@pytest.fixture(scope="module")
def scene() -> Scene:
    return make_scene(generate(2, 16), FireConditions(scenarios=2), 0)


@pytest.mark.parametrize("method", METHODS)
def test_a_method_tells_the_share_it_has_made(scene: Scene, method: str) -> None:
    shares: list[float] = []
    make_plan(scene, 0.1, 8, method, seed=0, policy=load_policy(), batch=2, report=shares.append,
              search=SearchOptions(evaluations=600))
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert len({share for share in shares if 0.0 < share < 1.0}) >= 3


def test_what_is_told_of_an_evaluation_adds_up(scene: Scene) -> None:
    counted: dict[str, tuple[int, list[float]]] = {}

    @contextmanager
    def bar(total: int, unit: str) -> Iterator[Reporter]:
        counted[unit] = total, []
        yield counted[unit][1].append

    other = make_scene(generate(3, 16), FireConditions(scenarios=2), 0)
    evaluate([scene, other], ["none", "random", "burn-probability"], budget_share=0.1,
             plan_fires=8, test_fires=30, seed=0, random_draws=2, bar=bar)
    assert {unit: total for unit, (total, _) in counted.items()} == {
        "plan": 2 * 4, "fire": 2 * 5 * 38}
    for total, told in counted.values():
        assert sum(told) == total  # exactly: a bar that is over-full warns
        assert len(told) >= 8


def test_what_is_told_of_an_effect_adds_up(scene: Scene) -> None:
    plan = make_plan(scene, 0.1, 8, "downstream-value", seed=0)
    segments = break_segments_of(plan.break_mask(), scene.landscape)
    told: dict[str, list[float]] = {"segments": [], "effect": [], "curve": []}
    in_build_order(scene, segments, 8, told["segments"].append)
    effect = effect_of(scene, segments, 50, report=told["effect"].append)
    saved_by_order(scene, plan, effect.loss[0], 0.5, report=told["curve"].append)
    assert {name: sum(parts) for name, parts in told.items()} == {
        "segments": len(segments), "effect": 50, "curve": 50}
    assert len(segments) > 1
    # Trials are told of from the first one on: the place of a segment is found after many.
    assert len(told["segments"]) > len(segments)
    assert told["segments"][0] > 0.0


def test_shares_of_any_size_add_up_exactly() -> None:
    told: list[float] = []
    for _ in range(3):
        share = in_shares(told.append)
        for k in range(1, 8):
            share(k / 7)
    assert sum(told) == 3.0


def test_shares_become_what_is_new_and_never_fall() -> None:
    told: list[float] = []
    share = in_shares(told.append)
    for now in (0.25, 0.75, 0.5, 1.0):
        share(now)
    assert told == [0.25, 0.5, 0.0, 0.25]
