"""Counts that say whether a plan can be built."""

from dataclasses import replace

import numpy as np

from firebreak.landscape.candidates.corridor import Corridor, corridor_of
from firebreak.landscape.candidates.corridors.ground import ground_of
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.output.buildable import Counts, counts_of, words_of

SIZE = 30


def flat(houses: tuple[tuple[int, int], ...] = (), bare: tuple[int, ...] = ()) -> Landscape:
    """Even grass with houses, and bare columns."""
    value, fuel = np.zeros((SIZE, SIZE)), np.full((SIZE, SIZE), 102)
    for place in houses:
        value[place] = 1.0
    fuel[:, list(bare)] = 99
    return replace(generate(6, SIZE, cell_size_m=30.0), fuel_model=fuel, value=value,
                   elevation_m=np.zeros((SIZE, SIZE)), slope_tan=np.zeros((SIZE, SIZE)),
                   treatable=np.ones((SIZE, SIZE), np.bool_))


def counts(land: Landscape, cells: np.ndarray, parts: tuple[Corridor, ...] = ()) -> Counts:
    return counts_of(cells, land, ground_of(land), 30.0, parts)


def test_a_line_is_one_piece_and_pixels_are_many() -> None:
    land = flat()
    line = 15 * SIZE + np.arange(2, 28)
    one = counts(land, line)
    assert (one.pieces, one.single) == (1, 0)
    assert one.can_be_built
    comb = np.concatenate([row * SIZE + np.arange(2, 28, 2) for row in (5, 15, 25)])
    many = counts(land, comb)
    assert (many.pieces, many.single) == (39, 39)
    assert not many.can_be_built
    assert words_of("dqn", many).endswith("it cannot be built as it is")
    assert "cannot" not in words_of("segments", one)
    assert one.houses is None  # value lies everywhere here
    assert "houses" not in words_of("segments", one)


def test_narrow_bare_ground_joins_and_wide_does_not_but_on_a_corridor() -> None:
    row = 15 * SIZE + np.arange(2, 28)
    road = flat(bare=(14,))
    assert counts(road, row[road.treatable.ravel()[row]]).pieces == 1
    field = flat(bare=tuple(range(10, 20)))
    cells = row[field.treatable.ravel()[row]]
    assert counts(field, cells).pieces == 2
    assert counts(field, cells, (corridor_of(row, field, "cut"),)).pieces == 1


def test_houses_are_counted_within_the_buffer() -> None:
    land = flat(houses=((14, 10), (16, 12), (20, 20)))
    found = counts(land, 15 * SIZE + np.arange(2, 28))
    assert found.houses == 2
    assert not found.can_be_built
    assert "2 cells of houses within the buffer" in words_of("dqn", found)
