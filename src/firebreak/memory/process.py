"""What the operating system, the C heap, Python and the GPU say about a process."""

import ctypes
import os
import re
import sys
import threading
import tracemalloc
from collections import Counter
from collections.abc import Callable
from typing import Any

import psutil

_DIGITS = re.compile(r"\d+")
_MAX_NAMES = 12  # kinds of files and threads that a row names


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


def process_row() -> dict[str, Any]:
    """Resident and virtual memory, children, open files and threads by kind."""
    process = psutil.Process()
    memory = process.memory_info()
    return {"rss_bytes": int(memory.rss), "vms_bytes": int(memory.vms),
            **_children(process), "open_files": _open_files(process), "file_kinds": _file_kinds(),
            "threads": threading.active_count(), "thread_kinds": _thread_kinds()}


def heap_row() -> dict[str, int | None]:
    """heap_bytes: what C code, so numpy and torch too, has allocated and not freed;
    heap_free_bytes: what the C library holds for later (both None where it does not tell);
    python_blocks: Python's own small allocations; python_heap_bytes: None unless `tracemalloc` is
    tracing.
    """
    traced = tracemalloc.get_traced_memory()[0] if tracemalloc.is_tracing() else None
    used, free = (None, None) if _MALLINFO is None else _MALLINFO()
    return {"heap_bytes": used, "heap_free_bytes": free,
            "python_blocks": sys.getallocatedblocks(), "python_heap_bytes": traced}


def gpu_row() -> dict[str, int]:
    """Bytes of torch's allocator on the GPU: in tensors, held, and the most in tensors so far."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_available():
        return {"gpu_bytes": 0, "gpu_reserved_bytes": 0, "gpu_peak_bytes": 0}
    return {"gpu_bytes": int(torch.cuda.memory_allocated()),
            "gpu_reserved_bytes": int(torch.cuda.memory_reserved()),
            "gpu_peak_bytes": int(torch.cuda.max_memory_allocated())}


def gpu_share_used() -> float:
    """Share of the GPU's memory in use by anybody; 0 without one."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_available():
        return 0.0
    free, total = torch.cuda.mem_get_info()
    return 1.0 - free / total


def heap_bytes() -> int | None:
    """Bytes that C code has allocated and not freed, exact to the byte (glibc 2.33 or newer)."""
    return None if _MALLINFO is None else _MALLINFO()[0]


class _Mallinfo(ctypes.Structure):
    """glibc's `struct mallinfo2`: uordblks in use from arenas, hblkhd in mappings of their own,
    fordblks free in arenas.
    """

    _fields_ = [(name, ctypes.c_size_t) for name in (
        "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks",
        "fordblks", "keepcost")]


def _find_mallinfo() -> Callable[[], tuple[int, int]] | None:
    """What tells the bytes in use, and those held free."""
    if sys.platform != "linux":
        return None
    try:
        call = ctypes.CDLL(None).mallinfo2
    except (OSError, AttributeError):  # musl, or an older glibc
        return None
    call.restype = _Mallinfo

    def in_use_and_free() -> tuple[int, int]:
        answer = call()
        return int(answer.uordblks + answer.hblkhd), int(answer.fordblks)
    return in_use_and_free


_MALLINFO = _find_mallinfo()


def _children(process: psutil.Process) -> dict[str, int]:
    """Count and memory of child processes: PSS where the system has it, else USS."""
    total = count = 0
    for child in process.children(recursive=True) if _may_have_children() else ():
        try:
            memory = child.memory_full_info()
        except (psutil.NoSuchProcess, psutil.AccessDenied):  # ended meanwhile, or not ours
            continue
        total += int(getattr(memory, "pss", memory.uss))
        count += 1
    return {"children": count, "children_bytes": total}


def _may_have_children() -> bool:
    """Linux keeps a list for each thread; looking through all processes takes far longer."""
    try:
        for thread in os.listdir("/proc/self/task"):
            with open(f"/proc/self/task/{thread}/children", encoding="ascii") as listed:
                if listed.read(1):
                    return True
    except OSError:  # another system, or a thread that ended meanwhile
        return True
    return False


def _open_files(process: psutil.Process) -> int:
    try:
        return int(process.num_fds())
    except AttributeError:  # Windows counts handles
        return int(process.num_handles())


def _file_kinds() -> dict[str, int]:
    """Open files by name without digits, e.g. {"pipe:[#]": 2}; empty where /proc is not there."""
    try:
        numbers = os.listdir("/proc/self/fd")
    except OSError:
        return {}
    kinds: Counter[str] = Counter()
    for number in numbers:
        try:
            kinds[_DIGITS.sub("#", os.path.basename(os.readlink(f"/proc/self/fd/{number}")))] += 1
        except OSError:  # the one that listed the folder
            continue
    return dict(kinds.most_common(_MAX_NAMES))


def _thread_kinds() -> dict[str, int]:
    kinds = Counter(_DIGITS.sub("#", thread.name) for thread in threading.enumerate())
    return dict(kinds.most_common(_MAX_NAMES))
