"""A folder that holds an earlier plan, once the next one is written into it."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any


def remove_earlier_plan(earlier: Collection[Path], written: Iterable[Path], *asked: Any) -> None:
    """Removes the files of an earlier plan that are none of the next one's, which is written, but
    for those that it was made from: they are read again when it is shown.

    earlier: see `planning.output.earlier.earlier_files`.
    asked: groups of the next plan's options, and what its landscape is read from.
    """
    from firebreak.planning.output.earlier import remove_earlier

    # Of FILE:NAME the file.
    inputs = {Path(one) for text in _texts(asked) for one in (text, text.rpartition(":")[0]) if one}
    remove_earlier(earlier, {path.resolve() for path in (*inputs, *written)})


def _texts(value: Any) -> Iterator[str]:
    """What may be the name of a file."""
    if is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    if isinstance(value, dict | tuple | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)
    elif isinstance(value, str | Path):
        yield str(value)
