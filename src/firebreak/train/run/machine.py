"""The machine that a run is on: threads of the network, and all that its bits depend on besides
its configuration.
"""

import platform
from typing import Any

import numpy as np
import torch


def use_network_threads(count: int) -> None:
    """Sets PyTorch's threads for the calling Python thread; other counts round sums otherwise."""
    torch.set_num_threads(count)


def machine_of(device: torch.device) -> dict[str, Any]:
    """What the bits of a run depend on besides its configuration. device: of its networks."""
    return {"device": device.type, "torch": torch.__version__,
            "network threads": torch.get_num_threads(), "numpy": np.__version__,
            "processor": platform.machine()}
