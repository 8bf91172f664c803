"""Landscapes of a configuration: training sources, validation problems, test scenes.

The three splits never share a cell. Synthetic landscapes come from streams of different names;
windows come from blocks of a map that belong to one split only.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from firebreak.agent.network import network_of
from firebreak.agent.policy_file import Policy
from firebreak.checks import fail
from firebreak.env.sources import (
    LandscapeDraw,
    ProblemSource,
    synthetic_landscapes,
    treat_inside,
    window_landscapes,
)
from firebreak.env.storage.problem import Problem
from firebreak.fire import FireConditions, Scene, layer_grids, layer_kinds, make_scene
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.names import beside, is_sample, path_of
from firebreak.landscape.raster.windows import (
    Window,
    aggregate,
    list_windows,
    split_blocks,
    window_positions,
)
from firebreak.landscape.synthetic.generate import DEFAULT_CELL_SIZE_M
from firebreak.planning.core.rounds import PlanningCase
from firebreak.planning.methods import check_case, check_policy
from firebreak.train.config.schema import RunConfig
from firebreak.train.config.setup import (
    Treat,
    all_treated,
    check_cell_sizes,
    check_fuel_systems,
    conditions_of,
    mixture_of,
    synthetic_systems,
    treat_as,
    treated_draw,
)
from firebreak.train.data.sizes import check_memory

SPLIT_SHARES = (0.6, 0.2, 0.2)
SMALLER = "smaller landscapes (landscapes.size)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Splits:
    """Land that a run trains, is validated and tested on.

    train: a source for each map size; validation: problems for each of these.
    test: scenes by the name of their source, e.g. {"synthetic": [...]}; a run needs none of them
    until it has ended.
    """

    train: tuple[ProblemSource, ...]
    validation: tuple[list[Problem], ...]
    test: Mapping[str, Sequence[Scene]]


class LaterScenes(Sequence[Scene]):
    """Scenes of landscapes, made when the first of them is asked for: a scene is many times as
    large as its landscape.
    """

    def __init__(self, landscapes: list[Landscape], conditions: FireConditions, seed: int) -> None:
        self.landscapes, self.conditions, self.seed = landscapes, conditions, seed
        self._made: list[Scene] = []

    def __len__(self) -> int:
        return len(self.landscapes)

    def __getitem__(self, place: Any) -> Any:
        if not self._made:
            self._made = [make_scene(one, self.conditions, self.seed) for one in self.landscapes]
        return self._made[place]


class _Map(NamedTuple):
    """A map joined to a cell size, and the blocks of each split."""

    name: str
    landscape: Landscape
    blocks: dict[str, list[Window]]


def make_splits(config: RunConfig, data: Path) -> Splits:
    """The splits of a configuration; `data` is the folder that maps are relative to.

    Raises:
        InputError: a map is missing or too small for the windows and blocks asked for, or the run
            does not fit the memory that is free.
    """
    land, held_out = config.landscapes, config.evaluation
    conditions = conditions_of(config, data)
    maps = _maps(config, data) if land.kind == "windows" else []
    drawn = [DEFAULT_CELL_SIZE_M] if land.kind == "synthetic" else []
    check_cell_sizes(conditions, [*(m.landscape.cell_size_m for m in maps), *drawn])
    check_fuel_systems(config, [*(m.landscape.fuel_system for m in maps),
                                *(synthetic_systems(config) if drawn else [])])
    sizes, treat = config.mixture.sizes or [land.size], treat_as(config, conditions, data)
    train = tuple(source_of(config, conditions, size, _training_draw(config, maps, size, treat))
                  for size in sizes)
    check_memory(config, train)
    each = -(-held_out.validation_landscapes // len(sizes))
    return Splits(
        train=train,
        validation=tuple(_validation(config, source, maps, size, each, treat)
                         for source, size in zip(train, sizes, strict=True)),
        test=_test_scenes(config, conditions, maps, data, treat))


def check_compared(config: RunConfig, splits: Splits) -> None:
    """Refuses methods that cannot follow the policy that a run will train, or that cannot plan for
    its test landscapes.

    Raises:
        InputError: naming the method.
    """
    with torch.device("meta"):  # shapes only: nothing is drawn
        policy = Policy(network_of(config.agent), {})
    for method in config.evaluation.methods:
        check_policy(method, policy)
        for scenes in splits.test.values():
            assert isinstance(scenes, LaterScenes), "the test scenes of a run are made after it"
            for land in scenes.landscapes:
                check_case(method, PlanningCase(land, scenes.conditions, config.fires.plan_fires,
                                                SMALLER))


def source_of(config: RunConfig, conditions: FireConditions, size: int,
              draw: LandscapeDraw) -> ProblemSource:
    """The problems of a configuration on the landscapes drawn."""
    full = size + 2 * config.landscapes.margin
    return ProblemSource(shape=(full, full), landscape=draw, conditions=conditions,
                         budget_share=config.budget, plan_fires=config.fires.plan_fires,
                         reward_fires=config.fires.reward_fires, mixture=mixture_of(config),
                         lines=config.agent.segments)


def _training_draw(config: RunConfig, maps: list[_Map], size: int, treat: Treat) -> LandscapeDraw:
    """Landscapes to train on: synthetic, or windows."""
    land = config.landscapes
    if land.kind == "synthetic":
        return _synthetic(config, size, "train", treat)
    places = [(m.landscape, where) for m, where in _fitting(maps, size + 2 * land.margin, "train")]
    return treated_draw(window_landscapes(places, size, land.margin, "train", land.turned), treat)


def _synthetic(config: RunConfig, size: int, split: str, treat: Treat) -> LandscapeDraw:
    """Synthetic landscapes of a split."""
    margin = config.landscapes.margin
    draw = synthetic_landscapes(size + 2 * margin, split, config.landscapes.family,
                                config.mixture.fbp)
    return treated_draw(lambda seed, episode: treat_inside(draw(seed, episode), margin), treat)


def _fitting(maps: list[_Map], full: int, split: str) -> list[tuple[_Map, NDArray[np.int32]]]:
    """The maps in whose blocks of a split windows fit, and the places of these.

    Raises:
        InputError: none fits.
    """
    places = [(m, window_positions(m.blocks[split], full, full, m.landscape)) for m in maps]
    fitting = [(m, where) for m, where in places if len(where)]
    if not fitting:
        raise fail(expected=f"windows of {full} x {full} cells, half of them burnable, in the "
                            f"{split} blocks", given="none", where=", ".join(m.name for m in maps),
                   remedy="use a smaller window, larger blocks or another map")
    return fitting


def _validation(config: RunConfig, source: ProblemSource, maps: list[_Map], size: int,
                count: int, treat: Treat) -> list[Problem]:
    """Problems of the validation split; windows do not overlap and come by turns, in other weather
    at each turn: few windows still distinguish policies.
    """
    seed = config.evaluation.test_seed
    if config.landscapes.kind == "synthetic":
        draw = _synthetic(config, size, "validation", treat)
        return [source.problem(seed, i, {"landscape": draw(seed, i), "fires": "validation-"})
                for i in range(count)]
    windows = all_treated(_windows(config, maps, "validation", size, count), treat)
    problems = []
    for i in range(count):
        turn, window = divmod(i, len(windows))
        problems.append(source.problem(seed + turn, i, {"landscape": windows[window],
                                                        "fires": "validation-"}))
    return problems


def _test_scenes(config: RunConfig, conditions: FireConditions, maps: list[_Map],
                 data: Path, treat: Treat) -> Mapping[str, Sequence[Scene]]:
    """Scenes of the size and cell size that the landscapes table names."""
    land, held_out = config.landscapes, config.evaluation
    seed = held_out.test_seed

    def scenes(landscapes: list[Landscape]) -> Sequence[Scene]:
        for one in landscapes:  # of one size; the scenes are made after training
            check_cell_sizes(conditions, [one.cell_size_m])
        return LaterScenes(landscapes, conditions, seed)

    if land.kind == "synthetic":
        draw = _synthetic(config, land.size, "test", treat)
        return {"synthetic": scenes([draw(seed, i) for i in range(held_out.test_landscapes)])}
    found: dict[str, Sequence[Scene]] = {}
    for name in land.test_maps:
        whole = aggregate(read_map(config, data, name), land.aggregate)
        maps = [*maps, _Map(name, whole, {"test": [Window(0, 0, *whole.shape)]})]
    for one in maps:
        found[one.name] = scenes(all_treated(_windows(config, [one], "test", land.size,
                                                      held_out.test_landscapes), treat))
    return found


def _maps(config: RunConfig, data: Path) -> list[_Map]:
    """Maps joined to their cell size, with the blocks of each split."""
    land = config.landscapes
    if not land.maps:
        raise fail(expected="maps to cut windows from", given="none", where="landscapes.maps",
                   remedy="name at least one landscape file or folder")
    joined = [aggregate(read_map(config, data, name), land.aggregate) for name in land.maps]
    return [_Map(name, one, split_blocks(one.shape, land.block, SPLIT_SHARES, seed=0))
            for name, one in zip(land.maps, joined, strict=True)]


def read_map(config: RunConfig, data: Path, name: str) -> Landscape:
    """A map of the data folder, with the value layers of the configuration."""
    where = beside(data, name)
    if not path_of(where).exists():
        raise fail(expected=f"the map '{name}' in the data folder", given="no such file",
                   where=str(where),
                   remedy="name the folder of the maps with --data or FIREBREAK_DATA")
    # GDAL takes 20 MB, which a run on synthetic landscapes has no use for.
    from firebreak.landscape.formats.read import read_landscape

    read = read_landscape(where)
    if is_sample(where):  # its edge is for plans; many windows have none of it to treat
        read = replace(read, treatable=read.burnable)
    if config.fires.layers is None:
        return read
    from firebreak.landscape.raster.parts import check_layers

    path = data / config.fires.layers
    check_layers(str(path), len(layer_kinds(path)), read.shape)
    return replace(read, layers=layer_grids(path, read))


def _windows(config: RunConfig, maps: list[_Map], split: str, size: int,
             most: int) -> list[Landscape]:
    """At most `most` windows that do not overlap, with their margins, from each map by turns."""
    margin = config.landscapes.margin
    full = size + 2 * margin
    listed = [[(m.landscape, w) for w in list_windows(m.blocks[split], full, full, m.landscape)]
              for m, _ in _fitting(maps, full, split)]
    turns = [own[k] for k in range(max(map(len, listed))) for own in listed if k < len(own)]
    return [treat_inside(m.crop(w.row, w.col, full, full), margin) for m, w in turns[:most]]
