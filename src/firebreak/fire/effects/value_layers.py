"""Value layers from a TOML file: what is lost where, and at which flame length."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import fail, unknown_name
from firebreak.files import read_toml
from firebreak.fire.effects.losses import BURNED, LayerKind, ResponseFunction, ValueLayer
from firebreak.landscape.landscape import Landscape

_KEYS = ("raster", "name", "weight", "losses")


def read_layers(path: Path, landscape: Landscape) -> list[ValueLayer]:
    """The layers of a file with one `[[layer]]` each, brought onto the landscape's grid.

    Keys of a layer: `raster` (a path, relative to the file's folder; also of shapes, as
    houses.gpkg:value), and if wanted `name`,
    `weight` (1) and `losses` (six fractions, short flames first; all in any flame if not given).

    Raises:
        InputError: no such file, no layer, an unknown key, a raster that does not fit.
    """
    return [kind.on(grid) for kind, grid in zip(layer_kinds(path), layer_grids(path, landscape),
                                                strict=True)]


def layer_kinds(path: Path) -> tuple[LayerKind, ...]:
    """What each layer of a file is; see `read_layers`."""
    return tuple(_kind(table, path) for table in _tables(path))


def layer_grids(path: Path, landscape: Landscape) -> tuple[NDArray[np.float32], ...]:
    """Where each layer of a file lies, float32 [H, W] each; see `read_layers`."""
    # It brings GDAL.
    from firebreak.landscape.formats.overlays import amounts_on_grid

    return tuple(amounts_on_grid(path.parent / table["raster"], landscape, "values")
                 .astype(np.float32) for table in _tables(path))


def _tables(path: Path) -> list[dict[str, Any]]:
    found = read_toml(path).get("layer")
    if not isinstance(found, list) or not found:
        raise fail(expected="at least one [[layer]]", given="none", where=str(path),
                   remedy="write [[layer]] and below it raster = \"houses.tif\"")
    for table in found:
        for key in table:
            if key not in _KEYS:
                raise unknown_name("key", key, _KEYS, str(path))
        raster, weight = table.get("raster"), table.get("weight", 1.0)
        if not isinstance(raster, str) or not _is_number(weight):
            raise fail(expected="a raster's path, and a number as its weight",
                       given=f"{raster!r} and {weight!r}", where=str(path),
                       remedy="write raster = \"houses.tif\" and weight = 2.0")
    return found


def _kind(table: dict[str, Any], path: Path) -> LayerKind:
    name, losses = str(table.get("name", Path(table["raster"]).stem)), table.get("losses")
    response = BURNED if losses is None else ResponseFunction(name=name,
                                                              loss=_fractions(losses, path))
    return LayerKind(name=name, weight=float(table.get("weight", 1.0)), response=response)


def _fractions(losses: Any, path: Path) -> Any:
    numbers = isinstance(losses, list) and all(map(_is_number, losses))
    if not numbers:
        raise fail(expected="losses as six numbers", given=f"{losses!r}", where=str(path),
                   remedy="for example losses = [0, 0.2, 0.4, 0.6, 0.8, 1]")
    return tuple(float(part) for part in losses)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and abs(value) < 1e300
