"""Writing of files: each is written beside its place, flushed to the disk, checked, and only then
renamed, so that a file is whole or not there.

Content is made in memory and written by plain writes, since these say when a disk is full: the
libraries of pictures, grids and shapes lose errors of the disk when they close a file.
"""

import contextlib
import errno
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from pathlib import Path

from firebreak.checks import InputError, fail
from firebreak.lifetime import MADE

_Note = Callable[[Path, Path], contextlib.AbstractContextManager[object]]
_NOTE: ContextVar[_Note] = ContextVar("_NOTE", default=lambda *_: contextlib.nullcontext())
_KEPT: ContextVar[frozenset[Path] | None] = ContextVar("_KEPT", default=None)


def without_links(path: str | Path) -> Path:
    """The path without links; also of a link to itself, for which `Path.resolve` raises."""
    return Path(os.path.realpath(path))


@contextlib.contextmanager
def keeping(inputs: Iterable[Path]) -> Iterator[None]:
    """Keep files that this thread writes in the block from taking the place of one of these, or
    those that `keep` adds.

    inputs: paths without links, see `without_links`.
    """
    token = _KEPT.set((_KEPT.get() or frozenset()) | frozenset(inputs))
    try:
        yield
    finally:
        _KEPT.reset(token)


def keep(inputs: Iterable[Path]) -> None:
    """Adds files to those of the `keeping` block; does nothing outside of one."""
    kept = _KEPT.get()
    if kept is not None:
        _KEPT.set(kept | frozenset(inputs))


def check_not_kept(path: Path) -> None:
    """Refuses a file to write that is read too; see `keeping`.

    Raises:
        InputError: it is one of them.
    """
    kept = _KEPT.get()
    if kept and without_links(path) in kept:
        raise fail(expected="a file to write that is not read", given="one of the files that the "
                   "results are made from", where=str(path), remedy="choose another name or folder")


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A path beside `path` to write to, by `write_pieces`; it takes its place when the block ends
    well.

    Whatever happens the old file or the new one is there, complete, and nothing is left beside.

    Raises:
        OSError: the disk is full or may not be written; the old file is as it was. It names `path`.
        InputError: see `check_not_kept`.
    """
    check_not_kept(path)
    # Threads, and processes of other machines with this one's number, may write the same path.
    beside = path.with_name(f".{path.name}.{os.getpid()}-{os.urandom(4).hex()}.tmp")
    with naming(path, beside):
        try:
            yield beside
            if not beside.is_file():
                raise OSError(errno.EIO, "nothing could be written")
            sync(beside)
            with _NOTE.get()(path, beside):
                os.replace(beside, path)
            sync(path.parent)
        finally:
            beside.unlink(missing_ok=True)


@contextlib.contextmanager
def noting(note: _Note) -> Iterator[None]:
    """Tells of every file that this thread writes by `replacing` in the block.

    note: called once the file is whole, with its path and the path beside; the file takes its place
        within the block that it makes, and where that raises the old file stays.
    """
    token = _NOTE.set(note)
    try:
        yield
    finally:
        _NOTE.reset(token)


@contextlib.contextmanager
def new_folder(folder: Path, beside: Path) -> Iterator[None]:
    """Makes `beside`, a folder to fill, which becomes `folder` when the block ends well.

    Raises:
        OSError: the disk is full or may not be written; nothing is left behind. It names `folder`.
    """
    with naming(folder, beside):
        try:
            beside.mkdir(parents=True)
            yield
            sync(beside)
            os.rename(beside, folder)
            sync(folder.parent)
        finally:
            shutil.rmtree(beside, ignore_errors=True)


def write_pieces(path: Path, pieces: Iterable[bytes | memoryview]) -> int:
    """Writes pieces to a path of `replacing` or in a folder of `new_folder`, flushed to the disk;
    returns their bytes.

    Raises:
        OSError: the disk does not take them all.
    """
    with path.open("wb") as file:
        size = sum(file.write(piece) for piece in pieces)
        file.flush()
        os.fsync(file.fileno())
    if path.stat().st_size != size:
        raise OSError(errno.EIO, "fewer bytes on the disk than were written", str(path))
    return size


def write_bytes(path: Path, *pieces: bytes | memoryview) -> None:
    """Writes a file; the old one stays until the new one is complete."""
    with replacing(path) as beside:
        write_pieces(beside, pieces)


def write_text(path: Path, text: str) -> None:
    """Writes a text file as UTF-8; the old one stays until the new one is complete."""
    write_bytes(path, text.encode())


@contextlib.contextmanager
def naming(path: Path, beside: Path) -> Iterator[None]:
    """Errors of the disk name the file that was wanted, not the one beside it."""
    try:
        yield
    except OSError as error:
        inside = str(error.filename or beside).startswith(str(beside))
        if error.errno is not None and inside:
            error.filename, error.filename2 = str(path), None
        raise


def made_folder(path: Path) -> Path:
    """A folder that someone named, made with those above it.

    Raises:
        InputError: it cannot be made there.
        OSError: the disk is full or fails.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO):
            raise
        given = ("a file" if os.path.isfile(path) else
                 "a link to nothing" if os.path.islink(path) and not os.path.exists(path) else
                 error.strerror or str(error))
        raise fail(expected="a folder that can be made", given=given, where=str(path),
                   remedy="choose another --out") from error
    return path


def check_folder(path: Path) -> None:
    """Refuses a folder that cannot be made or written to, before the work whose results it is for.
    Nothing that is made to find out stays.

    Raises:
        InputError: it is a file, cannot be made, or may not be written to.
        OSError: the disk is full or fails.
    """
    if _is_no_folder(path):
        raise fail(expected="a folder", given="a file", where=str(path),
                   remedy="choose another --out")
    missing = _missing(path)
    try:
        made_folder(path)
        with naming(path, path):
            tempfile.TemporaryFile(dir=path).close()
    except PermissionError as error:
        raise fail(expected="a folder that may be written to", given=error.strerror or str(error),
                   where=str(path), remedy="choose another --out") from error
    except FileNotFoundError:
        pass  # another command looked at the same time, and took it away
    finally:
        _remove_free(missing)


def _is_no_folder(path: Path) -> bool:
    """True of a path that is there and no folder. Asked once: another command may remove it."""
    try:
        return not stat.S_ISDIR(path.stat().st_mode)
    except OSError:
        return False


def _missing(path: Path) -> list[Path]:
    """A folder and those above that are missing, innermost first; not "new/..", which is there."""
    return [folder for folder in (path, *path.parents)
            if folder.name != ".." and not os.path.lexists(os.path.realpath(folder))]


@contextlib.contextmanager
def held_folder(path: Path | None) -> Iterator[None]:
    """Holds a folder that someone named, made if missing, while a command works for it: a second
    one is refused before its work, not after. None holds nothing.

    The system lets go of it when the process ends, however it ends, and no file marks it. One that
    was made and stays empty goes again. Where folders cannot be locked (NFS, Windows), none is
    held.

    Raises:
        InputError: another process or thread holds it, or it cannot be made.
    """
    if path is None:
        yield
        return
    missing = _missing(path)
    own = {os.path.abspath(folder) for folder in missing} - MADE
    MADE.update(own)
    try:
        made_folder(path)
        handle = _locked(path)
    except BaseException:
        _remove_free(missing)
        MADE.difference_update(own)
        raise
    try:
        yield
    finally:
        # While it is held: who waits for the lock sees that the folder is gone.
        if path in missing:
            _remove_empty(path, handle)
        _unlock(handle)
        # The folder itself once: another command may be making it anew.
        _remove_free([folder for folder in missing if folder != path])
        MADE.difference_update(own)


def _remove_free(folders: list[Path]) -> None:
    """Removes those in which nothing is and which no command holds."""
    for folder in folders:
        with contextlib.suppress(InputError):  # another command holds it
            lock = _locked(folder)
            _remove_empty(folder, lock)
            _unlock(lock)


def _remove_empty(folder: Path, handle: int | None) -> None:
    """Removes an empty folder; with the handle that holds it, not another of its name."""
    with contextlib.suppress(OSError):  # something is in it, or it is gone
        if handle is None or os.path.samestat(os.fstat(handle), folder.stat()):
            folder.rmdir()


def _unlock(handle: int | None) -> None:
    """Gives a lock back, also where a process that was forked meanwhile has its handle too."""
    if handle is None:
        return
    import fcntl

    fcntl.flock(handle, fcntl.LOCK_UN)
    os.close(handle)


def _locked(path: Path) -> int | None:
    """A handle that locks a folder until it is closed; None where that cannot be.

    Raises:
        InputError: it is locked.
    """
    try:
        import fcntl  # not all systems have it

        handle = os.open(path, os.O_RDONLY)
    except (ImportError, OSError):
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        is_free = path.exists() and os.path.samestat(os.fstat(handle), path.stat())
    except BlockingIOError:
        is_free = False
    except OSError:
        os.close(handle)
        return None
    if is_free:
        return handle
    os.close(handle)
    raise fail(expected="a folder that no other command writes to", given="one in use",
               where=str(path), remedy="wait until that has ended, or choose another folder")


def sync(path: Path) -> None:
    """Waits until a file, or the names in a folder, are on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
