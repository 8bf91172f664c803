"""Rules of a plan beside treatable cells: cells that it must include, a budget in money, a shortest
piece.

Every method keeps to them: in its problem the included cells are breaks that are paid for, and no
other cell becomes treatable.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import InputError, fail
from firebreak.env.storage.problem import Problem
from firebreak.landscape.landscape import Landscape, mask_of_cells
from firebreak.planning.core.break_segments import closes_gap, length_m, pieces
from firebreak.planning.core.corridors import Corridors
from firebreak.planning.core.plan import amount_words, cost_of, cost_unit
from firebreak.planning.core.rounds import Placement, spendable

ROUNDS = 6
"""Times that short pieces are removed and their cost is spent anew, at most."""

_ROUNDING = 1e-9
_NO_CELLS = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlanRules:
    """Rules that every plan keeps to.

    Attributes:
        include: int64 [n], flat treatable cells that are in every plan and count in its cost.
        budget: what may be spent, in units of cost; None takes the share of the call.
        shortest_m: no piece without included cells is shorter, see `break_segments`; 0 allows all.
        least_m: the same, but pieces that close a gap against a barrier may be shorter, see `gaps`,
            and so may all where the budget buys no longer one.
        lines: to choose among, for methods that take them; None where none are given.
    """

    include: NDArray[np.int64] = field(default_factory=lambda: _NO_CELLS)
    budget: float | None = None
    shortest_m: float = 0.0
    least_m: float = 0.0
    lines: Corridors | None = None

    def check(self, problem: Problem) -> None:
        """Checks the rules against a problem without rules.

        Raises:
            InputError: cells that may not be treated, a budget that does not pay for them or buys
                no cell.
        """
        land = problem.scene.landscape
        where = f"landscape {land.name}"
        if not land.treatable.ravel()[self.include].all():
            raise fail(expected="treatable cells to include", given="cells that cannot be treated",
                       where=where, remedy="remove them from the cells to include")
        budget = problem.budget if self.budget is None else self.budget
        cheapest = float(land.cost[land.treatable].min())
        if budget < cheapest:
            raise fail(expected=f"a budget that buys the cheapest cell ({cheapest:g})",
                       given=f"{budget:g}", where=where, remedy="raise the budget")
        needed = cost_of(self.include, land)
        if needed > budget * (1.0 + _ROUNDING):
            raise too_little(needed, budget, land)


def too_little(needed: float, budget: float, land: Landscape) -> InputError:
    """The error of a budget that does not pay for what must be included, in one unit of cost."""
    unit = "cells" if cost_unit(land) == "cells" else land.currency or "units of cost"
    return fail(expected="a budget that pays for what must be included "
                f"({amount_words(needed, unit)})", given=f"{budget:,.6g}",
                where=f"landscape {land.name}", remedy="raise the budget or include fewer cells")


FREE = PlanRules()
"""No rules."""


def place_under(rules: PlanRules, problem: Problem, budget: float,
                place: Callable[[Problem], Placement],
                begun: Placement | None = None) -> Placement:
    """The placement of a method under rules; cells that must be included come first.

    Pieces that are too short are removed, and what they cost is spent anew, a few times, without
    the cells of pieces that are less than half as long as they should be; pieces that are too
    short after that are left out.

    Args:
        problem: without rules.
        budget: what may be spent in all.
        place: the method.
        begun: what the method placed without `least_m`, included cells too: it is mended.

    Raises:
        InputError: no piece is long enough.
    """
    longest = max(rules.shortest_m, rules.least_m)
    if rules.include.size == 0 and longest <= 0.0:
        return begun or place(replace(problem, budget=budget))
    leak = problem.scene.field.breaks.leak
    kept, simulations = np.array(rules.include, np.int64), 0.0
    forbidden = np.zeros(problem.scene.landscape.shape, np.bool_)
    first, notes = begun, None
    for _ in range(ROUNDS):
        placed = first or _place(problem, budget, kept, forbidden, place)
        simulations += placed.simulations
        notes = notes or placed.notes  # of the first, which spends most
        order = placed.cells if first else np.concatenate([kept, placed.cells])
        first = None
        short = short_pieces(order, rules, problem.scene.landscape, leak)
        kept = order[~np.isin(order, np.concatenate([_NO_CELLS, *short.values()]))]
        if not short:
            break
        # Longer ones may yet grow with what the others cost.
        hopeless = max(0.5 * longest, min(length for length, _ in short))
        for (length, _), piece in short.items():
            if length <= hopeless:
                forbidden.ravel()[piece] = True
    if not kept.size and begun is not None:
        return begun
    if not kept.size and placed.cells.size:
        raise fail(expected=f"pieces of at least {rules.shortest_m:g} m",
                   given="only shorter ones with this budget",
                   where=f"landscape {problem.scene.landscape.name}",
                   remedy="lower --shortest-m, raise the budget, or use --method segments")
    return Placement(kept, simulations, notes)


def _place(problem: Problem, budget: float, given: NDArray[np.int64],
           forbidden: NDArray[np.bool_], place: Callable[[Problem], Placement]) -> Placement:
    """Cells that a method adds to given ones."""
    land = problem.scene.landscape
    allowed = land.treatable & ~forbidden
    allowed.ravel()[given] = False
    left = budget - cost_of(given, land)
    affordable = land.cost[allowed] <= spendable(left)
    if not affordable.any():
        return Placement(np.empty(0, np.int64), 0.0)
    scene = replace(problem.scene, landscape=replace(land, treatable=allowed))
    return place(replace(problem, scene=scene, budget=left, standing=given))


def short_pieces(cells: NDArray[np.int64], rules: PlanRules, landscape: Landscape,
                 leak: bool = False) -> dict[tuple[float, int], NDArray[np.int64]]:
    """Flat cells of the pieces of a plan that are shorter than the rules allow, by their length in
    metres and first cell.

    leak: fire passes between breaks that touch at a corner only.
    """
    mask, found = mask_of_cells(cells, landscape.shape), {}
    for piece in pieces(mask):
        length = length_m(piece, mask.shape, landscape.cell_size_m)
        too_short = length < rules.shortest_m * (1.0 - _ROUNDING) or (
            length < rules.least_m * (1.0 - _ROUNDING)
            and not closes_gap(piece, landscape.burnable, leak=leak))
        if too_short and not np.isin(piece, rules.include).any():
            found[length, int(piece[0])] = piece
    return found
