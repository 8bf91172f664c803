"""The folder of a run: one process at a time writes into it; its checkpoints, a series of saved
folders, of which the last few and the best are kept; and what a run leaves where it meets a number
that must be finite and is not.

Folders are numbered upwards and never renamed once complete, so no link points at the latest one:
it is the highest number whose content is as it was written.
"""

import contextlib
import errno
import re
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import filelock

from firebreak.checks import fail
from firebreak.files import made_folder
from firebreak.tensor_file import Damaged
from firebreak.train.storage.store import (
    Saved,
    is_stored,
    open_folder,
    remove_folder,
    write_folder,
)

LOCK = ".lock"
_NOT_OURS = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST)
CHECKPOINTS = "checkpoints"
KEPT = 2
_NAME = re.compile(r"(\d{8,})(?:-best)?")


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Holds a folder, which is made if missing. The system lets go of it when the process ends,
    however it ends.

    Raises:
        InputError: another process holds it, or it may not be written.
    """
    try:
        made_folder(folder)
        lock = filelock.FileLock(folder / LOCK)
        lock.acquire(timeout=0)
    except filelock.Timeout:
        raise fail(expected="a folder that no other run writes to", given="one in use",
                   where=str(folder), remedy="wait for the other run, or choose another --out"
                   ) from None
    except OSError as error:
        if error.errno not in _NOT_OURS:
            raise
        raise fail(expected="a folder that can be written", given=error.strerror or str(error),
                   where=str(folder), remedy="choose another --out") from None
    try:
        yield
    finally:
        lock.release()


def save_checkpoint(root: Path, kind: str, tree: Mapping[str, Any], *, best: bool = False,
                    keep: int = KEPT) -> Path:
    """Saves a tree (see `store.write_folder`) as the newest of `root`, then deletes all but the
    last `keep` and the last that was the best when it was saved.

    Raises:
        OSError: the disk is full or may not be written; all earlier ones are as they were.
    """
    root.mkdir(parents=True, exist_ok=True)
    earlier = checkpoints_of(root)
    number = _number(earlier[-1]) + 1 if earlier else 1
    while any(root.glob(f"{number:08d}*")):  # a folder of the user's
        number += 1
    folder = root / f"{number:08d}{'-best' * best}"
    write_folder(folder, kind, tree)
    marked = [path for path in [*earlier, folder] if path.name.endswith("-best")]
    kept = {*[*earlier, folder][-keep:], *marked[-1:]}
    for path in earlier:
        if path not in kept:
            with contextlib.suppress(OSError):  # it is in nobody's way
                remove_folder(path)
    return folder


def latest_checkpoint(root: Path, kind: str) -> Saved:
    """The newest checkpoint that is as it was written; warns of each newer one that is not.

    Raises:
        InputError: there is none, none is whole, or the newest is of another kind or version.
    """
    found = checkpoints_of(root)
    if not found:
        raise fail(expected=f"a folder with {CHECKPOINTS}", given="none there", where=str(root),
                   remedy="name the folder of a run that has saved one")
    refused: list[Damaged] = []
    for folder in reversed(found):
        try:
            saved = open_folder(folder, kind)
        except Damaged as error:
            refused.append(error)
            continue
        for one in refused:
            warnings.warn(f"{one}; {folder.name} is used instead", stacklevel=2)
        return saved
    raise fail(expected=f"an undamaged checkpoint among {len(found)}",
               given=f"damaged ones only ({refused[0]})", where=str(root),
               remedy="start the run again")


def checkpoints_of(root: Path) -> list[Path]:
    """Folders of checkpoints, oldest first, whole or not; none of other folders that have such a
    name.
    """
    if not root.is_dir():
        return []
    return sorted((path for path in root.iterdir()
                   if _NAME.fullmatch(path.name) and is_stored(path)), key=_number)


def failure_of(run: Path, what: str, batch: Mapping[str, Any],
               facts: Mapping[str, Any]) -> FloatingPointError:
    """Writes a folder with what a number that is not finite came from; the error that ends the run.

    Args:
        what: the number, in words.
        batch: tensors by name.
        facts: seed, counts and configuration, stored beside the batch.
    """
    found = checkpoints_of(run / CHECKPOINTS)
    kept = f"the last checkpoint is {found[-1]}" if found else "there was no checkpoint yet"
    folder = run / f"failure-{facts['learner_steps']}-{facts['env_steps']}"
    try:
        if folder.exists():
            remove_folder(folder)
        write_folder(folder, "failure", {"what": what, **facts, "batch": batch})
        written = f"the batch is in {folder}"
    except OSError as full:
        written = f"the batch could not be written ({full.strerror or full})"
    return FloatingPointError(f"learner step {facts['learner_steps']}, seed {facts['seed']}: "
                              f"{what}; {written}, {kept}")


def _number(folder: Path) -> int:
    return int(folder.name.partition("-")[0])
