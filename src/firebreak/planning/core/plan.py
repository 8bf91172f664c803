"""A plan: which cells to treat, in which order, and how it was made.

A plan is plain data. It knows the grid it belongs to by shape and checksum, not the landscape
itself; `check_plan` holds it against one.
"""

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import counted, fail
from firebreak.landscape.landscape import Landscape, mask_of_cells

CostUnit = Literal["cells", "cost"]

EXISTING = "existing"
"""The name of a plan of breaks that stand already."""

_ROUNDING = 1e-6  # relative; sums of float32 costs carry rounding


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Plan:
    """Cells to treat, best first.

    Attributes:
        method: a name in `methods.METHODS`, or the name of the file it came from.
        cells: int64 [n], flat row * W + col, in order of placement, distinct, read-only.
        shape: (H, W) of the landscape.
        cost: what the cells cost, in `cost_unit`.
        cost_unit: "cells" where every treatable cell costs 1, else "cost".
        budget: what could be spent, in `cost_unit`.
        budget_share: the budget as a share of the cost of all treatable cells.
        landscape: the landscape's name.
        landscape_checksum: SHA-256 of the landscape.
        plan_fires: fires the method was shown; 0 if not known.
        seed: of random methods.
        seconds: planning time.
        simulations: full burns of all plan fires that the method paid for.
        policy: where a learned policy came from, plain values, or None.
        notes: what else the method has to say of its plan, numbers by name, or None.
        chosen_by: the chooser that kept this method's plan, or None where the method was named.
        currency: of the cost, where it is known.

    Raises:
        InputError: a cell off the map, a cell twice, or more cost than budget.
    """

    method: str
    cells: NDArray[np.int64]
    shape: tuple[int, int]
    cost: float
    cost_unit: CostUnit
    budget: float
    budget_share: float
    landscape: str
    landscape_checksum: str
    plan_fires: int
    seed: int
    seconds: float
    simulations: float
    policy: dict[str, Any] | None = None
    notes: dict[str, float] | None = None
    chosen_by: str | None = None
    currency: str | None = None

    @property
    def priced_in(self) -> str:
        """The unit that people read behind a cost."""
        return "cells" if self.cost_unit == "cells" else self.currency or "units of cost"

    @property
    def label(self) -> str:
        """The name of the plan beside those of methods: its chooser, else its method."""
        return self.chosen_by or self.method

    @property
    def made_by(self) -> str:
        """The method for titles, with its chooser: "auto, by dqn"."""
        return self.method if self.chosen_by is None else f"{self.chosen_by}, by {self.method}"

    def __post_init__(self) -> None:
        cells = np.array(self.cells, np.int64).reshape(-1)
        where = f"plan '{self.method}' for {self.landscape}"
        outside = cells[(cells < 0) | (cells >= self.shape[0] * self.shape[1])]
        if outside.size:
            raise fail(expected=f"cells of a map of {self.shape[0]} x {self.shape[1]}",
                       given=f"cell {outside[0]}", where=where,
                       remedy="use the plan with the landscape it was made for")
        known, times = np.unique(cells, return_counts=True)
        if known.size < cells.size:
            raise fail(expected="each cell once", given=f"cell {known[times > 1][0]} twice",
                       where=where, remedy="remove the repeated cells")
        if self.cost > self.budget * (1.0 + _ROUNDING):
            raise fail(expected=f"a cost of at most {self.budget:g} {self.cost_unit}",
                       given=f"{self.cost:g}", where=where,
                       remedy="raise the budget or remove the last cells")
        cells.flags.writeable = False
        object.__setattr__(self, "cells", cells)

    def break_mask(self) -> NDArray[np.bool_]:
        """bool [H, W], True on the plan's cells."""
        return mask_of_cells(self.cells, self.shape)


def plan_on(landscape: Landscape, cells: NDArray[np.int64], **made: Any) -> Plan:
    """Flat cells as a plan on a landscape, at their cost.

    made: the fields of `Plan` that do not follow from these; numbers of how it was made are 0 if
    not given.
    """
    how = {"plan_fires": 0, "seed": 0, "seconds": 0.0, "simulations": 0.0} | made
    return Plan(cells=cells, shape=landscape.shape, cost=cost_of(cells, landscape),
                cost_unit=cost_unit(landscape), currency=landscape.currency,
                landscape=landscape.name, landscape_checksum=landscape.checksum(), **how)


def plan_of_cells(cells: NDArray[np.int64], landscape: Landscape, method: str) -> Plan:
    """Cells that were chosen elsewhere, flat, as a plan at their own cost."""
    cost = cost_of(cells, landscape)
    whole = cost_of(np.flatnonzero(landscape.treatable), landscape)
    return plan_on(landscape, cells, method=method, budget=cost,
                   budget_share=min(1.0, cost / whole))


def on_budget_of(landscape: Landscape, plan: Plan) -> Plan:
    """A plan of a landscape whose breaks are made in other ways, as one of this, at its cost."""
    whole = cost_of(np.flatnonzero(landscape.treatable), landscape)
    return replace(plan, landscape_checksum=landscape.checksum(),
                   budget_share=min(1.0, plan.cost / whole))


def pieces_of(mask: NDArray[np.bool_]) -> int:
    """Connected pieces of a break mask [H, W]; corners connect, as fire cannot pass there."""
    from scipy import ndimage

    return int(ndimage.label(mask, structure=np.ones((3, 3)))[1])


def cost_unit(landscape: Landscape) -> CostUnit:
    """"cells" where every treatable cell costs 1, so that a budget reads as a number of cells."""
    return "cells" if bool((landscape.cost[landscape.treatable] == 1.0).all()) else "cost"


def one_of(unit: str) -> str:
    """One of what `Plan.priced_in` names: cells, units of cost, or money, which has no plural."""
    return {"cells": "cell", "units of cost": "unit of cost"}.get(unit, unit)


def payable(amount: float, unit: str) -> float:
    """The part of an amount that pays for something: of cells whole ones, 12 of 12.8."""
    return (amount + _ROUNDING) // 1.0 if unit == "cells" else amount


def amount_words(amount: float, unit: str) -> str:
    """An amount of what `Plan.priced_in` names, in words: 1 cell, 2.5 units of cost."""
    number = f"{payable(amount, unit):,.6g}"
    return f"{number} {one_of(unit) if number == '1' else unit}"


def spent_words(plan: Plan) -> str:
    """Words on what a plan spends: its cells, and what they cost where that is another number.
    """
    if plan.cost_unit == "cells":
        return f"{counted(plan.cells.size, 'cell')} of a budget of {plan.budget:,.6g}"
    unit = "" if plan.currency is None else f" {plan.currency}"
    return (f"{counted(plan.cells.size, 'cell')}, cost {plan.cost:,.6g}{unit} of a budget of "
            f"{plan.budget:,.6g}{unit}")


def cost_of(cells: NDArray[np.int64], landscape: Landscape) -> float:
    """Cost of treating these cells."""
    return float(landscape.cost.ravel()[cells].astype(np.float64).sum())


def check_plan(plan: Plan, landscape: Landscape) -> None:
    """Holds a plan against a landscape.

    Raises:
        InputError: the plan is for a map of another shape, or treats a cell that is not treatable.
    """
    where = f"plan '{plan.method}' on {landscape.name}"
    if plan.shape != landscape.shape:
        raise fail(expected=f"a plan for a map of {landscape.shape[0]} x {landscape.shape[1]}",
                   given=f"one for {plan.shape[0]} x {plan.shape[1]}", where=where,
                   remedy="use the plan with the landscape it was made for")
    wrong = plan.cells[~landscape.treatable.ravel()[plan.cells]]
    if wrong.size:
        row, col = divmod(int(wrong[0]), plan.shape[1])
        code = landscape.fuel_model[row, col]
        raise fail(expected="treatable cells only",
                   given=f"{wrong.size} others, the first at row {row}, column {col} with fuel "
                         f"model {code}", where=where,
                   remedy="remove these cells or correct the treatable mask")
