"""Rivals, the methods that benchmarks compare with, against slow and obvious versions."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from benchmarks import rivals
from benchmarks.rivals import RIVALS, tom
from benchmarks.rivals.burned_maps import burn_maps
from benchmarks.rivals.ranking import hazard, values_alone
from benchmarks.rivals.tom import delay, enter, upwind_edge

from firebreak.env.storage.problem import problem_of
from firebreak.env.storage.problem_batch import SLOT_0
from firebreak.fire import FireConditions, Scene, burn, make_scene
from firebreak.fire.fires import Fires
from firebreak.fire.travel.stencil import UNBURNED
from firebreak.fire.travel.travel_field import pad
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.core.rounds import loaded
from firebreak.planning.learned.policy import line_values
from firebreak.planning.making import make_plan
from firebreak.planning.methods import METHODS
from firebreak.planning.patterns.line_greedy import Ground, Lines
from firebreak.planning.patterns.strips import problem_weather
from firebreak.settings.retired import METHODS as RETIRED
from firebreak.weather.scenarios import WindClimate
from strategies import plain_landscape
from untrained import SHAPES, untrained


@pytest.fixture(autouse=True)
def _known() -> Iterator[None]:
    with rivals.known():
        yield
    assert not RIVALS.keys() & METHODS.keys()


@pytest.fixture(scope="module")
def scene() -> Scene:
    return make_scene(generate(8, 20), FireConditions(scenarios=3), 1)


def test_every_rival_was_a_method() -> None:
    assert RIVALS.keys() <= RETIRED.keys()


def test_the_methods_of_names_are_those_of_rivals_too() -> None:
    for name in RIVALS:
        assert rivals.method_of(name) is RIVALS[name]
    assert rivals.method_of("greedy") is METHODS["greedy"]


@pytest.mark.parametrize("name", ["downstream-value-static", "value-hazard", "tom"])
def test_rivals_spend_the_budget_on_cells_that_may_be_treated(scene: Scene, name: str) -> None:
    plan = make_plan(scene, 0.05, 24, name, seed=0)
    assert plan.cells.size == int(0.05 * scene.landscape.treatable.sum())
    assert scene.landscape.treatable.ravel()[plan.cells].all()


def test_static_ranks_the_untreated_map(scene: Scene) -> None:
    cells = make_plan(scene, 0.05, 48, "downstream-value-static", seed=0).cells
    land = scene.landscape
    below = burn(scene, scene.fires("plan", 48), want="statistics").downstream_value
    ranked = np.sort(below[land.treatable])[::-1]
    assert below.ravel()[cells] == pytest.approx(ranked[:cells.size])


def test_hazard_without_losses_by_flame_length_is_value_times_flame_length() -> None:
    scene = make_scene(generate(4, 16), FireConditions(scenarios=3), 0)
    found, paid = hazard(scene, scene.fires("plan", 4))
    assert paid == 0.0
    assert found == pytest.approx(scene.behavior.flame_length_m.mean(axis=0) * scene.value)


def test_each_cell_has_most_at_hazard_on_a_map_burned_anew(scene: Scene) -> None:
    land, fires = scene.landscape, scene.fires("plan", 30)
    breaks = np.zeros(land.shape, bool)
    for cell in make_plan(scene, 0.04, 30, "value-hazard", seed=0).cells[:4].tolist():
        burned = burn_maps(scene.field, fires, scene.value_by_class, breaks)
        times = (burned.parent_code != UNBURNED).sum(axis=0)
        score = times * hazard(scene, fires)[0]
        assert cell == np.where(land.treatable & ~breaks, score / land.cost, -1.0).argmax()
        breaks.ravel()[cell] = True


@pytest.mark.parametrize("costs", [1.0, 7.0])
def test_regression_places_the_cells_that_a_policy_of_lines_values_most(costs: float) -> None:
    """One after another, by what each saves per cost, whatever longer lines are worth."""
    land = generate(8, 14)
    dear = np.where(np.arange(land.cost.size).reshape(land.shape) % 3 == 0, costs, 1.0)
    scene = make_scene(replace(land, cost=dear.astype(land.cost.dtype)),
                       FireConditions(scenarios=2), 1)
    policy, fires = untrained(SHAPES), scene.fires("plan", 20)
    plan = make_plan(scene, 0.1, 20, "regression", seed=0, policy=policy, batch=1)
    slots = loaded(problem_of(scene, 0.1, fires, fires.first(0)))
    for cell in plan.cells[:4].tolist():
        values = np.where(slots.available[0], values_alone(policy, slots), -np.inf)
        assert values.ravel()[cell] == values.max()
        slots.place(0, cell)
        slots.update(SLOT_0)


def test_regression_is_dqn_where_the_policy_places_cells() -> None:
    scene = make_scene(generate(8, 14), FireConditions(scenarios=2), 1)
    ours, theirs = (make_plan(scene, 0.1, 20, name, seed=0, policy=untrained()).cells.tolist()
                    for name in ("regression", "dqn"))
    assert ours == theirs


def test_values_of_cells_alone_are_those_of_the_first_shape(scene: Scene) -> None:
    fires, policy = scene.fires("plan", 10), untrained(SHAPES)
    slots = loaded(problem_of(scene, 0.1, fires, fires.first(0)))
    alone, lines = values_alone(policy, slots).ravel(), line_values(policy, slots)
    free = slots.available[0].ravel()
    np.testing.assert_allclose(alone[free], lines[:alone.size][free], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("towards", "expected"), [
    ((0.0, 1.0), [0, 3, 6]), ((0.0, -1.0), [2, 5, 8]), ((1.0, 0.0), [0, 1, 2]),
    ((-0.6, 0.8), [0, 3, 6, 7, 8])])
def test_fire_enters_where_the_wind_comes_in(towards: tuple[float, float],
                                             expected: list[int]) -> None:
    assert upwind_edge(np.ones((3, 3), bool), towards).tolist() == expected


def test_without_fuel_on_the_edge_fire_enters_as_far_upwind_as_it_can() -> None:
    burnable = np.zeros((4, 5), bool)
    burnable[1:3, 2:4] = True
    assert upwind_edge(burnable, (0.0, 1.0)).tolist() == [7, 12]


def test_the_front_holds_each_cells_earliest_way() -> None:
    scene = make_scene(generate(5, 12), FireConditions(scenarios=1), 0)
    breaks = np.zeros((12, 12), bool)
    breaks[6, 2:8] = True
    edge = upwind_edge(scene.landscape.burnable, (0.0, 1.0))
    assert edge.size <= tom.MAX_SOURCES
    fires = Fires(edge, np.zeros(edge.size, np.int64), np.full(edge.size, np.inf),
                  np.zeros(edge.size, np.uint64))
    arrival = pad(burn(scene, fires, breaks, want="arrival").arrivals_min, np.inf)
    front = enter(scene.field, breaks, (0.0, 1.0))
    codes = pad(burn_maps(scene.field, fires, scene.value_by_class, breaks).parent_code, 255)
    first = arrival.argmin(axis=0)
    reached = np.isfinite(arrival.min(axis=0))
    assert (front.code[reached] == codes[first, np.arange(first.size)][reached]).all()
    assert (front.code[~reached] == 255).all()
    assert front.burned == np.isfinite(arrival).sum()


def test_the_patch_that_delays_fire_most_is_placed() -> None:
    burnable = np.ones((20, 20), bool)
    burnable[:, 9] = False
    burnable[13, 9] = True
    west = WindClimate(dominant_from_deg=270.0, direction_spread_deg=0.0)
    scene = make_scene(plain_landscape(burnable), FireConditions(climate=west), 0)
    fires = scene.fires("plan", 64)
    weather = problem_weather(problem_of(scene, 0.05, fires, fires.first(0)))
    land, field = scene.landscape, tom._steady(scene.field, weather.row)
    none = np.zeros((20, 20), bool)
    front = enter(field, none, weather.towards)
    gap = 13 * 20 + 9
    patches = [np.array([13 * 20 + 2]), np.array([gap]), np.array([13 * 20 + 15])]
    new, burned = tom._slowest(field, weather, Ground(none, land.treatable, 20.0), front,
                               np.ones((20, 20)), patches)
    assert new.tolist() == [gap]
    # Two fronts reach all but the patch, one the 9 columns before the wall, from 12 cells each.
    assert burned == tom.MAX_SOURCES * (380 + 180 + 380)


def test_delay_is_the_share_of_its_speed_that_fire_loses() -> None:
    before = np.array([[0.0, 10.0, 20.0, 30.0, np.inf]])
    after = np.array([[0.0, 10.0, 40.0, np.inf, np.inf]])
    assert delay(before, after, np.array([[1.0, 1.0, 2.0, 5.0, 7.0]])) == 2.0 * 0.5 + 5.0


def test_patches_that_are_tried_lie_apart_in_their_zone() -> None:
    lines = Lines(np.zeros(6, np.int64), np.array([0, 1, 3, 6, 12, 13]), np.array([2] * 5 + [1]),
                  np.array([5.0, 6.0, 1.0, 2.0, 9.0, 50.0]), np.array([1.0] * 6))
    zone = np.array([[0] * 10 + [1] * 10])
    # Longest lines only; 0 is beside 1, 3 is two cells from it.
    assert tom._choose(lines, zone, 0) == [1, 3]
    assert tom._choose(lines, zone, 1) == [4]
    assert tom._choose(lines, np.zeros_like(zone), 1) == [4, 1, 3]
