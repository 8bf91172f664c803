"""The memory that is free for this process, the one check of what is asked for before it is taken,
and what a process holds on to when it is done.
"""

import contextlib
import ctypes
from collections.abc import Iterator, Mapping
from pathlib import Path

import psutil

from firebreak.checks import fail

_GROUPS = Path("/sys/fs/cgroup")
_OWN = Path("/proc/self/cgroup")


def free_bytes() -> int:
    """Bytes that can still be taken, of the machine or of a container or batch job's limit."""
    return max(min([int(psutil.virtual_memory().available), *_left_in_groups()]), 0)


def check_free(parts: Mapping[str, int], *, where: str, remedy: str) -> None:
    """Refuses what would not fit the memory that is free, before any of it is taken.

    Args:
        parts: bytes by what they are for, with the settings that they come from; the largest are
            named in the error.
        where, remedy: for the error.

    Raises:
        InputError: naming both sizes and the largest parts.
    """
    needed, free = sum(parts.values()), free_bytes()
    if needed <= free:
        return
    largest = sorted(parts.items(), key=lambda part: -part[1])[:3]
    named = ", ".join(f"{in_gb(size)} for {name}" for name, size in largest)
    total = f"{in_gb(needed)}: " if len(parts) > 1 else ""
    raise fail(expected=f"at most {in_gb(free)} of free memory", given=f"{total}{named}",
               where=where, remedy=remedy)


def give_back_freed() -> None:
    """Gives the operating system the pages that this process has freed and its C library holds for
    what comes next: where what comes next is of other sizes, they would lie beside it. Only the GNU
    library holds many and can be asked; with others nothing happens.
    """
    # None is the program itself with all that it has loaded, which not every system offers.
    with contextlib.suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def in_gb(size: int) -> str:
    """Bytes in words; whole numbers of any length."""
    return f"{size / 1e9:.1f} GB" if size < 10**15 else "more than 1,000,000 GB"


def _left_in_groups() -> Iterator[int]:
    """Yield the memory that the limit of each control group above this process leaves; what files
    are cached in is given back when it is needed, and counts as free.
    """
    for folder, limit_name, used_name in _memory_groups():
        with contextlib.suppress(OSError, ValueError):  # no limit is "max", or no such file
            limit = int((folder / limit_name).read_text())
            used = int((folder / used_name).read_text())
            yield limit - used + _cached(folder)


def _memory_groups() -> Iterator[tuple[Path, str, str]]:
    """Folders of the control groups of both versions, from this process's own up to the root."""
    try:
        lines = _OWN.read_text().splitlines()
    except OSError:  # not Linux
        return
    for line in lines:
        _, kinds, path = line.split(":", 2)
        if kinds == "":
            root, names = _GROUPS, ("memory.max", "memory.current")
        elif "memory" in kinds.split(","):
            root, names = _GROUPS / "memory", ("memory.limit_in_bytes", "memory.usage_in_bytes")
        else:
            continue
        own = root / path.lstrip("/")
        for folder in [own, *own.parents]:
            yield folder, *names
            if folder == root:
                break


def _cached(folder: Path) -> int:
    """Bytes of files that a group holds and has not used lately."""
    for line in (folder / "memory.stat").read_text().splitlines():
        name, _, number = line.partition(" ")
        if name in ("inactive_file", "total_inactive_file"):
            return int(number)
    return 0
