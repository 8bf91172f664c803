"""From a configuration to landscapes: the training source, validation problems, test scenes.

The three splits never share a cell. Synthetic ones come from streams of different names; windows
come from blocks of a map that belong to one split only.
"""

from dataclasses import dataclass
from pathlib import Path

from firebreak.agent.dqn import DQNSettings
from firebreak.agent.schedules import LinearSchedule
from firebreak.checks import fail
from firebreak.env.problem import Problem
from firebreak.env.sources import (
    LandscapeDraw,
    ProblemSource,
    synthetic_landscapes,
    treat_inside,
    window_landscapes,
)
from firebreak.fire.fires import FireRegime
from firebreak.fire.losses import ResponseFunction
from firebreak.fire.potential import BehaviorModel
from firebreak.fire.scenario_sets import weather_of
from firebreak.fire.scene import FireConditions, Scene, make_scene
from firebreak.fire.spotting import SpottingModel
from firebreak.fire.weather import WindClimate
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.readers import read_landscape
from firebreak.landscape.treatments import Treatment
from firebreak.landscape.windows import Window, aggregate, list_windows, split_blocks
from firebreak.planning.methods import check_methods
from firebreak.train.config import AgentConfig, RunConfig
from firebreak.units import M_MIN_PER_KM_H

SPLIT_SHARES = (0.6, 0.2, 0.2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Splits:
    """What a run trains, is validated and tested on.

    test: scenes by the name of their source, e.g. {"synthetic": [...]}.
    """

    train: ProblemSource
    validation: list[Problem]
    test: dict[str, list[Scene]]


def conditions_of(config: RunConfig, data: Path) -> FireConditions:
    """Weather, fires and breaks as the fire layer wants them.

    Raises:
        InputError: the weather file is missing or damaged.
    """
    fires, breaks = config.fires, config.breaks
    climate = WindClimate(wind_20ft_mean_m_min=fires.wind_20ft_km_h * M_MIN_PER_KM_H,
                          wind_20ft_spread_m_min=fires.wind_spread_km_h * M_MIN_PER_KM_H,
                          direction_spread_deg=fires.wind_direction_spread_deg)
    regime = FireRegime(burned_share=fires.burned_share, duration_sigma=fires.duration_sigma,
                        edge_share=fires.edge_share, duration_min=fires.duration_min)
    if fires.weather is None and fires.hours is not None:
        raise fail(expected="fires.weather together with fires.hours", given="none",
                   where="fires.hours", remedy="name the weather file whose hours to burn in")
    weather = None if fires.weather is None else weather_of(
        data / fires.weather, scenarios=fires.scenarios, hours=fires.hours, seed=config.seed,
        moisture=fires.moisture)
    return FireConditions(
        climate=climate, regime=regime, scenarios=fires.scenarios, weather=weather,
        spread=fires.spread, model=BehaviorModel(crown=fires.crown),
        treatment=Treatment(kind=breaks.kind, width_m=breaks.width_m, fuel_model=breaks.fuel),
        breach=breaks.breach, leak=breaks.leak,
        response=None if fires.losses is None else ResponseFunction(
            name="losses", loss=tuple(fires.losses)),  # type: ignore[arg-type]
        spotting=SpottingModel() if fires.spotting else None)


def settings_of(agent: AgentConfig) -> DQNSettings:
    """The agent's settings."""
    return DQNSettings(
        epsilon=LinearSchedule(agent.epsilon, agent.epsilon_end, 0, agent.epsilon_steps),
        discount=LinearSchedule(agent.discount, agent.discount_end, agent.discount_begin,
                                agent.discount_finish),
        learning_rate=LinearSchedule(agent.learning_rate, agent.learning_rate_end,
                                     agent.decay_begin, agent.decay_finish),
        width=agent.width, batch_size=agent.batch_size, n_step=agent.n_step,
        gradient_clip=agent.gradient_clip, target_period=agent.target_period,
        guided=agent.guided, guided_cells=agent.guided_cells)


def make_splits(config: RunConfig, data: Path) -> Splits:
    """The splits of a configuration; `data` is the folder that maps are relative to.

    Raises:
        InputError: a map is missing or too small for the windows and blocks asked for, or a method
            to compare with is unknown.
    """
    check_methods(config.evaluation.methods, "evaluation.methods")
    if config.landscapes.kind == "synthetic":
        return _synthetic_splits(config, data)
    return _window_splits(config, data)


def _synthetic_splits(config: RunConfig, data: Path) -> Splits:
    land, held_out = config.landscapes, config.evaluation
    conditions = conditions_of(config, data)
    full = land.size + 2 * land.margin

    def draw(split: str) -> ProblemSource:
        made = synthetic_landscapes(full, split, land.family)
        return _source(config, conditions, (full, full),
                       lambda seed, episode: treat_inside(made(seed, episode), land.margin))

    validation, test = draw("validation"), draw("test")
    seed = held_out.test_seed
    return Splits(
        train=draw("train"),
        validation=[validation.problem(seed, i, {"fires": "validation-"})
                    for i in range(held_out.validation_landscapes)],
        test={"synthetic": [make_scene(test.landscape(seed, i), test.conditions, seed)
                            for i in range(held_out.test_landscapes)]})


def _window_splits(config: RunConfig, data: Path) -> Splits:
    land, held_out = config.landscapes, config.evaluation
    if not land.maps:
        raise fail(expected="maps to cut windows from", given="none", where="landscapes.maps",
                   remedy="name at least one landscape file or folder")
    full = land.size + 2 * land.margin
    conditions = conditions_of(config, data)
    maps = [_joined(data, name, land.aggregate) for name in land.maps]
    blocks = [split_blocks(m.shape, land.block, SPLIT_SHARES, seed=0) for m in maps]
    train = _source(config, conditions, (full, full), window_landscapes(
        [(m, b["train"]) for m, b in zip(maps, blocks, strict=True)], land.size, land.margin,
        "train", land.turned))
    windows = _windows(config, [(m, b["validation"]) for m, b in zip(maps, blocks, strict=True)],
                       held_out.validation_landscapes)
    test = {name: _scenes(config, conditions,
                          _windows(config, [(m, b["test"])], held_out.test_landscapes))
            for name, m, b in zip(land.maps, maps, blocks, strict=True)}
    for name in land.test_maps:
        other = _joined(data, name, land.aggregate)
        whole = [Window(row=0, col=0, rows=other.shape[0], cols=other.shape[1])]
        test[name] = _scenes(config, conditions,
                             _windows(config, [(other, whole)], held_out.test_landscapes))
    return Splits(
        train=train, test=test,
        validation=[_validation_problem(train, windows, held_out.test_seed, i)
                    for i in range(held_out.validation_landscapes)])


def _validation_problem(source: ProblemSource, windows: list[Landscape], seed: int,
                        index: int) -> Problem:
    """Windows by turns, in other weather at each turn: few windows still tell policies apart."""
    turn, window = divmod(index, len(windows))
    return source.problem(seed + turn, index, {"landscape": windows[window],
                                               "fires": "validation-"})


def _joined(data: Path, name: str, factor: int) -> Landscape:
    if not (data / name).exists():
        raise fail(expected=f"the map '{name}' in the data folder", given="nothing there",
                   where=str(data / name),
                   remedy="name the folder of the maps with --data or FIREBREAK_DATA")
    land = read_landscape(data / name)
    return aggregate(land, factor) if factor > 1 else land


def _windows(config: RunConfig, maps: list[tuple[Landscape, list[Window]]],
             most: int) -> list[Landscape]:
    """At most `most` windows that do not overlap, with their margins."""
    land = config.landscapes
    full = land.size + 2 * land.margin
    found = [(m, w) for m, blocks in maps for w in list_windows(blocks, full, full, m)]
    return [treat_inside(m.crop(w.row, w.col, w.rows, w.cols), land.margin)
            for m, w in found[:most]]


def _scenes(config: RunConfig, conditions: FireConditions,
            windows: list[Landscape]) -> list[Scene]:
    return [make_scene(w, conditions, config.evaluation.test_seed) for w in windows]


def _source(config: RunConfig, conditions: FireConditions, shape: tuple[int, int],
            draw: LandscapeDraw) -> ProblemSource:
    return ProblemSource(shape=shape, landscape=draw, conditions=conditions,
                         budget_share=config.budget, plan_fires=config.fires.plan_fires,
                         reward_fires=config.fires.reward_fires)
