"""Additions of installed packages: planning methods and networks, found by their entry points.

A package names a function under `[project.entry-points."firebreak.methods"]` or
`"firebreak.networks"`. It is loaded when it is first used, so that a broken package stops only
those who ask for what it adds.
"""

import warnings
from collections.abc import Callable, Container
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from firebreak.checks import InputError, fail, plain

METHODS, NETWORKS = "firebreak.methods", "firebreak.networks"
"""Groups of entry points."""


def added(group: str, taken: Container[str]) -> dict[str, EntryPoint]:
    """The entry points of a group by name, in order of name and package. One whose name is taken,
    by firebreak or by a package before it, is left out with a warning.
    """
    found: dict[str, EntryPoint] = {}
    for one in sorted(entry_points(group=group), key=lambda one: (one.name, package_of(one))):
        if one.name in taken or one.name in found:
            other = package_of(found[one.name]) if one.name in found else "firebreak"
            warnings.warn(f"{package_of(one)}: its entry point '{plain(one.name)}' of {group} is "
                          f"left out: {other} has one of that name", stacklevel=2)
        else:
            found[one.name] = one
    return found


def package_of(one: EntryPoint) -> str:
    """The package of an entry point, with its version."""
    return "a package" if one.dist is None else plain(f"{one.dist.name} {one.dist.version}")


def loaded(one: EntryPoint) -> Callable[..., Any]:
    """The function that an entry point names.

    Raises:
        InputError: it cannot be imported, or is no function; of the function: it raised.
    """
    where = f"{package_of(one)}, entry point '{one.name}' of {one.group}"
    remedy = "mend the package, or uninstall it"
    try:
        function = one.load()
    except (Exception, SystemExit) as error:  # whatever a package does when it is imported
        raise fail(expected=f"a function {one.value}", where=where, remedy=remedy,
                   given=f"{type(error).__name__}: {error}") from error
    if not callable(function):
        raise fail(expected=f"a function {one.value}", given=type(function).__name__, where=where,
                   remedy=remedy)

    def called(*given: Any) -> Any:
        try:
            return function(*given)
        except InputError:
            raise
        except Exception as error:
            raise fail(expected=f"{one.value} to return", where=where, remedy=remedy,
                       given=f"{type(error).__name__}: {error}") from error

    return called
