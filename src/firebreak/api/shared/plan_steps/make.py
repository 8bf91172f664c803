"""From a landscape to a plan, and to other plans on the same test fires."""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from firebreak.api.shared.heeded import (
    check_heeded_on,
    check_judged_at_once,
    is_judged,
)
from firebreak.api.shared.machine import use_threads
from firebreak.api.shared.plan_options import PlanOptions
from firebreak.api.shared.treated_map import rows_named
from firebreak.checks import check_fraction, fail

if TYPE_CHECKING:
    from firebreak.agent.policy_file import Policy
    from firebreak.api.place.place import Place
    from firebreak.fire import Scene
    from firebreak.landscape.landscape import Landscape
    from firebreak.planning.core.plan import Plan
    from firebreak.planning.core.progress import Bar
    from firebreak.planning.evaluation.auto import Choice, FirstPlan
    from firebreak.planning.evaluation.evaluate import Evaluation


RANDOM_DRAWS = 3
"""Plans of a random method beside a plan."""
AT_EXISTING_COST = "-at-existing-cost"
"""The end of the name of a plan that may spend what the existing network costs."""


class Made(NamedTuple):
    """A plan; where a chooser made it, why it kept this one and the plans of the methods that it
    tried, by name.
    """

    plan: "Plan"
    choice: "Choice | None" = None
    others: "Mapping[str, Plan]" = MappingProxyType({})


class Work(NamedTuple):
    """A plan that was made, and what it was made of.

    Attributes:
        source: what the landscape was read from; empty for one that was handed in.
        options: what was asked for.
        place: the part of the map to plan for.
        scene: its fires.
        made: the plan.
        evaluation: of it and of others on test fires; None where there are none.
        policy: that learned methods follow, or None.
        network: of breaks to compare with, or None.
    """

    source: str
    options: PlanOptions
    place: "Place"
    scene: "Scene"
    made: Made
    evaluation: "Evaluation | None"
    policy: "Policy | None"
    network: "Plan | None"


Told = Callable[[Work, "FirstPlan"], object]
"""Takes the first plan, on its land, and what it saves."""


def work_on(source: "str | Landscape", options: PlanOptions, bar: "Bar",
            config: Path | None = None, told: Told | None = None) -> Work:
    """Makes the plan that is asked for, and compares it where there are test fires.

    Args:
        source: a landscape, or what to read it from.
        config: a plan's TOML file, whose [[phase]]s count.
        told: is told of the first plan as soon as there is one, where there is more to do.

    Raises:
        InputError: options that contradict one another or do not fit the map.
    """
    from firebreak.api.place.money import money_by_year
    from firebreak.api.place.place import place_of
    from firebreak.api.shared.policies import policy_for
    from firebreak.planning.evaluation.auto import first_plan
    from firebreak.planning.methods import DEFAULT, check_methods, check_takes_lines, method_of

    check_fraction(options.budget, what="a budget", where="--budget",
                   remedy="0.05 treats 5 % of the treatable cells")
    method = options.method or DEFAULT
    check_methods([method], "--method", choosers=True)
    check_judged_at_once(options)
    _check_horizon(options)
    policy = policy_for([method], options.policy, options.scene)
    use_threads(options.scene.threads, torch_threads=None if policy is None else 1)
    spec = source if isinstance(source, str) else ""
    if spec:
        _check_memory_first(spec, options)
    _check_test_fires(source, options)
    full = options.scene.read(source, priced=options.place.cost_per_km > 0.0)
    check_heeded_on(full, source, options.scene)
    place = place_of(options.place, full, options.budget, config, options.scene.breaks.leak)
    if place.rules.lines is not None:
        check_takes_lines(method)
    if options.place.horizon is not None:
        money_by_year(place.phases, place.money, options.place.horizon)
    if method_of(method).guided:
        from firebreak.planning.core.learned_size import check_size

        check_size(place.land, method)
    network = _network(place, options)
    with bar(0, "map and fires"):
        # What breaks leave is known off the lines too, so that other networks can be burned.
        scene = options.scene.scene(place.anywhere, spec, options.plan_fires)
        scene = replace(scene, landscape=place.land)

    def tell(plan: "Plan") -> None:
        if told is not None:
            told(Work(spec, options, place, scene, Made(plan), None, policy, network),
                 first_plan(scene, plan))

    made = _made(method, scene, place, options, bar, policy, tell)
    work = Work(spec, options, place, scene, made, None, policy, network)
    if made.choice is None and is_judged(options):
        tell(made.plan)
    return work._replace(evaluation=_compared(work, bar)) if is_judged(options) else work


def _check_horizon(options: PlanOptions) -> None:
    """Refuses a horizon that cannot be planned, before anything is read."""
    from firebreak.planning.years.judged import check_horizon

    place = options.place
    if place.horizon is None:
        if place.discount_rate:
            raise fail(expected="--horizon together with --discount-rate", given="none",
                       where="--discount-rate", remedy="say how many years, or leave it out")
        return
    check_horizon(rows_named(options.scene.breaks), place.horizon, "--horizon")
    other = ("--test-fires 0" if not options.test_fires else
             f"--report {options.report}" if options.report not in (None, "full") else
             "--treatment-age" if options.scene.breaks.treatment_age else "")
    if other:
        raise fail(expected=f"no {other} beside --horizon", given="both", where="--horizon",
                   remedy="leave one of them out")


def _check_test_fires(source: "str | Landscape", options: PlanOptions) -> None:
    """Refuses test fires that will not fit the memory before the plan is made that they judge."""
    from firebreak.planning.core.fire_counts import check_test_fires

    if is_judged(options):
        check_test_fires(source if isinstance(source, str) else source.name, options.test_fires,
                         RANDOM_DRAWS + len(_others(options)) + 1)


def _check_memory_first(source: str, options: PlanOptions) -> None:
    """Refuses a map that will not fit the memory before any of its layers is loaded."""
    from firebreak.api.place.area import cells_named
    from firebreak.api.shared.scene_checks import check_memory_first, least_rows

    area = options.place.area
    named = cells_named(area) if isinstance(area, str) else None
    if area is None or named is not None:
        given = options.scene.weather
        check_memory_first(source, named, least_rows(source, given.weather, given.scenarios))


def _network(place: "Place", options: PlanOptions) -> "Plan | None":
    """The network of breaks to compare with, read before any fire burns."""
    from firebreak.api.place.existing import existing_plan

    if options.place.existing is None:
        return None
    return existing_plan(options.place.existing, place.anywhere, place.full, place.offset)


def _made(method: str, scene: "Scene", place: "Place", options: PlanOptions, bar: "Bar",
          policy: "Policy | None", tell: "Callable[[Plan], object] | None" = None) -> Made:
    """The plan that was asked for. tell: takes the first plan of a chooser."""
    from firebreak.planning.core.progress import in_shares
    from firebreak.planning.evaluation.auto import plan_by_choice
    from firebreak.planning.making import make_plan
    from firebreak.planning.methods import CHOOSERS

    with bar(1, "plan") as advance:
        report = in_shares(advance)
        if method in CHOOSERS:
            return Made(*plan_by_choice(
                scene, place.share, options.plan_fires, seed=options.scene.seed, policy=policy,
                rules=place.rules, segment_m=options.place.segment_m, report=report, first=tell))
        return Made(make_plan(scene, place.share, options.plan_fires, method,
                              seed=options.scene.seed, policy=policy,
                              search=options.search(), rules=place.rules, report=report))


def _compared(work: Work, bar: "Bar") -> "Evaluation":
    """The plan beside what the honest alternatives achieve on the same test fires."""
    from firebreak.planning.core.plan import EXISTING
    from firebreak.planning.evaluation.evaluate import evaluate

    options, place, made = work.options, work.place, work.made
    plan = made.plan
    # What the chosen method plans by itself stands beside the plan only where it is another one.
    rivals = {name: other for name, other in made.others.items()
              if name != plan.method or other.cells.tolist() != plan.cells.tolist()}
    others = [name for name in _others(options)
              if options.report == "brief" or name not in (plan.method, *rivals)]
    existing = _existing(work, bar)
    pairs = [(name, EXISTING) for name in existing if name != EXISTING]
    # Rules may keep the plan from spending the whole budget, which the others may all the same.
    return evaluate([work.scene], others, budget_share=place.share, plan_fires=options.plan_fires,
                    test_fires=options.test_fires, seed=options.scene.seed,
                    random_draws=RANDOM_DRAWS,
                    rules=replace(place.rules, shortest_m=0.0, lines=None),
                    existing={plan.label: plan, **rivals, **existing}, pairs=pairs, bar=bar)


def _others(options: PlanOptions) -> list[str]:
    """The methods that plans are compared with."""
    from firebreak.planning.methods import METHODS

    return ["none"] if options.report == "brief" else [
        name for name, method in METHODS.items() if method.compared]


def _existing(work: Work, bar: "Bar") -> "dict[str, Plan]":
    """The network to compare with, and what the plan's method makes of as much as it costs."""
    import numpy as np

    from firebreak.planning.core.plan import EXISTING, cost_of

    options, place, plan = work.options, work.place, work.made.plan
    network = work.network
    if network is None:
        return {}
    if network.cost < cost_of(place.rules.include, place.land):
        warnings.warn(f"{options.place.existing}: {plan.label} is not compared at its cost, which "
                      "does not pay for what must be included", stacklevel=2)
        return {EXISTING: network}
    # By the chooser where one chose: the best for that cost may be another method's.
    whole = cost_of(np.flatnonzero(place.land.treatable), place.land)
    most = min(network.cost, whole)  # lines may cost less than a network that is off them
    at_cost = place._replace(share=most / whole, rules=replace(
        place.rules, budget=most, shortest_m=0.0))
    equal = _made(plan.label, work.scene, at_cost, options, bar, work.policy).plan
    name = f"{plan.label}{AT_EXISTING_COST}"
    return {EXISTING: network, name: replace(equal, method=name)}
