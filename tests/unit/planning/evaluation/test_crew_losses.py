"""Losses by how many crews there are: each case is the scene with that rule, made anew."""

from dataclasses import replace

import numpy as np
import pytest

from firebreak.fire import FireConditions, HoldRule, burn, held_by, make_scene
from firebreak.landscape.synthetic.generate import generate
from firebreak.landscape.treatments import Treatment
from firebreak.planning.evaluation.losses import crew_losses

HOLD = HoldRule(by="hand", response_min=10.0, crew_km=1.0)
CONDITIONS = FireConditions(scenarios=3, treatment=Treatment(kind="shaded"), hold=HOLD)


def breaks_on(shape: tuple[int, int]) -> np.ndarray:
    mask = np.zeros(shape, np.bool_)
    mask[:, shape[1] // 3] = mask[shape[0] // 2] = True
    return mask


@pytest.mark.parametrize("tiled", [False, True])
def test_a_scene_with_other_crews_is_the_one_made_with_them(tiled: bool) -> None:
    land = generate(5, 30)
    scene = make_scene(land, CONDITIONS, 0, tiled=tiled)
    fires, breaks = scene.fires("test", 40), breaks_on(land.shape)
    for rule in (None, replace(HOLD, crew_km=0.3), replace(HOLD, crew_km=None)):
        other = make_scene(land, replace(CONDITIONS, hold=rule), 0, tiled=tiled)
        np.testing.assert_array_equal(burn(held_by(scene, rule), fires, breaks).loss,
                                      burn(other, fires, breaks).loss)


def test_more_crews_never_lose_more_and_the_plans_own_case_is_marked() -> None:
    land = generate(5, 30)
    scene = make_scene(land, CONDITIONS, 0)
    fires, breaks = scene.fires("test", 60), breaks_on(land.shape)
    found = crew_losses(scene, breaks, fires)
    assert found is not None
    assert found.labels == ("no breaks", "breaks, no crews", "crews hold 1 km", "crews hold 2 km",
                            "crews hold 5 km", "crews without limit")
    assert found.labels[found.own] == "crews hold 1 km"
    ha = land.cell_size_m**2 / 1e4
    assert found.lost[0] == pytest.approx(burn(scene, fires).loss.mean() * ha)
    assert found.lost[found.own] == pytest.approx(burn(scene, fires, breaks).loss.mean() * ha)
    assert (np.diff(found.lost[1:]) <= 1e-9).all()
    assert found.lost[-1] < found.lost[1]
    assert found.saved[0] == 0.0


def test_a_length_of_its_own_and_no_limit_are_cases_too() -> None:
    land = generate(5, 24)
    for km, label in ((3.0, "crews hold 3 km"), (None, "crews without limit")):
        scene = make_scene(land, replace(CONDITIONS, hold=replace(HOLD, crew_km=km)), 0)
        found = crew_losses(scene, breaks_on(land.shape), scene.fires("test", 10))
        assert found is not None
        assert found.labels[found.own] == label


def test_where_nobody_holds_breaks_there_is_nothing_to_compare() -> None:
    land = generate(5, 12)
    scene = make_scene(land, FireConditions(scenarios=2), 0)
    assert crew_losses(scene, breaks_on(land.shape), scene.fires("test", 5)) is None
