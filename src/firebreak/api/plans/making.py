"""A plan that is made at once by one method or the best of several, beside other plans on the same
test fires.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from firebreak.api.plans.area import as_counted, priced, priced_rows
from firebreak.api.plans.at_once import AT_EXISTING_COST, FirstPlanTaker, PlanAtOnce
from firebreak.api.plans.corridors import with_corridors
from firebreak.api.plans.request import RANDOM_DRAWS, PlanRequest, compared_methods
from firebreak.api.shared.option_rules import is_judged
from firebreak.planning.core.built import parts_of
from firebreak.planning.core.fire_counts import enough_plan_fires
from firebreak.planning.core.plan import EXISTING, Plan, cost_of
from firebreak.planning.core.progress import Bar, in_shares
from firebreak.planning.evaluation.auto import Choice, first_plan, plan_by_choice
from firebreak.planning.evaluation.evaluate import Evaluation, evaluate
from firebreak.planning.evaluation.knee import at_knee
from firebreak.planning.making import make_plan
from firebreak.planning.methods import CHOOSERS, POLICY_METHOD

if TYPE_CHECKING:
    from firebreak.agent.policy_file import Policy
    from firebreak.api.plans.area import PlanningArea
    from firebreak.fire import Scene


def make_at_once(asked: PlanRequest, bar: Bar, first: FirstPlanTaker | None = None) -> PlanAtOnce:
    """The plan that is asked for, compared where there are test fires.

    first: takes the first plan as soon as there is one, where there is more to do.
    """
    request, options, area = asked, asked.options, asked.area
    judged = is_judged(options)
    with bar(0, "map and fires"):
        # What breaks leave is known off the lines too, so that other networks can be burned.
        scene = options.scene.scene(area.anywhere, request.source, options.fewest_plan_fires)
        plan_fires = enough_plan_fires(scene, options.plan_fires)
        if request.corridors:
            found = with_corridors(options.place, area, scene, plan_fires)
            area = found or area
            request = request._replace(area=area, corridors=found is not None)
        scene = replace(scene, landscape=area.land)

    def tell(plan: Plan) -> None:
        if first is not None:
            first(PlanAtOnce(request=request, scene=scene, plan=plan), first_plan(scene, plan))

    plan, choice, others = _planned(request, request.method, scene, area, plan_fires, bar, tell)
    if asked.corridors and not request.corridors:
        warnings.warn("no corridor on this map that the money pays for: the plan has cells and "
                      "straight lines, as with --cells", stacklevel=2)
    if request.corridors and plan.cells.size:
        with bar(1, "knee") as advance:
            parts = parts_of(plan, area.land, options.place.segment_m, area.rules.lines)
            plan = at_knee(scene, plan, parts, area.rules.include, in_shares(advance)).plan
    made = PlanAtOnce(request=request, scene=scene, plan=plan, choice=choice, others=others)
    if choice is None and judged:
        tell(plan)
    return replace(made, evaluation=_compared(made, bar)) if judged else made


def _planned(request: PlanRequest, method: str, scene: "Scene", area: "PlanningArea",
             plan_fires: int, bar: Bar, first: Callable[[Plan], object] | None = None,
             ) -> tuple[Plan, Choice | None, Mapping[str, Plan]]:
    """The plan of a method or chooser for an area; why a chooser kept it, and what else it made.

    first: takes the first plan of a chooser.
    """
    options = request.options
    scene, share = as_counted(scene, area, area.share)

    def at_cost(plan: Plan) -> Plan:
        return priced(plan, area, options.budget)

    with bar(1, "plan") as advance:
        report = in_shares(advance)
        if method not in CHOOSERS:
            return at_cost(make_plan(
                scene, share, plan_fires, method, seed=options.scene.seed,
                policy=request.policy, search=options.search(), rules=area.rules,
                report=report)), None, {}
        plan, choice, others = plan_by_choice(
            scene, share, plan_fires, seed=options.scene.seed, policy=request.policy,
            rules=area.rules, segment_m=options.place.segment_m, report=report,
            first=None if first is None else lambda plan: first(at_cost(plan)))
    if area.most_cells is not None:  # what is left buys no cell within the area
        choice = choice._replace(unspent=0.0)
    return at_cost(plan), choice, {name: at_cost(one) for name, one in others.items()}


def _compared(made: PlanAtOnce, bar: Bar) -> Evaluation:
    """The plan beside what the honest alternatives achieve on the same test fires."""
    options, plan = made.request.options, made.plan
    # What the chosen method plans by itself stands beside the plan only where it is another one.
    rivals = {name: other for name, other in made.others.items()
              if name != plan.method or other.cells.tolist() != plan.cells.tolist()}
    cells = [POLICY_METHOD] if (made.request.corridors and made.request.policy
                                and options.report != "brief") else []
    others = [name for name in [*compared_methods(options), *cells]
              if options.report == "brief" or name not in (plan.method, *rivals)]
    existing = _existing(made, bar)
    pairs = [(name, EXISTING) for name in existing if name != EXISTING]
    return beside(made, others, {plan.label: plan, **rivals, **existing}, pairs=pairs,
                  test_fires=options.test_fires, policy=made.request.policy, bar=bar)


def beside(made: PlanAtOnce, methods: Sequence[str], existing: Mapping[str, Plan], *,
           test_fires: int, policy: "Policy | None" = None,
           pairs: Sequence[tuple[str, str]] = (), bar: Bar) -> Evaluation:
    """Methods, and plans that there are, on the test fires of a plan's scene.

    Args:
        methods: that plan within the plan's budget. Rules may keep the plan from spending all of
            it, which they may all the same.
        existing: by name, at their own cost; the first is compared with all others.
        policy: that methods follow.
        pairs: as of `evaluate`.
    """
    options, area = made.request.options, made.request.area
    scene, share = made.scene, area.share
    if made.request.corridors:  # the others may treat any cell, with as much money
        scene = replace(scene, landscape=area.anywhere)
        share = min(1.0, area.money / cost_of(np.flatnonzero(area.anywhere.treatable),
                                              area.anywhere))
        # Shares of one table are of the same ground, which is more than corridors have.
        existing = {name: replace(plan, budget_share=share) if plan.budget_share == area.share
                    else plan for name, plan in existing.items()}
    scene, share = as_counted(scene, area, share)
    return priced_rows(evaluate(
        [scene], methods, budget_share=share, plan_fires=made.plan.plan_fires,
        test_fires=test_fires, seed=options.scene.seed, random_draws=RANDOM_DRAWS, policy=policy,
        search=options.search(), rules=replace(area.rules, shortest_m=0.0, lines=None),
        existing=existing, pairs=pairs, bar=bar), area, options.budget)


def _existing(made: PlanAtOnce, bar: Bar) -> dict[str, Plan]:
    """The network to compare with, and what the plan's method makes of as much as it costs."""
    request, area, plan = made.request, made.request.area, made.plan
    network = request.network
    if network is None:
        return {}
    if network.cost < cost_of(area.rules.include, area.land):
        warnings.warn(f"{request.options.place.existing}: {plan.label} is not compared at its "
                      "cost, which does not pay for what must be included", stacklevel=2)
        return {EXISTING: network}
    # By the chooser where one chose: the best for that cost may be another method's.
    whole = cost_of(np.flatnonzero(area.land.treatable), area.land)
    most = min(network.cost, whole)  # lines may cost less than a network that is off them
    at_cost = area._replace(share=most / whole, most_cells=None, rules=replace(
        area.rules, budget=most, shortest_m=0.0))
    equal, *_ = _planned(request, plan.label, made.scene, at_cost, plan.plan_fires, bar)
    name = f"{plan.label}{AT_EXISTING_COST}"
    return {EXISTING: network, name: replace(equal, method=name)}
