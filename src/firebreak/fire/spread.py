"""Spread of fire on a landscape in its weather: travel fields, what breaks and crews do in them,
and what is refused because nothing burns.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import InputError, fail
from firebreak.fire.behavior.types import FireBehavior
from firebreak.fire.behavior_models import CELLS_HELD, behavior_in_parts, fire_behavior
from firebreak.fire.conditions import FireConditions
from firebreak.fire.effects.breaks import (
    BYRAM_POWER,
    FLAME_FT,
    INTENSITY_KW_M,
    NEVER_FLAME_FT,
    NEVER_KW_M,
    SCALE_M,
    TESTED_KW_M,
    TREES_WITHIN_M,
    breach_probability,
    in_one_cell,
    ready_min,
)
from firebreak.fire.effects.losses import byram_intensity_of_flame
from firebreak.fire.effects.spotting import spot_parameters
from firebreak.fire.travel.arcs import NO_CREWS
from firebreak.fire.travel.bare_ground import carried_over, codes_of, passable, with_trees
from firebreak.fire.travel.breaks import treated_part
from firebreak.fire.travel.travel_field import (
    BreakRules,
    TravelField,
    ellipse_of,
    field_from_ellipse,
    field_from_parts,
    heat_of,
    in_streams,
    pad,
    spots_on,
)
from firebreak.free_memory import give_back_freed
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.raster.windows import Window
from firebreak.landscape.treatments import Treatment, bare_of, strips_of, treated_landscape
from firebreak.units import KW_M_PER_BTU_FT_S, METRES_PER_FOOT
from firebreak.weather.scenarios import WeatherScenarios
from firebreak.weather.streams import WeatherStreams

BAND_CELLS = 500_000  # times rows of weather, whose fire behaviour is held at once
_SAMPLED = 200  # cells along a side of the sample that is looked at first


def spread_on(landscape: Landscape, streams: WeatherStreams, conditions: FireConditions,
              intensities: bool) -> tuple[FireBehavior, TravelField]:
    """Fire behaviour and travel field of a landscape, its breaks and crews included.

    intensities: fires have them.
    """
    behavior = fire_behavior(landscape, streams.steps, conditions.model)
    field = travel_under(landscape, behavior, streams, conditions, intensities)
    return behavior, with_breaks(field, landscape, behavior, streams, conditions)


def bare_travel(landscape: Landscape, streams: WeatherStreams,
                conditions: FireConditions) -> TravelField:
    """The travel field, without embers and intensities; the fire behaviour is never held as a
    whole.
    """
    parts = behavior_in_parts(landscape, streams.steps, conditions.model)
    travel = field_from_parts(
        ((top, ellipse_of(part)) for top, part in parts), len(streams.steps.weight),
        landscape.burnable, landscape.cell_size_m, landscape.slope_tan, landscape.aspect_deg)
    if travel.rate.size > CELLS_HELD:
        give_back_freed()
    return _in_streams(travel, streams)


def _in_streams(travel: TravelField, streams: WeatherStreams) -> TravelField:
    made = in_streams(travel, streams.steps_per_stream, streams.step_min)
    return made._replace(later=streams.later)


def travel_under(landscape: Landscape, behavior: FireBehavior, streams: WeatherStreams,
                 conditions: FireConditions, intensities: bool) -> TravelField:
    """The travel field of a landscape's fire behaviour in these streams, with bare ground that fire
    may cross; breaks are bare cells.

    intensities: fires have them.
    """
    codes, own = codes_of(landscape), behavior
    behavior = carried_over(own, landscape, codes, streams.steps.wind_from_deg)
    travel = field_from_ellipse(
        ellipse_of(behavior), passable(landscape, codes), landscape.cell_size_m,
        landscape.slope_tan, landscape.aspect_deg)
    travel = _in_streams(travel, streams)
    if codes.size:
        rules = BreakRules(ground=codes, breach=_by_stream(
            bare_ground_crossed(landscape, behavior, codes), landscape, streams))
        travel = travel._replace(breaks=rules)
    if conditions.spotting is not None:
        embers = spot_parameters(conditions.spotting, own, streams.steps, landscape)
        travel = travel._replace(spots=spots_on(embers, landscape.cell_size_m))
    if not intensities:
        return travel
    # Classes are of flame length, which in crown fire is another function of intensity than
    # Byram's: taken is the intensity that has this flame length by Byram's.
    intensity = KW_M_PER_BTU_FT_S * byram_intensity_of_flame(
        behavior.flame_length_m / METRES_PER_FOOT)
    return travel._replace(heat=heat_of(travel, intensity, landscape.slope_tan,
                                        landscape.aspect_deg))


def with_breaks(travel: TravelField, landscape: Landscape, behavior: FireBehavior,
                streams: WeatherStreams, conditions: FireConditions) -> TravelField:
    """The travel field with what the conditions' breaks and crews do."""
    rules = _break_rules(travel, landscape, behavior, streams, conditions)
    return with_crews(travel._replace(breaks=rules), landscape, conditions)


def _break_rules(travel: TravelField, landscape: Landscape, behavior: FireBehavior,
                 streams: WeatherStreams, conditions: FireConditions) -> BreakRules:
    treatment, rules = conditions.treatment, travel.breaks._replace(leak=conditions.leak)
    if treatment.kind == "shaded":
        treated = treated_landscape(landscape, treatment)
        after = fire_behavior(treated, streams.steps, conditions.model)
        part = travel_under(treated, after, streams, conditions, bool(travel.heat.size))
        rules = rules._replace(treated=treated_part(travel, part))
        if not treatment.mixed:
            return rules
        rules = rules._replace(bare=bare_of(landscape, treatment))
    width = strips_of(landscape, treatment)
    rules = rules._replace(lost=left_of(landscape, treatment))
    if conditions.breach == "never":
        return rules
    chance = breach_probability(behavior.fireline_intensity_kw_m, behavior.flame_length_m, width,
                                conditions.breach)
    crossed = _by_stream(chance, landscape, streams)
    if rules.ground.size:
        crossed = np.where(pad(rules.ground) > 0, rules.breach, crossed)
    return rules._replace(breach=crossed)


def left_of(landscape: Landscape, treatment: Treatment) -> float | NDArray[np.float32]:
    """The share of a cell that a break of bare ground leaves, see `BreakRules.lost`."""
    left = np.maximum(0.0, 1.0 - strips_of(landscape, treatment) / landscape.cell_size_m)
    if treatment.mixed and np.any(left > 0.0):
        left = np.where(bare_of(landscape, treatment), left, 1.0)
    return float(left) if left.ndim == 0 else left.astype(np.float32)


def _by_stream(chance: NDArray[np.float64], landscape: Landscape,
               streams: WeatherStreams) -> NDArray[np.float32]:
    """The chance [S, P] to cross within one cell, of that [R, H, W] to cross within the front of
    the data. The worst hour of a stream decides, for fire may meet the break in any of them.
    """
    by_step = in_one_cell(chance, landscape.cell_size_m).reshape(
        -1, streams.steps_per_stream, *landscape.shape)
    return pad(by_step.max(axis=1).astype(np.float32))


def bare_ground_crossed(landscape: Landscape, behavior: FireBehavior,
                        codes: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Probability [R, H, W] that a fire with this behaviour crosses bare ground of these codes."""
    assert landscape.bare_m is not None
    cells, found = np.flatnonzero(codes), np.zeros(behavior.fireline_intensity_kw_m.shape)
    there = (grid.reshape(len(grid), -1)[:, cells]
             for grid in (behavior.fireline_intensity_kw_m, behavior.flame_length_m))
    intensity, flame = np.minimum(next(there), TESTED_KW_M), next(there)
    trees = with_trees(landscape, TREES_WITHIN_M).ravel()[cells]
    width = landscape.bare_m.ravel()[cells].astype(np.float64)
    found.reshape(len(found), -1)[:, cells] = np.where(
        trees, *(breach_probability(intensity, flame, width, rule)
                 for rule in ("wilson-trees", "wilson")))
    return found


def with_crews(travel: TravelField, landscape: Landscape,
               conditions: FireConditions) -> TravelField:
    """The travel field with what crews can do on a landscape."""
    if not conditions.meets_crews:
        return travel
    hold, by_flame, size = conditions.hold, landscape.fuels.held_by_flame, landscape.cell_size_m
    scale, power = (SCALE_M, BYRAM_POWER) if by_flame else (1.0, 1.0)
    never = NEVER_FLAME_FT * METRES_PER_FOOT if by_flame else NEVER_KW_M
    crew = NO_CREWS._replace(scale=scale, power=power, never=never)
    if conditions.attack_min is not None:
        crew = crew._replace(attack_min=conditions.attack_min, cell_ha=size**2 / 10_000.0)
    rules = travel.breaks
    if hold is not None:
        cells = np.inf if hold.crew_km is None else np.ceil(hold.crew_km * 1000.0 / size)
        always = FLAME_FT[hold.by] * METRES_PER_FOOT if by_flame else INTENSITY_KW_M[hold.by]
        crew = crew._replace(always=always, cells=float(cells))
        rules = rules._replace(ready=pad(ready_min(
            hold, landscape.shape, landscape.road_m, landscape.fought))[None])
    return travel._replace(breaks=rules._replace(crew=crew))


def behavior_under(landscape: Landscape, weather: WeatherScenarios, conditions: FireConditions,
                   breaks: NDArray[np.bool_] | None) -> FireBehavior:
    """Fire behaviour with breaks in place, bool [H, W]: none in hard ones, in shaded ones that of
    the fuel they leave.
    """
    own = fire_behavior(landscape, weather, conditions.model)
    if breaks is None or not breaks.any():
        return own
    treated = treated_landscape(landscape, conditions.treatment)
    other = fire_behavior(treated, weather, conditions.model)
    return FireBehavior(**{name: np.where(breaks, getattr(other, name), grid)
                           for name, grid in own._asdict().items()})


def behavior_in_bands(landscape: Landscape, weather: WeatherScenarios, conditions: FireConditions,
                      breaks: NDArray[np.bool_] | None = None,
                      ) -> Iterator[tuple[Window, FireBehavior]]:
    """Fire behaviour of windows that cover a map, with breaks in place: of rows of it, or of parts
    of one where rows of weather are many.
    """
    (height, width), cells = landscape.shape, max(1, BAND_CELLS // weather.weight.size)
    down, across = max(1, cells // width), min(cells, width)
    for top in range(0, height, down):
        for left in range(0, width, across):
            window = Window(top, left, min(down, height - top), min(across, width - left))
            yield window, behavior_under(window.of(landscape), weather, conditions,
                                         None if breaks is None else breaks[window.slices])


def check_burns(landscape: Landscape, rows: WeatherScenarios, conditions: FireConditions) -> None:
    """Refuses a landscape on which nothing burns; looks no further than at what burns.

    Raises:
        InputError: no cell burns in any weather, or none has an intensity that crews go by.
    """
    if not landscape.burnable.any():
        return
    burns = False
    for land in (_sample(landscape), landscape):
        for _, behavior in behavior_in_bands(land, rows, conditions):
            burns = burns or bool((behavior.rate_of_spread_m_min > 0.0).any())
            if burns and (not conditions.meets_crews or has_intensity(behavior)):
                return
    raise without_intensity(landscape) if burns else too_wet(landscape)


def mean_rate(landscape: Landscape, rows: WeatherScenarios, conditions: FireConditions) -> float:
    """Mean rate of spread of a sample of burnable cells, m/min."""
    land = _sample(landscape)
    total = sum(float(behavior.rate_of_spread_m_min[:, land.burnable[window.slices]].sum())
                for window, behavior in behavior_in_bands(land, rows, conditions))
    return total / max(int(land.burnable.sum()) * rows.weight.size, 1)


def _sample(landscape: Landscape) -> Landscape:
    """Cells at even distances."""
    every = -(-max(landscape.shape) // _SAMPLED)
    return landscape.map_grids(lambda grid: grid[::every, ::every])


def has_intensity(behavior: FireBehavior) -> bool:
    """Return whether any fire has an intensity, which says what crews can do."""
    burns = behavior.rate_of_spread_m_min > 0.0
    return bool((behavior.fireline_intensity_kw_m[burns] > 0.0).any())


def too_wet(landscape: Landscape) -> InputError:
    """The error to raise where nothing burns in any weather."""
    return fail(expected="fuel that burns in some weather",
                given="moistures above the fuels' extinction everywhere",
                where=f"landscape {landscape.name}", remedy="give drier weather")


def without_intensity(landscape: Landscape) -> InputError:
    """The error to raise where crews meet fires that spread without intensity."""
    return fail(expected="fires with an intensity, by which crews hold breaks and attack fires",
                given="fires without one", where=f"landscape {landscape.name}",
                remedy="leave out --hold and --initial-attack here")
