"""Losses to fires of different intensity: value lost by class of flame length, and value layers
from a TOML file.

The six classes are those of risk assessments in the United States (Scott, Thompson & Calkin 2013,
RMRS-GTR-315): below 2 ft, 2-4, 4-6, 6-8, 8-12 and above 12 ft. A response function says which
fraction of a value is lost in each. Losses only: where GTR-315 also lets fire add value, here a
fraction lies between 0 and 1, since what is lost is summed, shared out along a fire's tree and
divided by the untreated loss, and none of these means anything below 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from firebreak.checks import fail, unknown_name
from firebreak.landscape.landscape import Landscape
from firebreak.reading import read_toml
from firebreak.units import KW_M_PER_BTU_FT_S

Floats = NDArray[np.float64]

FLAME_LENGTH_EDGES_FT = (2.0, 4.0, 6.0, 8.0, 12.0)
"""Flame lengths between one class and the next; the edge itself belongs to the upper class."""

CLASS_NAMES = ("<2 ft", "2-4 ft", "4-6 ft", "6-8 ft", "8-12 ft", ">12 ft")
CLASSES = len(CLASS_NAMES)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseFunction:
    """Fractions of a value that are lost in each class of flame length.

    Attributes:
        name: for captions.
        loss: six fractions in 0-1, short flames first; they need not rise.
    """

    name: str
    loss: tuple[float, float, float, float, float, float]

    def __post_init__(self) -> None:
        given = np.asarray(self.loss, dtype=np.float64)
        good = given.shape == (CLASSES,) and bool(((given >= 0.0) & (given <= 1.0)).all())
        if not good:
            raise fail(expected=f"{CLASSES} fractions lost, from 0 to 1, short flames first",
                       given=f"{self.loss}", where=f"response function '{self.name}'",
                       remedy="write a loss of 40 % as 0.4; benefits of fire cannot be expressed")


BURNED = ResponseFunction(name="burned", loss=(1.0, 1.0, 1.0, 1.0, 1.0, 1.0))
"""All is lost wherever it burns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerKind:
    """Something worth protecting, wherever it lies.

    Attributes:
        name: for captions and messages.
        weight: of this layer among others, 0 or more; also converts its unit into the common one.
        response: which part is lost at which flame length.
    """

    name: str
    weight: float = 1.0
    response: ResponseFunction = field(default=BURNED)

    def __post_init__(self) -> None:
        if not 0.0 <= self.weight < np.inf:
            raise fail(expected="a weight of 0 or more", given=f"{self.weight:g}",
                       where=f"value layer '{self.name}'", remedy="choose another weight")

    def on(self, value: NDArray[np.float32]) -> "ValueLayer":
        """The layer of this kind on a map, [H, W]."""
        return ValueLayer(name=self.name, weight=self.weight, response=self.response, value=value)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ValueLayer(LayerKind):
    """Something worth protecting on a map.

    Attributes:
        value: [H, W], 0 or more.
    """

    value: NDArray[np.float32]


def loss_by_class(layers: Sequence[ValueLayer]) -> NDArray[np.float32]:
    """Value lost where a cell burns, float32 [6, H, W]: by class of flame length.

    The sum over layers of weight x value x fraction lost.
    """
    total = np.zeros((CLASSES, *layers[0].value.shape))
    for layer in layers:
        lost = layer.weight * np.asarray(layer.response.loss)
        total += lost[:, None, None] * np.asarray(layer.value, dtype=np.float64)
    return total.astype(np.float32)


def intensity_edges_kw_m() -> Floats:
    """Fireline intensities between the six classes, kW/m [5]: L = 0.45 I^0.46 inverted.

    Byram 1959, with L in ft and I in BTU/ft/s; in m and kW/m the factor is 0.0775.
    """
    return byram_intensity_of_flame(FLAME_LENGTH_EDGES_FT) * KW_M_PER_BTU_FT_S


def byram_intensity_of_flame(flame_length_ft: ArrayLike) -> Floats:
    """The fireline intensity, BTU/ft/s, whose flame by Byram 1959 is so long, ft."""
    return (np.asarray(flame_length_ft, dtype=np.float64) / 0.45) ** (1.0 / 0.46)


def annual_burn_probability(burn_probability: ArrayLike, fires_per_ha_year: float,
                            area_ha: float) -> Floats:
    """Chance that a cell burns at least once in a year: 1 - exp(-rate x area x p).

    The number of fires in a year is Poisson, each burns the cell with probability p.

    Args:
        burn_probability: share of fires that burn the cell, where fires start on `area_ha`.
        fires_per_ha_year: fires that start per hectare and year.
        area_ha: of the land where the simulated fires start.
    """
    probability = np.asarray(burn_probability, dtype=np.float64)
    return -np.expm1(-fires_per_ha_year * area_ha * probability)


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
    """The kind of each layer of a file; see `read_layers`."""
    return tuple(_kind(table, path) for table in _tables(path))


def layer_grids(path: Path, landscape: Landscape) -> tuple[NDArray[np.float32], ...]:
    """The grid of each layer of a file, float32 [H, W]; see `read_layers`."""
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
