"""Kernels that burn many fires against those before them: the same bits, whatever burns."""

from typing import Any, NamedTuple

import numpy as np
import pytest

from break_cases import KINDS, by_class, with_rules
from firebreak.fire.effects.keyed_random import uniforms
from firebreak.fire.jobs import Job, make_job, table_of
from firebreak.fire.solver import burn_kernel, kernels, statistics_kernel
from firebreak.fire.solver.tables import FireTable, Overlays, Results
from firebreak.fire.sums import EVERYWHERE, new_sums
from firebreak.fire.travel import kernels as travel
from firebreak.fire.travel.arc_kernel import Arcs
from firebreak.fire.travel.travel_field import padded_width
from firebreak.native_library import max_threads, set_threads
from strategies import Case, random_case

SIDES = ((1, 1), (1, 9), (7, 2), (12, 12), (16, 11), (60, 60))


class Given(NamedTuple):
    """What both kernels burn."""

    case: Case
    job: Job
    table: FireTable
    width: int

    def burned_by(self, kernel: Any, arcs: Any, rows: tuple[int, ...]) -> Results:
        """Results of which the maps have some rows each."""
        count, cells = self.table.row.size, self.job.cells
        results = Results(
            np.full((rows[0], cells), 7.0), np.full((rows[1], cells), 7, np.uint8),
            np.full((rows[2], cells), 7.0), np.full((rows[3], cells), 7, np.uint8),
            np.full(count, 7.0))
        kernel(np.arange(count)[::-1].copy(), self.width, arcs, self.job.spots, self.job.rules,
               self.table, self.job.overlays, results, self.job.scratch)
        return results

    def summed_by(self, kernel: Any, arcs: Any, tracked: int, wanted: tuple[bool, bool],
                  ready: np.ndarray | None) -> list[np.ndarray]:
        count, cells = self.table.row.size, self.job.cells
        sums = new_sums(self.job, self.case.fires)
        sums = sums._replace(below=sums.below if wanted[0] else np.empty((len(sums.below), 0),
                                                                         np.int64),
                             burned=sums.burned if wanted[1] else np.empty((0, 0, 0), np.int32))
        tracks = statistics_kernel.Tracks(
            np.full((tracked, cells), 7, np.int32), np.full((tracked, cells), 7, np.float32),
            np.full(count, 7), np.full(count, 7.0))
        tiles, side = EVERYWHERE, 4
        if ready is not None:
            across = -(-(self.width - 6) // side)
            tiles = statistics_kernel.Tiles(
                ready, np.zeros((len(sums.stopped), ready.size), np.uint8), side, across)
        state, loss = np.full(count, 7, np.uint8), np.full(count, 7.0)
        kernel(np.arange(count), self.width, arcs, self.job.spots, self.job.rules, self.table,
               self.job.overlays, sums, tracks, tiles, state, loss, self.job.scratch)
        # Which thread adds a fire is open.
        added = [part.sum(axis=0) for part in sums[:4]]
        return [*added, tiles.requested.max(axis=0), *tracks, state, loss]


def given_by(seed: int, rules: str, sides: tuple[int, int], steps: int) -> Given:
    """Two overlays of breaks of one kind, under which fires burn in turn."""
    rng = np.random.default_rng(seed)
    case = random_case(rng, *sides, scenarios=2 * steps, fires=10,
                       unburnable=rng.choice([0.0, 0.1, 0.35]), broken=rng.choice([0.1, 0.3, 0.6]),
                       roughness=rng.choice([0.0, 0.1, 0.5]), turning=rng.choice([0.0, 10.0, 90.0]))
    field = with_rules(case, "front", rules, seed, steps)
    case = case._replace(fires=case.fires._replace(scenario=case.fires.scenario % 2))
    value = by_class(case) if rng.random() < 0.5 else case.value
    job = make_job(field, value, case.breaks)
    other = make_job(field, value, np.zeros_like(case.breaks))
    both = Overlays(*(np.concatenate(pair) for pair in zip(job.overlays, other.overlays,
                                                           strict=True)))
    own = job.rules
    if len(own.ready):
        nobody = np.full_like(own.ready, np.inf)
        own = own._replace(ready=np.concatenate([own.ready, nobody if seed % 2 else own.ready]))
    if seed % 3 == 0:
        own = own._replace(steps=np.array([steps, 1]))
    table = table_of(job.field, case.fires)
    table = table._replace(overlay=rng.integers(0, 2, table.row.size))
    return Given(case, job._replace(overlays=both, rules=own), table, padded_width(sides[1]))


def without_spread(arcs: Arcs) -> tuple:
    return tuple(arcs)[:11]


def without_edges(arcs: Arcs) -> Arcs:
    return arcs._replace(edges=np.empty((0, 0, 8)))


def assert_same(ours: Any, theirs: Any) -> None:
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(np.ascontiguousarray(one).view(np.uint8),
                                      np.ascontiguousarray(other).view(np.uint8))


@pytest.fixture(autouse=True)
def all_threads():
    set_threads(max_threads())


@pytest.mark.parametrize("steps", [1, 3])
@pytest.mark.parametrize("rules", KINDS)
def test_fires_burn_with_the_same_bits(rules: str, steps: int) -> None:
    for number, sides in enumerate(SIDES):
        for seed in range(number, 3 if sides[0] == 60 else 30, len(SIDES)):
            given = given_by(1000 * steps + seed, rules, sides, steps)
            rows = tuple(np.random.default_rng(seed).integers(0, 11, 4))
            for arcs in (given.job.arcs, without_edges(given.job.arcs)):
                ours = given.burned_by(kernels.burn_many, without_spread(arcs), rows)
                assert_same(ours, given.burned_by(burn_kernel.burn_many, arcs, rows))


@pytest.mark.parametrize("steps", [1, 3])
@pytest.mark.parametrize("rules", KINDS)
def test_fires_are_summed_with_the_same_bits(rules: str, steps: int) -> None:
    for seed, sides in enumerate(SIDES):
        rng = np.random.default_rng(seed)
        given, tracked = given_by(2000 * steps + seed, rules, sides, steps), int(rng.integers(11))
        tiles = -(-sides[0] // 4) * -(-sides[1] // 4)
        ready = (rng.random(tiles) < 0.9).astype(np.uint8) if seed % 2 else None
        wanted = (bool(rng.integers(2)), seed != 4)
        ours = given.summed_by(kernels.sum_many, without_spread(given.job.arcs), tracked, wanted,
                               ready)
        assert_same(ours, given.summed_by(statistics_kernel.sum_many, given.job.arcs, tracked,
                                          wanted, ready))


def test_random_numbers_have_the_same_bits() -> None:
    words = np.random.default_rng(0).integers(0, 2**64, (3, 10_000), np.uint64)
    words[:, :2] = 0, 2**64 - 1
    out = np.empty(words.shape[1])
    travel.fill_uniform(*words, out)
    assert_same([out], [uniforms(*words)])
