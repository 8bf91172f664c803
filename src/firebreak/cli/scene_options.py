"""The options of every command that burns fires: the map, the weather, the fires, the breaks."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from firebreak.checks import fail
from firebreak.cli.scene_checks import check_memory, warn_of_small_fires

if TYPE_CHECKING:
    from firebreak.fire.losses import ResponseFunction, ValueLayer
    from firebreak.fire.scene import FireConditions, Scene
    from firebreak.fire.streams import WeatherStreams
    from firebreak.landscape.landscape import Landscape
    from firebreak.landscape.treatments import Treatment

DEFAULT_WIND_KM_H = 16.2
MOST_WIND_KM_H = 150.0
WIND_SPREAD = 0.45  # standard deviation of the wind speed over its mean


@dataclass
class MapOptions:
    """The map and what lies on it. Rasters may be on another grid or in another projection."""

    terrain: Literal["derived", "shipped"] = "derived"
    """Slope and aspect from elevation, or the file's own."""
    crs: str | None = None
    """Coordinate reference system to use instead of the file's own."""
    value: Path | None = None
    """Raster of what is lost where a cell burns; 1 everywhere if not given."""
    losses: str | None = None
    """Share of the value lost by flame length: six fractions for flames below 2 ft, 2-4, 4-6, 6-8,
    8-12 and above 12 ft, such as 0,0.2,0.4,0.6,0.8,1; all of it in any flame if not given."""
    layers: Path | None = None
    """Several values, each with its own losses, instead of --value and --losses: a .toml with a
    [[layer]] for each: raster, and if wanted name, weight, and losses as six fractions."""
    cost: Path | None = None
    """Raster of what it costs to treat a cell; 1 everywhere if not given."""
    treatable: Path | None = None
    """Raster of the cells that may be treated (not 0); all that burn if not given."""
    barriers: Path | None = None
    """Raster of what stops fire already (not 0): roads, rivers, breaks that are there."""
    ignitions: Path | None = None
    """Where fires start: a raster of weights, or a CSV of points (x,y or row,col or Year,Ncell)."""


@dataclass
class WeatherOptions:
    """The weather that fires burn in."""

    scenarios: int = 8
    """Weather scenarios; of a weather file, at most so many."""
    wind_20ft_km_h: float | None = None
    """Draw the weather, with this mean wind speed 20 ft above the vegetation; 16.2 if not given."""
    wind_from_deg: float | None = None
    """Draw the weather, with this main wind direction; drawn from the seed if not given."""
    weather: Path | None = None
    """A weather file or folder (station CSV, .wxs, .wtr with .wnd, Weather.csv, Weathers/), or a
    .toml with a wind rose. A Cell2Fire folder brings its own unless a wind is given."""
    hours: int | None = None
    """Let the weather of a file change by the hour, over so many hours."""
    year: int | None = None
    """Year of a .wtr and .wnd, which do not say."""
    wind_towards: bool = False
    """The file's directions are those the wind blows to, as C2F-W takes them with FBP fuels."""
    moisture: str | None = None
    """Fuel moisture of files that do not say: D1L1 (dry) to D4L4 (Scott & Burgan 2005); D2L2 if not
    given."""


@dataclass
class FireOptions:
    """The fires."""

    burned_share: float = 0.15
    """Mean share of the burnable cells that an untreated fire burns; durations are set for it."""
    duration_min: float | None = None
    """Median duration in minutes, instead of the one that follows from the share."""
    edge_share: float = 0.0
    """Share of fires that enter from the map's edge."""
    spread: Literal["front", "graph"] = "front"
    """Elliptical front, or the fast eight-neighbour graph (too slow a fire under wind)."""
    crown: Literal["none", "finney", "scott-reinhardt", "cruz"] = "finney"
    """Crown fire where there are crowns: Finney 1998 (as FlamMap: torching trees do not quicken the
    fire), Scott & Reinhardt 2001, Cruz et al. 2005 (they do), or none. The FBP System has its
    own."""
    wind_limit: Literal["none", "rothermel", "andrews"] = "none"
    """Wind above which fire runs no faster: none, of Rothermel 1972, or of Andrews et al. 2013."""
    length_to_width: Literal["behave", "anderson", "behaveplus"] = "behave"
    """Published form of the ellipse's length to width."""
    spotting: bool = False
    """Crowning cells throw embers, which may cross breaks (Sardoy et al. 2008)."""


@dataclass
class BreakOptions:
    """What a break is, for plans and fires that meet them."""

    break_kind: Literal["hard", "shaded"] = "hard"
    """Bare ground, or less fuel under fewer and higher crowns, which burns."""
    break_width_m: float | None = None
    """Width of the bare strip; the whole cell if not given. It holds every fire unless a rule of
    --breach says otherwise."""
    break_fuel: int | None = None
    """Fuel code of a shaded break; the least load of the same kind if not given."""
    breach: Literal["never", "wilson", "wilson-trees", "flame-length"] = "never"
    """By which rule fire crosses a hard break: never, Wilson 1988 (with or without trees beside
    it), or where flames are longer than two thirds of the width."""
    leak: bool = False
    """Fire passes between two breaks, or a break and bare ground, that touch at a corner."""

    def treatment(self) -> "Treatment":
        """What a treated cell becomes."""
        from firebreak.landscape.treatments import Treatment

        return Treatment(kind=self.break_kind, width_m=self.break_width_m,
                         fuel_model=self.break_fuel)


@dataclass
class SceneOptions:
    """The options of every command that burns fires on landscapes."""

    map: MapOptions = field(default_factory=MapOptions)
    weather: WeatherOptions = field(default_factory=WeatherOptions)
    fire: FireOptions = field(default_factory=FireOptions)
    breaks: BreakOptions = field(default_factory=BreakOptions)
    seed: int = 0
    """Names the weather, the fires and the random plans."""
    threads: int = 0
    """Threads that burn fires; 0 = all cores."""
    quiet: bool = False
    """No progress bars."""
    json: bool = False
    """End with one machine-readable line."""

    @property
    def bars_hidden(self) -> bool:
        """Whether progress is not shown even on a terminal."""
        return self.quiet or self.json

    def read(self, spec: str) -> "Landscape":
        """The landscape that a command was given, with the rasters of its options."""
        from firebreak.landscape.rasters import with_rasters
        from firebreak.landscape.readers import read_landscape

        given = self.map
        land = read_landscape(spec, terrain=given.terrain, crs=given.crs)
        return with_rasters(land, value=given.value, cost=given.cost, treatable=given.treatable,
                            barriers=given.barriers, ignition=given.ignitions)

    def conditions(self, landscape: "Landscape", spec: str) -> "FireConditions":
        """What is assumed of fires on a landscape read from `spec`."""
        from firebreak.fire.fires import FireRegime
        from firebreak.fire.potential import BehaviorModel
        from firebreak.fire.scene import FireConditions
        from firebreak.fire.spotting import SpottingModel
        from firebreak.fire.weather import WindClimate
        from firebreak.units import M_MIN_PER_KM_H

        fire, breaks, weather = self.fire, self.breaks, self.weather
        mean = DEFAULT_WIND_KM_H if weather.wind_20ft_km_h is None else weather.wind_20ft_km_h
        if not 0.0 < mean <= MOST_WIND_KM_H:
            raise fail(expected=f"a mean wind above 0, up to {MOST_WIND_KM_H:g} km/h",
                       given=f"{mean:g}", where="--wind-20ft-km-h", remedy="16 is usual")
        speed = mean * M_MIN_PER_KM_H
        return FireConditions(
            climate=WindClimate(dominant_from_deg=weather.wind_from_deg,
                                wind_20ft_mean_m_min=speed,
                                wind_20ft_spread_m_min=WIND_SPREAD * speed),
            regime=FireRegime(burned_share=fire.burned_share, edge_share=fire.edge_share,
                              duration_min=fire.duration_min),
            scenarios=weather.scenarios, weather=self._weather(landscape, spec),
            spread=fire.spread,
            model=BehaviorModel(crown=fire.crown, wind_limit=fire.wind_limit,
                                length_to_width=fire.length_to_width),
            treatment=breaks.treatment(),
            breach=breaks.breach, leak=breaks.leak, response=_response(self.map.losses),
            spotting=SpottingModel() if fire.spotting else None)

    def scene(self, landscape: "Landscape", spec: str) -> "Scene":
        """The scene of a landscape read from `spec`."""
        from firebreak.fire.scene import make_scene

        conditions = self.conditions(landscape, spec)
        check_memory(landscape, conditions.rows)
        made = make_scene(landscape, conditions, self.seed, layers=self.layers(landscape))
        warn_of_small_fires(made)
        return made

    def layers(self, landscape: "Landscape") -> "list[ValueLayer] | None":
        """The values of `--layers` on a landscape's grid; None if not given.

        Raises:
            InputError: the file is damaged, a key unknown, or another option says the same.
        """
        from firebreak.cli.value_layers import read_layers

        if self.map.layers is None:
            return None
        if self.map.value is not None or self.map.losses is not None:
            raise fail(expected="--layers, or --value and --losses", given="both",
                       where="--layers", remedy="put the value and its losses into the layers")
        return read_layers(self.map.layers, landscape)

    def _weather(self, landscape: "Landscape", spec: str) -> "WeatherStreams | None":
        from firebreak.fire.scenario_sets import DEFAULT_MOISTURE, weather_of
        from firebreak.landscape.rasters import latitude_of

        given = self.weather
        drawn = [name for name in ("wind_20ft_km_h", "wind_from_deg")
                 if getattr(given, name) is not None]
        if given.weather is not None and drawn:
            raise fail(expected="a weather file or a wind to draw weather around",
                       given="both", where=f"--weather and --{drawn[0].replace('_', '-')}",
                       remedy="leave one of them out")
        path = given.weather or (None if drawn else _own_weather(Path(spec)))
        if path is None:
            _check_no_file_options(given)
            return None
        return weather_of(path, scenarios=given.scenarios, hours=given.hours, seed=self.seed,
                          year=given.year, wind_towards=given.wind_towards,
                          moisture=given.moisture or DEFAULT_MOISTURE,
                          latitude_deg=latitude_of(landscape))


def _check_no_file_options(given: WeatherOptions) -> None:
    """Options that only say how to read a weather file mean nothing without one."""
    asked = {"--hours": given.hours is not None, "--year": given.year is not None,
             "--wind-towards": given.wind_towards, "--moisture": given.moisture is not None}
    for option, used in asked.items():
        if used:
            raise fail(expected=f"--weather together with {option}", given="none", where=option,
                       remedy="name the weather file that it is about, or leave it out")


def _own_weather(spec: Path) -> Path | None:
    """The weather that a Cell2Fire folder brings."""
    if not spec.is_dir():
        return None
    own = [spec / name for name in ("Weathers", "Weather.csv") if (spec / name).exists()]
    return own[0] if own else None


def _response(losses: str | None) -> "ResponseFunction | None":
    from firebreak.fire.losses import CLASSES, ResponseFunction

    if losses is None:
        return None
    try:
        parts = tuple(float(part) for part in losses.split(","))
    except ValueError:
        parts = ()
    if len(parts) != CLASSES:
        raise fail(expected=f"{CLASSES} fractions with commas between", given=f"'{losses}'",
                   where="--losses", remedy="for example 0,0.2,0.4,0.6,0.8,1")
    return ResponseFunction(name="losses", loss=parts)  # type: ignore[arg-type]
