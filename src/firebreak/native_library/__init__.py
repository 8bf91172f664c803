"""The native library: how Python hands arrays to the kernels of `src/native`, checked once."""

from firebreak.native_library.entries import ENTRIES, entry
from firebreak.native_library.layouts import WRITTEN, Held, hold, zeros
from firebreak.native_library.threads import max_threads, set_threads, thread_count

__all__ = [
    "ENTRIES",
    "WRITTEN",
    "Held",
    "entry",
    "hold",
    "max_threads",
    "set_threads",
    "thread_count",
    "zeros",
]
