"""How a plan was asked for, kept in its folder, so that it can be looked at by its folder's name.
"""

import dataclasses
import json
import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firebreak.checks import fail
from firebreak.cli import common

if TYPE_CHECKING:
    from firebreak.cli.plan import PlanArguments

KEPT = ("landscape", "config", "budget", "method", "policy", "plan_fires")
SYNTHETIC = "synthetic:"


def write_record(folder: Path, args: "PlanArguments") -> Path:
    """Writes a plan's options beside it, and the folder that its paths are relative to."""
    own: dict[str, Any] = {name: getattr(args, name) for name in KEPT}
    try:
        base = os.path.relpath(Path.cwd(), folder)
    except ValueError:  # another drive
        base = str(Path.cwd())
    return common.write_options(folder, args.scene, place=dataclasses.asdict(args.place),
                                plan=own | {"seed": args.scene.seed, "relative_to": base})


def recorded(folder: Path) -> "PlanArguments":
    """The options that the plan in a folder was made with.

    Raises:
        InputError: they were not kept, are damaged, or the landscape is no longer there.
    """
    from firebreak.cli.plan import PlanArguments
    from firebreak.cli.plan_config import filled

    path = folder / common.OPTIONS_FILE
    remedy = f"give the plan's landscape, and --plan {folder}"
    try:
        tree = json.loads(path.read_text(encoding="utf-8"))
        own = dict(tree.pop("plan"))
        base = (folder / own.pop("relative_to")).resolve()
        config = own.pop("config")
        place = tree.pop("place")
        tree["seed"] = own.pop("seed")
        if not own["landscape"].startswith(SYNTHETIC):
            own["landscape"] = str(base / own["landscape"])
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise fail(expected="the options of a plan", given="none, or damaged ones",
                   where=str(path), remedy=remedy) from error
    if not own["landscape"].startswith(SYNTHETIC) and not Path(own["landscape"]).exists():
        raise fail(expected="the landscape of the plan", given="nothing there",
                   where=own["landscape"], remedy=remedy)
    args = filled(PlanArguments(), {**own, "place": place, "scene": tree}, path, base)
    return dataclasses.replace(args, config=None if config is None else base / config)


def warn_of_another_landscape(folder: Path, checksum: str) -> None:
    """Warns where a plan was made on another landscape than the one that is there now."""
    made = json.loads((folder / "plan.json").read_text(encoding="utf-8"))
    if made.get("landscape_checksum") != checksum:
        warnings.warn(f"{folder}: the landscape, its costs or where it may be treated have changed "
                      "since this plan was made", stacklevel=2)
