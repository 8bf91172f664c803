"""Names of the native library's files: by its sources, and by the processor that it is for.

The build script loads this file by itself, so it needs nothing but Python.
"""

import hashlib
import platform
import sys
from pathlib import Path

BUILT = Path(__file__).parent / "built"
ENDING = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")
LEVELS = {
    "x86-64-v4": "avx512f avx512bw avx512cd avx512dq avx512vl",
    "x86-64-v3": "avx avx2 bmi1 bmi2 f16c fma abm movbe",
    "x86-64-v2": "cx16 popcnt pni sse4_1 sse4_2 ssse3",
}
"""Levels of the instruction set that a wheel has a library for, the best one first, and the flags
that each adds in Linux's /proc/cpuinfo (x86-64 psABI 1.0, table 3.1)."""


def processor_flags() -> frozenset[str]:
    """Instruction sets of this processor as Linux names them; none where that is not told."""
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as info:
            for line in info:
                name, _, flags = line.partition(":")
                if name.strip() in ("flags", "Features"):
                    return frozenset(flags.split())
    except OSError:
        pass
    return frozenset()


def levels_here() -> tuple[str, ...]:
    """The levels that this processor has, the best one first."""
    flags, found = processor_flags(), list[str]()
    for level in reversed(LEVELS):
        if not set(LEVELS[level].split()) <= flags:
            break
        found.insert(0, level)
    return tuple(found)


def source_hash(sources: Path) -> str:
    """Hash of the names and texts of all sources."""
    digest = hashlib.sha256()
    for path in sorted(path for ending in ("h", "cpp") for path in sources.glob(f"*.{ending}")):
        digest.update(f"{path.name}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def processor_hash() -> str:
    """Hash of what a library built for this very machine depends on."""
    text = " ".join((sys.platform, platform.machine(), *sorted(processor_flags())))
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def sum_of(path: Path) -> Path:
    """The file that says which bytes a library has."""
    return path.with_suffix(path.suffix + ".sha256")


def is_whole(path: Path) -> bool:
    """Tells whether a library is there with the bytes that it was built with."""
    try:
        return (sum_of(path).read_text(encoding="ascii")
                == hashlib.sha256(path.read_bytes()).hexdigest())
    except (OSError, ValueError):
        return False


def sources_of(package: Path = Path(__file__).parents[1]) -> Path | None:
    """The sources of a checkout that this package lies in; None where it is installed."""
    folder = package.parent / "native"
    return folder if package.parent.name == "src" and (folder / "structs.h").is_file() else None


def built_name(sources: str, level: str) -> str:
    """File name of the library of these sources, for a level of the instruction set or "here-"
    and a processor's hash.
    """
    return f"kernels-{sources}-{level}{ENDING}"
