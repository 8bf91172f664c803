"""The one function that makes a plan by the method of a name.

All methods see the same keyed plan fires of a scene: they differ only in the plan that they make.
"""

from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from firebreak.env.storage.problem import Again, Problem, problem_of
from firebreak.fire import Fires, Scene
from firebreak.planning.core.fire_counts import check_plan_fires
from firebreak.planning.core.limits import SEARCH, SearchOptions
from firebreak.planning.core.plan import Plan, check_plan, plan_on
from firebreak.planning.core.progress import Reporter, no_report
from firebreak.planning.core.rounds import Placement, Task, default_batch
from firebreak.planning.core.rules import FREE, PlanRules, place_under
from firebreak.planning.methods import (
    METHODS,
    called,
    check_methods,
    check_takes_lines,
)

if TYPE_CHECKING:
    from firebreak.agent.policy_file import Policy


def make_plan(scene: Scene, budget_share: float, plan_fires: int, method: str, *, seed: int,
              policy: "Policy | None" = None, batch: int | None = None,
              search: SearchOptions = SEARCH, rules: PlanRules = FREE,
              report: Reporter = no_report, begun: Plan | None = None,
              fires: Fires | None = None, again: Again | None = None) -> Plan:
    """The plan of a method for a scene.

    Args:
        budget_share: share of the cost of all treatable cells, (0, 1].
        plan_fires: number of fires of the set "plan" that the method sees.
        method: a name in METHODS.
        seed: of random methods; the fires are keyed by the scene's seed.
        policy: for learned methods.
        batch: cells placed per simulation, spaced apart; None: as many as need about 50 rounds.
        search: limits of methods that search.
        rules: what the plan must keep to; cells that it must have come first in it. A method that
            treats nothing treats nothing all the same.
        report: takes the share of the plan that is made; it falls where short pieces are planned
            anew.
        begun: the method's own plan under the same rules but for `least_m`, to go on from.
        fires: plan fires to show instead, as many.
        again: see `Problem`.

    Raises:
        InputError: an unknown method, no policy for a learned one, a budget that buys nothing,
            fires that burn nothing of value, a map that the method is not made for.
    """
    check_methods([method], "--method")
    check_plan_fires(scene, plan_fires, kept=METHODS[method].keeps_fires)
    began = perf_counter()
    fires = scene.fires("plan", plan_fires) if fires is None else fires
    land = scene.landscape
    problem = replace(problem_of(scene, budget_share, fires, fires.first(0)), again=again)
    rules.check(problem)
    if rules.lines is not None:
        check_takes_lines(method, alone=rules.lines.only)
    if not METHODS[method].treats:
        rules = replace(rules, include=np.empty(0, np.int64), shortest_m=0.0, least_m=0.0)

    budget, lines = problem.budget if rules.budget is None else rules.budget, rules.lines
    cells_alone = METHODS[method].guided and policy is not None and policy.network.shapes == 1
    if METHODS[method].offered and not cells_alone and (lines is None or not lines.only):
        lines = called("barriers.offer.with_pieces")(problem, budget, lines)

    def place(ruled: Problem) -> Placement:
        made: Placement = called(METHODS[method].place)(Task(
            ruled, seed, batch or default_batch(land, budget_share), policy, search, report,
            lines))
        return made

    placed = place_under(rules, problem, budget, place, None if begun is None else Placement(
        begun.cells, begun.simulations, begun.notes))
    plan = plan_on(land, placed.cells, method=method, budget=budget, budget_share=budget_share,
                   plan_fires=plan_fires, seed=seed, seconds=perf_counter() - began,
                   simulations=placed.simulations + (lines is not rules.lines), notes=placed.notes,
                   policy=policy.provenance if policy and METHODS[method].guided else None)
    check_plan(plan, land)
    report(1.0)
    return plan
