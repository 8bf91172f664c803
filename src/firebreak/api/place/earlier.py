"""A folder that holds an earlier plan, once the next one is written into it."""

from collections.abc import Iterator
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firebreak.checks import InputError, fail

if TYPE_CHECKING:
    from firebreak.planning.output.earlier import Writing

_READ = (".tif", ".csv", ".json")
"""Endings of a plan's files that may be read where a folder is named."""


def take_place_of_earlier(writing: "Writing", made_from: frozenset[Path]) -> Path:
    """Removes the files of earlier plans that are none of a plan, which is written, but for those
    that it was made from: they are read again when it is shown. Returns the list of its files.

    made_from: see `inputs_of`.
    """
    from firebreak.planning.output.earlier import FILES_FILE, end_writing

    out = writing.folder
    kept = {*((out / name).resolve() for name in (*writing.own, FILES_FILE)), *made_from}
    if not made_from or out.resolve() in kept:
        kept |= {path.resolve() for path in writing.earlier if path.suffix in _READ}
    return end_writing(writing, kept)


def check_not_made_from(out: Path, made_from: frozenset[Path], source: str, *,
                        judged: bool) -> None:
    """Refuses a folder in which a plan's files would take the place of what it is made from, before
    the work.

    Args:
        made_from: see `inputs_of`.
        source: what the landscape is read from.
        judged: whether more than the plan itself is written.

    Raises:
        InputError: they would.
    """
    from firebreak.planning.output.earlier import ALWAYS, PLAN_FILES

    files = {(out / name).resolve(): name for name in (PLAN_FILES if judged else ALWAYS)}
    lost = sorted(files[path] for path in made_from & files.keys())
    own = out.resolve()
    if not lost and own in made_from and Path(source).resolve() != own:
        lost = [name for name in sorted(ALWAYS) if (out / name).is_file()]
    if lost:
        raise fail(expected="a folder in which the plan replaces nothing that it is made from",
                   given=f"one with {', '.join(lost)}", where=str(out),
                   remedy="choose another folder to write into")


def inputs_of(*asked: Any) -> frozenset[Path]:
    """What a plan is made from: files and folders that are named, and those that files name in
    their turn, such as the rasters of a file of layers. To be asked before the work, for a file may
    be changed for the next plan meanwhile. Empty where it cannot be told.

    asked: groups of the plan's options, and what its landscape is read from.
    """
    try:
        return frozenset(path.resolve() for path in _inputs(asked))
    except (OSError, InputError):
        return frozenset()


def _inputs(asked: Any) -> Iterator[Path]:
    """The same, one by one."""
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
