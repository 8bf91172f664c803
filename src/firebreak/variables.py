"""Environment variables of other programs, which GDAL and PROJ beneath firebreak must not read."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_OF_LIBRARIES = ("GDAL_", "OGR_", "OSR_", "CPL_", "VSI_", "GTIFF_", "SHAPE_", "AAIGRID_", "PROJ_")
"""Beginnings of the variables that GDAL and PROJ read, and what they read a file for: drivers that
are left out, data of another version, axes the other way. Each library finds its own data beside
itself."""
_KEPT = ("CPL_TMPDIR", "GDAL_CACHEMAX")
"""Of these, what says where and how much may be used, and no more."""


def foreign_variables() -> list[str]:
    """Names of those that are set."""
    return [name for name in os.environ
            if name.startswith(_OF_LIBRARIES) and name not in _KEPT]


@contextmanager
def without_foreign() -> Iterator[None]:
    """Run the block without these variables; the calling program has them back after it."""
    before = {name: os.environ.pop(name) for name in foreign_variables()}
    if any(name.startswith("PROJ_") for name in before):
        _back_to_own_proj_data()
    try:
        yield
    finally:
        os.environ.update(before)


def _back_to_own_proj_data() -> None:
    """A rasterio that the calling program imported before has taken PROJ's data from the variables;
    the data that lie in its own wheel take their place, where there are any."""
    if (env := sys.modules.get("rasterio.env")) is None:
        return
    if (own := env.PROJDataFinder().search_wheel()) is not None:
        env.set_proj_data_search_path(own)
