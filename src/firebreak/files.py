"""Files that are whole or not there: written beside, flushed to the disk, renamed."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def replacing(path: Path, ending: str = ".tmp") -> Iterator[Path]:
    """A path beside `path` to write to; it takes its place when the block ends well.

    Whatever happens the old file or the new one is there, complete, and nothing is left beside.

    Args:
        ending: of the path beside, for writers that go by it.

    Raises:
        OSError: the disk is full or may not be written; the old file is as it was.
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}{ending}")
    try:
        yield beside
        sync(beside)
        os.replace(beside, path)
        sync(path.parent)
    except RuntimeError as error:  # what torch raises where the disk is full
        if isinstance(error, RecursionError | NotImplementedError):
            raise
        raise OSError(f"{path}: {str(error).splitlines()[0]}") from error
    finally:
        beside.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Writes a text file as UTF-8; the old one stays until the new one is complete."""
    with replacing(path) as beside:
        beside.write_text(text, encoding="utf-8")


def sync(path: Path) -> None:
    """Waits until a file, or the names in a folder, are on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
