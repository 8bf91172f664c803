"""Straight corridors: long enough, straight, apart, and where fire carries value."""

from dataclasses import replace

import numpy as np
import pytest

from firebreak.env.storage.problem import problem_of
from firebreak.fire import FireConditions, burn, make_scene
from firebreak.landscape.candidates.corridors.ground import ground_of
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.patterns.offered import rate_of, straight_corridors

SIZE, LEAST_M = 40, 300.0


@pytest.fixture(scope="module")
def scene():
    land = generate(5, SIZE, cell_size_m=30.0)
    treatable = land.treatable.copy()
    treatable[:, 25:] = False
    return make_scene(replace(land, treatable=treatable), FireConditions(scenarios=2), 0)


def test_straight_corridors_are_long_straight_and_where_value_burns_behind_them(scene) -> None:
    land, fires = scene.landscape, scene.fires("plan", 24)
    found = straight_corridors(problem_of(scene, 0.2, fires, fires.first(0)), ground_of(land),
                               LEAST_M)
    assert found
    worth = burn(scene, fires, want="statistics").downstream_value
    for own in found:
        assert own.length_m >= LEAST_M
        assert land.treatable.ravel()[own.cells].all()
        assert [anchor.cell for anchor in own.anchors] == own.path[[0, -1]].tolist()
        rows, cols = np.divmod(own.path, SIZE)
        along = np.array([rows[-1] - rows[0], cols[-1] - cols[0]])
        off = np.abs(along[0] * (cols - cols[0]) - along[1] * (rows - rows[0]))
        assert (off / np.hypot(*along) <= 1.0).all()
    anywhere = float(worth[land.treatable].sum() / land.cost[land.treatable].sum())
    assert np.mean([rate_of(own, worth) for own in found]) > 1.5 * anywhere


def test_there_are_none_where_no_line_is_so_long(scene) -> None:
    fires = scene.fires("plan", 24)
    assert not straight_corridors(problem_of(scene, 0.2, fires, fires.first(0)),
                                  ground_of(scene.landscape), 5000.0)
