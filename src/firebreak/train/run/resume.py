"""Resuming: all that a run needs to go on as if it had not stopped, as one tree of tensors and
plain values.

Maps and fires are not stored: a problem is made again from its stream and episode, and burned anew
under its breaks, which gives the same bits.
"""

import platform
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from typing import Any

import numpy as np
import torch

from firebreak.checks import InputError
from firebreak.reading import from_toml
from firebreak.train.config.load import as_toml, checked, tree_of
from firebreak.train.config.schema import RunConfig
from firebreak.train.run.progress import RunState
from firebreak.train.storage.checkpoints import check_channels, check_form, check_within, restoring
from firebreak.train.storage.metrics import Position, positions_of
from firebreak.train.storage.store import Saved

KIND = "run"
_FORMED = ("agent", "arenas", "progress", "histories", "best", "config", "made_by")
_FREE = ("train.episodes", "train.threads", "train.checkpoints_kept", "train.collector_limit_s",
         "landscapes.data")


def state_of(run: RunState, positions: dict[str, Any]) -> dict[str, Any]:
    """Everything `restore` needs; large tensors are the run's own, not copies.

    positions: of the run's files of rows.
    """
    return {
        "agent": run.agent.state(), **({"twin": run.twin.state()} if run.twin else {}),
        "arenas": [{"replay": group.replay.state(), "collector": group.collector.state()}
                   for group in run.groups],
        "progress": asdict(run.progress),
        "histories": {"losses": list(run.losses), "returns": list(run.returns)},
        "best": run.best.state(),
        "positions": positions, "config": as_toml(run.config),
        "made_by": machine_of(run.agent.device)}


def restore(run: RunState, saved: Saved) -> dict[str, Position]:
    """Takes back what `state_of` gave, into the memory that the run has; returns the positions of
    its files. Warns where the machine is another one, so that not every bit will be the same.

    Raises:
        InputError: saved with other settings.
    """
    room = {f"arenas/{place}/replay/{name}": tensor
            for place, group in enumerate(run.groups)
            for name, tensor in group.replay.state().items()}
    with restoring_with(run.config, saved) as changed:
        for name, tensor in room.items():
            if name.endswith("/static"):
                check_channels(saved.folder, saved.entries.get(name), tensor)
        state = saved.load(room)
        own = state_of(run, {})
        for name in _FORMED:
            check_form(state[name], own[name], name)
        positions = positions_of(state["positions"])
        _put_back(run, state)
        then = state["made_by"]
        other = [f"{name} {then.get(name)} then, {value} now"
                 for name, value in own["made_by"].items() if then.get(name) != value]
    if other:
        warnings.warn(f"the run was saved on another machine ({'; '.join(other)}): it goes on, but "
                      "its weights may differ from those of an uninterrupted run", stacklevel=2)
    if changed:
        warnings.warn(f"the run goes on with {', '.join(changed)}, so its results may differ from "
                      "those of the saved run", stacklevel=2)
    return positions


def machine_of(device: torch.device) -> dict[str, Any]:
    """Return what the bits of a run depend on besides its configuration. device: of its networks.
    """
    return {"device": device.type, "torch": torch.__version__,
            "network threads": torch.get_num_threads(), "numpy": np.__version__,
            "processor": platform.machine()}


def _put_back(run: RunState, state: dict[str, Any]) -> None:
    run.agent.restore(state["agent"])
    if run.twin:
        run.twin.restore(state["twin"])
    for group, kept in zip(run.groups, state["arenas"], strict=True):
        actions = int(group.env.single_action_space.n)
        bounds = {"action": (0, actions - 1), "tried": (0, actions - 1), "cost": (1e-9, 1e9)}
        for name in bounds.keys() & kept["replay"].keys():
            check_within(kept["replay"][name], *bounds[name], f"replay/{name}")
        group.replay.restore(kept["replay"])
        group.collector.restore(kept["collector"])
    run.progress.restore(state["progress"])
    for name, history in (("losses", run.losses), ("returns", run.returns)):
        history.clear()
        history.extend(float(value) for value in state["histories"][name])
    run.best.restore(state["best"])


@contextmanager
def restoring_with(config: RunConfig, saved: Saved) -> Iterator[list[str]]:
    """The settings that were changed since the save, in words, which errors of the block name.

    Raises:
        InputError: as `restoring`.
    """
    with restoring(saved.folder):
        changed = changed_settings(saved.state["config"], as_toml(config))
    with restoring(saved.folder, changed):
        yield changed


def changed_settings(then: str, now: str) -> list[str]:
    """Changes of the configuration, but for the length of the run and the place of data."""
    before, after = _settings_of(then), _settings_of(now)
    return [f"{key} {after.get(key)} instead of {before.get(key)}"
            for key in sorted(before.keys() | after.keys())
            if before.get(key) != after.get(key) and key not in _FREE
            and not key.startswith("cleanup.")]


def _settings_of(text: str) -> dict[str, Any]:
    """Values by key with its table, also of keys that were not known when the text was saved."""
    tree = from_toml(text)
    with suppress(InputError):  # of another version: compared as they are
        tree = tree_of(checked(tree, "checkpoint"))
    return {f"{table}.{key}" if isinstance(values, dict) else table: value
            for table, values in tree.items()
            for key, value in (values if isinstance(values, dict) else {"": values}).items()}
