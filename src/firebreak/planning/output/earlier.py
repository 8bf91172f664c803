"""The files of a plan, and how a folder is cleared of those of an earlier one."""

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


def earlier_files(folder: Path) -> list[Path]:
    """The files of the plan that a folder holds, none where it holds no plan."""
    if not (folder / "plan.json").is_file():
        return []
    return [folder / name for name in sorted(PLAN_FILES) if (folder / name).is_file()]


def remove_earlier(earlier: Collection[Path], kept: Collection[Path]) -> None:
    """Removes the files of an earlier plan once the next one is written, so that none is read as
    one of the next: before, a full disk would leave neither.

    earlier: see `earlier_files`, as they were before any file of the next plan was written.
    kept: absolute paths of what the next plan consists of and is made from.
    """
    for path in earlier:
        if path.resolve() not in kept:
            path.unlink(missing_ok=True)
