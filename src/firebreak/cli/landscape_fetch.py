"""`firebreak landscape fetch`: download a landscape from LANDFIRE's product service."""

import os
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from firebreak.checks import fail
from firebreak.cli import common

if TYPE_CHECKING:
    from firebreak.landscape.landfire_service import Job

SERVICE_VARIABLE = "FIREBREAK_LANDFIRE_SERVICE"


@dataclass
class FetchArguments:
    """Download a landscape of the United States from LANDFIRE (public domain): elevation, fuels,
    canopy, cells of 30 m."""

    out: Annotated[Path, tyro.conf.Positional]
    """The GeoTIFF to write."""
    bbox: tuple[float, float, float, float]
    """West, south, east and north, in degrees."""
    email: str
    """Your address, which the service asks for."""
    version: int = 2022
    """LANDFIRE version of fuels and canopy: 2022, 2023, ..."""
    layers: str | None = None
    """Other layers, with commas between, instead of those of a version."""
    projection: int | None = None
    """EPSG number to warp to, such as 5070; a local Albers of the service if not given."""
    service: str | None = None
    """Address of the service; FIREBREAK_LANDFIRE_SERVICE or LANDFIRE's own if not given."""
    timeout_min: float = 30.0
    """Minutes to wait for the service."""
    poll_s: float = 5.0
    """Seconds between two looks."""
    seed: int = 0
    """Not used: nothing here is random."""
    json: bool = False
    """End with one machine-readable line."""


def run(arguments: list[str]) -> int:
    """Runs the command."""
    from firebreak.cli.landscape import describe
    from firebreak.landscape import landfire_service as lfps
    from firebreak.landscape.readers import read_landscape

    args = common.parse(FetchArguments, arguments, "landscape fetch")
    begin = time.perf_counter()
    service = (args.service or os.environ.get(SERVICE_VARIABLE) or lfps.SERVICE).rstrip("/")
    layers = (lfps.product_layers(args.version) if args.layers is None
              else tuple(name.strip() for name in args.layers.split(",")))
    _check(args)
    name = lfps.submit(service, args.bbox, args.email, layers, args.projection)
    print(f"job {name} at {service}", file=sys.stderr)
    job = _wait(service, name, args)
    if job.status != lfps.SUCCEEDED or job.archive is None:
        raise lfps.failed(service, job)
    with tempfile.TemporaryDirectory(dir=args.out.parent, prefix=".fetch-") as folder:
        archive = lfps.download(service, job.archive, Path(folder))
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
    """Before anything is asked of the service."""
    if not args.out.parent.is_dir() or args.out.is_dir():
        raise fail(expected="a file to write into a folder that is there",
                   given="a folder" if args.out.is_dir() else "no such folder",
                   where=str(args.out), remedy="choose a name such as landscape.tif")
    if not (args.timeout_min > 0.0 and args.poll_s >= 0.0):
        raise fail(expected="a time to wait above 0", given=f"{args.timeout_min:g} min",
                   where="--timeout-min", remedy="30 is usual")


def _wait(service: str, name: str, args: FetchArguments) -> "Job":
    """Looks after a job until it is over; says what changes."""
    from firebreak.landscape import landfire_service as lfps

    end, said = time.monotonic() + 60.0 * args.timeout_min, None
    while True:
        job = lfps.status(service, name)
        words = job.status if not job.queue or job.queue < 1 else f"{job.status}, {job.queue} ahead"
        if words != said:
            print(words, file=sys.stderr)
            said = words
        if job.status == lfps.SUCCEEDED or job.status in lfps.OVER:
            return job
        if time.monotonic() + args.poll_s > end:
            raise fail(expected=f"an answer within {args.timeout_min:g} minutes",
                       given=f"'{job.status}'", where=f"job {name} at {service}",
                       remedy="wait longer with --timeout-min, or ask for a smaller area")
        time.sleep(args.poll_s)
