"""Rules of plans that are built of corridors, where several corridors come as one, and where one
that others cross or join goes.
"""

from dataclasses import replace

import numpy as np
import pytest
from scipy import ndimage

from firebreak.env.storage.problem import problem_of
from firebreak.fire import FireConditions, make_scene
from firebreak.landscape.candidates.corridor import Anchor, Cells, Corridor, corridor_of
from firebreak.landscape.landscape import mask_of_cells
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.barriers.enclose import of_corridors
from firebreak.planning.core import build_rules
from firebreak.planning.core.break_segments import CORNERS
from firebreak.planning.core.build_rules import BuildRules
from firebreak.planning.core.corridors import Corridors
from firebreak.planning.core.limits import Effort, SearchOptions
from firebreak.planning.core.rules import PlanRules
from firebreak.planning.making import make_plan
from firebreak.planning.methods import METHODS
from firebreak.planning.patterns.offered import offered
from firebreak.planning.search.moves import move_lines
from firebreak.planning.search.plan_state import PlanState
from untrained import fitting, untrained

SIZE, FIRES = 24, 24
GRASS = np.full((SIZE, SIZE), 102, np.int16)
LAND = replace(generate(5, SIZE, cell_size_m=30.0), fuel_model=GRASS,
               treatable=np.ones(GRASS.shape, np.bool_))
NOTHING = np.zeros(LAND.shape, np.bool_)
CHOOSING = [name for name, own in METHODS.items() if own.takes_lines or own.rates_lines]


def line(row: int, col: int, count: int, down: int = 0, right: int = 1,
         kind: str = "route") -> Corridor:
    at = np.arange(count)
    path = (row + down * at) * SIZE + col + right * at
    return corridor_of(path, LAND, kind, tuple(Anchor(int(end), "rim") for end in path[[0, -1]]))


def corridors(*own: Corridor, line: tuple[int, ...] | None = None,
              pairs: tuple[tuple[int, int], ...] = ()) -> Corridors:
    return Corridors(corridors=own, line=tuple(range(len(own))) if line is None else line,
                     pairs=pairs, only=True, routes=True)


def allowed(lines: Corridors, *built: Corridor) -> list[list[int]]:
    """The runs that may come next, ascending cells."""
    rules = BuildRules(lines, LAND)
    there = mask_of_cells(np.concatenate([np.empty(0, np.int64), *(own.cells for own in built)]),
                          LAND.shape)
    may = rules.allow(there, [run[~there.ravel()[run]] for run in rules.runs])
    return [sorted(run.tolist()) for run, ok in zip(rules.runs, may, strict=True) if ok]


def union(*own: Corridor) -> list[int]:
    return np.unique(np.concatenate([one.cells for one in own])).tolist()


def test_a_pair_is_no_way_to_build_beside_what_is_built() -> None:
    there, beside, long = line(4, 2, 6), line(6, 2, 6), line(6, 2, 18, down=1, right=0)
    own = corridors(there, beside, long, pairs=((1, 2),))
    assert union(beside, long) in allowed(own)
    assert union(beside, long) not in allowed(own, there)
    assert long.cells.tolist() in allowed(own, there)


def test_what_is_mostly_built_may_be_ended_with_another() -> None:
    one, longer = line(4, 2, 14), line(4, 2, 18)
    other = line(4, 19, 16, down=1, right=0)
    own = corridors(one, longer, other, pairs=((1, 2),))
    assert union(longer, other) in allowed(own, one)


@pytest.mark.parametrize(("right", "count"), [(0, 1), (1, 0)])
def test_no_pair_is_offered_whose_routes_run_together(right: int, count: int) -> None:
    """Two from one anchor: square to one another, or one that turns off slowly."""
    one = line(2, 2, 18)
    path = np.concatenate([[2 * SIZE + 2], *([(3 + k) * SIZE + 2 + right * (4 * k + j)
                                              for j in range(4 if right else 1)]
                                             for k in range(4 if right else 18))])
    other = corridor_of(path, LAND, "route", tuple(Anchor(int(end), "") for end in path[[0, -1]]))
    found = offered([one, other], np.ones(LAND.shape), LAND)
    assert len(found.corridors) == 2
    assert len(found.pairs) == count


STRETCHES = tuple(line(row, col, 2, kind="cut") for row in (3, 11, 19) for col in (2, 10, 18))


def test_a_barrier_of_many_stretches_is_many_pieces() -> None:
    """Nine stretches of two cells on 1.6 ha, where five pieces are the most."""
    barrier = corridors(*STRETCHES, line=(0,) * 9)
    assert union(*STRETCHES) not in allowed(barrier)
    assert union(*STRETCHES[:4]) in allowed(barrier)
    most = max(own.size for own in of_corridors(barrier, LAND, 99.0))
    assert most == 10
    built = mask_of_cells(line(15, 2, 2).cells, LAND.shape)
    assert max(own.size for own in of_corridors(barrier, LAND, 99.0, built)) == 8


@pytest.mark.parametrize("seed", range(100))
def test_parts_join_as_they_do_on_a_map_of_all_of_them(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(3, 14, 2).tolist())
    narrow = rng.random(shape) < rng.uniform(0.0, 0.4)
    parts = [np.unique(rng.integers(0, narrow.size, rng.integers(1, 6)))
             for _ in range(rng.integers(2, 5))]
    stretch = ndimage.label(mask_of_cells(np.concatenate(parts), shape) | narrow, CORNERS)[0]
    own = [set(stretch.ravel()[part].tolist()) for part in parts]
    for _ in parts:  # as often as names may have to be handed on
        own = [mine.union(*(other for other in own if not mine.isdisjoint(other))) for mine in own]
    strips = ndimage.label(narrow, CORNERS)[0]
    together = {frozenset(cells.tolist()) for cells in build_rules._joined(parts, strips)}
    assert together == {
        frozenset(np.concatenate([part for part, other in zip(parts, own, strict=True)
                                  if other == mine]).tolist()) for mine in own}


@pytest.mark.parametrize("method", CHOOSING)
@pytest.mark.parametrize("seed", range(3))
def test_no_method_builds_more_pieces_than_may_be(
        method: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build_rules, "MORE_PIECES", 2)
    monkeypatch.setattr(build_rules, "HA_A_PIECE", 1000.0)
    rng = np.random.default_rng(seed)
    rows = [line(int(row), int(rng.integers(0, 8)), 14) for row in rng.permutation(SIZE)[:6]]
    every = corridors(*rows, *STRETCHES, line=(*range(6), *(6,) * 9))
    assert pieces(plan_of(every, method, 0.7)) <= 2


@pytest.mark.parametrize("method", CHOOSING)
@pytest.mark.parametrize("seed", range(2))
def test_no_corridor_is_left_with_a_hole(method: str, seed: int) -> None:
    """A search too, which takes corridors away that others cross."""
    rng = np.random.default_rng(seed)
    lines = corridors(*(line(int(k), int(rng.integers(0, 6)), 16) for k in range(1, SIZE, 5)),
                      *(line(int(rng.integers(0, 6)), int(k), 16, down=1, right=0)
                        for k in range(2, SIZE, 5)))
    built = np.isin(np.arange(GRASS.size), plan_of(lines, method, 0.5))
    whole = [own.cells for own in lines.corridors if built[own.cells].all()]
    assert built.any()
    assert built[np.setdiff1d(np.flatnonzero(built), np.concatenate(whole))].sum() == 0


def plan_of(lines: Corridors, method: str, share: float, batch: int | None = None) -> Cells:
    land = replace(LAND, treatable=lines.mask(LAND.shape))
    policy = fitting(method, untrained()) if METHODS[method].guided else None
    scene = make_scene(land, FireConditions(scenarios=2), 0)
    plan = make_plan(scene, share, FIRES, method, seed=0, policy=policy, batch=batch,
                     rules=PlanRules(lines=lines), search=SearchOptions(evaluations=250))
    assert plan.cost <= plan.budget
    return plan.cells


def pieces(cells: Cells) -> int:
    return int(ndimage.label(mask_of_cells(cells, LAND.shape), np.ones((3, 3)))[1])


def test_what_stays_takes_crossings_over_and_moves_make_no_more_pieces() -> None:
    across = line(8, 2, 18)
    down = [line(4, col, 14, down=1, right=0) for col in (4, 11, 18)]
    lines = corridors(across, *down)
    scene = make_scene(LAND, FireConditions(scenarios=2), 0)
    state = PlanState(problem_of(scene, 1.0, fires := scene.fires("plan", FIRES), fires.first(0)))
    built = [across.in_order().tolist(), *(
        own.in_order()[~np.isin(own.in_order(), across.cells)].tolist() for own in down)]
    for own in built:
        state.change([], own)
    rules = BuildRules(lines, LAND)
    kept = rules.with_crossings(built[1:], built[0], state.breaks())
    assert [sorted(own) for own in kept] == [own.cells.tolist() for own in down]
    seen = []

    def refill(gone: list[list[int]]) -> list[list[int]]:
        mask = state.breaks()
        seen.append(all(mask.ravel()[own.cells].all() or not mask.ravel()[own.cells[-3:]].any()
                        for own in down))
        state.evaluated += 1
        return []

    move_lines(state, built, refill, Effort(SearchOptions(evaluations=30)),
               np.random.default_rng(0), rules)
    assert len(seen) == 30
    assert all(seen)


def test_pieces_of_a_plan_beyond_those_that_may_be() -> None:
    rules = BuildRules(corridors(*STRETCHES), LAND)
    mask = mask_of_cells(np.array(union(*STRETCHES)), LAND.shape)
    assert rules.too_many(mask) == pytest.approx(9 - 5 - 18 * 0.09 / 5.0)
    assert rules.too_many(NOTHING) == 0.0
    free = BuildRules(replace(corridors(*STRETCHES), routes=False), LAND)
    assert free.too_many(mask) == 0.0
    assert free.with_crossings([[1]], [2], mask) == [[1]]


@pytest.mark.parametrize("method", CHOOSING)
@pytest.mark.parametrize("batch", [None, 60])
def test_no_route_runs_beside_another_by_any_method(method: str, batch: int | None) -> None:
    """Not in a round of many cells either."""
    lines = corridors(*(line(row, 2, 20) for row in range(2, 22)))
    rows = np.unique(plan_of(lines, method, 1.0, batch) // SIZE)
    assert rows.size > 1
    assert np.diff(rows).min() > 3
