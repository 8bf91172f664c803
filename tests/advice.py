"""Whether the options that an error sentence advises are options of the command that it ends.

A sentence may be told by several commands. It says "in COMMAND --option" where only that one has
it, and "elsewhere --option" for all others.
"""

import re
from functools import cache

from firebreak.checks import InputError
from firebreak.cli.commands import PROGRAMS
from firebreak.cli.help import options_of

_WORD = re.compile(r"--[a-z][a-z0-9-]*|in [a-z]+|elsewhere|[;)]")
_QUOTED = re.compile(r"'[^']*'")  # what was typed, and commands written out


def strange_options(error: InputError, given: list[str]) -> list[str]:
    """Options that an error names and the command that was typed does not have."""
    command = next((" ".join(given[:words]) for words in (2, 1)
                    if " ".join(given[:words]) in PROGRAMS), None)
    if command is None:
        return []
    typed = {word.partition("=")[0] for word in given}  # refused, not advised
    found, place, named = [], command, set[str]()
    for word in _WORD.findall(_QUOTED.sub("", str(error))):
        if word in (";", ")"):
            place, named = command, set()
        elif word == "elsewhere":
            place = "" if command in named else command
        elif not word.startswith("--"):
            one = word.removeprefix("in ")
            if one in PROGRAMS:
                place = one
                named.add(one)
        elif place and word not in typed | _options(place):
            found.append(f"{word} of {place}")
    return found


@cache
def _options(command: str) -> frozenset[str]:
    return frozenset(options_of(command))
