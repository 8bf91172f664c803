"""The report of a training run, its pictures, and those of a simulation.

Every number that a picture shows of a plan comes from fires that no method was shown: the keyed
set "test" for maps, "show" for the animation.
"""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import counted
from firebreak.fire import Scene, burn
from firebreak.landscape.landscape import Landscape
from firebreak.memory.verdict import judge
from firebreak.planning.core.plan import Plan, spent_words
from firebreak.planning.making import make_plan
from firebreak.planning.methods import POLICY_METHOD, method_of
from firebreak.reading import MOST_SETTINGS, text_of
from firebreak.report.figures.animation import fire_animation
from firebreak.report.figures.canvas import save_figure
from firebreak.report.figures.cartography import caption_of, place_of
from firebreak.report.figures.curves import comparison_figure, learning_curve_figure
from firebreak.report.figures.maps import (
    arrival_figure,
    burn_probability_figure,
    field_figure,
    landscape_figure,
    plan_figure,
    q_map_figure,
)
from firebreak.report.figures.memory_timeline import memory_figure
from firebreak.report.pages.html import Facts, Part, page, versions, write_page
from firebreak.report.words import HOW_FIRES_END, LIMITS

if TYPE_CHECKING:
    from firebreak.agent.policy_file import Policy

TEST_FIRES = 500

Rows = Sequence[Mapping[str, Any]]


class RunReport(NamedTuple):
    """A run with all that its report shows. See `write_run_report`; pictures: files by name."""

    folder: Path
    scene: Scene
    plan: Plan
    evaluation: Mapping[str, Any]
    metrics: Rows
    memory: Rows
    pictures: Mapping[str, Path] = MappingProxyType({})


def write_run_report(run: Path, *, scene: Scene, policy: "Policy", metrics: Rows, memory: Rows,
                     evaluation: Mapping[str, Any], seed: int, plan_fires: int,
                     budget_share: float, levels: bool = True) -> list[Path]:
    """Draws a run into run/figures/: its maps, Q-maps, curves, comparison and an animated fire; and
    writes run/report.html.

    Args:
        scene: the landscape to draw, its plan made here by the policy.
        metrics, memory: rows of metrics.jsonl and memory.jsonl; curves without rows are left out.
        evaluation: what `evaluate` printed, by name of its landscapes; may be empty.
        seed: named in the captions.
        plan_fires, budget_share: what the policy is shown and may spend.
        levels: whether the run's validation asks what the evaluation asks, so that the learning
            curve can be compared with the evaluated baselines.

    Returns the files written.
    """
    out = run / "figures"
    plan = make_plan(scene, budget_share, plan_fires, POLICY_METHOD, seed=seed, policy=policy)
    caption = caption_of(scene.landscape, seed=seed, run=run.name)
    files = _plan_maps(out, scene, plan, caption)
    files += _q_maps(out, scene, policy, plan, caption)
    files += curves(out, metrics, memory, evaluation, f"run {run.name} · seed {seed}",
                    levels=levels)
    files.append(fire_animation(out / "fire.gif", scene, plan))
    shown = {path.stem: path for path in files if path.suffix in (".png", ".gif")}
    report = RunReport(run, scene, plan, evaluation, metrics, memory, shown)
    return [*files, write_page(run / "report.html", run_page(report))]


def run_page(report: RunReport) -> str:
    """The page of a run; its headline is the saving by the policy on each kind of landscapes."""
    headline = {"evaluated": [(name, found["landscapes"], found["methods"][POLICY_METHOD])
                              for name, found in report.evaluation.items()
                              if POLICY_METHOD in found["methods"]]}
    return page("run.html", f"Training run {report.folder.resolve().name}",
                "A policy for placing fuel breaks, trained on simulated fires.",
                headline, PARTS, report)


def results(r: RunReport) -> Facts:
    """The reduction by each method, and paired differences, on each kind of test landscapes."""
    return {"sources": [{
        "name": name, "landscapes": found["landscapes"], "interval": found["interval"],
        "picture": comparison_picture(r.evaluation, name),
        "rows": [[method, f"{one['reduction']:.1%}", f"{one['low']:.1%} to {one['high']:.1%}"]
                 for method, one in found["methods"].items()],
        "marked": [*found["methods"], POLICY_METHOD].index(POLICY_METHOD),
        "pairs": [[pair, f"{one['difference']:+.1%}", f"{one['low']:+.1%} to {one['high']:+.1%}"]
                  for pair, one in found.get("paired", {}).items()]}
        for name, found in r.evaluation.items()]}


def learning(r: RunReport) -> Facts:
    """The length of the training."""
    progress = [row for row in r.metrics if row.get("kind") == "progress"]
    last = progress[-1] if progress else {}
    return {"counts": ", ".join(f"{last[name]:,} {words}" for name, words in (
        ("episodes", "episodes"), ("env_steps", "steps of the environment"),
        ("learner_steps", "updates of the network")) if isinstance(last.get(name), int))}


def plan(r: RunReport) -> Facts:
    """The plan of the policy on one of the test landscapes."""
    return {"place": place_of(r.scene.landscape), "spent": spent_words(r.plan)}


def policy(r: RunReport) -> Facts:
    """The Q-maps, which need nothing else."""
    return {}


def memory(r: RunReport) -> Facts:
    """The verdict on the run's memory."""
    return {"verdict": judge(r.memory).state if r.memory else None}


def limits(r: RunReport) -> list[str]:
    """Sentences on what the report leaves out."""
    return [HOW_FIRES_END, *LIMITS]


def origin(r: RunReport) -> Facts:
    """The configuration of the run, versions and checksums."""
    config = r.folder / "config.toml"
    return {"config": text_of(config, MOST_SETTINGS) if config.is_file() else None,
            "versions": [*versions(), ["landscape checksum", r.scene.landscape.checksum()],
                         ["treatment", json.dumps(r.scene.conditions.treatment.kind)]]}


PARTS = (Part(results, "Results on test landscapes"), Part(learning, "Training"),
         Part(plan, "One landscape and its plan"), Part(policy, "Values of the policy"),
         Part(memory, "Memory"), Part(limits, "Limits"), Part(origin, "How to repeat this"))
"""In the order in which they appear, below the headline."""


def comparison_picture(evaluation: Mapping[str, Any], name: str) -> str:
    """The file of a comparison, without its ending: names of test sources are no paths."""
    plain = re.sub(r"[^\w-]", "_", name)
    return "comparison" if len(evaluation) == 1 else f"comparison_{plain}"


def write_simulation_report(out: Path, landscape: Landscape, burn_probability: NDArray[np.float64],
                            downstream_value: NDArray[np.float64],
                            mean_intensity_kw_m: NDArray[np.float64],
                            mean_flame_m: NDArray[np.float64],
                            arrival_time_min: NDArray[np.float64], *,
                            seed: int | None = None) -> list[Path]:
    """Draws the maps of a simulation, all [H, W]; returns the files.

    Args:
        mean_intensity_kw_m, mean_flame_m: of the head of a fire, mean over weather scenarios.
        arrival_time_min: of one fire, inf = unburned.
    """
    caption = caption_of(landscape, seed=seed)
    maps = (
        ("burn_probability", burn_probability, "Burn probability",
         "share of fires that burn the cell", "YlOrRd"),
        ("downstream_value", downstream_value, "Downstream value",
         "value burned behind the cell, mean over fires", "YlGnBu"),
        ("fireline_intensity", mean_intensity_kw_m, "Fireline intensity at the head",
         "kW per metre, mean over weather", "YlOrBr"),
        ("flame_length", mean_flame_m, "Flame length at the head", "metres, mean over weather",
         "YlOrBr"),
    )
    files = [save_figure(landscape_figure(landscape, caption=caption), out / "landscape.png")]
    files += [save_figure(field_figure(landscape, values, title=title, label=label,
                                       colours=colours, caption=caption), out / f"{name}.png")
              for name, values, title, label, colours in maps]
    return [*files, save_figure(arrival_figure(landscape, arrival_time_min, caption=caption),
                                out / "arrival_time.png")]


def _plan_maps(out: Path, scene: Scene, plan: Plan, caption: str) -> list[Path]:
    land = scene.landscape
    fires = scene.fires("test", TEST_FIRES)
    breaks = plan.break_mask()
    before = burn(scene, fires, want="statistics").burn_probability
    after = burn(scene, fires, breaks, want="statistics").burn_probability
    fires_words = f"{caption} · {TEST_FIRES} test fires"
    return [
        save_figure(landscape_figure(land, caption=caption), out / "landscape.png"),
        save_figure(plan_figure(land, plan, caption=caption), out / "plan.png"),
        save_figure(burn_probability_figure(land, before, after, breaks, caption=fires_words),
                    out / "burn_probability.png"),
    ]


def _q_maps(out: Path, scene: Scene, policy: "Policy", plan: Plan, caption: str) -> list[Path]:
    """Maps of the policy's values at its first choice and half-way through the plan."""
    from firebreak.planning.learned.policy import q_map, slots_after  # loads torch

    files = []
    for when, count in (("first", 0), ("middle", plan.cells.size // 2)):
        slots = slots_after(scene, plan, count)
        figure = q_map_figure(scene.landscape, q_map(policy, slots), slots.available[0],
                              slots.breaks[0], caption=caption)
        files.append(save_figure(figure, out / f"q_map_{when}.png"))
    return files


def curves(out: Path, metrics: Rows, memory: Rows, evaluation: Mapping[str, Any],
            caption: str, *, levels: bool = True) -> list[Path]:
    """Draws the rows of a run that there are; returns the files. levels: see `write_run_report`."""
    progress = [row for row in metrics if row["kind"] == "progress"]
    validation = [row for row in metrics if row["kind"] == "validation"]
    files = []
    if progress:
        baselines = baselines_of(evaluation) if levels else {}
        against = f" · lines: {next(iter(evaluation))} test landscapes" if baselines else ""
        files.append(save_figure(learning_curve_figure(progress, validation, baselines,
                                                       caption=caption + against),
                                 out / "learning_curve.png"))
    if memory:
        files.append(save_figure(memory_figure(memory, caption=caption, verdict=judge(memory)),
                                 out / "memory.png"))
    for name, result in evaluation.items():
        file = f"{comparison_picture(evaluation, name)}.png"
        words = (f"{caption} · {counted(result['landscapes'], 'test landscape')} ({name}), "
                 f"intervals over {result['interval']}")
        files.append(save_figure(comparison_figure(result["methods"], caption=words), out / file))
    return files


def baselines_of(evaluation: Mapping[str, Any]) -> dict[str, float]:
    """Reductions of the methods that do not learn, on the first kind of test landscapes."""
    for result in evaluation.values():
        return {name: entry["reduction"] for name, entry in result["methods"].items()
                if not method_of(name).guided and method_of(name).treats}
    return {}
