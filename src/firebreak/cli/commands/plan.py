"""`firebreak plan LANDSCAPE`: make a plan, judge it on test fires, write files, pictures, a report.
"""

import dataclasses
import shlex
import sys
import warnings
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from firebreak.checks import check_fraction, fail, install
from firebreak.cli.shared import common
from firebreak.cli.shared.plan_record import PlanArguments, write_record
from firebreak.cli.shared.progress import bars

if TYPE_CHECKING:
    from collections.abc import Mapping

    from firebreak.agent.policy_file import Policy
    from firebreak.cli.shared.plan_inputs import Place
    from firebreak.fire import Scene
    from firebreak.planning.core.plan import Plan
    from firebreak.planning.core.progress import Bar
    from firebreak.planning.evaluation.auto import Choice
    from firebreak.planning.evaluation.evaluate import Evaluation
    from firebreak.report.pages.plan_page import Origin


AT_EXISTING_COST = "-at-existing-cost"
"""The end of the name of a plan that may spend what the existing network costs."""


def run(arguments: list[str]) -> int:
    """Runs the command."""
    args = _parsed(arguments)
    from firebreak.cli.shared.plan_inputs import place_of
    from firebreak.planning.core.area import lift
    from firebreak.planning.learned.policy import check_size
    from firebreak.planning.methods import DEFAULT, check_methods, method_of
    from firebreak.planning.output.export import write_plan

    check_fraction(args.budget, what="a budget", where="--budget",
                   remedy="0.05 treats 5 % of the treatable cells")
    method = args.method or DEFAULT
    check_methods([method], "--method", choosers=True)
    policy = common.policy_for([method, args.search_from or method], args.policy, args.scene)
    common.use_threads(args.scene.threads, torch_threads=1)
    _check_memory_first(args)
    full = args.scene.read(args.landscape, priced=args.place.cost_per_km > 0.0)
    place = place_of(args.place, full, args.budget, args.scene.breaks.break_width_m, args.config)
    if method_of(method).guided:
        check_size(place.land, method)
    scene = args.scene.scene(place.land, args.landscape)
    bar = bars(args.scene.bars_hidden)
    made = _made(method, scene, place, args, bar, policy)
    plan = made.plan
    evaluation = _compared(scene, made, place, args, bar, policy) if args.test_fires else None
    out = common.new_folder(args.out, "plan")
    files = [write_record(out, args),
             *write_plan(lift(plan, place.offset, place.full), place.full, out).values(),
             _treated(out, args, place, plan)]
    if evaluation is not None:
        files += _judged(out, args, place, scene, made, evaluation, files, bar)
    else:
        files += _maps(out, scene, plan)
    _say(made, evaluation, files, args, out)
    return 0


class Made(NamedTuple):
    """A plan; where a chooser made it, why it kept this one and the plans of the methods that it
    tried, by name.
    """

    plan: "Plan"
    choice: "Choice | None" = None
    others: "Mapping[str, Plan]" = MappingProxyType({})


def _made(method: str, scene: "Scene", place: "Place", args: PlanArguments, bar: "Bar",
          policy: "Policy | None") -> Made:
    """The plan that was asked for."""
    from firebreak.planning.core.progress import in_shares
    from firebreak.planning.evaluation.auto import plan_by_choice
    from firebreak.planning.methods import CHOOSERS, make_plan

    with bar(1, "plan") as advance:
        report = in_shares(advance)
        if method in CHOOSERS:
            return Made(*plan_by_choice(
                scene, place.share, args.plan_fires, seed=args.scene.seed, policy=policy,
                batch=args.batch, search=args.search(), rules=place.rules,
                segment_m=args.place.segment_m, report=report))
        return Made(make_plan(scene, place.share, args.plan_fires, method, seed=args.scene.seed,
                              policy=policy, batch=args.batch, search=args.search(),
                              rules=place.rules, report=report))


def _parsed(arguments: list[str]) -> PlanArguments:
    """The options of the command line, over those of a file that it names."""
    from firebreak.cli.shared.one_budget import with_one_budget
    from firebreak.cli.shared.plan_config import config_in, has_layers, with_config

    file = config_in(arguments)
    default = PlanArguments() if file is None else with_config(PlanArguments(), file)
    args = with_one_budget(common.parse(PlanArguments, arguments, "plan", default), arguments, file)
    if file is not None and args.scene.map.layers is None and has_layers(file):
        args.scene.map = replace(args.scene.map, layers=file)
    if not args.landscape:
        raise fail(expected="a landscape", given="none", where="firebreak plan",
                   remedy="name a file, a folder or synthetic:SEED, or --config with one")
    return args


def _check_memory_first(args: PlanArguments) -> None:
    """Refuses a map that will not fit the memory before any of its layers is loaded."""
    from firebreak.cli.shared.plan_inputs import cells_named
    from firebreak.cli.shared.scene_checks import check_memory_first

    named = cells_named(args.place.area)
    if args.place.area is None or named is not None:
        # A file's weather, and that of a Cell2Fire folder, may have fewer rows.
        drawn = args.scene.weather.weather is None and not Path(args.landscape).is_dir()
        check_memory_first(args.landscape, named, args.scene.weather.scenarios if drawn else 1)


def _compared(scene: "Scene", made: Made, place: "Place", args: PlanArguments,
              bar: "Bar", policy: "Policy | None") -> "Evaluation":
    """The plan beside what the honest alternatives achieve on the same test fires."""
    from firebreak.planning.core.plan import EXISTING
    from firebreak.planning.evaluation.evaluate import evaluate
    from firebreak.planning.methods import METHODS

    plan = made.plan
    # What the chosen method plans by itself stands beside the plan only where it is another one.
    rivals = {name: other for name, other in made.others.items()
              if name != plan.method or other.cells.tolist() != plan.cells.tolist()}
    others = [name for name, method in METHODS.items()
              if method.compared and name != plan.method and name not in rivals]
    existing = _existing(scene, plan, place, args, bar, policy)
    pairs = [(name, EXISTING) for name in existing if name != EXISTING]
    # Rules may keep the plan from spending the whole budget, which the others may all the same.
    return evaluate([scene], others, budget_share=place.share, plan_fires=args.plan_fires,
                    test_fires=args.test_fires, seed=args.scene.seed, random_draws=3,
                    rules=replace(place.rules, shortest_m=0.0),
                    existing={plan.label: plan, **rivals, **existing}, pairs=pairs, bar=bar)


def _existing(scene: "Scene", plan: "Plan", place: "Place", args: PlanArguments, bar: "Bar",
              policy: "Policy | None") -> "dict[str, Plan]":
    """The network to compare with, and what the plan's method makes of as much as it costs."""
    from firebreak.cli.shared.plan_inputs import existing_plan
    from firebreak.planning.core.plan import EXISTING, cost_of
    from firebreak.planning.core.progress import in_shares
    from firebreak.planning.methods import make_plan

    path = args.place.existing
    if path is None:
        return {}
    network = existing_plan(path, place.land, place.full, place.offset)
    if network.cost < cost_of(place.rules.include, place.land):
        warnings.warn(f"{path}: {plan.method} is not compared at its cost, which does not pay for "
                      "what must be included", stacklevel=2)
        return {EXISTING: network}
    with bar(1, "plan") as advance:
        equal = make_plan(scene, network.budget_share, args.plan_fires, plan.method,
                          seed=args.scene.seed, policy=policy, batch=args.batch,
                          search=args.search(),
                          rules=replace(place.rules, budget=network.cost, shortest_m=0.0),
                          report=in_shares(advance))
    name = f"{plan.method}{AT_EXISTING_COST}"
    return {EXISTING: network, name: replace(equal, method=name)}


def _treated(out: Path, args: PlanArguments, place: "Place", plan: "Plan") -> Path:
    """The whole landscape with the plan's breaks in it, as a file for other fire programs."""
    from firebreak.cli.shared.plan_inputs import standing_cells
    from firebreak.landscape.formats.treated import write_treated
    from firebreak.landscape.treatments import treatment_of
    from firebreak.planning.core.area import lift

    # The source's file has no breaks that stand already; the landscape has them.
    whole = lift(plan, place.offset, place.full).break_mask()
    whole.ravel()[standing_cells(args.scene.map.built, place.full)] = True
    return write_treated(out / "treated_landscape.tif", args.landscape, place.full, whole,
                         treatment_of(args.scene.breaks))


def _judged(out: Path, args: PlanArguments, place: "Place", scene: "Scene", made: Made,
            evaluation: "Evaluation", files: list[Path], bar: "Bar") -> list[Path]:
    """What the plan changes, segment by segment: rasters, vectors, tables, pictures, report."""
    from firebreak.cli.shared.plan_inputs import standing_cells
    from firebreak.planning.core.break_segments import break_segments_of
    from firebreak.planning.core.plan import EXISTING
    from firebreak.planning.evaluation.build_order import in_build_order, years_of
    from firebreak.planning.evaluation.effect import effect_of, saved_by_order
    from firebreak.planning.methods import method_of
    from firebreak.planning.output.export_effect import (
        NO_CELLS,
        PlanResult,
        plan_id,
        write_effect,
    )
    from firebreak.report.pages.plan_report import write_plan_report

    plan = made.plan
    segments = break_segments_of(plan.break_mask(), place.land, args.place.segment_m)
    with bar(len(segments), "segment") as advance:
        order = in_build_order(scene, segments, args.plan_fires, advance)
    # Of the plan itself the order to build tells, which is the better one.
    others = {name: other for name, other in evaluation.plans[0].items()
              if other.cells.size and name not in (EXISTING, plan.label)
              and not name.endswith(AT_EXISTING_COST) and not method_of(name).stochastic
              and (method_of(name).compared or name not in made.others)}
    with bar(args.test_fires * (1 + len(others)), "fire") as advance:
        effect = effect_of(scene, order, args.test_fires, report=advance)
        curves = {name: saved_by_order(scene, other, effect.loss[0],
                                       evaluation.methods[name].reduction, report=advance)
                  for name, other in others.items()}
    result = PlanResult(
        scene, plan, place.full, place.offset, order, effect, args.scene.seed, place.rules.include,
        years_of(order, place.phases) if place.phases else None,
        evaluation.plans[0][EXISTING].cells if args.place.existing else NO_CELLS,
        standing_cells(args.scene.map.built, place.land))
    tags = {"method": plan.method, "seed": str(args.scene.seed), "plan": plan_id(result),
            "test_fires": str(args.test_fires)}
    if plan.chosen_by is not None:
        tags["chosen_by"] = plan.chosen_by
    written = write_effect(out, result, tags)
    origin = _origin(args, [*files, *written], made.choice)
    return [*written, *write_plan_report(out, result, evaluation, curves, origin, bar)]


def _origin(args: PlanArguments, files: list[Path], choice: "Choice | None") -> "Origin":
    from firebreak.report.pages.plan_page import Origin

    options = dataclasses.asdict(args)
    return Origin(_command(), common.plain(options), [path.name for path in files], choice)


def _command() -> str:
    """The command as it was typed."""
    return shlex.join(["firebreak", *sys.argv[1:]])


def _maps(out: Path, scene: "Scene", plan: "Plan") -> list[Path]:
    """Pictures of a plan that nothing judged."""
    from firebreak.report.figures.canvas import save_figure
    from firebreak.report.figures.cartography import caption_of
    from firebreak.report.figures.maps import landscape_figure, plan_figure

    caption = caption_of(scene.landscape, seed=scene.seed)
    return [save_figure(landscape_figure(scene.landscape, caption=caption), out / "landscape.png"),
            save_figure(plan_figure(scene.landscape, plan, caption=caption), out / "plan.png")]


def _next(args: PlanArguments, plan: "Plan", out: Path) -> str:
    """The command that shows the plan, or burns it where the map is too large to explore."""
    from firebreak.report.explorer.state import MAX_CELLS

    folder = shlex.quote(str(out))
    if plan.shape[0] * plan.shape[1] <= MAX_CELLS:
        return f"firebreak visualize {folder} --serve"
    area = "" if args.place.area is None else f" --area {shlex.quote(args.place.area)}"
    return f"firebreak simulate {shlex.quote(args.landscape)}{area} --plan {folder}"


def _say(made: Made, evaluation: "Evaluation | None", files: list[Path],
         args: PlanArguments, out: Path) -> None:
    from firebreak.planning.core.plan import spent_words
    from firebreak.planning.evaluation.rivals import rival_words
    from firebreak.planning.evaluation.tables import choice_table, left_out_words, table
    from firebreak.planning.output.vectors import has_vector_reader

    plan, choice = made.plan, made.choice
    name = plan.method if choice is None else f"{plan.chosen_by}, by {plan.method}"
    print(f"{name}: {spent_words(plan)}, in {plan.seconds:.2f} s")
    for note, number in (plan.notes or {}).items():
        print(f"{note.replace('_', ' ')}: {number:.4f}")
    if choice is not None:
        print(f"\n{choice_table(choice)}\n{left_out_words(choice, plan)}")
    if evaluation is not None:
        print(f"\n{table(evaluation)}\n{args.scene.crews_words()}")
        if (words := rival_words(evaluation, plan, _command())) is not None:
            print(f"{words}\n")
    for path in files:
        print(path)
    if args.test_fires and not has_vector_reader():
        print(f"segments.gpkg is left out: run {install('vector')} for GeoPackages")
    print(f"next: {_next(args, plan, out)}")
    if args.scene.json:
        chosen = {} if choice is None else {"chosen_by": plan.chosen_by,
                                            "choice": choice.as_dict()}
        common.print_json({"method": plan.method, **chosen, "n_cells": int(plan.cells.size),
                           "cost": plan.cost, "cost_unit": plan.cost_unit,
                           "seconds": plan.seconds, "simulations": plan.simulations,
                           "notes": plan.notes, "files": [str(path) for path in files]})
