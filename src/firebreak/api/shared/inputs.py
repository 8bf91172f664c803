"""The files that a command reads, as far as its options name them: none is written over."""

import os
from collections.abc import Collection, Iterator
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any, NamedTuple

from firebreak.agent.policy_place import file_at
from firebreak.checks import InputError, fail
from firebreak.files import without_links
from firebreak.landscape.names import is_sample
from firebreak.planning.output.earlier import EVER_PLAN_FILES, plan_file, plan_folder
from firebreak.reading import read_toml
from firebreak.settings.schema import leaves, places_in

_FOLDERS_IN_TOML = frozenset(("landscape", "landscapes", "data", "policy", "start", "weather",
                              "existing", "improve"))
_PLANS = ("plan", "existing", "improve", "runs")
"""Options that may name a plan: all that its folder holds of it belongs to it."""
_FOUND_BY = {"policy": file_at, "plan": plan_file}
"""Option that may name a file by a word or by its folder -> the function that finds it."""
_OF_RUN = ("config.toml", "policy.safetensors", "policy.pt")
_BESIDE = {".shp": (".prj", ".dbf", ".shx", ".cpg"), ".asc": (".prj",), ".lcp": (".prj",),
           ".tif": (".tfw",), ".tiff": (".tfw",), ".wtr": (".wnd",), ".wnd": (".wtr",)}
"""Endings of the files that are read with a file."""
_AUX = ".aux.xml"
_DATA = (".prj", ".xml", ".csv", ".toml", ".wxs", ".wtr", ".wnd", ".shp", ".dbf", ".shx", ".cpg",
         ".gpkg", ".safetensors", ".tfw")
"""Endings of what is read from a folder, beside rasters."""


class _Named(NamedTuple):
    """A text that may name a file, and the option or key that it was given for."""

    key: str
    text: str


def inputs_of(*options: Any, written: Collection[str] = ()) -> frozenset[Path]:
    """The inputs of a command: files and folders that are named, those that files name in their
    turn, such as the rasters of a file of layers, and those that are read with them, such as the
    layers of a folder. What is not there is not read. To be asked before the work, for a file may
    be changed for the next plan meanwhile.

    Args:
        options: groups of options, and the source of a landscape.
        written: names of options that are written to.
    """
    return frozenset(map(without_links, _inputs(options, frozenset(written))))


def check_named_there(options: Any, written: Collection[str] = ()) -> None:
    """Refuses a file that an option names and that is not there, before anything is loaded.

    Args:
        options: a group of options.
        written: names of options that are written to.

    Raises:
        InputError: naming the option.
    """
    for leaf in leaves(type(options)).values():
        value = leaf.of(options)
        for one in value if isinstance(value, list) else [value]:
            if not isinstance(one, Path) or leaf.name in (*written, "resume"):
                continue
            if leaf.name in _FOUND_BY:
                _FOUND_BY[leaf.name](one)
            elif not is_sample(one) and not any(places_in(str(one))):
                raise fail(expected="a file or folder that is there", given="no such file",
                           where=f"{leaf.option} {one}", remedy="check the path")


def is_told(path: Path) -> bool:
    """True where it is known what an input names in its turn."""
    return path.suffix.lower() != ".toml" or not path.is_file() or _tree(path) is not None


def _inputs(options: Any, written: frozenset[str]) -> Iterator[Path]:
    for key, text in _named(options, "landscape", written):
        for path in places_in(text):
            yield path
            yield from _read_with(path, key)
            if path.suffix.lower() == ".toml" and path.is_file():
                yield from _in_toml(path)


def _named(value: Any, key: str, written: frozenset[str]) -> Iterator[_Named]:
    """The texts of options that may be the name of a file."""
    if is_dataclass(value) and not isinstance(value, type):
        for leaf in leaves(type(value)).values():
            if leaf.name not in written and leaf.may_name_file:
                yield from _named(leaf.of(value), leaf.name, written)
    elif isinstance(value, tuple | list):
        for one in value:
            yield from _named(one, key, written)
    elif isinstance(value, str | Path):
        yield _Named(key, str(value))


def _in_toml(path: Path) -> Iterator[Path]:
    """The files that a TOML file names; a word names a folder only where one is asked for."""
    for key, text in _texts(_tree(path) or {}, ""):
        for one in places_in(str(path.parent / text)):
            if one.is_file() or key in _FOLDERS_IN_TOML:
                yield one
                yield from _read_with(one, key)


def _tree(path: Path) -> dict[str, object] | None:
    """The tables of a TOML file; None where it cannot be read."""
    try:
        return read_toml(path)
    except (OSError, InputError):
        return None


def _texts(value: Any, key: str) -> Iterator[_Named]:
    if isinstance(value, dict):
        for name, one in value.items():
            yield from _texts(one, name)
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one, key)
    elif isinstance(value, str):
        yield _Named(key, value)


def _read_with(path: Path, key: str) -> Iterator[Path]:
    """The files that are read where a file or folder is named."""
    if path.is_dir():
        yield from _in_folder(path, key)
        return
    if key in _PLANS and (plan_folder(path) / "plan.json").is_file():
        yield from _of_plan(plan_folder(path))
    for ending in _BESIDE.get(path.suffix.lower(), ()):
        yield from filter(os.path.lexists, (path.with_suffix(ending),
                                            path.with_suffix(ending.upper())))
    yield from filter(os.path.lexists, [path.with_name(path.name + _AUX)])


def _in_folder(folder: Path, key: str) -> Iterator[Path]:
    """The files that are read of a folder; none of a run that goes on, whose key is `resume`: it is
    written anew.
    """
    if key == "resume":
        return
    if (folder / "config.toml").is_file():
        yield from filter(os.path.isfile, (folder / name for name in _OF_RUN))
    elif key in _PLANS and (plan_folder(folder) / "plan.json").is_file():
        yield from _of_plan(plan_folder(folder))
    else:
        yield from _data_in(folder)


def _of_plan(folder: Path) -> Iterator[Path]:
    yield from filter(os.path.isfile, (folder / name for name in sorted(EVER_PLAN_FILES)))


def _data_in(folder: Path) -> Iterator[Path]:
    """The layers of a landscape and the tables beside them, and weather; not what firebreak wrote
    there itself.
    """
    from firebreak.landscape.formats.layers import rasters_in

    try:
        yield from rasters_in(folder)
        for path in (*folder.iterdir(), *(folder / "Weathers").glob("*.csv")):
            if path.suffix.lower() in _DATA and path.name not in EVER_PLAN_FILES:
                yield path
    except OSError:  # a folder that may not be looked into is refused where it is read
        return
