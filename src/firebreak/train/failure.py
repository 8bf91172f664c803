"""What is left behind where a run meets a number that must be finite and is not."""

from pathlib import Path
from typing import Any

from firebreak.agent.dqn import NotFinite
from firebreak.train.checkpoints import CHECKPOINTS, checkpoints_of
from firebreak.train.store import remove_folder, write_folder


def failure_of(run: Path, error: NotFinite, told: dict[str, Any]) -> FloatingPointError:
    """Writes what the number came from; the error that ends the run.

    told: seed, counts and configuration, stored beside the batch.
    """
    found = checkpoints_of(run / CHECKPOINTS)
    kept = f"the last checkpoint is {found[-1]}" if found else "there was no checkpoint yet"
    folder = run / f"failure-{told['learner_steps']}-{told['env_steps']}"
    try:
        if folder.exists():
            remove_folder(folder)
        write_folder(folder, "failure", {"what": str(error), **told, "batch": error.batch})
        written = f"the batch is in {folder}"
    except OSError as full:
        written = f"the batch could not be written ({full.strerror or full})"
    return FloatingPointError(f"learner step {told['learner_steps']}, seed {told['seed']}: "
                              f"{error}; {written}, {kept}")
