"""The policy that a run keeps so far: its weights, in storage of their own, and its file."""

import warnings
from pathlib import Path
from typing import Any

import torch

from firebreak.agent.network import QMapNetwork
from firebreak.agent.policy_file import save_policy
from firebreak.agent.policy_place import POLICY


class BestPolicy:
    """What did best on validation, or what a fit ended with.

    Args:
        network: whose weights these are at first.
        folder: where the policy file is written.

    Attributes:
        reduction: on validation; -inf before the first.
        learner_steps: when it did.
        provenance: plain values stored with it; empty before the first validation.
        unwritten: why the file was not written; None if it was, or there is nothing to write.
    """

    def __init__(self, network: QMapNetwork, width: int, folder: Path) -> None:
        self._network, self._width, self._path = network, width, folder / POLICY
        self.weights = {name: tensor.detach().cpu().clone()
                        for name, tensor in network.state_dict().items()}
        self.reduction, self.learner_steps = -float("inf"), 0
        self.provenance: dict[str, Any] = {}
        self.unwritten: OSError | None = None

    def take(self, reduction: float, learner_steps: int, provenance: dict[str, Any]) -> None:
        """The network's weights are the best from now on; writes them."""
        self.reduction, self.learner_steps, self.provenance = reduction, learner_steps, provenance
        for name, tensor in self._network.state_dict().items():
            self.weights[name].copy_(tensor)
        self.write()

    def write(self) -> None:
        """Writes the policy file; where the disk is full the checkpoints have it too."""
        try:
            save_policy(self._path, self._network, self._width, self.provenance, self.weights)
            self.unwritten = None
        except OSError as error:
            self.unwritten = error
            warnings.warn(f"{POLICY} not written ({error.strerror or error})", stacklevel=2)

    def state(self) -> dict[str, Any]:
        """Tensors, which are its own, and plain values."""
        return {"weights": self.weights, "learner_steps": self.learner_steps,
                "provenance": self.provenance,
                "reduction": self.reduction if self.provenance else None}

    @torch.no_grad()
    def restore(self, state: dict[str, Any]) -> None:
        """Takes back what `state` gave; writes nothing."""
        for name, tensor in self.weights.items():
            tensor.copy_(state["weights"][name])
        self.provenance = dict(state["provenance"])
        self.learner_steps = int(state["learner_steps"])
        self.reduction = (-float("inf") if state["reduction"] is None
                          else float(state["reduction"]))
