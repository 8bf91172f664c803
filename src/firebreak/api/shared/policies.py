"""The policy that a call follows, and whether it was trained for the breaks that are asked for."""

import dataclasses
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firebreak.api.shared.treated_map import treatment_asked
from firebreak.reading import from_toml
from firebreak.settings.breaks import DRAWN_BREACH, DRAWN_HOLD_BY, BreakSettings
from firebreak.settings.surfaces import TOML_NAMES

if TYPE_CHECKING:
    from firebreak.agent.policy_file import Policy
    from firebreak.api.shared.scene_options import SceneOptions


def policy_for(methods: "Sequence[str]", given: "Path | Policy | None",
               options: "SceneOptions") -> "Policy | None":
    """The policy that is given, as a file or itself, or the shipped one where a method follows a
    policy, else None. A chooser tries methods with and without one: that the shipped one was
    trained for other breaks is then no news.

    Raises:
        InputError: not a policy of this version.
    """
    from firebreak.agent.policy_file import SHIPPED, load_policy
    from firebreak.planning.methods import CHOOSERS, method_of

    follows = any(method_of(name).guided for name in methods)
    if given is None and not follows and not CHOOSERS.keys() & set(methods):
        return None
    policy = load_policy(given or SHIPPED) if isinstance(given, Path | None) else given
    if given is not None or follows:
        warn_of_other_breaks(policy, options)
    return policy


def _trained(policy: "Policy", table: str) -> dict[str, Any]:
    """A table of the configuration that a policy was trained with; none if it does not say."""
    try:
        trained = from_toml(policy.provenance["config"])[table]
    except (TypeError, AttributeError, LookupError, ValueError):
        return {}
    return trained if isinstance(trained, dict) else {}


def _drawn(mixture: dict[str, Any], asked: dict[str, Any]) -> dict[str, Any]:
    """What breaks of the kind that is asked for were where a mixture drew that kind, else none."""
    made: dict[str, Any] = {"width_m": asked["width_m"]}
    if asked["kind"] == "shaded":
        kind, made = "shaded", {"kind": "shaded"}
        if asked["hold"]:
            kind, made = "held", made | {"hold": DRAWN_HOLD_BY}
    elif asked["width_m"] is None:
        return {}
    elif asked["breach"] == "never":
        kind = "narrow"
    else:
        kind, made = "breached", made | {"breach": DRAWN_BREACH}
    return made if mixture.get(kind) else {}


def warn_of_other_breaks(policy: "Policy", options: "SceneOptions") -> None:
    """Warns where a policy was trained for another kind of break than it is asked to plan."""
    trained = _trained(policy, "breaks")
    asked = break_settings(options)
    usual = dataclasses.asdict(BreakSettings())  # of settings that are younger than the policy
    there = {TOML_NAMES.get(name, name): value for name, value in usual.items()} | trained
    if there.get("treatment") is not None:  # which says the kind, at an age
        made = options.breaks
        there = {"treatment_age": made.treatment_age} | there | {"kind": asked["kind"]}
        asked |= {"treatment": made.treatment, "treatment_age": made.treatment_age}
    else:
        there |= _drawn(_trained(policy, "mixture"), asked)
    other = [f"{name} {there[name]} there, {value} here" for name, value in asked.items()
             if trained and there[name] != value]
    if other:
        warnings.warn(f"the policy was trained for other breaks ({'; '.join(other)})",
                      stacklevel=2)


def break_settings(options: "SceneOptions") -> dict[str, Any]:
    """What breaks are, by the names that a configuration's [breaks] has for it."""
    own = {field.name: getattr(options.breaks, field.name)
           for field in dataclasses.fields(BreakSettings)}
    own["break_kind"] = treatment_asked(options.breaks).kind
    return {TOML_NAMES.get(name, name): value for name, value in own.items()}
