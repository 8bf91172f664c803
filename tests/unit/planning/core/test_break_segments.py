"""Short pieces that close a gap against a barrier, held against a slow search for a way around."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firebreak.planning.core.break_segments import closes_gap, least_length_m, pieces


def drawn(*rows: str) -> tuple[np.ndarray, np.ndarray]:
    """Flat cells of the piece, o, and the burnable cells: # is a barrier."""
    signs = np.array([list(row) for row in rows])
    return np.flatnonzero(signs == "o"), signs != "#"


@pytest.mark.parametrize(("rows", "leak", "closes"), [
    ((".....", ".....", "..o..", ".....", "....."), False, False),
    (("..#..", "..#..", "..o..", "..#..", "..#.."), False, True),
    (("..#..", "..#..", "..o..", ".....", "....."), False, False),
    ((".....", ".#...", "..o..", "...#.", "....."), False, True),
    ((".....", ".#...", "..o..", "...#.", "....."), True, False),
    (("#....", ".....", ".oo..", "....#", "....."), False, False),
    ((".....", "#....", ".oo..", "...#.", "....."), False, True),
    # The pocket in the corner is already cut off: the piece closes nothing.
    (("..#..", "##...", "..o..", ".....", "....."), False, False),
    # The map's edge is no barrier.
    (("..o..", "..#..", "..#.."), False, False),
    (("o#", ".."), False, False)])
def test_a_piece_closes_a_gap(rows: tuple[str, ...], leak: bool, closes: bool) -> None:
    piece, burnable = drawn(*rows)
    assert closes_gap(piece, burnable, leak=leak) == closes


def slowly(piece: np.ndarray, burnable: np.ndarray, leak: bool) -> bool:
    """Whether fire beside the piece cannot walk around it on the cells that touch it."""
    steps = [(0, 1), (1, 0), (0, -1), (-1, 0)]
    steps += [(1, 1), (1, -1), (-1, 1), (-1, -1)] if leak else []
    own = {divmod(int(cell), burnable.shape[1]) for cell in piece}
    ring = {(row + down, col + right) for row, col in own for down in (-1, 0, 1)
            for right in (-1, 0, 1)} - own
    ring = {(row, col) for row, col in ring
            if not (0 <= row < burnable.shape[0] and 0 <= col < burnable.shape[1])
            or burnable[row, col]}
    beside = {(row + down, col + right) for row, col in own for down, right in steps} & ring
    if not beside:
        return False
    reached, waiting = set(), [min(beside)]
    while waiting:
        row, col = waiting.pop()
        if (row, col) in ring - reached:
            reached.add((row, col))
            waiting += [(row + down, col + right) for down, right in steps]
    return not beside <= reached


@pytest.mark.slow
@given(st.integers(0, 2**32 - 1), st.booleans())
@settings(max_examples=300, deadline=None)
def test_it_is_that_fire_cannot_walk_around(seed: int, leak: bool) -> None:
    rng = np.random.default_rng(seed)
    burnable = rng.random((7, 8)) > 0.3
    mask = burnable & (rng.random((7, 8)) < 0.2)
    for piece in pieces(mask):
        assert closes_gap(piece, burnable, leak=leak) == slowly(piece, burnable, leak)


@pytest.mark.parametrize(("cell_m", "least_m"), [(20.0, 60.0), (30.0, 90.0), (40.0, 100.0),
                                                 (90.0, 180.0), (100.0, 200.0)])
def test_a_piece_is_worth_the_way_from_100_m_or_two_to_three_cells(cell_m: float,
                                                                   least_m: float) -> None:
    assert least_length_m(cell_m) == least_m
