"""The options of a plan: in a file that is given, and kept in the plan's folder for later."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from firebreak.agent.policy_place import shipped_policies
from firebreak.api.shared.plan_options import PlanOptions
from firebreak.api.shared.records import OPTIONS_FILE, found_in
from firebreak.api.shared.scene_options import own_weather
from firebreak.checks import fail
from firebreak.files import without_links
from firebreak.landscape.names import beside, is_path
from firebreak.reading import read_toml, record_of
from firebreak.settings.binding import bind
from firebreak.settings.budget import MONEY, YEARS, Said
from firebreak.settings.scene import DEFAULT_WIND_KM_H
from firebreak.settings.schema import POSITIONAL, Leaf
from firebreak.settings.sources import Source, tables, toml_file


@dataclass(frozen=True)
class PlanArguments(PlanOptions):
    """Plan fuel breaks for a landscape. Every option may also stand in a file, see --config."""

    landscape: Annotated[str, POSITIONAL] = ""
    """A file or folder, synthetic:SEED[:SIZE], or sample:NAME."""
    config: Path | None = None
    """A TOML file with options, or the folder of a plan to make again; command-line options
    override it. configs/plan.toml lists every key."""
    out: Path | None = None
    """Output folder; a new one under outputs/ if not given."""


def plan_file(path: Path) -> Source:
    """A plan's TOML file: keys are the options' names, tables their groups, but for [[layer]] and
    [[phase]]. Paths in it are relative to its folder. Of a plan's folder what it was made with.

    Raises:
        InputError: no such file, or not TOML; or as `recorded`.
    """
    if path.is_dir():
        return _record_in(path, "give the options, or a TOML file of them")
    return toml_file(path, left_out=("config", "json", "quiet"), placed=_relative_to(path.parent),
                     lists={"layer": {"layers": path}, "phase": {"budget": _phases_in(path)}})


def _phases_in(path: Path) -> Said:
    """The [[phase]] tables of a plan's TOML file as money by year."""
    return Said(YEARS, read_toml(path).get("phase"))


def options_in(path: Path) -> PlanArguments:
    """The options that a plan's TOML file says, over their defaults.

    Raises:
        InputError: no such file, not TOML, an unknown key, a value of another kind.
    """
    return bind(PlanArguments, plan_file(path)).options


def _relative_to(base: Path) -> Callable[[Leaf, Any], Any]:
    """The function that names, from here, what a file in a folder names from there."""
    def placed(leaf: Leaf, value: Any) -> Any:
        if isinstance(value, Path):
            is_name = (leaf.name == "policy" and str(value) in shipped_policies()
                       and not (base / value).exists())
            return value if is_name else beside(base, value)
        # An area may be rows and columns or a file; a landscape a name or a file.
        if leaf.name in ("landscape", "area") and (base / str(value)).exists():
            return str(base / str(value))
        return value

    return placed


def recorded(folder: Path) -> PlanArguments:
    """The options that the plan in a folder was made with.

    Raises:
        InputError: they were not kept, are damaged, or the landscape is no longer there.
    """
    remedy = f"give the plan's landscape, and --plan {folder}"
    return bind(PlanArguments, _record_in(folder, remedy)).options


def _record_in(folder: Path, remedy: str) -> Source:
    path = folder / OPTIONS_FILE
    try:
        tree = found_in(folder, record_of(path))
        own = dict(tree.pop("plan"))
        base = without_links(folder / own.pop("relative_to"))
        config, place = own.pop("config"), tree.pop("place")
        _keep_budget(own, place, None if config is None else base / config)
        _keep_fires(tree, own["landscape"])
        if is_path(own["landscape"]):
            own["landscape"] = str(base / own["landscape"])
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise fail(expected="the options of a plan", given="none, or damaged ones",
                   where=str(path), remedy=remedy) from error
    if is_path(own["landscape"]) and not Path(own["landscape"]).exists():
        raise fail(expected="the landscape of the plan", given="nothing there",
                   where=own["landscape"], remedy=remedy)
    return tables({**own, "place": place, **tree}, str(path), placed=_relative_to(base))


def _keep_budget(own: dict[str, Any], place: dict[str, Any], config: Path | None) -> None:
    """Write the budget of a plan of an earlier version in one place of its record: money, and money
    by year, had places of their own. config: the file that its options came from.
    """
    if "phases" not in place:
        return
    money, phases = place.pop("money"), place.pop("phases")
    if phases is None and config is not None and "phase" in read_toml(config):
        own["budget"] = _phases_in(config)
    elif phases or money is not None:
        own["budget"] = Said(YEARS, phases) if phases else Said(MONEY, money)


def _keep_fires(tree: dict[str, Any], landscape: str) -> None:
    """Add to the record of a plan of an earlier version what it was made with, where the fires of
    maps are others now: the share burned is there; crews held any length, and weather that nothing
    gave was drawn.
    """
    if "burning_hours" in tree["fire"]:
        return
    weather = tree["weather"]
    if tree["breaks"]["hold"] is not None and tree["breaks"]["crew_km"] is None:
        tree["breaks"]["crew_km"] = "unlimited"
    is_turned = weather["wind_from_deg"] is not None
    if weather["weather"] is None and weather["wind_20ft_km_h"] is None and (
            is_turned or own_weather(landscape) is None):
        weather["wind_20ft_km_h"] = DEFAULT_WIND_KM_H


def warn_of_another_landscape(folder: Path, checksum: str) -> None:
    """Warns where a plan was made on another landscape than the one that is there now."""
    from firebreak.planning.output.export import record_in

    if record_in(folder).get("landscape_checksum") != checksum:
        warnings.warn(f"{folder}: the landscape, its costs or where it may be treated have changed "
                      "since this plan was made", stacklevel=2)
