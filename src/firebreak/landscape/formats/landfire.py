"""LANDFIRE's product service: request layers of an area, poll the job, download and unpack what it
made.

Each function but the last is one request. Answers are checked before anything is kept: a job's
messages are passed on unchanged. The archive holds one landscape GeoTIFF among other files; what it
says of itself is checked before it is unpacked: how long its list of files is, how the raster is
packed, how large it will be. Names in it are never used as paths.

Source of the interface: the service's own API (job/submit, job/status) as its clients use it.
"""

import http.client
import io
import re
import threading
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

import numpy as np

from firebreak.checks import InputError, fail
from firebreak.files import write_pieces
from firebreak.landscape.formats.read import bands_by_role
from firebreak.landscape.formats.write import whole_file
from firebreak.landscape.raster.geotiff import MAX_CELLS, open_raster
from firebreak.reading import from_json

SERVICE = "https://lfps.usgs.gov/api"
CELL_M = 30.0
DEFAULT_VERSION = 2022
_TERRAIN = ("LF2020_ELEV", "LF2020_SLPD", "LF2020_ASP")
_FUELS = ("FBFM40", "CC", "CH", "CBH", "CBD")
_METRES_PER_DEGREE = 111_320.0
_ANSWER_BYTES = 4_000_000
_LONGEST_URL = 4000
REQUEST_S = 60.0
SUCCEEDED = "succeeded"
OVER = {"failed", "canceled", "cancelled", "timedout", "deleted"}

Area = tuple[float, float, float, float]
"""West, south, east, north; degrees of WGS 84."""

Left = Callable[[], float]
"""The seconds that are left to wait for the service."""
MOST_BYTES = 8_000_000_000
"""Of an archive or the raster in it."""
LONGEST_LIST = 4_000_000
"""Bytes of an archive's list of files; in memory each entry takes ten times as much."""
_PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_PIECE = 1 << 20
T = TypeVar("T")


class Job(NamedTuple):
    """The state of a job. queue: its place, -1 once it runs, None if unknown; archive: address of
    the result, once there is one; messages: the service's own words.
    """

    status: str
    queue: int | None
    archive: str | None
    messages: tuple[str, ...]


def product_layers(version: int = DEFAULT_VERSION) -> tuple[str, ...]:
    """Names of the layers of a landscape: terrain of 2020, fuels and canopy of a version."""
    return (*_TERRAIN, *(f"LF{version}_{layer}" for layer in _FUELS))


def check_area(area: Area) -> None:
    """Check that an area is on the globe, its sides are in order and it is not too large.

    Raises:
        InputError: naming what is wrong.
    """
    west, south, east, north = area
    sides = ", ".join(f"{side:g}" for side in area)
    wrong = partial(fail, given=sides, where="--bbox")
    if not (np.isfinite(area).all() and -180 <= west <= 180 and -180 <= east <= 180
            and -90 <= south <= 90 and -90 <= north <= 90):
        raise wrong(expected="degrees within -180 to 180 and -90 to 90",
                    remedy="give west, south, east, north")
    if west >= east or south >= north:
        raise wrong(expected="west below east and south below north",
                    remedy="give west, south, east, north, in this order")
    across = np.cos(np.radians((south + north) / 2)) * (east - west)
    cells = across * (north - south) * (_METRES_PER_DEGREE / CELL_M) ** 2
    if cells > MAX_CELLS:
        raise wrong(expected=f"at most {MAX_CELLS:,} cells of {CELL_M:g} m",
                    given=f"about {cells:,.0f}", remedy="give a smaller one")


def submit(service: str, area: Area, email: str, layers: Sequence[str],
           projection: int | None, left: Left) -> str:
    """Start a job; returns its name.

    Args:
        projection: EPSG number to warp to; None leaves it to the service (a local Albers).
        left: the time to wait; a server that answers byte by byte gets no more.

    Raises:
        InputError: no address, an impossible area, or the service's refusal.
    """
    if "@" not in email:
        raise fail(expected="an e-mail address, which the service requires", given=f"'{email}'",
                   where="--email", remedy="give your address")
    check_area(area)
    query = {"Email": email, "Layer_List": ";".join(layers),
             "Area_of_Interest": " ".join(f"{side:.10g}" for side in area)}
    if projection is not None:
        query["Output_Projection"] = str(projection)
    answer = _get_json(f"{service}/job/submit?{urlencode(query)}", left)
    name = answer.get("jobId")
    if not isinstance(name, str) or not re.fullmatch(r"[!-~]{1,200}", name):
        raise fail(expected="a job from the service", given=_words(answer), where=service,
                   remedy="check the layers and the area, or try again later")
    return name


def status(service: str, job: str, left: Left) -> Job:
    """The state of a job.

    Raises:
        InputError: the service does not know the job, or answers something else.
    """
    answer = _get_json(f"{service}/job/status?{urlencode({'JobId': job})}", left)
    state = answer.get("status")
    if not isinstance(state, str):
        raise fail(expected="the status of a job", given=_words(answer), where=service,
                   remedy="try again later")
    queue, archive = answer.get("queuePosition"), answer.get("outputFile")
    messages = answer.get("messages")
    return Job(_words(state.lower())[:60],
               queue if isinstance(queue, int) and abs(queue) < 10**9 else None,
               archive if isinstance(archive, str) and 0 < len(archive) < _LONGEST_URL else None,
               tuple(map(_words, messages if isinstance(messages, list) else [])))


def failed(service: str, job: Job) -> InputError:
    """The error to raise for a job that ended without an answer."""
    said = "; ".join(job.messages[-2:]) or "no reason"
    return fail(expected="the service to make the landscape", given=f"'{job.status}': {said}",
                where=service, remedy="check the layers and the area, or try again later")


def download(service: str, archive: str, folder: Path, left: Left) -> Path:
    """Download an archive into a folder; returns its path.

    Raises:
        InputError: its address has another scheme than the service, or the download breaks off.
    """
    target = folder / "landfire.zip"
    if _scheme(archive) != _scheme(service):
        raise fail(expected=f"an address that starts with {_scheme(service)}",
                   given=f"'{archive[:300]}'", where=service,
                   remedy="download it yourself if you trust it")
    with whole_file(target, "an archive") as part, _in_time(
            left, lambda: _open(archive), archive) as answer:
        length = answer.headers.get("Content-Length")
        copied = write_pieces(part, bounded(_answer_pieces(answer, archive, left), archive))
        if length is not None and str(copied) != length.strip():
            raise _broken_off(archive, f"{copied:,} of {length} bytes")
    return target


def _answer_pieces(answer: http.client.HTTPResponse, archive: str,
                   left: Left) -> Iterator[bytes]:
    """The bytes of an answer, each piece in the time that is left."""
    def read() -> bytes:
        try:
            return answer.read(1 << 20)
        except (http.client.IncompleteRead, OSError) as error:
            raise _broken_off(archive, f"'{error}'") from error
    return iter(lambda: _in_time(left, read, archive), b"")


def _broken_off(archive: str, given: str) -> InputError:
    return fail(expected="the whole archive", given=given, where=archive, remedy="fetch it again")


def _scheme(url: str) -> str:
    """The scheme of an address; "" where there is none."""
    try:
        return urlsplit(url).scheme
    except ValueError:
        return ""


class _SameScheme(HTTPRedirectHandler):
    """Follows redirects, but never from https to anything else."""

    def redirect_request(self, req: Request, fp: Any, code: int, msg: str, headers: Any,
                         newurl: str) -> Request | None:
        if _scheme(newurl) != _scheme(req.full_url):
            raise fail(expected="an answer at this address", given=f"a redirect to '{newurl}'",
                       where=req.full_url.partition("?")[0],
                       remedy="check the service's address")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _open(url: str) -> http.client.HTTPResponse:
    where = url.partition("?")[0]
    if _scheme(url) not in ("http", "https"):
        raise fail(expected="a web address", given=f"'{where}'", where="--service",
                   remedy=f"leave it out for {SERVICE}")
    request = Request(url, headers={"Accept": "application/json, */*"})
    try:
        answer: http.client.HTTPResponse = build_opener(_SameScheme).open(request,
                                                                          timeout=REQUEST_S)
    except HTTPError as error:
        try:
            with error:
                said = _words(_parsed(error.read(_ANSWER_BYTES)))
        except (http.client.HTTPException, OSError):
            said = "no reason"
        raise fail(expected="an answer from the service", given=f"{error.code}: {said}",
                   where=where, remedy="check the request, or try again later") from error
    except InputError:  # a redirect that was refused
        raise
    except (URLError, http.client.HTTPException, OSError, ValueError) as error:
        reason = getattr(error, "reason", error)
        raise fail(expected="the service to answer", given=f"'{reason}'", where=where,
                   remedy="check the network and the address, or try again later") from error
    return answer


def _get_json(url: str, left: Left) -> dict[str, Any]:
    where = url.partition("?")[0]

    def read() -> bytes:
        with _open(url) as answer:
            try:
                return answer.read(_ANSWER_BYTES)
            except (http.client.HTTPException, OSError) as error:
                raise _broken_off(where, f"'{error}'") from error

    content = _parsed(_in_time(left, read, where))
    if not isinstance(content, dict):
        raise fail(expected="an answer in JSON", given="something else", where=where,
                   remedy="check the service's address")
    return content


def _in_time(left: Left, call: Callable[[], T], where: str) -> T:
    """Return the answer of a call to the service, or raise when no time is left: the time-out of a
    socket begins anew with each byte. The call goes on in a thread that ends with the process.
    """
    answers: list[T] = []
    failed: list[BaseException] = []

    def work() -> None:
        try:
            answers.append(call())
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(max(left(), 0.0))
    if failed:
        raise failed.pop()  # no cycle of error and frame, which would keep its socket
    if not answers:
        raise fail(expected="a whole answer in the time given", given="none by then",
                   where=where[:300], remedy="wait longer with --timeout-min, or request a smaller "
                   "area")
    return answers[0]


def _parsed(raw: bytes) -> Any:
    """The JSON value, or the text itself where it is no JSON."""
    try:
        return from_json(raw)
    except ValueError:
        return raw.decode(errors="replace")[:200]


def _words(answer: Any) -> str:
    """The message in an answer, in one line."""
    if isinstance(answer, dict):
        answer = next((answer[name] for name in ("message", "description", "error")
                       if answer.get(name)), "no reason")
    return " ".join(str(answer).split())[:300]


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
                with _from_archive(lambda: opened.open(raster)) as inside:
                    pieces = iter(lambda: _from_archive(lambda: inside.read(_PIECE)), b"")
                    write_pieces(part, bounded(pieces, str(archive)))
                with open_raster(part) as dataset:
                    if dataset.count != len(layers):
                        raise fail(expected=f"{len(layers)} bands, as requested",
                                   given=f"{dataset.count}", where=str(target),
                                   remedy="fetch it again, or name fewer layers")
                    bands_by_role(target, dataset.count, dataset.descriptions)
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
        """Read so many bytes, or what is left."""
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


def _from_archive(call: Callable[[], T]) -> T:
    """Return what a call on an archive gives. A place that lies outside of a damaged archive is no
    fault of the disk.
    """
    try:
        return call()
    except OSError as error:
        raise zipfile.BadZipFile(f"{error.strerror or error}") from error


def _too_large(where: str) -> InputError:
    return fail(expected=f"at most {MOST_BYTES:,} bytes", given="more", where=where,
                remedy="ask for a smaller area with --bbox")
