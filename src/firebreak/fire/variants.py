"""Scenes as they might be: with another model of fire, with breaks of several ages."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.fire.behavior_models import behavior_on_demand, fire_behavior
from firebreak.fire.effects.breaks import HoldRule
from firebreak.fire.making import with_travel
from firebreak.fire.scene import Scene
from firebreak.fire.spread import travel_under, with_breaks, with_crews
from firebreak.fire.travel.arcs import NO_CREWS
from firebreak.fire.travel.travel_field import (
    BreakRules,
    TravelField,
    Treated,
    padded_cells,
)
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.treatments import Treatment, treated_landscape
from firebreak.weather.fwi import ffmc_of_moisture, fine_fuel_moisture
from firebreak.weather.scenarios import DEAD_MOISTURES, WeatherScenarios

_MOST_MOISTURE = 1.0


class Perturbation(NamedTuple):
    """A change of the fire model and the weather.

    rate_factors: of the rate of spread by fuel code, see `BehaviorModel`. wind_turn_deg: added
    to every direction. dead_moisture, breach: factors.
    """

    rate_factors: tuple[tuple[int, float], ...] = ()
    wind_turn_deg: float = 0.0
    dead_moisture: float = 1.0
    breach: float = 1.0


def perturbed(scene: Scene, change: Perturbation) -> Scene:
    """The scene as it might be if the fire model or the weather were wrong. Its fires of a set have
    the ignitions, streams of weather, durations and keys of the scene's own.

    Raises:
        InputError: nothing burns in any weather.
    """
    # What burns where was calibrated for the scene as it is: the durations are not set anew.
    model = replace(scene.conditions.model, rate_factors=change.rate_factors)
    streams = scene.streams._replace(steps=_weather(scene.scenarios, change))
    made = with_travel(replace(
        scene, conditions=replace(scene.conditions, model=model), streams=streams, travel=None,
        behavior=behavior_on_demand(scene.landscape, streams.steps, model)))
    rules = made.field.breaks
    breach = np.minimum(rules.breach * np.float32(change.breach), np.float32(1.0))
    return replace(made, travel=made.field._replace(breaks=rules._replace(breach=breach)))


def _weather(rows: WeatherScenarios, change: Perturbation) -> WeatherScenarios:
    dead = {name: np.minimum(getattr(rows, name) * change.dead_moisture, _MOST_MOISTURE)
            for name in DEAD_MOISTURES}
    # The Canadian code is the moisture of fine dead fuel on another scale.
    fine = fine_fuel_moisture(rows.fine_fuel_moisture_code) * change.dead_moisture
    code = (rows.fine_fuel_moisture_code if change.dead_moisture == 1.0
            else np.clip(ffmc_of_moisture(fine), 0.0, 101.0))
    return rows._replace(wind_from_deg=(rows.wind_from_deg + change.wind_turn_deg) % 360.0,
                         fine_fuel_moisture_code=code, **dead)


def held_by(scene: Scene, hold: HoldRule | None) -> Scene:
    """The scene with other crews at its breaks, or none; fires, durations and the initial attack
    stay.
    """
    conditions = replace(scene.conditions, hold=hold)
    if scene.travel is None:
        return replace(scene, conditions=conditions)
    rules = scene.travel.breaks._replace(ready=BreakRules().ready, crew=NO_CREWS)
    return replace(scene, conditions=conditions, travel=with_crews(
        scene.travel._replace(breaks=rules), scene.landscape, conditions))


def treated_as(scene: Scene, landscape: Landscape, treatment: Treatment) -> Scene:
    """The scene with breaks of other treatments, for fires that burn as a whole: what repairs fires
    knows one kind of break. Weather, fires and values stay.

    landscape: the scene's, whose `treatment` and `strip_m` may be others.
    """
    conditions = replace(scene.conditions, treatment=treatment)
    made = replace(scene, landscape=landscape, conditions=conditions)
    if scene.travel is None:
        return made
    own = scene.travel.breaks
    travel = scene.travel._replace(breaks=BreakRules(ground=own.ground, breach=own.breach))
    return replace(made, travel=with_breaks(travel, landscape, scene.behavior, scene.streams,
                                            conditions))


def with_states(scene: Scene, states: Sequence[Treatment], cells: NDArray[np.int64],
                ) -> Callable[[NDArray[np.int16]], Scene]:
    """A function from the state of each cell's break, [H, W], to the scene whose breaks are in
    these states; other cells do not count. It is for fires that burn as a whole: what repairs
    fires knows one kind of break.

    Args:
        states: what a cell may have become, all of it: bare ground, or fuel that burns.
        cells: flat, those that may be broken.
    """
    parts = {k: _cells_in(scene, one, cells) for k, one in enumerate(states)
             if one.kind == "shaded"}
    bare = [k for k, one in enumerate(states) if one.kind == "hard"]

    def in_states(grid: NDArray[np.int16]) -> Scene:
        treated = _laid_out(scene.field, parts, cells, grid.ravel()[cells]) if parts else None
        return replace(scene, travel=scene.field._replace(breaks=scene.field.breaks._replace(
            treated=treated, bare=np.isin(grid, bare))))

    return in_states


def _cells_in(scene: Scene, state: Treatment, cells: NDArray[np.int64]) -> Treated:
    """The part of a travel field in n cells that are in one state; P is n."""
    land = treated_landscape(scene.landscape, state)
    behavior = fire_behavior(land, scene.streams.steps, scene.conditions.model)
    made = travel_under(land, behavior, scene.streams, scene.conditions, scene.intensities)
    own = padded_cells(cells, scene.field.shape[1])
    return Treated(
        made.metric[:, own], made.unit_time[:, own], made.rate[:, own],
        made.heat[:, own] if made.heat.size else made.heat,
        made.spots._replace(cells=made.spots.cells[..., own]) if made.spots.cells.size
        else made.spots)


def _laid_out(field: TravelField, parts: Mapping[int, Treated], cells: NDArray[np.int64],
              states: NDArray[np.int16]) -> Treated:
    """The parts of cells in these states, [n], in arrays of the whole map, which have nothing
    elsewhere.
    """
    made = Treated(np.zeros_like(field.metric), np.zeros_like(field.unit_time),
                   np.zeros_like(field.rate), np.zeros_like(field.heat),
                   field.spots._replace(cells=np.zeros_like(field.spots.cells)))
    for k, part in parts.items():
        there = states == k
        own = padded_cells(cells[there], field.shape[1])
        for whole, one in zip(made[:-1], part[:-1], strict=True):
            if whole.size:
                whole[:, own] = one[:, there]
        if made.spots.cells.size:
            made.spots.cells[..., own] = part.spots.cells[..., there]
    return made
