"""Every way to make a plan, by name, and the one function that makes them.

All methods are shown the same keyed plan fires of a scene, so that they differ in nothing but what
they make of them.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from time import perf_counter
from typing import NamedTuple

import numpy as np

from firebreak.agent.policy_file import Policy
from firebreak.checks import fail, unknown_name
from firebreak.env.problem import Problem, problem_of
from firebreak.fire.scene import Scene
from firebreak.planning import (
    anneal,
    greedy,
    guided,
    hazard,
    heuristics,
    learned,
    lookahead,
    segments,
    strips,
    swap,
    tom,
    trees,
)
from firebreak.planning.limits import SEARCH, SearchOptions
from firebreak.planning.plan import Plan, check_plan, cost_of, cost_unit
from firebreak.planning.progress import Told, untold
from firebreak.planning.rounds import Placement, Task, default_batch, warm_up
from firebreak.planning.rules import FREE, PlanRules, place_under
from firebreak.planning.walks import warm_up_walks


class Method(NamedTuple):
    """description: one line for --help and the documentation; place: chooses the cells."""

    description: str
    place: Callable[[Task], Placement]


def _place_milp(task: Task) -> Placement:
    # Imported when it is asked for: its solver takes 24 MB of every training run's memory.
    from firebreak.planning.milp import place_milp
    return place_milp(task)


METHODS: dict[str, Method] = {
    "none": Method("treats nothing", heuristics.place_none),
    "random": Method("treats cells at random", heuristics.place_random),
    "burn-probability": Method(
        "treats the cells that burn most often, simulated anew as the plan grows",
        heuristics.place_burn_probability),
    "downstream-value-static": Method(
        "treats the cells with the most value burned behind them on the untreated map",
        heuristics.place_downstream_value_static),
    "downstream-value": Method(
        "treats the cells with the most value burned behind them, simulated anew as the plan grows",
        heuristics.place_downstream_value),
    "value-hazard": Method(
        "treats the cells of the greatest burn probability x flame length x value, simulated anew "
        "as the plan grows", hazard.place_value_hazard),
    "betweenness": Method(
        "treats the cells that most ways of fire lead through, simulated anew as the plan grows",
        trees.place_betweenness),
    "dominator": Method(
        "treats the cells with the most value that fire reaches only through them, simulated anew "
        "as the plan grows", trees.place_dominator),
    "segments": Method(
        "places straight segments, each time the one that saves most per cost on the plan fires",
        segments.place_segments),
    "tom": Method(
        "places patches across the fastest routes from the upwind edge in the worst weather",
        tom.place_tom),
    "strips": Method(
        "places equal strips across the wind of the worst weather", strips.place_strips),
    "greedy": Method(
        "treats, step by step, the cell that saves most on the plan fires, all cells tried",
        greedy.place_greedy),
    "greedy-filtered": Method(
        "as greedy, but tries the 64 cells with the most value burned behind them at every step",
        greedy.place_greedy_filtered),
    "swap": Method(
        "moves the breaks of the best quick plan, a few at a time, while the plan fires lose less",
        swap.place_swap),
    "anneal": Method(
        "simulated annealing of the best quick plan on the plan fires",
        anneal.place_anneal),
    "milp": Method(
        "solves a mixed-integer program of the plan fires' spread graphs, with a bound; small maps",
        _place_milp),
    "regression": Method(
        "treats the cells whose own gain a network predicts largest, without reinforcement "
        "learning, simulated anew as the plan grows", learned.place_regression),
    "dqn": Method(
        "treats the cells that a trained policy values most, simulated anew as the plan grows",
        learned.place_dqn),
    "dqn-lookahead": Method(
        "as dqn, but burns the plan fires with each of the policy's best segments before it places "
        "one", lookahead.place_dqn_lookahead),
    "dqn-search": Method(
        "moves the breaks of a trained policy's plan about, a few at a time, as the policy and the "
        "plan fires propose", guided.place_dqn_search),
}


GUIDED = {"dqn", "dqn-lookahead", "dqn-search"}
"""Methods that follow a policy."""


def check_methods(names: Sequence[str], where: str) -> None:
    """Refuses names that are no method, before any work is done.

    Raises:
        InputError: an unknown name; the nearest one is suggested.
    """
    for name in names:
        if name not in METHODS:
            raise unknown_name("method", name, METHODS, where)
    if not names or len(set(names)) < len(names):
        raise fail(expected="methods, each once", given=", ".join(names) or "none", where=where,
                   remedy=f"choose from {', '.join(METHODS)}")


def make_plan(scene: Scene, budget_share: float, plan_fires: int, method: str, *, seed: int,
              policy: Policy | None = None, batch: int | None = None,
              search: SearchOptions = SEARCH, rules: PlanRules = FREE,
              told: Told = untold) -> Plan:
    """The plan of a method for a scene.

    Args:
        budget_share: share of the cost of all treatable cells, (0, 1].
        plan_fires: number of fires of the set "plan" that the method is shown.
        method: a name in METHODS.
        seed: of random methods; the fires are keyed by the scene's seed.
        policy: for learned methods.
        batch: cells placed per simulation, spaced apart; None: as many as need about 50 rounds.
        search: limits and start of methods that search.
        rules: what the plan must keep to; cells that it must have come first in it. "none" treats
            nothing all the same.
        told: the share of the plan that is made; it falls where short pieces are planned anew.

    Raises:
        InputError: an unknown method, no policy for a learned one, a budget that buys nothing,
            a batch below 1, limits of a search that allow nothing, fires that burn nothing of
            value, a map that the method is not made for.
    """
    check_methods([method], "--method")
    if batch is not None and batch < 1:
        raise fail(expected="a batch of at least 1 cell", given=f"{batch}", where="--batch",
                   remedy="leave it out for about 50 rounds")
    search.check()
    if search.start is not None:
        check_methods([search.start], "--search-from")
    warm_up()
    warm_up_walks()
    began = perf_counter()
    fires = scene.fires("plan", plan_fires)
    land = scene.landscape
    problem = problem_of(scene, budget_share, fires, fires.first(0))
    rules.check(method, problem)
    if method == "none":
        rules = replace(rules, include=np.empty(0, np.int64), shortest_m=0.0)

    def place(name: str, ruled: Problem, told: Told = untold) -> Placement:
        return METHODS[name].place(Task(
            ruled, seed, batch or default_batch(land, budget_share), policy, search,
            lambda start: place(start, ruled), told))

    budget = problem.budget if rules.budget is None else rules.budget
    placed = place_under(rules, problem, budget, lambda ruled: place(method, ruled, told))
    plan = Plan(method=method, cells=placed.cells, shape=land.shape,
                cost=cost_of(placed.cells, land), cost_unit=cost_unit(land),
                budget=budget, budget_share=budget_share, landscape=land.name,
                landscape_checksum=scene.landscape.checksum(), plan_fires=plan_fires, seed=seed,
                seconds=perf_counter() - began, simulations=placed.simulations,
                policy=policy.provenance if policy and GUIDED & {method, search.start} else None,
                notes=placed.notes)
    check_plan(plan, land)
    told(1.0)
    return plan
