"""Travel fields made on a torch device from the ellipses of fire behaviour, nothing copied back or
forth: the equations of `metric_kernel` and `travel_kernel` on all cells of many landscapes at once.

The numbers are those of `travel.field_from_ellipse` up to the rounding of sines and cosines, which
float32 hides but for one cell in millions.
"""

import functools
import math
from typing import TYPE_CHECKING

from firebreak.checks import fail
from firebreak.fire.metric_kernel import SLOWEST
from firebreak.fire.ring import REACH, RING, SEGMENTS, STEPS
from firebreak.fire.torch_field import Arithmetic, DeviceFields, device_of, field_of_rows, root
from firebreak.fire.travel import BreakRules, Ellipse, SpreadMode, padded_width
from firebreak.fire.travel_kernel import RATE_GATE

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from torch import Tensor

_RADIANS = math.pi / 180.0


def fields_from_ellipses(ellipse: Ellipse, burnable: "NDArray | Tensor", cell_size_m: float,
                         mode: SpreadMode = "front", *,
                         slope_tan: "NDArray | Tensor | None" = None,
                         aspect_deg: "NDArray | Tensor | None" = None,
                         rules: BreakRules | None = None, device: str = "cpu",
                         arithmetic: Arithmetic = "float64") -> DeviceFields:
    """The travel fields of L landscapes in S weather scenarios each; flat ground if no slope is
    given.

    Args:
        ellipse: rates [L, S, H, W], arrays or tensors.
        burnable: bool [L, H, W]. slope_tan, aspect_deg: [L, H, W].
        rules: what breaks do on all of them, by default hold.

    Raises:
        InputError: shapes that do not fit together, a rate that is negative, nan or infinite, or a
            device that torch cannot use.
    """
    import torch

    where = device_of(device)
    grids = [torch.as_tensor(grid, device=where).double() for grid in ellipse]
    burns = torch.as_tensor(burnable, device=where).bool()
    slope, aspect = (torch.zeros(burns.shape, dtype=torch.float64, device=where) if grid is None
                     else torch.as_tensor(grid, device=where).double()
                     for grid in (slope_tan, aspect_deg))
    _check(grids, burns, slope, aspect)
    lands, scenarios, *shape = grids[0].shape
    can_burn, up, facing = (padded(grid.double()).repeat_interleave(scenarios, 0)
                            for grid in (burns, slope, aspect))
    rows = [padded(grid.reshape(-1, *shape)) for grid in grids]
    open_rows = can_burn > 0.0
    metric, unit_time = _metrics(rows, up, facing, open_rows, cell_size_m)
    width = padded_width(shape[1])
    segments, accepts = open_ways(metric, rows[0].float(), open_rows, width, mode == "graph")
    sends = turned_round(open_rows, width, segments, accepts)
    return field_of_rows(
        (shape[0], shape[1]), tuple(range(0, lands * scenarios + 1, scenarios)),
        (BreakRules() if rules is None else rules,) * lands, open_rows[::scenarios], metric,
        unit_time, segments, accepts, sends, arithmetic)


def _check(grids: "list[Tensor]", burns: "Tensor", slope: "Tensor", aspect: "Tensor") -> None:
    rates = grids[0].shape
    fits = len(rates) == 4 and all(grid.shape == rates for grid in grids) and all(
        grid.shape == (rates[0], *rates[2:]) for grid in (burns, slope, aspect))
    if not fits or burns.numel() == 0:
        raise fail(expected="ellipses [L, S, H, W] and maps [L, H, W]",
                   given=f"{tuple(rates)} and {tuple(burns.shape)}",
                   where="travel times on a device", remedy="stack landscapes of one shape")
    bad = [grid.isfinite().logical_not().any() | (grid < 0).any() for grid in grids[:3]]
    if any(bool(one) for one in [*bad, grids[3].isfinite().logical_not().any()]):
        raise fail(expected="finite, non-negative rates", given="nan, inf or below 0",
                   where="travel times on a device",
                   remedy="check fuel, weather and slope of the map")


def padded(grid: "Tensor") -> "Tensor":
    """[..., H, W] -> [..., P], with 0 in the padding."""
    from torch.nn import functional

    return functional.pad(grid, (REACH,) * 4).flatten(-2)


def _metrics(rows: "list[Tensor]", slope_tan: "Tensor", aspect_deg: "Tensor", burns: "Tensor",
             cell_size_m: float) -> "tuple[Tensor, Tensor]":
    """metric f32 [R, P, 5] and unit_time f32 [R, P, 8] of ellipses, four f64 [R, P]."""
    import torch

    own = _onto_map(_metric_of(rows, cell_size_m), slope_tan, aspect_deg)
    m11, m12, m22, drift_east, drift_north = own
    times = []
    for row, col in RING.steps[:8].tolist():
        east, north = -col, row
        times.append(root(m11 * east * east + 2.0 * m12 * east * north + m22 * north * north)
                     - drift_east * east - drift_north * north)
    return (torch.stack(own, -1).where(burns[..., None], 0.0).float(),
            torch.stack(times, -1).where(burns[..., None], float("inf")).float())


def _metric_of(rows: "list[Tensor]", cell_size_m: float) -> "list[Tensor]":
    """M (11, 12, 22) and w (east, north) of ellipses in their own plane."""
    head = (rows[0] / cell_size_m).clamp(min=SLOWEST)
    back = (rows[1] / cell_size_m).clamp(min=SLOWEST).minimum(head)
    flank = (rows[2] / cell_size_m).clamp(min=SLOWEST)
    east, north = (rows[3] * _RADIANS).sin(), (rows[3] * _RADIANS).cos()
    semi, offset = 0.5 * (head + back), 0.5 * (head - back)
    ratio = offset / semi
    g = 1.0 - ratio * ratio
    along, across = 1.0 / (semi * semi * g), 1.0 / (flank * flank * g)
    drift = offset / (semi * semi * g)
    along = along + drift * drift
    return [along * east * east + across * north * north, (along - across) * east * north,
            along * north * north + across * east * east, drift * east, drift * north]


def _onto_map(own: "list[Tensor]", slope_tan: "Tensor", aspect_deg: "Tensor") -> "list[Tensor]":
    """The metric seen on the map: `metric_kernel._onto_map`."""
    m11, m12, m22, w_east, w_north = own
    stretch = root(1.0 + slope_tan * slope_tan) - 1.0
    east, north = -(aspect_deg * _RADIANS).sin(), -(aspect_deg * _RADIANS).cos()
    a11, a12, a22 = (1.0 + stretch * east * east, stretch * east * north,
                     1.0 + stretch * north * north)
    first_e, first_n = m11 * a11 + m12 * a12, m12 * a11 + m22 * a12
    second_e, second_n = m11 * a12 + m12 * a22, m12 * a12 + m22 * a22
    return [a11 * first_e + a12 * first_n, a12 * first_e + a22 * first_n,
            a12 * second_e + a22 * second_n, a11 * w_east + a12 * w_north,
            a12 * w_east + a22 * w_north]


def open_ways(metric: "Tensor", rate: "Tensor", burns: "Tensor", width: int,
              graph: bool) -> "tuple[Tensor, Tensor]":
    """i64 bits [R, P] of the open segments and of the open single steps into each cell.

    metric f32 [R, P, 5], rate f32 [R, P] of the head, burns bool [R, P]. See
    `travel_kernel.open_ways`.
    """
    import torch

    steps = torch.zeros(burns.shape, dtype=torch.int64, device=burns.device)
    for step in range(8):
        row, col = RING.steps[step].tolist()
        opens = burns if step % 2 == 0 else burns & (
            burns.roll(-row * width, 1) | burns.roll(-col, 1))
        steps |= opens.long() << step
    segments = torch.zeros_like(steps)
    if graph:
        return segments, steps
    used, passable = _used(metric), _passable(rate.double(), burns, width)

    def crossed(cells: list[list[int]]) -> "Tensor":
        """The cell burns and all the cells (rows, columns from it) are passable."""
        return functools.reduce(lambda free, cell: free & passable[tuple(cell)], cells, burns)

    for segment, use in enumerate(used):
        cells = RING.segment_crosses[segment, :RING.segment_cross_count[segment]]
        segments |= (use & crossed(cells.tolist())).long() << segment
    for step in range(8, STEPS):
        ends = [use for use, pair in zip(used, RING.segments, strict=True) if step in pair]
        cells = RING.step_crosses[step, :RING.step_cross_count[step]]
        steps |= (torch.stack(ends).any(0) & crossed(cells.tolist())).long() << step
    return segments, steps


def _passable(rate: "Tensor", burns: "Tensor", width: int) -> "dict[tuple[int, ...], Tensor]":
    """Whether a long way into each cell may cross the one at (rows, columns) from it, bool [R, P];
    for every place that a way crosses.
    """
    places = {tuple(cell) for crosses, counts in (
        (RING.step_crosses, RING.step_cross_count), (RING.segment_crosses, RING.segment_cross_count)
    ) for cells, count in zip(crosses.tolist(), counts, strict=True) for cell in cells[:count]}
    passable: dict[tuple[int, ...], Tensor] = {}
    for row, col in places:
        offset = row * width + col
        other = rate.roll(-offset, 1)
        passable[row, col] = (burns.roll(-offset, 1) & ~(other > RATE_GATE * rate)
                              & ~(rate > RATE_GATE * other))
    return passable


def _used(metric: "Tensor") -> "list[Tensor]":
    """Bool [R, P] for each segment: it is one of the ring's first 8 or half of one that the
    ellipse is not acute on.
    """
    m11, m12, m22, drift_east, drift_north = metric.double().unbind(-1)
    gradients = []
    for row, col in RING.steps.tolist():
        east, north = -col, row
        along_east, along_north = m11 * east + m12 * north, m12 * east + m22 * north
        norm = root(east * along_east + north * along_north)
        gradients.append((along_east / norm - drift_east, along_north / norm - drift_north))
    used: list[Tensor] = []
    halved: list[Tensor] = []
    for segment in range(SEGMENTS):
        a, b = RING.segments[segment].tolist()
        parent = int(RING.parent[segment])
        obtuse = _dot(gradients[a], b) | _dot(gradients[b], a)
        used.append(obtuse.new_ones(obtuse.shape) if parent < 0 else halved[parent])
        halved.append(used[segment] & obtuse)
    return used


def _dot(gradient: "tuple[Tensor, Tensor]", step: int) -> "Tensor":
    """The travel time falls from one step towards the other."""
    row, col = RING.steps[step].tolist()
    return gradient[0] * -col + gradient[1] * row < 0.0


def turned_round(burns: "Tensor", width: int, segments: "Tensor", accepts: "Tensor") -> "Tensor":
    """i64 bits [R, P]: by which steps fire leaves each cell; `travel_kernel.turn_round`."""
    import torch

    sends = torch.zeros_like(accepts)
    for step in range(STEPS):
        row, col = RING.steps[step].tolist()
        takes = burns & ((accepts >> step & 1 == 1) | (segments & int(RING.touching[step]) != 0))
        sends |= takes.roll(row * width + col, 1).long() << step
    return sends
