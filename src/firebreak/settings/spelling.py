"""The spellings of settings: in errors as their sources have them, in a command line as words."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, NamedTuple

from firebreak.settings.schema import Leaf, leaves

Style = Literal["option", "key", "argument"]
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
