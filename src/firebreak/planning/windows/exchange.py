"""Rows of breaks across the whole map as another start of a plan by windows.

Windows see no further than their margin, and lines that are taken one by one close no front that
several have to close together. So rows are laid from edge to edge, more than the budget buys; their
pieces that save least beside the others are given up (backward elimination: what closes a front
together is judged where the rest of it stands), until it pays for the rest and for the lines that
then save most, those of windows too. Fires from which no plan was made choose among that plan, the
rows as they were and the lines of windows alone.
"""

import contextlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import InputError, counted, fail
from firebreak.executors.base import Executor
from firebreak.fire import Fires
from firebreak.landscape.landscape import mask_of_cells
from firebreak.planning.core.fire_counts import CHOICE_SET, choice_count
from firebreak.planning.core.plan import cost_of
from firebreak.planning.core.progress import Reporter, part_of
from firebreak.planning.core.rules import short_pieces
from firebreak.planning.patterns.rows import (
    ROOM_OF_MORE,
    RowPlan,
    main_winds,
    row_plans,
    rows_across,
)
from firebreak.planning.windows.kept import Kept
from firebreak.planning.windows.line_plan import LinePlan, ShardedFires, plan_of_lines
from firebreak.planning.windows.reached import losses_by_workers
from firebreak.planning.windows.region import Lines, Region, cut_lines

PIECE_CELLS = 24
"""Cells along a piece of a row, about."""
FIRST_FIRES, BEST = 512, 4
"""Every plan of rows is burned with so many of the plan fires, and so many of the best with all."""
OVER, LEFT = 1.5, 0.1
"""Budgets that rows cost at first, and the share left for other lines in the end."""
CUTS = (0.5, 0.7, 1.0)
"""Shares of what is too much that are given up, one time after the other."""


class Chosen(NamedTuple):
    """The plan that is kept.

    Attributes:
        cells: i64 [n], flat, in order.
        lines, made: all that were judged, and the plan of them.
        rows: whether it began with rows across the whole map.
        burned: fires that burned on the whole map under plans, to choose among them.
    """

    cells: NDArray[np.int64]
    lines: Lines
    made: LinePlan
    rows: bool
    burned: int = 0


class _Burns:
    """Fires that burn on the whole map under plans, and how many did so far."""

    def __init__(self, region: Region, executor: Executor, kept: Kept) -> None:
        self._region, self._executor, self._kept = region, executor, kept
        self.fires = 0

    def lost(self, fires: Fires, plans: Sequence[NDArray[np.int64]]) -> list[int]:
        """Losses of fires under each of some sets of breaks, flat cells, in whole units."""
        # Counted also where the answer was kept: a plan has one record.
        self.fires += fires.source.size * len(plans)
        return self._kept.answer(lambda: {"lost": losses_by_workers(
            self._region, fires, plans, self._executor).sum(axis=1)})["lost"].tolist()


def chosen_plan(region: Region, sharded: ShardedFires, windows: LinePlan, untreated: Sequence[int],
                budget: float, kept: Kept, report: Reporter) -> Chosen:
    """The plan of windows, or one of rows, whichever saves most of the choice fires.

    Args:
        sharded: of the lines that windows propose; those that the plan must have are the first.
        windows: their plan.
        untreated: by shard, what is lost without breaks.
        budget: in units of cost.

    Raises:
        InputError: neither saves anything, or none keeps to the rules.
    """
    burns = _Burns(region, sharded.executor, kept)
    chosen = _choose(region, sharded, windows, untreated, budget, kept, burns, report)
    if not chosen.cells.size:
        where = f"landscape {region.scene.landscape.name}"
        if windows.short:
            raise fail(expected=f"pieces of at least {region.rules.shortest_m:g} m",
                       given="only shorter ones with this budget", where=where,
                       remedy="lower --shortest-m, or raise the budget")
        raise fail(
            expected="lines or rows of breaks that save something of the plan fires",
            given=f"none that does, of {counted(region.fires.source.size, 'plan fire')}",
            where=where, remedy="raise --plan-fires or the budget, let fires last longer, or make "
                                "other breaks")
    return chosen._replace(burned=burns.fires)


def _choose(region: Region, sharded: ShardedFires, windows: LinePlan, untreated: Sequence[int],
            budget: float, kept: Kept, burns: _Burns, report: Reporter) -> Chosen:
    """Plan chosen, see `chosen_plan`."""
    by_windows = _chosen(sharded.lines, windows, rows=False)
    sharded.give_back()
    every = region.fires.source.size
    fires = region.scene.fires(CHOICE_SET, max(
        every, choice_count(1, region.scene.landscape.fuel_model.size)))
    lost, rows = burns.lost, _plans_of_rows(region, _by_stream(region, sharded, untreated), budget)
    ranked: list[tuple[int, int]] = []
    for count in sorted({min(FIRST_FIRES, every), every}) if rows else ():
        some = region.fires.first(count)
        under = lost(some, [plan.cells for plan in rows])
        ranked = sorted((own, k) for k, own in enumerate(under))[:BEST]
        rows = [rows[k] for _, k in ranked]
    report(0.2)
    if not rows or ranked[0][0] >= sum(untreated):
        return by_windows
    plans = [by_windows]
    lines, first = _lines_with_rows(region, rows[0], sharded.lines, budget)
    own = ShardedFires(region, sharded.shards, lines, sharded.executor, kept, sharded.most_tried)
    rated, risen = windows.rated, windows.risen
    with contextlib.suppress(InputError):  # no plan that keeps to the rules is left
        made = _fewer(region, own, first, budget, part_of(report, 0.2, 1.0))
        own.give_back()
        rated, risen = rated + made.rated, risen + made.risen
        plans.append(_chosen(lines, made._replace(rated=rated, risen=risen), rows=True))
    # That may fit the plan fires more closely than the rows as they were, or be no plan.
    include = region.rules.include
    bare = rows[0].cells[~np.isin(rows[0].cells, include)]
    pieces = _pieces(region, bare, np.ones(region.scene.landscape.shape, np.bool_))
    pieces = [include, *pieces] if include.size else pieces
    plain = LinePlan(list(range(len(pieces))), ranked[0][0], rated, risen)
    plans.append(_chosen([*pieces, *sharded.lines], plain, rows=True))
    plans = [one for one in plans if one.cells.size]
    return plans[int(np.argmin(lost(fires, [one.cells for one in plans])))]


def _chosen(lines: Lines, made: LinePlan, *, rows: bool) -> Chosen:
    return Chosen(np.concatenate([np.empty(0, np.int64), *(lines[k] for k in made.lines)]), lines,
                  made, rows)


def _by_stream(region: Region, sharded: ShardedFires, untreated: Sequence[int]) -> list[int]:
    """Loss in each stream of weather, exactly: however the fires are divided in shards."""
    lost = [0] * (region.scene.streams.steps.weight.size // region.scene.streams.steps_per_stream)
    for shard, own in zip(sharded.shards, untreated, strict=True):
        lost[shard.stream] += own
    return lost


def _plans_of_rows(region: Region, lost: Sequence[int], budget: float) -> list[RowPlan]:
    """Plans of rows that keep to the rules; cells to include are no part of them."""
    land, include = region.scene.landscape, region.rules.include
    joined = region.scene.conditions.leak
    found = []
    for plan in row_plans(land, main_winds(region.scene, lost),
                          budget - cost_of(include, land), joined):
        cells = np.concatenate([include, plan.cells[~np.isin(plan.cells, include)]])
        if region.rules.shortest_m > 0.0:
            short = short_pieces(cells, region.rules, land, joined).values()
            cells = cells[~np.isin(cells, np.concatenate([include[:0], *short]))]
        if cells.size > include.size:
            found.append(plan._replace(cells=cells))
    return found


def _lines_with_rows(region: Region, rows: RowPlan, proposed: Lines,
                     budget: float) -> tuple[Lines, list[int]]:
    """The lines to judge, each cell in one: what must be included, pieces of more rows than the
    budget buys, and the lines that windows propose; how many there are of each of the first two.
    """
    land, include = region.scene.landscape, region.rules.include
    more = rows_across(land, rows.across, ROOM_OF_MORE, OVER * (budget - cost_of(include, land)),
                       region.scene.conditions.leak)
    free = np.ones(land.shape, np.bool_)
    lines: Lines = []
    counts = []
    for own in ([include], None, proposed):
        own = _pieces(region, more, free) if own is None else own
        bare = [line for line in (line[free.ravel()[line]] for line in own) if line.size]
        lines += bare
        counts.append(len(bare))
        free.ravel()[np.concatenate([include[:0], *bare])] = False
    return lines, counts[:2]


def _pieces(region: Region, cells: NDArray[np.int64], free: NDArray[np.bool_]) -> Lines:
    """Pieces of rows where they are free."""
    return cut_lines(mask_of_cells(cells, free.shape) & free, region.scene.landscape, PIECE_CELLS,
                     region.rules.shortest_m)


def _fewer(region: Region, sharded: ShardedFires, first: Sequence[int], budget: float,
           report: Reporter) -> LinePlan:
    """The plan left of too many lines; first: how many are forced, and how many may be given up."""
    land = region.scene.landscape
    costs = [cost_of(line, land) for line in sharded.lines]
    taken, enough = list(range(sum(first))), (1.0 - LEFT) * budget
    for done, cut in enumerate(CUTS):
        spent = sum(costs[line] for line in taken)
        taken = _without_least(sharded, taken, first[0], costs,
                               spent - cut * max(spent - enough, 0.0))
        report(0.5 * (done + 1) / len(CUTS))
    return plan_of_lines(region, sharded, sharded.lines, taken, budget, part_of(report, 0.5, 1.0))


def _without_least(sharded: ShardedFires, taken: list[int], forced: int, costs: Sequence[float],
                   budget: float) -> list[int]:
    """Lines without those that save least per cost beside the others, so that a budget pays for
    them; the first `forced` stay.
    """
    spent, gone = sum(costs[line] for line in taken), set[int]()
    if spent <= budget:
        return taken
    worth = dict(zip(taken, sharded.worth(tuple(taken)), strict=True))
    for line in sorted(taken, key=lambda line: (worth[line] / costs[line], line)):
        if spent <= budget:
            break
        if line >= forced:
            gone.add(line)
            spent -= costs[line]
    return [line for line in taken if line not in gone]
