"""`firebreak landscape fetch`: download a landscape from LANDFIRE's product service."""

import os
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from firebreak.checks import fail
from firebreak.cli.commands.landscape.command import describe
from firebreak.cli.shared import common
from firebreak.settings.binding import Bound
from firebreak.settings.kinds import NotNegative, Positive
from firebreak.settings.schema import POSITIONAL

if TYPE_CHECKING:
    from firebreak.landscape.formats.landfire import Job, Left

SERVICE_VARIABLE = "FIREBREAK_LANDFIRE_SERVICE"


@dataclass(frozen=True)
class FetchArguments:
    """Download a landscape of the United States from LANDFIRE (public domain): elevation, fuels,
    canopy, cells of 30 m."""

    out: Annotated[Path, POSITIONAL]
    """The GeoTIFF to write."""
    bbox: tuple[float, float, float, float]
    """West, south, east and north, in degrees."""
    email: str
    """Your e-mail address, which the service requires."""
    version: int = 2022
    """LANDFIRE version of fuels and canopy: 2022, 2023, ..."""
    layers: str | None = None
    """Other layers, separated by commas, instead of those of a version."""
    projection: int | None = None
    """EPSG number of the reference system, such as 5070; a local Albers projection of the service
    if not given."""
    service: str | None = None
    """Address of the service; FIREBREAK_LANDFIRE_SERVICE or LANDFIRE's own if not given."""
    timeout_min: Positive = 30.0
    """Time limit for the service and the download together, in minutes."""
    poll_s: NotNegative = 5.0
    """Seconds between two requests for the job's status."""
    json: bool = False
    """End with one machine-readable line."""


def run(bound: Bound[FetchArguments]) -> int:
    """Runs the command."""
    from firebreak.landscape.formats import landfire as lfps
    from firebreak.landscape.formats.read import read_landscape

    args = bound.options
    begin = time.perf_counter()
    service = (args.service or os.environ.get(SERVICE_VARIABLE) or lfps.SERVICE).rstrip("/")
    layers = (lfps.product_layers(args.version) if args.layers is None
              else tuple(name.strip() for name in args.layers.split(",")))
    _check(args)
    end = time.monotonic() + 60.0 * args.timeout_min

    def left() -> float:
        return end - time.monotonic()

    name = lfps.submit(service, args.bbox, args.email, layers, args.projection, left)
    print(f"job {name} at {service}", file=sys.stderr)
    job = _wait(service, name, args, left)
    if job.status != lfps.SUCCEEDED or job.archive is None:
        raise lfps.failed(service, job)
    with tempfile.TemporaryDirectory(dir=args.out.parent, prefix=".fetch-") as folder:
        archive = lfps.download(service, job.archive, Path(folder), left)
        path = lfps.landscape_of_archive(archive, args.out, layers)
    land = read_landscape(path)
    print(f"{describe(land)}\n{path}\nnext: firebreak plan {path} --area ... --out my_plan")
    if args.json:
        rows, cols = land.shape
        common.print_json({"files": [str(path)], "seconds": time.perf_counter() - begin,
                           "job": name, "rows": rows, "columns": cols,
                           "checksum": land.checksum()})
    return 0


def _check(args: FetchArguments) -> None:
    """Checks the options before the first request."""
    if not args.out.parent.is_dir() or args.out.is_dir():
        raise fail(expected="a file to write into a folder that is there",
                   given="a folder" if args.out.is_dir() else "no such folder",
                   where=str(args.out), remedy="choose a name such as landscape.tif")


def _wait(service: str, name: str, args: FetchArguments, left: "Left") -> "Job":
    """Polls a job until it ends; prints each change of its state."""
    from firebreak.landscape.formats import landfire as lfps

    said = None
    while True:
        job = lfps.status(service, name, left)
        words = job.status if not job.queue or job.queue < 1 else f"{job.status}, {job.queue} ahead"
        if words != said:
            print(words, file=sys.stderr)
            said = words
        if job.status == lfps.SUCCEEDED or job.status in lfps.OVER:
            return job
        if args.poll_s > left():
            raise fail(expected=f"an answer within {args.timeout_min:g} minutes",
                       given=f"'{job.status}'", where=f"job {name} at {service}",
                       remedy="wait longer with --timeout-min, or request a smaller area")
        time.sleep(args.poll_s)
