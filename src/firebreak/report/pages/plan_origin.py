"""Parts of a plan's report: what was assumed, the files, and how to make the plan again."""

import json
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NamedTuple

from firebreak import __version__
from firebreak.checks import counted
from firebreak.fire import Scene
from firebreak.planning.evaluation.auto import Choice
from firebreak.planning.output.export_effect import PlanResult, plan_id
from firebreak.report.break_words import breaks_in_short
from firebreak.report.figures.plan_figures import wind_in_words
from firebreak.report.pages import html
from firebreak.weather.scenarios import WeatherScenarios

PACKAGES = ("numpy", "torch", "rasterio", "scipy", "matplotlib")
MOST_WINDS = 12
"""Winds that are listed."""


class Origin(NamedTuple):
    """How a plan was made: the command as typed, the options in full, the files written; why its
    method was chosen, where it was.
    """

    command: str
    options: Mapping[str, Any]
    files: Sequence[str]
    choice: Choice | None = None


def assumptions_part(result: PlanResult) -> str:
    """The conditions under which the fires burned."""
    scene = result.scene
    conditions = scene.conditions
    unattacked = "" if conditions.attack_min is None else " where nobody attacks them"
    return html.listing([
        f"Fires: median duration {scene.median_duration_min / 60.0:.1f} hours"
        + ("" if conditions.regime.duration_min else
           f", set so that untreated fires burn {conditions.regime.burned_share:.0%} of the "
           f"burnable cells on average{unattacked}")
        + f"; {conditions.regime.edge_share:.0%} enter from the edge.",
        _weather_in_words(scene),
        f"Crown fire: {conditions.model.crown}; embers: "
        + ("none" if conditions.spotting is None else "thrown by crown fire") + ".",
        breaks_in_short(conditions),
        f"The method was given {result.plan.plan_fires} plan fires; the plan is tested on "
        f"{result.effect.loss.shape[1]:,} others.",
        *([f"Breaks that stand already: {counted(result.standing.size, 'cell')}, part of the land "
           "with and without the plan, at no cost."] if result.standing.size else []),
        "Existing barriers: cells that cannot burn stop fire at no cost to the budget."])


def _weather_in_words(scene: Scene) -> str:
    """How much weather there is, how often it changes, and its winds."""
    kinds, rows = len(scene.stream_weight), scene.scenarios
    steps, step_min = rows.weight.size // kinds, scene.field.step_min
    changes = during = ""
    if steps > 1:
        hourly = step_min == 60.0
        changes = (f", {'which' if kinds == 1 else 'each of which'} changes "
                   + (f"by the hour for {counted(steps, 'hour')}" if hourly else
                      f"every {step_min:g} minutes for {steps * step_min:g} minutes"))
        during = " in these hours" if hourly else " in this time"
    return (f"Weather: {counted(kinds, 'kind')}{changes}, wind 20 ft above the vegetation"
            f"{during}: {_winds_in_words(rows)}.")


def _winds_in_words(rows: WeatherScenarios) -> str:
    """The first winds; those of the same words once, for hours often have the same one."""
    winds = list(dict.fromkeys(
        wind_in_words(speed * 0.06, angle)
        for speed, angle in zip(rows.wind_20ft_m_min, rows.wind_from_deg, strict=True)))
    more = f" and {len(winds) - MOST_WINDS} more" if len(winds) > MOST_WINDS else ""
    return ", ".join(winds[:MOST_WINDS]) + more


def origin_part(result: PlanResult, origin: Origin) -> str:
    """Files beside the page, the command, versions and options."""
    made = html.table(["what", "which"], [
        ["firebreak", __version__], ["Python", platform.python_version()],
        *versions(),
        ["landscape checksum", result.full.checksum()], ["seed", result.seed],
        ["plan", plan_id(result)]], "Versions and checksums.")
    return (html.preformatted(origin.command)
            + html.on_paper(f"firebreak {__version__}, seed {result.seed}, plan {plan_id(result)}, "
                            f"landscape {result.full.checksum()[:12]}.")
            + html.on_screen("<h3>Files beside this page</h3>" + html.files(origin.files))
            + html.details("Versions, checksums and options in full",
                           made + html.preformatted(json.dumps(origin.options, indent=2))))


def versions() -> list[list[str]]:
    """Names and versions of the packages that results may depend on."""
    return [[name, _version(name)] for name in PACKAGES]


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
