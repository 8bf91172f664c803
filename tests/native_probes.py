"""Single rules of the native library, for tests: each calls what the engine calls, for arrays of N
cases. They are entries of a library of their own, `tests/native`, which the first call builds.
"""

import ctypes
import os
import sys
from collections.abc import Callable
from functools import cache, wraps
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

from firebreak.fire.travel.arcs import Arcs
from firebreak.native_library import WRITTEN
from firebreak.native_library.entries import Entry, words_of
from firebreak.native_library.layouts import layout_from

PROBES: dict[str, Entry] = {}
"""All probes by name; `scripts/native_headers.py` makes the C++ structs of them."""


@cache
def _library() -> ctypes.CDLL:
    """The library of the probes; skips the test where there is no compiler."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "scripts"))
    import build_native

    folder = Path(os.environ.get("FIREBREAK_NATIVE") or build_native.CACHE)
    try:
        return ctypes.CDLL(str(build_native.build_probes(folder)))
    except build_native.BuildError as error:
        if build_native.find_compiler() is None:
            pytest.skip(f"{error}")
        raise


def probe(function: Callable[..., None]) -> Callable[..., None]:
    """Makes a function with annotated arguments an entry of the probes' library."""
    hints = {name: hint for name, hint in get_type_hints(function, include_extras=True).items()
             if name != "return"}
    own = PROBES[function.__name__] = Entry(
        function.__name__, layout_from(function.__name__, hints), False, "")

    @wraps(function)
    def called(*values: Any) -> None:
        kernel = _library()[f"firebreak_{own.name}"]
        kernel.argtypes, kernel.restype = (ctypes.c_char_p,), ctypes.c_char_p
        fault = kernel(words_of(own, values))
        if fault is not None:
            raise ValueError(f"{own.name}: {fault.decode()}")

    return called


@probe
def probe_uniforms(key: Annotated[NDArray[np.uint64], "N"],
                   cell: Annotated[NDArray[np.uint64], "N"],
                   draw: Annotated[NDArray[np.uint64], "N"],
                   out: Annotated[NDArray[np.float64], "N", WRITTEN]) -> None:
    """Sets the number of each (key, cell, draw), in [0, 1) on a grid of 2^-53; all arithmetic is
    modulo 2^64.
    """


@probe
def probe_facet_weights(metric: Annotated[NDArray[np.float32], "P 5"],
                        child: Annotated[NDArray[np.int64], "N"],
                        facet: Annotated[NDArray[np.int64], "N"],
                        time_a: Annotated[NDArray[np.float32], "N"],
                        time_b: Annotated[NDArray[np.float32], "N"],
                        out: Annotated[NDArray[np.float64], "N", WRITTEN]) -> None:
    """Sets the weight of the second end at the best point of each facet, below 0 where that is an
    end.
    """


@probe
def probe_arrivals(arcs: Arcs, offset: Annotated[NDArray[np.int64], "32"],
                   start: Annotated[NDArray[np.float64], "N"],
                   child: Annotated[NDArray[np.int64], "N"],
                   code: Annotated[NDArray[np.int64], "N"],
                   weight: Annotated[NDArray[np.float64], "N"],
                   out: Annotated[NDArray[np.float64], "N", WRITTEN]) -> None:
    """Sets when fire arrives along each arc that it takes at `start`, in the stream that begins in
    row 0.
    """


@probe
def probe_intensities(arcs: Arcs, row: Annotated[NDArray[np.int64], "N"],
                      cell: Annotated[NDArray[np.int64], "N"],
                      code: Annotated[NDArray[np.int64], "N"],
                      weight: Annotated[NDArray[np.float64], "N"],
                      out: Annotated[NDArray[np.float64], "N", WRITTEN]) -> None:
    """Sets the fireline intensity where fire came into each cell, kW/m."""


@probe
def probe_containment(area_ha: Annotated[NDArray[np.float64], "N"],
                      intensity_kw_m: Annotated[NDArray[np.float64], "N"],
                      out: Annotated[NDArray[np.float64], "N", WRITTEN]) -> None:
    """Sets the chance that the initial attack contains each fire."""


@probe
def probe_landings(key: Annotated[NDArray[np.uint64], "N"],
                   cell: Annotated[NDArray[np.int64], "N 3"], rows: int, cols: int,
                   cell_size_m: float, flight: Annotated[NDArray[np.float64], "7"],
                   out: Annotated[NDArray[np.float64], "N 3", WRITTEN]) -> None:
    """Sets row, column and metres flown of each cell's brand, -1, -1, 0 for none.

    cell: number, row and column; flight: probability of a throw, mean and standard deviation of the
    log distance, side deviation and longest distance in m, downwind east and north.
    """


@probe
def probe_ignitions(key: Annotated[NDArray[np.uint64], "N"],
                    cell: Annotated[NDArray[np.int64], "N"], probability: float,
                    out: Annotated[NDArray[np.uint8], "N", WRITTEN]) -> None:
    """Sets 1 for each cell whose brand ignites what it lands on."""


def uniforms(key: ArrayLike, cell: ArrayLike, draw: ArrayLike) -> NDArray[np.float64]:
    """The number of (key, cell, draw) of arrays, broadcast, in [0, 1)."""
    parts = np.broadcast_arrays(*(np.asarray(part, dtype=np.uint64) for part in (key, cell, draw)))
    out = np.empty(parts[0].size)
    probe_uniforms(*(np.ascontiguousarray(part).reshape(-1) for part in parts), out)
    return out.reshape(parts[0].shape)


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
