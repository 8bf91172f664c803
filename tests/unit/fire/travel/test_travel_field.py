"""Travel fields: which ways are open in each cell, against the definition written out."""

import math

import numpy as np
import pytest

from firebreak.checks import InputError
from firebreak.fire.travel.breaks import _around
from firebreak.fire.travel.kernels import RATE_GATE
from firebreak.fire.travel.stencil import FACETS, REACH, STENCIL, STEPS
from firebreak.fire.travel.travel_field import (
    Ellipse,
    TravelField,
    field_from_ellipse,
    in_streams,
    padded_cells,
    padded_width,
)

SHAPE = (14, 11)
ENDING = [[s for s in range(FACETS) if k in STENCIL.facets[s].tolist()] for k in range(STEPS)]


def field_of(seed: int, roughness: float) -> TravelField:
    """Two rows of weather on a map with holes: round ellipses and long ones, in all directions."""
    rng = np.random.default_rng(seed)
    head = rng.lognormal(1.0, roughness, (2, *SHAPE))
    flank = head / np.array([1.2, 5.0])[:, None, None]
    ellipse = Ellipse(head, flank**2 / head, flank, rng.uniform(0.0, 360.0, (2, *SHAPE)))
    return field_from_ellipse(ellipse, rng.random(SHAPE) > 0.1, 30.0,
                              rng.uniform(0.0, 0.5, SHAPE), rng.uniform(0.0, 360.0, SHAPE))


def blunt(metric: np.ndarray, a: int, b: int) -> bool:
    """Is the angle at step a towards step b, in the ellipse's own measure, above a right one?"""
    m11, m12, m22, w_east, w_north = (float(x) for x in metric)
    (south_a, east_a), (south_b, east_b) = STENCIL.steps[a].tolist(), STENCIL.steps[b].tolist()
    east, north = float(-east_a), float(south_a)
    to_east, to_north = m11 * east + m12 * north, m12 * east + m22 * north
    norm = math.sqrt(east * to_east + north * to_north)
    return (to_east / norm - w_east) * -east_b + (to_north / norm - w_north) * south_b < 0.0


def crossable(field: TravelField, row: int, cell: int, crossed: np.ndarray) -> bool:
    """Do all cells that a way crosses burn, about as fast as the one that it leads into?"""
    places = cell + crossed @ [padded_width(field.shape[1]), 1]
    rates = field.rate[row, places] / field.rate[row, cell]
    return bool(field.burnable[places].all() and (rates <= RATE_GATE * (1 + 1e-6)).all()
                and (rates >= (1 - 1e-6) / RATE_GATE).all())


def open_here(field: TravelField, row: int, cell: int) -> tuple[int, int]:
    """(segments, single steps) as bits."""
    metric, blunts, ends, facets = field.metric[row, cell], set(), set(), 0
    for s, (a, b) in enumerate(STENCIL.facets.tolist()):
        if STENCIL.parent[s] >= 0 and STENCIL.parent[s] not in blunts:
            continue
        if blunt(metric, a, b) or blunt(metric, b, a):
            blunts.add(s)
        ends |= {a, b}
        if crossable(field, row, cell, STENCIL.facet_crosses[s, :STENCIL.facet_cross_count[s]]):
            facets |= 1 << s
    south, east = padded_width(field.shape[1]), 1
    steps = 0
    for step, (down, right) in enumerate(STENCIL.steps.tolist()):
        if step < 8:
            free = down == 0 or right == 0 or (
                field.burnable[cell + down * south] or field.burnable[cell + right * east])
        else:
            free = step in ends and crossable(
                field, row, cell, STENCIL.step_crosses[step, :STENCIL.step_cross_count[step]])
        steps |= int(free) << step
    return facets, steps


@pytest.mark.parametrize(("seed", "roughness"), [(0, 0.0), (1, 0.1), (2, 1.0)])
def test_ways_are_open_where_the_ring_must_be_finer_and_nothing_slower_is_crossed(
        seed, roughness) -> None:
    field = field_of(seed, roughness)
    for row in range(2):
        for cell in np.flatnonzero(field.burnable).tolist():
            assert (int(field.facets[row, cell]), int(field.accepts[row, cell])) == open_here(
                field, row, cell)
    assert (field.accepts[:, ~field.burnable] == 0).all()
    assert (field.facets[:, ~field.burnable] == 0).all()
    assert roughness > 0.5 or (field.accepts >> 8).any()


@pytest.mark.parametrize(("layer", "value"), [
    ("head", np.nan), ("back", -1.0), ("flank", np.inf), ("heading_deg", np.nan),
    ("slope_tan", -0.5), ("slope_tan", 20_000.0), ("aspect_deg", np.inf)])
def test_what_no_fire_burns_with_is_named_with_its_number(layer, value) -> None:
    grids = {name: np.ones((2, *SHAPE)) for name in Ellipse._fields}
    ground = {name: np.ones(SHAPE) for name in ("slope_tan", "aspect_deg")}
    (grids | ground)[layer][..., 3, 4] = value
    with pytest.raises(InputError, match=rf"finite {layer}.* got {value:g} in [12] of"):
        field_from_ellipse(Ellipse(**grids), np.ones(SHAPE, np.bool_), 30.0, **ground)


@pytest.mark.parametrize("steps", [1, 2])
def test_what_a_cell_sends_is_what_others_accept_from_it(steps) -> None:
    field = in_streams(field_of(3, 0.0), steps, 30.0)
    offset = STENCIL.steps @ [padded_width(field.shape[1]), 1]
    sends, far = np.zeros_like(field.sends), np.zeros_like(field.sends)
    for row in range(2):
        for child in np.flatnonzero(field.burnable).tolist():
            for step in range(STEPS):
                bit, by = np.uint32(1 << step), child + offset[step]
                ending = [s for s in ENDING[step] if int(field.facets[row, child]) >> s & 1]
                single = field.accepts[row, child] & bit != 0
                sends[row, by] |= bit if single or ending else 0
                far[row, by] |= bit if (single and step >= 8) or any(s >= 8 for s in ending) else 0
    inside = np.zeros(field.burnable.size, bool).reshape(-1, padded_width(field.shape[1]))
    inside[3:-3, 3:-3] = True
    assert np.array_equal(field.sends, sends * inside.reshape(-1))
    assert np.array_equal(field.sends_far, far * inside.reshape(-1))
    assert field.sends_far.any()


@pytest.mark.parametrize("reach", [REACH, 2 * REACH])
def test_cells_around_breaks_are_those_of_the_map_within_reach(reach: int) -> None:
    rng = np.random.default_rng(reach)
    for _ in range(100):
        shape = rows, cols = tuple(rng.integers(1, 14, 2).tolist())
        some = rng.integers(0, rows * cols, rng.integers(1, 5))
        apart = [np.abs(np.stack(np.divmod(some, cols)) - np.array([[row], [col]])).max(axis=0)
                 for row, col in np.ndindex(rows, cols)]
        near = np.flatnonzero([own.min() <= reach for own in apart])
        np.testing.assert_array_equal(_around(padded_cells(some, cols), reach, shape),
                                      padded_cells(near, cols))
