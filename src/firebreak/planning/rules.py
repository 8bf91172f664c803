"""What a plan must keep to besides treatable cells: cells it must have, a budget in money, pieces
of some length.

Every method keeps to them, for it is given a problem in which the cells that the plan must have are
broken and paid for, and nothing else than before is allowed.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import fail
from firebreak.env.problem import Problem
from firebreak.landscape.landscape import Landscape
from firebreak.planning.plan import cost_of
from firebreak.planning.rounds import Placement
from firebreak.planning.stretches import length_m, pieces

ROUNDS = 6
"""How often short pieces are given up and their cost is spent anew, at most."""

_ROUNDING = 1e-9
_NO_CELLS = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlanRules:
    """What every plan keeps to.

    Attributes:
        include: int64 [n], flat treatable cells that are in every plan and count in its cost.
        budget: what may be spent, in units of cost; None takes the share of the call.
        shortest_m: no piece without included cells is shorter, see `stretches`; 0 allows all.
    """

    include: NDArray[np.int64] = field(default_factory=lambda: _NO_CELLS)
    budget: float | None = None
    shortest_m: float = 0.0

    def check(self, method: str, problem: Problem) -> None:
        """Holds the rules against a problem that knows nothing of them.

        Raises:
            InputError: cells that may not be treated, a budget that does not pay for them or buys
                no cell, a method that has no form for them.
        """
        land = problem.scene.landscape
        where = f"landscape {land.name}"
        if not land.treatable.ravel()[self.include].all():
            raise fail(expected="cells to include that may be treated", given="others",
                       where=where, remedy="take them out of what must be included")
        budget = problem.budget if self.budget is None else self.budget
        cheapest = float(land.cost[land.treatable].min())
        if budget < cheapest:
            raise fail(expected=f"a budget that buys the cheapest cell ({cheapest:g})",
                       given=f"{budget:g}", where=where, remedy="raise the budget")
        needed = cost_of(self.include, land)
        if needed > budget * (1.0 + _ROUNDING):
            raise fail(expected=f"a budget that pays for what must be included ({needed:g})",
                       given=f"{budget:g}", where=where,
                       remedy="raise the budget or include less")
        if method == "milp" and (self.include.size or self.shortest_m > 0.0):
            raise fail(expected="no cells to include and no shortest piece with method milp",
                       given="some", where="--method", remedy="use swap or segments")


FREE = PlanRules()
"""No rules."""


def place_under(rules: PlanRules, problem: Problem, budget: float,
                place: Callable[[Problem], Placement]) -> Placement:
    """The placement of a method under rules; cells that must be included come first.

    Pieces that are too short are given up, and what they cost is spent anew, a few times, without
    the cells of those that are not even half as long as they should be; then what is still too
    short is left out.

    Args:
        problem: without rules.
        budget: what may be spent in all.
        place: the method.

    Raises:
        InputError: no piece is long enough.
    """
    if rules.include.size == 0 and rules.shortest_m <= 0.0:
        return place(replace(problem, budget=budget))
    kept, simulations = np.array(rules.include, np.int64), 0.0
    forbidden = np.zeros(problem.scene.landscape.shape, np.bool_)
    notes = None
    for _ in range(ROUNDS):
        placed = _place(problem, budget, kept, forbidden, place)
        simulations, notes = simulations + placed.simulations, placed.notes
        order = np.concatenate([kept, placed.cells])
        short = short_pieces(order, rules, problem.scene.landscape)
        kept = order[~np.isin(order, np.concatenate([_NO_CELLS, *short.values()]))]
        if not short:
            break
        # Longer ones may yet grow with what the others cost.
        hopeless = max(0.5 * rules.shortest_m, min(length for length, _ in short))
        for (length, _), piece in short.items():
            if length <= hopeless:
                forbidden.ravel()[piece] = True
    if not kept.size and placed.cells.size:
        raise fail(expected=f"pieces of at least {rules.shortest_m:g} m",
                   given="none that the method makes with this budget",
                   where=f"landscape {problem.scene.landscape.name}",
                   remedy="lower --shortest-m, raise the budget, or use --method segments")
    return Placement(kept, simulations, notes)


def _place(problem: Problem, budget: float, given: NDArray[np.int64],
           forbidden: NDArray[np.bool_], place: Callable[[Problem], Placement]) -> Placement:
    """What a method adds to given cells."""
    land = problem.scene.landscape
    allowed = land.treatable & ~forbidden
    allowed.ravel()[given] = False
    left = budget - cost_of(given, land)
    affordable = land.cost[allowed] <= left * (1.0 + _ROUNDING) + _ROUNDING
    if not affordable.any():
        return Placement(np.empty(0, np.int64), 0.0)
    scene = replace(problem.scene, landscape=replace(land, treatable=allowed))
    return place(replace(problem, scene=scene, budget=left, given=given))


def short_pieces(cells: NDArray[np.int64], rules: PlanRules,
                 landscape: Landscape) -> dict[tuple[float, int], NDArray[np.int64]]:
    """Flat cells of the pieces of a plan that are shorter than the rules allow, by their length in
    metres and first cell.
    """
    mask = np.zeros(landscape.shape, np.bool_)
    mask.ravel()[cells] = True
    found = {}
    for piece in pieces(mask):
        length = length_m(piece, mask.shape, landscape.cell_size_m)
        if length < rules.shortest_m * (1.0 - _ROUNDING) and not np.isin(piece,
                                                                         rules.include).any():
            found[length, int(piece[0])] = piece
    return found
