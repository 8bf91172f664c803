"""Fire behaviour of large maps: bands that fit the memory, and what is refused by it."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from fbp_maps import fbp_map, fbp_weather
from firebreak.checks import InputError
from firebreak.fire import FireConditions, FireRegime, SpottingModel, make_scene, spread
from firebreak.fire.effects.breaks import HoldRule
from firebreak.landscape.synthetic.generate import generate
from firebreak.landscape.treatments import Treatment
from firebreak.weather.scenarios import DEAD_MOISTURES, WindClimate, draw_scenarios
from firebreak.weather.streams import make_streams

C2, O1A, BARE, GR2 = 2, 31, 99, 102
SHORT = FireRegime(duration_min=60.0)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Cells times rows of weather of each fire behaviour that is made at once; 100 are allowed."""
    sizes: list[int] = []
    monkeypatch.setattr(spread, "fire_behavior", _counted(spread.fire_behavior, sizes))
    monkeypatch.setattr(spread, "BAND_CELLS", 100)
    return sizes


def _counted(make: Callable[..., Any], sizes: list[int]) -> Callable[..., Any]:
    def counted(*arguments: Any) -> Any:
        found = make(*arguments)
        sizes.append(found.rate_of_spread_m_min.size)
        return found

    return counted


def _weather(rows: int) -> Any:
    steps = draw_scenarios(WindClimate(), np.random.default_rng(4), rows)
    return make_streams(steps, rows // 2, 60.0)


@pytest.mark.parametrize("rows", [2, 12, 60])
def test_however_much_weather_there_is_little_is_held_at_once(rows: int, made: list[int]) -> None:
    land, weather = generate(3, (9, 20)), _weather(rows)
    scene = make_scene(land, FireConditions(weather=weather, regime=SHORT), 1, tiled=True)
    assert len(made) == 1  # something burns there
    rate = spread.mean_rate(land, weather.steps, scene.conditions)
    maps = scene.mean_behavior(None, lambda one: {
        "rate": one.rate_of_spread_m_min.max(axis=0)})
    assert max(made) <= 100
    whole = make_scene(land, scene.conditions, 1).behavior.rate_of_spread_m_min
    assert rate == pytest.approx(whole[:, land.burnable].mean(), rel=1e-12)
    np.testing.assert_array_equal(maps["rate"], whole.max(axis=0))


@pytest.mark.usefixtures("made")
def test_durations_do_not_hang_on_the_bands() -> None:
    land, conditions = generate(3, 24), FireConditions(weather=_weather(4))
    assert (make_scene(land, conditions, 1, tiled=True).median_duration_min
            == make_scene(land, conditions, 1).median_duration_min)


@pytest.mark.usefixtures("made")
def test_what_burns_is_found_beside_the_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spread, "_SAMPLED", 2)
    codes = np.full((30, 30), BARE, np.int16)
    codes[17, 19] = GR2
    land = replace(generate(3, 30), fuel_model=codes)
    steps = draw_scenarios(WindClimate(), np.random.default_rng(4), 3)
    wet = steps._replace(**{name: np.ones(3) for name in DEAD_MOISTURES})
    make_scene(land, FireConditions(regime=SHORT), 1, steps, tiled=True)
    with pytest.raises(InputError, match="fuel that burns in some weather"):
        make_scene(land, FireConditions(regime=SHORT), 1, wet, tiled=True)


CREWS = [FireConditions(treatment=Treatment(kind="shaded"), regime=SHORT,
                        hold=HoldRule(by="hand", response_min=0.0)),
         FireConditions(attack_min=20.0, regime=SHORT)]


@pytest.mark.parametrize("conditions", CREWS, ids=["held", "attacked"])
@pytest.mark.parametrize("make", [make_scene, partial(make_scene, tiled=True)])
def test_crews_are_refused_where_no_fire_has_an_intensity(make: Any,
                                                          conditions: FireConditions) -> None:
    land = fbp_map(np.full((20, 20), C2, np.int16))
    weather = fbp_weather(wind_10m_km_h=np.array([20.0]), ffmc=90.0, bui=0.0)
    with pytest.raises(InputError, match="expected fires with an intensity"):
        make(land, conditions, 1, weather)
    make(land, FireConditions(regime=SHORT), 1, weather)


@pytest.mark.parametrize("conditions", CREWS, ids=["held", "attacked"])
@pytest.mark.usefixtures("made")
def test_one_intensity_anywhere_is_enough(conditions: FireConditions,
                                          monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spread, "_SAMPLED", 2)
    codes = np.full((20, 20), C2, np.int16)
    codes[13, 17] = O1A  # grass burns with an intensity whatever the index
    weather = fbp_weather(wind_10m_km_h=np.array([20.0]), ffmc=90.0, bui=0.0)
    make_scene(fbp_map(codes), conditions, 1, weather, tiled=True)


KINDS = [("hard", None), ("shaded", None), ("shaded", HoldRule(by="hand", response_min=0.0))]


@pytest.mark.parametrize("attack_min", [None, 20.0])
@pytest.mark.parametrize("spotting", [None, SpottingModel()], ids=["", "embers"])
@pytest.mark.parametrize(("kind", "hold"), KINDS)
def test_conditions_know_which_fires_burn_anew(kind: Any, hold: HoldRule | None, spotting: Any,
                                               attack_min: float | None) -> None:
    conditions = FireConditions(treatment=Treatment(kind=kind), hold=hold, spotting=spotting,
                                attack_min=attack_min, regime=SHORT)
    field = make_scene(generate(3, 20), conditions, 1).field
    assert field.burns_anew == conditions.burns_anew
