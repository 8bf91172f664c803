"""Walks over fires' trees, against slow versions on Python dictionaries."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firebreak.env.storage.slots import PlanTrees, Slots, sizes_for
from firebreak.fire.effects.losses import ResponseFunction
from firebreak.fire.engine import BurnedFires, burn
from firebreak.fire.scene import FireConditions, make_scene
from firebreak.fire.travel.stencil import FACET_CODE, IGNITION, SPOT, STENCIL, UNBURNED
from firebreak.fire.travel.travel_field import pad, padded_cells, unpad
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.making import make_plan
from firebreak.planning.patterns.candidates import flow_of
from firebreak.planning.ranking.simple import hazard
from firebreak.planning.ranking.trees import (
    conditional_value,
    dominated,
    path_scores,
    share_kept,
    tree_scratch,
)
from strategies import Case, cases, problem_on

MODES = st.sampled_from(["front", "graph"])


def tree_of(code: np.ndarray) -> dict[tuple[int, int], list[tuple[int, int]]]:
    """Burned cells of one fire [H, W] -> their parents."""
    tree = {}
    for row, col in zip(*np.nonzero(code != UNBURNED), strict=True):
        own = int(code[row, col])
        steps = ([] if own >= SPOT else [own] if own < FACET_CODE
                 else STENCIL.facets[own - FACET_CODE].tolist())
        tree[int(row), int(col)] = [(int(row + STENCIL.steps[s, 0]), int(col + STENCIL.steps[s, 1]))
                                    for s in steps]
    return tree


def reached(tree: dict, source: tuple[int, int], without: tuple[int, int] | None) -> set:
    """Cells that fire reaches from the source by the tree, one cell taken out."""
    found = {source} - {without}
    while True:
        more = {cell for cell, above in tree.items()
                if cell not in found and cell != without and set(above) & found}
        if not more:
            return found
        found |= more


def burned_case(case: Case, mode: str) -> tuple[BurnedFires, PlanTrees, np.ndarray]:
    """Fires of a case, their trees as the planners see them, and the value [P]."""
    burned = burn(case.field(mode), case.fires, case.value, case.breaks)
    trees = PlanTrees(pad(burned.parent_code, UNBURNED),
                      padded_cells(case.fires.source, case.burnable.shape[1]), burned.loss)
    return burned, trees, pad(case.value.astype(np.float64))


def by_fire(case: Case, burned: BurnedFires) -> list[tuple[dict, tuple[int, int]]]:
    cols = case.burnable.shape[1]
    return [(tree_of(code), divmod(int(source), cols))
            for code, source in zip(burned.parent_code, case.fires.source, strict=True)]


@settings(max_examples=25, deadline=None)
@given(case=cases(most_side=9), mode=MODES, lost=st.sampled_from([0.0, 0.25]))
def test_dominated_value_is_what_fire_no_longer_reaches_without_the_cell(
        case: Case, mode: str, lost: float) -> None:
    burned, trees, value = burned_case(case, mode)
    keeps = np.random.default_rng(0).uniform(0.0, 1.0, case.burnable.shape)
    expected = np.zeros(case.burnable.shape)
    for tree, source in by_fire(case, burned):
        for cell in tree.keys() - {source}:
            saved = tree.keys() - reached(tree, source, cell)
            expected[cell] += (keeps[cell] * sum(case.value[other] for other in saved)
                               - lost * case.value[cell])
    found = dominated(trees, value, tree_scratch(case.burnable.shape), pad(keeps), lost)
    np.testing.assert_allclose(unpad(found, case.burnable.shape), expected, atol=1e-9)


@settings(max_examples=25, deadline=None)
@given(case=cases(most_side=9))
def test_path_scores_count_pairs_of_cells_above_and_below(case: Case) -> None:
    burned, trees, value = burned_case(case, "graph")
    expected = np.zeros(case.burnable.shape)
    for tree, _ in by_fire(case, burned):
        for end in tree:
            way = [end]
            while tree[way[-1]]:
                way.append(tree[way[-1]][0])
            for place, cell in enumerate(way):
                expected[cell] += case.value[end] * (len(way) - 1 - place)
    found = path_scores(trees, value, tree_scratch(case.burnable.shape))
    np.testing.assert_allclose(unpad(found, case.burnable.shape), expected)


@settings(max_examples=25, deadline=None)
@given(case=cases(most_side=9), mode=MODES)
def test_path_scores_and_flows_share_between_two_parents(case: Case, mode: str) -> None:
    burned, trees, value = burned_case(case, mode)
    shape = case.burnable.shape
    work = tree_scratch(shape)
    paths, through = np.zeros(shape), np.zeros(shape)
    for tree, source in by_fire(case, burned):
        above: dict = {}

        def distance(cell: tuple, tree: dict = tree, above: dict = above) -> float:
            if cell not in above:
                up = [distance(parent) for parent in tree[cell]]
                above[cell] = 1.0 + sum(up) / len(up) if up else 0.0
            return above[cell]

        below = {cell: float(case.value[cell]) for cell in tree}
        # Whoever is earlier in time is no child: the engine's arrival times order each tree.
        fire = by_fire(case, burned).index((tree, source))
        for cell in sorted(tree, key=lambda c: -burned.arrival_time_min[fire][c]):
            for parent in tree[cell]:
                below[parent] += below[cell] / len(tree[cell])
        for cell in tree:
            paths[cell] += distance(cell) * below[cell]
            if cell != source:
                through[cell] += below[cell]
    flow = flow_of(trees.code, value, work)
    np.testing.assert_allclose(unpad(path_scores(trees, value, work), shape), paths)
    np.testing.assert_allclose(unpad(flow.through, shape), through)
    # What comes over steps is what comes through, but from the ignition, which no break stops.
    over = unpad(flow.along.sum(axis=0), shape)
    assert (over <= unpad(flow.through, shape) + 1e-9).all()
    assert (unpad(flow.along, shape)[:, ~(through > 0)] == 0).all()


def test_flows_over_a_chain_are_known() -> None:
    code = np.full((1, 5), UNBURNED, np.uint8)
    code[0, 0] = IGNITION
    code[0, 1:4] = 6  # from the west
    padded, value = pad(code[None], UNBURNED), pad(np.array([[5.0, 1.0, 2.0, 4.0, 9.0]]))
    flow = flow_of(padded, value, tree_scratch((1, 5)))
    assert unpad(flow.through, (1, 5)).tolist() == [[0.0, 7.0, 6.0, 4.0, 0.0]]
    assert unpad(flow.along[6], (1, 5)).tolist() == [[0.0, 0.0, 6.0, 4.0, 0.0]]
    assert flow.along.sum() == 10.0


def test_a_cell_lit_by_an_ember_hangs_from_the_ignition() -> None:
    code = np.full((1, 5), UNBURNED, np.uint8)
    code[0, :] = [IGNITION, 6, UNBURNED, SPOT, 6]
    trees = PlanTrees(pad(code[None], UNBURNED), padded_cells(np.array([0]), 5), np.zeros(1))
    value = pad(np.array([[5.0, 1.0, 2.0, 4.0, 9.0]]))
    found = dominated(trees, value, tree_scratch((1, 5)), np.ones(value.size))
    assert unpad(found, (1, 5)).tolist() == [[0.0, 1.0, 0.0, 13.0, 9.0]]


@settings(max_examples=10, deadline=None)
@given(case=cases(most_side=10), mode=MODES)
def test_the_trees_of_slots_are_those_of_fires_burned_anew(case: Case, mode: str) -> None:
    problem = problem_on(case, case.fires, case.fires.first(1), mode)
    slots = Slots(sizes_for(problem.scene, 1, case.fires.source.size + 2, 1))
    slot = np.zeros(1, np.int64)
    slots.load(0, problem)
    slots.update(slot, fresh=True)
    for cell in np.flatnonzero(case.breaks)[:3].tolist():
        slots.place(0, cell)
        slots.update(slot)
    anew = burn(problem.scene.field, case.fires, case.value, slots.breaks[0])
    trees = slots.plan_trees(0)
    assert (unpad(trees.code, case.burnable.shape) == anew.parent_code).all()
    assert trees.loss == pytest.approx(anew.loss)
    assert (trees.source == padded_cells(case.fires.source, case.burnable.shape[1])).all()


def test_losses_by_flame_length_are_weighed_by_how_hotly_cells_burn() -> None:
    land = generate(4, 16)
    step = ResponseFunction(name="step", loss=(0.0, 0.1, 0.3, 0.6, 0.9, 1.0))
    scene = make_scene(land, FireConditions(scenarios=3, response=step), 0)
    fires = scene.fires("plan", 40)
    value, paid = conditional_value(scene, fires)
    assert paid == 1.0
    burned = burn(scene.field, fires, scene.value_by_class)
    # Losses, counted cell by cell, add up to those of the fires.
    times = (burned.parent_code != UNBURNED).sum(axis=0)
    assert (value * times).sum() == pytest.approx(burned.loss.sum(), rel=1e-5)
    assert (value[times == 0] == scene.value[times == 0]).all()
    assert hazard(scene, fires)[0] == pytest.approx(value)


def test_hazard_without_losses_by_flame_length_is_value_times_flame_length() -> None:
    scene = make_scene(generate(4, 16), FireConditions(scenarios=3), 0)
    found, paid = hazard(scene, scene.fires("plan", 4))
    assert paid == 0.0
    assert found == pytest.approx(scene.behavior.flame_length_m.mean(axis=0) * scene.value)


def test_breaks_that_may_be_breached_keep_less() -> None:
    land = generate(4, 16)
    sure = make_scene(land, FireConditions(scenarios=3), 0)
    assert (share_kept(sure) == 1.0).all()
    narrow = make_scene(land, FireConditions(scenarios=3, breach="flame-length"), 0)
    breach = unpad(narrow.field.breaks.breach, land.shape)
    assert share_kept(narrow) == pytest.approx(1.0 - breach.mean(axis=0), abs=1e-6)


@pytest.mark.parametrize("method", ["betweenness", "dominator", "value-hazard"])
def test_each_cell_is_the_best_by_its_score_on_a_map_burned_anew(method: str) -> None:
    land = generate(8, 14)
    cost = np.random.default_rng(3).uniform(0.5, 2.0, land.shape).astype(np.float32)
    land = land.map_grids(lambda grid: grid, cost=cost)
    scene = make_scene(land, FireConditions(scenarios=2), 1)
    fires, work = scene.fires("plan", 30), tree_scratch(land.shape)
    value = pad(scene.value.astype(np.float64))
    breaks = np.zeros(land.shape, bool)
    for cell in make_plan(scene, 0.04, 30, method, seed=0).cells[:4].tolist():
        burned = burn(scene.field, fires, scene.value_by_class, breaks)
        trees = PlanTrees(pad(burned.parent_code, UNBURNED),
                          padded_cells(fires.source, land.shape[1]), burned.loss)
        if method == "value-hazard":
            times = (burned.parent_code != UNBURNED).sum(axis=0)
            score = times * hazard(scene, fires)[0]
        elif method == "dominator":
            score = unpad(dominated(trees, value, work, np.ones(value.size)), land.shape)
        else:
            score = unpad(path_scores(trees, value, work), land.shape)
        allowed = land.treatable & ~breaks
        assert cell == np.where(allowed, score / land.cost, -1.0).argmax()
        breaks.ravel()[cell] = True


@pytest.mark.parametrize("method", ["betweenness", "dominator", "value-hazard"])
def test_a_smaller_plan_is_the_beginning_of_a_larger_one(method: str) -> None:
    scene = make_scene(generate(8, 20), FireConditions(scenarios=3), 1)
    small, large = (make_plan(scene, share, 48, method, seed=0) for share in (0.03, 0.05))
    assert 0 < small.cells.size < large.cells.size
    assert small.cells.tolist() == large.cells[:small.cells.size].tolist()
