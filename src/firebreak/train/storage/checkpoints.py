"""The folder of a run: one process at a time writes into it; its checkpoints, a series of saved
folders, of which the last few and the best are kept; and what a run leaves where it meets a number
that must be finite and is not.

Folders are numbered upwards and never renamed once complete, so no link points at the latest one:
it is the highest number whose content is as it was written.

A damaged checkpoint is told by its SHA-256, and one of other settings by its shapes. What is left
are values that no run writes: text where a number belongs, numbers beyond any count. They would
end the run in the midst of its work, so `check_form` compares them with what the run would save.
"""

import contextlib
import errno
import math
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import filelock
import numpy as np
import torch
from torch import Tensor

from firebreak.checks import InputError, fail
from firebreak.files import made_folder
from firebreak.tensor_file import Damaged, Entry
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


MOST_COUNT, MOST_AMOUNT = 2**63, 1e18
_FORMS: dict[type, str] = {dict: "a table", list: "a list", Tensor: "a tensor"}


@contextmanager
def restoring(folder: Path, changed: Sequence[str] = ()) -> Iterator[None]:
    """Errors of the block are those of the checkpoint in `folder`, or of the settings that were
    changed since it was saved, in words.

    Raises:
        InputError: in place of whatever a value of another kind has led to.
    """
    try:
        yield
    except InputError:
        raise
    except (RuntimeError, LookupError, ValueError, TypeError, AttributeError,
            ArithmeticError) as error:
        said = str(error).split("\n")[0][:200]
        given = said if not isinstance(error, KeyError) else f"none with {said}"
        raise fail(expected="a checkpoint of this configuration",
                   given=f"one with other settings: {', '.join(changed)}" if changed else given,
                   where=str(folder),
                   remedy="resume with the settings the run was started with") from error


def check_channels(folder: Path, saved: Entry | None, own: Tensor) -> None:
    """Refuses the checkpoint of a run whose observations had other channels: an earlier version's.

    Args:
        saved: fixed channels of the replay in the checkpoint, [L, C, H, W]; own: the run's.

    Raises:
        InputError: saying that the policy still plans.
    """
    if saved is not None and len(saved.shape) == own.ndim and saved.shape[1] != own.shape[1]:
        raise fail(expected=f"a run whose observations have {own.shape[1]} fixed channels, as in "
                            "this version", given=f"{saved.shape[1]}", where=str(folder),
                   remedy="begin a new run; the policy of this one plans as before")


def check_form(saved: Any, own: Any, name: str) -> None:
    """Refuses values of another kind than a run's own, and numbers that no run reaches.

    Keys that only one of both has are not looked at: versions differ in them.

    Args:
        own: what the run would save now; an empty table or list, and None, stand for any values.
        name: the keys on the way to it, for the error.

    Raises:
        ValueError: naming the first such value.
    """
    if isinstance(own, np.ndarray):
        own = torch.from_numpy(own)
    elif isinstance(own, tuple):
        own = list(own)
    elif own is None and isinstance(saved, dict | list):
        own = type(saved)()
    for kind, words in _FORMS.items():
        if isinstance(own, kind) and not isinstance(saved, kind):
            raise ValueError(f"{name} that is not {words}")
    if isinstance(own, dict):
        for key, value in saved.items():
            check_form(value, own.get(key), f"{name}/{key}")
    elif isinstance(own, list):
        for place, value in enumerate(saved):
            check_form(value, own[min(place, len(own) - 1)] if own else None, f"{name}/{place}")
    elif isinstance(own, Tensor):
        if saved.dtype != own.dtype or saved.shape[1:] != own.shape[1:]:
            raise ValueError(f"{name} of {saved.dtype} {tuple(saved.shape)}")
    else:
        _check_plain(saved, own, name)


def check_within(tensor: Tensor, low: float, high: float, name: str) -> None:
    """Refuses numbers of a tensor outside low to high, both included, and NaN.

    Raises:
        ValueError: naming the tensor.
    """
    if tensor.numel() and not bool(((tensor >= low) & (tensor <= high)).all()):
        raise ValueError(f"{name} beyond {low:g} to {high:g}")


def _check_plain(saved: Any, own: Any, name: str) -> None:
    is_number = isinstance(saved, int | float)
    if own is not None:
        kind = next(kind for kind in (bool, int, float, str) if isinstance(own, kind))
        if not (is_number and type(saved) is not bool if kind is float else type(saved) is kind):
            raise ValueError(f"{name} that is {f'{saved!r}'[:40]}")
    if is_number and not (-1 <= saved < MOST_COUNT if isinstance(saved, int)
                          else math.isfinite(saved) and abs(saved) < MOST_AMOUNT):
        raise ValueError(f"{name} beyond what any run counts")
