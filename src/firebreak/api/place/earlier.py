"""A folder that holds an earlier plan, once the next one is written into it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any


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
    remove_earlier(earlier, kept)
    return made


def _inputs(asked: Any) -> Iterator[Path]:
    """What may be files that are read; of FILE:NAME the file."""
    for text in _texts(asked):
        yield from (Path(one) for one in (text, text.rpartition(":")[0]) if one)


def _texts(value: Any) -> Iterator[str]:
    """What may be the name of a file."""
    if is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    if isinstance(value, dict | tuple | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)
    elif isinstance(value, str | Path):
        yield str(value)
