"""The environment `firebreak/Fuelbreak-v0` with the options of the commands: on synthetic land that
is new in every episode, or on a landscape of the caller's.
"""

from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from annotated_types import Ge, Le

from firebreak.api.given import Source, source_of
from firebreak.api.options import filled, verb
from firebreak.api.shared.scene_options import (
    FireOptions,
    MapOptions,
    SceneOptions,
    WeatherOptions,
)
from firebreak.checks import fail, unknown_name
from firebreak.env.gym_env import FuelbreakEnv, FuelbreakVectorEnv
from firebreak.env.sources import (
    LandscapeDraw,
    ProblemSource,
    always,
    synthetic_landscapes,
)
from firebreak.fire import FireConditions, layer_grids, layer_kinds
from firebreak.landscape.synthetic.families import FAMILIES
from firebreak.settings.kinds import AtLeastOne, Share
from firebreak.settings.planning import BUDGET
from firebreak.settings.scene import MadeBreaks
from firebreak.settings.schema import leaves

MOST_CELLS = 256 * 256
"""Cells of a landscape, at most: each is an action, and a part of every observation."""


@dataclass(frozen=True, kw_only=True)
class EnvironmentOptions:
    """The options of an environment."""

    size: Annotated[int, Ge(8), Le(256)] = 20
    """Rows and columns of synthetic land, which is used where no landscape is given."""
    family: str | None = None
    """Family of synthetic land; drawn by episode if not given."""
    area: str | None = None
    """Part of the landscape to treat, as of `plan`."""
    budget: Share = BUDGET
    """Share of the treatable cells' cost that may be spent."""
    plan_fires: AtLeastOne = 64
    """Number of fires that the observation is made from."""
    reward_fires: AtLeastOne = 64
    """Number of fires, which the observation does not show, that the reward is made from."""
    lines: bool = False
    """Actions are straight lines of cells instead of single cells."""
    map: MapOptions = field(default_factory=MapOptions)
    weather: WeatherOptions = field(default_factory=WeatherOptions)
    fire: FireOptions = field(default_factory=FireOptions)
    breaks: MadeBreaks = field(default_factory=MadeBreaks)


@verb(EnvironmentOptions)
def make_env(render_mode: str | None = None, landscape: Source | None = None,
             source: ProblemSource | None = None, **options: Any) -> FuelbreakEnv:
    """Make one environment: `gymnasium.make("firebreak/Fuelbreak-v0", ...)`.

    Args:
        render_mode: "rgb_array" for pictures of uint8 [8 H, 8 W, 3].
        landscape: a path or name that the commands take, or what `read_landscape` returned; every
            episode is on it, with fires of its own. None: synthetic land, new in every episode.
        source: where problems come from, instead of all other options.

    Raises:
        InputError: one sentence that says what was expected, what was given, and what to do.
    """
    _check_render_mode(render_mode)
    return FuelbreakEnv(source or source_with(landscape, options), render_mode)


@verb(EnvironmentOptions)
def make_vector_env(num_envs: int = 1, render_mode: str | None = None,
                    landscape: Source | None = None, source: ProblemSource | None = None,
                    **options: Any) -> FuelbreakVectorEnv:
    """Make environments that burn together: `gymnasium.make_vec("firebreak/Fuelbreak-v0", N,
    vectorization_mode="vector_entry_point", ...)`.

    Args:
        num_envs: their number.
        render_mode, landscape, source: as of `make_env`.

    Raises:
        InputError: one sentence that says what was expected, what was given, and what to do.
    """
    _check_render_mode(render_mode)
    if not isinstance(num_envs, int) or num_envs < 1:
        raise fail(expected="a whole number of at least 1", given=repr(num_envs)[:40],
                   where="num_envs", remedy="give the number of environments")
    return FuelbreakVectorEnv(source or source_with(landscape, options), num_envs, render_mode)


def _check_render_mode(render_mode: str | None) -> None:
    modes = FuelbreakEnv.metadata["render_modes"]
    if render_mode is not None and render_mode not in modes:
        raise unknown_name("render mode", str(render_mode), modes, "render_mode")


def source_with(landscape: Source | None, options: dict[str, Any]) -> ProblemSource:
    """The problems that options ask for.

    Raises:
        InputError: options that are none or out of bounds, a landscape that does not fit.
    """
    asked = filled(EnvironmentOptions, options, "environment")
    scene = SceneOptions(map=asked.map, weather=asked.weather, fire=asked.fire, breaks=asked.breaks)
    if landscape is None:
        _check_synthetic(asked)
        if asked.family is not None and asked.family not in FAMILIES:
            raise unknown_name("family", asked.family, FAMILIES, "environment")
        draw = synthetic_landscapes(asked.size, "train", asked.family)
        return _posed(asked, (asked.size, asked.size), draw, scene.conditions(draw(0, 0), ""))
    for name in ("size", "family"):
        if name in options:
            raise fail(expected=f"no {name} beside a landscape, which has its own",
                       given=repr(options[name])[:40], where=name, remedy="leave one of them out")
    given = source_of(landscape, "environment")
    land = scene.read(given)
    if asked.area is not None:
        from firebreak.planning.core.area import named_area

        land, _ = named_area(land, asked.area)
    if land.fuel_model.size > MOST_CELLS:
        raise fail(expected=f"a landscape of at most {MOST_CELLS:,} cells (256 x 256)",
                   given=f"{land.shape[0]} x {land.shape[1]}", where="landscape",
                   remedy="name a part of it with area")
    conditions = scene.conditions(land, given if isinstance(given, str) else "")
    if (path := asked.map.layers) is not None:
        land = replace(land, layers=layer_grids(path, land))
        conditions = replace(conditions, layers=layer_kinds(path))
    return replace(_posed(asked, land.shape, always(land), conditions), one_land=True)


def _check_synthetic(asked: EnvironmentOptions) -> None:
    """Refuse options of a map without one: land that is new in every episode cannot heed them."""
    for name, leaf in leaves(EnvironmentOptions).items():
        if leaf.path[0] in ("map", "area") and leaf.of(asked) != leaf.default:
            raise fail(expected=f"a landscape together with {name}", given="none", where=name,
                       remedy="give landscape, or leave it out")


def _posed(asked: EnvironmentOptions, shape: tuple[int, int], draw: LandscapeDraw,
           conditions: "FireConditions") -> ProblemSource:
    return ProblemSource(shape=shape, landscape=draw, conditions=conditions,
                         budget_share=asked.budget, plan_fires=asked.plan_fires,
                         reward_fires=asked.reward_fires, lines=asked.lines)
