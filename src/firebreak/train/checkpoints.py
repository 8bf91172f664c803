"""Checkpoints: what a run needs to go on, written beside and renamed, read back without pickle."""

import os
import pickle
from pathlib import Path
from typing import Any

import torch

from firebreak.checks import fail

FORMAT = "firebreak-checkpoint-1"
LAST = Path("checkpoints") / "last.pt"


def save_checkpoint(run: Path, state: dict[str, Any]) -> Path:
    """Writes the last checkpoint of a run; the one before stays until this one is complete."""
    path = run / LAST
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(path.name + ".tmp")
    try:
        torch.save({"format": FORMAT, **state}, beside)
        os.replace(beside, path)
    except RuntimeError as error:  # what torch raises where the disk is full
        raise OSError(str(error)) from error
    finally:
        beside.unlink(missing_ok=True)
    return path


def load_checkpoint(run: Path) -> dict[str, Any]:
    """Reads the last checkpoint of a run.

    Raises:
        InputError: there is none, or it is damaged.
    """
    path = run / LAST
    if not path.is_file():
        raise fail(expected=f"a run folder with {LAST}", given="none there", where=str(run),
                   remedy="give the folder of a run that has saved a checkpoint")
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
    except (RuntimeError, pickle.UnpicklingError, EOFError, ValueError, KeyError) as error:
        raise fail(expected="a checkpoint", given="a damaged file", where=str(path),
                   remedy="start the run again") from error
    if not isinstance(state, dict) or state.get("format") != FORMAT:
        raise fail(expected=f"a checkpoint of format {FORMAT}", given="another file",
                   where=str(path), remedy="resume with the version that wrote it")
    return state
