"""Fire behaviour and travel fields made some rows of the map at a time: the bits of the whole."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from firebreak.fire import FireConditions, Scene, behavior_models, make_scene
from firebreak.fire.behavior.types import FireBehavior
from firebreak.fire.behavior_models import BehaviorModel, fire_behavior
from firebreak.fire.fires import FireRegime, Fires
from firebreak.fire.making import calibrated_median
from firebreak.fire.travel.travel_field import TravelField
from firebreak.landscape.synthetic.generate import generate

CONDITIONS = FireConditions(scenarios=3, regime=FireRegime(duration_min=60.0))
CROWNS = BehaviorModel(crown="finney", rate_factors=((102, 0.5), (165, 1.5)))


def scene_of(parts: bool, monkeypatch: pytest.MonkeyPatch, model: BehaviorModel) -> Scene:
    rows = 7 if parts else 10_000
    monkeypatch.setattr(behavior_models, "CELLS_AT_ONCE", rows * 23 * 3)
    monkeypatch.setattr(behavior_models, "CELLS_HELD", (rows + 6) * 23 * 3)
    land = generate(5, (40, 23))
    water = land.fuel_model.copy()
    water[14:28] = 98  # rows of the map in which nothing burns
    land = replace(land, fuel_model=water, treatable=land.treatable & (water != 98))
    return make_scene(land, replace(CONDITIONS, model=model), 1)


@pytest.mark.parametrize("model", [BehaviorModel(), CROWNS], ids=["plain", "crowns"])
def test_parts_have_the_bits_of_the_whole(model: BehaviorModel,
                                          monkeypatch: pytest.MonkeyPatch) -> None:
    whole = scene_of(False, monkeypatch, model)
    known = {name: getattr(whole.behavior, name) for name in FireBehavior._fields}
    scene = scene_of(True, monkeypatch, model)
    for name, grid in known.items():
        own = getattr(scene.behavior, name)
        assert own.dtype == grid.dtype
        np.testing.assert_array_equal(own, grid)
    for name in TravelField._fields:
        if isinstance(getattr(whole.field, name), np.ndarray):
            np.testing.assert_array_equal(getattr(scene.field, name), getattr(whole.field, name))


def test_behaviour_is_worked_out_when_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def counted(*given: object) -> FireBehavior:
        asked.append(given)
        return fire_behavior(*given)

    scene = make_scene(generate(5, (12, 9)), CONDITIONS, 1)
    monkeypatch.setattr(behavior_models, "fire_behavior", counted)
    same = pickle.loads(pickle.dumps(scene)).behavior
    assert not asked
    assert (same.heading_deg == scene.behavior.heading_deg).all()
    assert (same.flame_length_m >= 0.0).all()
    assert len(asked) == 2  # once of each scene
    with pytest.raises(AttributeError):
        _ = scene.behavior.spread


def test_fires_that_can_reach_no_more_are_not_tried_longer_and_longer() -> None:
    reached = np.sqrt(np.arange(400.0, dtype=np.float32))[None].repeat(4, axis=0)
    burned = []

    def burn(fires: Fires) -> list[np.ndarray]:
        burned.append(fires.duration_min[0])
        return [row[row <= limit] for row, limit in zip(reached, fires.duration_min, strict=True)]

    none = np.zeros(4, np.int64)
    unit = Fires(none, none, np.ones(4), none.astype(np.uint64))
    assert calibrated_median(unit, 100_000, 0.9, 15.0, burn) == reached[0, -1]
    assert burned[-1] == np.inf
    assert len(burned) == 3
