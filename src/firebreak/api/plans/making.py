"""A plan that is made at once by one method or the best of several, beside other plans on the same
test fires.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from firebreak.api.plans.area import as_counted, priced, priced_rows
from firebreak.api.plans.at_once import FirstPlanTaker, PlanAtOnce
from firebreak.api.plans.corridors import (
    lines_of_network,
    method_for,
    off_cells,
    with_corridors,
    with_network,
)
from firebreak.api.plans.request import BY_CHOICE, RANDOM_DRAWS, PlanRequest, compared_methods
from firebreak.api.shared.option_rules import is_judged
from firebreak.landscape.candidates.corridor import Corridor
from firebreak.planning.alternatives import (
    MOST_COST,
    MOST_WORK,
    Alternatives,
    find_alternatives,
    fires_again,
)
from firebreak.planning.core.corridors import parts_of
from firebreak.planning.core.fire_counts import choice_count, enough_plan_fires, most_plan_fires
from firebreak.planning.core.limits import MAX_TREATABLE
from firebreak.planning.core.plan import EXISTING, Plan, cost_of
from firebreak.planning.core.progress import Bar, Reporter, in_shares
from firebreak.planning.core.rules import PlanRules
from firebreak.planning.evaluation.auto import (
    Choice,
    FirstPlan,
    Maker,
    first_plan,
    plan_by_choice,
)
from firebreak.planning.evaluation.choice import choice_fires
from firebreak.planning.evaluation.evaluate import Evaluation, evaluate
from firebreak.planning.evaluation.knee import FIRES as KNEE_FIRES
from firebreak.planning.evaluation.knee import KNEE_SAVED, Knee, at_knee, knee_fires
from firebreak.planning.evaluation.refine import IMPROVED, improved_plan
from firebreak.planning.making import make_plan
from firebreak.planning.methods import AT_EXISTING_COST, CHOOSERS, METHODS, POLICY_METHOD
from firebreak.settings.planning import PLAN_FIRES

if TYPE_CHECKING:
    from firebreak.agent.policy_file import Policy
    from firebreak.api.plans.area import PlanningArea
    from firebreak.fire import Scene


def make_at_once(asked: PlanRequest, bar: Bar, first: FirstPlanTaker | None = None,
                 window_plan: Maker | None = None) -> PlanAtOnce:
    """The plan that is asked for, compared where there are test fires.

    Args:
        first: takes the first plan as soon as there is one, and the plan that is kept before it is
            compared, where there is more to do.
        window_plan: plans by windows where the request asks for it.
    """
    request, options, area = asked, asked.options, asked.area
    judged = is_judged(options)
    with bar(0, "map and fires"):
        # What breaks leave is known off the lines too, so that other networks can be burned.
        scene = options.scene.scene(area.anywhere, request.source, options.fewest_plan_fires)
        plan_fires = enough_plan_fires(scene, options.plan_fires)
        network = lines_of_network(request) if options.place.improve is not None else []
        if request.corridors:
            found = with_corridors(options, with_network(area, network), scene, plan_fires)
            area = area if found is None else found._replace(
                rules=replace(found.rules, include=area.rules.include))
            request = request._replace(area=area, corridors=found is not None)
        scene = replace(scene, landscape=area.land)

    def tell(plan: Plan) -> None:
        if first is not None:
            saved = (plan.notes or {}).get(KNEE_SAVED)
            first(PlanAtOnce(request=request, scene=scene, plan=plan),
                  first_plan(scene, plan) if saved is None else FirstPlan(plan, saved, KNEE_FIRES))

    with bar(1, "plan") as advance:
        plan, choice, others = _planned(request, request.method, scene, area, plan_fires,
                                        in_shares(advance), tell, window_plan, network)
    if asked.corridors and not request.corridors:
        warnings.warn("no corridor on this map that the money pays for: the plan has cells and "
                      "straight lines, as with --cells", stacklevel=2)
    knee = None
    if request.corridors and plan.cells.size:
        with bar(1, "segments that pay") as advance:
            knee = at_knee(scene, plan, _parts_in(request, plan), area.rules.include,
                           in_shares(advance))
            if choice is not None:
                choice = choice._replace(unspent=choice.unspent + plan.cost - knee.plan.cost)
            plan = knee.plan
    made = PlanAtOnce(request=request, scene=scene, plan=plan, choice=choice, others=others)
    if not judged:
        return made
    tell(plan)
    if knee is not None and _seeks_alternatives(request, knee, window_plan):
        made = replace(made, alternatives=_alternatives(made, knee, plan_fires, bar))
    return replace(made, evaluation=_compared(made, bar, window_plan))


def _parts_in(request: PlanRequest, plan: Plan) -> list[Corridor]:
    rules = request.area.rules
    return parts_of(plan, request.area.land, request.options.place.segment_m, rules.lines,
                    rules.include)


def _seeks_alternatives(request: PlanRequest, knee: Knee, window_plan: Maker | None) -> bool:
    """True for a plan that saves something, begins with no network, and is told in full."""
    return (window_plan is None and request.options.report != "brief"
            and request.options.place.improve is None
            and (knee.plan.notes or {}).get(KNEE_SAVED, 0.0) > 0.0)


def _alternatives(made: PlanAtOnce, knee: Knee, plan_fires: int, bar: Bar) -> Alternatives:
    """Plans that do nearly as much as the plan elsewhere; see `planning.alternatives`."""
    request, area, scene = made.request, made.request.area, made.scene
    fires, left = fires_again(plan_fires), MOST_WORK * knee.plan.simulations * plan_fires

    def again(near: NDArray[np.bool_], report: Reporter) -> Plan | None:
        nonlocal left
        own = None if left < 0.0 else off_cells(area, near, MOST_COST * knee.plan.cost)
        if own is None:
            return None
        found, *_ = _planned(request, knee.plan.method, replace(scene, landscape=own.land), own,
                             fires, report)
        left -= found.simulations * fires
        return replace(found, budget=max(found.cost, knee.plan.budget),
                       budget_share=knee.plan.budget_share,
                       landscape_checksum=knee.plan.landscape_checksum)

    with bar(1, "alternatives") as advance:
        judging = knee_fires(scene)
        return find_alternatives(
            area.land, knee, [plan for name, plan in made.others.items()
                              if name != knee.plan.method], again,
            partial(_parts_in, request), lambda plan: float(judging.savings(plan).mean()),
            area.rules.include, in_shares(advance))


def _planned(request: PlanRequest, method: str, scene: "Scene", area: "PlanningArea",
             plan_fires: int, report: Reporter, tell: Callable[[Plan], object] | None = None,
             window_plan: Maker | None = None, network: Sequence[Corridor] = (),
             ) -> tuple[Plan, Choice | None, Mapping[str, Plan]]:
    """The plan of a method or chooser for an area; why a chooser kept it, and what else it made.

    report: takes the share that is done; tell: takes the first of several plans; window_plan: see
    `make_at_once`; network: lines that the plan begins with, as far as they pay.
    """
    options = request.options
    scene, share = as_counted(scene, area, area.share)

    def at_cost(plan: Plan) -> Plan:
        return priced(plan, area, options.budget)

    def one_method(name: str, rules: PlanRules, report: Reporter) -> Plan:
        if window_plan is not None:
            return window_plan(scene, share, plan_fires, name, rules, report)
        return make_plan(scene, share, plan_fires, name, seed=options.scene.seed,
                         policy=request.policy, search=options.search(), rules=rules,
                         report=report)

    if network:
        own = method_for(request)
        judging = choice_fires(scene, choice_count(plan_fires, area.land.fuel_model.size))
        made = improved_plan(
            scene, network, share, area.rules,
            lambda rules, report: one_method(own, rules, report), plan_fires,
            lambda plan: float(judging.savings(plan).mean()), report,
            None if tell is None else lambda plan: tell(
                at_cost(replace(plan, chosen_by=IMPROVED))))
        return at_cost(replace(made, chosen_by=IMPROVED)), None, {}
    if method not in CHOOSERS:
        return at_cost(one_method(method, area.rules, report)), None, {}
    plan, choice, others = plan_by_choice(
        scene, share, plan_fires, seed=options.scene.seed, policy=request.policy,
        rules=area.rules, segment_m=options.place.segment_m, report=report,
        first=None if tell is None else lambda plan: tell(at_cost(plan)),
        makers={} if window_plan is None else dict.fromkeys(BY_CHOICE, window_plan))
    if area.most_cells is not None:  # what is left buys no cell within the area
        choice = choice._replace(unspent=0.0)
    return at_cost(plan), choice, {name: at_cost(one) for name, one in others.items()}


def _compared(made: PlanAtOnce, bar: Bar, window_plan: Maker | None) -> Evaluation:
    """The plan beside what the honest alternatives achieve on the same test fires."""
    options, plan = made.request.options, made.plan
    # What the chosen method plans by itself stands beside the plan only where it is another one;
    # and no plan of corridors under the name of a method that places cells there.
    in_cells = [name for name in METHODS
                if made.request.corridors and not METHODS[name].takes_lines]
    rivals = {name: other for name, other in made.others.items() if name not in in_cells
              and (name != plan.method or other.cells.tolist() != plan.cells.tolist())}
    small = int(made.request.area.anywhere.treatable.sum()) <= MAX_TREATABLE
    cells = [POLICY_METHOD] if (made.request.corridors and made.request.policy and small
                                and options.report != "brief") else []
    others = [name for name in [*compared_methods(options), *cells]
              if options.report == "brief" or name in in_cells
              or name not in (plan.method, *rivals)]
    existing = _existing(made, bar, window_plan)
    pairs = [(name, EXISTING) for name in existing if name != EXISTING]
    alternatives = {} if made.alternatives is None else {
        # Made on fewer plan fires than the table is of.
        name: replace(one.plan, plan_fires=0) for name, one in made.alternatives.found.items()}
    return beside(made, others, {plan.label: plan, **rivals, **existing, **alternatives},
                  pairs=pairs, test_fires=options.test_fires, policy=made.request.policy, bar=bar)


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
        [scene], methods, budget_share=share, plan_fires=_shown(made),
        test_fires=test_fires, seed=options.scene.seed, random_draws=RANDOM_DRAWS, policy=policy,
        search=options.search(), rules=replace(area.rules, shortest_m=0.0, lines=None),
        existing=existing, pairs=pairs, bar=bar), area, options.budget)


def _shown(made: PlanAtOnce) -> int:
    """The number of plan fires of other methods: the plan's, but no more than one method holds."""
    given = made.plan.plan_fires
    most = max(PLAN_FIRES, most_plan_fires(made.scene.landscape.fuel_model.size))
    return min(given, most) if made.request.options.plan_fires is None else given


def _existing(made: PlanAtOnce, bar: Bar, window_plan: Maker | None) -> dict[str, Plan]:
    """The network to compare with, and what the plan's method makes of as much as it costs."""
    request, area, plan = made.request, made.request.area, made.plan
    network = request.network
    if network is None:
        return {}
    if network.cost < cost_of(area.rules.include, area.land):
        warnings.warn(f"{request.options.place.network}: {plan.label} is not compared at its "
                      "cost, which does not pay for what must be included", stacklevel=2)
        return {EXISTING: network}
    # By the chooser where one chose: the best for that cost may be another method's.
    whole = cost_of(np.flatnonzero(area.land.treatable), area.land)
    most = min(network.cost, whole)  # lines may cost less than a network that is off them
    at_cost = area._replace(share=most / whole, most_cells=None, rules=replace(
        area.rules, budget=most, shortest_m=0.0))
    with bar(1, "plan") as advance:
        equal, *_ = _planned(request, request.method, made.scene, at_cost, _shown(made),
                             in_shares(advance), window_plan=window_plan)
    name = f"{request.method}{AT_EXISTING_COST}"
    return {EXISTING: network, name: replace(equal, method=name)}
