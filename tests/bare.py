"""Runs that are not watched: for tests of what runs learn, not of what they hold."""

import gc
from typing import TYPE_CHECKING, Any

from firebreak.memory.profiler import SINGLE, Profiler

if TYPE_CHECKING:
    import pytest

NO_READING: dict[str, Any] = {name: 0 for name in SINGLE} | {
    name: {} for name in ("owned_bytes", "items", "live", "objects", "filled")}


def without_looks_at_memory(patch: "pytest.MonkeyPatch") -> None:
    """Runs neither read what they hold nor collect garbage. Among thousands of tests both take a
    good part of the time of a tiny run, and decide nothing of what it learns.
    """
    patch.setattr(Profiler, "_read", lambda _: dict(NO_READING))
    patch.setattr("firebreak.memory.profiler.mapped_bytes", lambda: None)
    patch.setattr(gc, "collect", lambda *_: 0)
