"""Fires whose losses under some breaks are known: under others only those burn again that came near
a cell where these differ. The others have read no cell that breaks change.
"""

import copy
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import maximum_filter

from firebreak.fire.burn_setup import overlays_of, setup_of
from firebreak.fire.engine import burn_codes
from firebreak.fire.fires import Fires
from firebreak.fire.scene import Scene
from firebreak.fire.travel.breaks import Shading
from firebreak.fire.travel.stencil import REACH, UNBURNED
from firebreak.fire.travel.travel_field import padded_cells

ALL = slice(None)
Mask = NDArray[np.bool_]


class KnownFires:
    """F fires of a scene that is not tiled, burned without breaks. loss: f64 [F], of each, as often
    as it counts.
    """

    def __init__(self, scene: Scene, fires: Fires, may: Mask) -> None:
        """may: bool [H, W], where there may be breaks; a bit is held of each fire and cell near it.

        Raises:
            InputError: fires that cannot burn here.
        """
        self.scene, self.fires, self._may = scene, fires, may
        # The square of cells from which a fire may depend on a break in the middle.
        self._side = 2 * (2 * REACH if scene.field.breaks.acts_nearby else REACH) + 1
        self._cells = np.flatnonzero(maximum_filter(may, self._side, mode="constant"))
        self._places = padded_cells(self._cells, scene.landscape.shape[1])
        self._shading, self._breaks = Shading(scene.field), np.zeros_like(may)
        self.loss, self._came = self._burned(fires, self._breaks)

    @property
    def nbytes(self) -> int:
        """Bytes of what is known of each fire."""
        return self.loss.nbytes + self._came.nbytes

    def under(self, breaks: Mask, beside: Self | None = None) -> Self:
        """The same fires under breaks, bool [H, W], where there may be some.

        beside: the fires under others, of which some may be the same too.
        """
        found, which = copy.copy(self), self._met(breaks)
        found._breaks, found.loss, found._came = breaks.copy(), self.loss.copy(), self._came.copy()
        if beside is not None:
            met = np.isin(which, beside._met(breaks))
            same, which = which[~met], which[met]
            found.loss[same], found._came[same] = beside.loss[same], beside._came[same]
        if which.size:
            found.loss[which], found._came[which] = self._burned(self.fires.part(which), breaks)
        return found

    def loss_under(self, breaks: Mask, part: slice = ALL) -> NDArray[np.float64]:
        """Losses of a range of the fires, f64, under breaks bool [H, W] where there may be some:
        the bits of `burn`.
        """
        loss, which = self.loss[part].copy(), self._met(breaks, part)
        if which.size:
            loss[which] = self._burned(self.fires.part(part).part(which), breaks)[0]
        return loss

    def _met(self, breaks: Mask, part: slice = ALL) -> NDArray[np.int64]:
        """Numbers in a range of the fires that may burn otherwise under breaks."""
        assert not (breaks & ~self._may).any(), "a break where none may be"
        if self.scene.field.spots.cells.size and (self._breaks & ~breaks).any():
            return np.arange(self.loss[part].size)  # embers come from anywhere
        near = maximum_filter(breaks ^ self._breaks, self._side, mode="constant").ravel()
        return np.flatnonzero((self._came[part] & np.packbits(near[self._cells])).any(axis=1))

    def _burned(self, fires: Fires, breaks: Mask) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
        """Losses of fires, and bits of the cells that each came to."""
        field = self._shading.under(breaks)
        setup = setup_of(field, overlays_of(field, self.scene.value_by_class, breaks))
        loss, came = burn_codes(setup, fires, lambda codes: np.packbits(
            codes[:, self._places] != UNBURNED, axis=1))
        return loss, np.concatenate(came)
