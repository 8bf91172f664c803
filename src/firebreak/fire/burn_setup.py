"""Input of kernels: a landscape's arcs under a set of breaks, and scratch memory."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import fail
from firebreak.fire.effects.losses import CLASSES, intensity_edges_kw_m
from firebreak.fire.fires import Fires
from firebreak.fire.solver.structs import (
    QUEUE_SPARE,
    FireTable,
    Overlays,
    Rules,
    Workspace,
)
from firebreak.fire.travel.arcs import Arcs, Spots
from firebreak.fire.travel.breaks import open_state, shaded
from firebreak.fire.travel.stencil import UNBURNED
from firebreak.fire.travel.travel_field import BreakRules, TravelField, pad, padded_cells, unpad
from firebreak.native_library import max_threads, zeros

MAX_VALUE = 1e30  # of a cell: sums over a map stay far from the largest number
_CLASS_LIMITS = intensity_edges_kw_m()


def workspace(cells: int) -> Workspace:
    """Scratch memory for maps of `cells` padded cells, for as many threads as there can ever be:
    the setting is per Python thread and may change while the memory lives.
    """
    made = zeros(Workspace, T=max_threads(), S=cells, Q=2 * cells + QUEUE_SPARE)
    made.time[:], made.code[:] = np.inf, UNBURNED
    return made


class BurnSetup(NamedTuple):
    """One landscape under one set of breaks, as kernels take it."""

    field: TravelField
    cells: int
    arcs: Arcs
    spots: Spots
    rules: Rules
    overlays: Overlays
    scratch: Workspace

    def on(self, field: TravelField) -> "BurnSetup":
        """The setup on another field of the map, with the memory of this one."""
        return self._replace(field=field, arcs=arcs_of(field), spots=field.spots,
                             rules=rules_of(field))


def arcs_of(field: TravelField) -> Arcs:
    """The part of a travel field that fires run on."""
    return Arcs(field.metric, field.unit_time, field.facets, field.accepts, field.sends,
                field.heat, field.steps, field.step_min, field.edges, field.bucket_min,
                field.sends_far)


def rules_of(field: TravelField) -> Rules:
    """The rules of breaks, for the kernels."""
    own = field.breaks
    return Rules(own.leak, own.breach, field.steps, _CLASS_LIMITS, own.ready, np.array(own.crew),
                 np.empty(0, np.int64))


def value_under(value: NDArray[np.float32], breaks: NDArray[np.bool_],
                rules: BreakRules) -> NDArray[np.float32]:
    """Value lost to fire [C, P], where a narrow break leaves a share of its cell."""
    layers = value if value.ndim == 3 else value[None]
    return pad(np.where(breaks, layers * np.float32(rules.lost), layers) if rules.strips
               else layers)


def make_setup(field: TravelField, value: NDArray[np.float32], breaks: NDArray[np.bool_],
               scratch: Workspace | None = None) -> BurnSetup:
    """The setup for fires on a field with breaks in place; see `engine.burn`. scratch: memory to
    use again.

    Raises:
        InputError: values of another shape or kind, or that are not 0 or more.
    """
    own = shaded(field, breaks)
    return setup_of(own, overlays_of(own, value, breaks), scratch)


def setup_of(field: TravelField, overlays: Overlays, scratch: Workspace | None = None) -> BurnSetup:
    """The setup on a field that has what its breaks burn as."""
    cells = field.metric.shape[1]
    return BurnSetup(field, cells, arcs_of(field), field.spots, rules_of(field), overlays,
               workspace(cells) if scratch is None else scratch)


def overlays_of(field: TravelField, value: NDArray[np.float32],
                breaks: NDArray[np.bool_]) -> Overlays:
    """The one overlay of a set of breaks, bool [H, W]."""
    _check_value(field, value)
    lost = value_under(np.asarray(value, np.float32), breaks, field.breaks)
    return Overlays(open_state(unpad(field.burnable, field.shape), breaks, field.breaks)[None],
                    (lost * field.burns if field.breaks.ground.size else lost)[None])


def table_of(field: TravelField, fires: Fires) -> FireTable:
    """Fires as kernels take them; `check_fires` has let them pass."""
    return FireTable(fires.scenario.astype(np.int64) * field.steps,
                     np.zeros(fires.source.size, np.int64),
                     padded_cells(fires.source.astype(np.int64), field.shape[1]),
                     fires.duration_min.astype(np.float64), fires.key.astype(np.uint64),
                     fires.parts, later_rows(field, fires), *map(
                         _laid_out, (fires.begins_min, fires.pauses_min)))


def later_rows(field: TravelField, fires: Fires) -> NDArray[np.int64]:
    """The first rows of a field in which fires burn in later periods, [F, L]."""
    if fires.later_min is None:
        return np.empty((fires.source.size, 0), np.int64)
    count = fires.later_min.shape[1]
    return np.ascontiguousarray(field.later[fires.scenario, :count] * field.steps)


def _laid_out(column: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.ascontiguousarray(column, np.float64)


def _check_value(field: TravelField, value: NDArray[np.float32]) -> None:
    shape = np.shape(value)
    classes = shape[0] if len(shape) == 3 else 1
    if len(shape) not in (2, 3) or shape[-2:] != field.shape or classes not in (1, CLASSES) or (
            classes > 1 and not field.heat.size):
        raise fail(expected=f"values {field.shape}, or of {CLASSES} classes of flame length on a "
                            "field with intensities", given=f"{shape}", where="fires",
                   remedy="make the scene with the response functions that the values need")
    if np.asarray(value).dtype.kind not in "fiub" or not (
            np.isfinite(value).all() and np.min(value) >= 0 and np.max(value) <= MAX_VALUE):
        raise fail(expected=f"values from 0 to {MAX_VALUE:g}", given="a value outside this range",
                   where="fires", remedy="fill or mask these cells")
