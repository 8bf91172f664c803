"""The options that results were made with, kept beside them."""

import dataclasses
import json
import os
import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firebreak.files import write_text
from firebreak.planning.output.earlier import plan_folder
from firebreak.reading import record_of
from firebreak.settings.budget import Limits
from firebreak.settings.retired import option_of_key

if TYPE_CHECKING:
    from firebreak.api.shared.plan_options import PlanOptions

OPTIONS_FILE = "options.json"
_WRITTEN = re.compile(r"(landscape|given_\w+)-[0-9a-f]{8}(\.|$)")
"""Names of what Python's `save` writes beside a plan, see `api.given`."""
KEPT = ("budget", "method", "policy", "plan_fires", "time_limit", "test_fires", "report",
        "fires_per_ha_year")


def write_options(folder: Path, options: Any, **more: dict[str, Any]) -> Path:
    """Writes the options of the scene, and further groups, beside their results, so that these say
    what they are for.
    """
    path = folder / OPTIONS_FILE
    groups = _groups(options) | plain(more)
    write_text(path, json.dumps(groups, indent=2) + "\n")
    return path


def found_in(folder: Path, tree: Any) -> Any:
    """Recorded options in which what was written into a plan's folder is named where it lies now,
    if the folder has been moved or copied since. Such names say what is in them.
    """
    if isinstance(tree, dict):
        return {name: found_in(folder, value) for name, value in tree.items()}
    if not isinstance(tree, str) or not os.path.isabs(tree):
        return tree
    for parts in (Path(tree).parts[-1:], Path(tree).parts[-2:]):  # a file may be in a landscape
        here = folder.joinpath(*parts)
        if _WRITTEN.match(parts[0]) and here.exists():
            return str(here.resolve())
    return tree


def warn_of_other_options(plan: Path, options: Any) -> None:
    """Warns where a plan was made under other options than those it is now looked at under."""
    path = plan_folder(plan) / OPTIONS_FILE
    try:
        recorded = found_in(path.parent, record_of(path))
    except (OSError, ValueError):
        recorded = None
    if not isinstance(recorded, dict):
        return  # made by hand, or by another program
    other = [f"{key.replace('_', '-')} {_said(recorded[group].get(key))} there, "
             f"{_said(value)} here"
             for group, values in _groups(options).items() if isinstance(recorded.get(group), dict)
             for key, value in values.items() if recorded[group].get(key, value) != value]
    other += [f"{key.replace('_', '-')} {value} there, which is retired"
              for group, values in recorded.items() if isinstance(values, dict)
              for key, value in values.items()
              if (retired := option_of_key(f"{group}.{key}")) and retired.changes(value)]
    if other:
        warnings.warn(f"{plan}: this plan was made under other options ({'; '.join(other)})",
                      stacklevel=2)


def write_record(folder: Path, options: "PlanOptions", landscape: str,
                 config: Path | None = None) -> Path:
    """Writes a plan's options beside it, and the folder that its paths are relative to.

    landscape: what it was read from; config: the file that options came from.
    """
    from firebreak.planning.methods import DEFAULT

    own: dict[str, Any] = {"landscape": landscape, "config": config}
    own |= {name: getattr(options, name) for name in KEPT}
    own["method"] = options.method or DEFAULT  # the default of a later version may be another
    try:
        # Without links: what lies above one is not what lies above the folder that it leads to.
        base = os.path.relpath(Path.cwd(), folder.resolve())
    except ValueError:  # another drive
        base = str(Path.cwd())
    own |= {"seed": options.scene.seed, "relative_to": base}
    return write_options(folder, options.scene, place=dataclasses.asdict(options.place),
                         windows=dataclasses.asdict(options.windows), plan=own)


def plain(tree: dict[str, Any]) -> dict[str, Any]:
    """Groups of options as JSON can hold them."""
    return {key: plain(value) if isinstance(value, dict) else value.plain() if isinstance(
        value, Limits) else str(value) if isinstance(value, Path) else value
        for key, value in tree.items()}


def _groups(options: Any) -> dict[str, dict[str, Any]]:
    """The groups of options; seeds, threads and output are not among them."""
    return {group: values for group, values in plain(dataclasses.asdict(options)).items()
            if isinstance(values, dict)}


def _said(value: Any) -> str:
    """The value of an option in a sentence."""
    return "not given" if value is None else f"{value}"
