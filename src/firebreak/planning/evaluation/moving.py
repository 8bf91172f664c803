"""A plan whose breaks were moved on the plan fires, as far as the choice fires agree."""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.env.storage.problem import problem_of
from firebreak.fire import Scene
from firebreak.planning.core.plan import Plan, cost_of
from firebreak.planning.core.progress import Reporter
from firebreak.planning.core.rules import PlanRules
from firebreak.planning.evaluation.intervals import student_interval
from firebreak.planning.search.improve import improved


class Moved(NamedTuple):
    """A plan after moves, what it saves of each choice fire, f64 [F], and how often these burned.
    """

    plan: Plan
    saved: NDArray[np.float64]
    burns: int


def moved_plan(scene: Scene, plan: Plan, saved: NDArray[np.float64],
               savings: Callable[[Plan], NDArray[np.float64]], rules: PlanRules,
               report: Reporter) -> Moved:
    """A plan after the moves that save more on the choice fires; itself where none does.

    A longer way of moves has to save more than the best before it by its paired 95 % interval.

    Args:
        saved: f64 [F], what the plan saves of each choice fire.
        savings: the same of any plan.
        rules: that the moves keep to; without lines to choose among.
        report: takes the share that is done.
    """
    plan_set = scene.fires("plan", plan.plan_fires)
    problem = problem_of(scene, plan.budget_share, plan_set, plan_set.first(0))
    best, burns = Moved(plan, saved, 0), 0

    def judge(cells: NDArray[np.int64]) -> None:
        nonlocal best, burns
        own = with_cells(plan, cells, scene)
        less, burns = savings(own), burns + 1
        if student_interval(less - best.saved)[0] > 0.0:
            best = Moved(own, less, burns)

    simulations = improved(problem, plan.cells, rules, plan.budget, judge, report)
    kept = replace(best.plan, simulations=plan.simulations + simulations)
    return Moved(kept, best.saved, burns)


def with_cells(plan: Plan, cells: NDArray[np.int64], scene: Scene) -> Plan:
    """The plan with other cells, and their cost."""
    return replace(plan, cells=cells, cost=cost_of(cells, scene.landscape))
