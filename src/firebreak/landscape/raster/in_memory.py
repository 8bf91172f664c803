"""Rasters that GDAL makes in memory. GDAL loses errors that it meets when it closes a file, so what
it made is read back before anything of it goes to a disk.
"""

import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from rasterio._err import CPLE_BaseError  # what GDAL raises where rasterio lets it pass
from rasterio.errors import NotGeoreferencedWarning, RasterioError
from rasterio.io import DatasetReader, DatasetWriter, MemoryFile

from firebreak.checks import ResourceFailedError


def raster_bytes(target: Path, profile: Mapping[str, Any], bands: Iterable[np.ndarray],
                 finish: Callable[[DatasetWriter], None]) -> bytes:
    """The bytes of a raster, which has been read back.

    Args:
        target: the file that it will be, for errors.
        profile: driver, size, type and the like, as rasterio takes them.
        bands: [H, W] each, of the profile's type.
        finish: sets descriptions, tags and colours, when all bands are written.

    Raises:
        ResourceFailedError: GDAL cannot make it, as when memory is short.
    """
    with unnamed_places(), gdal_faults(target), MemoryFile() as memory:
        sums = []
        with memory.open(**profile) as made:
            for index, band in enumerate(bands, start=1):
                made.write(band, index)
                sums.append(_sum(band))
            finish(made)
        with memory.open() as back:
            check_bands(back, sums, target)
        return bytes(memory.getbuffer())


@contextmanager
def unnamed_places() -> Iterator[None]:
    """No warning of a raster without a reference system: the reader of the landscape gave it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotGeoreferencedWarning)
        yield


@contextmanager
def gdal_faults(target: Path) -> Iterator[None]:
    """Errors of GDAL, which writes to memory only, in one sentence."""
    try:
        yield
    except (RasterioError, CPLE_BaseError) as error:
        raise _not_made(target, " ".join(str(error).split()).rstrip(".")) from error


def check_bands(made: DatasetReader, sums: Sequence[int], target: Path) -> None:
    """Raises ResourceFailedError where bands are not those of `sums_of`."""
    if sums_of(made) != list(sums):
        raise _not_made(target, "other numbers are read back")


def sums_of(dataset: DatasetReader) -> list[int]:
    """A checksum of the numbers of each band."""
    return [_sum(dataset.read(index)) for index in dataset.indexes]


def _sum(band: np.ndarray) -> int:
    return zlib.crc32(np.ascontiguousarray(band).data)


def _not_made(target: Path, reason: str) -> ResourceFailedError:
    return ResourceFailedError(f"{target}: the raster could not be made in memory ({reason}); "
                               "free memory or use a smaller map")
