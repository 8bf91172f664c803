"""The configuration of a run: read from TOML, changed with `--set key=value`, checked, written."""

import json
import os
from collections.abc import Callable, Mapping, Set
from functools import cache
from pathlib import Path
from typing import Any

import pydantic

from firebreak.checks import fail, nearest
from firebreak.reading import DEEPEST, MOST_SETTINGS, from_toml, text_of
from firebreak.settings.retired import is_idle, without_former_defaults
from firebreak.train.config import DEFAULT_PRESET
from firebreak.train.config.errors import config_error, place_of
from firebreak.train.config.schema import RunConfig

FIRST_LINE = "# firebreak train "
"""A file of the presets' folder that begins so, with its own name, is a preset."""



def load_config(name: str, changes: list[str] | None = None) -> RunConfig:
    """The configuration of a preset or TOML file, with `key.key=value` changes on top.

    Raises:
        InputError: no such file, not TOML, an unknown key (the nearest valid one is named), a value
            of the wrong type or outside its range.
    """
    where = f"preset {name}" if name in presets() else name
    text = _read(name)
    tree = _parse(text, where)
    for change in changes or []:
        _apply(tree, change)
    return checked(tree, where, text, {_path_of(change): change for change in changes or []})


def checked(tree: dict[str, Any], where: str, text: str = "",
            changes: Mapping[tuple[str, ...], str] | None = None) -> RunConfig:
    """The configuration of a parsed tree. text, changes: where it is from, for the error."""
    changes = changes or {}
    tree = _without_idle(tree, set(changes),
                         lambda key: place_of(tuple(key.split(".")), where, text, changes))
    try:
        # As JSON, where a list may stand for a pair although nothing else is converted.
        content = json.dumps(tree, default=lambda date: {"date": str(date)})
        return RunConfig.model_validate_json(content, strict=True)
    except pydantic.ValidationError as error:
        raise config_error(error, where, text, changes) from None


def _without_idle(tree: dict[str, Any], changed: Set[tuple[str, ...]],
                  place: Callable[[str], str]) -> dict[str, Any]:
    """The tables without what is retired and only the default said, but where `changed` says it;
    `place` says where a key stands.
    """
    return {table: {key: value if (table, key) in changed
                    else without_former_defaults(f"{table}.{key}", value)
                    for key, value in values.items()
                    if not is_idle(f"{table}.{key}", value, place)}
            if isinstance(values, dict) else values for table, values in tree.items()}


def as_toml(config: RunConfig) -> str:
    """The whole resolved configuration as TOML that `load_config` reads back."""
    lines: list[str] = []
    tables: list[str] = []
    for name, value in config.model_dump(exclude_none=True).items():
        if isinstance(value, dict):
            tables += [f"\n[{name}]", *(f"{k} = {_literal(v)}" for k, v in value.items())]
        else:
            lines.append(f"{name} = {_literal(value)}")
    return "\n".join(lines + tables) + "\n"


def with_data(config: RunConfig, data: Path) -> RunConfig:
    """The configuration with the folder of its maps written into it, so that a run finds them."""
    if (config.landscapes.kind != "windows" and config.fires.weather is None
            and config.breaks.treatments is None):
        return config
    places = config.landscapes.model_copy(update={"data": str(data.resolve())})
    return config.model_copy(update={"landscapes": places})


def data_folder(config: RunConfig, given: str | None) -> Path:
    """Where maps lie: the option, else FIREBREAK_DATA, else the configuration, else here."""
    return Path(given or os.environ.get("FIREBREAK_DATA") or config.landscapes.data or ".")


def written_data(config: RunConfig) -> Path:
    """Where maps lie, by the configuration that `with_data` has made: nothing else counts then."""
    return Path(config.landscapes.data or ".")


@cache
def presets() -> tuple[str, ...]:
    """Names of the presets, the default one first."""
    found = []
    for path in _preset_folder().glob("*.toml"):
        with path.open(encoding="utf-8") as file:
            if f"{file.readline().rstrip()} ".startswith(f"{FIRST_LINE}{path.stem} "):
                found.append(path.stem)
    return tuple(sorted(found, key=lambda name: (name != DEFAULT_PRESET, name)))


def preset_file(name: str) -> Path:
    """A preset's TOML file."""
    return _preset_folder() / f"{name}.toml"


def _preset_folder() -> Path:
    """Inside an installed package, or configs/ of a checkout."""
    package = Path(__file__).parents[2]
    packaged, checkout = package / "configs", package.parents[1] / "configs"
    return packaged if packaged.is_dir() else checkout


def _read(name: str) -> str:
    if name in presets():
        return preset_file(name).read_text(encoding="utf-8")
    path = Path(name)
    if not path.is_file():
        close = nearest(name, presets())
        remedy = f"did you mean '{close}'?" if close else "check the path"
        raise fail(expected=f"a TOML file or one of the presets {', '.join(presets())}",
                   given="no such file", where=name, remedy=remedy)
    try:
        return text_of(path, MOST_SETTINGS)
    except UnicodeDecodeError as error:
        raise fail(expected="text in UTF-8", given=f"byte {error.start} that is none", where=name,
                   remedy="save the file as UTF-8") from None


def _parse(text: str, where: str) -> dict[str, Any]:
    try:
        return from_toml(text)
    except ValueError as error:
        raise fail(expected="TOML", given=str(error), where=where,
                   remedy="correct that line") from None


def _apply(tree: dict[str, Any], change: str) -> None:
    _, equals, text = change.partition("=")
    if not equals:
        raise fail(expected="key=value", given=f"'{change}'", where="--set",
                   remedy="write it like --set train.episodes=300")
    *tables, key = _path_of(change)
    if len(tables) > DEEPEST:
        raise fail(expected="a key such as train.episodes", given=f"one of {len(tables) + 1} parts",
                   where="--set", remedy="check the key")
    table = tree
    for name in tables:
        table = table.setdefault(name, {})
        if not isinstance(table, dict):
            raise fail(expected="a table", given=f"'{name}', which is a value", where="--set",
                       remedy="check the key")
    try:
        table[key] = from_toml(f"value = {text}")["value"]
    except ValueError:
        table[key] = text.strip()  # a bare word is a string


def _path_of(change: str) -> tuple[str, ...]:
    return tuple(change.partition("=")[0].strip().split("."))


def _literal(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_literal(v) for v in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_literal(k)} = {_literal(v)}" for k, v in value.items()) + "}"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    return repr(value)
