"""The policy that a call follows, and whether it was trained for the breaks that are asked for."""

import dataclasses
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firebreak.api.shared.map_defaults import treatment_asked
from firebreak.reading import from_toml
from firebreak.settings.scene import DRAWN_BREACH, DRAWN_HOLD_BY, TOML_NAMES, BreakSettings

if TYPE_CHECKING:
    from firebreak.agent.policy_file import Policy
    from firebreak.api.shared.scene_options import SceneOptions


def policy_for(methods: "Sequence[str]", given: "Path | Policy | None",
               options: "SceneOptions") -> "Policy | None":
    """The policy that is given, as a file or itself, or a shipped one where a method follows a
    policy, else None. A chooser tries methods with and without one: that the shipped one was
    trained for other breaks is then no news.

    Raises:
        InputError: not a policy of this version.
    """
    from firebreak.planning.methods import CHOOSERS, method_of

    follows = any(method_of(name).guided for name in methods)
    if given is None and not follows and not CHOOSERS.keys() & set(methods):
        return None
    if isinstance(given, Path | None):
        from firebreak.agent.policy_place import file_at

        file_at(given or shipped_for(options))  # what is missing is said before torch is loaded
        from firebreak.agent.policy_file import load_policy

        policy = load_policy(given or shipped_for(options))
    else:
        policy = given
    if given is not None or follows:
        warn_of_other_breaks(policy, options)
    return policy


def shipped_for(options: "SceneOptions") -> Path:
    """Policy, of those that come with the package, for the breaks that are asked for."""
    from firebreak.agent.policy_place import SHADED, SHIPPED

    wanted = break_settings(options)
    return SHADED if wanted["kind"] == "shaded" and wanted["hold"] is None else SHIPPED


def _trained(policy: "Policy", table: str) -> dict[str, Any]:
    """A table of the configuration that a policy was trained with; none if it does not say."""
    try:
        trained = from_toml(policy.provenance["config"])[table]
    except (TypeError, AttributeError, LookupError, ValueError):
        return {}
    return trained if isinstance(trained, dict) else {}


def warn_of_other_breaks(policy: "Policy", options: "SceneOptions") -> None:
    """Warns where a policy was trained for no breaks of the kind that it is asked to plan; says
    what the most similar ones were.
    """
    trained = _trained(policy, "breaks")
    if not trained:
        return
    wanted = break_settings(options)
    usual = dataclasses.asdict(BreakSettings())  # of settings that are younger than the policy
    there = {TOML_NAMES.get(name, name): value for name, value in usual.items()} | trained
    if there.get("treatment") is not None:  # which says the kind, at an age
        breaks = options.breaks
        known = [{"treatment_age": breaks.treatment_age} | there | {"kind": wanted["kind"]}]
        wanted |= {"treatment": breaks.treatment, "treatment_age": breaks.treatment_age}
    else:
        known = _known(there, _trained(policy, "mixture"), wanted["width_m"])
    there = min(known, key=lambda one: _unlike(one, wanted))
    other = [f"{name} {there[name]} there, {value} here" for name, value in wanted.items()
             if there[name] != value]
    if other:
        warnings.warn(f"the policy was trained for other breaks ({'; '.join(other)})",
                      stacklevel=2)


def _unlike(breaks: dict[str, Any], wanted: dict[str, Any]) -> tuple[int, bool, int]:
    """Unlikeness of two breaks: settings that differ, kinds that do, settings that only one has."""
    nothing = (None, False, "never")
    other = [(breaks[name], value) for name, value in wanted.items() if breaks[name] != value]
    return (len(other), breaks["kind"] != wanted["kind"],
            sum((one in nothing) != (value in nothing) for one, value in other))


def _known(given: dict[str, Any], mixture: dict[str, Any],
           width_m: float | None) -> list[dict[str, Any]]:
    """The breaks that episodes of a run had: those that its mixture drew, and the given ones unless
    every episode drew others.

    width_m: that is asked for. The widths drawn are shares of a cell: any is taken for known.
    """
    strip = width_m if width_m is not None else "narrower than a cell"
    bare = given | {"kind": "hard", "width_m": strip, "breach": "never", "hold": None}
    shaded = given | {"kind": "shaded", "width_m": None, "breach": "never", "hold": None}
    drawn = {"narrow": bare, "breached": bare | {"breach": DRAWN_BREACH}, "shaded": shaded,
             "held": shaded | {"hold": DRAWN_HOLD_BY}}
    shares = {name: float(mixture.get(name) or 0.0) for name in drawn}
    found = [drawn[name] for name, share in shares.items() if share > 0.0]
    return [given, *found] if sum(shares.values()) < 1.0 else found


def break_settings(options: "SceneOptions") -> dict[str, Any]:
    """The settings of breaks, by the names that a configuration's [breaks] has for it."""
    own = {field.name: getattr(options.breaks, field.name)
           for field in dataclasses.fields(BreakSettings)}
    own["breach"] = own["breach"] or "never"
    own["break_kind"] = treatment_asked(options.breaks).kind
    return {TOML_NAMES.get(name, name): value for name, value in own.items()}
