"""Evaluation: a corridor by hand, the rules that keep it honest, intervals, the table."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from benchmarks.rivals.burned_maps import burn_maps

from firebreak.agent.network import QMapNetwork
from firebreak.agent.policy_file import Policy
from firebreak.checks import InputError
from firebreak.cli.commands.evaluate import EvaluateArguments
from firebreak.fire import FireConditions, Scene, burn, make_scene
from firebreak.fire.fires import FireRegime
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.synthetic.generate import generate
from firebreak.layout import OBSERVATION
from firebreak.planning.core.plan import Plan
from firebreak.planning.evaluation.drawn import gaps_of, stays_open_m
from firebreak.planning.evaluation.evaluate import (
    Difference,
    Evaluation,
    MethodSummary,
    evaluate,
)
from firebreak.planning.evaluation.judging import Burn, judge_scene, statistics
from firebreak.planning.evaluation.knee import WHOLE_COST
from firebreak.planning.evaluation.tables import (
    _gap_words,
    promise_words,
    rival_words,
    rivals_of,
    table,
    to_json,
)
from firebreak.planning.making import make_plan
from firebreak.planning.output.given import Feature
from firebreak.seeding import integer_seed

CONDITIONS = FireConditions(scenarios=2)
ROW_KEYS = ["landscape", "budget", "plan_fires", "method", "untreated_loss",
            "untreated_loss_in_unit", "loss_unit", "untreated_burned_share",
            "median_duration_min", "reduction", "reduction_untreated_cells", "cvar90_reduction",
            "in_sample_reduction", "seconds", "simulations"]


@pytest.fixture(scope="module")
def scenes() -> list[Scene]:
    return [make_scene(generate(seed, 12), CONDITIONS, 3) for seed in range(3)]


@pytest.fixture(scope="module")
def corridor() -> Scene:
    """One row of five grass cells; every fire burns all it can reach; the third is worth 3."""
    shape = (1, 5)
    zeros = np.zeros(shape)
    land = Landscape(
        name="corridor", fuel_model=np.ones(shape), elevation_m=zeros, slope_tan=zeros,
        aspect_deg=zeros, canopy_cover=zeros, canopy_height_m=zeros, canopy_base_height_m=zeros,
        canopy_bulk_density_kg_m3=zeros, value=np.array([[1, 1, 3, 1, 1]]), cost=np.ones(shape),
        treatable=np.ones(shape), cell_size_m=30.0, transform=(30, 0, 0, 0, -30, 30))
    regime = FireRegime(burned_share=1.0, duration_sigma=0.0)
    return make_scene(land, FireConditions(scenarios=1, regime=regime), 0)


def plan_of_cells(scene: Scene, cells: list[int], method: str = "by hand") -> Plan:
    land = scene.landscape
    return Plan(method=method, cells=np.array(cells, np.int64), shape=land.shape,
                cost=float(len(cells)), cost_unit="cells", budget=float(len(cells)),
                budget_share=len(cells) / land.treatable.sum(), landscape=land.name,
                landscape_checksum=scene.landscape.checksum(), plan_fires=0, seed=0,
                seconds=0.0, simulations=0.0)


def test_reductions_of_a_plan_by_hand(corridor: Scene) -> None:
    fires = corridor.fires("test", 200)
    here = float((fires.source == 2).mean())
    assert 0.1 < here < 0.3
    row = evaluate([corridor], [], budget_share=0.2, plan_fires=8, test_fires=200, seed=0,
                   plans=[plan_of_cells(corridor, [2])]).rows[0]
    # Untreated a fire costs 7. With the middle treated it costs 2, but 7 if it starts there.
    assert row.untreated_loss == 7.0
    assert row.reduction == pytest.approx((7 - (2 * (1 - here) + 7 * here)) / 7)
    # On the four other cells: 4 untreated; treated 2, or 4 if the fire starts in the middle.
    assert row.reduction_untreated_cells == pytest.approx((4 - (2 * (1 - here) + 4 * here)) / 4)
    # More than a tenth of the fires start in the middle and are as bad as ever.
    assert row.cvar90_reduction == 0.0


def test_treating_the_ignitions_of_the_plan_fires_claims_nothing(corridor: Scene) -> None:
    source = int(corridor.fires("plan", 1).source[0])
    own = judge_scene(corridor, {"own": [plan_of_cells(corridor, [source])]}, 1, 50).rows["own"]
    assert own.in_sample_reduction == 0.0


def test_fires_in_treated_cells_burn_as_if_their_cell_were_untreated(scenes: list[Scene]) -> None:
    scene = scenes[0]
    fires = scene.fires("plan", 12)
    cells = np.unique(fires.source)
    plan = plan_of_cells(scene, cells.tolist())
    promised = judge_scene(scene, {"own": [plan]}, 12, 20).rows["own"].in_sample_reduction
    value = scene.landscape.value
    losses = []
    for i in range(12):
        breaks = plan_of_cells(scene, cells[cells != fires.source[i]].tolist()).break_mask()
        one = fires.part(slice(i, i + 1))
        losses.append(burn_maps(scene.field, one, value, breaks).loss[0])
    untreated = burn_maps(scene.field, fires, value).loss.mean()
    assert promised == pytest.approx(1 - np.mean(losses) / untreated)
    assert min(losses) >= 1.0


def test_test_fires_are_not_plan_fires(scenes: list[Scene],
                                       monkeypatch: pytest.MonkeyPatch) -> None:
    plan, test = scenes[0].fires("plan", 60), scenes[0].fires("test", 60)
    assert (plan.source != test.source).mean() > 0.8
    assert np.intersect1d(plan.duration_min, test.duration_min).size == 0
    before = evaluate(scenes[:1], ["downstream-value"], budget_share=0.05, plan_fires=16,
                      test_fires=60, seed=0).rows[0]
    draw = Scene.fires
    monkeypatch.setattr(Scene, "fires", lambda self, fire_set, count: draw(
        self, "other" if fire_set == "test" else fire_set, count))
    after = evaluate(scenes[:1], ["downstream-value"], budget_share=0.05, plan_fires=16,
                     test_fires=60, seed=0).rows[0]
    # Other test fires move what is measured on them, and nothing that planning saw.
    assert after.untreated_loss != before.untreated_loss
    assert after.reduction != before.reduction
    assert after.in_sample_reduction == before.in_sample_reduction


def test_none_saves_exactly_nothing(scenes: list[Scene]) -> None:
    for chosen in (scenes, scenes[:1]):
        result = evaluate(chosen, ["none", "random"], budget_share=0.05, plan_fires=8,
                          test_fires=50, seed=0, random_draws=2)
        assert result.methods["none"][:3] == (0.0, 0.0, 0.0)
        for row in result.rows:
            if row.method == "none":
                assert (row.reduction, row.reduction_untreated_cells, row.cvar90_reduction,
                        row.in_sample_reduction) == (0.0, 0.0, 0.0, 0.0)


def test_random_is_the_mean_of_its_draws(scenes: list[Scene]) -> None:
    mean = evaluate(scenes[:1], ["random"], budget_share=0.1, plan_fires=8, test_fires=80, seed=4,
                    random_draws=3)
    draws = [make_plan(scenes[0], 0.1, 8, "random", seed=integer_seed(4, "random-draw", draw))
             for draw in range(3)]
    single = evaluate(scenes[:1], [], budget_share=0.1, plan_fires=8, test_fires=80, seed=4,
                      plans=draws)
    assert len({row.reduction for row in single.rows}) == 3
    for field in ("reduction", "reduction_untreated_cells", "cvar90_reduction"):
        assert getattr(mean.rows[0], field) == pytest.approx(
            np.mean([getattr(row, field) for row in single.rows]))
    # The interval is of the mean too, and narrower than that of a single draw.
    whole = mean.methods["random"]
    assert whole.low < whole.reduction < whole.high
    assert whole.high - whole.low < max(one.high - one.low for one in single.methods.values())


def test_intervals_are_over_landscapes_or_over_fires(scenes: list[Scene]) -> None:
    methods = ["none", "random", "downstream-value"]
    many = evaluate(scenes, methods, budget_share=0.05, plan_fires=16, test_fires=80, seed=0,
                    random_draws=2)
    assert many.interval == "landscapes"
    own = [row.reduction for row in many.rows if row.method == "downstream-value"]
    summary = many.methods["downstream-value"]
    assert summary.reduction == pytest.approx(np.mean(own))
    # Three landscapes are too few to draw from: Student's t with 2 degrees of freedom.
    half = 4.302653 * np.std(own, ddof=1) / np.sqrt(3)
    assert (summary.low, summary.high) == pytest.approx(
        (np.mean(own) - half, np.mean(own) + half))
    assert "Student's t over the 3 landscapes" in table(many)
    pair = many.paired["downstream-value - random"]
    assert list(many.paired) == ["downstream-value - random"]
    assert pair.low <= pair.difference <= pair.high
    single = evaluate(scenes[:1], methods, budget_share=0.05, plan_fires=16, test_fires=80, seed=0,
                      random_draws=2)
    assert (single.interval, single.weathers) == ("fires", 0)
    assert "over the test fires, with the weather taken as given." in table(single)
    assert single.methods["downstream-value"].low < own[0] < single.methods[
        "downstream-value"].high


def test_dqn_is_compared_with_every_other_method_but_none(scenes: list[Scene]) -> None:
    torch.manual_seed(0)
    policy = Policy(QMapNetwork(OBSERVATION.channels, 8).eval(), {})
    methods = ["none", "random", "dqn", "downstream-value"]
    result = evaluate(scenes, methods, budget_share=0.05, plan_fires=16, test_fires=40, seed=0,
                      policy=policy, random_draws=2)
    assert list(result.paired) == ["dqn - random", "dqn - downstream-value"]
    for other in ("random", "downstream-value"):
        assert result.paired[f"dqn - {other}"].difference == pytest.approx(
            result.methods["dqn"].reduction - result.methods[other].reduction)


def test_all_others_are_held_against_a_plan_that_is_there_already(scenes: list[Scene]) -> None:
    plan = make_plan(scenes[0], 0.05, 16, "betweenness", seed=0)
    result = evaluate(scenes[:1], ["none", "random", "downstream-value"], budget_share=0.05,
                      plan_fires=16, test_fires=40, seed=0, random_draws=2,
                      existing={"betweenness": plan, "roads": plan})
    assert list(result.paired) == ["betweenness - random", "betweenness - downstream-value",
                                   "betweenness - roads"]
    assert result.paired["betweenness - roads"][:3] == (0.0, 0.0, 0.0)


def test_given_plans_get_rows_and_names_of_their_own(scenes: list[Scene]) -> None:
    plans = [make_plan(scene, 0.05, 16, "downstream-value", seed=0) for scene in scenes]
    result = evaluate(scenes, ["downstream-value"], budget_share=0.05, plan_fires=16,
                      test_fires=50, seed=0, plans=plans)
    assert list(result.methods) == ["downstream-value", "downstream-value-2"]
    first, second = result.methods.values()
    assert first.reduction == second.reduction
    assert result.paired["downstream-value-2 - downstream-value"][:3] == (0.0, 0.0, 0.0)
    with pytest.raises(InputError, match="given plans for all of the 3 landscapes"):
        evaluate(scenes, [], budget_share=0.05, plan_fires=8, test_fires=8, seed=0,
                 plans=plans[:2])
    with pytest.raises(InputError, match="name its landscape too"):
        evaluate(scenes[:1], [], budget_share=0.05, plan_fires=8, test_fires=8, seed=0,
                 plans=plans[1:])


def test_random_is_the_mean_over_thirty_plans_unless_told(scenes: list[Scene],
                                                        monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def remember(*args: Any, **options: Any) -> Plan:
        made.append(make_plan(*args, **options))
        return made[-1]

    monkeypatch.setattr("firebreak.planning.evaluation.compared_plans.make_plan", remember)
    evaluate(scenes[:1], ["random"], budget_share=0.05, plan_fires=4, test_fires=4, seed=0)
    assert len({tuple(plan.cells.tolist()) for plan in made}) == 30
    assert EvaluateArguments(landscapes=[]).random_draws == 30


def test_bad_requests_are_refused(scenes: list[Scene], corridor: Scene) -> None:
    def ask(of: list[Scene], methods: list[str], draws: int = 1) -> None:
        evaluate(of, methods, budget_share=0.2, plan_fires=4, test_fires=4, seed=0,
                 random_draws=draws)
    with pytest.raises(InputError, match="did you mean 'random'"):
        ask(scenes, ["rnadom"])
    with pytest.raises(InputError, match="each once"):
        ask(scenes, ["random", "random"])
    with pytest.raises(InputError, match="each landscape once"):
        ask([scenes[0], scenes[0]], ["random"])
    with pytest.raises(InputError, match="each once, got none"):
        ask(scenes, [])
    with pytest.raises(InputError, match="random plan"):
        ask(scenes, ["random"], 0)
    worthless = replace(corridor, value_by_class=np.zeros((1, 1, 5), np.float32))
    with pytest.raises(InputError, match="burn something of value"):
        ask([worthless], ["random"])


def test_json_and_table_say_the_same(scenes: list[Scene]) -> None:
    result = evaluate(scenes, ["none", "random", "burn-probability"], budget_share=0.05,
                      plan_fires=16, test_fires=50, seed=0, random_draws=2)
    data = json.loads(json.dumps(to_json(result)))
    assert data["schema"] == 1
    assert data["landscapes"] == 3
    assert data["interval"] == "landscapes"
    assert len(data["rows"]) == 9
    assert all(list(row) == ROW_KEYS for row in data["rows"])
    assert list(data["methods"]["random"]) == ["reduction", "low", "high", "seconds"]
    assert list(data["paired"]["burn-probability - random"]) == ["difference", "low", "high"]
    text = table(result)
    lines = {line.split()[0]: line for line in text.splitlines() if line}
    assert f"{data['methods']['random']['reduction']:.3f}" in lines["random"]
    more = data["paired"]["burn-probability - random"]["difference"]
    assert f"burn-probability - random  {more:+.3f}" in text
    assert "over the 3 landscapes" in text
    assert "50 test fires" in text
    assert "budget 5 %" in text


def test_plans_of_any_budget_stand_at_their_own_cost(scenes: list[Scene]) -> None:
    plan = make_plan(scenes[0], 0.1, 8, "random", seed=0)
    half = plan_of_cells(scenes[0], plan.cells[:plan.cells.size // 2].tolist(), "half")
    done = evaluate(scenes[:1], ["none"], budget_share=0.05, plan_fires=8, test_fires=40, seed=0,
                    plans=[plan, half])
    assert [row.method for row in done.rows] == ["none", "random", "half"]
    assert done.rows[1].in_sample_reduction is None
    assert "budget 5 % of the treatable cost, 8 plan fires" in table(done)
    assert list(done.rates) == ["random", "half"]
    saved = {name: done.methods[name].reduction * done.rows[0].untreated_loss_in_unit
             for name in done.rates}
    for name, rate in done.rates.items():
        assert rate.per_cost.mean * rate.cost == pytest.approx(saved[name])
        assert rate.per_km.mean * rate.km == pytest.approx(saved[name])
        assert rate.per_cost.low <= rate.per_cost.mean <= rate.per_cost.high
    first, other = done.rates["random"], done.rates["half"]
    assert first.more_per_km is first.more_per_cost is None
    assert other.more_per_cost is not None
    assert other.more_per_cost.mean == pytest.approx(other.per_cost.mean - first.per_cost.mean)
    assert to_json(done)["rates"]["half"]["cost"] == half.cost


@pytest.mark.parametrize("burned", [statistics, lambda *given: statistics(*given)],
                         ids=["again", "anew"])
def test_features_are_worth_what_burning_with_and_without_them_says(
        burned: Burn, scenes: list[Scene]) -> None:
    scene, land = scenes[0], scenes[0].landscape
    cells = np.flatnonzero(land.treatable)[:24]
    plan = plan_of_cells(scene, cells.tolist(), "drawn")
    features = [Feature("ridge", cells[:14]), Feature("road", cells[10:])]
    done = evaluate([scene], ["none"], budget_share=0.1, plan_fires=8, test_fires=40, seed=0,
                    plans=[plan], features=[features], burn=burned)

    def loss(kept: Any) -> float:
        return float(burn(scene, scene.fires("test", 40), plan_of_cells(
            scene, kept.tolist()).break_mask()).loss.mean())

    whole = done.rows[0].untreated_loss
    ridge, road = done.features["drawn"]
    assert (ridge.name, ridge.cells, road.name, road.cells) == ("ridge", 14, "road", 14)
    assert ridge.alone.mean == pytest.approx(1.0 - loss(cells[:14]) / whole)
    # The cells of the road stay, those that are of the ridge too.
    assert ridge.lost.mean == pytest.approx((loss(cells[10:]) - loss(cells)) / whole)
    assert f"ridge             14    14  {ridge.alone.mean:11.2%}" in table(done)
    told = to_json(done)["features"]["drawn"][1]
    assert told["name"] == "road"
    assert [one["to"] for one in told["gaps"]] == [gap.name for gap in road.gaps]
    json.dumps(told)


@pytest.mark.parametrize(("leak", "corner", "slanting"), [
    (False, [], (102, 3.0)), (True, [("beside", 30, 1.0)], (120, 4.0))])
def test_gaps_lead_from_ends_ahead_to_what_stops_fire_nearest(
        leak: bool, corner: list[tuple[str, int, float]], slanting: tuple[int, float]) -> None:
    """Bare ground or another line; an end at a corner of one has none unless breaks leak."""
    fuel = np.full((20, 30), 102, np.int16)
    fuel[:, :2] = 98
    land = replace(generate(3, fuel.shape, cell_size_m=30.0), fuel_model=fuel,
                   treatable=fuel == 102, cost=np.ones(fuel.shape, np.float32))
    lines = [Feature("west", 240 + np.arange(5, 12)), Feature("east", 240 + np.arange(16, 20)),
             Feature("beside", 30 * np.arange(9, 15) + 12)]

    def found(which: int) -> list[tuple[str, int, float]]:
        return [(gap.name, round(gap.length_m), gap.cost)
                for gap in gaps_of(lines[which].cells, lines, land, leak=leak)]

    assert sorted(found(0)) == sorted([("bare ground", 90, 3.0), *corner])
    assert found(1) == [("beside", *slanting)]
    assert all(name != "beside" for name, *_ in found(2))


def test_what_may_not_be_treated_stays_open_in_a_gap() -> None:
    """It costs nothing, and would be told as closed for nothing."""
    fuel = np.full((20, 30), 102, np.int16)
    fuel[:, :2] = 98
    treatable = (fuel == 102) & (np.arange(30) != 3)
    land = replace(generate(3, fuel.shape, cell_size_m=30.0), fuel_model=fuel, treatable=treatable,
                   cost=np.ones(fuel.shape, np.float32))
    line = 240 + np.arange(5, 12)
    gap = gaps_of(line, [Feature("west", line)], land, leak=False)[0]
    assert stays_open_m(gap) == pytest.approx(30.0)
    assert _gap_words(gap, "cells") == (
        "90 m to bare ground for 2 cells but for 30 m that may not be treated")
    whole = gap._replace(cells=np.sort(gap.path), cost=3.0)
    assert _gap_words(whole, "cells") == "90 m to bare ground for 3 cells"


def test_a_plan_that_promises_much_more_than_it_keeps_says_so(scenes: list[Scene]) -> None:
    done = evaluate(scenes[:1], ["none", "burn-probability"], budget_share=0.1, plan_fires=8,
                    test_fires=40, seed=0)
    row, kept = done.rows[1], done.methods["burn-probability"]
    assert row.in_sample_reduction is not None
    assert row.in_sample_reduction > 2.0 * kept.high  # of 8 fires
    words = (f"burn-probability promises {row.in_sample_reduction:.1%} on its plan fires and keeps "
             f"{kept.reduction:.1%}: so few fires are fenced in, and no others; give more of them "
             "(--plan-fires 32)")
    assert promise_words(done) == promise_words(done, "burn-probability") == words
    assert promise_words(done, "none") is None
    assert table(done).endswith(f"{words}.")


def test_many_landscapes_are_drawn_from() -> None:
    many = [make_scene(generate(i, 8), CONDITIONS, 0) for i in range(10)]
    done = evaluate(many, ["none", "random"], budget_share=0.1, plan_fires=8, test_fires=20,
                    seed=0, random_draws=1)
    assert "bootstrap, 10,000 resamples, over the 10 landscapes" in table(done)


def test_a_rival_is_told_apart_and_is_not_the_method_that_was_chosen(corridor: Scene) -> None:
    plan = replace(plan_of_cells(corridor, [2], method="segments"), chosen_by="auto")
    behind = {"segments": -0.2, "strips": -0.05, "greedy": -0.1, "dqn": -0.1, "a file": -0.3}
    paired = {f"auto - {name}": Difference(mean, mean - 0.06, 0.01 if name == "dqn" else mean / 2)
              for name, mean in behind.items()}
    summary = MethodSummary(0.3, 0.2, 0.4, 1.0)
    plans = {name: plan_of_cells(corridor, [4], method=name) for name in [*behind, "dqn-lookahead"]}
    found = Evaluation(interval="fires", landscapes=("corridor",), rows=(), paired=paired,
                       methods=dict.fromkeys(["auto", *behind], summary), test_fires=9,
                       plans=(plans,))
    assert rivals_of(found, plan) == ["greedy", "strips"]
    adds = {**plans, "greedy": plan_of_cells(corridor, [2, 4], method="greedy")}
    assert rivals_of(replace(found, plans=(adds,)), plan) == ["strips"]
    nothing = replace(plan, cells=plan.cells[:0])
    assert rivals_of(replace(found, plans=(adds,)), nothing) == ["greedy", "strips"]
    words = rival_words(found, plan, "firebreak plan x --out y --method=auto")
    assert words is not None
    sentence, command = words
    assert "greedy and strips save significantly more than auto does" in sentence
    assert command == "firebreak plan x --method greedy"
    of_corridors = replace(plan, notes={WHOLE_COST: 9.0})
    typed = "firebreak plan x --improve a.gpkg --lines='b c' --house-buffer 9 --shortest-m=400"
    assert rival_words(found, of_corridors, typed) == (
        sentence, "firebreak plan x --method greedy --cells")
    assert rival_words(found, plan, f"{typed} --only-lines --budget 3%") == (
        sentence, "firebreak plan x --budget 3% --method greedy --cells")
    taking = replace(found, paired={"auto - dqn-lookahead": Difference(-0.2, -0.3, -0.1)},
                     methods=dict.fromkeys(["auto", "dqn-lookahead"], summary))
    words = rival_words(taking, of_corridors, typed)
    assert words is not None
    assert words[1] == ("firebreak plan x '--lines=b c' --house-buffer 9 --shortest-m=400 "
                        "--method dqn-lookahead")


def test_an_improved_network_has_a_new_plan_at_no_higher_cost_as_a_rival(corridor: Scene) -> None:
    plan = replace(plan_of_cells(corridor, [2], method="segments"), chosen_by="improved")
    name = "auto-at-existing-cost"
    rival = replace(plan_of_cells(corridor, [4], method="strips"), method=name)
    found = Evaluation(interval="fires", landscapes=("corridor",), rows=(), test_fires=9,
                       paired={f"improved - {name}": Difference(-0.2, -0.3, -0.1)},
                       methods=dict.fromkeys(["improved", name], MethodSummary(0.3, 0.2, 0.4, 1.0)),
                       plans=({name: rival},))
    assert rival_words(found, plan, "firebreak plan x --improve a.gpkg --shortest-m 90") == (
        f"On these test fires {name} saves significantly more than improved does: plan with",
        "firebreak plan x --method auto")
    dearer = replace(rival, budget=9.0, cost=plan.cost * 1.01)
    assert rivals_of(replace(found, plans=({name: dearer},)), plan) == []
