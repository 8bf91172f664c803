"""The names of settings as options, keys and arguments, in errors and as words of a command line;
other names that are taken, and what is meant by one that is not.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from difflib import SequenceMatcher
from typing import Any, Literal, NamedTuple

from firebreak.checks import InputError, fail
from firebreak.settings.budget import MONEY, YEARS, Said
from firebreak.settings.retired import retired_option
from firebreak.settings.schema import Leaf, in_short, leaves

Style = Literal["option", "key", "argument"]
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
    "choose": "plan_fires", "choice": "plan_fires",
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
    """The known name most likely meant: a slip of letters, of the meaning, alike; else None."""
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


_OPTION = re.compile(r"--([a-z][a-z0-9]*(?:[-.][a-z0-9]+)*)")


class Origin(NamedTuple):
    """The source of a setting.

    style: how its source spells names; where: the setting with its place, as an error begins.
    """

    style: Style
    where: str

    def spelled(self, leaf: Leaf) -> str:
        """A setting's name as this source has it."""
        return {"option": leaf.option, "key": leaf.key, "argument": leaf.name}[self.style]


def respelled(text: str, known: Mapping[str, Leaf], origin: Callable[[str], Origin]) -> str:
    """A text with the options in it as their origins spell them; options that are unknown stay."""
    def name(match: re.Match[str]) -> str:
        own = match[1].replace("-", "_")
        return origin(own).spelled(known[own]) if own in known else match[0]

    return _OPTION.sub(name, text)


def respelled_error(text: str, known: Mapping[str, Leaf], origins: Mapping[str, Origin],
                    usual: Style) -> str:
    """An error that names options, in the words of those who said them: it begins with the place
    where the setting that is to blame was said, whose style the names of unsaid ones have too.

    usual: the style where the setting to blame was not said.
    """
    where, colon, rest = text.partition(": expected")
    blamed = _OPTION.match(where)
    name = blamed[1].replace("-", "_") if blamed else ""
    origin = origins.get(name, Origin(usual, ""))
    head = ""
    if blamed and name in origins:
        head, where = origin.where, where[blamed.end():]

    def of(name: str) -> Origin:
        return origins.get(name, origin)

    return head + respelled(where, known, of) + colon + respelled(rest, known, of)


def command_words(options: Any, named: Iterable[Leaf]) -> list[str]:
    """The words of a command line that say some settings as they are; none for what is not said by
    a word of its own: a switch that is off, and what is not given.
    """
    words: list[str] = []
    for leaf in named:
        value = leaf.of(options)
        if value is None or value is False:
            continue
        words.append(leaf.option)
        if value is not True:
            words.append(str(value))
    return words


def changed(options: Any) -> list[Leaf]:
    """The settings that are not as they are by default."""
    return [leaf for leaf in leaves(type(options)).values() if leaf.of(options) != leaf.default]
