"""Kernels of the learner."""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from firebreak.native_library import WRITTEN, entry


@entry()
def add_along(maps: Annotated[NDArray[np.float32], "M S H W"],
              steps: Annotated[NDArray[np.int64], "? 2"], first: Annotated[NDArray[np.int64], "?"],
              out: Annotated[NDArray[np.float32], "M S H W", WRITTEN]) -> None:
    """Adds to `out`, zeros before, each shape's map at the cells of its line actions, one cell of
    the line after the other; cells beyond the map count as 0.

    steps: (rows, columns) of all shapes' cells from the middle one; first, [S + 1]: where each
    shape's begin.
    """
