"""Straight lines: that they hold fire, how they are rated, and what the greedy choice places."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from break_cases import BREAKS
from firebreak.env.storage.problem_batch import ProblemBatch, sizes_for
from firebreak.fire import FireConditions, burn, burn_field, make_scene
from firebreak.fire.fires import Fires
from firebreak.fire.travel.stencil import STENCIL
from firebreak.fire.travel.travel_field import field_from_ellipse, pad, unpad
from firebreak.landscape.synthetic.generate import generate
from firebreak.line_actions import COMPASS, line_steps
from firebreak.planning.core.rounds import line_list, spaced_lines
from firebreak.planning.making import make_plan
from firebreak.planning.patterns import line_greedy
from firebreak.planning.patterns.line_greedy import LENGTHS, Ground, rated_lines
from firebreak.planning.ranking import Flow
from strategies import Case, cases, ellipse_like, plain_landscape, problem_on

STEP_OF = {tuple(step): number for number, step in enumerate(STENCIL.steps.tolist())}


@pytest.mark.parametrize("way", [*COMPASS, (0.3, -0.95), (-0.8, 0.6)])
@pytest.mark.parametrize("leak", [False, True])
def test_a_line_from_edge_to_edge_holds_fire(way: tuple[float, float], leak: bool) -> None:
    side = 21
    field = field_from_ellipse(ellipse_like(10.0, 3.0, np.full((1, side, side), 250.0)),
                               np.ones((side, side), bool), 30.0)
    field = field._replace(breaks=field.breaks._replace(leak=leak))
    steps = line_steps(way, 4 * side, leak)
    back = line_steps((-way[0], -way[1]), 4 * side, leak)
    breaks = np.zeros((side, side), bool)
    for row, col in np.concatenate([steps, back]) + side // 2:
        if 0 <= row < side and 0 <= col < side:
            breaks[row, col] = True
    rows, cols = np.indices(breaks.shape) - side // 2
    beyond = way[0] * cols - way[1] * rows
    start = int(np.where(breaks, 0.0, beyond).argmin())
    fires = Fires(np.array([start]), np.zeros(1, np.int64), np.array([np.inf]),
                  np.zeros(1, np.uint64))
    lost = burn_field(field, fires, ((beyond > 2.0) & ~breaks).astype(np.float32), breaks).loss
    assert lost == 0.0
    assert burn_field(field, fires, np.ones(breaks.shape, np.float32), breaks).loss > 100


def test_joined_lines_have_one_more_cell_at_each_corner() -> None:
    assert line_steps((1, 1), 3, joined=False).tolist() == [[0, 0], [1, 1], [2, 2]]
    assert line_steps((1, 1), 4, joined=True).tolist() == [[0, 0], [0, 1], [1, 1], [1, 2]]
    assert line_steps((0, 1), 3, joined=True).tolist() == [[0, 0], [0, 1], [0, 2]]


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), way=st.sampled_from(COMPASS))
def test_lines_are_rated_by_what_comes_from_outside_them(seed: int,
                                                         way: tuple[int, int]) -> None:
    rng = np.random.default_rng(seed)
    shape = (7, 9)
    land = plain_landscape(rng.random(shape) < 0.8, cost=rng.uniform(0.5, 2.0, shape),
                           treatable=rng.random(shape) < 0.9)
    breaks = (rng.random(shape) < 0.1) & land.burnable
    through = rng.random(pad(np.zeros(shape)).size)
    along = rng.random((32, through.size)) * 0.01
    available = land.treatable & ~breaks
    lengths = [1, 2, 3, 5]
    steps = line_steps(way, 5, joined=False)
    lines = rated_lines(land, Ground(breaks, available, 4.0), Flow(through, along), [steps],
                        lengths)
    own, flow = unpad(through, shape), unpad(along, shape)
    expected = {}
    for start in np.flatnonzero(available).tolist():
        for length in lengths:
            cells = [tuple(map(int, cell)) for cell in np.array(divmod(start, 9)) + steps[:length]]
            if any(not (0 <= r < 7 and 0 <= c < 9) or (land.burnable[r, c] and not breaks[r, c]
                                                     and not land.treatable[r, c])
                   for r, c in cells):
                continue
            new = [cell for cell in cells if available[cell]]
            price = sum(float(land.cost[cell]) for cell in new)
            if cells[-1] not in new or price > 4.0:
                continue
            inner = sum(flow[(STEP_OF[to], *cell)] for cell in new for other in new
                        if (to := (other[0] - cell[0], other[1] - cell[1])) in STEP_OF)
            expected[start, length] = (sum(own[cell] for cell in new) - inner, price)
    found = {(int(s), int(n)): (g, p) for s, n, g, p in
             zip(lines.start, lines.length, lines.gain, lines.price, strict=True)}
    assert found.keys() == expected.keys()
    for key, pair in expected.items():
        assert found[key] == pytest.approx(pair)


@settings(max_examples=30, deadline=None)
@given(case=cases(most_side=10), seed=st.integers(0, 99))
def test_fires_that_a_line_does_not_change_are_told_from_the_others(case: Case, seed: int) -> None:
    rng = np.random.default_rng(seed)
    problem = problem_on(case, case.fires, case.fires.first(1))
    slots = ProblemBatch(sizes_for(problem.scene, 1, case.fires.source.size, 1))
    slots.load(0, problem)
    for cell in np.flatnonzero(case.breaks)[:3].tolist():
        slots.place(0, cell)
    slots.update(np.zeros(1, np.int64), fresh=True)
    free = np.flatnonzero(slots.available[0])
    if free.size == 0:
        return
    cells = rng.choice(free, min(3, free.size), replace=False)
    changed = slots.depending_on(0, cells)
    after = slots.breaks[0].copy()
    after.ravel()[cells] = True
    new = burn_field(problem.scene.field, case.fires, case.value, after).loss
    assert (new[changed == 0] == slots.plan_trees(0).loss[changed == 0]).all()


@pytest.mark.parametrize("conditions", BREAKS.values())
def test_the_line_that_saves_most_per_cost_of_those_tried_comes_first(
        conditions: FireConditions, monkeypatch: pytest.MonkeyPatch) -> None:
    land = generate(8, 14)
    cost = np.random.default_rng(3).uniform(0.5, 2.0, land.shape).astype(np.float32)
    scene = make_scene(replace(land, cost=cost), conditions, 1)
    fires = scene.fires("plan", 30)
    tried: list[line_greedy.Trial] = []
    try_lines = line_greedy.try_lines

    def remember(*args: object) -> list[line_greedy.Trial]:
        trials = try_lines(*args)  # type: ignore[arg-type]
        if not args[1].breaks.any():  # type: ignore[attr-defined]
            tried.extend(trials)
        return trials

    monkeypatch.setattr(line_greedy, "try_lines", remember)
    cells = make_plan(scene, 0.08, 30, "segments", seed=0).cells
    before = burn(scene, fires).loss.mean()
    assert len({trial.cells.size for trial in tried}) > 3
    for trial in tried[::8]:
        breaks = np.zeros(land.shape, bool)
        breaks.ravel()[trial.cells] = True
        saved = before - burn(scene, fires, breaks).loss.mean()
        price = cost.ravel()[trial.cells].astype(float).sum()
        assert trial.saved_per_cost == pytest.approx(saved / price, rel=1e-5, abs=1e-7)
    best = max(tried, key=lambda trial: trial.saved_per_cost)
    assert cells[:best.cells.size].tolist() == best.cells.tolist()


def test_large_maps_burn_fewer_lines() -> None:
    rng = np.random.default_rng(0)
    count = 4000
    lines = line_greedy.Lines(rng.integers(8, size=count), np.arange(count),
                           rng.choice(LENGTHS[:5], count), rng.random(count), np.ones(count))
    few, many = (line_greedy._shortlist(lines, LENGTHS[:5], cells) for cells in (40_000, 400))
    assert many.size == 5 * 8 * line_greedy.BURNED_PER_DIRECTION
    assert few.size == 5 * (line_greedy.MIN_BURNED // 5)
    for listed in (few, many):
        for length in LENGTHS[:5]:
            own = np.flatnonzero(lines.length == length)
            assert own[lines.gain[own].argmax()] in listed


def test_a_batch_places_lines_that_lie_apart() -> None:
    best_first = [np.array([cell]) for cell in (3, 9, 1, 6)]

    def chosen(most_cells: int) -> list[list[int]]:
        return [line.tolist() for line in spaced_lines([line_list(best_first)], most_cells,
                                                         (1, 10))]

    assert chosen(1) == [[3]]
    assert chosen(2) == [[3], [9]]
    # 1 is two cells from 3, 6 three from both.
    assert chosen(4) == [[3], [9], [6]]


def test_cells_of_a_line_lie_where_its_steps_say() -> None:
    lines = line_greedy.Lines(np.array([0]), np.array([8]), np.array([3]), np.zeros(1), np.ones(1))
    assert lines.cells(0, [line_steps((1, -2), 4, joined=False)], 10).tolist() == [8, 17, 16]
