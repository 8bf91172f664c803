"""Fires whose losses without breaks are known: under breaks only those burn again that came near
one. The others have read no cell that breaks change.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import maximum_filter

from firebreak.fire.engine import burn, burn_codes
from firebreak.fire.fires import Fires
from firebreak.fire.scene import Scene
from firebreak.fire.travel.stencil import REACH, UNBURNED
from firebreak.fire.travel.travel_field import padded_cells

ALL = slice(None)


class KnownFires:
    """F fires of a scene that is not tiled, burned without breaks. loss: f64 [F], of each, as often
    as it counts.
    """

    def __init__(self, scene: Scene, fires: Fires, may: NDArray[np.bool_]) -> None:
        """may: bool [H, W], where there may be breaks; a bit is held of each fire and cell near it.

        Raises:
            InputError: fires that cannot burn here.
        """
        self.scene, self.fires, self._may = scene, fires, may
        # The square of cells from which a fire may depend on a break in the middle.
        self._side = 2 * (2 * REACH if scene.field.breaks.acts_nearby else REACH) + 1
        self._cells = np.flatnonzero(maximum_filter(may, self._side, mode="constant"))
        places = padded_cells(self._cells, scene.landscape.shape[1])
        self.loss, came = burn_codes(scene, fires, lambda codes: np.packbits(
            codes[:, places] != UNBURNED, axis=1))
        self._came = np.concatenate(came)

    def loss_under(self, breaks: NDArray[np.bool_], part: slice = ALL) -> NDArray[np.float64]:
        """Losses of a range of the fires, f64, under breaks bool [H, W] where there may be some:
        the bits of `burn`.
        """
        assert not (breaks & ~self._may).any(), "a break where none may be"
        near = np.packbits(maximum_filter(breaks, self._side, mode="constant").ravel()[self._cells])
        loss, some = self.loss[part].copy(), self.fires.part(part)
        which = np.flatnonzero((self._came[part] & near).any(axis=1))
        if which.size:
            loss[which] = burn(self.scene, some.part(which), breaks).loss
        return loss
