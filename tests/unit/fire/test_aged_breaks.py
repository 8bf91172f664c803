"""Breaks of several ages: fuel that burns and bare ground side by side."""

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.rivals.burned_maps import burn_maps
from hypothesis import given, settings
from hypothesis import strategies as st

from firebreak.fire import FireConditions, Scene, make_scene, with_states
from firebreak.fire.behavior_models import fire_behavior
from firebreak.fire.effects.spotting import SpottingModel
from firebreak.fire.spread import travel_under
from firebreak.fire.travel.travel_field import BreakRules, pad
from firebreak.landscape.synthetic.generate import generate
from firebreak.landscape.treatment_table import read_table
from firebreak.landscape.treatments import Treatment, treated_landscape

SIZE, FIRES = 14, 12
ROWS = read_table()
STATES = [Treatment(), *(state.treatment for state in ROWS["shaded-break"].states),
          Treatment(), ROWS["grazing"].states[0].treatment]
BARE = [k for k, state in enumerate(STATES) if state.kind == "hard"]
NO_BREAK = -1


@pytest.fixture(scope="module")
def scene() -> Scene:
    return make_scene(generate(7, SIZE), FireConditions(scenarios=2), 0)


def on_treated_land(scene: Scene, grid: np.ndarray) -> tuple:
    """The land with the fuel of every break that burns in it, as if it had always been so, and what
    is left of the breaks: bare cells.
    """
    land = scene.landscape
    made = {name: getattr(land, name).copy() for name in (
        "fuel_model", "canopy_cover", "canopy_base_height_m", "canopy_bulk_density_kg_m3")}
    for k, state in enumerate(STATES):
        there = grid == k
        if state.kind == "shaded":
            after = treated_landscape(land, state)
            for name, whole in made.items():
                whole[there] = getattr(after, name)[there]
    land = replace(land, **made)
    streams = scene.streams
    behavior = fire_behavior(land, streams.steps, scene.conditions.model)
    field = travel_under(land, behavior, streams, scene.conditions, bool(scene.field.heat.size))
    return field._replace(breaks=BreakRules(leak=scene.conditions.leak)), np.isin(grid, BARE)


def grids() -> st.SearchStrategy[np.ndarray]:
    """Of each cell no break, mostly, or one in some state."""
    return st.lists(st.sampled_from([NO_BREAK] * 3 + list(range(len(STATES)))),
                    min_size=SIZE * SIZE, max_size=SIZE * SIZE).map(
                        lambda cells: np.array(cells, np.int16).reshape(SIZE, SIZE))


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(grids())
def test_fires_burn_as_on_land_that_was_always_so(scene: Scene, grid: np.ndarray) -> None:
    grid = np.where(scene.landscape.treatable, grid, NO_BREAK).astype(np.int16)
    breaks = grid != NO_BREAK
    fires = scene.fires("test", FIRES)
    field = with_states(scene, STATES, np.flatnonzero(breaks))(grid).field
    own = burn_maps(field, fires, scene.value_by_class, breaks)
    slow_field, bare = on_treated_land(scene, grid)
    slow = burn_maps(slow_field, fires, scene.value_by_class, bare)
    np.testing.assert_array_equal(own.arrival_time_min, slow.arrival_time_min)
    np.testing.assert_array_equal(own.loss, slow.loss)


@pytest.mark.parametrize("conditions", [
    FireConditions(scenarios=2, leak=True),
    FireConditions(scenarios=2, spotting=SpottingModel())], ids=["leak", "embers"])
def test_other_fires_burn_so_too(conditions: FireConditions) -> None:
    test_scene = make_scene(generate(9, SIZE), conditions, 0)
    rng = np.random.default_rng(3)
    grid = rng.integers(NO_BREAK, len(STATES), (SIZE, SIZE)).astype(np.int16)
    grid[rng.random(grid.shape) < 0.6] = NO_BREAK
    grid = np.where(test_scene.landscape.treatable, grid, NO_BREAK).astype(np.int16)
    fires = test_scene.fires("test", FIRES)
    field = with_states(test_scene, STATES, np.flatnonzero(grid != NO_BREAK))(grid).field
    own = burn_maps(field, fires, test_scene.value_by_class, grid != NO_BREAK)
    slow_field, bare = on_treated_land(test_scene, grid)
    slow = burn_maps(slow_field, fires, test_scene.value_by_class, bare)
    np.testing.assert_array_equal(own.arrival_time_min, slow.arrival_time_min)
    assert bare.any()
    assert (own.arrival_time_min[:, bare] == np.inf).any()


def test_bare_ground_is_breached_by_its_rule_where_fuel_burns_beside_it(scene: Scene) -> None:
    chance = pad(np.full((2, SIZE, SIZE), 0.4, np.float32))
    hard = replace(scene, travel=scene.field._replace(breaks=BreakRules(breach=chance)))
    grid = np.full((SIZE, SIZE), NO_BREAK, np.int16)
    grid[:, 6], grid[8, :] = BARE[0], BARE[0] + 1
    fires = hard.fires("test", 100)
    field = with_states(hard, STATES, np.flatnonzero(grid != NO_BREAK))(grid).field
    own = burn_maps(field, fires, hard.value_by_class, grid != NO_BREAK)
    slow_field, bare = on_treated_land(hard, grid)
    slow, closed = (burn_maps(slow_field._replace(breaks=rules), fires, hard.value_by_class, bare)
                    for rules in (BreakRules(breach=chance), BreakRules()))
    np.testing.assert_array_equal(own.arrival_time_min, slow.arrival_time_min)
    assert (own.loss > closed.loss).any()
