"""Parts of a plan's report: what was assumed, the files, and how to make the plan again."""

import json
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NamedTuple

from firebreak import __version__
from firebreak.checks import counted
from firebreak.planning.evaluation.auto import Choice
from firebreak.planning.output.export_effect import PlanResult, plan_id
from firebreak.report.break_words import breaks_in_short
from firebreak.report.figures.plan_figures import wind_name
from firebreak.report.pages import html

PACKAGES = ("numpy", "numba", "torch", "rasterio", "scipy", "matplotlib")


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
    conditions, rows = scene.conditions, scene.scenarios
    pairs = zip(rows.wind_20ft_m_min, rows.wind_from_deg, strict=True)
    winds = ", ".join(f"{speed * 0.06:.0f} km/h from {wind_name(angle)}"
                      for speed, angle in list(pairs)[:12])
    more = "" if rows.weight.size <= 12 else f" and {rows.weight.size - 12} more"
    unattacked = "" if conditions.attack_min is None else " where nobody attacks them"
    return html.listing([
        f"Fires: median duration {scene.median_duration_min / 60.0:.1f} hours"
        + ("" if conditions.regime.duration_min else
           f", set so that untreated fires burn {conditions.regime.burned_share:.0%} of the "
           f"burnable cells on average{unattacked}")
        + f"; {conditions.regime.edge_share:.0%} enter from the edge.",
        f"Weather: {len(scene.stream_weight)} kinds, wind 20 ft above the vegetation: "
        f"{winds}{more}.",
        f"Spread: {conditions.spread}; crown fire: {conditions.model.crown}; embers: "
        + ("none" if conditions.spotting is None else "thrown by crown fire") + ".",
        breaks_in_short(conditions),
        f"The method was given {result.plan.plan_fires} plan fires; the plan is tested on "
        f"{result.effect.loss.shape[1]:,} others.",
        *([f"Breaks that stand already: {counted(result.standing.size, 'cell')}, part of the land "
           "with and without the plan, at no cost."] if result.standing.size else []),
        "Existing barriers: cells that cannot burn stop fire at no cost to the budget."])


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
