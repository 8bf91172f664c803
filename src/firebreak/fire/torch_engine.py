"""Burning fires on a torch device, many landscapes and many fires at once: for a GPU, and a second,
independent way to the compiled engine's numbers.

With float64 arithmetic the arrival times have the bits of `engine.burn`; with float32 they are
within 1e-5 of it, and a cell burns or not within that of the duration. Landscapes have one shape;
weather is steady and there are no embers.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import fail
from firebreak.fire.fires import Fires, check_fires
from firebreak.fire.shading import shaded
from firebreak.fire.torch_burn import relax
from firebreak.fire.torch_field import Arithmetic, DeviceFields, map_cells, to_device
from firebreak.fire.torch_overlay import HostOverlays, joined, on_device, overlays_of, part_of
from firebreak.fire.torch_tree import downstream_values, tree_of
from firebreak.fire.torch_ways import DeviceFires
from firebreak.fire.travel import TravelField, pad, padded_cells, unpad

if TYPE_CHECKING:
    from torch import Tensor

MOST_BYTES = 2**30  # of scratch memory
MOST_PAIRS_ON_CPU, MOST_CELLS_ON_CPU = 2048, 65_536  # scratch memory stays in the cache
_BYTES_PER_CELL, _BYTES_PER_WAY, _BYTES_PER_PAIR = 80, 480, 2048  # scratch, rounded up


class DeviceBurn(NamedTuple):
    """F fires of L landscapes, burned; the fires of the first landscape come first.

    landscape: i64 [F].
    loss: f64 [F], value burned per fire.
    burn_probability: f64 [L, H, W], share of the landscape's fires that burned the cell.
    arrival_time_min: f32 [F, H, W], inf = unburned; None if not asked for.
    downstream_value: f64 [L, H, W], value burned in the fires' trees below the cell, mean over the
        landscape's fires; None if not asked for.
    """

    landscape: "Tensor"
    loss: "Tensor"
    burn_probability: "Tensor"
    arrival_time_min: "Tensor | None"
    downstream_value: "Tensor | None"


class _Problem(NamedTuple):
    """What burns, in host memory: fires of all landscapes, landscape i64 [F] and row i64 [F] of the
    fields; overlays; value f32 [L, H, W]; breaks bool [L or F, H, W], break_of i64 [F].
    """

    fires: Fires
    landscape: NDArray[np.int64]
    row: NDArray[np.int64]
    overlays: HostOverlays
    value: NDArray[np.float32]
    breaks: NDArray[np.bool_]
    break_of: NDArray[np.int64]


def burn_on_device(fields: TravelField | Sequence[TravelField] | DeviceFields,
                   fires: Fires | Sequence[Fires], value: NDArray[np.float32],
                   breaks: NDArray[np.bool_] | None = None, *,
                   breaks_of: Literal["landscape", "fire"] = "landscape", device: str = "cpu",
                   arithmetic: Arithmetic = "float64", arrival: bool = True,
                   downstream: bool = False, fused: bool = False,
                   most_bytes: int = MOST_BYTES) -> DeviceBurn:
    """Burns the fires of L landscapes on a device; results stay there.

    Args:
        fields: one per landscape, all of one shape; or what `to_device` made of them, to be burned
            again (then `device` and `arithmetic` are its own).
        fires: one set per landscape, of any sizes.
        value: [L, H, W], lost where a cell burns; [H, W] for one landscape.
        breaks: bool [L, H, W], or [H, W] for one landscape; with `breaks_of` "fire" [F, H, W].
        arrival, downstream: what to return besides losses and burn probability.
        fused: let torch compile the visits of cells: half a minute once in a process, then faster.
        most_bytes: of scratch memory; fires are burned in parts that fit.

    Raises:
        InputError: what is given does not fit together, or torch cannot use the device.
    """
    sets = [fires] if isinstance(fires, Fires) else list(fires)
    if not isinstance(fields, DeviceFields):
        own = [fields] if isinstance(fields, TravelField) else list(fields)
        fields = to_device(_as_treated(own, breaks, breaks_of), device, arithmetic)
    elif breaks is not None and any(rules.treated is not None for rules in fields.rules):
        raise fail(expected="travel fields where breaks burn as treated fuel",
                   given="fields that are on a device already", where="fires on a device",
                   remedy="give `burn_on_device` the travel fields themselves")
    problem = _problem(fields, sets, value, breaks, breaks_of)
    return _burn_in_parts(fields, problem, arrival, downstream, fused, most_bytes)


def _as_treated(fields: list[TravelField], breaks: NDArray[np.bool_] | None,
                breaks_of: str) -> list[TravelField]:
    """The fields with treated fuel in their breaks, where breaks burn."""
    if breaks is None or all(field.breaks.treated is None for field in fields):
        return fields
    if breaks_of == "fire":
        raise fail(expected="breaks of landscapes where they burn as treated fuel",
                   given="breaks of single fires", where="fires on a device",
                   remedy="burn each set of breaks in a call of its own")
    laid = _stacked(breaks, "breaks", len(fields), fields[0].shape)
    return [shaded(field, one) for field, one in zip(fields, laid, strict=True)]


def _problem(fields: DeviceFields, sets: list[Fires], value: NDArray[np.float32],
             breaks: NDArray[np.bool_] | None, breaks_of: str) -> _Problem:
    lands = len(fields.rules)
    if len(sets) != lands:
        raise fail(expected=f"{lands} sets of fires, one per landscape", given=f"{len(sets)}",
                   where="fires on a device", remedy="give one set per travel field")
    burnable = unpad(fields.burnable.cpu().numpy(), fields.shape)
    for land, fires in enumerate(sets):
        first, end = fields.first_row[land:land + 2]
        check_fires(fires, burnable[land], end - first)
    counts = np.array([fires.source.size for fires in sets])
    landscape = np.repeat(np.arange(lands), counts)
    together = Fires(*(np.concatenate(parts) for parts in zip(*sets, strict=True)))
    by_fire = breaks_of == "fire" and breaks is not None
    maps = together.source.size if by_fire else lands
    laid = np.zeros((lands, *fields.shape), np.bool_) if breaks is None else _stacked(
        breaks, "breaks", maps, fields.shape)
    starts = np.cumsum([0, *counts])
    overlays = joined([
        overlays_of(sets[k], burnable[k],
                    laid[starts[k]:starts[k + 1]] if by_fire else laid[k:k + 1], fields.rules[k])
        for k in range(lands)])
    row = np.array(fields.first_row)[landscape] + together.scenario
    return _Problem(together, landscape, row, overlays,
                    _stacked(value, "values", lands, fields.shape), laid,
                    np.arange(together.source.size) if by_fire else landscape)


def _stacked(maps: NDArray, name: str, count: int, shape: tuple[int, int]) -> NDArray:
    stacked = maps[None] if maps.ndim == 2 else maps
    if stacked.shape != (count, *shape):
        raise fail(expected=f"{name} {(count, *shape)}", given=f"{maps.shape}",
                   where="fires on a device",
                   remedy="give a map per landscape; breaks_of='fire' takes breaks per fire")
    return stacked


def _burn_in_parts(fields: DeviceFields, problem: _Problem, arrival: bool, downstream: bool,
                   fused: bool, most_bytes: int) -> DeviceBurn:
    """Burns parts of the fires, as many at once as fit half of the memory; a sweep takes the other.
    """
    import torch

    where, (lands, cells) = fields.burnable.device, fields.burnable.shape
    count = problem.row.size
    ways = fields.step_code.shape[1] + fields.segment_code.shape[1]
    most_pairs = max(1, most_bytes // 2 // (_BYTES_PER_PAIR + _BYTES_PER_WAY * ways))
    most_cells = most_bytes // 2 // _BYTES_PER_CELL
    if where.type == "cpu":
        most_pairs, most_cells = (min(most_pairs, MOST_PAIRS_ON_CPU),
                                  min(most_cells, MOST_CELLS_ON_CPU))
    at_once = max(1, most_cells // cells)
    landscape = torch.from_numpy(problem.landscape).to(where)
    value = torch.from_numpy(pad(problem.value.astype(np.float32))).to(where)
    burns, below = torch.zeros((2, lands, cells), dtype=torch.float64, device=where)
    losses, times = [], []
    for begin in range(0, count, at_once):
        part = slice(begin, begin + at_once)
        worth = _worth(fields, problem, value, part)
        fires, host = _fires_on(fields, problem, part)
        overlays = on_device(host, fields.shape[1], fields.step_cost)
        time = relax(fields, overlays, fires, most_pairs, fused)
        burned = time.isfinite()
        worth = worth.where(burned, 0.0)
        losses.append(worth.sum(1))
        burns.index_add_(0, landscape[part], burned.double())
        if arrival:
            times.append(map_cells(fields.shape, time))
        if downstream:
            tree = tree_of(fields, overlays, fires, time, most_pairs)
            below.index_add_(0, landscape[part], downstream_values(tree, worth))
    each = torch.from_numpy(np.bincount(problem.landscape, minlength=lands)).to(where)
    each = each.double()[:, None, None]
    return DeviceBurn(
        landscape, torch.cat(losses), map_cells(fields.shape, burns) / each,
        torch.cat(times) if arrival else None,
        map_cells(fields.shape, below) / each if downstream else None)


def _worth(fields: DeviceFields, problem: _Problem, value: "Tensor", part: slice) -> "Tensor":
    """What burning costs f64 [F, P] for part of the fires; narrow breaks lose a share of it."""
    import torch

    land = problem.landscape[part]
    worth = value[torch.from_numpy(land).to(value.device)]
    lost = np.array([rules.lost for rules in fields.rules], np.float32)[land]
    if lost.any():
        narrow = pad(problem.breaks[problem.break_of[part]]) & (lost[:, None] > 0)
        share = np.where(narrow, lost[:, None], np.float32(1.0))
        worth = worth * torch.from_numpy(share).to(value.device)
    return worth.double()


def _fires_on(fields: DeviceFields, problem: _Problem,
              part: slice) -> tuple[DeviceFires, HostOverlays]:
    """Part of the fires on the device, and the overlays that they meet."""
    import torch

    overlays = part_of(problem.overlays, part)
    source = padded_cells(problem.fires.source[part], fields.shape[1])

    def there(numbers: NDArray) -> "Tensor":
        return torch.from_numpy(numbers).to(fields.burnable.device)

    duration = there(problem.fires.duration_min[part].astype(np.float64))
    return DeviceFires(there(problem.row[part]), there(overlays.of_fire), there(source),
                       duration), overlays
