"""The number of threads that burn fires."""

import os
import threading
from functools import cache
from pathlib import Path

from firebreak.checks import fail

_QUOTA = Path("/sys/fs/cgroup/cpu.max")
_OLD = Path("/sys/fs/cgroup/cpu")
_OLD_QUOTA = _OLD / "cpu.cfs_quota_us", _OLD / "cpu.cfs_period_us"
_OWN = threading.local()


def _quota() -> float:
    """Processors that a container's quota comes to; inf where there is none."""
    try:
        quota, period = _QUOTA.read_text().split()[:2]
        return float(quota) / float(period) if quota != "max" else float("inf")
    except (OSError, ValueError):
        pass
    try:
        quota, period = (path.read_text() for path in _OLD_QUOTA)
        return float(quota) / float(period) if float(quota) > 0 else float("inf")
    except (OSError, ValueError):
        return float("inf")


@cache
def max_threads() -> int:
    """The threads this process may use: FIREBREAK_THREADS, or the processors that it may use, those
    of its affinity, and at most a container's quota.
    """
    given = os.environ.get("FIREBREAK_THREADS", "")
    if not given:
        allowed = (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity")
                   else os.cpu_count() or 1)
        return max(1, int(min(allowed, max(_quota(), 1.0))))
    if not (given.isascii() and given.isdigit() and 1 <= int(given) <= 1024):
        raise fail(expected="1 to 1024 threads", given=f"'{given}'", where="FIREBREAK_THREADS",
                   remedy="correct it or unset it")
    return int(given)


def set_threads(count: int) -> None:
    """Sets how many threads burn fires, for the calling Python thread.

    Raises:
        InputError: below 1, or above what the process may use.
    """
    most = max_threads()
    if isinstance(count, bool) or count not in range(1, most + 1):
        raise fail(expected=f"1 to {most} threads, or 0 for all", given=f"{count}",
                   where="--threads", remedy="choose one of them, or raise FIREBREAK_THREADS "
                                              "before starting")
    _OWN.count = count


def thread_count() -> int:
    """The number of threads that burn fires for the calling Python thread."""
    return getattr(_OWN, "count", None) or max_threads()
