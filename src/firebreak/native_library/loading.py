"""Loading the native library: the one built of these sources, for this processor."""

import ctypes
import os
from functools import cache
from pathlib import Path

from firebreak.checks import ResourceFailedError
from firebreak.native_library.names import (
    BUILT,
    built_name,
    is_whole,
    levels_here,
    processor_hash,
    source_hash,
    sources_of,
)


def find_built(built: Path, sources: Path | None) -> Path:
    """The library to load. sources: those that it must be of; None for any.

    Raises:
        ResourceFailedError: there is none of these sources for this processor.
    """
    own = "*" if sources is None else source_hash(sources)
    for level in (f"here-{processor_hash()}", *levels_here(), "any"):
        for path in sorted(built.glob(built_name(own, level))):
            if is_whole(path):
                return path
    fault = ("is damaged, of other sources or for another processor"
             if any(built.glob("kernels-*")) else "is not built")
    remedy = ("install firebreak again" if sources is None else
              "build it with 'python3 scripts/run.py setup' or 'pip install -e .' in the checkout")
    raise ResourceFailedError(f"the native library {fault}; {remedy}")


@cache
def library() -> ctypes.CDLL:
    """The native library; FIREBREAK_NATIVE names another folder that it is built into.

    Raises:
        ResourceFailedError: there is none, or the system cannot load it.
    """
    path = find_built(Path(os.environ.get("FIREBREAK_NATIVE") or BUILT), sources_of())
    try:
        return ctypes.CDLL(str(path))
    except OSError as error:
        raise ResourceFailedError(
            f"the native library {path} cannot be loaded ({error}); remove it and build it again "
            "with 'python3 scripts/run.py setup', or install firebreak again") from None
