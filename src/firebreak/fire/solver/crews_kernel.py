"""Compiled decisions of crews: is a break held when fire arrives, is a fire contained at the
initial attack.

Each break is decided once in a fire, when fire first arrives, by when and how fire came; a diagonal
between two breaks is decided in the same way. What is decided later cannot change what was decided
before, but for the number of cells that crews hold in one fire: so these fires burn in the order of
time, one cell after the other, and burn anew as a whole where breaks change.
"""

import math

import numpy as np

from firebreak.compiled import compiled
from firebreak.fire.effects.keyed_random import (
    DRAW_ATTACK,
    DRAW_CORNER_EAST,
    DRAW_CORNER_WEST,
    DRAW_HOLD,
    uniform,
)
from firebreak.fire.solver.tables import BURNED_NO_SPREAD, STOPPED, UNSEEN
from firebreak.fire.travel.arc_kernel import NARROW_BREAK, blocked, may_hold, row_at
from firebreak.fire.travel.intensity_kernel import intensity
from firebreak.fire.travel.stencil import HELD, UNBURNED

_ATTACK_CONSTANT, _PER_HA, _PER_KW_M, _PER_BOTH = 4.6835, 0.7043, 0.00041, 0.000052


@compiled()
def _hotness(cell, time, code, weight, first, arcs, rule):
    """How hot fire is where it comes into a cell, in the crews' measure."""
    row = row_at(arcs, first, time)
    if arcs.heat[row, cell, 0] <= 0.0:
        return 0.0
    here = intensity(arcs, row, cell, np.int64(code), np.float64(weight))
    return rule.scale * here**rule.power


@compiled()
def _hold_chance(hotness, rule):
    """1 up to what crews always hold, 0 from what they never hold, linear in between."""
    if hotness <= rule.always:
        return 1.0
    if hotness >= rule.never:
        return 0.0
    return (rule.never - hotness) / (rule.never - rule.always)


@compiled()
def holds(cell, time, first, arcs, view, crews, work):
    """Do crews hold a break (`may_hold`) at which fire arrives at `time`, as `work` says how?"""
    if time < crews.ready[cell] or work.stopped[0] >= crews.rule.cells:
        return False
    hot = _hotness(cell, time, work.code[cell], work.weight[cell], first, arcs, crews.rule)
    return uniform(view.key, cell, DRAW_HOLD) < _hold_chance(hot, crews.rule)


@compiled()
def corner_held(child, step, now, late, first, arcs, view, crews, work):
    """Do crews hold the corner that a diagonal step crosses between two breaks, or between a break
    and ground that does not burn? Fire leaves the parent at `now` and would arrive at `late`.
    """
    if not view.manned or step >= 8 or step & 1 == 0 or view.leak or (
            work.stopped[0] >= crews.rule.cells):
        return False
    time = now + 0.5 * (np.float64(late) - now)
    hot, manned = 0.0, False
    one, other = child + view.offset[(step + 1) & 7], child + view.offset[step - 1]
    for side in (one, other):
        if may_hold(side, view):
            if time < crews.ready[side]:
                return False
            hot = max(hot, _hotness(side, time, step, 0.0, first, arcs, crews.rule))
            manned = True
        elif not blocked(side, view):
            return False
    if not manned:
        return False
    # The pair has one number, from whichever side fire comes.
    upper, lower = min(one, other), max(one, other)
    draw = DRAW_CORNER_EAST if (lower - upper) % view.width == 1 else DRAW_CORNER_WEST
    return uniform(view.key, upper, draw) < _hold_chance(hot, crews.rule)


@compiled()
def stop(cell, burned, view, work):
    """Has crews hold a break; returns the new number of cells burned, of which a break narrower
    than its cell is one.
    """
    work.order[work.order.shape[0] - 1 - work.stopped[0]] = cell
    work.stopped[0] += 1
    if view.state[cell] == NARROW_BREAK:
        work.order[burned] = cell
        work.status[cell] = BURNED_NO_SPREAD
        return burned + 1
    work.status[cell], work.code[cell] = STOPPED, HELD
    return burned


@compiled()
def stopped_cell(k, work):
    """The k-th break that crews hold in a fire."""
    return work.order[work.order.shape[0] - 1 - k]


@compiled()
def unburn(cell, work):
    """Makes a cell of the workspace as before the fire."""
    work.time[cell] = np.inf
    work.code[cell] = UNBURNED
    work.status[cell] = UNSEEN


@compiled()
def _at_edge(cell, until, width, work):
    """Does a cell have a neighbour that does not burn until then?"""
    for row in (-width, 0, width):
        for col in (-1, 0, 1):
            near = cell + row + col
            if work.time[near] > until or work.code[near] == HELD:
                return True
    return False


@compiled()
def containment_chance(area_ha, intensity_kw_m):
    """Chance that the initial attack contains a fire: E / (1 + E), ln E = 4.6835 - 0.7043 A
    - 0.00041 I - 0.000052 A I (Hirsch, Corey & Martell 1998).
    """
    log_odds = (_ATTACK_CONSTANT - _PER_HA * area_ha - _PER_KW_M * intensity_kw_m
                - _PER_BOTH * area_ha * intensity_kw_m)
    if log_odds < 0.0:
        return math.exp(log_odds) / (1.0 + math.exp(log_odds))
    return 1.0 / (1.0 + math.exp(-log_odds))


@compiled()
def end_if_contained(burned, first, arcs, view, rule, work):
    """Takes back what burns after the initial attack where that contains the fire, by its area and
    the intensity of its head then; returns the number of cells burned.
    """
    until, count = rule.attack_min, 0
    while count < burned and work.time[work.order[count]] <= until:
        count += 1
    hottest = 0.0
    for k in range(count):
        cell = work.order[k]
        row = row_at(arcs, first, work.time[cell])
        if arcs.heat[row, cell, 0] > 0.0 and _at_edge(cell, until, view.width, work):
            hottest = max(hottest, intensity(arcs, row, cell, np.int64(work.code[cell]),
                                             np.float64(work.weight[cell])))
    if uniform(view.key, view.source, DRAW_ATTACK) >= containment_chance(
            count * rule.cell_ha, hottest):
        return burned
    for k in range(count, burned):
        unburn(work.order[k], work)
    kept = 0
    for k in range(work.stopped[0]):
        cell = stopped_cell(k, work)
        if work.time[cell] <= until:
            work.order[work.order.shape[0] - 1 - kept] = cell
            kept += 1
        else:
            unburn(cell, work)
    work.stopped[0] = kept
    return count
