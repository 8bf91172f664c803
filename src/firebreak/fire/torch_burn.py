"""Minimum travel times of many fires at once, by relaxation until nothing changes.

A cell's arrival is the least over the ways into it, and each way is later than the cells it comes
from. So there is just one set of arrival times in which every cell holds the least of its ways:
where two sets differ, take the earliest time in which they do; the way it comes by starts from
earlier times, in which they agree, so the other set cannot hold a later one there. The compiled
engine's times are such a set (it drops a way only into a cell that is earlier than the way's later
end), so relaxation ends in them, in any order, whatever it held on the way: the last wrong times
below the first that is not settled rise with every visit, and then that one is right for good.
For that a visit must forget what the cell held before: a later end can lead to an earlier arrival
(see `test_engine_properties`), so the least ever seen may be too early.

Only cells near a change wait for a visit. Each sweep visits a list of a fixed length, so that the
host need not know how many wait; cells beyond it wait for the next.
"""

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from firebreak.fire.ring import STEPS
from firebreak.fire.torch_field import DeviceFields
from firebreak.fire.torch_overlay import DeviceOverlays
from firebreak.fire.torch_ways import DeviceFires, arrival_in, places

if TYPE_CHECKING:
    from torch import Tensor

SWEEPS = 8  # between two looks of the host at what still waits
PAIRS_STEP = 256  # lists grow by this


class Visit(NamedTuple):
    """The two parts of a visit: `visited` and `called`, or what torch compiled them to."""

    arrive: "Callable[..., Tensor]"
    call: "Callable[..., Tensor]"


def relax(fields: DeviceFields, overlays: DeviceOverlays, fires: DeviceFires, most_pairs: int,
          fused: bool = False) -> "Tensor":
    """Arrival times f32 [F, P], minutes, inf = unburned; sweeps visit at most `most_pairs` pairs.

    fused: let torch compile the visits, which takes its time once and then pays.
    """
    import torch

    visit = _fused() if fused else Visit(visited, called)
    size = fields.burnable.shape[1]
    count, where = fires.source.shape[0], fires.source.device
    time = torch.full((count * size,), float("inf"), dtype=torch.float32, device=where)
    # The last place takes what is not meant.
    waits = torch.zeros(count * size + 1, dtype=torch.bool, device=where)
    sources = torch.arange(count, device=where) * size + fires.source
    time[sources] = 0.0
    _mark(waits, called(fields, overlays, fires, sources, time[sources], time))
    while True:
        waiting = int(waits.sum())
        if waiting == 0:
            break
        # The front grows from sweep to sweep.
        room = min(most_pairs, -(-waiting * 5 // 4) // PAIRS_STEP * PAIRS_STEP + PAIRS_STEP)
        for _ in range(SWEEPS):
            _sweep(visit, fields, overlays, fires, time, waits, room, sources[:1])
    narrow = overlays.narrow.reshape(-1, size)[fires.overlay] & time.reshape(-1, size).isinf()
    return _with_narrow(fields, overlays, fires, time, narrow, most_pairs).reshape(count, size)


@functools.cache
def _fused() -> Visit:
    import torch

    return Visit(torch.compile(visited, dynamic=True), torch.compile(called, dynamic=True))


def _sweep(visit: Visit, fields: DeviceFields, overlays: DeviceOverlays, fires: DeviceFires,
           time: "Tensor", waits: "Tensor", room: int, spare: "Tensor") -> None:
    """Visits the first `room` pairs that wait; changes time [F * P] and waits [F * P + 1].

    spare: i64 [1], a pair to visit where fewer wait: an ignition, which no visit changes.
    """
    pairs = _first_waiting(waits, room, spare)
    waits.index_fill_(0, pairs, False)
    before = time[pairs]
    now = visit.arrive(fields, overlays, fires, pairs, time)
    time[pairs] = now
    # Where nothing changed nobody is called: no time is above inf.
    earlier = before.minimum(now).where(before != now, float("inf"))
    _mark(waits, visit.call(fields, overlays, fires, pairs, earlier, time))


def _first_waiting(waits: "Tensor", room: int, spare: "Tensor") -> "Tensor":
    """The first `room` pairs that wait, i64 [room]; `spare` where fewer do. No look by the host."""
    import torch

    rank = waits[:-1].cumsum(0)
    place = (rank - 1).where(waits[:-1] & (rank <= room), room)
    listed = spare.repeat(room + 1)
    listed.scatter_(0, place, torch.arange(place.shape[0], device=waits.device))
    return listed[:-1]


def visited(fields: DeviceFields, overlays: DeviceOverlays, fires: DeviceFires, pairs: "Tensor",
            time: "Tensor") -> "Tensor":
    """Arrival f32 [N] in pairs [N], 0 in the ignition cell and inf after the fire's duration."""
    at = places(fields, fires, pairs)
    arrival = arrival_in(fields, overlays, at, pairs, time)
    arrival = arrival.where(arrival <= fires.duration[at.fire], float("inf"))
    size = fields.burnable.shape[1]
    return arrival.where(pairs - at.fire * size != fires.source[at.fire], 0.0)


def called(fields: DeviceFields, overlays: DeviceOverlays, fires: DeviceFires, pairs: "Tensor",
           earlier: "Tensor", time: "Tensor") -> "Tensor":
    """Whom changes in pairs [N] may concern, pairs i64 [N, 32], the one after the last for nobody:
    the cells they send fire to that burn after `earlier` [N], the earlier of a pair's times before
    and after.
    """
    import torch

    at = places(fields, fires, pairs)
    bits = torch.arange(STEPS, device=pairs.device)
    offset = fields.ring.step_offset[:STEPS]
    child = pairs[:, None] - offset
    concerned = (((fields.sends[at.field][:, None] >> bits & 1) == 1)
                 & ~overlays.blocked[at.overlay[:, None] - offset]
                 & (time[child] > earlier[:, None]))
    return child.where(concerned, time.shape[0])


def _mark(waits: "Tensor", pairs: "Tensor") -> None:
    """Makes pairs wait, but not the one after the last."""
    waits.index_fill_(0, pairs.reshape(-1), True)
    waits[-1:].fill_(False)


def _with_narrow(fields: DeviceFields, overlays: DeviceOverlays, fires: DeviceFires,
                 time: "Tensor", narrow: "Tensor", most_pairs: int) -> "Tensor":
    """Arrival with that of narrow breaks, bool [F, P], which burn once all others are known."""
    arrival = time.clone()
    for pairs in narrow.reshape(-1).nonzero()[:, 0].split(most_pairs):
        arrival[pairs] = visited(fields, overlays, fires, pairs, time)
    return arrival
