"""How inner code is compiled, and where its machine code is kept.

numba's cache watches a function's own file and not the functions and constants that it uses from
others. So the folder of the cache carries a hash of all kernel sources: code that was compiled from
other sources is never loaded.
"""

import contextlib
import hashlib
import os
import shutil
import stat
import tempfile
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from multiprocessing import parent_process
from pathlib import Path
from typing import Any

import numba

KERNEL_SOURCES = ("**/*_kernel.py", "compiled.py", "layout.py", "line_actions.py", "seeding.py",
                  "fire/__init__.py", "fire/effects/keyed_random.py", "fire/solver/tables.py",
                  "fire/travel/simd*.py", "fire/travel/stencil.py", "units.py")
"""All files, below the package, that compiled code or its constants come from."""
FOLDERS_KEPT = 3


def compiled(**options: Any) -> Callable[[Callable], Any]:
    """numba.njit for functions that allocate nothing, such as all that runs per cell of a fire.

    Without numba's runtime no array is reference-counted; counting took a third of a fire's time.
    No fastmath: the order of evaluation is part of the promise that a fire has the same bits
    everywhere.
    """
    return _cached(_nrt=False, **options)


def compiled_arrays(**options: Any) -> Callable[[Callable], Any]:
    """numba.njit for functions that allocate or slice arrays, or run in several threads."""
    return _cached(**options)


def _cached(**options: Any) -> Callable[[Callable], Any]:
    def decorate(function: Callable) -> Any:
        folder = kernel_folder()
        with _numba_cache_in(folder):
            return numba.njit(cache=folder is not None, **options)(function)
    return decorate


@contextlib.contextmanager
def _numba_cache_in(folder: Path | None) -> Iterator[None]:
    """numba reads its folder when a function is decorated; other users of numba keep theirs."""
    before = numba.config.CACHE_DIR
    if folder is not None:
        numba.config.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        numba.config.CACHE_DIR = before


@cache
def kernel_folder() -> Path | None:
    """Where machine code of these very sources is kept; None where no folder can be written: then
    every process compiles for itself. Warns where it is not kept for good.
    """
    for parent in _parents():
        folder = parent / f"firebreak-kernels-{hash_of_sources()}"
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
            _check_owner(folder)
        except OSError:
            continue
        _remove_old(parent, folder)
        if parent == _scratch():
            _advise(f"is kept in {folder} only, which may be emptied")
        return folder
    _advise("cannot be kept anywhere, and is made anew by every command")
    return None


def _advise(what: str) -> None:
    """One sentence, of the first process alone."""
    if parent_process() is None:
        warnings.warn(f"machine code, which takes minutes to make, {what}: set NUMBA_CACHE_DIR to "
                      "a folder of yours that stays", stacklevel=2)


def hash_of_sources(package: Path = Path(__file__).parent) -> str:
    """Hash of the names and texts of KERNEL_SOURCES."""
    digest = hashlib.sha256()
    for path in sorted({path for rule in KERNEL_SOURCES for path in package.glob(rule)}):
        digest.update(f"{path.relative_to(package).as_posix()}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _parents() -> Iterator[Path]:
    """numba's own setting, beside the package, the user's cache, the system's temporary files."""
    if os.environ.get("NUMBA_CACHE_DIR"):
        yield Path(os.environ["NUMBA_CACHE_DIR"])
    yield Path(__file__).parent / "__pycache__"
    with contextlib.suppress(RuntimeError):  # a user without a home
        yield Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    with contextlib.suppress(FileNotFoundError):  # no folder for temporary files
        yield _scratch()


def _scratch() -> Path:
    """This user's folder of temporary files."""
    user = os.getuid() if hasattr(os, "getuid") else "user"
    return Path(tempfile.gettempdir()) / f"firebreak-{user}"


def _check_owner(folder: Path) -> None:
    """Machine code is run: a folder that others could have filled is not one to load it from."""
    if hasattr(os, "getuid"):
        found = folder.stat()
        if found.st_uid != os.getuid() or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise PermissionError(f"{folder} is not this user's alone")


def _remove_old(parent: Path, used: Path) -> None:
    """Removes the folders of sources that are no longer there, but for the last few used."""
    with contextlib.suppress(OSError):
        os.utime(used)
        folders = sorted(parent.glob("firebreak-kernels-*"), key=lambda path: path.stat().st_mtime)
        for folder in folders[:-FOLDERS_KEPT]:
            shutil.rmtree(folder, ignore_errors=True)
