"""The files of a plan, and how a folder is cleared of those of an earlier plan."""

from collections.abc import Collection
from pathlib import Path

_RASTERS = ("treatment", "burn_probability_before", "burn_probability_after",
            "burn_probability_difference")
"""With a QGIS style beside each."""
_TABLES = ("budget_curve", "exceedance", "weather", "schedule", "years", "doubt", "treatments")
_PICTURES = ("landscape", "plan", "burn_probability", "exceedance", "weather", "budget", "years",
             "comparison")

PLAN_FILES = frozenset((
    "plan.csv", "plan.tif", "plan.json", "firebreaks.csv", "options.json", "treated_landscape.tif",
    "segments.csv", "segments.tif", "segments.gpkg", "segments.geojson", "segments.qml",
    "effect.json", "report.html", "fire.gif", "fire.mp4",
    *(f"{name}{ending}" for name in _RASTERS for ending in (".tif", ".qml")),
    *(f"{name}.csv" for name in _TABLES), *(f"{name}.png" for name in _PICTURES)))
"""All names that a plan's files may have; which of them are written follows from its options."""


def remove_earlier(folder: Path, inputs: Collection[Path]) -> None:
    """Removes the files of the plan that a folder holds, so that none is read as one of the next;
    nothing where it holds no plan.

    inputs: files that the next plan is made from, absolute: they stay.
    """
    if not (folder / "plan.json").is_file():
        return
    # The record last: what a kill leaves is still known for a plan's.
    for name in sorted(PLAN_FILES, key=lambda name: name == "plan.json"):
        path = folder / name
        if path.is_file() and path.resolve() not in inputs:
            path.unlink()
