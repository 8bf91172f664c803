"""The ring of directions against its definition, worked out a second time in whole numbers."""

from math import gcd

import numpy as np
import pytest

from firebreak.fire.travel.stencil import FACET_CODE, NEIGHBOURS, REACH, STENCIL, UNBURNED
from reference import FACETS, STEPS, crossed_by_segment, crossed_by_step


def test_the_first_eight_steps_are_the_neighbours_clockwise_from_north() -> None:
    assert tuple(STEPS[:8]) == NEIGHBOURS
    assert NEIGHBOURS[0] == (-1, 0)
    assert NEIGHBOURS[2] == (0, 1)


def test_steps_are_different_directions_within_reach() -> None:
    assert len(set(STEPS)) == 32
    assert all(gcd(*step) == 1 for step in STEPS)
    assert max(max(abs(r), abs(c)) for r, c in STEPS) == REACH


def test_the_ring_looks_the_same_turned_and_mirrored() -> None:
    assert {(-c, r) for r, c in STEPS} == set(STEPS)
    assert {(r, -c) for r, c in STEPS} == set(STEPS)
    pairs = {frozenset((STEPS[a], STEPS[b])) for a, b in FACETS}
    assert {frozenset((r, -c) for r, c in pair) for pair in pairs} == pairs


def test_every_segment_spans_half_a_cell() -> None:
    areas = {abs(STEPS[a][0] * STEPS[b][1] - STEPS[a][1] * STEPS[b][0]) for a, b in FACETS}
    assert areas == {1}


def test_halves_meet_at_the_sum_of_their_parents_ends() -> None:
    for parent in range(len(FACETS)):
        halves = np.flatnonzero(STENCIL.parent == parent)
        assert halves.size == (2 if parent < 24 else 0)
        if halves.size:
            a, b = FACETS[parent]
            (first, middle), (again, last) = (FACETS[h] for h in halves)
            assert (first, last, middle) == (a, b, again)
            assert STEPS[middle] == (STEPS[a][0] + STEPS[b][0], STEPS[a][1] + STEPS[b][1])


def test_touching_lists_the_segments_that_end_at_a_step() -> None:
    for step, bits in enumerate(STENCIL.touching.tolist()):
        assert {s for s in range(56) if bits >> s & 1} == {
            s for s, ends in enumerate(FACETS) if step in ends}


@pytest.mark.parametrize("step", range(8, 32))
def test_a_long_step_crosses_every_cell_it_touches(step: int) -> None:
    listed = STENCIL.step_crosses[step, :STENCIL.step_cross_count[step]]
    assert {tuple(cell) for cell in listed.tolist()} == crossed_by_step(STEPS[step])


@pytest.mark.parametrize("segment", range(8, 56))
def test_a_long_segment_crosses_the_cells_under_its_triangle(segment: int) -> None:
    listed = STENCIL.facet_crosses[segment, :STENCIL.facet_cross_count[segment]]
    assert {tuple(cell) for cell in listed.tolist()} == crossed_by_segment(segment)


def test_unit_steps_and_segments_cross_nothing() -> None:
    assert not STENCIL.step_cross_count[:8].any()
    assert not STENCIL.facet_cross_count[:8].any()


def test_parent_codes_fit_a_byte_beside_the_two_marks() -> None:
    assert FACET_CODE + len(FACETS) - 1 < 254 < UNBURNED == 255
