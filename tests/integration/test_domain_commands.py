"""`plan`, `simulate` and `evaluate` burn the same domain; nothing they write lies outside the area.
"""

from pathlib import Path

import numpy as np
import pytest
import rasterio

import firebreak
from firebreak.api.options import filled
from firebreak.api.shared.domains import domain_words, part_of_map
from firebreak.api.shared.evaluate_steps import parts_of
from firebreak.api.shared.plan_options import EvaluateOptions, SimulateOptions
from firebreak.checks import InputError
from firebreak.cli import main

FIRES = {"duration_min": 90.0, "wind_20ft_km_h": 25.0, "wind_from_deg": 45.0, "seed": 3}
SAMPLE, AREA = "sample:santa-ana", "0:34,30:64"
AREAS = {"a part at the map's edge": AREA, "the whole map": None}


@pytest.mark.slow
@pytest.mark.parametrize("area", AREAS.values(), ids=AREAS.keys())
def test_a_plan_and_a_comparison_meet_the_same_test_fires(area: str | None, tmp_path: Path) -> None:
    made = firebreak.plan(SAMPLE, area=area, method="downstream-value", budget=0.05, test_fires=60,
                          plan_fires=16, cells=True, report="brief", **FIRES)
    assert made.comparison is not None
    assert made.comparison.landscapes == (SAMPLE if area is None else f"{SAMPLE}[{area}]",)
    own = {row.method: row for row in made.comparison.rows}
    folder = tmp_path / "plan"
    made.save(folder)
    for plan in (made, folder):
        found = firebreak.evaluate(SAMPLE, area=area, methods="none", plans=plan, budget=0.05,
                                   test_fires=60, plan_fires=16, **FIRES)
        row = {one.method: one for one in found.rows}["downstream-value"]
        for name in ("untreated_loss", "reduction", "cvar90_reduction",
                     "reduction_untreated_cells"):
            assert getattr(row, name) == getattr(own["downstream-value"], name), name
    burned = firebreak.simulate(SAMPLE, area=area, fires=20, **FIRES)
    assert burned._done.scene.key == made._run.scene.key
    assert burned._part.land.shape == made._run.scene.landscape.shape
    np.testing.assert_array_equal(burned._part.land.zone, made._run.scene.landscape.zone)


@pytest.mark.slow
def test_maps_are_empty_outside_the_area_and_the_words_say_where_fires_start(
        tmp_path: Path, capsys) -> None:
    out = tmp_path / "maps"
    assert main(["simulate", SAMPLE, "--area", AREA, "--fires", "40", "--duration-min", "90",
                 "--wind-20ft-km-h", "25", "--wind-from-deg", "45", "--out", str(out)]) == 0
    words = capsys.readouterr().out
    assert "fires also start around the area" in words
    assert "start outside the area" in words
    with rasterio.open(out / "burn_probability.tif") as dataset:
        grid = dataset.read(1, masked=True)
    inside = np.zeros(grid.shape, bool)
    inside[0:34, 30:64] = True
    assert grid.mask[~inside].all()
    assert not grid.mask[inside].all()


@pytest.mark.slow
def test_a_window_has_the_surroundings_of_an_area_and_made_land_has_none() -> None:
    scene = filled(SimulateOptions, FIRES | {"duration_min": 20.0}, "test").scene
    options = EvaluateOptions(window=30, windows=1, scene=scene)
    (found,), (made,) = (parts_of(source, options) for source in (SAMPLE, "synthetic:1:40"))
    area = found.land.name.removeprefix(SAMPLE).strip("[]")
    asked = part_of_map(found.full, area, scene, SAMPLE)
    assert found.domain == asked.domain is not None
    assert found.land.checksum() == asked.land.checksum()
    assert found.land.inside.sum() == 30 * 30
    assert made.domain is None
    assert made.land.shape == (30, 30)
    assert domain_words(None, found.domain) == domain_words(found.domain) != ""
    assert domain_words(*[found.domain] * 2).startswith("fires also start around 2 of")


def test_an_area_is_of_one_landscape_and_beside_no_windows() -> None:
    with pytest.raises(InputError, match="one landscape together with area"):
        firebreak.evaluate([SAMPLE, "synthetic:3:32"], area=AREA, methods="none")
    with pytest.raises(InputError, match="no window beside area"):
        firebreak.evaluate(SAMPLE, area=AREA, window=32, methods="none")
