"""A snapshot of what a process holds, as one plain row for `memory.jsonl`."""

import sys
import threading
from typing import Any

import psutil

from firebreak.memory.owned import owned_bytes
from firebreak.memory.registry import live_counts


def rss_bytes() -> int:
    """Resident memory of this process."""
    return int(psutil.Process().memory_info().rss)


def peak_rss_bytes() -> int:
    """Highest resident memory of this process so far (the present one where that is not known)."""
    try:
        import resource
    except ImportError:  # Windows
        return rss_bytes()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak if sys.platform == "darwin" else peak * 1024)


def snapshot(phase: str, roots: dict[str, object]) -> dict[str, Any]:
    """RSS, memory of children, GPU memory, owned bytes by path, live objects, open files, threads.

    Args:
        phase: what the run has just done, e.g. "collect".
        roots: named objects whose arrays and tensors are walked.
    """
    process = psutil.Process()
    children = sum(child.memory_info().rss for child in process.children(recursive=True))
    return {
        "phase": phase, "rss_bytes": int(process.memory_info().rss), "children_bytes": children,
        "gpu_bytes": _gpu_bytes(), "owned_bytes": owned_bytes(roots), "live": live_counts(),
        "open_files": _open_files(process), "threads": threading.active_count()}


def _gpu_bytes() -> int:
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_available():
        return 0
    return int(torch.cuda.memory_allocated())


def _open_files(process: psutil.Process) -> int:
    try:
        return int(process.num_fds())
    except AttributeError:  # Windows counts handles
        return int(process.num_handles())
