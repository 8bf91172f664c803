"""The configuration of a run: read from TOML, changed with `--set key=value`, checked, written."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from firebreak.checks import fail, nearest
from firebreak.planning.methods import check_methods
from firebreak.reading import MOST_SETTINGS, from_toml, text_of
from firebreak.settings.binding import bind
from firebreak.settings.retired import TABLES, without_former_defaults
from firebreak.settings.schema import leaves
from firebreak.settings.sources import Source, line_words, tables
from firebreak.train.config import DEFAULT_PRESET
from firebreak.train.config.schema import RunConfig

RUN = "run"
"""The name of runs in the rules over settings."""


def load_config(name: str, changes: Sequence[str] = ()) -> RunConfig:
    """The configuration of a preset or TOML file, with `key.key=value` changes on top.

    Raises:
        InputError: no such file, not TOML, an unknown key (the nearest valid one is named), a value
            of the wrong type or outside its range, settings that contradict one another.
    """
    where = f"preset {name}" if name in presets() else name
    text = _read(name)
    try:
        tree = _without_retired(from_toml(text))
    except ValueError as error:
        raise fail(expected="TOML", given=str(error), where=where,
                   remedy="correct that line") from None
    listed = tree.get("evaluation")
    if isinstance(listed, dict) and "methods" in listed:
        tree["evaluation"] = listed | {"methods": without_former_defaults(listed["methods"])}
    bound = bind(RunConfig, tables(tree, where, at=line_words(text, where), strict=True),
                 *map(_change, changes), command=RUN)
    with bound.spelled():
        check_methods(bound.options.evaluation.methods, "--methods")
    return bound.options


def checked(tree: Mapping[str, Any], where: str) -> RunConfig:
    """The configuration of a tree of tables. where: it is from, for the error."""
    return bind(RunConfig, tables(_without_retired(tree), where, strict=True), command=RUN).options


def _without_retired(tree: Mapping[str, Any]) -> dict[str, Any]:
    return {table: values for table, values in tree.items() if table not in TABLES}


def _change(change: str) -> Source:
    """A change on the command line, by the key with its table."""
    key, equals, text = change.partition("=")
    if not equals:
        raise fail(expected="key=value", given=f"'{change}'", where="--set",
                   remedy="write it like --set train.episodes=300")
    try:
        value = from_toml(f"value = {text}")["value"]
    except ValueError:
        value = text.strip()  # a bare word is a string
    table, _, name = key.strip().rpartition(".")
    return tables({table: {name: value}} if table else {name: value}, "--set",
                  at=lambda _: f"--set {change}", names_keys=False, strict=True)


def tree_of(config: RunConfig) -> dict[str, Any]:
    """The tables of a configuration, without keys that have no value."""
    tree: dict[str, Any] = {}
    for leaf in leaves(RunConfig).values():
        *tables_, key = leaf.key.split(".")
        inside = tree.setdefault(tables_[0], {}) if tables_ else tree
        if (value := leaf.of(config)) is not None:
            inside[key] = value
    return tree


def as_toml(config: RunConfig) -> str:
    """The whole resolved configuration as TOML that `load_config` reads back."""
    lines: list[str] = []
    tables_: list[str] = []
    for name, value in tree_of(config).items():
        if isinstance(value, dict):
            tables_ += [f"\n[{name}]", *(f"{key} = {json.dumps(one, ensure_ascii=False)}"
                                         for key, one in value.items())]
        else:
            lines.append(f"{name} = {json.dumps(value)}")
    return "\n".join(lines + tables_) + "\n"


def with_data(config: RunConfig, data: Path) -> RunConfig:
    """The configuration with the folder of its maps written into it, so that a run finds them."""
    if (config.landscapes.kind != "windows" and config.fires.weather is None
            and config.breaks.treatments is None):
        return config
    return replace(config, landscapes=replace(config.landscapes, data=str(data.resolve())))


def data_folder(config: RunConfig, given: str | None) -> Path:
    """The folder of maps: the option, else FIREBREAK_DATA, else the configuration, else here."""
    return Path(given or os.environ.get("FIREBREAK_DATA") or config.landscapes.data or ".")


def written_data(config: RunConfig) -> Path:
    """The folder of maps of a configuration that `with_data` has made: nothing else counts."""
    return Path(config.landscapes.data or ".")


@cache
def presets() -> tuple[str, ...]:
    """Names of the presets, the default one first: files that begin with the command of theirs."""
    found = []
    for path in _preset_folder().glob("*.toml"):
        with path.open(encoding="utf-8") as file:
            if f"{file.readline().rstrip()} ".startswith(f"# firebreak train {path.stem} "):
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
                   given="a folder" if path.is_dir() else "no such file", where=name,
                   remedy=remedy)
    try:
        return text_of(path, MOST_SETTINGS)
    except UnicodeDecodeError as error:
        raise fail(expected="text in UTF-8", given=f"byte {error.start} that is none", where=name,
                   remedy="save the file as UTF-8") from None
