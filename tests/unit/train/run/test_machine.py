"""Threads of the network stay as set, whatever burns."""

import os
import subprocess
import sys

import pytest

FRESH = """
import firebreak, torch
from firebreak.native_library import set_threads
torch.set_num_threads(1)
torch.ones(100_000).sum()  # PyTorch takes the count that it is told until its first operation
set_threads(2)
firebreak.simulate("synthetic:1:20", fires=20, quiet=True)
assert torch.get_num_threads() == 1, torch.get_num_threads()
"""


@pytest.mark.slow
def test_threads_that_burn_fires_leave_those_of_the_network_alone() -> None:
    done = subprocess.run([sys.executable, "-c", FRESH], capture_output=True, text=True,
                          env=os.environ | {"FIREBREAK_THREADS": "2"})
    assert done.returncode == 0, done.stderr
