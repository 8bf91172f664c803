"""Policy files as versions before format 3 wrote them: torch's archive of a pickle."""

import hashlib
import json
from pathlib import Path
from typing import Any

import torch

from firebreak.agent.network import QMapNetwork
from firebreak.layout import OBSERVATION

Content = dict[str, Any]


def old_content(network: QMapNetwork, width: int, provenance: Content) -> Content:
    """What such a file holds, with its checksum."""
    return sealed({"format": "firebreak-policy-2", "channels": list(OBSERVATION.names),
                   "width": width, "options": {"mask_channel": None, "shapes": network.shapes},
                   "weights": network.state_dict(), "provenance": provenance})


def sealed(content: Content) -> Content:
    """The content with the checksum that belongs to it."""
    plain = {key: value for key, value in content.items() if key not in ("weights", "sha256")}
    digest = hashlib.sha256(json.dumps(plain, sort_keys=True).encode())
    for name, tensor in sorted(content["weights"].items()):
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode())
        digest.update(tensor.contiguous().numpy().tobytes())
    return content | {"sha256": digest.hexdigest()}


def save_old_policy(path: Path, network: QMapNetwork, width: int, provenance: Content) -> Path:
    """Writes such a file."""
    torch.save(old_content(network, width, provenance), path)
    return path
