"""Fires burned with all that the kernel tells of each, which no command holds: what tests and
rivals compare with.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.fire.burn_setup import make_setup
from firebreak.fire.engine import burn_into, check_on
from firebreak.fire.fires import Fires
from firebreak.fire.tiles import Breaks, grid_of
from firebreak.fire.travel.travel_field import TravelField, unpad


class BurnedFires(NamedTuple):
    """F fires, burned.

    loss: f64 [F], value burned per fire, as often as it counts.
    arrival_time_min: f64 [F, H, W], inf = unburned.
    parent_code: u8 [F, H, W], see `stencil`; HELD where crews stopped the fire at a break.
    downstream_value: f64 [F, H, W], value burned in the fire's tree below each cell.
    """

    loss: NDArray[np.float64]
    arrival_time_min: NDArray[np.float64]
    parent_code: NDArray[np.uint8]
    downstream_value: NDArray[np.float64]


def burn_maps(field: TravelField, fires: Fires, value: NDArray[np.float32],
              breaks: Breaks = None) -> BurnedFires:
    """Burns fires and keeps everything, for small sets; arguments as of `engine.burn_field`."""
    check_on(fires, field)
    setup, count = make_setup(field, value, grid_of(breaks, field.shape)), fires.source.size
    maps = [np.empty((count, setup.cells), kind) for kind in (np.float64, np.uint8, np.float64)]
    loss = burn_into(setup, fires, *maps)
    return BurnedFires(loss, *(unpad(grid, field.shape) for grid in maps))
