"""Kernels that burn many fires; see `src/native/burn.cpp`."""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from firebreak.fire.solver.structs import (
    FireTable,
    Overlays,
    Results,
    Rules,
    Sums,
    Tiles,
    Tracks,
    Workspace,
)
from firebreak.fire.travel.arcs import Arcs, Spots
from firebreak.native_library import WRITTEN, entry


@entry(parallel=True)
def burn_many(which: Annotated[NDArray[np.int64], "M"], width: int, arcs: Arcs, spots: Spots,
              rules: Rules, fires: FireTable, overlays: Overlays, results: Results,
              scratch: Workspace) -> None:
    """Burns the fires listed in `which`, in parallel, into `results`."""


@entry(parallel=True)
def sum_many(which: Annotated[NDArray[np.int64], "M"], width: int, arcs: Arcs, spots: Spots,
             rules: Rules, fires: FireTable, overlays: Overlays, sums: Sums, tracks: Tracks,
             tiles: Tiles, state: Annotated[NDArray[np.uint8], "F", WRITTEN],
             loss: Annotated[NDArray[np.float64], "F", WRITTEN], scratch: Workspace) -> None:
    """Burns the fires listed in `which`, in parallel, into sums, tracks and loss; state says which
    were added.
    """
