"""The options of every command that burns fires: the map, the weather, the fires, the breaks."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from firebreak.api.shared.map_defaults import (
    CREW_KM,
    HOURS,
    WHERE,
    event_of,
    is_map,
    rows_named,
    treatment_asked,
)
from firebreak.api.shared.scene_checks import (
    check_tiled_memory,
    notice_of_ignitions,
    warn_of_hemmed_starts,
    warn_of_small_fires,
)
from firebreak.checks import fail
from firebreak.landscape.landscape import rectangle_of
from firebreak.landscape.names import is_made, is_sample, weather_place
from firebreak.reading import number_in
from firebreak.settings.kinds import (
    PERIODS,
    AtLeastOne,
    BurningHours,
    BurningPeriods,
    Count,
    Positive,
)
from firebreak.settings.planning import PLAN_FIRES
from firebreak.settings.rules import WEATHER_RULES, check
from firebreak.settings.scene import (
    DEFAULT_MOISTURE,
    DEFAULT_WIND_KM_H,
    WIND_SPREAD,
    FireSettings,
    MadeBreaks,
    ValueSettings,
    WeatherSettings,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from firebreak.fire import FireConditions, ResponseFunction, Scene, ValueLayer
    from firebreak.landscape.landscape import Landscape
    from firebreak.planning.core.limits import SearchOptions
    from firebreak.weather.scenarios import WindClimate
    from firebreak.weather.streams import WeatherStreams


@dataclass(frozen=True, kw_only=True)
class RasterOptions:
    """The rasters of a map. Rasters may be on another grid or in another projection."""

    terrain: Literal["derived", "shipped"] = "derived"
    """Slope and aspect from elevation, or the file's own."""
    crs: str | None = None
    """Coordinate reference system to use instead of the file's own."""
    value: Path | None = None
    """Value lost where a cell burns: a raster, shapes, or a CSV of points; 1 in every cell if not
    given. Shapes and points count 1 each; FILE:NAME takes their number from an attribute."""
    value_unit: str | None = None
    """Unit of the values, such as houses or EUR, for tables and figures."""
    cost: Path | None = None
    """Cost of treating a cell: a raster, or FILE:NAME for shapes with the cost in an attribute; 1
    everywhere if not given."""
    treatable: Path | None = None
    """Cells that may be treated: a raster (not 0) or shapes; all cells that burn if not given."""
    barriers: Path | None = None
    """Existing barriers, such as roads and rivers, which do not burn: a raster (not 0) or shapes.
    FILE:NAME takes their width in metres from an attribute of shapes; else roads are 10 m wide
    (assumed), and wider ground as wide as its cells. Fire may cross up to 30 m."""
    built: Path | None = None
    """Breaks that exist already, of the kind of --break-kind: a raster (not 0) or shapes. They
    stand with and without the plan, cost nothing, and are not treated again."""
    roads: Path | None = None
    """Roads, a raster (not 0) or shapes: the crews of --hold start there, and --cost-per-km is
    measured from there. They stop fire only if --barriers names them too."""
    ignitions: Path | None = None
    """Where fires start: a raster of weights, shapes, or a CSV of points (x,y or row,col or
    Year,Ncell). A point, line or polygon counts 1, shared by the cells that it covers; FILE:NAME
    takes its weight from an attribute."""


@dataclass(frozen=True, kw_only=True)
class MapOptions(ValueSettings, RasterOptions):
    """The map and what lies on it. Rasters may be on another grid or in another projection."""

    hold_in: Path | None = None
    """Where fires are fought: crews of --hold hold breaks in these cells only, a raster (not 0) or
    shapes; everywhere if not given."""
    losses: str | None = None
    layers: Path | None = None


@dataclass(frozen=True, kw_only=True)
class WeatherOptions(WeatherSettings):
    """The weather that fires burn in."""

    weather: Path | None = None
    """A weather file or folder (station CSV, .wxs, .wtr with .wnd, Weather.csv, Weathers/), or a
    .toml file with a wind rose. A Cell2Fire folder and a sample bring their own unless a wind is
    given."""


@dataclass(frozen=True, kw_only=True)
class FireOptions(FireSettings):
    """The fires."""

    burning_hours: BurningHours | None = None
    """Median hours of a burning period, on maps that are read; 8 if not given."""
    burning_periods: BurningPeriods = PERIODS
    """Burning periods of a fire; of 1.2, one fire in five has two."""


@dataclass(frozen=True, kw_only=True)
class PlanningOptions:
    """The options of every command that plans."""

    policy: Path | None = None
    """Policy file, or folder of a run, for the methods that follow a policy. If not given, one that
    comes with firebreak: shaded for shaded breaks that nobody holds, else general."""
    time_limit: Positive | None = None
    """Time limit of a method that searches, in seconds of the processor, all threads together: 10
    if not given."""
    plan_fires: AtLeastOne | None = None
    """Number of plan fires: the fires that every method is given to plan with. If not given 256,
    but on a map that is read up to 1,024, so that fires that meet value count for 100."""

    @property
    def fewest_plan_fires(self) -> int:
        """The plan fires that there are at least, before a scene tells how many are enough."""
        return self.plan_fires or PLAN_FIRES

    def search(self) -> "SearchOptions":
        """The limits of methods that search."""
        from firebreak.planning.core.limits import SearchOptions

        return SearchOptions(self.time_limit)


@dataclass(frozen=True)
class SceneOptions:
    """The options of every command that burns fires on landscapes."""

    map: MapOptions = field(default_factory=MapOptions)
    weather: WeatherOptions = field(default_factory=WeatherOptions)
    fire: FireOptions = field(default_factory=FireOptions)
    breaks: MadeBreaks = field(default_factory=MadeBreaks)
    seed: Count = 0
    """Seed of the weather, the fires and the random plans."""
    threads: Count = 0
    """Number of threads that burn fires; 0: one for each core."""
    quiet: bool = False
    """Show no progress."""
    json: bool = False
    """End with one machine-readable line."""

    @property
    def bars_hidden(self) -> bool:
        """True where progress is not shown even on a terminal."""
        return self.quiet or self.json

    def crews_words(self, conditions: "FireConditions") -> str:
        """The crews of all fires, a line below a table; nothing where fires meet nobody."""
        hold, attack = conditions.hold, conditions.attack_min
        words = []
        if hold is not None:
            bound = ("all that a fire comes to" if hold.crew_km is None
                     else f"at most {hold.crew_km:g} km in a fire")
            words.append(f"crews that hold breaks ({hold.by}, {bound})")
        if attack is not None:
            words.append(f"an initial attack after {attack:g} minutes")
        return f"Fires meet {' and '.join(words)}.\n" if words else ""

    def read(self, spec: "str | Landscape", *, moved: bool = False) -> "Landscape":
        """The landscape of `read_map`, with the treatments and the breaks that stand.

        Raises:
            InputError: a file is damaged, or does not fit.
        """
        return self.with_treatments(self.read_map(spec, moved=moved))

    def read_map(self, spec: "str | Landscape", *, moved: bool = False) -> "Landscape":
        """The landscape that was handed in, or is read, with the rasters of the options. moved: see
        `with_rasters`.

        Raises:
            InputError: a file is damaged, or does not fit.
        """
        from firebreak.landscape.formats.overlays import with_rasters
        from firebreak.landscape.formats.read import read_landscape

        given, source = self.map, spec if isinstance(spec, str) else ""
        rows_named(self.breaks)  # what is wrong there is said before a large map is read
        if isinstance(spec, str):
            if given.ignitions is None:
                notice_of_ignitions(Path(spec))
            spec = read_landscape(spec, terrain=given.terrain, crs=given.crs)
        land = with_rasters(spec, value=given.value, cost=given.cost, treatable=given.treatable,
                            barriers=given.barriers, ignition=given.ignitions, roads=given.roads,
                            fought=given.hold_in,
                            crossed=self.breaks.breach != "never"
                            and not is_made(source or spec.name), moved=moved)
        return replace(land, value_unit=self._value_unit() or land.value_unit)

    def with_treatments(self, land: "Landscape") -> "Landscape":
        """A landscape of `read_map` with the treatment of each cell, and the breaks that stand.

        Raises:
            InputError: costs by cell too, no cell that can be treated, breaks that cannot stand.
        """
        from firebreak.landscape.treatment_table import with_treatments

        if self.breaks.treatment is not None:
            land = with_treatments(land, rows_named(self.breaks), WHERE, self.breaks.break_width_m)
        return land if self.map.built is None else self._with_built(land, self.map.built)

    def with_strips(self, land: "Landscape", sources: "Iterable[object]") -> "Landscape":
        """A landscape whose bare breaks are as wide as files of them say, the widest of each cell.

        Raises:
            InputError: a width that is none.

        Warns:
            LandscapeWarning: widths below a cell of breaks that burn.
        """
        from firebreak.landscape.formats.assemble import warn
        from firebreak.landscape.treatments import with_strips
        from firebreak.planning.output.given import widths_in

        found = {source: width for source in sources
                 if isinstance(source, Path) and (width := widths_in(source, land)) is not None}
        if not found:
            return land
        widest = np.maximum.reduce([*found.values()])
        if treatment_asked(self.breaks).kind == "hard":
            return with_strips(land, widest, self.breaks.break_width_m)
        if ((widest > 0.0) & (widest < land.cell_size_m)).any():
            warn(f"{', '.join(map(str, found))}: widths below a cell of {land.cell_size_m:g} m "
                 "count as a cell, as shaded breaks are whole cells")
        return land

    def _value_unit(self) -> str | None:
        """The unit of the values, as far as the options tell.

        Raises:
            InputError: no name of a unit.
        """
        from firebreak.landscape.formats.overlays import counted_in
        from firebreak.landscape.value_unit import UNKNOWN, checked_unit, unit_of_file

        given = self.map
        if given.value_unit is not None:
            return checked_unit(given.value_unit, "--value-unit")
        if given.layers is not None:
            return UNKNOWN
        if given.value is None:
            return None
        stem = counted_in(given.value)
        return UNKNOWN if stem is None else unit_of_file(stem)

    def _with_built(self, land: "Landscape", path: Path) -> "Landscape":
        """A landscape with what the treatment leaves where breaks stand already.

        Raises:
            InputError: breaks narrower than a cell, or that fire crosses by a rule: they are no
                matter of fuel; none of them on the landscape.
        """
        from firebreak.landscape.formats.treated import with_standing_breaks
        from firebreak.landscape.raster.on_grid import mask_of

        width = self.breaks.break_width_m
        breached = self.breaks.breach not in (None, "never")
        if breached or (width is not None and width < land.cell_size_m):
            name = "--breach" if breached else "--break-width-m"
            raise fail(expected="breaks as wide as a cell that fire does not cross, or shaded ones",
                       given=f"{name} too", where="--built",
                       remedy=f"leave {name} out, or give the breaks to --must-include")
        return with_standing_breaks(land, mask_of(path, land, how="any"),
                                    treatment_asked(self.breaks), str(path))

    def conditions(self, landscape: "Landscape", spec: str) -> "FireConditions":
        """The assumptions on fires on a landscape read from `spec`."""
        from firebreak.fire import FireRegime, conditions_from

        on_map, assumed = is_map(spec or landscape), []
        fire, hours, breaks = self.fire, self.fire.burning_hours, self.breaks
        weather = self._weather(landscape, spec)
        if weather is None and on_map and self.weather.wind_20ft_km_h is None:
            weather, words = event_of(self.weather.wind_from_deg, self.seed)
            assumed.append(words)
        # A plan of an earlier version says the share that fires burn.
        if hours is None and on_map and fire.duration_min is None and fire.burned_share is None:
            hours = HOURS
            assumed.append(f"how long fires last: burning periods of {HOURS:g} hours (median); "
                           "--burning-hours gives another")
        if on_map and breaks.hold is not None and breaks.crew_km is None:
            breaks = replace(breaks, crew_km=CREW_KM)
            assumed.append(f"crews that hold at most {CREW_KM:g} km of break in one fire; "
                           "--crew-km gives another length, or unlimited")
        made = conditions_from(
            fire, breaks, climate=self._climate(),
            scenarios=self.weather.scenarios, weather=weather,
            response=_response(self.map.losses), treatment=treatment_asked(self.breaks),
            on_map=on_map,
            regime=None if hours is None else FireRegime(hours=hours,
                                                         periods=fire.burning_periods))
        return replace(made, assumed=tuple(assumed))

    def scene(self, landscape: "Landscape", spec: str, plan_fires: int = 0) -> "Scene":
        """The scene of a landscape read from `spec`, where so many plan fires fit beside it."""
        from firebreak.planning.core.fire_counts import check_planning

        conditions = self.conditions(landscape, spec)
        check_planning(landscape.shape, conditions, plan_fires, landscape.name)
        return self._made(landscape, conditions)

    def tiled_scene(self, landscape: "Landscape", spec: str, more: int = 0,
                   beside: int = 0) -> "Scene":
        """The scene of a landscape of any size read from `spec`, for fires that burn one by one.

        more: bytes of a cell that are taken beside it; beside: processes of this machine that burn
            its fires too.
        """
        from firebreak.native_library import max_threads

        conditions = self.conditions(landscape, spec)
        check_tiled_memory(landscape, conditions.stream_rows, max_threads(), more, beside)
        return self._made(landscape, conditions, tiled=True)

    def _made(self, landscape: "Landscape", conditions: "FireConditions", *,
              tiled: bool = False) -> "Scene":
        """The scene; of a real map whose fires have hours with the proposal of its fires."""
        from firebreak.fire import make_scene, with_proposal

        made = make_scene(landscape, conditions, self.seed, layers=self.layers(landscape),
                          tiled=tiled)
        warn_of_small_fires(made)
        warn_of_hemmed_starts(made)
        no_proposal = is_made(landscape.name) or conditions.regime.median_min is None
        return made if no_proposal else with_proposal(made)

    def layers(self, landscape: "Landscape") -> "list[ValueLayer] | None":
        """The values of `--layers` on a landscape's grid, 0 outside the area of a domain; None if
        not given.

        Raises:
            InputError: the file is damaged, a key unknown.
        """
        from firebreak.fire import layer_kinds, read_layers
        from firebreak.landscape.raster.parts import check_layers

        if self.map.layers is None:
            return None
        check_layers(str(self.map.layers), len(layer_kinds(self.map.layers)), landscape.shape)
        if landscape.zone is None:
            return read_layers(self.map.layers, landscape)
        inside, (row, col, rows, cols) = landscape.inside, rectangle_of(landscape.inside)
        own = np.s_[row:row + rows, col:col + cols]
        made = []
        for layer in read_layers(self.map.layers, landscape.crop(row, col, rows, cols)):
            value = np.zeros(landscape.shape, np.float32)
            value[own] = np.where(inside[own], layer.value, 0.0)
            made.append(replace(layer, value=value))
        return made

    def _climate(self) -> "WindClimate":
        from firebreak.units import M_MIN_PER_KM_H
        from firebreak.weather.scenarios import WindClimate

        given = self.weather.wind_20ft_km_h
        mean = DEFAULT_WIND_KM_H if given is None else given
        speed = mean * M_MIN_PER_KM_H
        return WindClimate(dominant_from_deg=self.weather.wind_from_deg,
                           wind_20ft_mean_m_min=speed, wind_20ft_spread_m_min=WIND_SPREAD * speed)

    def _weather(self, landscape: "Landscape", spec: str) -> "WeatherStreams | None":
        from firebreak.landscape.raster.degrees import latitude_of
        from firebreak.weather.load import weather_of

        given = self.weather
        wind = given.wind_20ft_km_h is not None or given.wind_from_deg is not None
        file = given.weather or (None if wind else own_weather(spec))
        check(replace(given, weather=file), rules=WEATHER_RULES)
        if file is None:
            return None
        return weather_of(file, scenarios=given.scenarios, hours=given.hours, seed=self.seed,
                          wind_towards=given.wind_towards,
                          moisture=given.moisture or DEFAULT_MOISTURE,
                          latitude_deg=latitude_of(landscape))


def own_weather(spec: str) -> Path | None:
    """The weather that a sample or a Cell2Fire folder brings; None for any other landscape."""
    if is_sample(spec):
        return weather_place(spec)
    if not spec or not Path(spec).is_dir():
        return None
    own = [path for path in (Path(spec) / "Weathers", Path(spec) / "Weather.csv")
           if path.exists()]
    return own[0] if own else None


def _response(losses: str | None) -> "ResponseFunction | None":
    from firebreak.fire import CLASSES, ResponseFunction

    if losses is None:
        return None
    try:
        parts = tuple(number_in(part) for part in losses.split(","))
    except ValueError:
        parts = ()
    if len(parts) != CLASSES:
        raise fail(expected=f"{CLASSES} fractions with commas between", given=f"'{losses}'",
                   where="--losses", remedy="for example 0,0.2,0.4,0.6,0.8,1")
    return ResponseFunction(name="losses", loss=parts)  # type: ignore[arg-type]
