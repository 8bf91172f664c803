"""Checks that a checkpoint holds what a run of these settings would have saved.

A damaged checkpoint is told by its SHA-256, and one of other settings by its shapes. What is left
are values that no run writes: text where a number belongs, numbers beyond any count. They would
end the run in the midst of its work.
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from firebreak.checks import InputError, fail
from firebreak.tensor_file import Entry

MOST_COUNT, MOST_AMOUNT = 2**63, 1e18


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
    if isinstance(own, dict):
        _check_kind(saved, dict, "a table", name)
        for key, value in saved.items():
            check_form(value, own.get(key), f"{name}/{key}" if name else str(key))
    elif isinstance(own, list | tuple):
        _check_kind(saved, list, "a list", name)
        for place, value in enumerate(saved):
            check_form(value, own[min(place, len(own) - 1)] if own else None, f"{name}/{place}")
    elif isinstance(own, Tensor):
        _check_kind(saved, Tensor, "a tensor", name)
        if saved.dtype != own.dtype or saved.shape[1:] != own.shape[1:]:
            raise ValueError(f"{name} of {saved.dtype} {tuple(saved.shape)}")
    elif own is None:
        _check_any(saved, name)
    else:
        _check_plain(saved, own, name)


def check_within(tensor: Tensor, low: float, high: float, name: str) -> None:
    """Refuses numbers of a tensor outside low to high, both included, and NaN.

    Raises:
        ValueError: naming the tensor.
    """
    if tensor.numel() and not bool(((tensor >= low) & (tensor <= high)).all()):
        raise ValueError(f"{name} beyond {low:g} to {high:g}")


def _check_kind(saved: Any, kind: type, words: str, name: str) -> None:
    if not isinstance(saved, kind):
        raise ValueError(f"{name} that is not {words}")


def _check_any(saved: Any, name: str) -> None:
    """Bounds the numbers of a value whose kind is open."""
    if isinstance(saved, dict | list):
        check_form(saved, type(saved)(), name)
    elif isinstance(saved, int | float):
        _check_number(saved, name)


def _check_plain(saved: Any, own: Any, name: str) -> None:
    kind = next(kind for kind in (bool, int, float, str) if isinstance(own, kind))
    is_number = isinstance(saved, int | float) and not isinstance(saved, bool)
    if not (is_number if kind is float else type(saved) is kind):
        raise ValueError(f"{name} that is {f'{saved!r}'[:40]}")
    if is_number:
        _check_number(saved, name)


def _check_number(number: float, name: str) -> None:
    within = (-1 <= number < MOST_COUNT if isinstance(number, int)
              else math.isfinite(number) and abs(number) < MOST_AMOUNT)
    if not within:
        raise ValueError(f"{name} beyond what any run counts")
