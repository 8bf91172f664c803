"""Arrays in place of rasters: numbers on a landscape's own grid, or on the part cut from it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import fail
from firebreak.landscape.landscape import Landscape


class ArrayOnGrid(NamedTuple):
    """Numbers on the grid of a landscape. name: of what they are, for messages; values: [H, W], nan
    for no data; transform: of that landscape.
    """

    name: str
    values: NDArray[np.float64]
    transform: tuple[float, float, float, float, float, float]

    def __str__(self) -> str:
        return self.name

    def over(self, landscape: Landscape) -> NDArray[np.float64]:
        """The numbers on the cells of the landscape, or of a part cut from it, f64 [h, w].

        Raises:
            InputError: the landscape does not lie inside the grid.
        """
        a, _, c, _, e, f = self.transform
        left = round((landscape.transform[2] - c) / a)
        top = round((landscape.transform[5] - f) / e)
        rows, cols = landscape.shape
        inside = self.values[max(top, 0):top + rows, max(left, 0):left + cols]
        if min(top, left) < 0 or inside.shape != landscape.shape:
            raise fail(expected=f"an array on the grid of {landscape.name}",
                       given=f"one of {self.values.shape[0]} x {self.values.shape[1]} cells "
                             "elsewhere", where=self.name, remedy="cut it as the landscape was cut")
        return inside


def array_on(landscape: Landscape, values: object, name: str) -> ArrayOnGrid:
    """Numbers or truth values [H, W] on a landscape's grid.

    Raises:
        InputError: not an array of real numbers of the landscape's shape.
    """
    grid = _real(values)
    if grid is None:
        kind = getattr(values, "dtype", type(values).__name__)
        raise fail(expected="an array of numbers, or the path of a file", given=f"{kind}",
                   where=name, remedy="correct it")
    if grid.shape != landscape.shape:
        raise fail(expected=f"an array of shape {landscape.shape} like {landscape.name}",
                   given=f"{grid.shape}", where=name, remedy="bring it onto the landscape's grid")
    grid.flags.writeable = False
    return ArrayOnGrid(name, grid, landscape.transform)


def _real(values: object) -> NDArray[np.float64] | None:
    """A copy of numbers or truth values, nan where an array masks them; None where they are none:
    text, times, complex numbers, objects.
    """
    try:
        given = np.asanyarray(values)
    except (TypeError, ValueError, RuntimeError):  # lists of several lengths, tensors of a network
        return None
    if given.dtype.kind not in "biuf":
        return None
    grid = np.array(given, np.float64)
    grid[np.ma.getmaskarray(given)] = np.nan
    return grid
