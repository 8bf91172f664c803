"""Plans for one wind: strips across it."""

import numpy as np
import pytest

from firebreak.env.storage.problem import problem_of
from firebreak.fire import FireConditions, Scene, burn, burn_field, make_scene
from firebreak.fire.fires import Fires
from firebreak.fire.travel.travel_field import field_from_ellipse
from firebreak.planning.core.limits import SEARCH
from firebreak.planning.core.rounds import Task
from firebreak.planning.making import make_plan
from firebreak.planning.patterns.strips import (
    Pattern,
    best_on_plan_fires,
    distance_to_strips,
    problem_weather,
)
from firebreak.weather.scenarios import WindClimate, make_scenarios
from firebreak.weather.streams import WeatherStreams
from strategies import ellipse_like, plain_landscape

WEST = WindClimate(dominant_from_deg=270.0, direction_spread_deg=0.0)


def grass(shape: tuple[int, int] = (20, 20), wall: int | None = None, gap: int = 0,
          **layers: object) -> Scene:
    """Flat grass in a west wind, with a wall of bare ground in column `wall` but for one row."""
    burnable = np.ones(shape, bool)
    if wall is not None:
        burnable[:, wall] = False
        burnable[gap, wall] = True
    return make_scene(plain_landscape(burnable, **layers), FireConditions(climate=WEST), 0)


def test_the_weather_of_the_worst_losses_is_planned_for() -> None:
    scenarios = make_scenarios(
        wind_20ft_m_min=np.array([100.0, 500.0, 100.0]), wind_from_deg=np.array([0.0, 270.0, 90.0]),
        dead_moisture_1h=0.05, dead_moisture_10h=0.06, dead_moisture_100h=0.07,
        live_moisture_herb=0.6, live_moisture_woody=0.9)
    scene = make_scene(plain_landscape(np.ones((20, 20), bool)), FireConditions(), 0,
                       weather=scenarios)
    fires = scene.fires("plan", 64)
    weather = problem_weather(problem_of(scene, 0.05, fires, fires.first(0)))
    assert weather.row == 1
    assert weather.towards == pytest.approx((0.0, 1.0), abs=1e-6)
    burned = burn_field(scene.field, fires, np.ones((20, 20), np.float32)).loss.sum()
    assert weather.cells_burned == pytest.approx(burned)


def test_of_changing_weather_the_step_of_the_fastest_fire_is_planned_for() -> None:
    steps = make_scenarios(
        wind_20ft_m_min=np.array([50.0, 60.0, 400.0, 50.0]),
        wind_from_deg=np.array([0.0, 0.0, 180.0, 0.0]), dead_moisture_1h=0.05,
        dead_moisture_10h=0.06, dead_moisture_100h=0.07, live_moisture_herb=0.6,
        live_moisture_woody=0.9)
    streams = WeatherStreams(steps=steps, weight=np.array([0.0, 1.0]), step_min=60.0,
                             steps_per_stream=2)
    scene = make_scene(plain_landscape(np.ones((12, 12), bool)), FireConditions(), 0,
                       weather=streams)
    fires = scene.fires("plan", 8)
    weather = problem_weather(problem_of(scene, 0.05, fires, fires.first(0)))
    assert weather.row == 2
    assert weather.towards == pytest.approx((-1.0, 0.0), abs=1e-6)
    assert make_plan(scene, 0.1, 8, "strips", seed=0).cells.size == 14


@pytest.mark.parametrize("angle_deg", [0.0, 17.0, 45.0, 73.0, 90.0, 200.0])
@pytest.mark.parametrize("leak", [False, True])
def test_rows_of_unbroken_strips_hold_fire(angle_deg: float, leak: bool) -> None:
    side = 25
    towards = (-np.cos(np.radians(angle_deg)), np.sin(np.radians(angle_deg)))
    breaks = distance_to_strips((side, side), towards, Pattern(4.0, 1.0, 1), leak) <= 0.0
    field = field_from_ellipse(ellipse_like(10.0, 2.0, np.full((1, side, side), angle_deg)),
                               np.ones((side, side), bool), 30.0)
    field = field._replace(breaks=field.breaks._replace(leak=leak))
    rows, cols = np.indices((side, side)) - side // 2
    ahead = rows * towards[0] + cols * towards[1]
    fires = Fires(np.array([int(np.where(breaks, 0.0, ahead).argmin())]), np.zeros(1, np.int64),
                  np.array([np.inf]), np.zeros(1, np.uint64))
    arrival = burn_field(field, fires, None, breaks, want="arrival").arrivals_min[0]
    assert np.isinf(arrival[ahead > 1.0]).all()
    assert breaks.sum() < 2.1 * side


def test_strips_are_equal_spaced_and_shifted() -> None:
    strips = distance_to_strips((20, 24), (0.0, 1.0), Pattern(6.0, 0.6, 4), joined=True) <= 0.0
    assert np.flatnonzero(strips.any(axis=0)).tolist() == [2, 8, 14, 20]
    columns = strips[:, [2, 8, 14, 20]].T
    assert (columns[0] == columns[2]).all()
    assert (columns[1] == columns[3]).all()
    assert (columns[0] != columns[1]).any()
    # Strips of 6 in periods of 10: neighbouring rows overlap by one cell at each end.
    assert (columns[0] | columns[1]).all()
    assert (columns[0] & columns[1]).sum() == 4
    runs = np.diff(np.flatnonzero(np.diff(np.r_[0, columns[0], 0])))[::2]
    assert runs.max() == 6


def test_strips_lie_across_the_wind() -> None:
    scene = grass()
    cells = make_plan(scene, 0.05, 128, "strips", seed=0).cells
    rows, cols = np.divmod(cells, 20)
    assert cells.size == 20
    assert np.unique(cols).size <= 2
    assert np.unique(rows).size >= 10


def test_the_first_of_the_best_plans_on_the_plan_fires_is_kept() -> None:
    scene = grass()
    fires = scene.fires("plan", 32)
    task = Task(problem_of(scene, 0.05, fires, fires.first(0)), 0, 1, None, SEARCH)
    plans = [np.arange(3), np.arange(200, 220), np.arange(0), np.arange(200, 220)]
    losses = []
    for cells in plans:
        breaks = np.zeros((20, 20), bool)
        breaks.ravel()[cells] = True
        losses.append(burn(scene, fires, breaks).loss.mean())
    assert best_on_plan_fires(task, plans) is plans[int(np.argmin(losses))]
    assert losses[1] == min(losses)


@pytest.mark.slow
def test_plans_for_a_wind_turn_with_it() -> None:
    plans = []
    for degrees in (270.0, 0.0):
        climate = WindClimate(dominant_from_deg=degrees, direction_spread_deg=0.0)
        scene = make_scene(plain_landscape(np.ones((20, 20), bool)),
                           FireConditions(climate=climate), 0)
        plans.append(make_plan(scene, 0.05, 64, "strips", seed=0).break_mask())
    spread = [np.ptp(np.nonzero(plan)[axis]) for plan in plans for axis in (0, 1)]
    assert spread[0] > spread[1]
    assert spread[2] < spread[3]
