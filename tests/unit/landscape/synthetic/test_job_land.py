"""Drawn parts, breaks that stand, and costs: on treatable cells, as large as they say."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firebreak.landscape.synthetic.generate import generate
from firebreak.landscape.synthetic.job_land import (
    LEAST_PART,
    MOST_EXISTING,
    _course,
    draw_existing,
    draw_part,
    draw_value,
    slope_costs,
)

SEEDS = st.integers(0, 10_000)


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.sampled_from([6, 15, 40]))
def test_a_part_is_treatable_and_large_enough_and_seldom_all(seed: int, size: int) -> None:
    land = generate(seed, size)
    part = draw_part(np.random.default_rng(seed), land)
    assert not (part & ~land.treatable).any()
    assert part.sum() >= LEAST_PART * land.treatable.sum()
    assert np.array_equal(part, draw_part(np.random.default_rng(seed), land))


def test_parts_leave_most_of_the_map_and_are_of_all_kinds() -> None:
    land = generate(4, 40)
    shares = [draw_part(np.random.default_rng(seed), land).sum() / land.treatable.sum()
              for seed in range(40)]
    assert 0.1 < np.median(shares) < 0.4
    assert max(shares) < 0.7
    assert np.ptp(shares) > 0.1


def test_a_ring_lies_around_the_cell_worth_most() -> None:
    land = generate(4, 40)
    land = replace(land, value=draw_value(np.random.default_rng(1), land.shape))
    row, col = np.unravel_index(int(np.where(land.burnable, land.value, 0).argmax()), land.shape)
    rings = 0
    for seed in range(40):
        part = draw_part(np.random.default_rng(seed), land)
        rows, cols = np.nonzero(part)
        away = np.hypot(rows - row, cols - col)
        inside = land.treatable.copy()
        r, c = np.indices(land.shape)
        inside &= (np.hypot(r - row, c - col) >= away.min()) & (
            np.hypot(r - row, c - col) <= away.max())
        rings += np.array_equal(part, inside) and away.max() < 20
    assert 5 <= rings <= 22  # a third, but for those so wide that they are discs


def test_ridges_are_high_and_roads_gentle() -> None:
    high, gentle = [], []
    for seed in range(12):
        land = generate(seed, 40, family="ridges")
        for kind, grid, found in (("ridge", land.elevation_m, high),
                                  ("road", land.slope_tan, gentle)):
            line = _course(np.random.default_rng(seed), land, kind)  # type: ignore[arg-type]
            assert (np.abs(np.diff(line, axis=0)).sum(axis=1) == 1).all()
            found.append(float(grid[line[:, 0], line[:, 1]].mean() - grid.mean()) / grid.std())
    assert np.mean(high) > 0.5
    assert np.mean(gentle) < -0.2


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.sampled_from([6, 15, 40]))
def test_existing_breaks_lie_on_a_tenth_of_the_treatable_cells_at_most(
        seed: int, size: int) -> None:
    land = generate(seed, size)
    cells = draw_existing(np.random.default_rng(seed), land)
    assert land.treatable.ravel()[cells].all()
    assert cells.size <= MOST_EXISTING * land.treatable.sum()
    assert (np.diff(cells) > 0).all()


def test_slopes_raise_the_cost_of_a_cell() -> None:
    land = generate(1, 20, family="ridges")
    costs = slope_costs(land, 2.0)
    assert costs == pytest.approx(land.cost * (1.0 + 2.0 * land.slope_tan))
    assert np.ptp(costs) > 0.1
