"""What an action breaks and which are allowed: single cells, or straight segments of them."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from firebreak.env.segment_kernel import CROSSED, PLACED, STOPS, allow_segments
from firebreak.env.slots import Slots
from firebreak.landscape.landscape import Landscape
from firebreak.segments import COMPASS, SEGMENT_LENGTHS, SHAPES, action_cells, line_steps

_WAYS = {joined: np.stack([line_steps(way, SEGMENT_LENGTHS[-1], joined) for way in COMPASS])
         for joined in (False, True)}
_LENGTHS = np.array(SEGMENT_LENGTHS)


def action_count(shape: tuple[int, int], segments: bool) -> int:
    """Actions on a map [H, W]: its cells, or segments by shape and middle cell."""
    return shape[0] * shape[1] * (SHAPES if segments else 1)


def line_state(landscape: Landscape, breaks: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """States [H, W] of `segment_kernel`: lines end at the map's edge and at cells that burn and
    cannot be treated; they cross what holds already.
    """
    fuel = landscape.burnable & ~breaks
    return np.where(landscape.treatable & fuel, PLACED,
                    np.where(fuel, STOPS, CROSSED)).astype(np.uint8)


def allowed(slots: Slots, slot: int, segments: bool) -> NDArray[np.bool_]:
    """bool [A]: the available cells of a slot; of segments, those that begin and end in one, meet
    no fuel that cannot be treated, and can be paid for. They cross what does not burn.
    """
    if not segments:
        return slots.available[slot].ravel().copy()
    problem = slots.problems[slot]
    out = np.zeros((SHAPES, *slots.sizes.shape), np.bool_)
    if problem is None or not slots.available[slot].any():
        return out.ravel()
    land = problem.scene.landscape
    most = float(slots.budget_left[slot]) * (1.0 + 1e-9) + 1e-9
    allow_segments(line_state(land, slots.breaks[slot]), slots.available[slot],
                   land.cost.astype(np.float64), most, _WAYS[problem.scene.field.breaks.leak],
                   _LENGTHS, out)
    return out.ravel()


def is_allowed(slots: Slots, slot: int, action: int, segments: bool) -> bool:
    """Whether one action is among those `allowed`."""
    if not segments:
        return bool(slots.available[slot].flat[action])
    return bool(allowed(slots, slot, segments)[action])


def place_action(slots: Slots, slot: int, action: int, segments: bool) -> None:
    """Breaks what an allowed action breaks."""
    if not segments:
        slots.place(slot, action)
        return
    problem = slots.problems[slot]
    assert problem is not None, "slot used before load"
    place_available(slots, slot, action_cells(action, slots.sizes.shape,
                                              problem.scene.field.breaks.leak).tolist())


def place_available(slots: Slots, slot: int, cells: Iterable[int]) -> list[int]:
    """Breaks those of flat `cells` that are available when their turn comes: those before them may
    have spent what they cost. Returns them.
    """
    placed = []
    for cell in cells:
        if slots.available[slot].flat[cell]:
            slots.place(slot, cell)
            placed.append(cell)
    return placed
