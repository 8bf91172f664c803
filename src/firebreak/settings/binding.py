"""Settings from where they are said. Whatever the source, a value is converted, held to its bounds
and refused alike; each setting remembers where it was said, so that an error names the place.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from firebreak.checks import InputError, check_utf8, fail
from firebreak.reading import check_ordinary
from firebreak.settings.conversion import UnfitError, converted
from firebreak.settings.names import Origin, respelled, respelled_error
from firebreak.settings.rules import check
from firebreak.settings.schema import Leaf, in_short, leaves, places_in
from firebreak.settings.sources import SEED, Given, Source

Options = TypeVar("Options")
_IN_PYTHON = {"null": "None", "true": "True", "false": "False"}


@dataclass(frozen=True)
class Bound(Generic[Options]):
    """Settings, and where each of them was said: those that are not in `origins` are defaults."""

    options: Options
    origins: Mapping[str, Origin]

    @contextmanager
    def spelled(self) -> Iterator[None]:
        """Errors of the block name settings as those who said them, with their place."""
        try:
            yield
        except InputError as error:
            text = respelled_error(str(error), leaves(type(self.options)), self.origins, "option")
            if text == str(error):
                raise
            raise InputError(text) from error


def bind(kind: type[Options], *sources: Source, command: str | None = None) -> Bound[Options]:
    """The settings of a class as sources say them, later ones over earlier ones.

    Args:
        command: whose rules the settings are held to; to none if not given.

    Raises:
        InputError: an unknown name, a value of another kind or out of its bounds, one that is
            missing, settings that contradict one another.
    """
    known = leaves(kind)
    ids = {SEED.path: SEED.name} | {leaf.path: name for name, leaf in known.items()}
    values: dict[str, Any] = {}
    origins: dict[str, Origin] = {}
    for source in sources:
        said: dict[str, Given] = {}
        for given in source.given(kind):
            name = ids[given.leaf.path]
            said[name] = given.beside(said[name]) if name in said else given
        own = {name: _value(given, source, known) for name, given in said.items()}
        where = {name: given.origin for name, given in said.items() if name in known}
        values |= {name: own[name] for name in where}
        origins |= where
    missing = [leaf.option for name, leaf in known.items()
               if leaf.is_required and name not in values]
    if missing:
        last = sources[-1]
        raise fail(expected=" and ".join(missing), given=last.shown, where=last.where,
                   remedy=f"{last.where} --help lists what it takes")
    options: Any = kind(**{name: value for name, value in values.items()
                           if len(known[name].path) == 1})
    for name, value in values.items():
        if len(known[name].path) > 1:
            options = known[name].put(options, value)
    bound = Bound(options, origins)
    if command is not None:
        with bound.spelled():
            check(bound.options, command)
    return bound


def _value(given: Given, source: Source, known: Mapping[str, Leaf]) -> Any:
    """A value as its setting has it."""
    if given.is_ready:
        return given.raw
    origin, leaf = given.origin, given.leaf
    if isinstance(given.raw, str | Path):
        check_utf8(str(given.raw), origin.where)  # of a file, or the name of something
    said = given.raw if isinstance(given.raw, list) else [given.raw]
    if leaf.takes_text and any(isinstance(one, str) and not one for one in said):
        # As a path it would be the current folder.
        thing = "the name of a file or folder" if leaf.may_name_file else "a text"
        raise fail(expected=f"{thing}, not empty", given="''", where=origin.where,
                   remedy="name one, or leave it out: a variable may be unset")
    try:
        value = converted(leaf.hint, given.raw, strict=given.is_strict)
    except UnfitError as unfit:
        meaning = respelled(in_short(leaf.help), known, lambda _: origin)
        remedy = (f"{unfit.remedy} ({meaning})" if meaning and unfit.remedy == "correct it"
                  else unfit.remedy)
        said_as = unfit.given if origin.style != "argument" else _IN_PYTHON.get(unfit.given,
                                                                                 unfit.given)
        raise fail(expected=unfit.expected, given=said_as, where=origin.where,
                   remedy=remedy) from None
    value = source.placed(leaf, value)
    for one in value if isinstance(value, list) else [value]:
        if leaf.may_name_file and isinstance(one, str | Path):
            for place in places_in(str(one)):
                check_ordinary(place, f"{origin.where} {place}")
    return value
