"""Corridors that a plan is offered, the parts that are built of them, and where a plan stops."""

from dataclasses import replace

import numpy as np
import pytest

from firebreak.env.storage.problem import problem_of
from firebreak.fire import FireConditions, FireRegime, HoldRule, KnownFires, burn, make_scene
from firebreak.fire.effects.spotting import SpottingModel
from firebreak.landscape.candidates.corridor import Anchor, Corridor, corridor_of
from firebreak.landscape.landscape import mask_of_cells
from firebreak.landscape.synthetic.generate import generate
from firebreak.landscape.treatments import Treatment
from firebreak.planning.core import line_trials
from firebreak.planning.core.break_segments import pieces
from firebreak.planning.core.build_rules import BuildRules
from firebreak.planning.core.corridors import JOINS, Corridors, parts_of
from firebreak.planning.core.fire_counts import CHOICE_SET
from firebreak.planning.core.limits import SearchOptions
from firebreak.planning.core.line_trials import UNTRIED, try_line, untried_words
from firebreak.planning.core.plan import Plan, cost_of, plan_of_cells
from firebreak.planning.core.rounds import Placement, Task, loaded
from firebreak.planning.core.rules import PlanRules, place_under
from firebreak.planning.evaluation import knee as knees
from firebreak.planning.evaluation import refine
from firebreak.planning.evaluation.build_order import in_build_order
from firebreak.planning.evaluation.knee import LEAST_KEPT, NEARLY, at_knee, knee_words
from firebreak.planning.making import make_plan
from firebreak.planning.methods import METHODS
from firebreak.planning.patterns.line_greedy import place_line_greedy
from firebreak.planning.patterns.offered import leading, offered, pairs_of, rate_of
from firebreak.planning.patterns.rated_runs import RatedRuns, _Begun, _near
from untrained import fitting, untrained

SIZE, FIRES = 24, 24
LAND_CELLS = np.arange(SIZE * SIZE)
SMALL = FireRegime(burned_share=0.05)
LAND = generate(5, SIZE, cell_size_m=30.0)
SCENES = {
    "held": make_scene(LAND, FireConditions(scenarios=2, treatment=Treatment(kind="shaded")), 0),
    "hard": make_scene(LAND, FireConditions(scenarios=2), 0),
}


def row(number: int, first: int, last: int, kind: str = "route") -> Corridor:
    path = number * SIZE + np.arange(first, last)
    return corridor_of(path, LAND, kind,
                       (Anchor(int(path[0]), "rim"), Anchor(int(path[-1]), "rim")))


def column(number: int, first: int, last: int) -> Corridor:
    path = np.arange(first, last) * SIZE + number
    return corridor_of(path, LAND, "route",
                       (Anchor(int(path[0]), "rim"), Anchor(int(path[-1]), "rim")))


ROWS = [row(k, 2, 22) for k in (3, 8, 13, 18)]
COLUMNS = [column(k, 3, 20) for k in (2, 9, 15, 21)]


def test_those_of_most_value_per_cost_lead_and_none_is_twice() -> None:
    worth = np.zeros(LAND.shape)
    worth[8], worth[13] = 5.0, 3.0
    found = [*ROWS, row(8, 3, 22), row(8, 4, 14)]
    kept = leading(found, worth, 10)
    assert kept[0] is found[5] or kept[0] is found[1] or kept[0] is found[4]
    rates = [rate_of(own, worth) for own in kept]
    assert rates == sorted(rates, reverse=True)
    for k, own in enumerate(kept):
        for other in kept[:k]:
            shared = np.intersect1d(own.cells, other.cells).size
            assert shared <= 0.8 * min(own.cells.size, other.cells.size)
    assert len(leading(found, worth, 2)) == 2


def test_pairs_share_an_anchor_and_are_longer_than_either() -> None:
    bent = [row(8, 0, 10), column(9, 8, 18), column(2, 12, 20)]
    assert pairs_of(bent, np.ones(LAND.shape)) == [(0, 1)]


def test_what_is_offered_has_names_and_cuts_as_one() -> None:
    cut = [row(20, 2, 6, "cut"), row(20, 12, 16, "cut")]
    lines = offered(ROWS, np.ones(LAND.shape), LAND, None, [cut])
    assert lines.only
    assert lines.routes
    assert len({own.name for own in lines.corridors}) == len(lines.corridors) == 6
    both = np.sort(np.concatenate([own.cells for own in cut]))
    assert any(np.array_equal(np.sort(run), both) for run in lines.runs())


def test_the_parts_of_a_plan_are_its_corridors_and_join() -> None:
    lines = Corridors(corridors=(ROWS[1], COLUMNS[1]), line=(0, 1), only=True, routes=True)
    first, second = (own.in_order() for own in lines.corridors)
    cells = np.concatenate([first, second[~np.isin(second, first)]])
    parts = parts_of(plan_of_cells(cells, LAND, "segments"), LAND, 500.0, lines)
    assert sorted(np.concatenate([own.cells for own in parts]).tolist()) == sorted(cells.tolist())
    assert [own.kind for own in parts] == ["route"] * 3
    assert parts[0].cells.tolist() == np.sort(first).tolist()
    for part in parts[1:]:  # above and below the row, each with the cell that it joins
        assert JOINS in [anchor.kind for anchor in part.anchors]
        assert np.isin(part.path, ROWS[1].path).sum() == 1
    assert sum(part.cost for part in parts) == pytest.approx(cost_of(cells, LAND))


def test_a_corridor_keeps_its_crossing_where_the_other_is_left_out(
        monkeypatch: pytest.MonkeyPatch) -> None:
    scene, lines = SCENES["held"], Corridors(
        corridors=(ROWS[1], COLUMNS[1]), line=(0, 1), only=True, routes=True)
    first, second = (own.in_order() for own in lines.corridors)
    cells = np.concatenate([first, second[~np.isin(second, first)]])
    plan = replace(plan_of_cells(cells, LAND, "segments"), plan_fires=FIRES)
    parts = parts_of(plan, LAND, 500.0, lines)
    for module in (knees, refine):
        monkeypatch.setattr(module, "useful_segments", lambda known, segments, must: [
            own for own in segments if own.name != "across"])
    parts = [own._replace(name="across" if own.cells.size == first.size else "down")
             for own in parts]
    found = at_knee(scene, plan, parts, np.empty(0, np.int64))
    assert np.sort(found.plan.cells).tolist() == np.sort(second).tolist()
    assert found.plan.cost == pytest.approx(sum(own.cost for own in found.parts))
    known = KnownFires(scene, scene.fires(CHOICE_SET, 8), LAND.treatable)
    kept, count = refine.without_useless(known, plan, np.empty(0, np.int64), parts)
    assert np.sort(kept.cells).tolist() == np.sort(second).tolist()
    assert count == 1


def test_a_corridor_that_is_built_in_part_is_told_by_what_is_built() -> None:
    lines = Corridors(corridors=(ROWS[1]._replace(name="east road 2"),), line=(0,), only=True,
                      routes=True)
    cells = ROWS[1].in_order()
    cells = np.concatenate([cells[:5], cells[9:]])
    parts = parts_of(plan_of_cells(cells, LAND, "segments"), LAND, 500.0, lines)
    assert sorted(np.concatenate([own.cells for own in parts]).tolist()) == sorted(cells.tolist())
    assert [own.kind for own in parts] == ["route", "route"]
    assert [own.name for own in parts] == ["east road 2 part 1", "east road 2 part 2"]
    assert not np.isin(np.concatenate([own.path for own in parts]), ROWS[1].in_order()[5:9]).any()


@pytest.mark.parametrize("kind", ["route", "given"])
@pytest.mark.parametrize("burns", [False, True])
def test_a_part_ends_where_fire_passes_and_leads_over_bare_ground(burns: bool, kind: str) -> None:
    whole = ROWS[1]._replace(kind=kind, name="ridge")
    path, closed = whole.in_order(), LAND.treatable.copy()
    closed.ravel()[path[5:9]] = False
    fuel = np.where(LAND.treatable & ~closed, 91, LAND.fuel_model).astype(np.int16)
    land = replace(LAND, treatable=closed, **({} if burns else {"fuel_model": fuel}))
    own = corridor_of(path, land, kind)._replace(name="ridge")
    lines = Corridors(corridors=(own,), line=(0,), routes=kind == "route")
    parts = parts_of(plan_of_cells(own.in_order(), land, "segments"), land, 1000.0, lines)
    assert [part.path.tolist() for part in parts] == (
        [path[:5].tolist(), path[9:].tolist()] if burns else [path.tolist()])
    assert {part.name.split(" part")[0] for part in parts} == {"ridge"}


def test_cells_of_a_wide_line_beside_where_fire_passes_are_told_too() -> None:
    path, closed = ROWS[1].in_order(), LAND.treatable.copy()
    closed.ravel()[path[5:9]] = False
    land = replace(LAND, treatable=closed)
    own = corridor_of(path, land, "given", treated=np.concatenate([path - SIZE, path, path + SIZE]))
    lines = Corridors(corridors=(own._replace(name="ridge"),), line=(0,))
    plan = plan_of_cells(own.in_order(), land, "segments")
    parts = parts_of(plan, land, 1000.0, lines)
    assert np.sort(np.concatenate([part.cells for part in parts])).tolist() == own.cells.tolist()


def test_what_a_plan_must_include_is_a_part_of_its_own_whatever_routes_cross_it() -> None:
    lines = Corridors(corridors=(*ROWS, *COLUMNS), line=tuple(range(8)), only=True, routes=True)
    required = row(11, 1, 23).cells
    cells = np.concatenate([required, np.setdiff1d(COLUMNS[1].in_order(), required)])
    plan = plan_of_cells(cells, LAND, "segments")
    parts = parts_of(plan, LAND, 1000.0, lines, required)
    own, others = ([part for part in parts if (part.kind == "required") is is_own]
                   for is_own in (True, False))
    assert np.sort(np.concatenate([part.cells for part in own])).tolist() == required.tolist()
    assert len(own) == len(pieces(mask_of_cells(required, LAND.shape)))
    assert {part.name.split(" part")[0] for part in own} == {"required break"}
    assert [part.kind for part in others] == ["route", "route"]  # on both sides, each joined to it
    assert all(JOINS in [anchor.kind for anchor in part.anchors] for part in others)
    assert sorted(np.concatenate([part.cells for part in parts]).tolist()) == sorted(cells.tolist())


@pytest.mark.parametrize("seed", range(40))
def test_parts_share_no_name_and_no_cell_whatever_lines_are_called(seed: int) -> None:
    draw = np.random.default_rng(seed)
    own = tuple(line._replace(kind=str(draw.choice(["given", "route", "cut"])), name=str(
        draw.choice(["ridge", "ridge part 1", "ridge part 2", "required break", "", "road"])))
        for line in (*ROWS, *COLUMNS))
    required = np.sort(draw.choice(np.flatnonzero(LAND.treatable), 8, replace=False))
    built = [line.in_order() for line in own if draw.random() < 0.7]
    cells = np.concatenate([required, *built])
    cells = cells[np.sort(np.unique(cells, return_index=True)[1])]
    lines = Corridors(corridors=own, line=tuple(range(8)), routes=True)
    parts = parts_of(plan_of_cells(cells, LAND, "segments"), LAND, 1000.0, lines, required)
    assert sorted(np.concatenate([part.cells for part in parts]).tolist()) == sorted(cells.tolist())
    names = [part.name for part in parts if part.name]
    assert len(set(names)) == len(names)


def test_the_parts_of_a_plan_of_cells_are_its_segments() -> None:
    plan = plan_of_cells(ROWS[0].in_order(), LAND, "dqn")
    for lines in (None, Corridors(corridors=(row(3, 2, 22, "given"),), line=(0,))):
        assert [own.kind for own in parts_of(plan, LAND, 100.0, lines)].count("segment") > 1


def test_the_parts_of_a_plan_have_the_names_of_given_lines_of_which_it_has_half() -> None:
    ridge, road, bare = (own._replace(kind="given", name=name) for own, name in zip(
        ROWS, ("Main Divide", "Truck Trail", ""), strict=False))
    cells = np.concatenate([ridge.in_order(), road.in_order()[:5], bare.in_order()])
    lines = Corridors(corridors=(ridge, road, bare), line=(0, 1, 2))
    parts = parts_of(plan_of_cells(cells, LAND, "segments"), LAND, 1000.0, lines)
    assert (parts[0].name, parts[0].kind) == ("Main Divide", "given")
    assert {(own.name, own.kind) for own in parts[1:]} == {("", "segment")}
    assert parts[0].cells.tolist() == ridge.cells.tolist()
    assert sorted(np.concatenate([own.cells for own in parts]).tolist()) == sorted(cells.tolist())


@pytest.mark.parametrize("kind", sorted(SCENES))
def test_a_run_saves_at_most_what_is_said_before_it_burns(kind: str) -> None:
    scene = SCENES[kind]
    fires = scene.fires("plan", FIRES)
    problem = problem_of(scene, 0.5, fires, fires.first(0))
    lines = Corridors(corridors=(*ROWS, *COLUMNS), line=tuple(range(8)), only=True, routes=True)
    slots = loaded(problem)
    rated = RatedRuns(problem, slots, lines)
    rated._near = [_near(run, SIZE) for run in lines.runs()]
    before = burn(scene, fires).loss
    most = rated._most_saved()
    for run, bound in zip(lines.runs(), most, strict=True):
        mask = np.zeros(LAND.shape, np.bool_)
        mask.ravel()[run] = True
        assert (before - burn(scene, fires, mask).loss).mean() <= bound * (1 + 1e-9) + 1e-9
    assert (most < before.mean() * (1 - 1e-6)).any()  # it says something


@pytest.mark.slow
@pytest.mark.parametrize("conditions", [
    FireConditions(scenarios=2, treatment=Treatment(kind="shaded"), regime=SMALL),
    FireConditions(scenarios=2, treatment=Treatment(kind="shaded"), regime=SMALL,
                   hold=HoldRule(by="hand", response_min=10.0, crew_km=0.3)),
    FireConditions(scenarios=2, regime=SMALL, spotting=SpottingModel())],
    ids=["shaded", "held", "embers"])
def test_what_is_known_of_a_fire_is_what_it_burns(
        conditions: FireConditions, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plan is the same where every trial burns all its fires again, which are more."""
    land = generate(5, 2 * SIZE, cell_size_m=30.0)
    scene = make_scene(land, conditions, 0)
    lines = Corridors(corridors=tuple(
        corridor_of(first * 2 * SIZE + start + np.arange(9), land, "route",
                    (Anchor(0, "rim"), Anchor(1, "rim")))
        for first in range(2, 46, 4) for start in (2, 14, 26, 38)),
        line=tuple(range(44)), only=True)
    problem = problem_of(scene, 0.1, fires := scene.fires("plan", 2 * FIRES), fires.first(0))
    task = Task(problem, 0, 1, None, SearchOptions(), lines=lines)
    knowing = place_line_greedy(task)
    monkeypatch.setattr(line_trials, "MOST_KNOWN", -1)
    anew = place_line_greedy(task)
    assert knowing.cells.tolist() == anew.cells.tolist()
    assert knowing.simulations < anew.simulations


@pytest.mark.parametrize("method", ["segments", "enclose", "dqn-lookahead", "dqn"])
@pytest.mark.parametrize(("kind", "apart"), [("route", True), ("cut", True), ("given", False)])
def test_no_route_or_cut_runs_beside_another(kind: str, apart: bool, method: str) -> None:
    lines = Corridors(corridors=tuple(row(k, 2, 22, kind) for k in range(4, 20)),
                      line=tuple(range(16)), only=True, routes=True)
    scene = SCENES["hard"]
    land = replace(LAND, treatable=LAND.treatable & lines.mask(LAND.shape))
    policy = fitting(method, untrained()) if METHODS[method].guided else None
    plan = make_plan(replace(scene, landscape=land), 1.0, FIRES, method, seed=0, policy=policy,
                     rules=PlanRules(lines=lines))
    rows = sorted({int(cell) // SIZE for cell in plan.cells})
    assert len(rows) > 1
    assert (min(np.diff(rows)) > 3) == apart


@pytest.mark.parametrize("kind", SCENES)
@pytest.mark.parametrize("method", [name for name, own in METHODS.items()
                                    if own.takes_lines or own.rates_lines])
def test_every_method_builds_whole_corridors(method: str, kind: str) -> None:
    barrier = [column(12, 3, 9)._replace(kind="cut"), column(12, 12, 20)._replace(kind="cut")]
    lines = Corridors(corridors=(*ROWS, *COLUMNS, *barrier), line=(*range(8), 8, 8), only=True,
                      routes=True)
    land = replace(LAND, treatable=LAND.treatable & lines.mask(LAND.shape))
    policy = fitting(method, untrained()) if METHODS[method].guided else None
    plan = make_plan(replace(SCENES[kind], landscape=land), 0.4, FIRES, method, seed=0,
                     policy=policy, rules=PlanRules(lines=lines),
                     search=SearchOptions(evaluations=100))
    built = np.isin(LAND_CELLS, plan.cells)
    whole = np.concatenate([own.cells for own in lines.corridors if built[own.cells].all()])
    assert plan.cells.size
    assert set(plan.cells.tolist()) <= set(whole.tolist())
    assert plan.cost <= plan.budget


def test_a_plan_that_saves_little_is_kept_all_the_same() -> None:
    scene, part = SCENES["held"], row(3, 2, 6)
    plan = replace(plan_of_cells(part.cells, LAND, "segments"), plan_fires=FIRES)
    knee = at_knee(scene, plan, [part], np.empty(0, np.int64))
    assert knee.plan.notes is not None
    assert 0.0 < knee.plan.notes["whole_saved"] < NEARLY
    assert knee_words(replace(knee.plan, budget=plan.cost)) is None  # nothing was left out
    assert knee_words(replace(knee.plan, budget=plan.cost + 3.0)) == (
        f"nothing more was found to build for the other 3 {plan.priced_in} of the budget")
    in_cells = replace(knee.plan, cost_unit="cells")
    assert knee_words(replace(in_cells, budget=plan.cost + 1.72)) == (
        "nothing more was found to build for the other 1 cell of the budget")
    assert knee_words(replace(in_cells, budget=plan.cost + 0.72)) is None  # it buys nothing
    assert knee.plan.cells.tolist() == part.cells.tolist()


def test_a_plan_stops_where_more_money_saves_little() -> None:
    scene, lines = SCENES["hard"], Corridors(corridors=(*ROWS, *COLUMNS), line=tuple(range(8)),
                                             only=True, routes=True)
    cells = np.unique(np.concatenate([own.cells for own in lines.corridors]))
    plan = replace(plan_of_cells(cells, LAND, "segments"), plan_fires=FIRES)
    parts = parts_of(plan, LAND, 500.0, lines)
    shares: list[float] = []
    knee = at_knee(scene, plan, parts, np.empty(0, np.int64), shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert sum(0.1 < share < 0.5 for share in shares) >= len(parts) // 2
    fires = scene.fires(CHOICE_SET, 1000)
    before, whole, kept = (float(burn(scene, fires, mask).loss.mean()) for mask in (
        None, plan.break_mask(), knee.plan.break_mask()))
    assert knee.plan.notes is not None
    assert knee.plan.notes["whole_saved"] == pytest.approx(1 - whole / before)
    assert knee.plan.notes["knee_saved"] == pytest.approx(1 - kept / before)
    assert knee.plan.cost < plan.cost
    assert (kept - whole) / before <= NEARLY + 1e-9
    assert (before - kept) >= LEAST_KEPT * (before - whole) * (1 - 1e-9)
    words = knee_words(knee.plan)
    assert words is not None
    assert f"{knee.plan.cost:,.6g} of {plan.cost:,.6g}" in words
    assert knee_words(plan) is None
    included = parts[-1].cells
    assert np.isin(included, at_knee(scene, plan, parts, included).plan.cells).all()


@pytest.mark.parametrize("kind", SCENES)
@pytest.mark.parametrize("nearly", [0.01, 0.1])
def test_the_knee_is_the_first_of_all_beginnings_that_does(
        kind: str, nearly: float, monkeypatch: pytest.MonkeyPatch) -> None:
    scene, lines = SCENES[kind], [*ROWS, *COLUMNS]
    cells = np.unique(np.concatenate([own.cells for own in lines]))
    plan = replace(plan_of_cells(cells, LAND, "segments"), plan_fires=FIRES)
    parts = parts_of(plan, LAND, 500.0, Corridors(
        corridors=tuple(lines), line=tuple(range(8)), only=True, routes=True))
    monkeypatch.setattr(knees, "NEARLY", nearly)
    monkeypatch.setattr(knees, "LEAST_KEPT", 0.7)
    monkeypatch.setattr(knees, "useful_segments", lambda known, segments, must: segments)
    order = in_build_order(scene, sorted(parts, key=lambda part: int(part.cells[0])), FIRES)
    fires, mask, losses = scene.fires(CHOICE_SET, knees.FIRES), np.zeros(LAND.shape, bool), []
    for part in [None, *order]:
        if part is not None:
            mask.ravel()[part.cells] = True
        losses.append(float(burn(scene, fires, mask).loss.mean()))
    saved = 1.0 - np.array(losses) / losses[0]
    enough = saved >= saved[-1] - min(nearly, 0.3 * saved[-1])
    count = int(np.flatnonzero(enough)[0])
    assert 0 < count < len(order)
    knee = at_knee(scene, plan, parts, np.empty(0, np.int64))
    assert [own.path.tolist() for own in knee.parts] == [own.path.tolist()
                                                         for own in order[:count]]
    assert knee.plan.notes is not None
    assert knee.plan.notes["whole_saved"] == pytest.approx(saved[-1], rel=1e-12)
    # With the cells in which its corridors cross others.
    kept = float(burn(scene, fires, knee.plan.break_mask()).loss.mean())
    assert knee.plan.notes["knee_saved"] == pytest.approx(1.0 - kept / losses[0], rel=1e-12)
    for own in knee.parts:
        assert np.isin([end.cell for end in own.anchors if end.kind == JOINS],
                       knee.plan.cells).all()


@pytest.mark.parametrize("crossed", [False, True])
@pytest.mark.parametrize(("more", "count"), [(0, 0), (2, 1)])
def test_a_corridor_across_narrow_bare_ground_is_one_piece(
        crossed: bool, more: int, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firebreak.planning.core.build_rules.MORE_PIECES", more)
    path = 3 * SIZE + np.arange(2, 22)
    fuel = np.full_like(LAND.fuel_model, 102)
    if crossed:
        fuel.ravel()[path[2::5]] = 91
    land = replace(LAND, fuel_model=fuel, treatable=fuel == 102)
    first, other = (corridor_of(own, land, "route") for own in (path, path + 12 * SIZE))
    rules = BuildRules(Corridors(corridors=(other,), line=(0,), only=True, routes=True), land)
    assert rules.allow(mask_of_cells(first.cells, LAND.shape), [other.cells]).sum() == count


@pytest.mark.parametrize("seed", range(3))
def test_the_run_that_leads_on_some_fires_is_the_best_on_all(seed: int) -> None:
    """No other can save more of the fires that it did not burn; and most burn few."""
    scene = replace(SCENES["held"], seed=seed)
    fires = scene.fires("plan", FIRES)
    problem = problem_of(scene, 0.5, fires, fires.first(0))
    lines = Corridors(corridors=(*ROWS, *COLUMNS), line=tuple(range(8)), only=True, routes=True)
    slots = loaded(problem)
    every = [try_line(problem, slots, run) for run in lines.runs()]
    best = max(every, key=lambda trial: trial.saved_per_cost)
    (found,) = RatedRuns(problem, slots, lines).trials()
    assert found.saved_per_cost == pytest.approx(best.saved_per_cost, rel=1e-9)
    losing = slots.plan_trees(0).loss > 0.0
    whole = sum(int((slots.depending_on(0, run).astype(np.bool_) & losing).sum())
                for run in lines.runs())
    assert found.burned < whole


@pytest.mark.parametrize("least", [1, 3])
def test_a_run_burns_the_fewest_fires_that_can_leave_it_behind(
        least: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firebreak.planning.patterns.rated_runs.LEAST_BURNED", least)
    rng = np.random.default_rng(0)
    for _ in range(200):
        most = np.sort(rng.integers(0, 5, rng.integers(1, 9)))[::-1].astype(np.float64)
        begun = _Begun(np.arange(most.size), most, float(rng.integers(0, 4)))
        beside, count = float(rng.uniform(0.0, 10.0)), 0
        some = np.count_nonzero(most)
        for count in range(1, most.size + 1):
            if begun.saved + most[count:].sum() <= beside:
                break
        assert begun.enough(beside) == (min(max(count, least), some) if some else most.size)


def test_where_trials_are_few_the_best_that_was_tried_is_placed(
        monkeypatch: pytest.MonkeyPatch) -> None:
    scene = SCENES["held"]
    fires = scene.fires("plan", FIRES)
    lines = Corridors(corridors=(*ROWS, *COLUMNS), line=tuple(range(8)), only=True, routes=True)
    problem = problem_of(scene, 0.5, fires, fires.first(0))

    def first() -> tuple[float, int]:
        (trial,) = RatedRuns(problem, loaded(problem), lines).trials()
        return trial.saved_per_cost, trial.burned

    best, burned = first()
    monkeypatch.setattr("firebreak.planning.patterns.rated_runs.MOST_TRIED", 1)
    some, fewer = first()
    assert 0.0 < some <= best
    assert fewer < burned


@pytest.mark.parametrize("method", ["segments", "enclose"])
def test_beyond_the_bound_lines_follow_by_the_value_behind_them(
        method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = SCENES["held"]
    lines = Corridors(corridors=(*ROWS, *COLUMNS), line=tuple(range(8)), only=True, routes=True)

    def made(most: float) -> Plan:
        monkeypatch.setattr("firebreak.planning.patterns.rated_runs.MOST_BURNED", most)
        return make_plan(scene, 0.3, FIRES, method, seed=0, rules=PlanRules(lines=lines))

    whole, bounded, none = made(np.inf), made(1), made(0)
    assert UNTRIED not in (whole.notes or {})
    assert untried_words(whole) is None
    assert min(whole.cells.size, bounded.cells.size, none.cells.size) > 0
    assert none.simulations < bounded.simulations < whole.simulations
    # The first is tried before the bound is reached, so that less is left when trials end.
    assert bounded.notes[UNTRIED] < none.notes[UNTRIED] <= whole.budget
    words = untried_words(bounded)
    assert words is not None
    assert f"{int(bounded.notes[UNTRIED])} cells of the budget left" in words
    assert made(1).cells.tolist() == bounded.cells.tolist()
    if method == "segments":
        assert none.cells.tolist() == make_plan(
            scene, 0.3, FIRES, "downstream-value", seed=0, rules=PlanRules(lines=lines),
        ).cells.tolist()


def test_beyond_the_bound_a_given_line_beside_others_is_rated_by_what_it_saves(
        monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firebreak.planning.patterns.rated_runs.MOST_BURNED", 0)
    scene = SCENES["held"]
    fires = scene.fires("plan", FIRES)
    problem = problem_of(scene, 0.3, fires, fires.first(0))
    slots = loaded(problem)
    lines = Corridors(corridors=(*ROWS, *COLUMNS), line=tuple(range(8)))
    (trial,) = RatedRuns(problem, slots, lines).trials()
    assert 0.0 < trial.saved_per_cost == try_line(problem, slots, trial.cells).saved_per_cost
    (alone,) = RatedRuns(problem, slots, replace(lines, only=True)).trials()
    assert (alone.cells.tolist(), alone.saved_per_cost) == (trial.cells.tolist(), 0.0)


def test_where_short_pieces_are_mended_the_words_are_of_what_came_first() -> None:
    scene = SCENES["held"]
    fires = scene.fires("plan", FIRES)
    problem = problem_of(scene, 0.3, fires, fires.first(0))
    first = Placement(np.append(ROWS[0].cells, row(13, 2, 5).cells), 1.0, {UNTRIED: 40.0})
    placements = iter([first])
    placed = place_under(
        PlanRules(shortest_m=300.0), problem, problem.budget,
        lambda _: next(placements, Placement(np.empty(0, np.int64), 1.0)))
    assert placed.simulations > 1.0
    assert placed.notes == {UNTRIED: 40.0}
