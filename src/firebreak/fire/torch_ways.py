"""The ways into listed cells of many fires at once, and when fire that takes them arrives.

What `way_kernel` says of one way is said here of a list of (fire, cell) pairs, in the same order of
arithmetic. A pair is fire * P + padded cell.
"""

from typing import TYPE_CHECKING, NamedTuple

from firebreak.fire.ring import SEGMENT_CODE
from firebreak.fire.torch_field import DeviceFields, root, travel_cost
from firebreak.fire.torch_overlay import DeviceOverlays

if TYPE_CHECKING:
    from torch import Tensor


class DeviceFires(NamedTuple):
    """F fires.

    row: i64 [F] of the fields. overlay: i64 [F]. source: i64 [F], padded cell.
    duration: f64 [F], minutes.
    """

    row: "Tensor"
    overlay: "Tensor"
    source: "Tensor"
    duration: "Tensor"


class Places(NamedTuple):
    """Where N pairs lie: i64 [N] fire, and place in the fields and in the overlays."""

    fire: "Tensor"
    field: "Tensor"
    overlay: "Tensor"


def places(fields: DeviceFields, fires: DeviceFires, pairs: "Tensor") -> Places:
    """Where pairs [N] lie."""
    size = fields.burnable.shape[1]
    fire = pairs.div(size, rounding_mode="floor")
    cell = pairs - fire * size
    return Places(fire, fires.row[fire] * size + cell, fires.overlay[fire] * size + cell)


def ways_into(fields: DeviceFields, overlays: DeviceOverlays, at: Places, pairs: "Tensor",
              time: "Tensor") -> tuple["Tensor", "Tensor"]:
    """Arrival f32 [N, A + B] in pairs [N] through each listed step and segment, and the segments'
    weights f32 [N, B]; inf where a way is closed or its ends have not burned.

    time: f32 [F * P], when each pair begins to send fire.
    """
    import torch

    by_step = _through_steps(fields, overlays, at, pairs, time)
    if fields.segment_code.shape[1] == 0:
        return by_step, by_step[:, :0]
    by_segment, weight = _through_segments(fields, overlays, at, pairs, time)
    return torch.cat((by_step, by_segment), 1), weight


def arrival_in(fields: DeviceFields, overlays: DeviceOverlays, at: Places, pairs: "Tensor",
               time: "Tensor") -> "Tensor":
    """The earliest arrival f32 [N] in pairs [N]."""
    best = _through_steps(fields, overlays, at, pairs, time).amin(1)
    if fields.segment_code.shape[1] == 0:
        return best
    return best.minimum(_through_segments(fields, overlays, at, pairs, time)[0].amin(1))


def parent_codes(fields: DeviceFields, at: Places, best: "Tensor") -> "Tensor":
    """Parent code [N] (see `ring`) of the column `best` [N] of `ways_into`."""
    import torch

    codes = torch.cat((fields.step_code[at.field], fields.segment_code[at.field] + SEGMENT_CODE), 1)
    return codes.gather(1, best[:, None])[:, 0]


def _through_steps(fields: DeviceFields, overlays: DeviceOverlays, at: Places, pairs: "Tensor",
                   time: "Tensor") -> "Tensor":
    code = fields.step_code[at.field].long()
    start = time[pairs[:, None] + fields.ring.step_offset[code]]
    arrival = (start + fields.step_cost[at.field]).float().maximum(_after(start))
    is_open = overlays.steps[at.overlay][:, None] >> code & 1
    return arrival.where(is_open == 1, float("inf"))


def _through_segments(fields: DeviceFields, overlays: DeviceOverlays, at: Places, pairs: "Tensor",
                      time: "Tensor") -> tuple["Tensor", "Tensor"]:
    code = fields.segment_code[at.field].long()
    to_a, to_b = fields.ring.end_offset[0][code], fields.ring.end_offset[1][code]
    time_a, time_b = time[pairs[:, None] + to_a], time[pairs[:, None] + to_b]
    place, kind = at.field[:, None], fields.step_cost.dtype
    arrival, weight, inside = _through_points(
        fields.metric[place].to(kind), fields.metric[place + to_a].to(kind),
        fields.metric[place + to_b].to(kind), time_a.to(kind), time_b.to(kind),
        *fields.ring.way[:, code].unbind(0))
    is_open = (overlays.segments[at.overlay][:, None] >> code & 1) == 1
    later = _after(time_a.maximum(time_b))
    return arrival.float().maximum(later).where(inside & is_open, float("inf")), weight.float()


def _through_points(own: "Tensor", at_a: "Tensor", at_b: "Tensor", time_a: "Tensor",
                    time_b: "Tensor", east_a: "Tensor", north_a: "Tensor", east_ab: "Tensor",
                    north_ab: "Tensor") -> tuple["Tensor", "Tensor", "Tensor"]:
    """Arrival through the best point of each segment in the child's own ellipse, the point's weight
    and whether it is inside: `way_kernel.segment_weight` and `way_kernel.segment_cost`.
    """
    m11, m12, m22, drift_east, drift_north = own.unbind(-1)
    along_east = m11 * east_ab + m12 * north_ab
    along_north = m12 * east_ab + m22 * north_ab
    length2 = east_ab * along_east + north_ab * along_north
    mixed = east_a * along_east + north_a * along_north
    falls = drift_east * east_ab + drift_north * north_ab - (time_b - time_a)
    rest, det = length2 - falls * falls, m11 * m22 - m12 * m12
    # Times of ends that have not burned are inf, which leaves no rest, or nan.
    inside = (rest > 0.0) & _above(falls, det, rest, mixed) & ~_above(falls, det, rest,
                                                                     mixed + length2)
    weight = (falls * root(det / rest) - mixed) / length2
    east, north = east_a + weight * east_ab, north_a + weight * north_ab
    cost = 0.5 * travel_cost(own, east, north) + 0.5 * (
        (1.0 - weight) * travel_cost(at_a, east, north) + weight * travel_cost(at_b, east, north))
    return (time_a + weight * (time_b - time_a)) + cost, weight, inside


def _above(factor: "Tensor", det: "Tensor", rest: "Tensor", bound: "Tensor") -> "Tensor":
    """factor * sqrt(det / rest) > bound, by squares; det and rest are positive."""
    left, right, below = factor * factor * det, bound * bound * rest, bound < 0.0
    return (below | (left > right)).where(factor >= 0.0, below & (left < right))


def _after(time: "Tensor") -> "Tensor":
    """The next number after each time: a child is later than its parents."""
    return time.nextafter(time.new_full((), float("inf")))
