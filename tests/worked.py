"""Things that workers hold in tests of executors; importable by name in another process."""

import ctypes
import os
import signal
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import fail
from firebreak.seeding import generator


class Tally:
    """Sums of named draws, with a payload to add, and ways to go wrong."""

    def __init__(self, base: int = 0) -> None:
        self.base, self.payload = base, np.zeros(1)
        self.calls = 0

    def receive(self, payload: NDArray[np.float64]) -> None:
        self.payload = payload

    def drawn(self, seed: int, chunk: int) -> float:
        return float(generator(seed, "tally", chunk).random(1000).sum()) + self.base

    def weighted(self, chunk: int) -> float:
        return float(self.payload.sum()) * chunk

    def doubled(self, values: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        return {"doubled": values * 2.0}

    def count(self) -> int:
        self.calls += 1
        return self.calls

    def process_id(self) -> int:
        return os.getpid()

    def killed_once(self, seed: int, chunk: int, marker: str) -> float:
        """Dies by SIGKILL in the middle of the chunk that finds the marker file."""
        if chunk == 3 and Path(marker).exists():
            Path(marker).unlink()
            os.kill(os.getpid(), signal.SIGKILL)
        return self.drawn(seed, chunk)

    def killed(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def hangs_once(self, marker: str) -> str:
        if Path(marker).exists():
            Path(marker).unlink()
            time.sleep(60)
        return "answered"

    def deaf(self) -> None:
        """Minutes in native code that keeps Python's lock, as kernels do: no thread runs."""
        ctypes.PyDLL(None).sleep(300)

    def late(self, seconds: float, chunk: int) -> int:
        time.sleep(seconds)
        return chunk

    def bad_input(self) -> None:
        raise fail(expected="a good call", given="a bad one", where="test", remedy="mend it")

    def raises(self) -> None:
        raise ZeroDivisionError("planted")


class SlowToRead:
    """Takes minutes where it is read, as what is first imported takes seconds."""

    def __reduce__(self) -> tuple[object, ...]:
        return time.sleep, (300,)


def make_tally(base: int = 0) -> Tally:
    return Tally(base)


def make_nothing() -> Tally:
    raise fail(expected="a recipe that works", given="none", where="test", remedy="mend it")
