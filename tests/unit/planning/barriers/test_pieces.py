"""Cells of cuts in order: each once, neighbours touching, parts that the budget buys."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from scipy import ndimage

from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.barriers.cut import Cut
from firebreak.planning.barriers.pieces import (
    PIECE_CELLS,
    arcs,
    corridors_of,
    in_order,
    whole_cuts,
    without_loops,
)

COLS = 20
RING = [(3, 5), (3, 6), (4, 7), (5, 8), (6, 8), (7, 7), (8, 6), (8, 5), (7, 4), (6, 3), (5, 3),
        (4, 4)]
LINE = [(12, 2), (12, 3), (13, 4), (14, 5), (14, 6)]
STAIRS = [(1, 1), (1, 2), (2, 2), (2, 3), (3, 3), (3, 4)]


def flat(places: list[tuple[int, int]]) -> np.ndarray:
    return np.sort(np.array([row * COLS + col for row, col in places], np.int64))


def touch(one: int, other: int, *, leak: bool) -> bool:
    down, right = abs(one // COLS - other // COLS), abs(one % COLS - other % COLS)
    return down + right == 1 if leak else max(down, right) == 1


@pytest.mark.parametrize(("places", "leak"), [(RING, False), (LINE, False), (STAIRS, True),
                                              (RING + LINE, False), (STAIRS, False)])
def test_paths_have_each_cell_once_and_neighbours_touch(places: list[tuple[int, int]],
                                                        leak: bool) -> None:
    cells = flat(places)
    paths = in_order(cells, (COLS, COLS), leak=leak)
    assert np.array_equal(np.sort(np.concatenate(paths)), cells)
    for path in paths:
        assert all(touch(one, other, leak=leak)
                   for one, other in zip(path.tolist(), path[1:].tolist(), strict=False))


def test_a_ring_is_one_path_around_it_and_a_line_one_from_end_to_end() -> None:
    (ring,) = in_order(flat(RING), (COLS, COLS), leak=False)
    assert touch(int(ring[0]), int(ring[-1]), leak=False)
    (line,) = in_order(flat(LINE), (COLS, COLS), leak=False)
    assert line.tolist() in (flat(LINE).tolist(), flat(LINE)[::-1].tolist())


def test_a_path_follows_on_the_nearest_end() -> None:
    far = [(18, 18), (18, 19)]
    first, second, third = in_order(flat([(0, 0), (0, 1), *far, (0, 4), (0, 5)]), (COLS, COLS),
                                    leak=False)
    assert [path.tolist() for path in (first, second)] == [[1, 0], [4, 5]] or [
        path.tolist() for path in (first, second)] == [[0, 1], [4, 5]]
    assert sorted(third.tolist()) == flat(far).tolist()


def cut_with(places: list[tuple[int, int]]) -> Cut:
    return Cut(flat(places), float(len(places)), 0.0, np.zeros((COLS, COLS), np.bool_))


def test_arcs_are_as_long_as_the_budget_buys_and_go_round() -> None:
    land = generate(2, COLS)
    found = arcs(cut_with(RING), land, 5.0, leak=False)
    assert {arc.size for arc in found} == {5}
    assert len(found) == len(RING)
    for arc in found:
        assert all(touch(one, other, leak=False)
                   for one, other in zip(arc.tolist(), arc[1:].tolist(), strict=False))
    whole = arcs(cut_with(RING), land, 99.0, leak=False)
    assert all(np.array_equal(np.sort(arc), flat(RING)) for arc in whole)


def test_corridors_of_a_cut_are_short_and_a_shared_piece_comes_once() -> None:
    land = generate(2, COLS)
    found = corridors_of([cut_with(RING), cut_with(RING + LINE)], land, leak=False)
    assert found is not None
    own = [corridor for corridor, line in zip(found.corridors, found.line, strict=True)
           if line == 0]
    assert len(own) == 2
    assert all(corridor.path.size <= PIECE_CELLS for corridor in found.corridors)
    assert {corridor.kind for corridor in found.corridors} == {"cut"}
    assert len(found.corridors) == len({corridor.path.tobytes() for corridor in found.corridors})
    assert corridors_of([], land, leak=False) is None


STRAIGHT, LOOP = [(10, col) for col in range(COLS)], [(9, 5), (8, 6), (9, 7)]


@pytest.mark.parametrize(("house", "kept"), [(None, STRAIGHT), ((9, 6), STRAIGHT + LOOP)])
def test_loops_are_left_out_of_cuts_but_not_around_houses(house: tuple[int, int] | None,
                                                          kept: list[tuple[int, int]]) -> None:
    value = np.zeros((COLS, COLS))
    value[15, 15] = value[house or (15, 15)] = 1.0
    land = replace(generate(3, COLS), value=value, fuel_model=np.full((COLS, COLS), 102),
                   treatable=np.ones((COLS, COLS), np.bool_))
    around = [(3, 5), (4, 4), (4, 6), (5, 5)]
    cut = exposing(STRAIGHT + LOOP + around, [(19, 0), (9, 6), (4, 5)])
    assert without_loops(cut, land, leak=False).tolist() == flat(kept).tolist()
    (parts,) = whole_cuts([cut, cut], land, leak=False)
    assert np.concatenate([part.cells for part in parts]).size == len(kept)


def test_a_short_part_of_a_barrier_is_a_gap_beside_bare_ground_and_else_left_out() -> None:
    fuel = np.full((COLS, COLS), 102, np.int16)
    fuel[10, 4:9] = 91
    fuel[:8, 17] = fuel[13:, 17] = 91  # a barrier with a gap
    land = replace(generate(3, COLS, cell_size_m=30.0), fuel_model=fuel, treatable=fuel == 102)
    shut = [(3, 5), (4, 4), (4, 6), (5, 5)]
    long = [(10, col) for col in (*range(4), *range(9, 14))]
    gap = [(row, 17) for row in range(8, 13)]
    cut = exposing(long + gap + shut, [(19, 0), (4, 5)])
    for least_m, kinds in ((0.0, [("cut", 4), ("cut", 5), ("cut", 9)]),
                           (200.0, [("cut", 9), ("gap", 5)])):
        (parts,) = whole_cuts([cut], land, leak=False, least_m=least_m)
        assert sorted((part.kind, part.cells.size) for part in parts) == kinds


def exposing(places: list[tuple[int, int]], starts: list[tuple[int, int]]) -> Cut:
    """Cells, and the ground that fire reaches from some places where it passes no corner."""
    free = np.ones((COLS, COLS), np.bool_)
    free.ravel()[flat(places)] = False
    number = ndimage.label(free)[0]
    exposed = np.isin(number, [number[place] for place in starts])
    return cut_with(places)._replace(exposed=exposed)


def test_a_long_barrier_takes_no_more_room_than_its_map() -> None:
    side = 1200
    mask = np.zeros((side, side), np.bool_)
    mask[[10, -10], 10:-9] = mask[10:-9, [10, -10]] = True
    tracemalloc.start()
    (ring,) = in_order(np.flatnonzero(mask), mask.shape, leak=True)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert ring.size == np.count_nonzero(mask)
    assert peak < 30 * mask.size


def test_paths_of_a_map_of_one_column_or_row_are_whole() -> None:
    for shape in ((5, 1), (1, 5)):
        (path,) = in_order(np.arange(1, 4), shape, leak=False)
        assert path.tolist() in ([1, 2, 3], [3, 2, 1])
