"""Single rules of the native library as entries, for tests: each calls what the engine calls, for
arrays of N cases.
"""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from firebreak.fire.travel.arcs import Arcs
from firebreak.native_library import WRITTEN, entry


@entry()
def probe_facet_weights(metric: Annotated[NDArray[np.float32], "P 5"],
                        child: Annotated[NDArray[np.int64], "N"],
                        facet: Annotated[NDArray[np.int64], "N"],
                        time_a: Annotated[NDArray[np.float32], "N"],
                        time_b: Annotated[NDArray[np.float32], "N"],
                        out: Annotated[NDArray[np.float64], "N", WRITTEN]) -> None:
    """Sets the weight of the second end at the best point of each facet, below 0 where that is an
    end.
    """


@entry()
def probe_arrivals(arcs: Arcs, offset: Annotated[NDArray[np.int64], "32"],
                   start: Annotated[NDArray[np.float64], "N"],
                   child: Annotated[NDArray[np.int64], "N"],
                   code: Annotated[NDArray[np.int64], "N"],
                   weight: Annotated[NDArray[np.float64], "N"],
                   out: Annotated[NDArray[np.float64], "N", WRITTEN]) -> None:
    """Sets when fire arrives along each arc that it takes at `start`, in the stream that begins in
    row 0.
    """


@entry()
def probe_intensities(arcs: Arcs, row: Annotated[NDArray[np.int64], "N"],
                      cell: Annotated[NDArray[np.int64], "N"],
                      code: Annotated[NDArray[np.int64], "N"],
                      weight: Annotated[NDArray[np.float64], "N"],
                      out: Annotated[NDArray[np.float64], "N", WRITTEN]) -> None:
    """Sets the fireline intensity where fire came into each cell, kW/m."""


@entry()
def probe_containment(area_ha: Annotated[NDArray[np.float64], "N"],
                      intensity_kw_m: Annotated[NDArray[np.float64], "N"],
                      out: Annotated[NDArray[np.float64], "N", WRITTEN]) -> None:
    """Sets the chance that the initial attack contains each fire."""


@entry()
def probe_landings(key: Annotated[NDArray[np.uint64], "N"],
                   cell: Annotated[NDArray[np.int64], "N 3"], rows: int, cols: int,
                   cell_size_m: float, flight: Annotated[NDArray[np.float64], "7"],
                   out: Annotated[NDArray[np.float64], "N 3", WRITTEN]) -> None:
    """Sets row, column and metres flown of each cell's brand, -1, -1, 0 for none.

    cell: number, row and column; flight: probability of a throw, mean and standard deviation of the
    log distance, side deviation and longest distance in m, downwind east and north.
    """


@entry()
def probe_ignitions(key: Annotated[NDArray[np.uint64], "N"],
                    cell: Annotated[NDArray[np.int64], "N"], probability: float,
                    out: Annotated[NDArray[np.uint8], "N", WRITTEN]) -> None:
    """Sets 1 for each cell whose brand ignites what it lands on."""


def facet_weight(metric: NDArray[np.float32], child: int, facet: int, time_a: float,
                 time_b: float) -> float:
    """One case of `probe_facet_weights`."""
    out = np.empty(1)
    probe_facet_weights(np.ascontiguousarray(metric, np.float32), np.array([child]),
                        np.array([facet]), np.array([time_a], np.float32),
                        np.array([time_b], np.float32), out)
    return float(out[0])


def intensity(arcs: Arcs, row: int, cell: int, code: int, weight: float) -> float:
    """One case of `probe_intensities`."""
    out = np.empty(1)
    probe_intensities(arcs, np.array([row]), np.array([cell]), np.array([code]),
                      np.array([weight]), out)
    return float(out[0])


def containment_chance(area_ha: float, intensity_kw_m: float) -> float:
    """One case of `probe_containment`."""
    out = np.empty(1)
    probe_containment(np.array([area_ha]), np.array([intensity_kw_m]), out)
    return float(out[0])
