"""A landscape in its weather: travel times, and durations at which fires burn a stated share.

Everything that burns fires on a landscape starts from a scene: the environment, the planners, the
evaluation, `firebreak simulate`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import InputError, counted, fail
from firebreak.fire.behavior.types import FireBehavior
from firebreak.fire.behavior_models import (
    behavior_in_parts,
    behavior_on_demand,
    fire_behavior,
)
from firebreak.fire.calibration import Times, calibrated_median, first_guess
from firebreak.fire.conditions import FireConditions
from firebreak.fire.effects.breach import breach_probability, in_one_cell
from firebreak.fire.effects.crews import (
    BYRAM_POWER,
    FLAME_FT,
    INTENSITY_KW_M,
    NEVER_FLAME_FT,
    NEVER_KW_M,
    SCALE_M,
    ready_min,
)
from firebreak.fire.effects.losses import (
    ValueLayer,
    byram_intensity_of_flame,
    loss_by_class,
)
from firebreak.fire.effects.spotting import spot_parameters
from firebreak.fire.engine import burn_times
from firebreak.fire.fires import (
    FireRegime,
    Fires,
    draw_fires,
    spread_out_fires,
)
from firebreak.fire.travel.arcs import NO_CREWS
from firebreak.fire.travel.shaded_breaks import treated_part
from firebreak.fire.travel.travel_field import (
    BreakRules,
    Ellipse,
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
from firebreak.landscape.treatments import break_width_m, treated_landscape
from firebreak.seeding import generator
from firebreak.units import KW_M_PER_BTU_FT_S, METRES_PER_FOOT
from firebreak.weather.scenarios import WeatherScenarios, draw_scenarios
from firebreak.weather.streams import WeatherStreams, constant

CALIBRATION_FIRES = 96


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scene:
    """One landscape, its weather and its travel field.

    Attributes:
        scenarios: weather of every row of the field; weights sum to 1.
        stream_weight: [S], probability of each stream of rows; see `streams`.
        behavior: rate of spread, heading, intensity per row and cell; worked out when it is first
            asked for where travel times do not need the whole.
        value_by_class: f32 [C, H, W], value lost where a cell burns, in C classes of flame length
            (C is 1 where flame length does not matter).
        median_duration_min: calibrated so that untreated fires burn the regime's share.
        key: names the landscape in random streams.
    """

    landscape: Landscape
    conditions: FireConditions
    scenarios: WeatherScenarios
    stream_weight: NDArray[np.float64]
    behavior: FireBehavior
    field: TravelField
    value_by_class: NDArray[np.float32]
    median_duration_min: float
    seed: int
    key: str

    @property
    def value(self) -> NDArray[np.float32]:
        """[H, W], the most that a cell can lose."""
        return self.value_by_class.max(axis=0)

    def fires(self, fire_set: str, count: int) -> Fires:
        """The first `count` fires of the set `fire_set`, the same at every call."""
        return draw_fires(self.conditions.regime, self.landscape.burnable, self.stream_weight,
                          count, self.median_duration_min, seed=self.seed, fire_set=fire_set,
                          landscape=self.key, ignition_weight=self.landscape.ignition_weight)


def make_scene(landscape: Landscape, conditions: FireConditions, seed: int,
               weather: WeatherScenarios | WeatherStreams | None = None,
               layers: list[ValueLayer] | None = None) -> Scene:
    """The scene of a landscape.

    Args:
        weather: of this landscape; the conditions' if None.
        layers: what is lost; if None, the landscape's layers, or its value with the conditions'
            response.

    Raises:
        InputError: the landscape has no burnable cell, or nothing burns in any weather.
    """
    key = landscape.fire_checksum()
    streams = streams_for(conditions, seed, key, weather)
    heat = layers is not None or conditions.by_flame or conditions.meets_crews
    if heat or conditions.reads_behavior:
        behavior = fire_behavior(landscape, streams.steps, conditions.model)
        rates = float(behavior.rate_of_spread_m_min.sum())
        travel = travel_under(landscape, behavior, streams, conditions, heat)
    else:
        behavior = behavior_on_demand(landscape, streams.steps, conditions.model)
        travel, rates = _bare_travel(landscape, streams, conditions)
    if landscape.burnable.any() and not rates > 0.0:
        raise too_wet(landscape)
    if conditions.meets_crews and not has_intensity(behavior):
        raise without_intensity(landscape)
    breaks = break_rules(landscape, behavior, streams, conditions, travel)
    breaks = with_crews(breaks, landscape, conditions)
    return Scene(
        landscape=landscape, conditions=conditions, scenarios=rows_of(streams),
        stream_weight=streams.weight, behavior=behavior, field=travel._replace(breaks=breaks),
        value_by_class=value_by_class_of(landscape, conditions, layers),
        median_duration_min=conditions.regime.duration_min or _calibrated_median(
            conditions.regime, travel, rates, landscape, streams.weight, seed, key),
        seed=seed, key=key)


def streams_for(conditions: FireConditions, seed: int, key: str,
                weather: WeatherScenarios | WeatherStreams | None) -> WeatherStreams:
    """The weather given, else the conditions', else drawn from their climate."""
    weather = conditions.weather if weather is None else weather
    if weather is None:
        weather = draw_scenarios(conditions.climate, generator(seed, "weather", key),
                                 conditions.scenarios)
    return constant(weather) if isinstance(weather, WeatherScenarios) else weather


def rows_of(streams: WeatherStreams) -> WeatherScenarios:
    """Weather of every row of a field, with weights that sum to 1."""
    share = np.repeat(streams.weight / streams.steps_per_stream, streams.steps_per_stream)
    return streams.steps._replace(weight=share)


def too_wet(landscape: Landscape) -> InputError:
    """The error to raise where nothing burns in any weather."""
    return fail(expected="fuel that burns in some weather",
                given="moistures above the fuels' extinction everywhere",
                where=f"landscape {landscape.name}", remedy="give drier weather")


def _bare_travel(landscape: Landscape, streams: WeatherStreams,
                 conditions: FireConditions) -> tuple[TravelField, float]:
    """The travel field, without embers and intensities, and the sum of all rates of spread, m/min;
    the fire behaviour is never held as a whole.
    """
    rates: list[float] = []

    def ellipses() -> Iterator[tuple[int, Ellipse]]:
        for top, part in behavior_in_parts(landscape, streams.steps, conditions.model):
            rates.append(float(part.rate_of_spread_m_min.sum()))
            yield top, ellipse_of(part)

    travel = field_from_parts(
        ellipses(), len(streams.steps.weight), landscape.burnable, landscape.cell_size_m,
        landscape.slope_tan, landscape.aspect_deg)
    if len(rates) > 1:
        give_back_freed()
    return in_streams(travel, streams.steps_per_stream, streams.step_min), sum(rates)


def travel_under(landscape: Landscape, behavior: FireBehavior, streams: WeatherStreams,
                 conditions: FireConditions, heat: bool) -> TravelField:
    """The travel field of a landscape's fire behaviour in these streams; breaks are bare cells.

    heat: with intensities.
    """
    travel = field_from_ellipse(
        ellipse_of(behavior), landscape.burnable, landscape.cell_size_m, landscape.slope_tan,
        landscape.aspect_deg)
    travel = in_streams(travel, streams.steps_per_stream, streams.step_min)
    if conditions.spotting is not None:
        embers = spot_parameters(conditions.spotting, behavior, streams.steps, landscape)
        travel = travel._replace(spots=spots_on(embers, landscape.cell_size_m))
    if not heat:
        return travel
    # Classes are of flame length, which in crown fire is another function of intensity than
    # Byram's: taken is the intensity that has this flame length by Byram's.
    intensity = KW_M_PER_BTU_FT_S * byram_intensity_of_flame(
        behavior.flame_length_m / METRES_PER_FOOT)
    return travel._replace(heat=heat_of(travel, intensity, landscape.slope_tan,
                                        landscape.aspect_deg))


def break_rules(landscape: Landscape, behavior: FireBehavior, streams: WeatherStreams,
                conditions: FireConditions, travel: TravelField) -> BreakRules:
    """What the conditions' breaks do on a landscape."""
    treatment, size = conditions.treatment, landscape.cell_size_m
    if treatment.kind == "shaded":
        treated = treated_landscape(landscape, treatment)
        after = fire_behavior(treated, streams.steps, conditions.model)
        part = travel_under(treated, after, streams, conditions, bool(travel.heat.size))
        return BreakRules(leak=conditions.leak, treated=treated_part(travel, part))
    width = break_width_m(treatment, size)
    rules = BreakRules(leak=conditions.leak, lost=max(0.0, 1.0 - width / size))
    if conditions.breach == "never":
        return rules
    # The worst hour of a stream decides, for fire may meet the break in any of them.
    chance = breach_probability(behavior.fireline_intensity_kw_m, behavior.flame_length_m, width,
                                conditions.breach)
    by_step = in_one_cell(chance, size).reshape(-1, streams.steps_per_stream, *landscape.shape)
    return rules._replace(breach=pad(by_step.max(axis=1).astype(np.float32)))


def with_crews(rules: BreakRules, landscape: Landscape, conditions: FireConditions) -> BreakRules:
    """The rules of breaks with what crews can do on a landscape."""
    if not conditions.meets_crews:
        return rules
    hold, by_flame = conditions.hold, landscape.fuels.held_by_flame
    scale, power = (SCALE_M, BYRAM_POWER) if by_flame else (1.0, 1.0)
    never = NEVER_FLAME_FT * METRES_PER_FOOT if by_flame else NEVER_KW_M
    crew = NO_CREWS._replace(scale=scale, power=power, never=never)
    if conditions.attack_min is not None:
        crew = crew._replace(attack_min=conditions.attack_min,
                             cell_ha=landscape.cell_size_m**2 / 10_000.0)
    if hold is None:
        return rules._replace(crew=crew)
    cells = np.inf if hold.crew_km is None else np.ceil(
        hold.crew_km * 1000.0 / landscape.cell_size_m)
    always = FLAME_FT[hold.by] * METRES_PER_FOOT if by_flame else INTENSITY_KW_M[hold.by]
    return rules._replace(ready=pad(ready_min(hold, landscape.shape, landscape.road_m))[None],
                          crew=crew._replace(always=always, cells=float(cells)))


def has_intensity(behavior: FireBehavior) -> bool:
    """Whether any fire has an intensity, which says what crews can do."""
    burns = behavior.rate_of_spread_m_min > 0.0
    return bool((behavior.fireline_intensity_kw_m[burns] > 0.0).any())


def without_intensity(landscape: Landscape) -> InputError:
    """The error to raise where crews meet fires that spread without intensity."""
    return fail(expected="fires with an intensity, by which crews hold breaks and attack fires",
                given="fires without one", where=f"landscape {landscape.name}",
                remedy="leave out --hold and --initial-attack here")


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


def value_by_class_of(landscape: Landscape, conditions: FireConditions,
                      layers: list[ValueLayer] | None) -> NDArray[np.float32]:
    """Value lost where a cell burns, f32 [C, H, W], see `Scene`."""
    if layers is not None:
        return loss_by_class(layers)
    if conditions.layers:
        return loss_by_class(_layers_of(landscape, conditions))
    if conditions.response is None:
        return landscape.value[None]
    return loss_by_class([ValueLayer(name="value", value=landscape.value,
                                     response=conditions.response)])


def _layers_of(landscape: Landscape, conditions: FireConditions) -> list[ValueLayer]:
    if len(landscape.layers) != len(conditions.layers):
        raise fail(expected=f"{counted(len(conditions.layers), 'value layer')}",
                   given=f"{len(landscape.layers)}", where=f"landscape {landscape.name}",
                   remedy="use landscapes on which these layers lie")
    return [kind.on(grid) for kind, grid in zip(conditions.layers, landscape.layers, strict=True)]


def _calibrated_median(regime: FireRegime, travel: TravelField, rates_m_min: float,
                       landscape: Landscape, weight: NDArray[np.float64], seed: int,
                       key: str) -> float:
    # No cell burns: that is refused below.
    cells = max(len(travel.rate) * int(landscape.burnable.sum()), 1)
    return median_on(regime, landscape, weight, seed, key, rates_m_min / cells, burn_times(travel))


def median_on(regime: FireRegime, landscape: Landscape, weight: NDArray[np.float64], seed: int,
              key: str, mean_rate_m_min: float, burn: Callable[[Fires], Times]) -> float:
    """The median duration on a landscape; see `calibration`. `mean_rate_m_min` starts the search
    and changes no bit.
    """
    unit = spread_out_fires(regime, landscape.burnable, weight, CALIBRATION_FIRES, seed=seed,
                            landscape=key, ignition_weight=landscape.ignition_weight)
    cells = int(landscape.burnable.sum())
    guess = first_guess(regime.burned_share, cells, landscape.cell_size_m, mean_rate_m_min)
    return calibrated_median(unit, cells, regime.burned_share, guess, burn)
