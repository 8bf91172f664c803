"""Cells of cuts in order: each once, neighbours touching, parts that the budget buys."""

from dataclasses import replace

import numpy as np
import pytest

from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.barriers.cut import Cut
from firebreak.planning.barriers.pieces import (
    PIECE_CELLS,
    arcs,
    corridors_of,
    in_order,
    whole_cuts,
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


def test_rings_around_a_cell_are_left_out_of_cuts_but_not_what_closes_against_bare_ground() -> None:
    land = generate(3, COLS, cell_size_m=30.0)
    fuel = np.full(land.shape, 102)
    fuel[10, 10] = 98
    land = replace(land, fuel_model=fuel, treatable=fuel == 102)
    ring, beside, line = ([(3, 4), (4, 3), (4, 5), (5, 4)], [(9, 11), (8, 12)],
                          [(15, col) for col in range(2, 14)])
    cut = Cut(flat([*ring, *beside, *line]), 18.0, 0.0, np.zeros(land.shape, np.bool_))
    assert [part.cells.size for (*parts,) in whole_cuts([cut], land, leak=False)
            for part in parts] == [4, 2, 12]
    (kept,) = whole_cuts([cut], land, leak=False, least_m=300.0)
    assert [part.cells.tolist() for part in kept] == [flat(beside).tolist(), flat(line).tolist()]
