"""A folder that holds an earlier plan, once the next one is written into it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any

_READ = (".tif", ".csv", ".json")
"""Endings of a plan's files that may be read where a folder is named."""


def take_place_of_earlier(out: Path, earlier: Mapping[Path, str | None], written: Iterable[Path],
                          *asked: Any) -> Path:
    """Lists the files of a plan, which are written, and removes those of an earlier one that are
    none of them, but for those that the plan was made from: they are read again when it is shown.
    Returns the list.

    earlier: see `planning.output.earlier.earlier_files`.
    asked: groups of the plan's options, and what its landscape is read from.
    """
    from firebreak.planning.output.earlier import remove_earlier, write_files_list

    own = [*written]
    made = write_files_list(out, own)
    kept = {path.resolve() for path in (*own, made, *_inputs(asked))}
    if out.resolve() in kept:
        kept |= {path.resolve() for path in earlier if path.suffix in _READ}
    remove_earlier(earlier, kept)
    return made


def _inputs(asked: Any) -> Iterator[Path]:
    """What may be files or folders that are read: those that are named, and those that files name
    in their turn, such as the rasters of a file of layers.
    """
    from firebreak.files import read_toml

    for text in _texts(asked):
        for path in _named(text):
            yield path
            if path.suffix.lower() == ".toml" and path.is_file():
                for inner in _texts(read_toml(path)):
                    yield from (path.parent / one for one in _named(inner))


def _named(text: str) -> Iterator[Path]:
    """What a text may name: a file, or of FILE:NAME the file, where each may have colons in it."""
    parts = text.split(":")
    for count in range(1, len(parts) + 1):
        if name := ":".join(parts[:count]):
            yield Path(name)


def _texts(value: Any) -> Iterator[str]:
    """What may be the name of a file."""
    if is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    if isinstance(value, dict | tuple | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)
    elif isinstance(value, str | Path):
        yield str(value)
