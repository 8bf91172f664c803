"""A plain picture of a slot for `render_mode="rgb_array"`; real figures are made in `report`."""

import numpy as np
from numpy.typing import NDArray

from firebreak.env.slots import Slots
from firebreak.layout import OBSERVATION

_PIXELS = 8  # per cell
_UNBURNABLE = (120, 130, 145)
_BREAK = (20, 20, 20)


def plan_image(slots: Slots, slot: int) -> NDArray[np.uint8]:
    """uint8 [8H, 8W, 3], north up: burn probability from white to red, breaks black."""
    layers = slots.layers[slot]
    heat = layers[OBSERVATION.channel("burn_probability")].astype(np.int16)
    image = np.stack([np.full_like(heat, 255), 255 - heat, 255 - heat], axis=-1).astype(np.uint8)
    image[layers[OBSERVATION.channel("burnable")] == 0] = _UNBURNABLE
    image[slots.breaks[slot]] = _BREAK
    return image.repeat(_PIXELS, axis=0).repeat(_PIXELS, axis=1)
