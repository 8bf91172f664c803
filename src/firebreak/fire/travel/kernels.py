"""Kernels of travel fields and of overlays of breaks; see `src/native/metric.cpp`."""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from firebreak.native_library import WRITTEN, entry

MAX_SLOPE_TAN = 1e4
"""Rise over run; steeper is no ground, and its metric would not be finite."""
RATE_GATE = 1.3
"""A long step may only cross cells whose head rate is within this factor."""


@entry()
def fill_ground(slope_tan: Annotated[NDArray[np.float64], "H W"],
                aspect_deg: Annotated[NDArray[np.float64], "H W"],
                ground: Annotated[NDArray[np.float64], "3 H W", WRITTEN],
                odd: Annotated[NDArray[np.int64], "1", WRITTEN]) -> None:
    """Fills `ground`: how much longer a path up the slope is than on the map, and where upslope is,
    east and north. Sets `odd` to the number of cells whose slope or aspect is nan or out of range.
    """


@entry(parallel=True)
def fill_metric(head: Annotated[NDArray[np.float64], "R H W"],
                back: Annotated[NDArray[np.float64], "R H W"],
                flank: Annotated[NDArray[np.float64], "R H W"],
                heading_deg: Annotated[NDArray[np.float64], "R H W"],
                ground: Annotated[NDArray[np.float64], "3 H W"],
                burnable: Annotated[NDArray[np.bool_], "H W"], cell_size_m: float, width: int,
                metric: Annotated[NDArray[np.float32], "R P 5", WRITTEN],
                unit_time: Annotated[NDArray[np.float32], "R P 8", WRITTEN],
                rate: Annotated[NDArray[np.float32], "R P", WRITTEN],
                odd: Annotated[NDArray[np.int64], "1", WRITTEN]) -> None:
    """Fills metric, unit_time and rate of padded maps of this width; what does not burn, and the
    padding, is left alone but for its rate. Sets `odd` to the number of cells in which a number of
    the ellipse is nan or out of its range.

    head, back, flank: m/min, in the plane of the slope; ground: of `fill_ground`.
    """


@entry(parallel=True)
def open_arcs(cells: Annotated[NDArray[np.int64], "N"], senders: Annotated[NDArray[np.int64], "M"],
              width: int, steps: int, metric: Annotated[NDArray[np.float32], "R P 5"],
              unit_time: Annotated[NDArray[np.float32], "R P 8"],
              rate: Annotated[NDArray[np.float32], "R P"],
              burnable: Annotated[NDArray[np.bool_], "P"],
              facets: Annotated[NDArray[np.uint64], "R P", WRITTEN],
              accepts: Annotated[NDArray[np.uint32], "R P", WRITTEN],
              sends: Annotated[NDArray[np.uint32], "R P", WRITTEN],
              sends_far: Annotated[NDArray[np.uint32], "R P", WRITTEN],
              edges: Annotated[NDArray[np.float64], "R P 8 or none", WRITTEN]) -> None:
    """Sets what is open at the cells listed, then what the senders reach; none is in the padding.
    For all else of a travel field see `travel_field.TravelField`.

    facets, accepts: bits of the open facets and single steps, seen from the receiving cell, in the
    own row of weather or, in streams of several `steps`, in a later one. sends: bit i of [r, p]: a
    burnable cell is reached from p by its step i or a facet that ends there. sends_far: by a step
    or a facet that is not a unit one. edges: half at either cell's speed.
    """


@entry()
def heat_per_speed(metric: Annotated[NDArray[np.float32], "P 5"],
                   heat: Annotated[NDArray[np.float32], "P 3", WRITTEN],
                   intensity_kw_m: Annotated[NDArray[np.float64], "P"]) -> None:
    """Turns heat, whose slopes are set, into intensity over speed of one row, in place."""


@entry()
def write_breaks(cells: Annotated[NDArray[np.int64], "N"], broken: bool, kind: int,
                 breaks: Annotated[NDArray[np.bool_], "H W", WRITTEN],
                 state: Annotated[NDArray[np.uint8], "P", WRITTEN]) -> None:
    """Breaks flat burnable cells or takes their breaks away, and writes the codes of `arcs` around
    them. breaks: all of one kind.
    """
