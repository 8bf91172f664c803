"""A trained policy on disk: weights, the layout they expect, and where they came from.

Only tensors and plain values are stored and read back with `weights_only`, so a policy file cannot
run code.
"""

import pickle
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor

from firebreak.agent.network import QMapNetwork
from firebreak.checks import fail
from firebreak.files import replacing
from firebreak.layout import OBSERVATION

FORMAT = "firebreak-policy-2"
SHIPPED = Path(__file__).parents[1] / "policies" / "general.pt"
"""The policy that comes with the package, trained with the preset `general`."""


class Policy(NamedTuple):
    """network: in evaluation mode, on the CPU; provenance: plain values (run, episodes, config)."""

    network: QMapNetwork
    provenance: dict[str, Any]


def save_policy(path: Path, network: QMapNetwork, width: int,
                provenance: dict[str, Any], weights: dict[str, Tensor] | None = None) -> None:
    """Writes a policy file; the old one stays until the new one is complete.

    weights: in place of the network's own.
    """
    content = {"format": FORMAT, "channels": list(OBSERVATION.names), "width": width,
               "options": network.options,
               "weights": {k: v.detach().cpu()
                           for k, v in (weights or network.state_dict()).items()},
               "provenance": provenance}
    with replacing(path) as beside:
        torch.save(content, beside)


def load_policy(path: Path = SHIPPED) -> Policy:
    """Reads a policy file, or the best policy of a run folder; the shipped one if not given.

    Raises:
        InputError: no such file, not a policy, or one made for another observation layout.
    """
    file = path / "policy.pt" if path.is_dir() else path
    if not file.is_file():
        raise fail(expected="a policy file or a run folder with policy.pt", given="no such file",
                   where=str(path), remedy="train one with 'firebreak train quick'")
    content = _read(file)
    if content.get("channels") != list(OBSERVATION.names):
        raise fail(expected=f"a policy for the {OBSERVATION.channels} channels of this version",
                   given=f"one for {len(content.get('channels') or [])} channels in another layout",
                   where=str(file), remedy="train it again with this version of firebreak")
    try:
        network = QMapNetwork(OBSERVATION.channels, content["width"],
                              **content.get("options", {}))
        network.load_state_dict(content["weights"])
        return Policy(network.eval(), content["provenance"])
    except (RuntimeError, KeyError, TypeError) as error:
        raise _not_a_policy(file) from error


def _read(file: Path) -> dict[str, Any]:
    try:
        content = torch.load(file, map_location="cpu", weights_only=True)
    except (RuntimeError, pickle.UnpicklingError, EOFError, OSError, ValueError, LookupError,
            TypeError, AttributeError) as error:  # damaged bytes raise any of these
        raise _not_a_policy(file) from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise _not_a_policy(file)
    return content


def _not_a_policy(file: Path) -> Exception:
    return fail(expected=f"a file of format {FORMAT}", given="something else or a damaged file",
                where=str(file), remedy="give a policy.pt written by 'firebreak train'")
