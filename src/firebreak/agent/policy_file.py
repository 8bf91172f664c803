"""A trained policy on disk: weights, the layout they expect, and where they came from.

Only tensors and plain values are stored and read back with `weights_only`, so a policy file cannot
run code.
"""

import hashlib
import json
import pickle
import struct
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor

from firebreak.agent.network import QMapNetwork
from firebreak.checks import fail
from firebreak.files import replacing
from firebreak.layout import OBSERVATION

FORMAT = "firebreak-policy-2"
SHIPPED = Path(__file__).parents[1] / "policies" / "segments.pt"
"""The policy that comes with the package: trained with the preset `segments`, fitted anew."""
CONTROL = SHIPPED.with_name("general.pt")
"""A network that predicts the gain of each cell alone, trained with the preset `general`: the
learned control, and where the shipped policy's weights began."""

_OF_OLD_FILES = {"quantiles": 1, "risk": 1.0}
"""Options that earlier versions wrote into every file; other values are of networks that this one
does not have.
"""


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
    content["sha256"] = _sha256(content)
    with replacing(path) as beside:
        torch.save(content, beside)


def policy_at(name: str) -> Path:
    """Where a policy is: one that comes with the package by its name, or a file or run folder."""
    shipped = {file.stem: file for file in SHIPPED.parent.glob("*.pt")}
    return shipped.get(name, Path(name))


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
        return Policy(_network(content).eval(), content["provenance"])
    except (RuntimeError, LookupError, TypeError, ValueError, AttributeError,
            OverflowError) as error:
        raise _not_a_policy(file) from error


def _network(content: dict[str, Any]) -> QMapNetwork:
    """The network of a file; ValueError if the weights are not those of its width, or no numbers.
    """
    weights = content["weights"]
    options = {name: value for name, value in content.get("options", {}).items()
               if _OF_OLD_FILES.get(name) != value}
    with torch.device("meta"):  # shapes only: a width may say anything
        expected = QMapNetwork(OBSERVATION.channels, content["width"], **options).state_dict()
    if any(t.shape != expected[k].shape or t.dtype != expected[k].dtype
           or not bool(t.isfinite().all()) for k, t in weights.items()) or len(weights) != len(
               expected):
        raise ValueError("other weights")
    network = QMapNetwork(OBSERVATION.channels, content["width"], **options)
    network.load_state_dict(weights)
    return network


def _read(file: Path) -> dict[str, Any]:
    try:
        _check_archive(file)
        content = torch.load(file, map_location="cpu", weights_only=True)
        if content["format"] != FORMAT or content["sha256"] != _sha256(content):
            raise _not_a_policy(file)
    except (RuntimeError, pickle.UnpicklingError, EOFError, OSError, ValueError, LookupError,
            TypeError, AttributeError, MemoryError, OverflowError, struct.error,
            zipfile.BadZipFile) as error:  # damaged bytes raise any of these
        raise _not_a_policy(file) from error
    return content


def _check_archive(file: Path) -> None:
    """Raises ValueError for an archive that would unpack to more than it is."""
    with zipfile.ZipFile(file) as archive:
        parts = archive.infolist()
    if any(part.compress_type != zipfile.ZIP_STORED for part in parts) or sum(
            part.file_size for part in parts) > file.stat().st_size:
        raise ValueError("packed parts")


def _sha256(content: dict[str, Any]) -> str:
    """Checksum of everything but itself."""
    plain = {key: value for key, value in content.items() if key not in ("weights", "sha256")}
    digest = hashlib.sha256(json.dumps(plain, sort_keys=True).encode())
    for name, tensor in sorted(content["weights"].items()):
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode())
        digest.update(tensor.contiguous().numpy().tobytes())
    return digest.hexdigest()


def _not_a_policy(file: Path) -> Exception:
    return fail(expected=f"a file of format {FORMAT}", given="something else or a damaged file",
                where=str(file), remedy="give a policy.pt written by 'firebreak train'")
