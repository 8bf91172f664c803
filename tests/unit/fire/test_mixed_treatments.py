"""Breaks of several treatments on one map: bare ground beside fuel that burns."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from benchmarks.rivals.burned_maps import burn_maps
from hypothesis import given, settings
from hypothesis import strategies as st

from firebreak.fire import FireConditions, HoldRule, Scene, SpottingModel, make_scene, treated_as
from firebreak.landscape.formats.treated import with_breaks
from firebreak.landscape.synthetic.generate import generate
from firebreak.landscape.treatment_table import read_table
from firebreak.landscape.treatments import Treatment
from strategies import with_roads

SIZE, FIRES = 14, 12
TABLE = read_table()
NAMES = ("bare-line", "shaded-break", "mastication")
KINDS = tuple(TABLE[name].states[0].treatment for name in NAMES)
NO_BREAK = -1
CONDITIONS: dict[str, dict[str, Any]] = {
    "walls": {}, "leaking": {"leak": True}, "breached": {"breach": "wilson-trees"},
    "embers": {"spotting": SpottingModel(surface_brands_per_ha=2.0)},
    "by flames": {"breach": "flame-length"}}


def mixed_of(width_m: float | None = None) -> Treatment:
    return Treatment(kind="shaded", width_m=width_m, by_cell=KINDS)


def grids() -> st.SearchStrategy[np.ndarray]:
    """Of each cell no break, mostly, or one of some treatment."""
    return st.lists(st.sampled_from([NO_BREAK] * 3 + list(range(len(KINDS)))),
                    min_size=SIZE * SIZE, max_size=SIZE * SIZE).map(
                        lambda cells: np.array(cells, np.int16).reshape(SIZE, SIZE))


def lost(scene: Scene, base: Scene, breaks: np.ndarray) -> np.ndarray:
    """Arrival times under breaks, and losses, of the fires of a scene that is none of these."""
    made = burn_maps(scene.field, base.fires("test", FIRES), base.value_by_class, breaks)
    return np.concatenate([made.loss, made.arrival_time_min.ravel()])


def on_treated_land(base: Scene, grid: np.ndarray) -> tuple[Scene, np.ndarray]:
    """The scene of land on which all that burns was always so, and the breaks that are left."""
    land = base.landscape
    for k, kind in enumerate(KINDS):
        if kind.kind == "shaded":
            land = with_breaks(land, grid == k, kind)
    return make_scene(land, base.conditions, 0, base.streams), grid == 0


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(grids(), st.sampled_from(sorted(CONDITIONS)), st.sampled_from([None, 12.0]), st.booleans())
def test_fires_burn_as_on_land_with_the_fuel_of_each_treatment(
        grid: np.ndarray, name: str, width_m: float | None, roads: bool) -> None:
    land = generate(7, SIZE)
    land = with_roads(land) if roads else land
    grid = np.where(land.treatable, grid, NO_BREAK).astype(np.int16)
    hard = FireConditions(scenarios=2, treatment=Treatment(width_m=width_m), **CONDITIONS[name])
    base = make_scene(land, hard, 0)
    mixed = treated_as(base, replace(land, treatment=grid), mixed_of(width_m))
    slow, bare = on_treated_land(base, grid)
    np.testing.assert_array_equal(lost(mixed, base, grid != NO_BREAK), lost(slow, base, bare))


@pytest.mark.parametrize("given", [
    {"breach": "wilson"}, {"treatment": Treatment(kind="shaded")},
    {"treatment": Treatment(kind="shaded"), "hold": HoldRule(by="hand", response_min=20.0)}],
    ids=["breached", "shaded", "held"])
def test_a_scene_of_other_breaks_is_made_of_any(given: dict[str, Any]) -> None:
    land = with_roads(generate(9, SIZE))
    grid = np.random.default_rng(3).integers(0, len(KINDS), land.shape).astype(np.int16)
    own = replace(land, treatment=grid)
    base = make_scene(land, FireConditions(scenarios=2, **given), 0)
    direct = make_scene(own, FireConditions(scenarios=2, **given | {"treatment": mixed_of(9.0)}), 0)
    breaks = land.treatable & (np.random.default_rng(4).random(land.shape) < 0.4)
    made = treated_as(base, own, mixed_of(9.0))
    np.testing.assert_array_equal(lost(made, base, breaks), lost(direct, base, breaks))
    assert (lost(base, base, breaks) != lost(made, base, breaks)).any()


def test_only_what_is_narrower_than_its_cell_leaves_a_part_of_it() -> None:
    land = generate(9, SIZE)
    grid = np.zeros(land.shape, np.int16)
    grid[:, ::2] = 1
    size = land.cell_size_m
    own = replace(land, treatment=grid, strip_m=np.full(land.shape, 0.25 * size, np.float32))
    field = make_scene(own, FireConditions(scenarios=2, treatment=mixed_of()), 0).field
    np.testing.assert_array_equal(field.breaks.left(land.shape),
                                  np.where(grid == 0, np.float32(0.75), np.float32(1.0)))


def test_a_rule_of_breach_is_refused_for_fuel_alone() -> None:
    assert FireConditions(treatment=mixed_of(), breach="wilson").breach == "wilson"
    with pytest.raises(Exception, match="no rule of breach for shaded breaks"):
        FireConditions(treatment=Treatment(kind="shaded", by_cell=KINDS[1:]), breach="wilson")
