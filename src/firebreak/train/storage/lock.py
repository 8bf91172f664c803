"""One process at a time writes into a run's folder."""

import contextlib
import errno
from collections.abc import Iterator
from pathlib import Path

import filelock

from firebreak.checks import fail
from firebreak.files import made_folder

LOCK = ".lock"
_NOT_OURS = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST)


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Holds a folder, which is made if missing. The system lets go of it when the process ends,
    however it ends.

    Raises:
        InputError: another process holds it, or it may not be written.
    """
    try:
        made_folder(folder)
        lock = filelock.FileLock(folder / LOCK)
        lock.acquire(timeout=0)
    except filelock.Timeout:
        raise fail(expected="a folder that no other run writes to", given="one in use",
                   where=str(folder), remedy="wait for the other run, or choose another --out"
                   ) from None
    except OSError as error:
        if error.errno not in _NOT_OURS:
            raise
        raise fail(expected="a folder that can be written", given=error.strerror or str(error),
                   where=str(folder), remedy="choose another --out") from None
    try:
        yield
    finally:
        lock.release()
