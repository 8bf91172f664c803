"""The report of a training run: one HTML file with what it learned, on which land, how it compares,
what it held in memory, and how to repeat it.
"""

import json
import platform
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from firebreak import __version__
from firebreak.fire import Scene
from firebreak.memory.verdict import judge
from firebreak.planning.core.plan import Plan, spent_words
from firebreak.planning.methods import POLICY_METHOD
from firebreak.reading import MOST_SETTINGS, text_of
from firebreak.report.break_words import HOW_FIRES_END
from firebreak.report.figures.cartography import place_of
from firebreak.report.pages import html
from firebreak.report.pages.plan_origin import versions
from firebreak.report.pages.plan_page import LIMITS

_CAPTIONS = {
    "landscape": ("Map of fuel models over shaded relief.",
                  "The test landscape drawn here: fuels over relief."),
    "plan": ("Map of the policy's breaks, coloured by their order.",
             "The plan of this run's policy, numbered in the order of placement."),
    "burn_probability": ("Burn probability without breaks, with the plan, and the difference.",
                         "What the plan changes on 500 test fires."),
    "fire": ("Animation of one fire without and with the plan, side by side.",
             "Of 64 further fires the one whose loss the plan reduces most: an illustration, not a "
             "typical fire."),
    "q_map_first": ("Map of the policy's values of all cells before the first break.",
                    "The value that the policy gives to a break in each cell at its first "
                    "choice; cells that it cannot choose are hatched."),
    "q_map_middle": ("Map of the policy's values half-way through the plan.",
                     "The same values half-way through the plan."),
    "learning_curve": ("Curves of training return, validation, loss, exploration and discount over "
                       "episodes, with baselines as level lines.",
                       "Learning: validation with its 95 % interval, baselines as level lines."),
    "memory": ("Timeline of resident memory with its fitted trend, and bytes by owner.",
               "Memory of the run with the trend after its warm-up."),
}


def run_page(run: Path, scene: Scene, plan: Plan, evaluation: Mapping[str, Any],
             metrics: Sequence[Mapping[str, Any]], memory: Sequence[Mapping[str, Any]],
             pictures: Sequence[Path]) -> str:
    """The page.

    Args:
        run: its folder, whose config.toml is shown.
        plan: of the policy on the scene.
        evaluation: what `evaluate` printed, by name of its landscapes; may be empty.
        metrics, memory: rows of metrics.jsonl and memory.jsonl.
        pictures: files, known by their names.
    """
    drawn = {path.stem: path for path in pictures if path.suffix in (".png", ".gif")}
    sections = [
        html.Section("Results on test landscapes", "results", _results(evaluation, drawn)),
        html.Section("Training", "learning", _learning(metrics, drawn)),
        html.Section("One landscape and its plan", "plan", _plan(scene, plan, drawn)),
        html.Section("Values of the policy", "policy",
                     _shown(drawn, ("q_map_first", "q_map_middle"))),
        html.Section("Memory", "memory", _memory(memory, drawn)),
        html.Section("Limits", "limits", html.listing([HOW_FIRES_END, *LIMITS])),
        html.Section("How to repeat this", "origin", _origin(run, scene))]
    return html.page(f"Training run {run.resolve().name}",
                     "A policy for placing fuel breaks, trained on simulated fires.",
                     _head(evaluation), sections,
                     f"firebreak {__version__}. This page is one file and loads nothing from "
                     "a network.")


def comparison_picture(evaluation: Mapping[str, Any], name: str) -> str:
    """The file of a comparison, without its ending: names of test sources are no paths."""
    plain = re.sub(r"[^\w-]", "_", name)
    return "comparison" if len(evaluation) == 1 else f"comparison_{plain}"


def _head(evaluation: Mapping[str, Any]) -> str:
    boxes = []
    for name, result in evaluation.items():
        own = result["methods"].get(POLICY_METHOD)
        if own is not None:
            boxes.append((f"{own['reduction']:.1%}",
                          f"lower expected loss on {result['landscapes']} test landscapes "
                          f"({name}); 95 % interval {own['low']:.1%} to {own['high']:.1%}"))
    return html.key_numbers(boxes) if boxes else html.warning(html.paragraph(
        "This run has not been evaluated on test landscapes yet."))


def _results(evaluation: Mapping[str, Any], drawn: Mapping[str, Path]) -> str:
    body = html.paragraph("All numbers come from test fires that neither the policy nor any method "
                          "was given, on landscapes that were not used for training.")
    for name, result in evaluation.items():
        methods = result["methods"]
        rows = [[method, f"{entry['reduction']:.1%}",
                 f"{entry['low']:.1%} to {entry['high']:.1%}"]
                for method, entry in methods.items()]
        marked = list(methods).index(POLICY_METHOD) if POLICY_METHOD in methods else None
        body += html.table(["method", "reduction", "95 % interval"], rows,
                           f"Reduction of the expected loss, {result['landscapes']} test "
                           f"landscapes ({name}), intervals over {result['interval']}.", marked)
        pairs = [[pair, f"{entry['difference']:+.1%}",
                  f"{entry['low']:+.1%} to {entry['high']:+.1%}"]
                 for pair, entry in result.get("paired", {}).items()]
        if pairs:
            body += html.table(["difference", "mean", "95 % interval"], pairs,
                               "Reduction by the first method minus that by the second, on the "
                               "same fires.")
        picture = drawn.get(comparison_picture(evaluation, name))
        if picture is not None:
            body += html.figure(picture, f"Bars of the reduction by method ({name}) with their "
                                "intervals.", "The first table as a figure.")
    return body


def _learning(metrics: Sequence[Mapping[str, Any]], drawn: Mapping[str, Path]) -> str:
    progress = [row for row in metrics if row.get("kind") == "progress"]
    if not progress:
        return html.paragraph("The run kept no rows of progress.")
    last = progress[-1]
    known = [f"{last[name]:,} {words}" for name, words in (
        ("episodes", "episodes"), ("env_steps", "steps of the environment"),
        ("learner_steps", "updates of the network")) if isinstance(last.get(name), int)]
    return html.paragraph("Trained for " + ", ".join(known) + ".") + _shown(
        drawn, ("learning_curve",))


def _plan(scene: Scene, plan: Plan, drawn: Mapping[str, Path]) -> str:
    return html.paragraph(
        f"{scene.landscape.name}: {place_of(scene.landscape)}. {spent_words(plan)}, "
        f"in {plan.seconds:.2f} seconds.") + _shown(
        drawn, ("landscape", "plan", "burn_probability", "fire"))


def _memory(memory: Sequence[Mapping[str, Any]], drawn: Mapping[str, Path]) -> str:
    if not memory:
        return html.paragraph("The run kept no readings of its memory.")
    return html.paragraph(f"Verdict: {judge(memory).state}.") + _shown(drawn, ("memory",))


def _origin(run: Path, scene: Scene) -> str:
    config = run / "config.toml"
    body = html.preformatted("firebreak train config.toml")
    if config.is_file():
        body += "<h3>config.toml</h3>" + html.preformatted(text_of(config, MOST_SETTINGS))
    return body + html.table(["", ""], [
        ["firebreak", __version__], ["Python", platform.python_version()], *versions(),
        ["landscape checksum", scene.landscape.checksum()],
        ["treatment", json.dumps(scene.conditions.treatment.kind)]], "Versions and checksums.")


def _shown(drawn: Mapping[str, Path], names: Sequence[str]) -> str:
    return "".join(html.figure(drawn[name], *_CAPTIONS[name]) for name in names if name in drawn)
