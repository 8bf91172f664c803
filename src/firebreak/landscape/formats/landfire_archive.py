"""The archive that LANDFIRE's service sends: one landscape GeoTIFF among other files.

What an archive says of itself is checked before it is unpacked: how long its list of files is, how
the raster is packed, how large it will be. Names in it are never used as paths.
"""

import io
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO

from firebreak.checks import InputError, fail
from firebreak.files import write_pieces
from firebreak.landscape.formats.read import bands_by_role
from firebreak.landscape.formats.write import whole_file
from firebreak.landscape.raster.geotiff import open_raster

MOST_BYTES = 8_000_000_000
"""Of an archive or the raster in it."""
LONGEST_LIST = 4_000_000
"""Bytes of an archive's list of files; in memory each entry takes ten times as much."""
_PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_PIECE = 1 << 20


def landscape_of_archive(archive: Path, target: Path, layers: Sequence[str]) -> Path:
    """Extract the one raster of an archive to `target`; returns it.

    Raises:
        InputError: not a whole archive, no raster or several, one that is too large, is packed in
            another way than the service's, or lacks the requested layers.
    """
    try:
        with _Archive(archive.open("rb", buffering=0)) as file, zipfile.ZipFile(file) as opened:
            raster = _raster_in(opened, str(archive))
            with whole_file(target, "a GeoTIFF") as part:
                with _opened_in(opened, raster) as inside:
                    write_pieces(part, bounded(iter(lambda: _read(inside), b""), str(archive)))
                _check_bands(part, target, layers)
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, zlib.error) as error:
        raise fail(expected="a whole archive", given=f"'{error}'", where=str(archive),
                   remedy="fetch it again") from error
    return target


def bounded(pieces: Iterable[bytes], where: str) -> Iterator[bytes]:
    """Pieces of bytes, up to MOST_BYTES of them.

    Raises:
        InputError: there are more.
    """
    size = 0
    for piece in pieces:
        size += len(piece)
        if size > MOST_BYTES:
            raise _too_large(where)
        yield piece


class _Archive(io.BufferedReader):
    """A file whose list of members is not read where it is too long: `zipfile` reads it at once."""

    def read(self, size: int | None = -1, /) -> bytes:
        """So many bytes, or what is left."""
        if size is not None and size > LONGEST_LIST:
            raise zipfile.BadZipFile(f"a list of files of {size:,} bytes")
        return super().read(size)


def _raster_in(archive: zipfile.ZipFile, where: str) -> zipfile.ZipInfo:
    """The one raster of an archive, if unpacking it takes little memory and no more than MOST_BYTES
    of the disk.
    """
    rasters = [one for one in archive.infolist()
               if one.filename.lower().endswith((".tif", ".tiff")) and not one.is_dir()]
    if len(rasters) != 1:
        raise fail(expected="one GeoTIFF in the archive",
                   given=f"{len(rasters)} among {len(archive.infolist())} files",
                   where=where, remedy="read the service's messages")
    raster, = rasters
    if raster.compress_type not in _PACKED:
        # Of the other methods a piece is unpacked as a whole: 1 MB of bzip2 can be 20 GB.
        raise zipfile.BadZipFile(f"packing method {raster.compress_type}")
    if raster.file_size > MOST_BYTES:
        raise _too_large(where)
    return raster


def _opened_in(archive: zipfile.ZipFile, one: zipfile.ZipInfo) -> IO[bytes]:
    """A file of an archive. A place that lies outside of a damaged archive is no fault of the disk.
    """
    try:
        return archive.open(one)
    except OSError as error:
        raise zipfile.BadZipFile(f"{error.strerror or error}") from error


def _read(inside: IO[bytes]) -> bytes:
    try:
        return inside.read(_PIECE)
    except OSError as error:
        raise zipfile.BadZipFile(f"{error.strerror or error}") from error


def _check_bands(part: Path, target: Path, layers: Sequence[str]) -> None:
    with open_raster(part) as dataset:
        if dataset.count != len(layers):
            raise fail(expected=f"{len(layers)} bands, as requested", given=f"{dataset.count}",
                       where=str(target), remedy="fetch it again, or name fewer layers")
        bands_by_role(target, dataset.count, dataset.descriptions)


def _too_large(where: str) -> InputError:
    return fail(expected=f"at most {MOST_BYTES:,} bytes", given="more", where=where,
                remedy="ask for a smaller area with --bbox")
