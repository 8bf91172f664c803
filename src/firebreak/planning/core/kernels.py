"""Kernels of planning: lines that lie apart, scores of lines, least-cost rows, trees of fires,
smallest cuts.
"""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from firebreak.native_library import WRITTEN, entry


@entry()
def choose_spaced(cells: Annotated[NDArray[np.int64], "?"],
                  first: Annotated[NDArray[np.int64], "?"], max_cells: int, spacing: int,
                  near: Annotated[NDArray[np.bool_], "H W", WRITTEN],
                  count: Annotated[NDArray[np.int64], "1", WRITTEN],
                  chosen: Annotated[NDArray[np.bool_], "N", WRITTEN]) -> None:
    """Sets `chosen` for those of n lines, best first, that a round places: the very first, and
    further ones at least `spacing` (Chebyshev) from those before, up to `max_cells` cells.

    cells: flat, those of line k from first[k] to first[k + 1]. near: cells nearer than `spacing` to
    a chosen line, added to. count: cells of the lines chosen so far, 0 if none was, added to.
    """


@entry()
def score_lines(starts: Annotated[NDArray[np.int64], "S"],
                steps: Annotated[NDArray[np.int64], "M 2"],
                lengths: Annotated[NDArray[np.int64], "L"],
                state: Annotated[NDArray[np.uint8], "P"], cost: Annotated[NDArray[np.float64], "P"],
                max_price: float, through: Annotated[NDArray[np.float64], "P"],
                along: Annotated[NDArray[np.float64], "32 P"],
                step_index: Annotated[NDArray[np.int64], "7 7"],
                offset: Annotated[NDArray[np.int64], "M"],
                gain: Annotated[NDArray[np.float64], "S L", WRITTEN],
                price: Annotated[NDArray[np.float64], "S L", WRITTEN]) -> None:
    """Scores the lines from each start in one direction, for each length.

    gain: value that comes through the line's cells, less what comes to one of them from another
    within REACH along the line. price: what the new breaks cost, inf where the line stops short,
    does not end in a new break, or costs more than `max_price`.

    starts: padded cells. steps: (rows, columns) of the line's cells from its start. lengths:
    rising, at most M. through, along: see `flows`. step_index: the step of the stencil by rows and
    columns + REACH, -1 for none. offset: of the line's cells from its start.
    """


@entry()
def lay_paths(price: Annotated[NDArray[np.float64], "M R"],
              first: Annotated[NDArray[np.int64], "N M"], joined: bool,
              best: Annotated[NDArray[np.float64], "N K", WRITTEN],
              settled: Annotated[NDArray[np.float64], "2 K", WRITTEN],
              entered: Annotated[NDArray[np.int32], "N M K", WRITTEN],
              came: Annotated[NDArray[np.int32], "N M K", WRITTEN]) -> None:
    """Lays the cheapest paths along bands, column by column, to every place of their last columns.

    Sets best: the cost of each. entered, came: of the cheapest path to a place of a column the
    place at which it entered that column, and where it came from in the column before.

    price: of the cells of the columns, 0 beyond them. first: row of place 0 of a band in a column.
    settled: room.
    """


@entry()
def path_steps(place: int, entered: Annotated[NDArray[np.int32], "M K"],
               came: Annotated[NDArray[np.int32], "M K"],
               steps: Annotated[NDArray[np.int64], "? 2", WRITTEN],
               count: Annotated[NDArray[np.int64], "1", WRITTEN]) -> None:
    """Sets `count` to how many steps the path to a place of the last column has, and the last ones
    of `steps`, (column, place) in order, where they have room. entered, came: of its band, see
    `lay_paths`.
    """


@entry()
def path_counts(codes: Annotated[NDArray[np.uint8], "F P"],
                weight: Annotated[NDArray[np.float64], "F"],
                value: Annotated[NDArray[np.float64], "P"],
                offset: Annotated[NDArray[np.int64], "32"],
                ints: Annotated[NDArray[np.int32], "2 P", WRITTEN],
                seen: Annotated[NDArray[np.uint8], "P", WRITTEN],
                reals: Annotated[NDArray[np.float64], "2 P", WRITTEN],
                total: Annotated[NDArray[np.float64], "P", WRITTEN]) -> None:
    """Adds to `total`: over all paths that end in a cell or lead on through it, from any cell above
    it, the value of the cell where they end. weight: how often a fire counts. ints, seen (zeros),
    reals: scratch.
    """


@entry()
def flows(codes: Annotated[NDArray[np.uint8], "F P"],
          weight: Annotated[NDArray[np.float64], "F"],
          value: Annotated[NDArray[np.float64], "P"],
          offset: Annotated[NDArray[np.int64], "32"],
          ints: Annotated[NDArray[np.int32], "2 P", WRITTEN],
          seen: Annotated[NDArray[np.uint8], "P", WRITTEN],
          below: Annotated[NDArray[np.float64], "P", WRITTEN],
          through: Annotated[NDArray[np.float64], "P", WRITTEN],
          along: Annotated[NDArray[np.float64], "32 P", WRITTEN]) -> None:
    """Adds to `through` the value burned below each cell, and to `along` the part that came over
    each step to the parent.

    Cells without a parent have nothing come through them: a break there does not stop the fire.
    weight: how often a fire counts. ints, seen (zeros), below: scratch.
    """


@entry()
def value_behind(codes: Annotated[NDArray[np.uint8], "F P"],
                 weight: Annotated[NDArray[np.float64], "F"],
                 value: Annotated[NDArray[np.float64], "P"],
                 offset: Annotated[NDArray[np.int64], "32"],
                 ints: Annotated[NDArray[np.int32], "2 P", WRITTEN],
                 seen: Annotated[NDArray[np.uint8], "P", WRITTEN],
                 cells: Annotated[NDArray[np.int64], "?"],
                 first: Annotated[NDArray[np.int64], "?"],
                 marks: Annotated[NDArray[np.uint64], "P", WRITTEN],
                 out: Annotated[NDArray[np.float64], "F B", WRITTEN]) -> None:
    """Adds to `out` the value that each fire burns in the padded cells of each set, those of set k
    from first[k] to first[k + 1], and in all that it reached through one of them, even in part.

    weight: how often a fire counts. ints, seen and marks (zeros): scratch.
    """


@entry()
def cut_sides(ends: Annotated[NDArray[np.int32], "A 2"],
              left: Annotated[NDArray[np.int32], "A 2", WRITTEN], source: int, sink: int,
              first: Annotated[NDArray[np.int64], "?", WRITTEN],
              arcs: Annotated[NDArray[np.int32], "?", WRITTEN],
              excess: Annotated[NDArray[np.int64], "N", WRITTEN],
              room: Annotated[NDArray[np.int32], "4 N", WRITTEN],
              kept: Annotated[NDArray[np.bool_], "N", WRITTEN]) -> None:
    """Sets `kept` for the nodes on the source's side of the smallest cut, of equals that with the
    fewest nodes there.

    ends: tail and head of each arc. left: what it carries, and 0; of both ways what is left after.
    first [N + 1], arcs [2 A], excess, room: scratch.
    """
