"""`firebreak plan LANDSCAPE`: make a plan, judge it on test fires, write files, pictures, a report.
"""

import dataclasses
import shlex
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from firebreak.checks import check_fraction, fail
from firebreak.cli import common
from firebreak.cli.plan_inputs import PlaceOptions
from firebreak.cli.progress import bars
from firebreak.cli.scene_options import SceneOptions

if TYPE_CHECKING:
    from firebreak.cli.plan_inputs import Place
    from firebreak.fire.scene import Scene
    from firebreak.planning.evaluate import Evaluation
    from firebreak.planning.plan import Plan
    from firebreak.planning.progress import Bar
    from firebreak.report.plan_page import Origin

COMPARED = ("none", "random", "burn-probability", "downstream-value")


@dataclass
class PlanArguments:
    """Plan fuel breaks for a landscape. Every option may also stand in a file, see --config."""

    landscape: Annotated[str, tyro.conf.Positional] = ""
    """A file or folder, or synthetic:SEED[:SIZE]."""
    config: Path | None = None
    """A TOML file with options; those given here go before. configs/plan.toml lists every key."""
    budget: float = 0.05
    """Share of the treatable cells' cost that may be spent."""
    method: str | None = None
    """How to plan; dqn if not given."""
    policy: Path | None = None
    """A policy.pt or the folder of a run, for the dqn methods; the one that comes with firebreak
    if not given."""
    batch: int | None = None
    """Cells placed per simulation; about 50 rounds if not given."""
    time_limit: float | None = None
    """Seconds that swap, anneal and dqn-search (10 if not given) and milp (60) may search."""
    evaluations: int | None = None
    """Plans that swap, anneal and dqn-search may try, instead of --time-limit: this repeats bit for
    bit."""
    search_from: str | None = None
    """Method whose plan swap, anneal and milp start from; the best of two quick ones if not given.
    """
    plan_fires: int = 256
    """Fires that the method is shown."""
    test_fires: int = 1000
    """Other fires that judge the plan; 0 leaves out the comparison, what it changes, and the
    report."""
    out: Path | None = None
    """Output folder; a new one under outputs/ if not given."""
    place: PlaceOptions = field(default_factory=PlaceOptions)
    scene: SceneOptions = field(default_factory=SceneOptions)


def run(arguments: list[str]) -> int:
    """Runs the command."""
    args = _parsed(arguments)
    from firebreak.cli.plan_inputs import place_of
    from firebreak.cli.plan_record import write_record
    from firebreak.planning.area import lift
    from firebreak.planning.export import write_plan
    from firebreak.planning.methods import make_plan
    from firebreak.planning.progress import in_shares

    check_fraction(args.budget, what="a budget", where="--budget",
                   remedy="0.05 treats 5 % of the treatable cells")
    method = args.method or "dqn"
    policy = common.policy_for([method, args.search_from or method], args.policy, args.scene)
    common.use_threads(args.scene.threads, torch_threads=1)
    place = place_of(args.place, args.scene.read(args.landscape), args.budget,
                     args.scene.breaks.break_width_m, args.config)
    scene = args.scene.scene(place.land, args.landscape)
    bar = bars(args.scene.bars_hidden)
    with bar(1, "plan") as told:
        plan = make_plan(scene, place.share, args.plan_fires, method, seed=args.scene.seed,
                         policy=policy, batch=args.batch, search=common.search_options(args),
                         rules=place.rules, told=in_shares(told))
    evaluation = _compared(scene, plan, place, args, bar) if args.test_fires else None
    out = common.new_folder(args.out, "plan")
    files = [write_record(out, args),
             *write_plan(lift(plan, place.offset, place.full), place.full, out).values(),
             _treated(out, args, place, plan)]
    if evaluation is not None:
        files += _judged(out, args, place, scene, plan, evaluation, files, bar)
    else:
        files += _maps(out, scene, plan)
    _say(plan, evaluation, files, args, out)
    return 0


def _parsed(arguments: list[str]) -> PlanArguments:
    """The options of the command line, over those of a file that it names."""
    from firebreak.cli.plan_config import config_in, has_layers, with_config

    file = config_in(arguments)
    default = PlanArguments() if file is None else with_config(PlanArguments(), file)
    args = common.parse(PlanArguments, arguments, "plan", default)
    if file is not None and args.scene.map.layers is None and has_layers(file):
        args.scene.map.layers = file
    if not args.landscape:
        raise fail(expected="a landscape", given="none", where="firebreak plan",
                   remedy="name a file, a folder or synthetic:SEED, or --config with one")
    return args


def _compared(scene: "Scene", plan: "Plan", place: "Place", args: PlanArguments,
              bar: "Bar") -> "Evaluation":
    """The plan beside what the honest alternatives achieve on the same test fires."""
    from firebreak.cli.plan_inputs import existing_plan
    from firebreak.planning.evaluate import evaluate

    others = [method for method in COMPARED if method != plan.method]
    path = args.place.existing
    existing = {} if path is None else {
        "existing": existing_plan(path, place.land, place.full, place.offset)}
    # Rules may keep the plan from spending the whole budget, which the others may all the same.
    return evaluate([scene], others, budget_share=place.share, plan_fires=args.plan_fires,
                    test_fires=args.test_fires, seed=args.scene.seed, random_draws=3,
                    rules=replace(place.rules, shortest_m=0.0),
                    existing={plan.method: plan, **existing}, bar=bar)


def _treated(out: Path, args: PlanArguments, place: "Place", plan: "Plan") -> Path:
    """The whole landscape with the plan's breaks in it, as a file for other fire programs."""
    from firebreak.landscape.treated import write_treated
    from firebreak.planning.area import lift

    breaks = args.scene.breaks
    whole = lift(plan, place.offset, place.full).break_mask()
    return write_treated(out / "treated_landscape.tif", args.landscape, place.full, whole,
                         breaks.treatment())


def _judged(out: Path, args: PlanArguments, place: "Place", scene: "Scene", plan: "Plan",
            evaluation: "Evaluation", files: list[Path], bar: "Bar") -> list[Path]:
    """What the plan changes, segment by segment: rasters, vectors, tables, pictures, report."""
    from firebreak.planning.build_order import in_build_order
    from firebreak.planning.effect import effect_of, saved_by_order
    from firebreak.planning.export_effect import PlanResult, plan_id, write_effect
    from firebreak.planning.phases import years_of
    from firebreak.planning.stretches import segments_of
    from firebreak.report.plan_report import write_plan_report

    segments = segments_of(plan.break_mask(), place.land, args.place.segment_m)
    with bar(len(segments), "segment") as told:
        order = in_build_order(scene, segments, args.plan_fires, told)
    # Of the plan itself the order to build tells, which is the better one.
    others = {name: other for name, other in evaluation.plans[0].items()
              if other.cells.size and name not in ("random", "existing", plan.method)}
    with bar(args.test_fires * (1 + len(others)), "fire") as told:
        effect = effect_of(scene, order, args.test_fires, told=told)
        curves = {name: saved_by_order(scene, other, effect.loss[0],
                                       evaluation.methods[name].reduction, told=told)
                  for name, other in others.items()}
    result = PlanResult(
        scene, plan, place.full, place.offset, order, effect, args.scene.seed, place.rules.include,
        years_of(order, place.phases) if place.phases else None)
    tags = {"method": plan.method, "seed": str(args.scene.seed), "plan": plan_id(result),
            "test_fires": str(args.test_fires)}
    made = write_effect(out, result, tags)
    origin = _origin(args, [*files, *made])
    return [*made, *write_plan_report(out, result, evaluation, curves, origin, bar)]


def _origin(args: PlanArguments, files: list[Path]) -> "Origin":
    from firebreak.report.plan_page import Origin

    command = " ".join(["firebreak", *map(shlex.quote, sys.argv[1:])])
    options = dataclasses.asdict(args)
    return Origin(command, _plain(options), [path.name for path in files])


def _plain(tree: dict[str, Any]) -> dict[str, Any]:
    return {key: _plain(value) if isinstance(value, dict)
            else str(value) if isinstance(value, Path) else value for key, value in tree.items()}


def _maps(out: Path, scene: "Scene", plan: "Plan") -> list[Path]:
    """Pictures of a plan that nothing judged."""
    from firebreak.report.canvas import save_figure
    from firebreak.report.cartography import caption_of
    from firebreak.report.maps import landscape_figure, plan_figure

    caption = caption_of(scene.landscape, seed=scene.seed)
    return [save_figure(landscape_figure(scene.landscape, caption=caption), out / "landscape.png"),
            save_figure(plan_figure(scene.landscape, plan, caption=caption), out / "plan.png")]


def _next(args: PlanArguments, plan: "Plan", out: Path) -> str:
    """The command that shows the plan, or burns it where the map is too large to explore."""
    from firebreak.report.explorer_state import MOST_CELLS

    folder = shlex.quote(str(out))
    if plan.shape[0] * plan.shape[1] <= MOST_CELLS:
        return f"firebreak visualize {folder} --serve"
    return f"firebreak simulate {shlex.quote(args.landscape)} --plan {folder}"


def _say(plan: "Plan", evaluation: "Evaluation | None", files: list[Path],
         args: PlanArguments, out: Path) -> None:
    from firebreak.planning.plan import spent_words
    from firebreak.planning.tables import table
    from firebreak.planning.vectors import has_vector_reader

    print(f"{plan.method}: {spent_words(plan)}, in {plan.seconds:.2f} s")
    for name, number in (plan.notes or {}).items():
        print(f"{name.replace('_', ' ')}: {number:.4f}")
    if evaluation is not None:
        print(f"\n{table(evaluation)}\n")
    for path in files:
        print(path)
    if args.test_fires and not has_vector_reader():
        print('segments.gpkg is left out: pip install "firebreak[vector]" for GeoPackages')
    print(f"next: {_next(args, plan, out)}")
    if args.scene.json:
        common.print_json({"method": plan.method, "n_cells": int(plan.cells.size),
                           "cost": plan.cost, "cost_unit": plan.cost_unit,
                           "seconds": plan.seconds, "simulations": plan.simulations,
                           "notes": plan.notes, "files": [str(path) for path in files]})
