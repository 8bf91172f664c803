"""Travel fields on a torch device: many landscapes side by side, their open ways as short lists.

Part of the batched backend (`torch_engine`). The compiled engine asks a cell's bits which of the
ring's 32 steps and 56 segments are open; here the open ones of each cell are listed once, so that
one operation on a whole list of cells meets hardly anything but open ways.

Torch is imported where it is first needed and not before: the rest of the layer does without.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from firebreak.checks import fail
from firebreak.fire.ring import REACH, RING, SEGMENTS, STEPS
from firebreak.fire.travel import BreakRules, TravelField, padded_width

if TYPE_CHECKING:
    import torch
    from torch import Tensor

Arithmetic = Literal["float64", "float32"]
"""Of a way's cost; times are float32, as in the compiled engine."""


class DeviceRing(NamedTuple):
    """The ring on maps of one width; one more row for the end of a list.

    step_offset: i64 [33], padded cells from child to parent.
    end_offset: i64 [2, 57], the same for a segment's two ends.
    way: [4, 57], displacement in cells (east, north) from the first end to the child, and from
        there to that of the second end.
    """

    step_offset: "Tensor"
    end_offset: "Tensor"
    way: "Tensor"


class DeviceFields(NamedTuple):
    """Travel fields of L landscapes of one shape: R rows of weather in all, P padded cells.

    shape: (H, W).
    ring: the ring on this width.
    first_row: L + 1 places of the landscapes' rows.
    rules: what breaks do, per landscape.
    burnable: bool [L, P].
    metric: f32 [R * P, 5], see `travel.TravelField`.
    step_code: u8 [R * P, A], the open steps of each cell, ended by STEPS.
    step_cost: [R * P, A], minutes along them.
    segment_code: u8 [R * P, B], its open segments, ended by SEGMENTS.
    sends: i64 [R * P], see `travel.TravelField`.

    Costs are reckoned in the type of `step_cost`.
    """

    shape: tuple[int, int]
    ring: DeviceRing
    first_row: tuple[int, ...]
    rules: tuple[BreakRules, ...]
    burnable: "Tensor"
    metric: "Tensor"
    step_code: "Tensor"
    step_cost: "Tensor"
    segment_code: "Tensor"
    sends: "Tensor"


def device_of(name: str) -> "torch.device":
    """The torch device of a name such as "cpu", "cuda" or "cuda:1".

    Raises:
        InputError: no such device, or none that torch can use here.
    """
    import torch

    kind, _, index = name.partition(":")
    if kind not in ("cpu", "cuda") or (index and not index.isdecimal()):
        raise fail(expected="'cpu', 'cuda' or 'cuda:N'", given=f"'{name}'", where="device",
                   remedy="choose one of them")
    if kind == "cuda":
        seen = torch.cuda.device_count() if torch.cuda.is_available() else 0
        if int(index or 0) >= seen:
            raise fail(expected="a CUDA device that torch can use",
                       given=f"{seen} of them" if seen else "none", where=f"device '{name}'",
                       remedy="use device 'cpu', or a torch built for CUDA where there is one")
    elif int(index or 0) > 0:
        raise fail(expected="one processor, 'cpu'", given=f"'{name}'", where="device",
                   remedy="say 'cpu'")
    return torch.device(name)


def to_device(fields: TravelField | Sequence[TravelField], device: str = "cpu",
              arithmetic: Arithmetic = "float64") -> DeviceFields:
    """Travel fields of one or more landscapes, put side by side on a device.

    Raises:
        InputError: no fields, maps of different shapes, fields with embers or with weather that
            changes while fires burn, or no such device.
    """
    import torch

    listed = [fields] if isinstance(fields, TravelField) else list(fields)
    _check_fields(listed)
    where = device_of(device)

    def joined(name: str, kind: type) -> "Tensor":
        rows = np.concatenate([getattr(field, name) for field in listed])
        return torch.from_numpy(rows.astype(kind, copy=False)).to(where)

    counts = [field.metric.shape[0] for field in listed]
    return field_of_rows(
        listed[0].shape, tuple(np.cumsum([0, *counts]).tolist()),
        tuple(field.breaks for field in listed),
        torch.from_numpy(np.stack([field.burnable for field in listed])).to(where),
        joined("metric", np.float32), joined("unit_time", np.float32),
        joined("segments", np.int64), joined("accepts", np.int64), joined("sends", np.int64),
        arithmetic)


def _check_fields(fields: list[TravelField]) -> None:
    if not fields:
        raise fail(expected="at least 1 travel field", given="none", where="fields on a device",
                   remedy="give the fields of the landscapes")
    shapes = {field.shape for field in fields}
    if len(shapes) > 1:
        raise fail(expected="landscapes of one shape", given=f"{len(shapes)} shapes",
                   where="fields on a device", remedy="burn the others in a call of their own")
    if any(field.spots.cells.shape[1] or field.steps > 1 for field in fields):
        raise fail(expected="steady weather and no embers", given="streams of weather or embers",
                   where="fields on a device", remedy="burn these fires with `engine.burn`")


def ring_on(cols: int, like: "Tensor") -> DeviceRing:
    """The ring on maps of `cols` columns, its displacements of the type of `like`."""
    import torch

    width = padded_width(cols)
    offset = np.append(RING.steps @ np.array([width, 1]), 0)
    ends = np.concatenate([RING.segments, [[STEPS, STEPS]]])
    steps = np.concatenate([RING.steps, [[0, 0]]])
    first, second = steps[ends[:, 0]], steps[ends[:, 1]]
    way = np.stack([-first[:, 1], first[:, 0], first[:, 1] - second[:, 1],
                    second[:, 0] - first[:, 0]]).astype(np.float64)
    return DeviceRing(torch.from_numpy(offset).to(like.device),
                      torch.from_numpy(offset[ends.T]).to(like.device),
                      torch.from_numpy(way).to(like))


def field_of_rows(shape: tuple[int, int], first_row: tuple[int, ...],
                  rules: tuple[BreakRules, ...], burnable: "Tensor", metric: "Tensor",
                  unit_time: "Tensor", segments: "Tensor", accepts: "Tensor", sends: "Tensor",
                  arithmetic: Arithmetic) -> DeviceFields:
    """Device fields from rows: metric [R, P, 5], unit_time [R, P, 8], i64 bits [R, P]."""
    import torch

    metric = metric.reshape(-1, 5)
    kind = torch.float64 if arithmetic == "float64" else torch.float32
    ring = ring_on(shape[1], metric[:1].to(kind))
    steps, closing = listed_bits(accepts.reshape(-1), STEPS), listed_bits(segments.reshape(-1),
                                                                          SEGMENTS)
    return DeviceFields(
        shape, ring, first_row, rules, burnable, metric, steps,
        _step_costs(metric, unit_time.reshape(-1, 8), steps, ring).to(kind),
        closing, sends.reshape(-1))


def listed_bits(bits: "Tensor", most: int) -> "Tensor":
    """The set bits of each word, u8 [N, as many as the fullest has], lowest first, `most` after."""
    import torch

    count = torch.zeros_like(bits)
    for bit in range(most):
        count += bits >> bit & 1
    longest = int(count.max())
    # One more column takes what is not set.
    listed = torch.full((bits.shape[0], longest + 1), most, dtype=torch.uint8, device=bits.device)
    place = torch.zeros_like(bits)
    for bit in range(most):
        is_set = bits >> bit & 1
        listed.scatter_(1, place.where(is_set == 1, longest)[:, None],
                        torch.full_like(listed[:, :1], bit))
        place += is_set
    return listed[:, :longest].contiguous()


def travel_cost(metric: "Tensor", east: "Tensor", north: "Tensor") -> "Tensor":
    """F(d) of displacements in cells, minutes, in metrics [..., 5]: `way_kernel.cost`."""
    m11, m12, m22, drift_east, drift_north = metric.unbind(-1)
    return (root(m11 * east * east + 2.0 * m12 * east * north + m22 * north * north)
            - drift_east * east - drift_north * north)


def root(number: "Tensor") -> "Tensor":
    """Square root, nan below 0, rounded to the nearest number.

    Torch's own on a processor may be the next number (a vector library's), and which one it is
    depends on the place in the list: fires would have other bits in another batch.
    """
    import torch

    if number.device.type != "cpu" or torch.compiler.is_compiling():
        return number.sqrt()
    with np.errstate(invalid="ignore"):
        return torch.from_numpy(np.sqrt(number.numpy()))


def _step_costs(metric: "Tensor", unit_time: "Tensor", step_code: "Tensor",
                ring: DeviceRing) -> "Tensor":
    """Minutes f64 [N, A] along the listed steps: `way_kernel.step_cost`."""
    import torch

    steps = torch.from_numpy(np.concatenate([RING.steps, [[0, 0]]])).to(metric.device).double()
    own = torch.arange(metric.shape[0], device=metric.device)
    columns = []
    for column in step_code.long().unbind(1):
        parent = own + ring.step_offset[column]
        unit = column.clamp(max=7)
        short = 0.5 * unit_time[own, unit].double() + 0.5 * unit_time[parent, unit].double()
        east, north = -steps[column, 1], steps[column, 0]
        long = 0.5 * (travel_cost(metric.double(), east, north)
                      + travel_cost(metric[parent].double(), east, north))
        columns.append(short.where(column < 8, long))
    return torch.stack(columns, 1) if columns else metric.new_zeros((own.shape[0], 0)).double()


def map_cells(shape: tuple[int, int], flat: "Tensor") -> "Tensor":
    """[..., P] -> [..., H, W], a view."""
    rows, cols = shape
    full = flat.reshape(*flat.shape[:-1], rows + 2 * REACH, cols + 2 * REACH)
    return full[..., REACH:-REACH, REACH:-REACH]
