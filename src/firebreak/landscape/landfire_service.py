"""LANDFIRE's product service: ask for layers of an area, look how far it is, take the answer.

Each function is one request. Answers are checked before anything is kept: a job's messages are
passed on in its own words, an archive's names are never used as paths.

Source of the interface: the service's own API (job/submit, job/status) as its clients use it.
"""

import http.client
import json
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

import numpy as np

from firebreak.checks import InputError, fail
from firebreak.landscape.geotiff import MAX_CELLS, open_raster
from firebreak.landscape.readers import bands_by_role
from firebreak.landscape.writers import whole_file

SERVICE = "https://lfps.usgs.gov/api"
CELL_M = 30.0
DEFAULT_VERSION = 2022
_TERRAIN = ("LF2020_ELEV", "LF2020_SLPD", "LF2020_ASP")
_FUELS = ("FBFM40", "CC", "CH", "CBH", "CBD")
_METRES_PER_DEGREE = 111_320.0
_ANSWER_BYTES = 4_000_000
MOST_BYTES = 8_000_000_000
"""Of an archive or the raster in it."""
REQUEST_S = 60.0
SUCCEEDED = "succeeded"
OVER = {"failed", "canceled", "cancelled", "timedout", "deleted"}

Area = tuple[float, float, float, float]
"""West, south, east, north; degrees of WGS 84."""


class Job(NamedTuple):
    """How far a job is. queue: its place, -1 once it runs, None if not told; archive: where the
    answer is, once there is one; messages: the service's own words.
    """

    status: str
    queue: int | None
    archive: str | None
    messages: tuple[str, ...]


def product_layers(version: int = DEFAULT_VERSION) -> tuple[str, ...]:
    """Names of the layers of a landscape: terrain of 2020, fuels and canopy of a version."""
    return (*_TERRAIN, *(f"LF{version}_{layer}" for layer in _FUELS))


def check_area(area: Area) -> None:
    """Holds an area to the globe, its sides to their order, and its size to what can be read.

    Raises:
        InputError: naming what is wrong.
    """
    west, south, east, north = area
    where = "--bbox"
    if not (np.isfinite(area).all() and -180 <= west <= 180 and -180 <= east <= 180
            and -90 <= south <= 90 and -90 <= north <= 90):
        raise fail(expected="degrees within -180 to 180 and -90 to 90",
                   given=", ".join(f"{side:g}" for side in area), where=where,
                   remedy="give west, south, east, north")
    if west >= east or south >= north:
        raise fail(expected="west below east and south below north",
                   given=", ".join(f"{side:g}" for side in area), where=where,
                   remedy="give west, south, east, north, in this order")
    across = np.cos(np.radians((south + north) / 2)) * (east - west)
    cells = across * (north - south) * (_METRES_PER_DEGREE / CELL_M) ** 2
    if cells > MAX_CELLS:
        raise fail(expected=f"at most {MAX_CELLS:,} cells of {CELL_M:g} m",
                   given=f"about {cells:,.0f}", where=where, remedy="ask for a smaller area")


def submit(service: str, area: Area, email: str, layers: Sequence[str],
           projection: int | None = None) -> str:
    """Starts a job; returns its name.

    Args:
        projection: EPSG number to warp to; None leaves it to the service (a local Albers).

    Raises:
        InputError: no address, an area that cannot be, or what the service says against it.
    """
    if "@" not in email:
        raise fail(expected="an e-mail address, which the service asks for", given=f"'{email}'",
                   where="--email", remedy="give yours")
    check_area(area)
    asked = {"Email": email, "Layer_List": ";".join(layers),
             "Area_of_Interest": " ".join(f"{side:.10g}" for side in area)}
    if projection is not None:
        asked["Output_Projection"] = str(projection)
    answer = _get_json(f"{service}/job/submit?{urlencode(asked)}")
    name = answer.get("jobId")
    if not isinstance(name, str) or not name:
        raise fail(expected="a job from the service", given=_words(answer), where=service,
                   remedy="check the layers and the area, or try again later")
    return name


def status(service: str, job: str) -> Job:
    """How far a job is.

    Raises:
        InputError: the service does not know the job, or answers something else.
    """
    answer = _get_json(f"{service}/job/status?{urlencode({'JobId': job})}")
    state = answer.get("status")
    if not isinstance(state, str):
        raise fail(expected="the status of a job", given=_words(answer), where=service,
                   remedy="try again later")
    queue, archive = answer.get("queuePosition"), answer.get("outputFile")
    return Job(state.lower(), queue if isinstance(queue, int) else None,
               archive if isinstance(archive, str) and archive else None,
               tuple(_words(one) for one in answer.get("messages") or []))


def failed(service: str, job: Job) -> InputError:
    """The error to raise for a job that ended without an answer."""
    said = "; ".join(job.messages[-2:]) or "no reason"
    return fail(expected="the service to make the landscape", given=f"'{job.status}': {said}",
                where=service, remedy="check the layers and the area, or try again later")


def download(service: str, archive: str, folder: Path) -> Path:
    """Takes an archive into a folder; returns its path.

    Raises:
        InputError: it is elsewhere than a web server of the service's kind, or breaks off.
    """
    target = folder / "landfire.zip"
    if _scheme(archive) != _scheme(service):
        raise fail(expected=f"an answer by {_scheme(service)}", given=f"'{archive}'",
                   where=service, remedy="take it by hand if you trust it")
    with whole_file(target, "an archive") as part, _open(archive) as answer, part.open(
            "wb") as out:
        length = answer.headers.get("Content-Length")
        try:
            copied = _copy(answer, out, archive)
        except (http.client.IncompleteRead, OSError) as error:
            raise _broken_off(archive, f"'{error}'") from error
        if length is not None and str(copied) != length.strip():
            raise _broken_off(archive, f"{copied:,} of {length} bytes")
    return target


def landscape_of_archive(archive: Path, target: Path, layers: Sequence[str]) -> Path:
    """Takes the one raster out of an archive, as `target`; returns it.

    Raises:
        InputError: not a whole archive, no raster or several, or one without the layers asked for.
    """
    try:
        with zipfile.ZipFile(archive) as opened:
            rasters = [one for one in opened.infolist()
                       if one.filename.lower().endswith((".tif", ".tiff")) and not one.is_dir()]
            if len(rasters) != 1:
                raise fail(expected="one GeoTIFF in the archive",
                           given=f"{len(rasters)} among {len(opened.infolist())} files",
                           where=str(archive), remedy="look what the service's messages say")
            with whole_file(target, "a GeoTIFF") as part:
                # Its name inside is never used: it could lead anywhere.
                with opened.open(rasters[0]) as inside, part.open("wb") as out:
                    _copy(inside, out, str(archive))
                _check_bands(part, target, layers)
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, zlib.error) as error:
        raise fail(expected="a whole archive", given=f"'{error}'", where=str(archive),
                   remedy="fetch it again") from error
    return target


def _check_bands(part: Path, target: Path, layers: Sequence[str]) -> None:
    with open_raster(part) as dataset:
        if dataset.count != len(layers):
            raise fail(expected=f"{len(layers)} bands, as asked for", given=f"{dataset.count}",
                       where=str(target), remedy="fetch it again, or name fewer layers")
        bands_by_role(target, dataset.count, dataset.descriptions)


def _copy(source: IO[bytes] | http.client.HTTPResponse, out: IO[bytes], where: str) -> int:
    """Copies bytes, up to MOST_BYTES; returns how many."""
    copied = 0
    while chunk := source.read(1 << 20):
        copied += len(chunk)
        if copied > MOST_BYTES:
            raise fail(expected=f"at most {MOST_BYTES:,} bytes", given="more", where=where,
                       remedy="ask for a smaller area")
        out.write(chunk)
    return copied


def _broken_off(archive: str, given: str) -> InputError:
    return fail(expected="the whole archive", given=given, where=archive, remedy="fetch it again")


def _scheme(url: str) -> str:
    """How an address is to be asked; "" of what is none."""
    try:
        return urlsplit(url).scheme
    except ValueError:
        return ""


class _SameScheme(HTTPRedirectHandler):
    """Follows redirects, but never from https to anything else."""

    def redirect_request(self, req: Request, fp: Any, code: int, msg: str, headers: Any,
                         newurl: str) -> Request | None:
        if _scheme(newurl) != _scheme(req.full_url):
            raise fail(expected="an answer where it was asked for", given=f"a way to '{newurl}'",
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
        with error:
            said = _words(_parsed(error.read(_ANSWER_BYTES)))
        raise fail(expected="an answer from the service", given=f"{error.code}: {said}",
                   where=where, remedy="check the request, or try again later") from error
    except InputError:  # a redirect that was refused
        raise
    except (URLError, http.client.HTTPException, OSError, ValueError) as error:
        reason = getattr(error, "reason", error)
        raise fail(expected="the service to answer", given=f"'{reason}'", where=where,
                   remedy="check the network and the address, or try again later") from error
    return answer


def _get_json(url: str) -> dict[str, Any]:
    where = url.partition("?")[0]
    with _open(url) as answer:
        try:
            content = _parsed(answer.read(_ANSWER_BYTES))
        except (http.client.HTTPException, OSError) as error:
            raise _broken_off(where, f"'{error}'") from error
    if not isinstance(content, dict):
        raise fail(expected="an answer in JSON", given="something else", where=where,
                   remedy="check the service's address")
    return content


def _parsed(raw: bytes) -> Any:
    """What JSON says, or its text where it is none."""
    try:
        return json.loads(raw)
    except ValueError:
        return raw.decode(errors="replace")[:200]


def _words(answer: Any) -> str:
    """The message in an answer, in one line."""
    if isinstance(answer, dict):
        answer = next((answer[name] for name in ("message", "description", "error")
                       if answer.get(name)), "no reason")
    return " ".join(str(answer).split())[:300]

