"""Memory of a process as the operating system, the C heap, Python and the GPU tell it.

Native code can take memory that neither Python nor the C heap knows of. Only the system's list of
mappings has it. It says at least in which sort of mapping the memory lies (the heap, anonymous
mappings, stacks, files), and of a file its name.
"""

import ctypes
import os
import re
import sys
import threading
import tracemalloc
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

HEAP, ANONYMOUS, SHARED, STACK = "heap", "anonymous mappings", "shared mappings", "stack"
SMALL_FILES = "small files"
_SMAPS = Path("/proc/self/smaps")
_LARGE_FILE = 1_000_000  # resident bytes; smaller files are added up
_HEADER = re.compile(rb"[0-9a-f]+-[0-9a-f]+ \S+ [0-9a-f]+ \S+ \d+ *")
_LIBRARY = re.compile(r"\.so(\.[\d.]+)?$")
_NAMES = {"": ANONYMOUS, "[heap]": HEAP, "[stack]": STACK, "/dev/zero": SHARED}
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
    is_windows = not hasattr(process, "num_fds")  # it counts handles
    threads = Counter(_DIGITS.sub("#", thread.name) for thread in threading.enumerate())
    return {"rss_bytes": int(memory.rss), "vms_bytes": int(memory.vms), **_children(process),
            "open_files": int(process.num_handles() if is_windows else process.num_fds()),
            "file_kinds": _file_kinds(), "threads": threading.active_count(),
            "thread_kinds": dict(threads.most_common(_MAX_NAMES))}


def heap_row() -> dict[str, int | None]:
    """heap_bytes: what C code, so numpy and torch too, has allocated and not freed;
    heap_free_bytes: what the C library holds for later (both None where it does not tell);
    python_blocks: Python's own small allocations; python_heap_bytes: None unless `tracemalloc` is
    tracing.
    """
    traced = tracemalloc.get_traced_memory()[0] if tracemalloc.is_tracing() else None
    heap = None if _MALLINFO is None else _MALLINFO()
    return {"heap_bytes": None if heap is None else int(heap.uordblks + heap.hblkhd),
            "heap_free_bytes": None if heap is None else int(heap.fordblks),
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
    return heap_row()["heap_bytes"]


def mapped_bytes(smaps: Path = _SMAPS) -> dict[str, int] | None:
    """Bytes that are resident or swapped out by sort of mapping, e.g. {"heap": 90000000,
    "libtorch_cpu.so": 60000000}; None where the system does not tell.

    Source: proc_pid_smaps(5) of the Linux manual pages.
    """
    found: Counter[str] = Counter()
    sort = ""
    try:
        with smaps.open("rb") as lines:
            for line in lines:
                if line.startswith((b"Rss:", b"Swap:")):
                    found[sort] += 1024 * int(line.split()[1])
                elif not line.endswith(b" kB\n") and (header := _HEADER.match(line)):
                    sort = _sort_of(os.fsdecode(line[header.end():].strip()))
    except OSError:
        return None
    kept: Counter[str] = Counter()
    for sort, size in found.items():
        kept[SMALL_FILES if is_file(sort) and size < _LARGE_FILE else sort] += size
    return {sort: size for sort, size in kept.items() if size} or None


def is_file(sort: str) -> bool:
    """True of a sort of mapping that is a file, or the small ones of them."""
    return sort not in _NAMES.values() and not sort.startswith("[")


class _Mallinfo(ctypes.Structure):
    """glibc's `struct mallinfo2`: uordblks in use from arenas, hblkhd in mappings of their own,
    fordblks free in arenas.
    """

    _fields_ = [(name, ctypes.c_size_t) for name in (
        "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks",
        "fordblks", "keepcost")]


def _find_mallinfo() -> Callable[[], Any] | None:
    """glibc's `mallinfo2`; None where there is none."""
    if sys.platform != "linux":
        return None
    try:
        call = ctypes.CDLL(None).mallinfo2
    except (OSError, AttributeError):  # musl, or an older glibc
        return None
    call.restype = _Mallinfo
    return call


_MALLINFO = _find_mallinfo()


def _children(process: psutil.Process) -> dict[str, int]:
    """Count and memory of child processes: without files where the system tells the sorts of
    mappings, for the share of a library changes with what other programs run; else USS.
    """
    total = count = 0
    for child in process.children(recursive=True) if _may_have_children() else ():
        try:
            sorts = mapped_bytes(Path(f"/proc/{child.pid}/smaps"))
            total += (int(child.memory_full_info().uss) if sorts is None else
                      sum(size for sort, size in sorts.items() if not is_file(sort)))
        except (psutil.NoSuchProcess, psutil.AccessDenied):  # ended meanwhile, or not ours
            continue
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


def _sort_of(name: str) -> str:
    """A library by its file's name, another file by its path without digits, so that files with
    numbers in their names are one sort.
    """
    name = name.removesuffix(" (deleted)")
    if name.startswith("[anon"):  # named by whoever made it; a newer glibc does
        return ANONYMOUS
    if name in _NAMES or name.startswith("["):
        return _NAMES.get(name, name)
    last = name.rpartition("/")[2]
    return last if _LIBRARY.search(last) else _DIGITS.sub("#", name)
