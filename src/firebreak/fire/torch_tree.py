"""What fires leave behind on a torch device: the parents of every burned cell, and the value burned
below each cell of a fire's tree.
"""

from typing import TYPE_CHECKING, NamedTuple

from firebreak.fire.ring import SEGMENT_CODE, STEPS
from firebreak.fire.torch_field import DeviceFields
from firebreak.fire.torch_overlay import DeviceOverlays
from firebreak.fire.torch_ways import DeviceFires, parent_codes, places, ways_into

if TYPE_CHECKING:
    from torch import Tensor

PASSES = 8  # between two looks of the host at whether anything was handed on


class Tree(NamedTuple):
    """Parents of N burned pairs (fire * P + padded cell), the ignitions left out.

    pairs, first, second: i64 [N], the pair and its two parents, which may be one.
    share: f32 [N], what the second parent gets of it.
    code: u8 [N], see `ring`.
    """

    pairs: "Tensor"
    first: "Tensor"
    second: "Tensor"
    share: "Tensor"
    code: "Tensor"


def tree_of(fields: DeviceFields, overlays: DeviceOverlays, fires: DeviceFires, arrival: "Tensor",
            most_pairs: int) -> Tree:
    """The tree of fires whose arrival times [F, P] are known: of a cell's ways the one it burned
    by, the lowest code where two are level.
    """
    import torch

    size = fields.burnable.shape[1]
    narrow = overlays.narrow.reshape(-1, size)[fires.overlay]
    sent = arrival.where(~narrow, float("inf")).reshape(-1)
    burned = arrival.isfinite()
    burned[torch.arange(burned.shape[0], device=burned.device), fires.source] = False
    parts = [_parents(fields, overlays, fires, pairs, sent)
             for pairs in burned.reshape(-1).nonzero()[:, 0].split(most_pairs)]
    return Tree(*(torch.cat(column) for column in zip(*parts, strict=True)))


def _parents(fields: DeviceFields, overlays: DeviceOverlays, fires: DeviceFires, pairs: "Tensor",
             sent: "Tensor") -> Tree:
    at = places(fields, fires, pairs)
    times, weight = ways_into(fields, overlays, at, pairs, sent)
    # argmax takes the first of equals, argmin any.
    best = (times == times.amin(1, keepdim=True)).byte().argmax(1)
    code = parent_codes(fields, at, best)
    by_step = code < SEGMENT_CODE
    step = fields.ring.step_offset[code.long().clamp(max=STEPS)]
    ends = fields.ring.end_offset[:, (code.long() - SEGMENT_CODE).clamp(min=0)]
    steps = times.shape[1] - weight.shape[1]
    if weight.shape[1] == 0:
        share = pairs.new_zeros(pairs.shape, dtype=sent.dtype)
    else:
        share = weight.gather(1, (best - steps).clamp(min=0)[:, None])[:, 0].where(~by_step, 0.0)
    return Tree(pairs, pairs + step.where(by_step, ends[0]), pairs + step.where(by_step, ends[1]),
                share, code)


def downstream_values(tree: Tree, worth: "Tensor") -> "Tensor":
    """Value burned in each fire's tree below each cell, the cell itself included, f64 [F, P].

    worth: f64 [F, P], 0 where a fire did not burn.

    Every cell's value walks up the tree, one generation a pass, and is counted wherever it comes
    by; after as many passes as there are generations all of it has left through the ignitions.
    """
    below = worth.reshape(-1).clone()
    walking, share = below.clone(), tree.share.double()
    while bool(walking.any()):
        for _ in range(PASSES):
            handed = walking[tree.pairs]
            to_second = share * handed
            walking = walking.new_zeros(walking.shape)
            walking.index_add_(0, tree.second, to_second)
            walking.index_add_(0, tree.first, handed - to_second)
            below += walking
    return below.reshape(worth.shape)
