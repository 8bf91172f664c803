"""Windows of a large map, and what its fires burn, against their definitions."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firebreak.checks import InputError
from firebreak.fire import FireConditions, FireRegime, Scene, burn, make_scene
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.windows.cores import (
    check_margin,
    cores_of,
    margin_for,
    reach_of,
    seam_lines,
    share_beyond,
)
from firebreak.planning.windows.make import plan_fires_for
from firebreak.planning.windows.region import fires_in, footprints_of

SIZE, FIRES = 70, 14


@pytest.fixture(scope="module")
def wide() -> Scene:
    return make_scene(generate(5, SIZE), FireConditions(
        scenarios=2, regime=FireRegime(burned_share=0.03)), 5, tiled=True)


@settings(max_examples=60, deadline=None)
@given(rows=st.integers(1, 90), cols=st.integers(1, 90), side=st.integers(1, 40),
       margin=st.integers(0, 30))
def test_cores_tile_the_map_and_windows_hold_them_with_their_margin(
        rows: int, cols: int, side: int, margin: int) -> None:
    count = np.zeros((rows, cols), int)
    for number, core in enumerate(cores_of((rows, cols), side, margin)):
        count[core.inside.slices] += 1
        assert core.number == number
        assert core.whole.row == max(core.inside.row - margin, 0)
        assert core.whole.col + core.whole.cols == min(
            core.inside.col + core.inside.cols + margin, cols)
        assert max(core.inside.rows, core.inside.cols) <= 2 * side
    assert (count == 1).all()


def test_footprints_are_those_of_burning_the_whole_map(wide: Scene) -> None:
    scene = make_scene(wide.landscape, wide.conditions, 5)
    fires, cores = wide.fires("plan", FIRES), cores_of((SIZE, SIZE), 30, 6)
    entered = 0
    for k, found in enumerate(footprints_of(wide, fires, cores)):
        arrival = burn(scene, fires.part(slice(k, k + 1)), want="arrival").arrivals_min
        burned = np.isfinite(arrival).reshape(SIZE, SIZE)
        rows, cols = np.flatnonzero(burned.any(axis=1)), np.flatnonzero(burned.any(axis=0))
        assert found.box == (rows[0], cols[0], rows[-1] + 1, cols[-1] + 1)
        for core in cores:
            here = arrival.reshape(SIZE, SIZE)[core.whole.slices]
            assert (core.number in found.entries) == bool(np.isfinite(here).any())
            if core.number in found.entries:
                cell, minutes = found.entries[core.number]
                assert minutes == np.float32(here.min())
                assert np.float32(arrival.ravel()[cell]) == minutes
                entered += minutes > 0.0
    assert entered > 3


def test_a_fire_that_enters_a_window_starts_there_with_the_time_it_has_left(
        wide: Scene) -> None:
    fires, cores = wide.fires("plan", FIRES), cores_of((SIZE, SIZE), 23, 6)
    footprints = footprints_of(wide, fires, cores)
    core = cores[4]
    own = fires_in(core, fires, footprints, 100, SIZE)
    numbers = [k for k, one in enumerate(footprints) if core.number in one.entries]
    assert own.source.size == len(numbers) > 1
    for place, k in enumerate(numbers):
        row, col = divmod(int(own.source[place]), core.whole.cols)
        cell, minutes = footprints[k].entries[core.number]
        assert (row + core.whole.row) * SIZE + col + core.whole.col == cell
        assert own.duration_min[place] == pytest.approx(fires.duration_min[k] - minutes)
        assert own.key[place] == fires.key[k]
        if minutes == 0.0:
            assert cell == fires.source[k]
    assert fires_in(core, fires, footprints, 2, SIZE).source.size == 2


def test_the_margin_holds_most_fires_and_one_below_their_reach_is_refused() -> None:
    reach = reach_of(np.array([0, 505]), [(0, 0, 3, 41), (4, 2, 6, 30)], 100)
    assert reach.tolist() == [40, 24]
    far = np.arange(100)
    assert margin_for(far, 128) == 80
    assert (far <= margin_for(far, 128)).mean() >= 0.75
    assert margin_for(far, 48) == 48
    assert margin_for(np.zeros(4, np.int64), 128) == 16
    check_margin(50, far, "here")
    with pytest.raises(InputError, match="here: expected a margin of at least 50 cells"):
        check_margin(49, far, "here")


def test_fires_beyond_their_window_are_those_that_touch_a_rim_that_is_not_the_maps() -> None:
    cores = cores_of((60, 60), 30, 10)
    boxes = [(0, 0, 40, 20), (0, 0, 39, 20), (0, 0, 60, 60), (20, 20, 60, 60)]
    source = np.array([0, 0, 0, 59 * 60 + 59])
    assert [share_beyond(source[k:k + 1], boxes[k:k + 1], cores, (60, 60))
            for k in range(4)] == [1.0, 0.0, 1.0, 1.0]
    assert share_beyond(source, boxes, cores, (60, 60)) == 0.75


def test_plan_fires_follow_from_the_budget() -> None:
    assert [plan_fires_for(cells) for cells in (0, 2048, 2049, 13_107)] == [256, 256, 257, 1639]


def test_lines_that_almost_meet_at_a_seam_are_joined_by_a_straight_one() -> None:
    some = generate(5, 20)
    code = int(some.fuel_model[some.burnable][0])
    land = replace(some, fuel_model=np.full((20, 20), code, np.int16),
                   treatable=np.ones((20, 20), bool))
    cores = cores_of(land.shape, 10, 0)
    lines = [5 * 20 + np.arange(3, 9), 6 * 20 + np.arange(11, 16), 15 * 20 + np.arange(3, 8)]
    assert [line.tolist() for line in seam_lines(lines, land, cores, joined=False)] in (
        [[5 * 20 + 9, 5 * 20 + 10]], [[5 * 20 + 9, 6 * 20 + 10]], [[6 * 20 + 9, 6 * 20 + 10]])
    [edge] = seam_lines(lines, land, cores, joined=True)
    assert edge.size == 3
    assert np.unique(np.concatenate([*lines, edge])).size == sum(map(len, lines)) + 3
    # In one core nothing is joined, nor where fuel between may not be treated.
    assert seam_lines(lines, land, cores_of(land.shape, 20, 0), joined=False) == []
    wild = land.treatable.copy()
    wild[:, 9] = False
    assert seam_lines(lines, replace(land, treatable=wild), cores, joined=False) == []
