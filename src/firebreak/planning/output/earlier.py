"""The list of the files that a plan wrote into its folder, and how the folder is cleared of them
once the next plan is written there: of them alone, since the others are a user's.
"""

import hashlib
import json
import warnings
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from firebreak.checks import InputError, fail
from firebreak.files import write_text
from firebreak.reading import record_of

FILES_FILE = "plan_files.json"
"""Holds the names of the files that the plan in its folder wrote, with their checksums."""

_RASTERS = ("treatment", "burn_probability_before", "burn_probability_after",
            "burn_probability_difference")
"""With a QGIS style beside each."""
_LONGEST_NAME = 200
"""Bytes of a listed name; a plan's are far shorter, and every file system takes as many."""
_TABLES = ("budget_curve", "exceedance", "weather", "schedule", "years", "doubt", "treatments")
_PICTURES = ("landscape", "plan", "burn_probability", "exceedance", "weather", "budget", "years",
             "comparison")

PLAN_FILES = frozenset((
    "plan.csv", "plan.tif", "plan.json", "firebreaks.csv", "options.json", "treated_landscape.tif",
    "segments.csv", "segments.tif", "segments.gpkg", "segments.geojson", "segments.qml",
    "effect.json", "report.html", "fire.gif", "fire.mp4", FILES_FILE,
    *(f"{name}{ending}" for name in _RASTERS for ending in (".tif", ".qml")),
    *(f"{name}.csv" for name in _TABLES), *(f"{name}.png" for name in _PICTURES)))
"""All names that a plan's files may have; which of them are written follows from its options."""


def write_files_list(folder: Path, files: Iterable[Path]) -> Path:
    """Writes down which files a plan wrote into its folder, and what is in them."""
    known = {path.name: _checksum(path) for path in files}
    path = folder / FILES_FILE
    write_text(path, json.dumps({"schema": 1, "files": known}, indent=2) + "\n")
    return path


def check_list(folder: Path) -> None:
    """Refuses a folder in which the list cannot be written, before the work on a plan.

    Raises:
        InputError: a folder has the list's name.
    """
    path = folder / FILES_FILE
    if path.is_dir():
        raise fail(expected="a file, or nothing there", given="a folder", where=str(path),
                   remedy="rename it or choose another --out")


def earlier_files(folder: Path) -> dict[Path, str | None]:
    """The files of the plan that a folder holds and the checksums they were written with. Where the
    plan kept no list, those that have names of a plan's files, and None: they may be a user's.
    """
    known = _listed(folder)
    if known is not None:
        return {folder / name: known[name] for name in sorted(known)}
    if not (folder / "plan.json").is_file():
        return {}
    return {folder / name: None for name in sorted(PLAN_FILES) if (folder / name).is_file()}


def remove_earlier(earlier: Mapping[Path, str | None], kept: Collection[Path]) -> None:
    """Removes the files of an earlier plan once the next one is written, so that none is taken for
    one of the next: before, a full disk would leave neither. Those that a user has changed since
    stay, as do those that nobody knows the origin of.

    earlier: see `earlier_files`, as they were before any file of the next plan was written.
    kept: absolute paths of what the next plan consists of and is made from.

    Warns:
        UserWarning: which files of unknown origin stay.
    """
    left = {path: checksum for path, checksum in earlier.items()
            if path.is_file() and path.resolve() not in kept}
    for path, checksum in left.items():
        if checksum is not None and checksum == _checksum(path):
            path.unlink(missing_ok=True)
    unknown = [path for path, checksum in left.items() if checksum is None]
    if unknown:
        names = ", ".join(path.name for path in unknown)
        warnings.warn(f"{unknown[0].parent}: {names} may be of an earlier plan, which kept no list "
                      "of its files; they stay, and are none of this plan's", stacklevel=2)


def is_of_plan(folder: Path, name: str) -> bool:
    """Whether a folder holds a file of this name that is of its plan, as far as can be told."""
    known = _listed(folder)
    return (folder / name).is_file() and (known is None or name in known)


def _listed(folder: Path) -> dict[str, str] | None:
    """Checksums by name; None where there is no such list, or not one that a plan wrote."""
    try:
        tree = record_of(folder / FILES_FILE)
    except (OSError, ValueError, InputError):
        return None
    known = tree.get("files") if isinstance(tree, dict) else None
    if not isinstance(known, dict) or not all(
            isinstance(checksum, str) and _is_name(name) for name, checksum in known.items()):
        return None
    return known


def _is_name(name: str) -> bool:
    """Whether a file in the folder may have this name: none above it, none too long to look for."""
    return (Path(name).name == name and name not in ("", "..")
            and len(name.encode()) <= _LONGEST_NAME)


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
