"""Where plans lie. Loads nothing that reads them, so that a missing plan is said at once."""

from pathlib import Path

from firebreak.checks import fail


def plan_file(path: Path) -> Path:
    """The file of the plan that a path names: itself, or that of a folder.

    Raises:
        InputError: no plan is there.
    """
    candidates = [path / "plan.csv", path / "plan.tif"] if path.is_dir() else [path]
    for file in candidates:
        if file.is_file() and file.suffix.lower() in (".csv", ".tif", ".tiff"):
            return file
    raise fail(expected="a plan as .csv or .tif, or a folder with plan.csv or plan.tif",
               given="a file of another kind" if path.is_file() else "no such file",
               where=str(path), remedy="name a file or folder that 'firebreak plan' wrote")
