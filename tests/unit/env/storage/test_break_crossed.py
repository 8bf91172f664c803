"""What the observation tells of kinds of break: the share of fire that gets past one."""

from dataclasses import replace

import numpy as np
import pytest

from firebreak.env.storage.observation import crossed_share, static_layers, to_bytes
from firebreak.fire import FireConditions, HoldRule, Scene, make_scene, unpad
from firebreak.landscape.synthetic.generate import generate
from firebreak.landscape.treatments import Treatment
from firebreak.layout import OBSERVATION
from firebreak.weather.scenarios import WindClimate
from firebreak.weather.streams import draw_streams

LAND = generate(5, 16)
HARD = FireConditions(scenarios=3)
STRIP = replace(HARD, treatment=Treatment(width_m=10.0))
BREACHED = replace(STRIP, breach="wilson-trees")
SHADED = replace(HARD, treatment=Treatment(kind="shaded"))


def crossed(conditions: FireConditions) -> np.ndarray:
    return crossed_share(make_scene(LAND, conditions, 1))


def inside(scene: Scene, grid: np.ndarray) -> np.ndarray:
    return unpad(grid, scene.field.shape)


@pytest.mark.parametrize("conditions", [HARD, STRIP], ids=["hard", "narrow"])
def test_nothing_gets_past_breaks_that_hold(conditions: FireConditions) -> None:
    assert (crossed(conditions) == 0.0).all()


def test_breached_breaks_are_crossed_by_their_probability() -> None:
    scene = make_scene(LAND, BREACHED, 1)
    by_weather = inside(scene, scene.field.breaks.breach)
    share = crossed_share(scene)
    np.testing.assert_allclose(share, by_weather.mean(axis=0), rtol=1e-6)  # of equal weight
    assert 0.0 < share.max() <= 1.0
    wider = crossed(replace(BREACHED, treatment=Treatment(width_m=30.0)))
    assert (wider <= share).all()
    assert (wider < share).any()


def test_fire_in_shaded_breaks_is_as_fast_as_they_let_it() -> None:
    scene = make_scene(LAND, SHADED, 1)
    share, treated = crossed_share(scene), scene.field.breaks.treated
    assert treated is not None
    assert (share[~LAND.burnable] == 0.0).all()
    assert 0.0 < share.max() <= 1.0
    # One cell by hand: over weathers, of eight directions the one slowed down least.
    cell = np.unravel_index(share.argmax(), share.shape)
    speeds = [inside(scene, np.moveaxis(times, 2, 1))[:, :, cell[0], cell[1]]
              for times in (scene.field.unit_time, treated.unit_time)]
    by_hand = np.minimum((speeds[0] / speeds[1]).max(axis=1), 1.0)
    assert share[cell] == pytest.approx(float(by_hand.mean()), rel=1e-5)


def test_crews_hold_some_of_it_and_more_the_sooner_they_come() -> None:
    nobody = crossed(SHADED)
    late, soon = (crossed(replace(SHADED, hold=HoldRule(by="equipment", response_min=minutes)))
                  for minutes in (60.0, 0.0))
    never = crossed(replace(SHADED, hold=HoldRule(by="equipment", response_min=1e6)))
    np.testing.assert_allclose(never, nobody)
    assert (soon <= late).all()
    assert (late <= nobody).all()
    assert soon.sum() < late.sum() < nobody.sum()
    by_hand = crossed(replace(SHADED, hold=HoldRule(by="hand", response_min=0.0)))
    assert (soon <= by_hand).all()
    held_strip = crossed(replace(BREACHED, hold=HoldRule(by="equipment", response_min=0.0)))
    assert held_strip.sum() < crossed(BREACHED).sum()


def test_bare_cells_among_breaks_that_burn_let_nothing_past() -> None:
    scene = make_scene(LAND, SHADED, 1)
    bare = np.zeros(LAND.shape, np.bool_)
    bare[:8] = True
    field = scene.field._replace(breaks=scene.field.breaks._replace(bare=bare))
    share = crossed_share(replace(scene, travel=field))
    assert (share[:8] == 0.0).all()
    np.testing.assert_array_equal(share[8:], crossed_share(scene)[8:])


def test_weathers_count_by_their_weight_where_they_change() -> None:
    weather = draw_streams(WindClimate(), np.random.default_rng(2), 2)
    for conditions in (BREACHED, SHADED):
        share = crossed(replace(conditions, weather=weather))
        assert 0.0 < share.max() <= 1.0


def test_the_observation_shows_it() -> None:
    scene = make_scene(LAND, BREACHED, 1)
    shown = static_layers(scene)[OBSERVATION.static.index("break_crossed")]
    np.testing.assert_array_equal(shown, to_bytes(np.sqrt(crossed_share(scene))))
