"""Walks over fires' trees, against slow versions on Python dictionaries."""

import numpy as np
import pytest
from benchmarks.rivals.burned_maps import BurnedFires, burn_maps
from hypothesis import given, settings

from firebreak.env.storage.problem_batch import PlanTrees, ProblemBatch, sizes_for
from firebreak.fire import FireConditions, make_scene
from firebreak.fire.effects.losses import ResponseFunction
from firebreak.fire.travel.stencil import FACET_CODE, IGNITION, SPOT, STENCIL, UNBURNED
from firebreak.fire.travel.travel_field import pad, padded_cells, unpad
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.making import make_plan
from firebreak.planning.ranking import TreeSums, conditional_value
from strategies import Case, cases, problem_on


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


def burned_case(case: Case) -> tuple[BurnedFires, PlanTrees, np.ndarray]:
    """Fires of a case, their trees as the planners see them, and the value [P]."""
    burned = burn_maps(case.field(), case.fires, case.value, case.breaks)
    trees = PlanTrees(pad(burned.parent_code, UNBURNED),
                      padded_cells(case.fires.source, case.burnable.shape[1]), burned.loss,
                      case.fires.times)
    return burned, trees, pad(case.value.astype(np.float64))


def by_fire(case: Case, burned: BurnedFires) -> list[tuple[dict, tuple[int, int]]]:
    cols = case.burnable.shape[1]
    return [(tree_of(code), divmod(int(source), cols))
            for code, source in zip(burned.parent_code, case.fires.source, strict=True)]


@settings(max_examples=25, deadline=None)
@given(case=cases(most_side=9))
def test_path_scores_count_pairs_of_cells_above_and_below(case: Case) -> None:
    """In trees in which every cell has one parent: of two, the first."""
    burned, trees, value = burned_case(case)
    facet = np.clip(burned.parent_code.astype(np.int64) - FACET_CODE, 0, len(STENCIL.facets) - 1)
    burned = burned._replace(parent_code=np.where(
        (burned.parent_code >= FACET_CODE) & (burned.parent_code < SPOT),
        STENCIL.facets[facet, 0], burned.parent_code).astype(np.uint8))
    trees = trees._replace(code=pad(burned.parent_code, UNBURNED))
    expected = np.zeros(case.burnable.shape)
    for tree, _ in by_fire(case, burned):
        for end in tree:
            way = [end]
            while tree[way[-1]]:
                way.append(tree[way[-1]][0])
            for place, cell in enumerate(way):
                expected[cell] += case.value[end] * (len(way) - 1 - place)
    found = TreeSums(case.burnable.shape).paths(trees, value)
    np.testing.assert_allclose(unpad(found, case.burnable.shape), expected)


@settings(max_examples=25, deadline=None)
@given(case=cases(most_side=9))
def test_path_scores_and_flows_share_between_two_parents(case: Case) -> None:
    burned, trees, value = burned_case(case)
    shape = case.burnable.shape
    sums = TreeSums(shape)
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
    flow = sums.flow(trees.code, value, trees.times)
    np.testing.assert_allclose(unpad(sums.paths(trees, value), shape), paths)
    np.testing.assert_allclose(unpad(flow.through, shape), through)
    # What comes over steps is what comes through, but from the ignition, which no break stops.
    over = unpad(flow.along.sum(axis=0), shape)
    assert (over <= unpad(flow.through, shape) + 1e-9).all()
    assert (unpad(flow.along, shape)[:, ~(through > 0)] == 0).all()
    sets = [padded_cells(np.arange(k, case.burnable.size, 80), shape[1]) for k in range(80)]
    behind = sums.behind(trees.code, value, trees.times, sets)
    for fire, (tree, _) in enumerate(by_fire(case, burned)):
        for own, found in zip(sets, behind[fire].tolist(), strict=True):
            inside = unpad(np.isin(np.arange(value.size), own), shape)
            reached = tree.keys() & set(map(tuple, np.argwhere(inside)))
            for cell in sorted(tree, key=lambda c, k=fire: burned.arrival_time_min[k][c]):
                if reached & set(tree[cell]):
                    reached.add(cell)
            assert found == pytest.approx(sum(float(case.value[cell]) for cell in reached))


def test_flows_over_a_chain_are_known() -> None:
    code = np.full((1, 5), UNBURNED, np.uint8)
    code[0, 0] = IGNITION
    code[0, 1:4] = 6  # from the west
    padded, value = pad(code[None], UNBURNED), pad(np.array([[5.0, 1.0, 2.0, 4.0, 9.0]]))
    flow = TreeSums((1, 5)).flow(padded, value, np.ones(1))
    assert unpad(flow.through, (1, 5)).tolist() == [[0.0, 7.0, 6.0, 4.0, 0.0]]
    assert unpad(flow.along[6], (1, 5)).tolist() == [[0.0, 0.0, 6.0, 4.0, 0.0]]
    assert flow.along.sum() == 10.0


def test_a_way_begins_at_a_cell_that_an_ember_lit() -> None:
    code = np.full((1, 5), UNBURNED, np.uint8)
    code[0, :] = [IGNITION, 6, UNBURNED, SPOT, 6]
    trees = PlanTrees(pad(code[None], UNBURNED), padded_cells(np.array([0]), 5), np.zeros(1),
                      np.ones(1))
    value = pad(np.array([[5.0, 1.0, 2.0, 4.0, 9.0]]))
    found = TreeSums((1, 5)).paths(trees, value)
    assert unpad(found, (1, 5)).tolist() == [[0.0, 1.0, 0.0, 0.0, 9.0]]


@settings(max_examples=10, deadline=None)
@given(case=cases(most_side=10))
def test_the_trees_of_slots_are_those_of_fires_burned_anew(case: Case) -> None:
    problem = problem_on(case, case.fires, case.fires.first(1))
    slots = ProblemBatch(sizes_for(problem.scene, 1, case.fires.source.size + 2, 1))
    slot = np.zeros(1, np.int64)
    slots.load(0, problem)
    slots.update(slot, fresh=True)
    for cell in np.flatnonzero(case.breaks)[:3].tolist():
        slots.place(0, cell)
        slots.update(slot)
    anew = burn_maps(problem.scene.field, case.fires, case.value, slots.breaks[0])
    trees = slots.plan_trees(0)
    free = pad(case.burnable & ~slots.breaks[0])
    value, sums = pad(case.value.astype(float)), TreeSums(case.burnable.shape)
    some = slots.trees_through_free(0)
    assert len(some.code) == ((trees.code != UNBURNED) & free).any(axis=1).sum()
    every, few = (np.stack([sums.paths(own, value),
                            sums.flow(own.code, value, own.times).through])
                  for own in (trees, some))
    assert (every[:, free] == few[:, free]).all()
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
    burned = burn_maps(scene.field, fires, scene.value_by_class)
    # Losses, counted cell by cell, add up to those of the fires.
    times = (burned.parent_code != UNBURNED).sum(axis=0)
    assert (value * times).sum() == pytest.approx(burned.loss.sum(), rel=1e-5)
    assert (value[times == 0] == scene.value[times == 0]).all()


def test_each_cell_is_the_best_by_its_score_on_a_map_burned_anew() -> None:
    land = generate(8, 14)
    cost = np.random.default_rng(3).uniform(0.5, 2.0, land.shape).astype(np.float32)
    land = land.map_grids(lambda grid: grid, cost=cost)
    scene = make_scene(land, FireConditions(scenarios=2), 1)
    fires, sums = scene.fires("plan", 30), TreeSums(land.shape)
    value = pad(scene.value.astype(np.float64))
    breaks = np.zeros(land.shape, bool)
    for cell in make_plan(scene, 0.04, 30, "betweenness", seed=0).cells[:4].tolist():
        burned = burn_maps(scene.field, fires, scene.value_by_class, breaks)
        trees = PlanTrees(pad(burned.parent_code, UNBURNED),
                          padded_cells(fires.source, land.shape[1]), burned.loss, fires.times)
        score = unpad(sums.paths(trees, value), land.shape)
        allowed = land.treatable & ~breaks
        assert cell == np.where(allowed, score / land.cost, -1.0).argmax()
        breaks.ravel()[cell] = True


def test_a_smaller_plan_is_the_beginning_of_a_larger_one() -> None:
    scene = make_scene(generate(8, 20), FireConditions(scenarios=3), 1)
    small, large = (make_plan(scene, share, 48, "betweenness", seed=0) for share in (0.03, 0.05))
    assert 0 < small.cells.size < large.cells.size
    assert small.cells.tolist() == large.cells[:small.cells.size].tolist()
