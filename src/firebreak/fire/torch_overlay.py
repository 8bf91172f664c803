"""Breaks on a torch device: which steps and segments they leave open in every cell, as bits.

The rules are those of `way_kernel.step_open` and `way_kernel.segment_open`, for all cells of many
overlays at once. A fire has an overlay of its own where it starts in a break, or where it draws
which breaks it breaches; the others share their landscape's.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.fire.fires import Fires
from firebreak.fire.keyed import DRAW_BREACH, uniforms
from firebreak.fire.overlay import break_state
from firebreak.fire.ring import RING, SEGMENTS, STEPS
from firebreak.fire.travel import BreakRules, pad, padded_cells, padded_width
from firebreak.fire.way_kernel import BREAK, NARROW, OPEN

if TYPE_CHECKING:
    from torch import Tensor


class DeviceOverlays(NamedTuple):
    """V overlays, flat [V * P].

    steps, segments: i64, bits of what is open into a cell; none where it does not burn.
    blocked: bool, nothing passes: unburnable, or a break.
    narrow: bool, blocked cells that burn all the same.
    """

    steps: "Tensor"
    segments: "Tensor"
    blocked: "Tensor"
    narrow: "Tensor"


class HostOverlays(NamedTuple):
    """V overlays in host memory, and which of them each of F fires meets.

    closed, narrow: bool [V, P]. leak: bool [V]. of_fire: i64 [F].
    """

    closed: NDArray[np.bool_]
    narrow: NDArray[np.bool_]
    leak: NDArray[np.bool_]
    of_fire: NDArray[np.int64]


def overlays_of(fires: Fires, burnable: NDArray[np.bool_], breaks: NDArray[np.bool_],
                rules: BreakRules) -> HostOverlays:
    """The overlays of one landscape's fires: those of the sets of breaks, then those of single
    fires.

    Args:
        burnable: bool [H, W]. breaks: bool [1, H, W] for all the fires, or [F, H, W].
    """
    kind = break_state(rules)
    # Where breaks burn the field says how.
    laid = np.asarray(pad(breaks & burnable & (kind != OPEN), closed=False))
    of_fire = np.arange(fires.source.size) if len(laid) > 1 else np.zeros(fires.source.size, int)
    source = padded_cells(fires.source, burnable.shape[1])
    draws = rules.breach.size > 0 and kind in (BREAK, NARROW)
    alone = laid[of_fire].any(axis=1) if draws else laid[of_fire, source]
    own = np.flatnonzero(alone)
    standing = laid[of_fire[own]]
    if draws:
        standing &= ~_breached(fires.part(own), standing, rules.breach)
    standing[np.arange(own.size), source[own]] = False
    of_fire[own] = len(laid) + np.arange(own.size)
    every = np.concatenate([laid, standing])
    narrow = every & (kind == NARROW)
    return HostOverlays(~pad(burnable, closed=False) | (every & ~narrow), narrow,
                        np.full(len(every), rules.leak), of_fire)


def _breached(fires: Fires, breaks: NDArray[np.bool_],
              chance: NDArray[np.float32]) -> NDArray[np.bool_]:
    """The breaks [F, P] that each fire breaches; `chance` is that of its weather, [S, P]."""
    breached = np.zeros_like(breaks)
    for fire, cells in enumerate(map(np.flatnonzero, breaks)):
        drawn = uniforms(fires.key[fire], cells, DRAW_BREACH)
        breached[fire, cells] = drawn < chance[fires.scenario[fire], cells]
    return breached


def joined(overlays: list[HostOverlays]) -> HostOverlays:
    """Overlays of several landscapes, one after the other, and their fires likewise."""
    before = np.cumsum([0, *(len(one.leak) for one in overlays)])
    of_fire = [one.of_fire + start for one, start in zip(overlays, before[:-1], strict=True)]
    return HostOverlays(np.concatenate([one.closed for one in overlays]),
                        np.concatenate([one.narrow for one in overlays]),
                        np.concatenate([one.leak for one in overlays]), np.concatenate(of_fire))


def part_of(overlays: HostOverlays, fires: slice) -> HostOverlays:
    """The overlays that part of the fires meet, and no others."""
    kept, of_fire = np.unique(overlays.of_fire[fires], return_inverse=True)
    return HostOverlays(overlays.closed[kept], overlays.narrow[kept], overlays.leak[kept],
                        of_fire.astype(np.int64))


def on_device(overlays: HostOverlays, cols: int, like: "Tensor") -> DeviceOverlays:
    """The bits of overlays on the device of `like`."""
    import torch

    width = padded_width(cols)
    closed, narrow, leak = (torch.from_numpy(part).to(like.device) for part in overlays[:3])
    blocked = closed | narrow

    def free(cells: NDArray[np.int64]) -> "Tensor":
        """Nothing blocks any of the cells (rows, columns from the child)."""
        out = torch.ones_like(blocked)
        for row, col in cells.tolist():
            out &= ~blocked.roll(-(row * width + col), 1)
        return out

    steps = torch.zeros(blocked.shape, dtype=torch.int64, device=like.device)
    for step in range(STEPS):
        if step >= 8:
            opens = free(RING.step_crosses[step, :RING.step_cross_count[step]])
        elif step % 2:
            row, col = RING.steps[step]
            opens = free(np.array([[row, 0]])) | free(np.array([[0, col]])) | leak[:, None]
        else:
            opens = torch.ones_like(blocked)
        steps |= (opens & ~closed).long() << step
    segments = torch.zeros_like(steps)
    for segment in range(SEGMENTS):
        crossed = RING.segment_crosses[segment, :RING.segment_cross_count[segment]]
        segments |= (free(crossed) & ~closed).long() << segment
    return DeviceOverlays(steps.reshape(-1), segments.reshape(-1), blocked.reshape(-1),
                          narrow.reshape(-1))
