"""Kernels that burn kept fires again, and that try breaks; see `src/native/reburn.cpp`."""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from firebreak.fire.incremental.structs import (
    Candidates,
    ChangedCells,
    Changes,
    Crossing,
    KeptFires,
    ValueUnits,
)
from firebreak.fire.solver.structs import FireTable, Overlays, Rules, Workspace
from firebreak.fire.travel.arcs import Arcs, Spots
from firebreak.fire.travel.stencil import UNBURNED
from firebreak.native_library import WRITTEN, entry


@entry()
def depends_on(cell: int, sources: Annotated[NDArray[np.int64], "F"],
               codes: Annotated[NDArray[np.uint8], "F P"], crossing: Crossing,
               out: Annotated[NDArray[np.uint8], "F", WRITTEN]) -> None:
    """Sets out[fire] = 1 for each fire that may change when the padded `cell` becomes a break.

    A fire changes if it burned the cell, or if some child's recorded step or facet crosses the
    cell or is a diagonal beside it; a fire that starts in the cell does not. A diagonal counts
    although it closes only if its other side is closed too: solving that fire again then changes
    nothing.
    """


def burned_near(cell: int, reach: int, width: int,
                codes: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """True for fires, of codes [F, P], that burned a cell within `reach` of a padded one."""
    maps = codes.reshape(len(codes), codes.shape[1] // width, width)
    row, col = divmod(cell, width)
    near = maps[:, max(row - reach, 0):row + reach + 1, max(col - reach, 0):col + reach + 1]
    return (near != UNBURNED).any(axis=(1, 2))


@entry()
def list_change(slot: int, place: int, plan_fires: int, reward_fires: int,
                changed_cells: ChangedCells,
                kept: Annotated[NDArray[np.bool_], "F", WRITTEN],
                stale: Annotated[NDArray[np.uint8], "F"]) -> None:
    """Notes that a break came or went in a padded cell. Where no more can be noted, the fires that
    are stale by now are no longer kept: they burn anew as a whole. plan_fires, reward_fires: of
    each slot.
    """


@entry()
def breaks_affect(slots: Annotated[NDArray[np.int64], "B"],
                  places: Annotated[NDArray[np.int64], "B"], width: int, plan_fires: int,
                  reward_fires: int, sources: Annotated[NDArray[np.int64], "F"],
                  codes: Annotated[NDArray[np.uint8], "F P"], crossing: Crossing,
                  changed_cells: ChangedCells,
                  kept: Annotated[NDArray[np.bool_], "F", WRITTEN],
                  stale: Annotated[NDArray[np.uint8], "F", WRITTEN],
                  affected: Annotated[NDArray[np.int64], "F", WRITTEN]) -> None:
    """Notes that padded cells `places` of `slots` became breaks: sets stale[fire] as `depends_on`
    does, and counts affected[fire] up where a fire burned within REACH of a cell: no other fire can
    depend on it.
    """


@entry(parallel=True)
def reburn_many(which: Annotated[NDArray[np.int64], "N"], width: int, arcs: Arcs, spots: Spots,
                rules: Rules, fires: FireTable, overlays: Overlays, changed_cells: ChangedCells,
                crossing: Crossing, values: ValueUnits, changes: Changes, store: KeptFires,
                scratch: Workspace) -> None:
    """Burns the fires listed in `which` again, in parallel; fires that keep nothing burn anew."""


@entry(parallel=True)
def try_lines(which: Annotated[NDArray[np.int64], "N"], width: int,
              cells: Annotated[NDArray[np.int64], "?"], first: Annotated[NDArray[np.int64], "?"],
              candidates: Candidates, arcs: Arcs, rules: Rules, fires: FireTable,
              overlays: Overlays, values: ValueUnits, crossing: Crossing, changes: Changes,
              states: Annotated[NDArray[np.uint8], "T P", WRITTEN], store: KeptFires,
              scratch: Workspace, out: Annotated[NDArray[np.int64], "N B", WRITTEN],
              beyond: Annotated[NDArray[np.bool_], "N", WRITTEN]) -> None:
    """Tries lines of breaks on each of the kept plan fires listed in `which`, in parallel.

    cells: padded, those of line k from first[k] to first[k + 1]. What it saves goes into `out`,
    NOT_TRIED where the fire does not depend on the line. beyond: with some of them the fire burns a
    cell that it does not burn without. states: room for overlays.
    """
