"""What a plan is asked for with, kept in its folder, so that the folder's name is enough later."""

import dataclasses
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import tyro

from firebreak.api.shared.executor_options import WindowOptions
from firebreak.api.shared.plan_options import PlanOptions
from firebreak.api.shared.records import OPTIONS_FILE, found_in
from firebreak.checks import fail
from firebreak.files import without_links
from firebreak.landscape.names import is_path
from firebreak.reading import record_of


@dataclass
class PlanArguments(PlanOptions):
    """Plan fuel breaks for a landscape. Every option may also stand in a file, see --config."""

    landscape: Annotated[str, tyro.conf.Positional] = ""
    """A file or folder, synthetic:SEED[:SIZE], or sample:NAME."""
    config: Path | None = None
    """A TOML file with options; command-line options override it. configs/plan.toml lists every
    key."""
    out: Path | None = None
    """Output folder; a new one under outputs/ if not given."""
    windows: WindowOptions = field(default_factory=WindowOptions)


def recorded(folder: Path) -> PlanArguments:
    """The options that the plan in a folder was made with.

    Raises:
        InputError: they were not kept, are damaged, or the landscape is no longer there.
    """
    from firebreak.cli.shared.plan_config import filled

    path = folder / OPTIONS_FILE
    remedy = f"give the plan's landscape, and --plan {folder}"
    try:
        tree = found_in(folder, record_of(path))
        own = dict(tree.pop("plan"))
        base = without_links(folder / own.pop("relative_to"))
        config = own.pop("config")
        place = tree.pop("place")
        tree["seed"] = own.pop("seed")
        if is_path(own["landscape"]):
            own["landscape"] = str(base / own["landscape"])
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise fail(expected="the options of a plan", given="none, or damaged ones",
                   where=str(path), remedy=remedy) from error
    if is_path(own["landscape"]) and not Path(own["landscape"]).exists():
        raise fail(expected="the landscape of the plan", given="nothing there",
                   where=own["landscape"], remedy=remedy)
    args = filled(PlanArguments(), {**own, "place": place, "scene": tree}, path, base)
    return dataclasses.replace(args, config=None if config is None else base / config)


def warn_of_another_landscape(folder: Path, checksum: str) -> None:
    """Warns where a plan was made on another landscape than the one that is there now."""
    from firebreak.planning.output.export import record_in

    if record_in(folder).get("landscape_checksum") != checksum:
        warnings.warn(f"{folder}: the landscape, its costs or where it may be treated have changed "
                      "since this plan was made", stacklevel=2)
