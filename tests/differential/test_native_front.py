"""The front in constant weather, and eight neighbours at a time, against what was before them: the
same bits, whatever the numbers are.
"""

from typing import Any

import numba
import numpy as np
import pytest
from firebreak.fire.solver.tables import Results
from firebreak.fire.travel.simd import lanes_after, lanes_final
from firebreak.fire.travel.simd_front import children_around, not_acute_around, pull_around

from break_cases import with_rules
from firebreak.fire.jobs import make_job, table_of
from firebreak.fire.solver import burn_kernel, kernels
from firebreak.fire.travel.travel_field import field_from_ellipse, padded_width
from native_probes import probe_neighbors, probe_order
from strategies import CELL_SIZE_M, Case, random_case

SIDES = ((1, 1), (1, 40), (33, 2), (8, 8), (21, 13), (50, 64))
ODD = np.array([0.0, -0.0, 1e-45, 1e-30, 1.0, 3e38, np.inf, -np.inf, np.nan, -1.0], np.float32)


def assert_same(ours: np.ndarray, theirs: np.ndarray) -> None:
    np.testing.assert_array_equal(np.ascontiguousarray(ours).view(np.uint8),
                                  np.ascontiguousarray(theirs).view(np.uint8))


def burned(kernel: Any, job: Any, arcs: Any, table: Any, width: int) -> Results:
    count, cells = table.row.size, job.cells
    results = Results(np.full((count, cells), 7.0), np.full((count, cells), 7, np.uint8),
                      np.full((count, cells), 7.0), np.full((count, cells), 7, np.uint8),
                      np.full(count, 7.0))
    kernel(np.arange(count), width, arcs, job.spots, job.rules, table, job.overlays, results,
           job.scratch)
    return results


def compare(case: Case, field: Any) -> int:
    """Burns all fires twice; returns how many cells burned."""
    job = make_job(field, case.value, case.breaks)
    table, width = table_of(job.field, case.fires), padded_width(case.burnable.shape[1])
    theirs = burned(burn_kernel.burn_many, job, job.arcs, table, width)
    ours = burned(kernels.burn_many, job, tuple(job.arcs)[:11], table, width)
    for one, other in zip(ours, theirs, strict=True):
        assert_same(one, other)
    # The scratch memory is clean again.
    assert np.isinf(job.scratch.time).all()
    assert not job.scratch.counts.any()
    assert not job.scratch.occupied.any()
    return int(np.isfinite(ours.arrival).sum())


def a_case(seed: int, sides: tuple[int, int]) -> Case:
    rng = np.random.default_rng(seed)
    case = random_case(rng, *sides, scenarios=2, fires=12, roughness=rng.choice([0.0, 0.2, 1.5]),
                       turning=rng.choice([0.0, 20.0, 120.0]),
                       unburnable=rng.choice([0.0, 0.1, 0.4]),
                       broken=rng.choice([0.0, 0.05, 0.3, 0.7]),
                       most_length_to_width=rng.choice([1.01, 3.0, 8.0, 40.0]))
    # From those that end at once, on a cell's own moment, to those that never do.
    durations = np.array([0.0, 1e-30, 1e-3, 1.0, 7.5, 60.0, 1e4, 1e30, 3.4e38, 1e300, np.inf, 20.0])
    return case._replace(fires=case.fires._replace(duration_min=rng.permutation(durations)))


@pytest.mark.parametrize("rules", ["hard", "leak", "narrow", "breach", "shaded"])
def test_fires_in_constant_weather_have_the_same_bits(rules: str) -> None:
    cells = 0
    for number, sides in enumerate(SIDES):
        for seed in range(12 if sides[0] < 50 else 3):
            case = a_case(100 * number + seed, sides)
            cells += compare(case, with_rules(case, "front", rules, seed))
    assert cells > 10_000


@pytest.mark.parametrize("slope", [0.0, 0.3, 4.0])
def test_fires_on_slopes_have_the_same_bits(slope: float) -> None:
    for seed in range(10):
        rng, case = np.random.default_rng(seed), a_case(seed, (30, 27))
        tangent = slope * rng.random(case.burnable.shape)
        aspect = rng.uniform(0.0, 360.0, case.burnable.shape)
        field = field_from_ellipse(case.ellipse, case.burnable, CELL_SIZE_M, "front", tangent,
                                   aspect)
        compare(case, field)


@pytest.mark.parametrize("share", [1e-6, 1e-2, 3.0, 1e3, 1e9])
def test_buckets_of_any_length_give_the_same_bits(share: float) -> None:
    for seed in range(6):
        case = a_case(seed, (20, 24))
        field = case.field()
        compare(case, field._replace(bucket_min=field.bucket_min * share))


def test_fires_whose_times_tie_have_the_same_bits() -> None:
    for seed in range(6):
        case = random_case(np.random.default_rng(seed), 25, 25, roughness=0.0, turning=0.0,
                           unburnable=0.0, broken=0.1 * (seed % 2), most_length_to_width=1.001)
        ellipse = case.ellipse._replace(back=case.ellipse.head, flank=case.ellipse.head)
        compare(case, field_from_ellipse(ellipse, case.burnable, CELL_SIZE_M))


def test_maps_of_speeds_that_differ_much_have_the_same_bits() -> None:
    for seed in range(4):
        rng = np.random.default_rng(seed)
        case = a_case(seed, (40, 40))
        speed = 10.0 ** rng.integers(-6, 7, case.burnable.shape)
        ellipse = case.ellipse._replace(head=case.ellipse.head * speed,
                                        back=case.ellipse.back * speed,
                                        flank=case.ellipse.flank * speed)
        compare(case, field_from_ellipse(ellipse, case.burnable, CELL_SIZE_M))


@numba.njit
def neighbors_before(width, cells, code, metric, edges, time, bits, found, weight):
    for k in range(cells.size):
        cell = np.uint64(cells[k])
        found[k, 0] = children_around(code, cell, np.uint64(width))
        found[k, 1] = not_acute_around(metric.reshape(-1), cell)
        found[k, 2] = lanes_final(time, cell, np.uint64(width), time[cells[k]])
        found[k, 3] = lanes_after(time, cell, np.uint64(width), time[cells[k]])
        found[k, 4] = pull_around(edges.reshape(-1), metric.reshape(-1), cell, time,
                                  np.uint64(width), bits[k, 0], bits[k, 1], weight[k])


def a_neighborhood(rng: np.random.Generator, odd: bool) -> tuple[np.ndarray, ...]:
    """(cells, code, metric, edges, time, bits) of a map of 12 x 12 padded cells."""
    count, inner = 144, np.arange(144).reshape(12, 12)[3:-3, 3:-3].ravel()
    case = random_case(rng, 6, 6, unburnable=0.1)
    field = case.field()
    metric, edges = field.metric[0].copy(), field.edges[0].copy()
    time = (rng.choice([1.0, 4.0, 30.0]) * rng.random(count)).astype(np.float32)
    time[rng.random(count) < 0.3] = np.inf
    time[rng.random(count) < 0.2] = time[rng.integers(count)]
    if odd:
        for array in (metric, edges, time):
            where = rng.random(array.shape) < 0.05
            array[where] = rng.choice(ODD, where.sum())
        time[np.signbit(time)] = np.inf  # times are never negative
    code = rng.choice(np.r_[0:8, 32:40, 20, 60, 254, 255], count).astype(np.uint8)
    bits = rng.integers(0, 256, (inner.size, 2), np.uint64)
    bits[:, 1] &= np.uint64(rng.integers(256))
    return inner, code, metric, edges, time, bits


@pytest.mark.parametrize("odd", [False, True])
def test_neighbors_give_the_same_bits(odd: bool) -> None:
    rng, best = np.random.default_rng(odd), 0
    for _ in range(200):
        given = a_neighborhood(rng, odd)
        shape = (given[0].size,)
        ours, theirs = ((np.zeros((*shape, 5), np.uint64), np.zeros((*shape, 8), np.float32))
                        for _ in range(2))
        probe_neighbors(12, *given, *ours)
        neighbors_before(12, *given, *theirs)
        # The best arc's word was its time above 8 bits, and is above 32 now.
        word = theirs[0][:, 4]
        theirs[0][:, 4] = (word >> np.uint64(8)) << np.uint64(32) | (word & np.uint64(255))
        # Of numbers that are not numbers the bits are nobody's promise.
        known = ~np.isnan((ours[0][:, 4] >> np.uint64(32)).astype(np.uint32).view(np.float32))
        best += known.sum()
        assert_same(ours[0][:, :4], theirs[0][:, :4])
        assert_same(ours[0][known, 4], theirs[0][known, 4])
        np.testing.assert_array_equal(ours[1], theirs[1])
    assert best > 4000


def test_words_are_put_in_order() -> None:
    rng = np.random.default_rng(0)
    for count in range(66):
        words = np.r_[rng.permutation(2**62 - np.arange(count) ** 9), [2**63 - 1] * 8]
        out = np.zeros(count + 8, np.uint64)
        probe_order(words.astype(np.uint64), out)
        np.testing.assert_array_equal(out[:count], np.sort(words[:count].astype(np.uint64)))
