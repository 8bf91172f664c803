"""Folds of land: every block tests once, splits share no cell, nothing is copied."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firebreak.checks import InputError
from firebreak.landscape.raster.windows import Window, cut_blocks
from firebreak.landscape.synthetic.generate import generate
from firebreak.train.config.load import load_config
from firebreak.train.data.folds import (
    Store,
    cut_windows,
    make_folds,
    make_store,
    splits_of,
)
from tiny import TINY

CONFIG = load_config("quick", [*TINY, "landscapes.size=10"])


def windows_in(store: Store, blocks: np.ndarray) -> list[tuple[int, Window]]:
    """(place of the landscape, rectangle) of blocks."""
    return [(place, Window(*rectangle)) for place, *rectangle in store.blocks[blocks].tolist()]


def blocks(rows: list[tuple[int, int, int, int, int]]) -> np.ndarray:
    return np.array(rows, np.int32).reshape(-1, 5)


@pytest.fixture(scope="module")
def store() -> Store:
    """Two maps of four blocks each."""
    maps = (generate(1, 40, family=None), generate(2, 30, family=None))
    return Store(maps, blocks([(place, b.row, b.col, b.rows, b.cols)
                               for place, one in enumerate(maps)
                               for b in cut_blocks(one.shape, 15)]))


@pytest.mark.slow
@given(st.integers(3, 40), st.integers(3, 40), st.integers(0, 2**31))
def test_every_block_tests_once_and_no_split_shares_one(count: int, folds: int, seed: int) -> None:
    row = Store((generate(1, 40),), blocks([(0, 0, k, 1, 1) for k in range(count)]))
    if folds > count:
        with pytest.raises(InputError, match=f"at most {count} folds, as many as there are blocks"):
            make_folds(row, folds, seed)
        return
    made = make_folds(row, folds, seed)
    assert len(made) == folds
    assert sorted(np.concatenate([fold.test for fold in made]).tolist()) == list(range(count))
    for fold in made:
        parts = [set(part.tolist()) for part in fold]
        assert all(parts)
        assert sum(map(len, parts)) == count == len(set.union(*parts))
    sizes = [len(fold.test) for fold in made]
    assert max(sizes) - min(sizes) <= 1


def test_folds_are_views_of_one_read_only_array(store: Store) -> None:
    folds = make_folds(store, 4, 1)
    base = folds[0].train.base
    assert base is not None
    for fold in folds:
        for part in fold:
            assert np.shares_memory(part, base)
            assert not part.flags.writeable


def test_windows_are_views_of_the_store_and_of_their_split_only(store: Store) -> None:
    times = [np.zeros(land.shape, int) for land in store.landscapes]
    for fold in make_folds(store, 4, 1):
        for window in cut_windows(CONFIG, store, fold.test, 100):
            place = next(k for k, land in enumerate(store.landscapes)
                         if window.name.startswith(land.name + "["))
            assert np.shares_memory(window.fuel_model, store.landscapes[place].fuel_model)
            own = np.zeros(store.landscapes[place].shape, bool)
            for at, block in windows_in(store, fold.test):
                if at == place:
                    own[block.slices] = True
            row, col = (int(part.split(":")[0]) for part in window.name.rsplit("[")[1].split(","))
            assert own[row:row + 10, col:col + 10].all()
            times[place][row:row + 10, col:col + 10] += 1
    assert all(one.max() == 1 for one in times)  # no cell is tested on twice


def test_training_draws_lie_in_the_training_blocks(store: Store) -> None:
    config = replace(CONFIG, landscapes=replace(CONFIG.landscapes, turned=False))
    fold = make_folds(store, 4, 1)[0]
    splits = splits_of(config, store, fold, Path())
    allowed = windows_in(store, fold.train)
    for episode in range(40):
        window = splits.train[0].landscape(3, episode)
        inside = [np.shares_memory(window.fuel_model,
                                   store.landscapes[place].fuel_model[block.slices])
                  for place, block in allowed]
        assert sum(inside) == 1
    held_out = {problem.scene.key for problem in splits.validation[0]}
    assert not held_out & {scene.key for scene in splits.test["fold"]}
    assert splits.test["fold"]
    assert held_out


def test_synthetic_land_is_one_block_each() -> None:
    store = make_store(load_config("quick", [*TINY, "trials.landscapes=7"]), Path())
    assert len(store.landscapes) == len(store.blocks) == 7
    assert len({land.checksum() for land in store.landscapes}) == 7


def test_fewer_than_three_folds_are_refused(store: Store) -> None:
    with pytest.raises(InputError, match="3 folds or more"):
        make_folds(store, 2, 0)
