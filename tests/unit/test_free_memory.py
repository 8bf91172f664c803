"""What a process has freed goes back to the operating system when it is asked to."""

import ctypes
import json
import subprocess
import sys

import pytest

from firebreak import free_memory

PIECES_FREED_AROUND_OTHERS = """
import json
import numpy as np
from firebreak.free_memory import give_back_freed

def taken():
    for line in open("/proc/self/status"):
        if line.startswith("VmRSS"):
            return int(line.split()[1]) * 1024

before = taken()
pieces = [np.ones(100_000, np.uint8) for _ in range(2_000)]
held = pieces[::20]
del pieces
freed = taken()
give_back_freed()
assert all(piece.all() for piece in held)
print(json.dumps([freed - before, taken() - before]))
"""
GNU = pytest.mark.skipif(
    sys.platform != "linux" or not hasattr(ctypes.CDLL(None), "malloc_trim"),
    reason="needs the GNU C library")


@GNU
def test_pieces_between_others_that_stay_are_given_back() -> None:
    done = subprocess.run([sys.executable, "-c", PIECES_FREED_AROUND_OTHERS], capture_output=True,
                          text=True, check=True)
    freed, given_back = json.loads(done.stdout)
    assert freed > 150_000_000, "the C library gives it back by itself: the call is needed no more"
    assert given_back < 40_000_000


def test_nothing_happens_where_the_library_cannot_be_asked(monkeypatch: pytest.MonkeyPatch,
                                                           ) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda _name: object())
    free_memory.give_back_freed()
