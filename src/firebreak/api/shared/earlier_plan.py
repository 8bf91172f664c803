"""A folder that holds an earlier plan, before the next one is written into it."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from firebreak.api.shared.plan_options import PlanOptions


def remove_earlier_plan(folder: Path, options: "PlanOptions", source: str) -> None:
    """Removes the files of an earlier plan from a folder, but for those that the options name: they
    are read again when the next plan is shown.

    source: what the landscape is read from.
    """
    from firebreak.planning.output.earlier import remove_earlier

    texts = [source, *_texts(asdict(options.place)), *_texts(asdict(options.scene)),
             *_texts(options.policy)]
    # Of FILE:NAME the file.
    remove_earlier(folder, {Path(one).resolve() for text in texts
                            for one in (text, text.rpartition(":")[0]) if one})


def _texts(value: Any) -> Iterator[str]:
    """What may be the name of a file."""
    if isinstance(value, dict):
        for one in value.values():
            yield from _texts(one)
    elif isinstance(value, str | Path):
        yield str(value)
