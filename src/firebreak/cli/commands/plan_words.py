"""The words that `firebreak plan` prints of a plan."""

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firebreak.api.plans.at_once import PlanAtOnce
from firebreak.api.shared.domains import domain_words
from firebreak.api.shared.option_rules import is_judged
from firebreak.checks import counted, install
from firebreak.cli.shared import common
from firebreak.cli.shared.common import scene_words
from firebreak.cli.shared.plan_record import PlanArguments
from firebreak.landscape.treatment_table import treated_ha
from firebreak.planning.barriers.words import barrier_words
from firebreak.planning.core.line_trials import untried_words
from firebreak.planning.core.plan import Plan, spent_words
from firebreak.planning.evaluation.drawn import change_words, changes_table, changes_words
from firebreak.planning.evaluation.fire_facts import fact_words
from firebreak.planning.evaluation.knee import knee_words
from firebreak.planning.evaluation.tables import (
    aligned,
    choice_table,
    left_out_words,
    rival_words,
    table,
    to_json,
)
from firebreak.planning.methods import CHOOSERS, DEFAULT
from firebreak.planning.output.buildable import words_of
from firebreak.planning.output.tables import alternatives_rows, years_record, years_words
from firebreak.planning.output.vectors import has_vector_reader

if TYPE_CHECKING:
    from firebreak.api.plans.by_windows import PlanByWindows
    from firebreak.api.plans.run import PlanRun
    from firebreak.planning.evaluation.auto import FirstPlan
    from firebreak.planning.evaluation.effect import Interval
    from firebreak.planning.evaluation.fire_facts import FireFacts

FIRST_CHANGES = 3
"""Changes of an existing network that are printed."""


def first_words(first: "FirstPlan", args: PlanArguments, out: Path, earlier: bool, *,
                again: bool) -> str:
    """Words on what the first plan saves, where it is, and what the command goes on to do.

    earlier: the folder holds another plan; again: it is the plan that is kept, after a first one.
    """
    where = (f"The earlier plan in {out} stays until the new one is complete" if earlier else
             f"It is saved in {out} and stays there if you stop the command now")
    others = ("plans that keep less of the network are made" if args.place.improve is not None else
              "other methods plan" if (args.method or DEFAULT) in CHOOSERS else None)
    follows = [] if again or others is None else [f"{others}, and the plan that saves most is kept"]
    follows += [f"{args.test_fires:,} test fires judge the plan"] if is_judged(args) else []
    return (f"{'plan' if again else 'first plan'}, by {first.plan.method}: "
            f"{spent_words(first.plan)}, saves {first.saved:.2%} on {first.fires:,} choice fires, "
            f"which no method saw\n{where}. Next: {'; then '.join(follows)}.\n")


def say_plan(run: "PlanRun", files: Sequence[Path], args: PlanArguments, out: Path,
             command: str) -> None:
    """Print what was found of a plan, its files, and the command that comes next.

    command: as it was typed.
    """
    if isinstance(run, PlanAtOnce):
        _say_at_once(run, command)
        record = _record_at_once(run)
    else:
        _say_windows(run)
        record = _record_of_windows(run)
    plan, area = run.plan, run.request.area
    each_ha = treated_ha(area.land, args.scene.breaks.break_width_m)
    area_ha = round(float(each_ha.ravel()[plan.cells].sum()), 6)
    most_ha = args.budget.hectares
    if most_ha is not None:
        print(f"{area_ha:,.6g} ha of at most {most_ha:,.6g} ha are treated")
    print(domain_words(area.domain), end="")
    for path in files:
        print(path)
    if isinstance(run, PlanAtOnce) and run.evaluation is not None and not has_vector_reader():
        print(f"plan.gpkg is left out: run {install('vector')} for GeoPackages")
    print(f"next: {_next(args, plan, out)}")
    if args.scene.json:
        common.print_json({
            "method": plan.method, "n_cells": int(plan.cells.size), "cost": plan.cost,
            "cost_unit": plan.cost_unit, "currency": plan.currency, "seconds": plan.seconds,
            "simulations": plan.simulations, "area_ha": area_ha, **record,
            **({} if area.domain is None else {"domain": area.domain.to_json()}),
            "files": [str(path) for path in files]})


def _say_at_once(run: PlanAtOnce, command: str) -> None:
    plan, evaluation = run.plan, run.evaluation
    windows = int((plan.notes or {}).get("windows", 0))
    print(f"{plan.made_by}{f' in {windows} windows' * bool(windows)}: {spent_words(plan)}, in "
          f"{plan.seconds:.2f} s")
    if run.choice is not None:
        print(f"\n{choice_table(run.choice)}")
    for words in (run.choice and left_out_words(run.choice, plan),
                  barrier_words([plan, *run.others.values()]), knee_words(plan),
                  untried_words(plan)):
        if words is not None:
            print(words)
    if evaluation is not None:
        print(f"\n{table(evaluation)}\n{run.request.options.scene.crews_words(run.scene.conditions)}")
        _say_fires(None if run.judgement is None else run.judgement.fires)
        if (rivals := rival_words(evaluation, plan, command)) is not None:
            print(" ".join(rivals), end="\n\n")
    if rows := run.alternatives_table():
        print("\n".join(aligned(alternatives_rows(rows))))
    if run.alternatives is not None and (words := run.alternatives.words()) is not None:
        print(f"{words}\n")
    if run.judgement is not None and run.judgement.result.counts:
        for name, counts in run.judgement.result.counts.items():
            print(words_of(name, counts))
        print()
    if run.judgement is not None and run.judgement.changes:
        print(f"{changes_words(run.judgement.changes)}\n"
              f"first: {'; '.join(map(change_words, run.judgement.changes[:FIRST_CHANGES]))}\n")
    if run.judgement is not None and run.judgement.result.over_years is not None:
        print(f"{years_words(run.judgement.result.over_years)}\n")


def _say_fires(facts: "FireFacts | None") -> None:
    """Print what a report says first of the fires that judge a plan."""
    if facts is not None:
        print("\n".join(fact_words(facts)), end="\n\n")


def _record_at_once(run: PlanAtOnce) -> dict[str, Any]:
    """Keys of --json of a plan that was made at once, beside those of every plan."""
    chosen = {} if run.choice is None else {"chosen_by": run.plan.chosen_by,
                                            "choice": run.choice.as_dict()}
    over_years = None if run.judgement is None else run.judgement.result.over_years
    years = {} if over_years is None else {"over_years": years_record(over_years)}
    others = {} if run.alternatives is None else {
        "alternatives": run.alternatives_table()[1:]}
    changes = {} if run.judgement is None or not run.judgement.changes else {
        "changes": changes_table(run.judgement.changes, run.request.area.land, run.plan.priced_in)}
    tested = {} if run.evaluation is None else {
        name: to_json(run.evaluation)[name] for name in ("test_fires", "methods", "paired")}
    return {**chosen, "notes": run.plan.notes, **years, **changes, **others, **tested}


def _say_windows(run: "PlanByWindows") -> None:
    from firebreak.api.plans.by_windows import facts_of, saved_words

    made, plan, judgement = run.made, run.plan, run.judgement
    print(f"{plan.method} in {counted(made.windows, 'window')}: {spent_words(plan)}, in "
          f"{plan.seconds:.0f} s")
    if judgement is not None:
        print(saved_words(made, judgement.saved))
        if judgement.network is not None:
            saved, cost = judgement.network
            print(f"the existing network saves {saved.mean:.1%} ({saved.low:.1%} - "
                  f"{saved.high:.1%}) of it, at a cost of {cost:,.6g}")
    for words in (*facts_of(made), untried_words(plan)):
        if words is not None:
            print(words)
    _say_fires(None if judgement is None else judgement.fires)
    for number, words in made.refused.items():
        print(f"window {number} proposes nothing: {words}", file=sys.stderr)


def _record_of_windows(run: "PlanByWindows") -> dict[str, Any]:
    """Keys of --json of a plan by windows, beside those of every plan."""
    made, judgement = run.made, run.judgement
    tested: dict[str, Any] = {} if judgement is None else _numbers(judgement.saved)
    if judgement is not None and judgement.network is not None:
        saved, cost = judgement.network
        tested["existing"] = {**_numbers(saved), "cost": cost}
    return {"windows": made.windows, "margin": made.margin, "rows": made.rows,
            "plan_fires": run.plan.plan_fires, "promised": made.promised, **tested}


def _numbers(saved: "Interval") -> dict[str, float]:
    return {"reduction": saved.mean, "low": saved.low, "high": saved.high}


def _next(args: PlanArguments, plan: Plan, out: Path) -> str:
    """The command that shows the plan, or burns it where the map is too large to explore."""
    from firebreak.report.explorer.state import MAX_CELLS

    folder = shlex.quote(str(out))
    if plan.shape[0] * plan.shape[1] <= MAX_CELLS:
        return f"firebreak visualize {folder} --serve"
    area = "" if args.place.area is None else f" --area {shlex.quote(args.place.area)}"
    return (f"firebreak simulate {shlex.quote(args.landscape)}{area}{scene_words(args.scene)} "
            f"--plan {folder}")
