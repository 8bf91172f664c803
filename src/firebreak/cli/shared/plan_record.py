"""What a plan is asked for with, kept in its folder, so that the folder's name is enough later."""

import dataclasses
import os
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import tyro

from firebreak.checks import fail
from firebreak.cli.shared import common
from firebreak.cli.shared.plan_inputs import PlaceOptions
from firebreak.cli.shared.scene_options import PlanningOptions, SceneOptions
from firebreak.reading import record_of

KEPT = ("landscape", "config", "budget", "method", "policy", "plan_fires")
SYNTHETIC = "synthetic:"


@dataclass
class PlanArguments(PlanningOptions):
    """Plan fuel breaks for a landscape. Every option may also stand in a file, see --config."""

    landscape: Annotated[str, tyro.conf.Positional] = ""
    """A file or folder, or synthetic:SEED[:SIZE]."""
    config: Path | None = None
    """A TOML file with options; command-line options override it. configs/plan.toml lists every
    key."""
    method: str | None = None
    """How to plan; auto if not given. `firebreak methods` lists the methods."""
    batch: int | None = None
    """Cells placed per simulation; about 50 rounds if not given."""
    test_fires: int = 1000
    """Test fires: other fires that the plan is judged on. 0 leaves out the comparison, what the
    plan changes, and the report."""
    out: Path | None = None
    """Output folder; a new one under outputs/ if not given."""
    place: PlaceOptions = field(default_factory=PlaceOptions)
    scene: SceneOptions = field(default_factory=SceneOptions)


def write_record(folder: Path, args: PlanArguments) -> Path:
    """Writes a plan's options beside it, and the folder that its paths are relative to."""
    from firebreak.planning.methods import DEFAULT

    own: dict[str, Any] = {name: getattr(args, name) for name in KEPT}
    own["method"] = args.method or DEFAULT  # the default of a later version may be another
    try:
        base = os.path.relpath(Path.cwd(), folder)
    except ValueError:  # another drive
        base = str(Path.cwd())
    return common.write_options(folder, args.scene, place=dataclasses.asdict(args.place),
                                plan=own | {"seed": args.scene.seed, "relative_to": base})


def recorded(folder: Path) -> PlanArguments:
    """The options that the plan in a folder was made with.

    Raises:
        InputError: they were not kept, are damaged, or the landscape is no longer there.
    """
    from firebreak.cli.shared.plan_config import filled

    path = folder / common.OPTIONS_FILE
    remedy = f"give the plan's landscape, and --plan {folder}"
    try:
        tree = record_of(path)
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
    made = record_of(folder / "plan.json")
    if made.get("landscape_checksum") != checksum:
        warnings.warn(f"{folder}: the landscape, its costs or where it may be treated have changed "
                      "since this plan was made", stacklevel=2)
