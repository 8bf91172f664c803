"""Threads of the network stay as set, whatever burns afterwards."""

import os
import subprocess
import sys

import pytest

FRESH = """
import numba, torch
from firebreak.train.run.machine import use_network_threads
torch.set_num_threads(1)
torch.ones(100_000).sum()  # PyTorch takes the count that it is told until its first operation
use_network_threads(1)
numba.set_num_threads(2)
assert torch.get_num_threads() == 1, torch.get_num_threads()
"""


@pytest.mark.slow
def test_threads_that_burn_fires_leave_those_of_the_network_alone() -> None:
    """In a process whose first fire is yet to burn: starting its threads sets OpenMP's count."""
    done = subprocess.run([sys.executable, "-c", FRESH], capture_output=True, text=True,
                          env=os.environ | {"NUMBA_NUM_THREADS": "2"})
    assert done.returncode == 0, done.stderr
