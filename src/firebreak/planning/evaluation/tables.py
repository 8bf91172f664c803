"""An evaluation as people and programs read it: aligned text, and `firebreak evaluate --json`."""

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from firebreak.checks import counted
from firebreak.landscape.candidates.corridor import Corridor
from firebreak.planning.core.plan import EXISTING, Plan, amount_words, one_of, payable
from firebreak.planning.evaluation.auto import Choice
from firebreak.planning.evaluation.drawn import stays_open_m
from firebreak.planning.evaluation.evaluate import Evaluation
from firebreak.planning.evaluation.intervals import (
    MIN_BOOTSTRAP_LANDSCAPES,
    RESAMPLES,
    Interval,
    interval_words,
)
from firebreak.planning.evaluation.judging import Row
from firebreak.planning.evaluation.knee import WHOLE_COST
from firebreak.planning.methods import AT_EXISTING_COST, CHOOSERS, METHODS

_HEADER = ("method", "cost", "reduction", "95 % interval", "untreated cells", "worst 10 %",
           "promised", "seconds", "simulations")

KEPT_SHARE = 0.75
"""A plan that keeps less than this share of what it promises is said to."""
MORE_FIRES = 4
"""Times its plan fires that such a plan is to be given."""


def table(evaluation: Evaluation) -> str:
    """The methods and their paired differences as aligned text, several lines."""
    rows = evaluation.rows
    count = len(evaluation.landscapes)
    where = f"{count} landscapes" if count > 1 else evaluation.landscapes[0]
    # What was made elsewhere has a cost of its own, which its line of the table shows.
    compared = [row for row in rows if row.in_sample_reduction is not None
                and EXISTING not in row.method] or rows
    budget = _span([float(f"{100.0 * row.budget:.4g}") for row in compared])
    plan_fires = _span([row.plan_fires for row in compared])
    share = np.mean([row.untreated_burned_share for row in rows])
    hours = _span([round(row.median_duration_min / 60.0, 1) for row in rows])
    own = [_line(evaluation, name) for name in evaluation.methods]
    lines = [f"{where}, budget {budget} % of the treatable cost, {plan_fires} plan fires, "
             f"{evaluation.test_fires} test fires that no method saw",
             f"untreated fires last {hours} hours (median) and burn {share:.1%} of the burnable "
             "cells",
             f"mean loss without breaks {_untreated(rows)}; reductions are relative to it", "",
             *aligned([_header(evaluation), *own])]
    if evaluation.paired:
        lines += ["", *aligned([("difference", "mean", "95 % interval"), *(
            (name, f"{pair.difference:+.3f}", f"{pair.low:+.3f} to {pair.high:+.3f}")
            for name, pair in evaluation.paired.items())])]
    lines += _rate_lines(evaluation) if evaluation.rates else []
    for name, features in evaluation.features.items():
        more = (*(("engaged, m", "held, m") if features[0].met.columns() else ()), "gaps")
        made, unit = any(own.treatment for own in features), evaluation.plans[0][name].priced_in
        lines += ["", *aligned([(f"line of {name}", *["treatment"] * made, "cells", "cost",
                                 "saves alone", "95 % interval", "lost without it",
                                 "95 % interval", *more), *(
            (own.name, *[own.treatment] * made, f"{own.cells}", f"{own.cost:.6g}",
             *_percent(own.alone), *_percent(own.lost),
             *(f"{length:,.1f}" for length in own.met.columns().values()),
             "; ".join(_gap_words(gap, unit) for gap in own.gaps))
            for own in features)])]
    kept = promise_words(evaluation)
    return "\n".join([*lines, "", _footnote(evaluation), *([] if kept is None else [f"{kept}."])])


def _gap_words(gap: Corridor, unit: str) -> str:
    open_m = stays_open_m(gap)
    return f"{gap.length_m:,.0f} m to {gap.name} for {amount_words(gap.cost, unit)}" + (
        f" but for {open_m:,.0f} m that may not be treated" if open_m else "")


def _percent(share: Interval) -> tuple[str, str]:
    return f"{share.mean:.2%}", f"{share.low:.2%} to {share.high:.2%}"


def _rate_lines(evaluation: Evaluation) -> list[str]:
    """Savings of plans for their length and cost, and how much more than the first saves."""
    unit, rates = evaluation.rows[0].loss_unit, evaluation.rates
    priced = one_of(next(iter(evaluation.plans[0].values())).priced_in)

    def line(name: str, sizes: tuple[str, str], own: Interval, other: Interval) -> tuple[str, ...]:
        return (name, *sizes, *(words for one in (own, other) for words in (
            f"{one.mean:.3g}", f"{one.low:.3g} to {one.high:.3g}")))

    first = next(iter(rates))
    return ["", *aligned([
        (f"saved per fire, {unit}", "km", "cost", "per km", "95 % interval", f"per {priced}",
         "95 % interval"),
        *(line(name, (f"{own.km:.1f}", f"{own.cost:.6g}"), own.per_km, own.per_cost)
          for name, own in rates.items()),
        *(line(f"{name} - {first}", ("", ""), own.more_per_km, own.more_per_cost)
          for name, own in rates.items() if own.more_per_km and own.more_per_cost)])]


def _header(evaluation: Evaluation) -> tuple[str, ...]:
    """The names of the columns; costs have that of their currency where all are in one."""
    units = {plan.currency for plans in evaluation.plans for plan in plans.values()}
    unit = units.pop() if len(units) == 1 else None
    return tuple(f"cost, {unit}" if name == "cost" and unit else name for name in _HEADER)


def _untreated(rows: Sequence[Row]) -> str:
    """The mean loss without breaks, with its unit; by landscape where they have several."""
    units = list(dict.fromkeys(row.loss_unit for row in rows))
    means = [np.mean([row.untreated_loss_in_unit for row in rows if row.loss_unit == unit])
             for unit in units]
    return " and ".join(f"{mean:.4g} {unit}" for mean, unit in zip(means, units, strict=True))


CHOICE_HEADER = ("method", "saves", "less than the best", "95 % interval", "fires", "seconds")


def choice_table(choice: Choice) -> str:
    """The candidates of a choice as aligned text, and which was kept and why, several lines."""
    lines = aligned([CHOICE_HEADER, *choice_rows(choice)])
    reasons = dict.fromkeys(choice.refused.values())
    left_out = [f"left out: {', '.join(n for n, why in choice.refused.items() if why == reason)}, "
                f"as {reason}" for reason in reasons]
    return "\n".join([*lines, *left_out, choice_words(choice)])


def choice_rows(choice: Choice) -> list[tuple[str, ...]]:
    """One row per candidate, in their fixed order, under CHOICE_HEADER."""
    return [(name, f"{own.reduction:.2%}", f"{own.behind.mean:.2%}",
             f"{own.behind.low:.2%} to {own.behind.high:.2%}", f"{own.fires:,}",
             f"{own.seconds:.1f}")
            for name, own in choice.candidates.items()]


def choice_words(choice: Choice) -> str:
    """Say which plan was kept, and why."""
    kept, best = choice.chosen, choice.best
    by_moves = choice.candidates[kept].moved or 0.0
    moved = f"; {by_moves:.2%} of that came from moving its breaks" if by_moves > 0.0 else ""
    fires = f"on {choice.fires:,} choice fires, which no method saw"
    if kept == best:
        return f"{kept} is kept: it saves most {fires}{moved}"
    return (f"{kept} is kept: {fires}, it is not significantly worse than {best}, which saves "
            f"most, and is the first such method in the fixed order{moved}")


def left_out_words(choice: Choice, plan: Plan) -> str | None:
    """Say what is not proposed, what was left out and what is not spent; None for nothing."""
    words, at_knee = [], WHOLE_COST in (plan.notes or {})
    if choice.least_m > 0.0:
        words.append(f"pieces shorter than {choice.least_m:g} m are not proposed unless they close "
                     "a gap against a barrier")
    if choice.useless:
        one, part = choice.useless == 1, "corridor" if at_knee else "segment"
        words.append(f"{counted(choice.useless, part)} that {'saves' if one else 'save'} "
                     f"nothing on the choice fires {'is' if one else 'are'} left out")
    if choice.unspent > 0.0 and not at_knee:  # which `knee_words` tell
        words.append(f"{payable(choice.unspent, plan.priced_in):,.6g} of the budget of "
                     f"{amount_words(plan.budget, plan.priced_in)} is not spent")
    return "; ".join(words) or None


def rival_words(evaluation: Evaluation, plan: Plan, command: str) -> tuple[str, str] | None:
    """One sentence on the methods that save more than a plan and were not chosen, the best first,
    and the command that it ends with, which plans with the best; None where there are none.

    Args:
        evaluation: of the plan and methods on the same test fires.
        command: that made the plan.
    """
    rivals = rivals_of(evaluation, plan)
    if not rivals:
        return None
    verb = "saves" if len(rivals) == 1 else "save"
    best = rivals[0].removesuffix(AT_EXISTING_COST)
    away = {"--improve": True}  # rivals begin with no network
    chooses = _chooses_lines(best)
    cells = _places_cells(best, plan) or (not chooses and "--only-lines" in command)
    if best != rivals[0]:
        away |= {"--shortest-m": True}
    if not chooses:
        away |= {"--lines": True, "--only-lines": False}
    if cells:
        away |= {"--house-buffer": True, "--shortest-m": True}
    return (f"On these test fires {' and '.join(rivals)} {verb} significantly more than "
            f"{plan.label} does: plan with",
            with_method(command, best, away) + cells * " --cells")


def _chooses_lines(method: str) -> bool:
    return method in CHOOSERS or METHODS[method].takes_lines


def _places_cells(method: str, plan: Plan) -> bool:
    """True for a method that treats any cell beside a plan of corridors."""
    return WHOLE_COST in (plan.notes or {}) and not _chooses_lines(method)


def rivals_of(evaluation: Evaluation, plan: Plan) -> list[str]:
    """Methods whose paired 95 % interval to a plan excludes 0 in their favour, the best first, also
    at an existing network's cost where that is no higher; but none whose own plan only adds to this
    one, which left out what saves next to nothing.
    """
    found = []
    for name in evaluation.methods:
        pair = evaluation.paired.get(f"{plan.label} - {name}")
        # The chosen method by itself may save more in pieces that are not worth a crew's way.
        if pair is not None and pair.high < 0.0 and (
                evaluation.plans[0][name].cost <= plan.cost if name.endswith(AT_EXISTING_COST)
                else name in METHODS and (name != plan.method or _places_cells(name, plan))):
            found.append((pair.difference, name))
    return [name for _, name in sorted(found)
            if not plan.cells.size
            or not np.isin(plan.cells, evaluation.plans[0][name].cells).all()]


def with_method(command: str, method: str, away: Mapping[str, bool]) -> str:
    """A command that plans, with another method, not into the same folder, and without options:
    those of `away`, by name, True where a value follows.
    """
    without = {"--method": True, "--out": True, **away}
    kept, words = [], iter(shlex.split(command))
    for word in words:
        name, given, _ = word.partition("=")
        if name not in without:
            kept.append(word)
        elif without[name] and not given:
            next(words, None)
    return shlex.join([*kept, "--method", method])


def _line(evaluation: Evaluation, name: str) -> tuple[str, ...]:
    summary = evaluation.methods[name]
    own = [row for row in evaluation.rows if row.method == name]

    def mean(field: str) -> float:
        return float(np.mean([getattr(row, field) for row in own]))

    promised = "-" if own[0].in_sample_reduction is None else f"{mean('in_sample_reduction'):.3f}"

    costs = [float(f"{plans[name].cost:.6g}") for plans in evaluation.plans]
    return (name, _span(costs) if costs else "-", f"{summary.reduction:.3f}",
            f"{summary.low:.3f} to {summary.high:.3f}",
            f"{mean('reduction_untreated_cells'):.3f}", f"{mean('cvar90_reduction'):.3f}", promised,
            f"{summary.seconds:.3f}", f"{mean('simulations'):.1f}")


def _span(values: Sequence[float]) -> str:
    low, high = min(values), max(values)
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def aligned(lines: Sequence[tuple[str, ...]]) -> list[str]:
    """The first column to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return ["  ".join([line[0].ljust(widths[0]),
                       *(text.rjust(width) for text, width in zip(line[1:], widths[1:],
                                                                   strict=True))])
            for line in lines]


def _footnote(evaluation: Evaluation) -> str:
    count = len(evaluation.landscapes)
    if evaluation.interval != "landscapes":
        how = interval_words(evaluation.weathers)
    elif count < MIN_BOOTSTRAP_LANDSCAPES:
        how = f"Student's t over the {count} landscapes"
    else:
        how = f"bootstrap, {RESAMPLES:,} resamples, over the {count} landscapes"
    return (f"Intervals: {how}.\n"
            "'untreated cells' counts the losses in untreated cells only; 'promised' is the "
            "reduction on the plan fires.")


def promise_words(evaluation: Evaluation, *names: str) -> str | None:
    """A sentence on the methods, all of them if none is named, that keep much less on the test
    fires than they promise on their plan fires, and how many to give them; None where none does.
    """
    found = {}
    for name in names or tuple(evaluation.methods):
        own = [row for row in evaluation.rows if row.method == name]
        promised = [row.in_sample_reduction for row in own if row.in_sample_reduction is not None]
        if promised and keeps_little(float(np.mean(promised)), evaluation.methods[name].high):
            found[f"{name} promises {np.mean(promised):.1%} on its plan fires and keeps "
                  f"{evaluation.methods[name].reduction:.1%}"] = own[0].plan_fires
    if not found:
        return None
    return (f"{'; '.join(found)}: so few fires are fenced in, and no others; give more of them "
            f"(--plan-fires {MORE_FIRES * max(found.values())})")


def keeps_little(promised: float, high: float) -> bool:
    """True where the upper bound of what test fires save is far below what plan fires promise."""
    return high < KEPT_SHARE * promised


def to_json(evaluation: Evaluation) -> dict[str, Any]:
    """Plain data of the `evaluate` contract: schema 1."""
    return {
        "schema": 1,
        "landscapes": len(evaluation.landscapes),
        "interval": evaluation.interval,
        "weathers": evaluation.weathers,
        "test_fires": evaluation.test_fires,
        "rows": [row._asdict() for row in evaluation.rows],
        "methods": {name: summary._asdict() for name, summary in evaluation.methods.items()},
        "paired": {name: pair._asdict() for name, pair in evaluation.paired.items()},
        **({"rates": plain_tuples(evaluation.rates)} if evaluation.rates else {}),
        **({"features": {name: [
            plain_tuples({k: v for k, v in one._asdict().items() if k != "met"})
            | one.met.columns() | {"gaps": [{"to": gap.name, "length_m": gap.length_m,
                                             "cost": gap.cost, "stays_open_m": stays_open_m(gap)}
                                            for gap in one.gaps]} for one in own]
                         for name, own in evaluation.features.items()}}
           if evaluation.features else {}),
    }


def plain_tuples(value: Any) -> Any:
    """Named tuples, and what holds some, as plain data."""
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, dict):
        return {name: plain_tuples(own) for name, own in value.items()}
    return [plain_tuples(own) for own in value] if isinstance(value, list | tuple) else value
