"""What a run needs to go on as if it had not stopped, as one tree of tensors and plain values.

Maps and fires are not stored: a problem is made again from its stream and episode, and burned anew
under its breaks, which gives the same bits.
"""

import platform
import tomllib
import warnings
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numba
import numpy as np
import torch

from firebreak.checks import InputError, fail
from firebreak.train.config import as_toml
from firebreak.train.store import Saved

if TYPE_CHECKING:
    from firebreak.train.trainer import ParallelTrainer

KIND = "run"
_HISTORIES = ("losses", "returns")
_FREE = ("train.episodes", "train.threads", "train.checkpoints_kept", "landscapes.data")


@dataclass(slots=True)
class Progress:
    """Where a run stands between and inside its turns of collecting and learning.

    Attributes:
        next_validation: due when so many episodes have ended.
        validated_at: env steps at the last validation.
        updates_due: gradient steps that collected experience has earned and that are not made.
        seconds: of the run, when it was last saved.
        in_turn: a turn has begun and has not ended.
        collected: arenas that have collected in this turn.
        env_steps: what they have collected.
        counted: this turn's experience is in `updates_due`.
        returns: of the episodes that ended in this turn.
        updates: loss, mean Q-value and gradient norm of this turn's gradient steps.
    """

    next_validation: int
    validated_at: int = -1
    updates_due: float = 0.0
    seconds: float = 0.0
    in_turn: bool = False
    collected: int = 0
    env_steps: int = 0
    counted: bool = False
    returns: list[float] = field(default_factory=list)
    updates: list[tuple[float, float, float]] = field(default_factory=list)

    def end_turn(self) -> None:
        """Forgets the turn that is over."""
        self.in_turn, self.collected, self.env_steps, self.counted = False, 0, 0, False
        self.returns, self.updates = [], []


def state_of(trainer: "ParallelTrainer") -> dict[str, Any]:
    """Everything `restore` needs; large tensors are the trainer's own, not copies."""
    return {
        "agent": trainer.agent.state(),
        "arenas": [{"replay": arena.replay.state(), "collector": arena.collector.state(),
                    "labels": arena.labels.state() if arena.labels else None}
                   for arena in trainer.arenas],
        "progress": asdict(trainer.progress),
        "histories": {name: list(getattr(trainer, name)) for name in _HISTORIES},
        "best": trainer.best.state(),
        "positions": trainer.positions(), "config": as_toml(trainer.config),
        "made_by": machine_of(trainer)}


def restore(trainer: "ParallelTrainer", saved: Saved) -> dict[str, Any]:
    """Takes back what `state_of` gave, into the memory that the trainer has; returns the positions
    of its files. Warns where the machine is another one, so that not every bit will be the same.

    Raises:
        InputError: saved with other settings.
    """
    room = {f"arenas/{place}/replay/{name}": tensor
            for place, arena in enumerate(trainer.arenas)
            for name, tensor in arena.replay.state().items()}
    try:
        state = saved.load(room)
        _put_back(trainer, state)
        _warn_of_another_machine(state["made_by"], machine_of(trainer))
        _warn_of_other_settings(state["config"], as_toml(trainer.config))
        return dict(state["positions"])
    except (RuntimeError, LookupError, ValueError, TypeError, AttributeError) as error:
        if isinstance(error, InputError):
            raise
        raise fail(expected="a checkpoint of this configuration",
                   given=str(error).split("\n")[0], where=str(saved.folder),
                   remedy="resume with the settings the run was started with") from error


def machine_of(trainer: "ParallelTrainer") -> dict[str, Any]:
    """What the bits of a run depend on besides its configuration."""
    return {"device": trainer.agent.device.type, "torch": torch.__version__,
            "network threads": torch.get_num_threads(), "numpy": np.__version__,
            "numba": numba.__version__, "processor": platform.machine()}


def _put_back(trainer: "ParallelTrainer", state: dict[str, Any]) -> None:
    trainer.agent.restore(state["agent"])
    for arena, kept in zip(trainer.arenas, state["arenas"], strict=True):
        arena.replay.restore(kept["replay"])
        arena.collector.restore(kept["collector"])
        if arena.labels is not None:
            arena.labels.restore(kept["labels"])
    progress = dict(state["progress"])
    updates = [(float(a), float(b), float(c)) for a, b, c in progress.pop("updates")]
    trainer.progress = Progress(**progress, updates=updates)
    for name in _HISTORIES:
        history = getattr(trainer, name)
        history.clear()
        history.extend(float(value) for value in state["histories"][name])
    trainer.best.restore(state["best"])


def _warn_of_another_machine(then: dict[str, Any], now: dict[str, Any]) -> None:
    other = [f"{name} {then.get(name)} then, {value} now" for name, value in now.items()
             if then.get(name) != value]
    if other:
        warnings.warn(f"saved on another machine ({'; '.join(other)}): the run goes on, but its "
                      "weights need not be those of an unbroken run bit for bit", stacklevel=2)


def _warn_of_other_settings(then: str, now: str) -> None:
    """Settings that were changed since the save; how long to run and where data lie may be."""
    before, after = _flat(tomllib.loads(then)), _flat(tomllib.loads(now))
    other = [f"{key} {after.get(key)} instead of {before.get(key)}"
             for key in sorted(before.keys() | after.keys())
             if before.get(key) != after.get(key) and key not in _FREE
             and not key.startswith("cleanup.")]
    if other:
        warnings.warn(f"the run goes on with {', '.join(other)}, so it is not the run that was "
                      "saved", stacklevel=2)


def _flat(tree: dict[str, Any]) -> dict[str, Any]:
    return {f"{table}.{key}" if isinstance(values, dict) else table: value
            for table, values in tree.items()
            for key, value in (values if isinstance(values, dict) else {"": values}).items()}
