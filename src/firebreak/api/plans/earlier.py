"""A folder that holds an earlier plan, once the next one is written into it."""

from pathlib import Path
from typing import TYPE_CHECKING

from firebreak.api.place.inputs import is_told
from firebreak.checks import fail
from firebreak.files import without_links

if TYPE_CHECKING:
    from firebreak.planning.output.earlier import Writing

_READ = (".tif", ".csv", ".json")
"""Endings of a plan's files that may be read where a folder is named."""


def take_place_of_earlier(writing: "Writing", made_from: frozenset[Path]) -> Path:
    """Removes the files of earlier plans that are none of a plan, which is written, but for those
    that it was made from: they are read again when it is shown. Returns the list of its files.

    made_from: see `inputs.inputs_of`.
    """
    from firebreak.planning.output.earlier import FILES_FILE, end_writing

    out = writing.folder
    kept = {*(without_links(out / name) for name in (*writing.own, FILES_FILE)), *made_from}
    if without_links(out) in kept or not all(map(is_told, made_from)):
        kept |= {without_links(path) for path in writing.earlier if path.suffix in _READ}
    return end_writing(writing, kept)


def check_not_made_from(out: Path, made_from: frozenset[Path], source: str, *,
                        judged: bool) -> None:
    """Refuses a folder in which a plan's files would take the place of what it is made from, before
    the work.

    Args:
        made_from: see `inputs.inputs_of`.
        source: what the landscape is read from.
        judged: whether more than the plan itself is written.

    Raises:
        InputError: they would.
    """
    from firebreak.planning.output.earlier import ALWAYS, PLAN_FILES

    files = {without_links(out / name): name for name in (PLAN_FILES if judged else ALWAYS)}
    lost = sorted(files[path] for path in made_from & files.keys())
    own = without_links(out)
    if not lost and own in made_from and without_links(source) != own:
        lost = [name for name in sorted(ALWAYS) if (out / name).is_file()]
    if lost:
        raise fail(expected="a folder in which the plan replaces nothing that it is made from",
                   given=f"one with {', '.join(lost)}", where=str(out),
                   remedy="choose another folder to write into")
