"""Options as keywords of a function: found, checked and explained from the classes that hold them,
so that a default is said once for the command line and for Python.
"""

import inspect
import textwrap
import typing
from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from firebreak.api.shared.plan_options import PlaceOptions
from firebreak.api.shared.scene_options import RasterOptions
from firebreak.checks import InputError, fail
from firebreak.settings.binding import bind
from firebreak.settings.names import Origin, respelled, respelled_error
from firebreak.settings.schema import Leaf, leaves, members, plain_type, reader_of
from firebreak.settings.sources import keywords as keywords_source
from firebreak.variables import without_foreign

if TYPE_CHECKING:
    from firebreak.agent.policy_file import Policy

Options = TypeVar("Options")
Verb = TypeVar("Verb", bound=Callable[..., Any])

LEFT_OUT = ("json",)
"""Options of the command line alone."""
GRIDS = ("area", "plan", "hold_in", *(
    name for kind in (RasterOptions, PlaceOptions) for name, leaf in leaves(kind).items()
    if leaf.is_path))
"""Options of rasters and shapes, which take arrays [H, W] too."""
_WIDTH = 96


def keywords(kind: type) -> dict[str, Leaf]:
    """The options of a class and of the groups in it, by name, in the order of the class."""
    return {name: leaf for name, leaf in leaves(kind).items() if name not in LEFT_OUT}


def filled(kind: type[Options], given: Mapping[str, Any], where: str) -> Options:
    """The options of a class with the keywords that are given.

    Raises:
        InputError: a keyword that is none, a value of another kind or out of its bounds.
    """
    plain = {name: value.item() if isinstance(value, np.generic) else value
             for name, value in given.items()}
    return bind(kind, keywords_source(plain, where, LEFT_OUT, _handed), command=where).options


def _handed(leaf: Leaf, value: Any) -> Any:
    """A value that is handed in instead of a file; None for any other."""
    if value is None or isinstance(value, str | Path):
        return None
    if leaf.name == "method" and callable(value):
        from firebreak.planning.methods import with_function

        return with_function(value, "method")
    return _policy(value) if leaf.name == "policy" else (
        value if leaf.name in GRIDS and not isinstance(leaf.default, bool) else None)


def _policy(given: object) -> "Policy":
    """A policy that was handed in, by itself or with the run that trained it.

    Raises:
        InputError: anything else.
    """
    from firebreak.agent.policy_file import Policy

    policy = getattr(given, "policy", given)
    if not isinstance(policy, Policy):
        raise fail(expected="a policy: the path of a file or run folder, a name, or what "
                            "train_policy returned",
                   given=type(given).__name__, where="policy", remedy="name a file or folder")
    return policy


def verb(kind: type) -> Callable[[Verb], Verb]:
    """Makes a function of keywords tell its options: in its signature, its help and its errors."""
    def decorate(function: Verb) -> Verb:
        known = keywords(kind)

        @wraps(function)
        def call(*args: Any, **given: Any) -> Any:
            try:
                with without_foreign():
                    return function(*args, **given)
            except InputError as error:
                text = respelled_error(str(error), known, {}, "argument")
                if text == str(error):
                    raise
                raise InputError(text) from error

        own = [parameter for parameter in inspect.signature(function).parameters.values()
               if parameter.kind is not parameter.VAR_KEYWORD]
        own += [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=leaf.default,
                                  annotation=taken(leaf)) for name, leaf in known.items()]
        call.__signature__ = inspect.Signature(own)  # type: ignore[attr-defined]
        # The options stand after the arguments, which every such function has.
        before, after = (inspect.getdoc(function) or "").split("\nArgs:\n")
        arguments, blank, rest = after.partition("\n\n")
        call.__doc__ = f"{before}\nArgs:\n{arguments}\n{options_text(known)}{blank}{rest}\n"
        return typing.cast(Verb, call)

    return decorate


def taken(leaf: Leaf) -> Any:
    """Type of an option in Python: no bounds, paths as text, objects in place of files."""
    kinds = {str | Path if kind is Path else kind for kind in map(plain_type, members(leaf.hint))}
    if type(None) in typing.get_args(leaf.hint):
        kinds.add(type(None))
    if leaf.name in (*GRIDS, "policy", "method"):
        kinds.add(object)
    if reader_of(leaf.hint) is not None:
        return float | str | list[float | str]
    return typing.Union[tuple(sorted(kinds, key=repr))]  # noqa: UP007


def options_text(known: Mapping[str, Leaf]) -> str:
    """The meaning of each option, an entry each."""
    python = Origin("argument", "")
    return "\n".join(
        textwrap.fill(f"{name}: {respelled(leaf.help, known, lambda _: python)} "
                      f"[{leaf.default!r}]", _WIDTH,
                      initial_indent="    ", subsequent_indent="        ",
                      break_on_hyphens=False, break_long_words=False)
        for name, leaf in known.items())
