"""Resident memory by the sort of mapping it lies in: the heap, anonymous mappings, stacks, files.

Native code can take memory that neither Python nor the C heap knows of. Only the system's list of
mappings has it. It says at least in which sort of mapping the memory lies, and of a file its name.
"""

import os
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

HEAP, ANONYMOUS, SHARED, STACK = "heap", "anonymous mappings", "shared mappings", "stack"
SMALL_FILES = "small files"
_SMAPS = Path("/proc/self/smaps")
_LARGE_FILE = 1_000_000  # resident bytes; smaller files are added up
_HEADER = re.compile(rb"[0-9a-f]+-[0-9a-f]+ \S+ [0-9a-f]+ \S+ \d+ *")
_LIBRARY = re.compile(r"\.so(\.[\d.]+)?$")
_DIGITS = re.compile(r"\d+")
_NAMES = {"": ANONYMOUS, "[heap]": HEAP, "[stack]": STACK, "/dev/zero": SHARED}


def mapped_bytes(smaps: Path = _SMAPS) -> dict[str, int] | None:
    """Bytes that are resident or swapped out by sort of mapping, e.g. {"heap": 90000000,
    "libtorch_cpu.so": 60000000}; None where the system does not tell.

    Source: proc_pid_smaps(5) of the Linux manual pages.
    """
    try:
        with smaps.open("rb") as lines:
            found = _by_sort(lines)
    except OSError:
        return None
    return _small_files_together(found) if found else None


def is_file(sort: str) -> bool:
    """Whether the sort of mapping is a file, or the small ones of them."""
    return sort not in _NAMES.values() and not sort.startswith("[")


def _by_sort(lines: Iterable[bytes]) -> Counter[str]:
    total: Counter[str] = Counter()
    sort = ""
    for line in lines:
        if line.startswith((b"Rss:", b"Swap:")):
            total[sort] += 1024 * int(line.split()[1])
        elif not line.endswith(b" kB\n") and (header := _HEADER.match(line)):
            sort = _sort_of(os.fsdecode(line[header.end():].strip()))
    return total


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


def _small_files_together(found: Counter[str]) -> dict[str, int]:
    kept: Counter[str] = Counter()
    for sort, size in found.items():
        kept[SMALL_FILES if is_file(sort) and size < _LARGE_FILE else sort] += size
    return {sort: size for sort, size in kept.items() if size}
