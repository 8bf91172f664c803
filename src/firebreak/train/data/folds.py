"""Spatial folds: blocks of land dealt to k folds, each the test of one split and none twice.

All land lies in one read-only store; a fold is a slice of one array of block numbers, a window is a
view of its map. Nothing is copied for a split.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import fail
from firebreak.env.sources import synthetic_landscapes, treat_inside, window_landscapes
from firebreak.env.storage.problem import Problem
from firebreak.fire import make_scene
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.raster.windows import Window, aggregate, cut_blocks, list_windows
from firebreak.landscape.raster.windows import window_positions as positions
from firebreak.seeding import generator
from firebreak.train.config.schema import RunConfig
from firebreak.train.config.setup import (
    all_treated,
    check_cell_sizes,
    check_fuel_systems,
    conditions_of,
    treat_as,
    treated_draw,
)
from firebreak.train.data.splits import Splits, read_map, source_of


class Store(NamedTuple):
    """landscapes: read-only. blocks: int32 [B, 5], place of the landscape, row, col, rows, cols."""

    landscapes: tuple[Landscape, ...]
    blocks: NDArray[np.int32]


class Fold(NamedTuple):
    """Numbers of the blocks to train on, to choose by and to test on, views of one array."""

    train: NDArray[np.int64]
    validation: NDArray[np.int64]
    test: NDArray[np.int64]


def make_store(config: RunConfig, data: Path) -> Store:
    """The land of a configuration: its maps cut into blocks, or synthetic landscapes, each a block.

    Blocks in which no window fits are left out.

    Raises:
        InputError: a map is missing, there are several sizes, or settings that do not go together.
    """
    land = config.landscapes
    if len(config.mixture.sizes) > 1:
        raise fail(expected="one map size", given=f"{len(config.mixture.sizes)}",
                   where="mixture.sizes", remedy="leave the others out")
    full = land.size + 2 * land.margin
    if land.kind == "synthetic":
        draw = synthetic_landscapes(full, "trials", land.family, config.mixture.fbp)
        maps = [draw(config.evaluation.test_seed, i) for i in range(config.trials.landscapes)]
    else:
        maps = [aggregate(read_map(config, data, name), land.aggregate) for name in land.maps]
    check_cell_sizes(conditions_of(config, data), [one.cell_size_m for one in maps])
    check_fuel_systems(config, [one.fuel_system for one in maps])
    side = max(land.block, full) if land.kind == "windows" else full
    blocks = [(place, block.row, block.col, block.rows, block.cols)
              for place, one in enumerate(maps) for block in cut_blocks(one.shape, side)
              if len(positions([block], full, full, one))]
    table = np.array(blocks, np.int32).reshape(-1, 5)
    table.flags.writeable = False
    return Store(tuple(maps), table)


def make_folds(store: Store, folds: int, seed: int) -> list[Fold]:
    """The splits of all folds; `seed` says which blocks go where.

    Raises:
        InputError: fewer than 3 folds, or fewer blocks than folds.
    """
    count = len(store.blocks)
    if folds < 3:
        raise fail(expected="3 folds or more: to train on, to choose by and to test on",
                   given=f"{folds}", where="--folds", remedy="5 are usual")
    if folds > count:
        raise fail(expected=f"at most {count} folds, as many as there are blocks of land",
                   given=f"{folds}", where="--folds",
                   remedy="use fewer folds, smaller blocks (landscapes.block) or more land")
    order = generator(seed, "folds").permutation(count)
    order_twice = np.concatenate([order, order])  # so that every split is three slices of it
    order_twice.flags.writeable = False
    ends = np.linspace(0, count, folds + 1).astype(int)
    ends = np.concatenate([ends, count + ends[1:]]).tolist()
    return [Fold(train=order_twice[ends[k + 2]:ends[k + folds]],
                 validation=order_twice[ends[k + 1]:ends[k + 2]],
                 test=order_twice[ends[k]:ends[k + 1]]) for k in range(folds)]


def splits_of(config: RunConfig, store: Store, fold: Fold, data: Path) -> Splits:
    """Land that one fold trains, is validated and tested on."""
    conditions = conditions_of(config, data)
    land, held_out = config.landscapes, config.evaluation
    full, seed = land.size + 2 * land.margin, held_out.test_seed
    places = [(store.landscapes[place], found) for place, blocks in _by_landscape(
        store, fold.train).items()
        if len(found := positions(blocks, full, full, store.landscapes[place]))]
    draw = window_landscapes(places, land.size, land.margin, "train", land.turned)
    treat = treat_as(config, conditions, data)
    source = source_of(config, conditions, land.size, treated_draw(draw, treat))
    problems: list[Problem] = []
    for i, one in enumerate(all_treated(cut_windows(
            config, store, fold.validation, held_out.validation_landscapes), treat)):
        problems.append(source.problem(seed, i, {"landscape": one, "fires": "validation-"}))
    scenes = [make_scene(one, conditions, seed)
              for one in all_treated(cut_windows(config, store, fold.test,
                                                 held_out.test_landscapes), treat)]
    return Splits(train=(source,), validation=(problems,), test={"fold": scenes})


def cut_windows(config: RunConfig, store: Store, blocks: NDArray[np.int64],
                most: int) -> list[Landscape]:
    """At most `most` windows of these blocks that do not overlap, views of their maps."""
    land = config.landscapes
    full = land.size + 2 * land.margin
    found = []
    for place, own in _by_landscape(store, blocks).items():
        whole = store.landscapes[place]
        found += [treat_inside(window.of(whole), land.margin)
                  for window in list_windows(own, full, full, whole)]
    return found[:most]


def _by_landscape(store: Store, blocks: NDArray[np.int64]) -> dict[int, list[Window]]:
    found: dict[int, list[Window]] = {}
    for place, *rectangle in store.blocks[np.sort(blocks)].tolist():
        found.setdefault(place, []).append(Window(*rectangle))
    return found
