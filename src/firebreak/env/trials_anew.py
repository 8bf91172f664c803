"""What lines of breaks would save where fires that a break may change burn anew as a whole: with
breaks that burn, crews, an initial attack or embers.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.env.storage.slots import Slots
from firebreak.fire import Overlays, pad, padded_cells

_MOST_LOST = 48
"""Power of two of the whole units that no fire loses more than, see `Slots.loss_unit`."""


class TriedAnew(NamedTuple):
    """Of n lines. fires: of those tried with each, the ones that it may change, i64; saved: of each
    of these, whole units i64; beyond: whether a fire came to one of the cells that none should.
    """

    fires: list[NDArray[np.int64]]
    saved: list[NDArray[np.int64]]
    beyond: bool


def saved_anew(slots: Slots, slot: int, lines: Sequence[NDArray[np.int64]],
               fires: Sequence[NDArray[np.int64]], edge: NDArray[np.bool_], *,
               standing: bool = False) -> TriedAnew:
    """What each line alone saves of plan fires of a slot.

    Args:
        standing: the lines are broken, and each saves what would burn without it alone.
        lines: flat cells that are not broken.
        fires: of each line the numbers of the fires to try, rising.
        edge: [H, W], where no fire should come to, since what burns there is not known.
    """
    first, unit = slots.plan_ids(slot).start, slots.loss_unit(slot)
    field = slots.problem(slot).scene.field
    value, marked = slots.value.copy(), pad(edge)
    value[slot] = slots.fires.whole_value(slot)
    value[slot][:, marked] = 2.0**(_MOST_LOST + 1) / unit  # a loss that no fire has otherwise
    found = TriedAnew([], [], False)
    for cells, some in zip(lines, fires, strict=True):
        places = padded_cells(cells, slots.sizes.shape[1])
        # Where a break goes, fire comes from close by, and embers from anywhere.
        own = (some if standing and field.spots.cells.size else some[slots.fires.may_change(
            places, first + some, nearby=standing or field.breaks.acts_nearby)])
        saved = np.zeros(own.size, np.int64)
        if own.size:
            before = slots.fires.loss[first + own]
            slots.write_breaks(slot, cells, broken=not standing)
            inside = places[~marked[places]]
            if field.breaks.lost > 0.0:
                value[slot][:, inside] = slots.fires.whole_value(slot, inside)
            after = slots.fires.loss_anew(first + own, slots.fields,
                                          Overlays(slots.overlays.state, value))
            slots.write_breaks(slot, cells, broken=standing)
            if field.breaks.lost > 0.0:
                value[slot][:, inside] = slots.fires.whole_value(slot, inside)
            less = after - before if standing else before - after
            saved = np.rint(less * unit).astype(np.int64)
            found = found._replace(beyond=found.beyond or bool(
                (after * unit > 2.0**_MOST_LOST).any()))
        found.fires.append(own)
        found.saved.append(saved)
    return found
