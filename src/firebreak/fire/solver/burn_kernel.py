"""Compiled burning of many fires at once, and what is made of each: losses, trees, maps."""

import numba
import numpy as np

from firebreak.compiled import compiled, compiled_arrays
from firebreak.fire.solver.crews_kernel import stopped_cell
from firebreak.fire.solver.front_kernel import (
    arcs_under,
    burn_one,
    clean,
    crews_of,
    of_thread,
    view_of,
)
from firebreak.fire.travel.arc_kernel import (
    FACET_A,
    FACET_B,
    STEP_COL,
    STEP_ROW,
    row_at,
)
from firebreak.fire.travel.intensity_kernel import intensity
from firebreak.fire.travel.stencil import FACET_CODE, SPOT, UNBURNED


@compiled()
def classify(burned, first, arcs, limits, work):
    """Class of intensity u8 [P] in which each burned cell burned."""
    for k in range(burned):
        cell = work.order[k]
        here = intensity(arcs, row_at(arcs, first, work.time[cell]), cell,
                         np.int64(work.code[cell]), np.float64(work.weight[cell]))
        work.classes[cell] = np.searchsorted(limits, here, side="right")


@compiled()
def loss_of(burned, value, work):
    """The fire's loss; what each burned cell loses goes into `below`.

    value f32 [C, P]; classes are looked at where C is above 1.
    """
    order, below = work.order, work.below
    loss = 0.0
    for k in range(burned):
        cell = order[k]
        cost = value[0, cell] if value.shape[0] == 1 else value[work.classes[cell], cell]
        below[cell] = cost
        loss += cost
    return loss


@compiled()
def hand_down(burned, offset, work):
    """Turns what each cell loses into what is lost in the fire's tree below it, itself included.

    Each cell hands its sum to its parents by weight, last burned first (a topological order).
    """
    order, below, code = work.order, work.below, work.code
    for k in range(burned - 1, 0, -1):
        cell = order[k]
        parents = np.int64(code[cell])
        if parents < FACET_CODE:
            below[cell + offset[parents]] += below[cell]
        elif parents == SPOT:
            below[work.thrower[cell]] += below[cell]
        else:
            facet = parents - FACET_CODE
            share = np.float64(work.weight[cell]) * below[cell]
            below[cell + offset[FACET_B[facet]]] += share
            below[cell + offset[FACET_A[facet]]] += below[cell] - share


@compiled()
def _burn_listed(fire, thread, offset, width, every, spots, rules, fires, overlays, results,
                 scratch):
    """Burns one fire of the table with a thread's workspace and writes its results."""
    work = of_thread(scratch, thread)
    first, overlay = fires.row[fire], fires.overlay[fire]
    arcs = arcs_under(fire, every, rules, fires)
    view = view_of(fire, overlays.state[overlay], offset, width, rules, fires)
    burned = burn_one(fires.duration[fire], first, arcs, spots, view,
                      crews_of(fire, rules, fires), work)
    if arcs.heat.shape[0] > 0:
        classify(burned, first, arcs, rules.class_limits, work)
    results.loss[fire] = loss_of(burned, overlays.value[overlay], work)
    if fire < results.downstream.shape[0]:
        hand_down(burned, offset, work)
    _write(fire, burned, work, results)
    clean(burned, work)


@compiled()
def _lay_out(values, outside, burned, order, row):
    """Values of the burned cells in a result's row, `outside` in all others."""
    row[:] = outside
    for k in range(burned):
        row[order[k]] = values[order[k]]


@compiled()
def _write(fire, burned, work, results):
    """Puts a burned fire into those results that have a row for it."""
    if fire < results.arrival.shape[0]:
        _lay_out(work.time, np.inf, burned, work.order, results.arrival[fire])
    if fire < results.code.shape[0]:
        _lay_out(work.code, UNBURNED, burned, work.order, results.code[fire])
        for k in range(work.stopped[0]):  # a narrow break has burned, by its own code
            cell = stopped_cell(k, work)
            results.code[fire, cell] = work.code[cell]
    if fire < results.downstream.shape[0]:
        _lay_out(work.below, 0.0, burned, work.order, results.downstream[fire])
    if fire < results.classes.shape[0]:
        _lay_out(work.classes, UNBURNED, burned, work.order, results.classes[fire])


@compiled_arrays(parallel=True)
def burn_many(which, width, arcs, spots, rules, fires, overlays, results, scratch):
    """Burns the fires listed in `which`, in parallel, into `results`."""
    offset = STEP_ROW * width + STEP_COL
    for i in numba.prange(which.shape[0]):
        _burn_listed(which[i], numba.get_thread_id(), offset, width, arcs, spots, rules, fires,
                     overlays, results, scratch)
