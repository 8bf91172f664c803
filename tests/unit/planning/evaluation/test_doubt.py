"""Plans under doubt: the same draws for all, beside a slow version."""

import numpy as np
import pytest

from firebreak.checks import InputError
from firebreak.fire import FireConditions, burn, make_scene, perturbed
from firebreak.landscape.synthetic.generate import generate
from firebreak.landscape.treatments import Treatment
from firebreak.planning.core.plan import Plan
from firebreak.planning.evaluation.doubt import (
    Doubted,
    DoubtResult,
    change_of,
    doubt,
    doubt_rows,
    doubt_verdict,
    order_kept,
    trust_in,
    what_is_drawn,
    worlds,
)
from firebreak.planning.evaluation.evaluate import evaluate
from firebreak.planning.making import make_plan
from firebreak.settings.planning import DOUBTS, TRUST_DRAWS, TRUST_RIVALS

FIRES, DRAWS = 40, 3
SCENE, OTHER = (make_scene(generate(seed, 14, cell_size_m=30.0), FireConditions(
    scenarios=2, breach="wilson", treatment=Treatment(width_m=6.0)), 0) for seed in (3, 5))
METHODS = ("none", "downstream-value", "random")


@pytest.fixture(scope="module")
def plans() -> dict[str, Plan]:
    return {name: make_plan(SCENE, 0.1, 12, name, seed=0) for name in METHODS}


@pytest.fixture(scope="module")
def found(plans: dict[str, Plan]) -> DoubtResult:
    return doubt(SCENE, plans, FIRES, 7, DRAWS)


def test_what_plans_save_is_what_a_slow_version_finds(plans: dict[str, Plan],
                                                      found: DoubtResult) -> None:
    assert found.methods == ("downstream-value", "random")
    assert list(found.by_kind) == list(DOUBTS)
    for kind in DOUBTS:
        for draw in range(DRAWS):
            world = perturbed(SCENE, change_of(SCENE, kind, draw, 7))
            fires = SCENE.fires("test", FIRES)
            loss = [burn(world, fires, mask).loss.mean()
                    for mask in (None, *(plans[name].break_mask() for name in found.methods))]
            np.testing.assert_allclose(found.by_kind[kind].reduction[draw],
                                       [1.0 - one / loss[0] for one in loss[1:]])
    assert worlds(SCENE, DRAWS) == DRAWS * len(DOUBTS)


def test_with_nothing_perturbed_it_is_the_evaluation() -> None:
    done = evaluate([SCENE], ["downstream-value"], budget_share=0.1, plan_fires=12,
                    test_fires=FIRES, seed=0)
    found = doubt(SCENE, done.plans[0], FIRES, 0, 1)
    assert found.own[0] == pytest.approx(done.rows[0].reduction)
    area = SCENE.landscape.burnable.sum() * 0.09
    assert found.own_burned_ha == pytest.approx(done.rows[0].untreated_burned_share * area)


def test_draws_are_within_their_bounds_and_the_same_alone_and_together() -> None:
    scene = SCENE
    factors, either = [], []
    for draw in range(200):
        whole = change_of(scene, "all", draw, 0)
        assert change_of(scene, "rates", draw, 0).rate_factors == whole.rate_factors
        assert change_of(scene, "wind", draw, 0).wind_turn_deg == whole.wind_turn_deg
        assert change_of(scene, "moisture", draw, 0).dead_moisture == whole.dead_moisture
        assert change_of(scene, "breach", draw, 0).breach == whole.breach
        assert change_of(OTHER, "all", draw, 0) == whole
        assert abs(whole.wind_turn_deg) <= 30.0
        assert 0.8 <= whole.dead_moisture <= 1.25
        assert 0.5 <= whole.breach <= 2.0
        factors += [factor for _, factor in whole.rate_factors]
        either.append([np.log(whole.dead_moisture), np.log(whole.breach), whole.wind_turn_deg])
    assert (np.array(either).min(axis=0) < 0.9 * np.log([0.8, 0.5, np.exp(-30.0)])).all()
    assert (np.array(either).max(axis=0) > 0.9 * np.log([1.25, 2.0, np.exp(30.0)])).all()
    assert np.std(np.log(factors)) == pytest.approx(np.log(1.35), rel=0.03)
    assert np.mean(np.log(factors)) == pytest.approx(0.0, abs=0.01)
    assert change_of(scene, "all", 0, 0) != change_of(scene, "all", 0, 1)


def test_breaks_that_hold_leave_breaches_out(plans: dict[str, Plan]) -> None:
    scene = make_scene(generate(3, 14, cell_size_m=30.0), FireConditions(scenarios=2), 0)
    made = {name: make_plan(scene, 0.1, 12, name, seed=0) for name in METHODS}
    found = doubt(scene, made, FIRES, 0, 2)
    assert "breach" not in found.by_kind
    assert "breaches x" not in what_is_drawn(found)


def test_the_rows_and_the_verdict_say_what_was_found(found: DoubtResult) -> None:
    assert "breaches x 0.5 to 2" in what_is_drawn(found)
    assert [row[0] for row in doubt_rows(found)] == [
        "nothing", "rates of spread", "wind direction", "dead moisture", "breaches", "all together"]
    own = found.by_kind["all"].reduction[:, 1]
    assert doubt_rows(found)[-1][-1] == f"{own.mean():.3f} ({own.min():.3f} to {own.max():.3f})"
    assert "downstream-value over random in" in doubt_verdict(found)[1]
    ((better, worse, share),) = order_kept(found, "wind")
    assert (better, worse) == ("downstream-value", "random")
    assert share == np.mean(found.by_kind["wind"].reduction[:, 0]
                            > found.by_kind["wind"].reduction[:, 1])


def test_a_plan_that_saves_as_much_as_another_is_not_the_better_one() -> None:
    saved = np.array([[0.3, 0.1], [0.2, 0.2], [0.1, 0.2]])
    found = DoubtResult(("one", "two"), np.array([0.2, 0.1]), 9.0,
                        {"all": Doubted(saved, np.full(3, 9.0))})
    assert list(order_kept(found, "all")) == [("one", "two", 1 / 3)]


def test_one_plan_under_two_names_has_no_order_to_keep() -> None:
    saved = np.array([[0.3, 0.3, 0.1], [0.2, 0.2, 0.2]])
    found = DoubtResult(("one", "again", "two"), np.array([0.2, 0.2, 0.1]), 9.0,
                        {"all": Doubted(saved, np.full(2, 9.0))})
    assert list(order_kept(found, "all")) == [("one", "two", 0.5), ("again", "two", 0.5)]


OTHERS = ("none", "random", "burn-probability", "betweenness", "segments", "strips")


def test_a_report_looks_at_the_plan_and_its_best_rivals() -> None:
    scene = SCENE
    plan = make_plan(scene, 0.1, 12, "downstream-value", seed=0)
    done = evaluate([scene], OTHERS, budget_share=0.1, plan_fires=12, test_fires=FIRES, seed=0,
                    existing={plan.label: plan})
    told: list[int] = []
    found = trust_in(scene, plan, done, 7, told.append)
    assert isinstance(found, DoubtResult)
    assert sum(told) == worlds(scene, TRUST_DRAWS)
    best = sorted((name for name in OTHERS if name not in ("none", "random")),
                  key=lambda name: -done.methods[name].reduction)[:TRUST_RIVALS]
    assert found.methods == (plan.label, *best)
    assert len(best) == TRUST_RIVALS < len(OTHERS) - 2
    assert found.own[0] == pytest.approx(done.methods[plan.label].reduction)
    whole = doubt(scene, {plan.label: plan, **{name: done.plans[0][name] for name in best}},
                  FIRES, 7, TRUST_DRAWS)
    np.testing.assert_array_equal(whole.by_kind["all"].reduction, found.by_kind["all"].reduction)


def test_a_report_says_why_it_was_not_judged_under_doubt(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = SCENE
    plan = make_plan(scene, 0.1, 12, "downstream-value", seed=0)
    done = evaluate([scene], ["none"], budget_share=0.1, plan_fires=12, test_fires=FIRES, seed=0,
                    existing={plan.label: plan, "nothing": make_plan(scene, 0.1, 12, "none",
                                                                     seed=0)})
    assert trust_in(scene, done.plans[0]["nothing"], done, 0) == "The plan treats nothing."

    def wet(*_given: object) -> None:
        raise InputError("land: expected fuel that burns, got none; give drier weather")

    monkeypatch.setattr("firebreak.planning.evaluation.doubt.perturbed", wet)
    assert trust_in(scene, plan, done, 0) == (
        "Not judged under doubt: land: expected fuel that burns, got none; give drier weather.")


def test_where_no_plan_treats_anything_the_verdict_says_so(plans: dict[str, Plan]) -> None:
    found = doubt(SCENE, {"none": plans["none"]}, FIRES, 7, 1)
    assert doubt_verdict(found) == ["No plan treats a cell."]
