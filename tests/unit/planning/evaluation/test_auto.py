"""Planning by choice: what is tried, on which fires, what is kept and what is left out."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from firebreak.agent.policy_file import Policy
from firebreak.checks import InputError
from firebreak.fire import FireConditions, KnownFires, Scene, burn, make_scene
from firebreak.fire.effects.breaks import HoldRule
from firebreak.fire.fires import Fires
from firebreak.landscape.synthetic.generate import generate
from firebreak.landscape.treatments import Treatment
from firebreak.native_library import set_threads
from firebreak.planning.core import fire_counts
from firebreak.planning.core.break_segments import break_segments_of, closes_gap, length_m, pieces
from firebreak.planning.core.fire_counts import FEWEST_CHOICE, PER_PLAN_FIRE, choice_count
from firebreak.planning.core.plan import Plan
from firebreak.planning.core.progress import Reporter
from firebreak.planning.core.rules import PlanRules, short_pieces
from firebreak.planning.evaluation import auto, choice, refine
from firebreak.planning.evaluation.auto import Chosen, plan_by_choice
from firebreak.planning.evaluation.choice import ALL, ends_of
from firebreak.planning.evaluation.refine import saved_by_each, useful_segments
from firebreak.planning.making import make_plan
from firebreak.planning.methods import (
    CANDIDATES,
    METHODS,
    MOST_CELLS_OF_PATTERNS,
    MOST_TRIALS_OF_GREEDY,
)
from lines_of_cells import lines_of
from untrained import fitting, untrained

CONDITIONS = FireConditions(scenarios=2)


@pytest.fixture(autouse=True, scope="module")
def few_fires() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fire_counts, "FEWEST_CHOICE", 120)
        patch.setattr(fire_counts, "PER_PLAN_FIRE", 2)
        yield


@pytest.fixture(scope="module")
def scene() -> Scene:
    return make_scene(generate(5, (16, 17), cell_size_m=30.0), CONDITIONS, 3)


@pytest.fixture(scope="module")
def plain(scene: Scene) -> Chosen:
    """A choice without a policy."""
    return chosen(scene)


@pytest.fixture(scope="module")
def policy() -> Policy:
    return fitting("dqn-lookahead", untrained())


def chosen(scene: Scene, policy: Policy | None = None, share: float = 0.08,
           **options: object) -> Chosen:
    return plan_by_choice(scene, share, 16, seed=0, policy=policy, **options)  # type: ignore[arg-type]


class Watched(NamedTuple):
    """A choice; the sets of fires it drew, and their numbers; the progress told, and what of it
    stood before each time that choice fires burned.
    """

    made: Chosen
    asked: list[tuple[str, int]]
    told: list[float]
    before: list[float]


@pytest.fixture(scope="module")
def watched(scene: Scene, policy: Policy) -> Watched:
    set_threads(1)
    asked, told, before = list[tuple[str, int]](), list[float](), list[float]()
    draw = Scene.fires

    def fires(self: Scene, fire_set: str, number: int) -> Fires:
        asked.append((fire_set, number))
        return draw(self, fire_set, number)

    class Told(KnownFires):
        def __init__(self, scene: Scene, fires: Fires, may: np.ndarray) -> None:
            before.append(told[-1])
            super().__init__(scene, fires, may)

        def loss_under(self, breaks: np.ndarray, part: slice = ALL) -> np.ndarray:
            before.append(told[-1])
            return super().loss_under(breaks, part)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Scene, "fires", fires)
        patch.setattr(choice, "KnownFires", Told)
        return Watched(chosen(scene, policy, report=told.append), asked, told, before)


def test_candidates_see_plan_fires_and_the_choice_its_own_and_neither_the_test(
        scene: Scene, watched: Watched) -> None:
    assert watched.asked.count(("choice", 120)) == 1
    assert set(watched.asked) == {("choice", 120), ("plan", 16)}
    plan, choice, test = (scene.fires(name, 16).source for name in ("plan", "choice", "test"))
    assert not np.array_equal(choice, plan)
    assert not np.array_equal(choice, test)


def test_what_it_says_of_each_candidate_is_what_its_plan_saves(
        scene: Scene, policy: Policy, watched: Watched) -> None:
    made = watched.made
    tried = tuple(name for name in CANDIDATES if name != "enclose")  # values are spread
    assert tuple(made.choice.candidates) == tried == tuple(made.others)
    fires = scene.fires("choice", 120)
    before = burn(scene, fires).loss.mean()
    for name, own in made.others.items():
        assert own.cells.tolist() == make_plan(scene, 0.08, 16, name, seed=0,
                                               policy=policy).cells.tolist()
        after = burn(scene, fires, own.break_mask()).loss.mean()
        if not short_pieces(own.cells, PlanRules(least_m=90.0), scene.landscape):
            assert made.choice.candidates[name].reduction == pytest.approx(1.0 - after / before)
    assert made.plan.chosen_by == "auto"
    assert made.plan.label == "auto"
    assert made.plan.method == made.choice.chosen


def test_its_progress_is_whole_only_when_the_choice_is_made(watched: Watched) -> None:
    told, before = watched.told, watched.before
    # Nothing, the parts of the race, and the two best after rounds of 500, 1,000, ... 8,000 tries.
    parts = len(ends_of(120))
    assert 1 + len(CANDIDATES) + 2 < len(before) <= 1 + parts * len(CANDIDATES) + 2 * 5
    assert before == sorted(before)
    assert max(before) <= max(told[:-1]) < 1.0 == told[-1]


@pytest.mark.slow
def test_neither_clock_nor_order_of_the_table_changes_the_plan(
        scene: Scene, policy: Policy, watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    first = watched.made
    ticks = count(0, 1000)
    monkeypatch.setattr("firebreak.planning.making.perf_counter", lambda: next(ticks) ** 2.0)
    monkeypatch.setattr(auto, "METHODS", dict(reversed(auto.METHODS.items())))
    second = chosen(scene, policy)
    assert second.plan.cells.tolist() == first.plan.cells.tolist()
    assert without_seconds(second) == without_seconds(first)
    assert seconds_of(second) != seconds_of(first)


def seconds_of(made: Chosen) -> list[float]:
    return [own.seconds for own in made.choice.candidates.values()]


def without_seconds(made: Chosen) -> object:
    return made.choice._replace(candidates={
        name: own._replace(seconds=0.0) for name, own in made.choice.candidates.items()})


def test_candidates_that_refuse_are_left_out_and_named(plain: Chosen) -> None:
    assert set(plain.choice.refused) == {"dqn", "dqn-lookahead"}
    assert "--policy" in plain.choice.refused["dqn"]
    assert not {"dqn", "dqn-lookahead"} & plain.choice.candidates.keys()


def test_where_all_refuse_the_first_says_why(scene: Scene, policy: Policy) -> None:
    with pytest.raises(InputError, match="buys the cheapest cell"):
        chosen(scene, policy, 1e-4)


def test_patterns_are_tried_on_small_maps_only(scene: Scene,
                                               monkeypatch: pytest.MonkeyPatch) -> None:
    least = int(scene.landscape.treatable.sum()) - 1
    monkeypatch.setattr(auto, "METHODS", {
        name: method if (method.candidate is None
                         or method.candidate.most_cells != MOST_CELLS_OF_PATTERNS)
        else method._replace(candidate=method.candidate._replace(most_cells=least))
        for name, method in auto.METHODS.items()})
    assert tuple(chosen(scene).choice.candidates) == ("downstream-value", "segments",
                                                    "greedy")


@pytest.mark.slow
def test_greedy_is_tried_where_its_trials_are_few_and_quick(scene: Scene) -> None:
    greedy = METHODS["greedy"].candidate
    assert greedy is not None
    treatable = int(scene.landscape.treatable.sum())
    most = MOST_TRIALS_OF_GREEDY / (0.5 * treatable ** 2)
    assert greedy.fits(scene, 0.5, int(most))
    assert not greedy.fits(scene, 0.5, int(most) + 1)
    shaded = make_scene(scene.landscape, replace(CONDITIONS, treatment=Treatment(kind="shaded")), 3)
    assert not greedy.fits(shaded, 0.5, 1)
    assert tuple(chosen(shaded, share=0.03).choice.candidates)[-1] != "greedy"


@pytest.mark.slow
def test_moves_of_the_two_best_are_kept_as_far_as_the_choice_fires_agree(
        scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auto, "CANDIDATES", ("strips", "downstream-value", "betweenness"))
    made = chosen(scene)
    choice = made.choice
    moved = moved_of(made)
    assert len(moved) == 2
    assert min(moved.values()) >= 0.0 < max(moved.values())
    before = {name: own.reduction - moved.get(name, 0.0)
              for name, own in choice.candidates.items()}
    assert set(moved) == set(sorted(before, key=lambda name: -before[name])[:2])
    assert made.plan.cost <= made.plan.budget
    assert not short_pieces(made.plan.cells, PlanRules(least_m=choice.least_m), scene.landscape)


def moved_of(made: Chosen) -> dict[str, float]:
    return {name: own.moved for name, own in made.choice.candidates.items()
            if own.moved is not None}


@pytest.mark.slow
def test_an_offer_of_lines_leaves_out_no_candidate_and_no_move(
        scene: Scene, policy: Policy, watched: Watched) -> None:
    can = scene.landscape.treatable
    corner = np.flatnonzero((can[:, :-2] & can[:, 1:-1] & can[:, 2:]).ravel())[0]
    corner = np.ravel_multi_index(np.divmod(corner, can.shape[1] - 2), can.shape) + np.arange(3)
    plain = watched.made
    offered, bound = (chosen(scene, policy, rules=PlanRules(lines=lines_of(
        (corner,), (0,), only=only))) for only in (False, True))
    assert list(offered.choice.candidates) == list(plain.choice.candidates)
    assert len(moved_of(offered)) == len(moved_of(plain)) > 0
    fires = scene.fires("choice", 120)
    saved = [burn(scene, fires, made.plan.break_mask()).loss.mean()
             for made in (offered, plain)]
    assert saved[0] <= saved[1] * 1.02
    takers = {name for name in CANDIDATES if METHODS[name].takes_lines}
    assert set(bound.choice.candidates) <= takers
    assert set(bound.plan.cells.tolist()) <= set(corner.tolist())
    assert moved_of(bound) == {}


def test_as_many_plans_are_sure_to_burn_all_choice_fires_as_may_move(
        scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    places, own = [], auto.race

    def race(*args: object, **named: object) -> object:
        places.append(args[3])
        return own(*args, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(auto, "race", race)
    corner = np.flatnonzero(scene.landscape.treatable)[:8]
    for only in (False, True):
        chosen(scene, rules=PlanRules(lines=lines_of((corner,), (0,), only=only)))
    assert places == [auto.FINALISTS, 1]


def test_the_order_and_the_largest_map_of_patterns_are_those_of_the_page() -> None:
    page = Path(__file__).resolve().parents[4] / "docs" / "planning.md"
    words = " ".join(page.read_text(encoding="utf-8").split())
    order = ", ".join(f"`{name}`" for name in CANDIDATES)
    assert f"in this fixed order, the quickest kind first: {order}." in words
    assert f"are tried up to {MOST_CELLS_OF_PATTERNS:,} treatable cells" in words
    assert f"at most {MOST_TRIALS_OF_GREEDY // 10 ** 6} million" in words


def test_choice_fires_by_plan_fires_and_map(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fire_counts, "FEWEST_CHOICE", FEWEST_CHOICE)
    monkeypatch.setattr(fire_counts, "PER_PLAN_FIRE", PER_PLAN_FIRE)
    assert choice_count(256, 10_000) == 4096
    assert choice_count(64, 10_000) == 4000
    assert choice_count(1000, 10_000) == 16_000
    assert choice_count(256, 1_000_000) == 400
    assert choice_count(1000, 1_000_000) == 1000


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["hard", "shaded"])
def test_no_short_piece_is_proposed_unless_it_closes_a_gap(kind: str) -> None:
    land = generate(11, (22, 20), cell_size_m=30.0)
    scene = make_scene(land, replace(CONDITIONS, treatment=Treatment(kind=kind)), 1)
    made = chosen(scene, share=0.06)
    raw = make_plan(scene, 0.06, 16, "downstream-value", seed=0)
    assert short_pieces(raw.cells, PlanRules(least_m=90.0), land)
    mended = make_plan(scene, 0.06, 16, "downstream-value", seed=0,
                       rules=PlanRules(least_m=90.0), begun=raw)
    assert mended.cells.size
    for cells in (mended.cells, made.plan.cells):
        mask = np.zeros(land.shape, bool)
        mask.ravel()[cells] = True
        assert all(length_m(piece, land.shape, 30.0) >= 90.0
                   or closes_gap(piece, land.burnable, leak=False) for piece in pieces(mask))


def test_a_budget_of_one_cell_is_spent(scene: Scene) -> None:
    made = chosen(scene, share=1.5 / scene.landscape.treatable.sum())
    assert made.plan.cells.size == 1


@pytest.mark.slow
def test_included_cells_and_money_are_kept(scene: Scene, policy: Policy) -> None:
    treatable = np.flatnonzero(scene.landscape.treatable)
    include = treatable[[3, 90]]
    made = chosen(scene, policy, rules=PlanRules(include=include, budget=14.0))
    assert np.isin(include, made.plan.cells).all()
    assert made.plan.budget == 14.0
    assert made.plan.cost <= 14.0
    assert made.choice.unspent == 14.0 - made.plan.cost


def line_of(scene: Scene, cells: list[int]) -> np.ndarray:
    mask = np.zeros(scene.landscape.shape, bool)
    mask.ravel()[cells] = True
    return mask


@pytest.mark.parametrize("kind", ["hard", "shaded"])
def test_a_planted_useless_segment_goes_and_one_that_must_be_there_stays(kind: str) -> None:
    land = generate(5, (16, 17), cell_size_m=30.0)
    fuel = land.fuel_model.copy()
    fuel[:, 12] = 98  # water: what lies east of it burns only by its own fires
    treatable = land.treatable.copy()
    land = replace(land, fuel_model=fuel, treatable=treatable & (fuel != 98))
    scene = make_scene(land, replace(CONDITIONS, treatment=Treatment(kind=kind)), 1)
    draws = scene.fires("choice", 400)
    west = draws.part(draws.source % 17 < 12)
    east = [row * 17 + 15 for row in range(1, 5)]
    inner = [3 * 17 + col for col in range(4, 11)]
    assert land.treatable.ravel()[east + inner].all()
    segments = break_segments_of(line_of(scene, east + inner), land)
    known = KnownFires(scene, west, land.treatable)
    whole, saved = saved_by_each(known, segments, range(len(segments)))
    for k, segment in enumerate(segments):
        rest = line_of(scene, [int(cell) for other in segments if other is not segment
                               for cell in other.cells])
        left = burn(scene, west, rest).loss.mean()
        assert saved[k] == pytest.approx(left - whole, abs=1e-6 * whole)
    useful = useful_segments(known, segments, np.empty(0, np.int64))
    assert not np.isin(east, np.concatenate([part.cells for part in useful])).any()
    assert len(useful) < len(segments)
    must = useful_segments(known, segments, np.array(east[:1]))
    assert np.isin(east, np.concatenate([part.cells for part in must])).all()


@pytest.mark.slow
def test_money_of_useless_segments_stays_unspent(scene: Scene, plain: Chosen,
                                                 monkeypatch: pytest.MonkeyPatch) -> None:
    whole = plain
    monkeypatch.setattr(refine, "useful_segments",
                        lambda known, segments, included: segments[1:])
    less = chosen(scene)
    gone = break_segments_of(whole.plan.break_mask(), scene.landscape)[0]
    assert less.choice.useless == 1
    assert less.plan.cost == whole.plan.cost - gone.cost
    assert less.choice.unspent == pytest.approx(less.plan.budget - less.plan.cost)
    assert less.plan.cells.tolist() == [
        cell for cell in whole.plan.cells.tolist() if cell not in gone.cells]


def among_corridors(conditions: FireConditions) -> tuple[Scene, PlanRules]:
    """A map of which three corridors alone may be treated, and the rules of a plan of them."""
    scene = make_scene(generate(5, (16, 17), cell_size_m=30.0), conditions, 3)
    cols = scene.landscape.shape[1]
    pieces = [np.arange(row * cols + 2, row * cols + 14) for row in (3, 7, 11)]
    lines = replace(lines_of(pieces, (0, 1, 2), only=True), routes=True)
    free = np.isin(np.arange(scene.landscape.treatable.size), np.concatenate(pieces))
    scene = replace(scene, landscape=replace(
        scene.landscape, treatable=scene.landscape.treatable & free.reshape(-1, cols)))
    return scene, PlanRules(lines=lines)


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("conditions", [
    replace(CONDITIONS, treatment=Treatment(kind="shaded"), hold=HoldRule(by="equipment")),
    CONDITIONS])
def test_value_behind_corridors_makes_the_first_plan_where_trials_are_slow(
        monkeypatch: pytest.MonkeyPatch, conditions: FireConditions, large: bool,
        policy: Policy) -> None:
    if large:
        ahead = METHODS["dqn-lookahead"]
        assert ahead.candidate is not None
        monkeypatch.setitem(METHODS, "dqn-lookahead", ahead._replace(
            candidate=ahead.candidate._replace(slow_cells=100)))
    scene, rules = among_corridors(conditions)
    first: list[str] = []
    made = chosen(scene, policy, 0.4, rules=rules,
                  first=lambda plan: first.append(plan.method))
    slow = conditions.hold is not None
    assert ("downstream-value" in made.choice.candidates) == slow
    assert first == ["downstream-value" if slow else "dqn-lookahead"]
    assert ("dqn-lookahead" in made.choice.candidates) != (slow and large)
    assert (made.choice.refused.get("dqn-lookahead") == auto.TOO_SLOW) == (slow and large)
    assert scene.landscape.treatable.ravel()[made.plan.cells].all()


def test_more_corridors_than_trials_take_are_planned_by_the_value_behind_them(
        monkeypatch: pytest.MonkeyPatch, policy: Policy) -> None:
    """No method that tries lines is offered so many cells."""
    for name in ("segments", "dqn-lookahead"):
        method = METHODS[name]
        assert method.candidate is not None
        monkeypatch.setitem(METHODS, name, method._replace(
            candidate=method.candidate._replace(most_cells=10)))
    scene, rules = among_corridors(CONDITIONS)
    made = chosen(scene, policy, 0.4, rules=rules)
    assert [*made.choice.candidates] == ["downstream-value"]
    assert made.choice.refused.get("downstream-value") is None
    assert made.plan.cells.size


def test_a_candidate_plans_once_among_corridors_which_are_as_long_as_they_should_be(
        monkeypatch: pytest.MonkeyPatch, policy: Policy) -> None:
    made = list[str]()

    def counted(scene: Scene, share: float, fires: int, name: str, **options: Any) -> Plan:
        made.append(name)
        return make_plan(scene, share, fires, name, **options)

    monkeypatch.setattr(auto, "make_plan", counted)
    scene, rules = among_corridors(CONDITIONS)
    choice = chosen(scene, policy, 0.4, rules=rules).choice
    assert sorted(made) == sorted([*choice.candidates, *(
        name for name in choice.refused if choice.refused[name] not in (
            auto.NO_LINES, auto.TOO_SLOW))])


def test_plans_by_windows_are_made_last_and_change_no_other(
        scene: Scene, policy: Policy, watched: Watched) -> None:
    others, order, first = watched.made.others, list[str](), list[str]()

    def by_windows(scene: Scene, share: float, plan_fires: int, name: str, rules: PlanRules,
                   report: Reporter) -> Plan:
        order.append(name)
        return others[name]

    made = chosen(scene, policy, makers=dict.fromkeys(("dqn", "segments"), by_windows),
                  first=lambda plan: first.append(plan.method))
    assert (first, order) == (["downstream-value"], ["dqn", "segments"])
    assert [(name, plan.cells.tolist()) for name, plan in made.others.items()] == [
        (name, plan.cells.tolist()) for name, plan in others.items()]
