"""The mosaic of real cells, and rivals that read fires in their boxes."""

import numpy as np
import pytest
from benchmarks.large_rivals import ranked_cells, ratio, strip_cells
from benchmarks.mosaic import MIXED_CELLS, ROW, mixed, mosaic, patches, plane

from firebreak.fire import FireConditions, FireRegime, Scene, make_scene
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.making import make_plan

SIZE, FIRES = 90, 24


@pytest.fixture(scope="module")
def wide() -> Scene:
    return make_scene(generate(5, SIZE), FireConditions(
        scenarios=2, regime=FireRegime(burned_share=0.03)), 5, tiled=True)


def test_a_plane_goes_on_in_mirror_images() -> None:
    grid = np.arange(12).reshape(3, 4)
    whole = plane(grid, (0, 0), 9)
    assert (whole[:3, :4] == grid).all()
    assert (whole[3:6, :4] == grid[::-1]).all()
    assert (whole[:3, 4:8] == grid[:, ::-1]).all()
    assert (whole[6:9, :4] == grid).all()
    assert (plane(grid, (2, 1), 6) == whole[2:8, 1:7]).all()


def test_a_mosaic_has_the_cells_of_its_pieces_and_no_cliffs() -> None:
    side = 6 * MIXED_CELLS
    pieces = [(generate(seed, 60), (seed, 2 * seed)) for seed in range(4)]
    land = mosaic(pieces, side)
    own = patches(side)
    assert set(np.unique(own)) == set(ROW)
    for number, (piece, shift) in enumerate(pieces):
        here = own == number
        for name in ("fuel_model", "canopy_height_m"):
            assert (getattr(land, name)[here] == plane(getattr(piece, name), shift,
                                                       side)[here]).all()
    # Where two patches meet, elevations change as slowly as what they are mixed from allows.
    apart = [plane(piece.elevation_m - piece.elevation_m.mean(), shift, side)
             for piece, shift in pieces]
    step = max(float(np.abs(np.diff(grid, axis=axis)).max()) for grid in apart for axis in (0, 1))
    between = float(np.max(apart) - np.min(apart))
    most = step + 2.0 * between / MIXED_CELLS
    assert max(float(np.abs(np.diff(land.elevation_m, axis=axis)).max())
               for axis in (0, 1)) <= most
    assert np.abs(mixed(apart, np.zeros_like(own)) - apart[0]).max() < 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("places", [1, 5, FIRES])
def test_downstream_value_by_shards_is_that_of_the_whole_map(wide: Scene, places: int) -> None:
    scene = make_scene(wide.landscape, wide.conditions, 5)
    plan = make_plan(scene, 0.1, FIRES, "downstream-value", seed=5)
    cells = ranked_cells(wide, wide.fires("plan", FIRES), 0.1, "downstream-value", places)
    assert cells.tolist() == plan.cells.tolist()


@pytest.mark.slow
def test_betweenness_and_strips_of_a_large_map_are_those_of_the_whole_map(wide: Scene) -> None:
    scene, fires = make_scene(wide.landscape, wide.conditions, 5), wide.fires("plan", FIRES)
    plan = make_plan(scene, 0.05, FIRES, "betweenness", seed=5)
    found = ranked_cells(wide, fires, 0.05, "betweenness")
    assert np.isin(found, plan.cells).mean() > 0.98  # sums are rounded in another order
    plan = make_plan(scene, 0.05, FIRES, "strips", seed=5)
    assert strip_cells(wide, fires, 0.05).tolist() == plan.cells.tolist()


def test_the_interval_of_a_ratio_of_means() -> None:
    rng = np.random.default_rng(1)
    whole = rng.lognormal(size=(400, 500))
    part = 0.4 * whole + rng.normal(size=whole.shape)
    found = [ratio(own, every) for own, every in zip(part, whole, strict=True)]
    inside = np.mean([abs(share - 0.4) <= half for share, half in found])
    assert inside == pytest.approx(0.95, abs=0.03)
