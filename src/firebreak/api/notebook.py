"""Results in a notebook: pages, tables of geopandas, grids of xarray. Each library is
loaded when its form is asked for.
"""

import importlib
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import fail, install
from firebreak.landscape.landscape import Landscape

if TYPE_CHECKING:
    import geopandas
    import xarray

    from firebreak.landscape.candidates.corridor import Corridor

EXTRA = "notebook"


def lines_of(segments: "Sequence[Corridor]", columns: Sequence[Mapping[str, Any]],
             landscape: Landscape) -> "geopandas.GeoDataFrame":
    """Segments on a whole map as lines through their cells, with their columns.

    Raises:
        InputError: geopandas is not installed.
    """
    from firebreak.planning.output.segment_layers import centrelines

    geopandas = _library("geopandas", "lines")
    features = [{"type": "Feature", "properties": dict(row), "geometry": line}
                for line, row in zip(centrelines(segments, landscape), columns, strict=True)]
    if not features:
        return geopandas.GeoDataFrame({"geometry": []}, crs=landscape.crs)
    return geopandas.GeoDataFrame.from_features(features, crs=landscape.crs)


def on_axes(grids: Mapping[str, NDArray[Any]], landscape: Landscape,
            attributes: Mapping[str, Any]) -> "xarray.Dataset":
    """Grids [H, W] on axes of cell centres, with the landscape's reference system.

    Raises:
        InputError: xarray or rioxarray is not installed.
    """
    xarray, _ = _library("xarray", "to_xarray"), _library("rioxarray", "to_xarray")
    a, _, c, _, e, f = landscape.transform
    rows, cols = landscape.shape
    dataset = xarray.Dataset({name: (("y", "x"), grid) for name, grid in grids.items()},
                             coords={"y": f + e * (np.arange(rows) + 0.5),
                                     "x": c + a * (np.arange(cols) + 0.5)},
                             attrs=dict(attributes))
    return dataset if landscape.crs is None else dataset.rio.write_crs(landscape.crs)


def _library(name: str, where: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise fail(expected=f"the package {name}", given="none", where=where,
                   remedy=f"run {install(EXTRA)}") from None
