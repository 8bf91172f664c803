"""Loading the native library: the one built of these sources, for this processor."""

import ctypes
import os
from functools import cache
from pathlib import Path

from firebreak.checks import ResourceFailedError
from firebreak.native_library.names import (
    BUILT,
    SOURCES,
    levels_here,
    library_name,
    processor_hash,
    source_hash,
)


def library_path(built: Path = BUILT, sources: Path = SOURCES) -> Path:
    """The library to load.

    Raises:
        ResourceFailedError: there is none of these sources for this processor.
    """
    own = source_hash(sources) if sources.is_dir() else "*"
    for level in (f"here-{processor_hash()}", *levels_here(), "any"):
        found = sorted(built.glob(library_name(own, level)))
        if found:
            return found[0]
    fault = ("is of other sources or for another processor" if any(built.glob("kernels-*"))
             else "is not built")
    raise ResourceFailedError(
        f"the native library {fault}; build it with 'python3 scripts/run.py setup' or 'pip install "
        "-e .' in the checkout")


@cache
def library() -> ctypes.CDLL:
    """The native library; FIREBREAK_NATIVE names another folder that it is built into.

    Raises:
        ResourceFailedError: there is none, or the system cannot load it.
    """
    path = library_path(Path(os.environ.get("FIREBREAK_NATIVE") or BUILT))
    try:
        return ctypes.CDLL(str(path))
    except OSError as error:
        raise ResourceFailedError(
            f"the native library {path} cannot be loaded ({error}); build it again with 'python3 "
            "scripts/run.py setup'") from None
