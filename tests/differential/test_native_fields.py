"""Kernels of travel fields, breaks, observations and planning against those before them: the same
bits, whatever the numbers.
"""

import numpy as np
import pytest

from firebreak.agent import kernels as agent
from firebreak.agent.along_kernel import add_along
from firebreak.agent.line_values import _all_cells
from firebreak.env import kernels as env
from firebreak.env.actions import _LENGTHS, _PERIODS, _STEPS_BY_DIRECTION
from firebreak.env.line_action_kernel import allow_lines
from firebreak.env.storage.land_kernel import place_breaks, refresh_available
from firebreak.env.storage.observation_kernel import write_cells
from firebreak.fire.travel import kernels as travel
from firebreak.fire.travel import open_arcs_kernel
from firebreak.fire.travel.break_overlay_kernel import write_break
from firebreak.fire.travel.intensity_kernel import heat_per_speed
from firebreak.fire.travel.metric_kernel import fill_ground, fill_metric
from firebreak.fire.travel.stencil import FACET_CODE, FACETS, REACH, SPOT, STENCIL, UNBURNED
from firebreak.fire.travel.travel_field import edges_for, pad, padded_cells, padded_width
from firebreak.native_library import max_threads, set_threads
from firebreak.planning.core import kernels as planning
from firebreak.planning.core.spaced_lines_kernel import choose_spaced
from firebreak.planning.patterns.candidates import _STEP_INDEX
from firebreak.planning.patterns.line_kernel import score_lines
from firebreak.planning.patterns.row_kernel import lay_paths, path_steps
from firebreak.planning.ranking import tree_kernel
from strategies import random_case

ODD = np.array([np.nan, np.inf, -np.inf, -1.0, -0.0, 5e-324, 1e-30, 1e30, 1e300])


def assert_same(one: np.ndarray, other: np.ndarray) -> None:
    """The same bits; of numbers that are none, any."""
    assert (one.dtype, one.shape) == (other.dtype, other.shape)
    if one.dtype.kind == "f":
        nan = np.isnan(one)
        assert (nan == np.isnan(other)).all()
        assert (np.signbit(one) == np.signbit(other))[~nan].all()
        assert (one == other)[~nan].all()
    else:
        assert (one == other).all()


def both(old, new, arrays: list[np.ndarray]) -> list[np.ndarray]:
    """Runs both on copies of the arrays that they write; returns those of the first."""
    ours, theirs = ([array.copy() for array in arrays] for _ in range(2))
    old(*ours)
    new(*theirs)
    for one, other in zip(ours, theirs, strict=True):
        assert_same(one, other)
    return ours


def odd_numbers(rng: np.random.Generator, grid: np.ndarray, share: float) -> np.ndarray:
    """Some numbers that no map has."""
    where = rng.random(grid.shape) < share
    with np.errstate(over="ignore"):
        grid[where] = rng.choice(ODD, int(where.sum()))
    return grid


def ground_of(rng: np.random.Generator, shape: tuple[int, int], odd: float) -> np.ndarray:
    slope = odd_numbers(rng, np.abs(rng.normal(0.0, 0.3, shape)) * (rng.random(shape) < 0.7), odd)
    aspect = odd_numbers(rng, rng.uniform(-30.0, 400.0, shape), odd)
    count = np.empty(1, np.int64)

    def new(ground):
        travel.fill_ground(slope, aspect, ground, count)

    def old(ground):
        counts.append(fill_ground(slope, aspect, ground))

    counts: list[int] = []
    (ground,) = both(old, new, [np.zeros((3, *shape))])
    assert counts == count.tolist()
    return ground


@pytest.mark.parametrize("seed", range(40))
def test_travel_fields(seed: int) -> None:
    rng = np.random.default_rng(seed)
    set_threads(1 + seed % max_threads())
    shape = (1, 1) if seed == 0 else tuple(rng.integers(1, 45, 2).tolist())
    odd = (0.0, 0.02, 0.3)[seed % 3]
    case = random_case(rng, *shape, turning=90.0, unburnable=float(rng.choice([0.0, 0.1, 0.4])),
                       roughness=float(rng.choice([0.0, 0.2, 1.0])),
                       most_length_to_width=float(rng.choice([1.0, 8.0, 60.0])))
    ellipse = [odd_numbers(rng, np.ascontiguousarray(part), odd) for part in case.ellipse]
    ground, width = ground_of(rng, shape, odd), padded_width(shape[1])
    rows, cells = ellipse[0].shape[0], (shape[0] + 2 * REACH) * width
    count, counts = np.empty(1, np.int64), []

    def old(*out):
        counts.append(fill_metric(*ellipse, ground, case.burnable, 30.0, width, *out))

    metric, unit_time, rate = both(
        old, lambda *out: travel.fill_metric(*ellipse, ground, case.burnable, 30.0, width, *out,
                                             count),
        [np.zeros((rows, cells, 5), np.float32), np.full((rows, cells, 8), np.inf, np.float32),
         np.zeros((rows, cells), np.float32)])
    assert counts == count.tolist()

    metric[rng.random(metric.shape) < odd / 3] = np.nan
    metric[..., ::2][metric[..., ::2] == 0.0] = 1.0  # what is out of range is rejected before
    burnable, listed = pad(case.burnable), padded_cells(np.arange(case.burnable.size), shape[1])
    listed = rng.permutation(listed)[:rng.integers(1, listed.size + 1)] if seed % 4 else listed
    facets, accepts = both(
        lambda *out: open_arcs_kernel.open_arcs(listed, metric, rate, burnable, width, False, *out),
        lambda *out: travel.open_arcs(listed, metric, rate, burnable.view(np.uint8), width, *out),
        [np.zeros((rows, cells), np.uint64), np.zeros((rows, cells), np.uint32)])
    if seed % 5 == 4:
        facets = rng.integers(0, 2**56, facets.shape).astype(np.uint64)
        accepts = rng.integers(0, 2**32, accepts.shape).astype(np.uint32)
    both(lambda *out: open_arcs_kernel.reverse_arcs(listed, width, False, facets, accepts, *out),
         lambda *out: travel.reverse_arcs(listed, width, facets, accepts, *out),
         [np.zeros_like(accepts), np.zeros_like(accepts)])
    (edges,) = both(
        lambda out: open_arcs_kernel.join_edges(listed, unit_time, burnable, width, accepts, out),
        lambda out: travel.join_edges(listed, unit_time, burnable.view(np.uint8), width, accepts,
                                      out), [edges_for(rows, cells)])
    edges = odd_numbers(rng, edges, odd)
    both(lambda out: open_arcs_kernel.set_bucket_lengths(edges, width, out),
         lambda out: travel.set_bucket_lengths(edges, min(0.6, 22.0 / width), out),
         [np.zeros(rows)])
    heat = rng.normal(0.0, 0.4, (cells, 3)).astype(np.float32)
    intensity = odd_numbers(rng, rng.uniform(-10.0, 5000.0, cells), odd)
    metric[0, rng.random(cells) < 0.1, 3:] = 0.0
    both(lambda out: heat_per_speed(metric[0], out, intensity),
         lambda out: travel.heat_per_speed(metric[0], out, intensity), [heat])


@pytest.mark.parametrize("seed", range(30))
def test_breaks(seed: int) -> None:
    rng = np.random.default_rng(seed)
    slots, shape = int(rng.integers(1, 4)), tuple(rng.integers(1, 15, 2).tolist())
    maps = (slots, *shape)
    treatable, cost = rng.random(maps) < 0.8, rng.uniform(0.1, 2.0, maps).astype(np.float32)
    if seed % 3 == 0:
        cost = odd_numbers(rng, cost, 0.2)
    breaks, kinds = rng.random(maps) < 0.1, rng.integers(3, 6, slots).astype(np.uint8)
    state = pad(rng.integers(0, 6, maps).astype(np.uint8))
    count = int(rng.integers(0, 40))
    which = np.sort(rng.integers(0, slots, count)) if seed % 2 else rng.integers(0, slots, count)
    cells = rng.integers(0, shape[0] * shape[1], count)
    left = rng.choice([0.0, 1.0, 10.0, 1e9, np.nan], slots)
    out = [left, breaks, rng.random(maps) < 0.5, state, np.zeros(count, np.int64)]
    left, breaks, *_ = both(
        lambda *out: place_breaks(which, cells, kinds, treatable, cost, *out),
        lambda *out: env.place_breaks(which, cells, kinds, treatable, cost, *out), out)
    for slot in range(slots):
        both(lambda out, slot=slot: refresh_available(slot, treatable, cost, left, breaks, out),
             lambda out, slot=slot: env.refresh_available(slot, treatable, cost, left, breaks, out),
             [np.zeros(maps, np.bool_)])
        for _ in range(10):
            row, col = int(rng.integers(shape[0])), int(rng.integers(shape[1]))
            breaks[slot, row, col] ^= True
            (state[slot],) = both(
                lambda out, slot=slot, row=row, col=col: write_break(
                    row, col, kinds[slot], breaks[slot], out),
                lambda out, slot=slot, row=row, col=col: travel.write_break(
                    row, col, int(kinds[slot]), breaks[slot], out), [state[slot]])


@pytest.mark.parametrize("seed", range(40))
def test_masks_of_lines(seed: int) -> None:
    rng = np.random.default_rng(seed)
    maps, shape = int(rng.integers(1, 3)), tuple(rng.integers(1, 50, 2).tolist())
    stops = rng.uniform(0.0, 0.15)
    state = rng.choice(3, (maps, *shape), p=[stops, 0.1, 0.9 - stops]).astype(np.uint8)
    available = (state == env.PLACED) & (rng.random(state.shape) < 0.9)
    cost = rng.uniform(0.5, 1.5, state.shape)
    if seed % 5 == 0:
        cost = odd_numbers(rng, cost, 0.05)
    most = rng.choice([3.0, 20.0, 1e9, np.nan], maps)
    joined, clear = bool(seed % 2), np.zeros(shape, np.uint8)
    directions = _STEPS_BY_DIRECTION[joined], _LENGTHS, _PERIODS[joined]
    count = 1 + len(directions[0]) * len(_LENGTHS)
    both(lambda *out: allow_lines(state, available, cost, most, *directions, *out),
         lambda *out: env.allow_lines(state, available, cost, most, *directions, *out),
         [clear, np.zeros((maps, count, *shape), np.bool_)])


@pytest.mark.parametrize("seed", range(30))
def test_observations(seed: int) -> None:
    rng = np.random.default_rng(seed)
    slots, shape = int(rng.integers(1, 4)), tuple(rng.integers(1, 30, 2).tolist())
    free, breaks, available = (rng.random((slots, *shape)) < share for share in (0.8, 0.2, 0.5))
    fires = rng.integers(1, 50, slots)
    burned = pad(rng.integers(0, 51, (slots, *shape)))
    below = pad(rng.integers(-2 if seed % 3 == 0 else 0, 2**rng.integers(1, 50), burned.shape[:1]
                             + shape) * (rng.random((slots, *shape)) < 0.7))
    unit, usual = rng.choice([1.0, 1e-3, 2.0**30], slots), rng.choice([0.0, 0.1, 0.5], slots)
    which = rng.integers(0, slots, rng.integers(0, 4))
    both(lambda *out: write_cells(which, burned, below, unit, fires, usual, free, breaks, available,
                                  *out),
         lambda *out: env.write_cells(which, burned, below, unit, fires, usual, free, breaks,
                                      available, *out),
         [np.zeros(slots), rng.integers(0, 255, (slots, 6, *shape)).astype(np.uint8)])


@pytest.mark.parametrize("seed", range(30))
def test_lines_that_lie_apart(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, cols, lines = rng.integers(1, 30, 3).tolist()
    first = np.concatenate([[0], np.cumsum(rng.integers(0, 6, lines))])
    cells = rng.integers(0, rows * cols, first[-1])
    spacing, most = int(rng.integers(-1, 9)), int(rng.integers(0, 40))
    near = rng.random((rows, cols)) < (0.0 if seed % 2 else 0.05)
    both(lambda *out: choose_spaced(cells, first, most, spacing, *out),
         lambda *out: planning.choose_spaced(cells, first, most, spacing, *out),
         [near, rng.integers(0, 2, 1), np.zeros(lines, np.bool_)])


@pytest.mark.parametrize("seed", range(30))
def test_scores_of_lines(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(1, 40, 2).tolist())
    state = pad(rng.choice(3, shape, p=[0.02, 0.1, 0.88]).astype(np.uint8), env.STOPS)
    begin = np.flatnonzero(rng.random(shape[0] * shape[1]) < 0.5)
    cost, through = rng.uniform(0.1, 1.0, state.size), rng.uniform(0.0, 9.0, state.size)
    along = rng.uniform(0.0, 1.0, (32, state.size))
    if seed % 4 == 0:
        through, along = odd_numbers(rng, through, 0.01), odd_numbers(rng, along, 0.01)
    lengths = np.array([1, 2, 3, 4, 6, 8, 12, 16, 24][:rng.integers(1, 10)])
    for steps in _STEPS_BY_DIRECTION[bool(seed % 2)]:
        own = np.ascontiguousarray(steps[:lengths[-1]])
        lengths = lengths[lengths <= len(own)]
        given = (padded_cells(begin, shape[1]), own, lengths, state, cost,
                 float(rng.choice([1.0, 5.0, np.inf])), through, along, _STEP_INDEX,
                 own[:, 0] * padded_width(shape[1]) + own[:, 1])
        both(lambda *out, given=given: score_lines(*given, *out),
             lambda *out, given=given: planning.score_lines(*given, *out),
             [np.zeros((begin.size, lengths.size)), np.zeros((begin.size, lengths.size))])


@pytest.mark.parametrize("seed", range(30))
def test_rows(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cols, rows, bands, height = rng.integers(1, 25, 4).tolist()
    price = rng.choice([0.0, 0.02, 1.0, 50.0], (cols, rows)) * rng.uniform(0.5, 1.0, (cols, rows))
    if seed % 4 == 0:
        price = odd_numbers(rng, price, 0.05)
    first = rng.integers(-5, rows, (bands, 1)) + np.cumsum(rng.integers(-2, 3, (bands, cols)), 1)
    joined = bool(seed % 2)
    room = [np.zeros((bands, height)), np.zeros((2, height)),
            np.zeros((bands, cols, height), np.int32), np.zeros((bands, cols, height), np.int32)]
    *_, entered, came = both(lambda *out: lay_paths(price, first, joined, *out),
                             lambda *out: planning.lay_paths(price, first, joined, *out), room)
    for place in range(height):
        steps = np.zeros((int(rng.integers(0, 60)), 2), np.int64)
        count, counts = np.zeros(1, np.int64), []
        band = int(rng.integers(bands))
        both(lambda out, place=place, band=band, counts=counts: counts.append(
                 path_steps(place, entered[band], came[band], out)),
             lambda out, place=place, band=band, count=count: planning.path_steps(
                 place, entered[band], came[band], out, count), [steps])
        assert counts == count.tolist()


def random_trees(rng: np.random.Generator, fires: int, shape: tuple[int, int]) -> np.ndarray:
    """Parent codes u8 [F, P] without circles: parents burn before their children."""
    width = padded_width(shape[1])
    offset = STENCIL.steps[:, 0] * width + STENCIL.steps[:, 1]
    codes = np.full((fires, (shape[0] + 2 * REACH) * width), UNBURNED, np.uint8)
    inside = padded_cells(np.arange(shape[0] * shape[1]), shape[1])
    for code in codes:
        burned = np.zeros(code.size, np.bool_)
        for cell in rng.permutation(inside)[:rng.integers(1, inside.size + 1)]:
            open_ = burned[cell + offset]
            both_ends = open_[STENCIL.facets].all(axis=1)
            choices = np.concatenate([np.flatnonzero(open_),
                                      FACET_CODE + np.flatnonzero(both_ends)])
            code[cell] = rng.choice(choices) if choices.size else rng.integers(SPOT, UNBURNED)
            burned[cell] = True
    return codes


@pytest.mark.parametrize("seed", range(30))
def test_trees(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape, fires = tuple(rng.integers(1, 16, 2).tolist()), int(rng.integers(1, 5))
    codes = random_trees(rng, fires, shape)
    assert FACETS + FACET_CODE <= SPOT
    cells, width = codes.shape[1], padded_width(shape[1])
    value = odd_numbers(rng, rng.uniform(0.0, 3.0, cells), 0.0 if seed % 3 else 0.02)
    offset = STENCIL.steps[:, 0] * width + STENCIL.steps[:, 1]
    ints, seen = np.zeros((2, cells), np.int32), np.zeros(cells, np.uint8)
    both(lambda *out: tree_kernel.path_counts(codes, value, offset, *out),
         lambda *out: planning.path_counts(codes, value, offset, *out),
         [ints, seen, np.zeros((2, cells)), rng.uniform(0.0, 1.0, cells)])
    both(lambda *out: tree_kernel.flows(codes, value, offset, *out),
         lambda *out: planning.flows(codes, value, offset, *out),
         [ints, seen, np.zeros(cells), rng.uniform(0.0, 1.0, cells),
          rng.uniform(0.0, 1.0, (32, cells))])


@pytest.mark.parametrize("seed", range(10))
def test_sums_along_lines(seed: int) -> None:
    rng = np.random.default_rng(seed)
    steps, first = _all_cells()
    maps = rng.standard_normal((int(rng.integers(1, 3)), first.size - 1,
                                *rng.integers(1, 40, 2).tolist())).astype(np.float32)
    if seed % 2:
        maps = odd_numbers(rng, maps, 0.01)
    both(lambda out: add_along(maps, steps, first, out),
         lambda out: agent.add_along(maps, steps, first, out), [np.zeros_like(maps)])
