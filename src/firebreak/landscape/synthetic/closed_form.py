"""Maps whose best plan is known without a search: test cases for planning methods.

Flat, of one grass, with walls of bare ground. Fires that burn long enough reach every cell that is
connected with their ignition, in any weather, so losses are numbers of cells:

- corridor: two rooms joined by a neck one cell wide. One break, in the first cell of the neck,
  saves the neck and the second room.
- corner: fires start in a square of q x q cells in a corner of an open field, in which nothing can
  be treated. 2q breaks along its two open sides hold them; q along each are needed, for every row
  and every column of the square must be cut off. (2q + 1 where fire passes between breaks that
  touch at a corner.)
- door, wide-door: two rooms with a wall between them, fires in one and all value in the other. As
  many breaks as the door has cells save everything; fewer of them save next to nothing.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import fail, unknown_name
from firebreak.landscape.fuels import BARREN
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.raster.windows import dihedral
from firebreak.seeding import generator

CLOSED_FORMS = ("corridor", "corner", "door", "wide-door")
SMALLEST = 8
CELL_SIZE_M = 100.0
_GRASS = 102
_WIDE_DOOR = 3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClosedForm:
    """A map and its best plan's loss, for fires that burn all they can reach.

    Attributes:
        landscape: `ignition_weight` says where fires start.
        budget_cells: cells that may be treated.
        untreated_loss: of every fire without breaks, in units of value.
        optimal_loss: of every fire under the best plan of so many cells.
    """

    landscape: Landscape
    budget_cells: int
    untreated_loss: float
    optimal_loss: float

    @property
    def budget_share(self) -> float:
        """A share of the treatable cells that buys the budget and no cell more."""
        return (self.budget_cells + 0.5) / int(self.landscape.treatable.sum())


def closed_form(name: str, size: int = 20, seed: int = 0) -> ClosedForm:
    """The map of a name in CLOSED_FORMS, size x size cells.

    Args:
        seed: 0 for rooms of equal size with the opening in the middle; others draw the place of
            wall and opening, and one of the 8 symmetries of the map.

    Raises:
        InputError: an unknown name, a size below SMALLEST, a negative seed.
    """
    if name not in CLOSED_FORMS:
        raise unknown_name("map", name, CLOSED_FORMS, "closed-form landscape")
    if size < SMALLEST:
        raise fail(expected=f"at least {SMALLEST} cells along a side", given=f"{size}",
                   where=f"closed-form landscape {name}", remedy="choose a larger size")
    rng = generator(seed, "closed-form", name)
    form = _corner(size) if name == "corner" else _rooms(name, size, rng if seed else None)
    turned = dihedral(form.landscape, int(rng.integers(8)) if seed else 0)
    return replace(form, landscape=replace(turned, name=f"closed-form:{name}:{size}:{seed}"))


def _rooms(name: str, size: int, rng: np.random.Generator | None) -> ClosedForm:
    """Two rooms side by side, fires in the western one."""
    door = _WIDE_DOOR if name == "wide-door" else 1
    wall = max(2, size // 4) if name == "corridor" else 1
    first = (size - wall) // 2 if rng is None else int(rng.integers(2, size - wall - 1))
    row = (size - door) // 2 if rng is None else int(rng.integers(0, size - door + 1))
    burnable = np.ones((size, size), np.bool_)
    burnable[:, first:first + wall] = False
    burnable[row:row + door, first:first + wall] = True
    west = np.zeros((size, size), np.bool_)
    west[:, :first] = True
    east = np.zeros((size, size), np.bool_)
    east[:, first + wall:] = True
    if name == "corridor":
        land = _field(burnable, west, np.ones((size, size), np.float32), burnable & ~west)
        return ClosedForm(landscape=land, budget_cells=1, untreated_loss=float(burnable.sum()),
                          optimal_loss=float(west.sum()))
    land = _field(burnable, west, east.astype(np.float32), burnable)
    return ClosedForm(landscape=land, budget_cells=door, untreated_loss=float(east.sum()),
                      optimal_loss=0.0)


def _corner(size: int) -> ClosedForm:
    """An open field, fires in its north-western corner."""
    side = max(2, size // 5)
    block = np.zeros((size, size), np.bool_)
    block[:side, :side] = True
    everywhere = np.ones((size, size), np.bool_)
    land = _field(everywhere, block, np.ones((size, size), np.float32), ~block)
    return ClosedForm(landscape=land,
                      budget_cells=2 * side, untreated_loss=float(size * size),
                      optimal_loss=float(side * side))


def _field(burnable: NDArray[np.bool_], starts: NDArray[np.bool_], value: NDArray[np.float32],
           treatable: NDArray[np.bool_]) -> Landscape:
    flat, ones = np.zeros(burnable.shape, np.float32), np.ones(burnable.shape, np.float32)
    rows = burnable.shape[0]
    return Landscape(
        name="closed-form", fuel_model=np.where(burnable, _GRASS, BARREN).astype(np.int16),
        elevation_m=flat, slope_tan=flat, aspect_deg=flat, canopy_cover=flat, canopy_height_m=flat,
        canopy_base_height_m=flat, canopy_bulk_density_kg_m3=flat,
        ignition_weight=starts.astype(np.float32),
        value=np.where(burnable, value, 0.0).astype(np.float32), cost=ones, treatable=treatable,
        cell_size_m=CELL_SIZE_M,
        transform=(CELL_SIZE_M, 0.0, 0.0, 0.0, -CELL_SIZE_M, rows * CELL_SIZE_M))
