"""ESRI ASCII grids: text rasters with a header of six lines, and a .prj beside them at best.

Read leniently where writers differ (header keys in any case and order, corner or centre of the
south-west cell, numbers such as 16.0, "nan", any line ends and blanks) and strictly where a cell
could get lost: the count of values must be the header's.
"""

import math
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
import rasterio
from numpy.typing import NDArray
from rasterio.crs import CRS
from rasterio.errors import CRSError

from firebreak.checks import InputError, fail
from firebreak.landscape.raster.geotiff import (
    SQUARE_TOLERANCE,
    Band,
    Grid,
    check_size,
    make_grid,
    valid_cells,
    vertical_unit,
)
from firebreak.landscape.raster.parts import PER_CELL, Placed, check_bytes
from firebreak.reading import MOST_SETTINGS, check_file, is_number, number_in, text_of

SUFFIX = ".asc"

_DEFAULT_NODATA = -9999.0
_LONGEST_VALUE = 64  # characters with its blank; a file of more per cell is not this grid
_HEADER_BYTES = 4096
_PIECE = 1 << 20  # bytes of a line that are taken apart at a time
_KEYS = ("ncols", "nrows", "xllcorner", "xllcenter", "yllcorner", "yllcenter", "cellsize",
         "nodata_value")
_SAME_KEYS = {"dx": "cellsize", "dy": "cellsize"}


class AsciiHeader(NamedTuple):
    """Rows, columns, affine (a, b, c, d, e, f) of the north-west corner, no-data value (or nan)."""

    rows: int
    cols: int
    transform: tuple[float, float, float, float, float, float]
    nodata: float


def is_ascii_grid(path: Path) -> bool:
    """True where a file's name says that it is one."""
    return path.suffix.lower() == SUFFIX


def read_ascii_grid(path: Path, crs: str | None = None, *,
                    over: Placed | None = None) -> tuple[Grid, Band]:
    """The grid and the numbers (float64) of an ASCII grid; `crs` replaces that of its .prj.

    over: the landscape that it lies beside, if any; else it is a landscape's own layer.

    Raises:
        InputError: missing, a header that is incomplete or absurd, values that are no numbers or
            too many or too few (with the line), a reference system that is unusable, too large.
    """
    check_file(path, "an ASCII grid", filled=True)
    with path.open("rb") as file:
        found, line = _header_lines(file, path)
        header = _checked_header(found, path)
        _check_length(header, path)
        if over is not None and (header.rows, header.cols) != over.shape:
            check_bytes(header.rows * header.cols * (8 + PER_CELL), over, str(path),
                        f"{header.rows:,} x {header.cols:,} cells")
        values = _numbers(file, line, header, path)
    beside = None
    with suppress(InputError) if crs is not None else nullcontext():  # it is replaced, if readable
        beside = _beside(path)
    system = None if crs is not None else beside
    grid = make_grid(str(path), values.shape, header.transform, system, crs)
    return grid, Band(path.stem, {}, values, valid_cells(values, header.nodata), str(path),
                      datum_unit=vertical_unit(beside))


def _header_lines(file: BinaryIO, path: Path) -> tuple[dict[str, tuple[int, str]], int]:
    """key -> (line, text), and how many lines that were; the file then stands at the first row."""
    found: dict[str, tuple[int, str]] = {}
    line = 0
    while len(found) < len(_KEYS):
        start = file.tell()
        raw = file.readline(_HEADER_BYTES)
        words = raw.decode("latin-1").removeprefix("\xef\xbb\xbf").split()
        if raw and not words:
            line += 1
            continue
        if not raw or is_number(words[0]) or _comma(words[0]):
            file.seek(start)
            break
        line += 1
        key = words[0].lower()
        key = _SAME_KEYS.get(key, key)
        if key not in _KEYS or len(words) < 2:
            raise fail(expected=f"a header line such as 'ncols 100' ({', '.join(_KEYS)})",
                       given=f"'{' '.join(words)[:40]}'", where=f"{path}, line {line}",
                       remedy="check that the file is an ESRI ASCII grid")
        if key in found and key == "cellsize" and not _is_same(found[key][1], words[1]):
            raise fail(expected="square cells", given=f"{found[key][1]} x {words[1]}",
                       where=f"{path}, line {line}",
                       remedy="resample it to square cells, for example with gdalwarp -tr")
        found[key] = (line, words[1])
    return found, line


def _is_same(one: str, other: str) -> bool:
    """True for sides of a cell that differ by the rounding of a writer at most."""
    return one == other or (is_number(one) and is_number(other) and math.isclose(
        number_in(one), number_in(other), rel_tol=SQUARE_TOLERANCE))


def _comma(word: str) -> str:
    """Words about a decimal comma, if a word is a number with one; else ""."""
    return (", a decimal comma instead of a point in all numbers of the file"
            if "," in word and is_number(word.replace(",", ".", 1)) else "")


def _checked_header(found: dict[str, tuple[int, str]], path: Path) -> AsciiHeader:
    def number(*keys: str) -> float:
        key = next((key for key in keys if key in found), None)
        if key is None:
            raise fail(expected=f"{' or '.join(keys)} in the header", given="none", where=str(path),
                       remedy="check that the file is an ESRI ASCII grid")
        if not is_number(found[key][1]):
            raise wrong(key, f"a number for {key}", f"'{found[key][1]}'" + _comma(found[key][1]))
        return number_in(found[key][1])

    def wrong(key: str, expected: str, given: str) -> InputError:
        return fail(expected=expected, given=given, where=f"{path}, line {found[key][0]}",
                    remedy="correct the header")

    rows, cols, cell = number("nrows"), number("ncols"), number("cellsize")
    for name, value in (("nrows", rows), ("ncols", cols)):
        if not (value >= 1 and value == np.floor(value) and np.isfinite(value)):
            raise wrong(name, f"a whole {name} of 1 or more", f"{value:g}")
    if not (cell > 0 and np.isfinite(cell)):
        raise wrong("cellsize", "a cellsize above 0", f"{cell:g}")
    west = number("xllcorner", "xllcenter") - (0.0 if "xllcorner" in found else cell / 2)
    south = number("yllcorner", "yllcenter") - (0.0 if "yllcorner" in found else cell / 2)
    nodata = number("nodata_value") if "nodata_value" in found else _DEFAULT_NODATA
    return AsciiHeader(int(rows), int(cols), (cell, 0.0, west, 0.0, -cell, south + rows * cell),
                       nodata)


def _check_length(header: AsciiHeader, path: Path) -> None:
    """Refuse a header that the file's length contradicts, before memory is taken for it."""
    check_size(str(path), header.rows, header.cols)
    cells, size = header.rows * header.cols, path.stat().st_size
    if not 2 * cells - 1 <= size <= _LONGEST_VALUE * cells + _HEADER_BYTES:
        raise fail(expected=f"{header.rows} rows of {header.cols} values as the header says",
                   given=f"a file of {size:,} bytes", where=str(path),
                   remedy="check nrows and ncols, and that the file is whole")


def _numbers(file: BinaryIO, line: int, header: AsciiHeader, path: Path) -> NDArray[np.float64]:
    """The values; rows of the grid may be wrapped over lines, or share one."""
    count = header.rows * header.cols
    values = np.empty(count)
    filled = 0
    for number, words in _words(file, line, path):
        try:
            if b"_" in b" ".join(words):  # numpy would pass over it
                raise ValueError("not numbers")
            row = np.array(words, dtype=np.float64)
        except ValueError:
            texts = [word.decode("latin-1") for word in words]
            bad = next((text for text in texts if not is_number(text)), texts[0])
            raise fail(expected="numbers", given=f"'{bad[:20]}'{_comma(bad)}",
                       where=f"{path}, line {number}", remedy="correct this line") from None
        if filled + row.size > count:
            raise _wrong_count(path, number, header, "more")
        values[filled:filled + row.size] = row
        filled += row.size
    if filled < count:
        raise _wrong_count(path, line + filled // header.cols + 1, header, f"only {filled:,}")
    return values.reshape(header.rows, header.cols)


def _words(file: BinaryIO, line: int, path: Path) -> Iterator[tuple[int, list[bytes]]]:
    """The words of each line with its number, of a long line piece by piece: a grid may be one line
    of any length, whose words would take thirty times its bytes.
    """
    number, rest = line + 1, b""
    while raw := file.readline(_PIECE):
        ended = raw.endswith(b"\n")
        words = (rest + raw).split()
        # A word that the piece cuts off goes to the next one.
        rest = b"" if ended or raw[-1:].isspace() else words.pop()
        if len(rest) > _LONGEST_VALUE:
            raise fail(expected="numbers", given=f"'{rest[:20].decode('latin-1')}...'",
                       where=f"{path}, line {number}", remedy="correct this line")
        yield number, words
        number += ended
    yield number, rest.split()


def _wrong_count(path: Path, line: int, header: AsciiHeader, given: str) -> InputError:
    return fail(expected=f"{header.rows * header.cols:,} values ({header.rows} rows of "
                         f"{header.cols})", given=given, where=f"{path}, line {line}",
                remedy="check nrows and ncols, and that the file is whole")


def _beside(path: Path) -> CRS | None:
    """The reference system in the .prj of the same name, if there is one that holds text."""
    prj = next((p for p in (path.with_suffix(".prj"), path.with_suffix(".PRJ")) if p.is_file()),
               None)
    text = text_of(prj, MOST_SETTINGS, encoding="latin-1").strip() if prj else ""
    try:
        return _system(text) if text else None
    except CRSError as error:
        raise fail(expected="a reference system as WKT", given=f"'{text[:40]}'", where=str(prj),
                   remedy="pass --crs (in Python crs=), or remove the file") from error


@lru_cache(maxsize=4)
def _system(text: str) -> CRS:
    """A system from its WKT. Kept, as the layers of a folder name the same, and looking up its code
    takes longer than reading a layer.
    """
    with rasterio.Env():  # without one GDAL writes its errors to the terminal
        named = CRS.from_wkt(text)
    # ESRI's spelling names no code; with it, systems compare and show as the same.
    code = named.to_epsg(confidence_threshold=90)
    return CRS.from_epsg(code) if code else named


def ascii_lines(values: np.ndarray, transform: tuple[float, ...], nodata: float) -> Iterator[str]:
    """The lines of an ASCII grid of [H, W] numbers, north row first, each with the digits that give
    it back exactly.
    """
    rows, cols = values.shape
    a, _, c, _, e, f = transform
    yield f"ncols {cols}\nnrows {rows}\nxllcorner {c!r}\nyllcorner {f + rows * e!r}\n"
    yield f"cellsize {a!r}\nNODATA_value {nodata:g}\n"
    if _has_integers(values):
        values = values.astype(np.int64)
    for row in values:
        yield " ".join(row.astype(str).tolist()) + "\n"


def _has_integers(values: np.ndarray) -> bool:
    """True where integers say all that the values do: -0.0 is none, nor what int64 cannot hold."""
    return bool((np.abs(values) < 2.0**53).all() and (values == np.round(values)).all()
                and not (np.signbit(values) & (values == 0)).any())
