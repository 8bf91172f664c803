"""A folder that holds an earlier plan, before the next one is written into it."""

from collections.abc import Iterator
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any


def remove_earlier_plan(folder: Path, *asked: Any) -> None:
    """Removes the files of an earlier plan from a folder, but for those that the next one names:
    they are read again when it is shown.

    asked: groups of its options, and what its landscape is read from.
    """
    from firebreak.planning.output.earlier import remove_earlier

    # Of FILE:NAME the file.
    remove_earlier(folder, {Path(one).resolve() for text in _texts(asked)
                            for one in (text, text.rpartition(":")[0]) if one})


def _texts(value: Any) -> Iterator[str]:
    """What may be the name of a file."""
    if is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    if isinstance(value, dict | tuple | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)
    elif isinstance(value, str | Path):
        yield str(value)
