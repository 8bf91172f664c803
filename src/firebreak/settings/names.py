"""The names by which settings are asked for: other spellings that are taken, and what is meant by a
name that is not.
"""

import re
from collections import Counter
from collections.abc import Mapping
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from firebreak.checks import InputError, fail
from firebreak.settings.budget import MONEY, YEARS, Said
from firebreak.settings.retired import retired_option
from firebreak.settings.schema import Leaf, in_short
from firebreak.settings.spelling import Origin, Style

_NOUNS: dict[Style, str] = {"option": "an option", "key": "a key", "argument": "an argument"}


class Spelling(NamedTuple):
    """A setting by another name. unit: that the name gives to a limit; empty for its own."""

    leaf: Leaf
    unit: str = ""

    def said(self, raw: Any) -> Any:
        """A value as the setting takes it."""
        return Said(self.unit, raw) if self.unit else raw


LIMITS = {"money": MONEY, "phases": YEARS}
"""Names of the budget that say its unit; keys of [place] in files."""
ALIASES = {
    "wind": "wind_20ft_km_h", "wind_speed": "wind_20ft_km_h", "wind_direction": "wind_from_deg",
    "wind_dir": "wind_from_deg", "houses": "value", "buildings": "value", "homes": "value",
    "values": "value", "costs": "cost", "crews": "hold", "years": "horizon", "output": "out",
    "output_dir": "out", "outdir": "out", "width": "break_width_m", "rivers": "barriers",
    "exclude": "must_exclude", "include": "must_include", "ignition": "ignitions",
    "duration": "duration_min", "random_seed": "seed", "jobs": "workers", "embers": "spotting",
    "no_corridors": "cells", "aoi": "area", "extent": "area", "methods": "method",
    "fuelbreaks": "built",
}
"""Words that are typed for an option and can mean no other."""
MEANT = {
    "acre": "budget", "hectare": "budget", "dollar": "budget", "price": "cost", "spend": "budget",
    "river": "barriers", "water": "barriers", "lake": "barriers", "street": "roads",
    "track": "roads", "highway": "roads", "polygon": "area", "boundary": "area", "bbox": "area",
    "clip": "area", "region": "area", "town": "value", "population": "value", "asset": "value",
    "canopy": "crown",
    "damage": "losses", "vulnerability": "losses", "slope": "terrain", "aspect": "terrain",
    "dem": "terrain", "projection": "crs", "epsg": "crs", "firefighter": "hold", "crew": "hold",
    "suppression": "initial_attack", "attack": "initial_attack", "helicopter": "initial_attack",
    "humidity": "moisture", "drought": "moisture", "prune": "treatment", "thinning": "treatment",
    "mastication": "treatment", "burning": "burning_hours", "grazing": "treatment",
    "mulch": "treatment", "algorithm": "method", "strategy": "method", "solver": "method",
    "agent": "policy", "model": "policy", "network": "policy", "checkpoint": "policy",
    "core": "threads", "cpu": "threads", "parallel": "executor", "cluster": "executor",
    "gust": "wind_20ft_km_h", "speed": "wind_20ft_km_h", "ember": "spotting",
    "firebrand": "spotting", "interest": "discount_rate", "folder": "out", "directory": "out",
    "file": "out", "destination": "out", "verbose": "quiet", "silent": "quiet",
    "start": "ignitions", "origin": "ignitions", "time": "time_limit", "timeout": "time_limit",
    "iteration": "fires", "simulation": "fires", "run": "fires", "climate": "weather",
    "era5": "weather", "station": "weather", "ridge": "lines", "segment": "lines", "lidar": "value",
}
"""Words, in the singular, with the option that is most often meant."""
_COMMON = frozenset(("file", "name", "number", "path", "the", "and", "per", "for", "with", "from"))
_TYPO = 0.8
"""Likeness of letters from which on a name is a slip of one that there is."""


def spellings(known: Mapping[str, Leaf], style: Style) -> dict[str, Spelling]:
    """All names, as a source spells them, of the settings of a class."""
    found = {Origin(style, "").spelled(leaf): Spelling(leaf) for leaf in known.values()}
    budget = known.get("budget")
    if budget is not None and budget.adds_up:
        for name, unit in LIMITS.items():
            found[f"place.{name}" if style == "key" else _typed(name, style)] = Spelling(
                budget, unit)
    if style == "option":
        for name, of in ALIASES.items():
            if of in known and name not in known:
                found.setdefault(_typed(name, style), Spelling(known[of]))
    return found


def unknown(style: Style, name: str, known: Mapping[str, Leaf], where: str, remedy: str = "",
            given: str = "") -> InputError:
    """The error for a name that a source does not have, with the one that is meant.

    Args:
        known: the source's own names.
    """
    if retired := retired_option(name, where):
        return retired
    close = _other_table(name, known) or meant(name, known)
    remedies = [*([f"did you mean '{close}'?"] if close else []), *([remedy] if remedy else [])]
    return fail(expected=f"{_NOUNS[style]} that it has", given=f"'{name}'{given}", where=where,
                remedy=" ".join(remedies) or f"it has {', '.join(sorted(_beside(name, known)))}")


def meant(name: str, known: Mapping[str, Leaf]) -> str | None:
    """The known name that is most likely meant: a slip of letters, else one of the same meaning,
    else the most like it; None if nothing is close.
    """
    near = _beside(name, known)
    likeness = {one: SequenceMatcher(None, name.lstrip("-"), one.lstrip("-")).ratio()
                for one in near}
    best = max(near, key=lambda one: (likeness[one], one), default="")
    if best and likeness[best] >= _TYPO:
        return best
    by_name = {leaf.name: one for one, leaf in known.items()}
    bare = name.rpartition(".")[2].lstrip("-").replace("-", "_").lower()
    words = _words(bare)
    for option in (ALIASES.get(bare), *(MEANT.get(word) for word in words),
                   *(ALIASES.get(word) for word in words)):
        if option in by_name:
            return by_name[option]
    texts = {one: _words(leaf.name) + _words(in_short(leaf.help)) for one, leaf in known.items()}
    often = Counter(word for text in texts.values() for word in set(text))
    score = {one: sum((3 if word in _words(known[one].name) else 1) / often[word]
                      for word in words if word in text) for one, text in texts.items()}
    found = max(score, key=lambda one: (score[one], likeness.get(one, 0.0)), default="")
    if found and score[found] >= 0.5:
        return found
    return best if best and likeness[best] >= 0.5 else None


def _words(text: str) -> list[str]:
    """The words of a name or a sentence, in the singular."""
    found = re.findall(r"[a-z0-9]{3,}", text.lower().replace("_", " "))
    return [word[:-1] if word.endswith("s") and len(word) > 3 else word
            for word in found if word not in _COMMON]


def _typed(name: str, style: Style) -> str:
    return f"--{name.replace('_', '-')}" if style == "option" else name


def _other_table(name: str, known: Mapping[str, Leaf]) -> str | None:
    """The key of another table whose last part is the same."""
    last = name.rpartition(".")[2]
    return next((other for other in known
                 if other != name and "." in other and other.rpartition(".")[2] == last), None)


def _beside(name: str, known: Mapping[str, Leaf]) -> set[str]:
    """The known names of the same table; of a table its name."""
    table, dots = name.rpartition(".")[0], name.count(".") + 1
    return {".".join(other.split(".")[:dots]) for other in known
            if other.startswith(f"{table}." if table else "")}
