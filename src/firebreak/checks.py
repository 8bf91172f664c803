"""Words of errors about input: what was expected, what was given, where, and what to do. Everything
a user can get wrong raises `InputError`; the command line turns it into one sentence and exit code
2. Programming errors are not caught here.
"""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

_LONGEST = 1500
"""Letters of a part of an error, in which may stand what files hold."""


class InputError(ValueError):
    """Bad input from outside: a file, an option, a config key. Its text is one sentence."""


class ResourceFailedError(RuntimeError):
    """Something that the run stands on failed for good, such as a worker; exit code 3."""


def fail(*, expected: str, given: str, where: str, remedy: str) -> InputError:
    """The error to raise: `raise fail(expected=..., given=..., where=..., remedy=...)`.

    What files hold may stand in it, so line ends and other signs that move a terminal's cursor are
    shown as blanks.
    """
    expected, given, where = (part if len(part) <= _LONGEST else f"{part[:_LONGEST - 3]}..."
                              for part in (expected, given, where))
    text = f"{where}: expected {expected}, got {given}; {remedy}"
    return InputError(plain(text))


def plain(text: str, but: str = "") -> str:
    """`text` with blanks for what is no visible sign, such as a terminal's escape codes.

    Args:
        but: signs that stay.
    """
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() or sign in but else " " for sign in text)


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word most like `word`, or None if nothing is close."""
    matches = get_close_matches(word, list(known), n=1, cutoff=0.5)
    return matches[0] if matches else None


def unknown_name(kind: str, word: str, known: Iterable[str], where: str) -> InputError:
    """The error for a name that is not in a list, with the nearest valid one suggested."""
    names = sorted(known)
    close = nearest(word, names)
    remedy = f"did you mean '{close}'?" if close else "choose one of them"
    return fail(expected=f"one of {', '.join(names)}", given=f"{kind} '{word}'", where=where,
                remedy=remedy)


PART_OF_MAP = "a part of the map (--area)"
"""Advice for a map that is too large, in the words of options, whatever the command: one finds the
same in several."""


def check_fraction(value: float, *, what: str, where: str, remedy: str) -> float:
    """`value` if 0 < value <= 1, else an `InputError`. NaN is refused."""
    if not 0.0 < value <= 1.0:
        raise fail(expected=f"{what} above 0 and at most 1", given=f"{value:g}", where=where,
                   remedy=remedy)
    return value


def check_utf8(text: str, where: str) -> str:
    """`text`, or an `InputError` where UTF-8 cannot write it or no file can have it for a name."""
    if "\0" in text or text.encode(errors="replace").decode() != text:
        raise fail(expected="a name in UTF-8", given=ascii(text)[:80], where=where,
                   remedy="rename the file or folder")
    return text


def counted(number: int, thing: str) -> str:
    """A number of things in words: 1 cell, 2 cells."""
    return f"{number:,} {thing}" + ("" if number == 1 else "s")


def listed(names: Sequence[str], most: int) -> str:
    """The first names of a list in words, and how many more it has: a, b and 3 more."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def install(extra: str) -> str:
    """The command that installs what an extra brings, by the names of its packages: firebreak's own
    is on no package index, where a stranger could take it.
    """
    from importlib.metadata import PackageNotFoundError, requires

    try:
        asked = requires("firebreak-planner") or []
    except PackageNotFoundError:  # run from its sources
        asked = []
    packages = " ".join(f"'{text.partition(';')[0].strip()}'" for text in asked
                        if f"extra == '{extra}'" in text.replace('"', "'"))
    return f"pip install {packages}" if packages else f"pip install '.[{extra}]' in the checkout"
