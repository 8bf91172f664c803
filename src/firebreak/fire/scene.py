"""A landscape in its weather, with its breaks' rules, its values and its fires.

Everything that burns fires on a landscape starts from a scene: the environment, the planners, the
evaluation, `firebreak simulate`. A scene holds the travel field of all weather, or, where it is
tiled, none: travel times are then worked out where fires come, one stream of weather after the
other. The fires, and the sums over them, have the same bits.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import counted, fail
from firebreak.fire.behavior.types import FireBehavior
from firebreak.fire.conditions import FireConditions
from firebreak.fire.effects.losses import ValueLayer, loss_by_class
from firebreak.fire.fires import Fires, draw_fires
from firebreak.fire.proposal import Proposal
from firebreak.fire.spread import behavior_in_bands, spread_on
from firebreak.fire.travel.stencil import REACH
from firebreak.fire.travel.travel_field import TravelField
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.raster.windows import Window
from firebreak.seeding import generator
from firebreak.weather.scenarios import WeatherScenarios, draw_scenarios
from firebreak.weather.streams import WeatherStreams, constant, with_later

RIM = 4 * REACH
"""An arc crosses cells at most REACH away, which read what lies as far again; bare ground reads the
fuel beside it, no further."""
PROBE_SET, NUMBER_SET = "proposal", "number"
"""Sets of fires that find a proposal, and how many fires that it draws are enough."""
PROPOSED = ("plan", "choice", "test", NUMBER_SET)
"""Sets of fires that are drawn by a proposal: those that plan, choose and judge, and that."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scene:
    """One landscape and its weather.

    Attributes:
        value_by_class: f32 [C, H, W], value lost where a cell burns, in C classes of flame length
            (C is 1 where flame length does not matter).
        intensities: fires have them: what is lost goes by flame length, or fires meet crews.
        median_duration_min: calibrated so that untreated fires burn the regime's share.
        key: names the landscape in random streams.
        behavior: rate of spread, heading, intensity per row of weather and cell; worked out when it
            is first asked for where travel times do not need the whole.
        travel: the travel field of all rows of weather; None where the scene is tiled.
        proposal: where the fires of PROPOSED sets are drawn; None: as often as fires start there.
        meets: plain draws that one of these fires is worth, of draws that meet value; None where
            no probe fires were burned.
    """

    landscape: Landscape
    conditions: FireConditions
    streams: WeatherStreams
    value_by_class: NDArray[np.float32]
    intensities: bool
    median_duration_min: float
    seed: int
    key: str
    behavior: FireBehavior
    travel: TravelField | None
    proposal: Proposal | None = None
    meets: float | None = None

    @property
    def field(self) -> TravelField:
        """The travel field; of a scene that is not tiled."""
        assert self.travel is not None, "a tiled scene holds no travel field"
        return self.travel

    @property
    def tiled(self) -> bool:
        """True where travel times are worked out where fires come, and not held."""
        return self.travel is None

    @property
    def scenarios(self) -> WeatherScenarios:
        """Weather of every row of a field; weights sum to 1."""
        steps = self.streams.steps_per_stream
        return self.streams.steps._replace(weight=np.repeat(self.streams.weight / steps, steps))

    @property
    def value(self) -> NDArray[np.float32]:
        """[H, W], the most that a cell can lose."""
        return self.value_by_class.max(axis=0)

    def fires(self, fire_set: str, count: int) -> Fires:
        """The first `count` fires of the set `fire_set`, the same at every call; with weights where
        there is a proposal and the set is one of PROPOSED.
        """
        fires = draw_fires(self.conditions.regime, self.landscape.burnable, self.streams.weight,
                           count, self.median_duration_min, seed=self.seed, fire_set=fire_set,
                           landscape=self.key, ignition_weight=self.landscape.ignition_weight)
        if self.proposal is None or fire_set not in PROPOSED:
            return fires
        draws = tuple(generator(self.seed, "fires", fire_set, self.key, f"proposed {name}")
                      .random(count) for name in ("share", "weather", "start", "weight"))
        return self.proposal.applied(fires, self.streams.weight, draws)

    def part(self, window: Window, stream: int | None = None) -> "Scene":
        """A window as a scene that is not tiled: its weather, or one stream of it, its breaks and
        values. Fires that stay RIM cells away from what the window cuts have the bits of this
        scene's.
        """
        land = window.of(self.landscape)
        streams = self.streams if stream is None else one_stream(self.streams, stream)
        behavior, field = spread_on(land, streams, self.conditions, self.intensities)
        return Scene(
            landscape=land, conditions=self.conditions, streams=streams,
            value_by_class=np.ascontiguousarray(self.value_by_class[:, *window.slices]),
            intensities=self.intensities, median_duration_min=self.median_duration_min,
            seed=self.seed, key=self.key, behavior=behavior, travel=field)

    def mean_behavior(self, breaks: NDArray[np.bool_] | None,
                      mean: Callable[[FireBehavior], dict[str, NDArray]]) -> dict[str, NDArray]:
        """Maps f64 [H, W] made of the fire behaviour of all rows of weather, band by band, so that
        it is never held as a whole.

        mean: makes maps [h, W] by name of the behaviour [R, h, W] of a band.
        """
        maps: dict[str, NDArray] = {}
        for window, part in behavior_in_bands(self.landscape, self.streams.steps, self.conditions,
                                              breaks):
            for name, band in mean(part).items():
                maps.setdefault(name, np.empty(self.landscape.shape))[window.slices] = band
        return maps


def streams_for(conditions: FireConditions, seed: int, key: str,
                weather: WeatherScenarios | WeatherStreams | None) -> WeatherStreams:
    """The weather given, else the conditions', else drawn from their climate."""
    weather = conditions.weather if weather is None else weather
    if weather is None:
        weather = draw_scenarios(conditions.climate, generator(seed, "weather", key),
                                 conditions.scenarios)
    streams = constant(weather) if isinstance(weather, WeatherScenarios) else weather
    later = conditions.regime.most_periods - 1
    if later == 0:
        return streams
    return with_later(streams, later, generator(seed, "weather of later periods", key))


def one_stream(streams: WeatherStreams, stream: int) -> WeatherStreams:
    """One stream of weather alone, behind it those of the later burning periods of its fires."""
    count, every = streams.steps_per_stream, [stream, *streams.later[stream:stream + 1].ravel()]
    rows = np.concatenate([np.arange(own * count, (own + 1) * count) for own in every])
    steps = WeatherScenarios(*(values[rows] for values in streams.steps))
    weight = np.array([1.0, *np.zeros(len(every) - 1)])
    later = np.tile(np.arange(1, len(every)), (len(every), 1))
    return WeatherStreams(steps, count, streams.step_min, weight, later)


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
