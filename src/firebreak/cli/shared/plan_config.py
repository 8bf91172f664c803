"""A plan's options from a TOML file: keys are the options' names, tables their groups."""

import dataclasses
import sys
from pathlib import Path
from typing import Any, TypeVar, cast, get_type_hints

from firebreak.api.shared.option_bounds import option_of
from firebreak.api.shared.percents import fraction, is_share
from firebreak.checks import fail, unknown_name, validated
from firebreak.files import read_toml
from firebreak.landscape.names import beside
from firebreak.settings.retired import is_idle

Options = TypeVar("Options")
TABLES = ("layer", "phase")
"""Lists of tables that are no options: values, and budgets by year."""
OWN = ("place", "windows")
"""Groups of the plan itself; the others are of its scene."""
GROUPS = (*OWN, "map", "weather", "fire", "breaks")


def config_in(arguments: list[str]) -> Path | None:
    """The file that --config names among a command's arguments, the last one."""
    found = None
    for place, word in enumerate(arguments):
        if word == "--config" and place + 1 < len(arguments):
            found = Path(arguments[place + 1])
        elif word.startswith("--config="):
            found = Path(word.removeprefix("--config="))
    return found


def is_named(name: str, arguments: list[str], file: Path | None) -> bool:
    """Whether a command's arguments, or the file that they name, say an option of the plan itself,
    even if they say its default.
    """
    words = {word.partition("=")[0].replace("_", "-") for word in arguments}
    return option_of(name) in words or (file is not None and name in read_toml(file))


def with_config(options: Options, path: Path) -> Options:
    """Options with what a file says; paths in it are relative to the file's folder.

    The options of `scene` have their groups [map], [weather], [fire] and [breaks] at the top.

    Raises:
        InputError: no such file, not TOML, an unknown key, a value of another kind.
    """
    tree = dict(read_toml(path))
    for name in TABLES:
        tree.pop(name, None)
    scene = {name: tree.pop(name) for name in GROUPS if name in tree and name not in OWN}
    for name in ("seed", "threads"):
        if name in tree:
            scene[name] = tree.pop(name)
    if scene:
        tree["scene"] = scene
    return filled(options, tree, path, path.parent)


def filled(options: Options, tree: dict[str, Any], path: Path, base: Path) -> Options:
    """Options with the values of a tree of their groups, read from the file `path`; paths in it are
    relative to the folder `base`.

    Raises:
        InputError: an unknown key, a value of another kind.
    """
    return cast(Options, _filled(options, tree, path, base, ""))


def _filled(options: Any, tree: dict[str, Any], path: Path, base: Path, table: str) -> Any:
    names_there = vars(sys.modules[type(options).__module__])
    hints = get_type_hints(type(options), localns=names_there)
    bounded = get_type_hints(type(options), localns=names_there, include_extras=True)
    names = {field.name for field in dataclasses.fields(options)} - {"config", "json"}
    changes: dict[str, Any] = {}
    for key, value in tree.items():
        shown = f"{table}{key}"
        if key not in names:
            if is_idle(shown, value, lambda _: str(path)):
                continue
            raise unknown_name("key", shown, _known(names, table), str(path))
        own = getattr(options, key)
        if dataclasses.is_dataclass(own):
            if not isinstance(value, dict):
                raise _wrong(shown, "a table", value, path)
            inside = "" if key == "scene" else f"{shown}."
            changes[key] = _filled(own, value, path, base, inside)
        else:
            number = fraction(value) if is_share(bounded[key]) else value
            changes[key] = _checked(number, hints[key], shown, path, base)
    return dataclasses.replace(options, **changes)


def _known(names: set[str], table: str) -> list[str]:
    """Keys as they are written in the file."""
    if table:
        return [f"{table}{name}" for name in names]
    return sorted((names - {"scene"}) | {"seed", "threads", *GROUPS, *TABLES})


def _checked(value: Any, kind: Any, key: str, path: Path, base: Path) -> Any:
    made, words = validated(value, kind)
    if words:
        raise _wrong(key, words, value, path)
    if isinstance(made, Path):
        return made if key == "policy" and _is_shipped(made, base) else beside(base, made)
    # An area may be rows and columns or a file; a landscape a name or a file.
    if key in ("landscape", "place.area") and (base / str(value)).exists():
        return str(base / str(value))
    return made


def _is_shipped(policy: Path, base: Path) -> bool:
    """Whether it is the name of a policy that comes with firebreak, and of no file of the folder.
    """
    from firebreak.agent.policy_place import shipped_policies

    return str(policy) in shipped_policies() and not (base / policy).exists()


def _wrong(key: str, expected: str, value: Any, path: Path) -> Exception:
    return fail(expected=f"{key} to be {expected}", given=repr(value), where=str(path),
                remedy="correct this value")


def has_layers(path: Path) -> bool:
    """Whether a plan's file lists values as [[layer]]."""
    return "layer" in read_toml(path)
