"""Threads of the network, beside those that burn fires."""

import torch

from firebreak.fire.engine import start_threads


def use_network_threads(count: int) -> None:
    """Sets PyTorch's threads for the calling Python thread; other counts round sums otherwise.

    Starting the threads that burn fires would set the count anew, so they are started before.
    """
    start_threads()
    torch.set_num_threads(count)
