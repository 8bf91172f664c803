"""Makes the sample landscape `sample:santa-ana` from LANDFIRE's map of the Santa Ana Mountains.

    python scripts/make_sample.py [--data FOLDER] [--out FOLDER]

FOLDER (or FIREBREAK_DATA) holds the folder `landfire-santa-ana-ca`. It writes into
src/firebreak/samples/santa-ana:

    landscape.tif   8 bands as LANDFIRE's landscape files, slope and aspect made anew from the
                    elevation of the whole map, and a ninth, where breaks may be placed: the
                    wildland edge
    surroundings.tif  the same bands of the land around it, without the ninth
    roads.tif       the strings of developed cells, which are roads as far as the map shows them
    weather.toml    the wind rose of configs/jobs/weather/santa-ana.toml
    about.toml      source, product, version, box, and how each of these was made

The same map gives the same files. Nothing here is advice for the place that it shows.
"""

import argparse
import os
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # benchmarks.jobs, which knows what the codes of a map show

from benchmarks.jobs.codes import developed, near, roads  # noqa: E402

from firebreak.landscape.formats.read import read_landscape  # noqa: E402
from firebreak.landscape.formats.write import write_geotiff, write_landscape  # noqa: E402
from firebreak.landscape.landscape import Landscape  # noqa: E402
from firebreak.landscape.names import (  # noqa: E402
    ABOUT_FILE,
    LANDSCAPE_FILE,
    ROADS_FILE,
    SAMPLES,
    SURROUNDINGS_FILE,
    WEATHER_FILE,
)

MAP = "landfire-santa-ana-ca"
ROW, COL, SIDE = 304, 146, 88
"""The north-west cell of the window in the map, and its rows and columns."""
AROUND = 144, 0, 368, 394
"""North-west cell, rows and columns of the land around it, from which fires come."""
RIM = 16
"""Cells at the window's rim that burn and are not treated, as around the --area of a plan."""
EDGE_M = 300.0
"""The wildland edge: so far from developed land."""
WEATHER = ROOT / "configs" / "jobs" / "weather" / "santa-ana.toml"

HEAD = """\
# sample:santa-ana, made by scripts/make_sample.py. The map is LANDFIRE's, a work of the government
# of the United States, in the public domain. It shows a canyon road with houses; what is planned on
# it is an example and no advice for that place.
"""
TOLD = {
    "title": "A canyon road in the Santa Ana Mountains, California",
    "source": "LANDFIRE (landfire.gov), public domain; from the benchmark deck of "
              "pyregence/gridfire",
    "product": "elevation, fuel models of Scott & Burgan (FBFM40), canopy cover, height, base "
               "height and bulk density, 30 m",
    "version": "the deck does not say which version of LANDFIRE",
    "box": "{west:.0f} to {east:.0f} m east, {south:.0f} to {north:.0f} m north, EPSG:32611; rows "
           "{top} to {bottom}, columns {left} to {right} of a window of 512 x 512 cells",
    "slope_and_aspect": "made anew from the elevation (Horn 1981); the aspect of the deck is "
                        "turned by 12.9 degrees against the grid",
    "treatable": "the wildland edge: burnable cells within {edge:.0f} m of developed land (code "
                 "91), none of the {rim} cells at the rim",
    "roads": "developed cells in strings of 20 and more: what the map shows as a road, not "
             "surveyed",
    "weather": "a wind rose of Santa Ana days, illustrative: 20, 35 and 50 mph from the "
               "north-north-east to the east-north-east, dead fuel at 3 to 5 %",
}
"""Statements on the sample, by key of its about.toml."""


def window_of(land: Landscape) -> tuple[Landscape, np.ndarray]:
    """The sample's landscape, and its roads [H, W], from the whole map."""
    inside = np.zeros(land.shape, np.bool_)
    inside[ROW + RIM:ROW + SIDE - RIM, COL + RIM:COL + SIDE - RIM] = True
    edge = near(developed(land), land, EDGE_M) & inside
    part = replace(land, treatable=edge).crop(ROW, COL, SIDE, SIDE)
    ways = roads(land)[ROW:ROW + SIDE, COL:COL + SIDE]
    return part, ways.astype(np.uint8)


def about(part: Landscape) -> str:
    """The text of the sample's about.toml."""
    cell, _, west, _, _, north = part.transform
    numbers = {"top": ROW, "bottom": ROW + SIDE - 1, "left": COL, "right": COL + SIDE - 1,
               "west": west, "east": west + SIDE * cell, "south": north - SIDE * cell,
               "north": north, "edge": EDGE_M, "rim": RIM}
    return HEAD + "".join(f'{key} = "{text.format(**numbers)}"\n' for key, text in TOLD.items())


def make(data: Path, out: Path) -> list[Path]:
    """Writes the sample's files into a folder; their paths.

    Raises:
        InputError: the map is not there.
    """
    whole = read_landscape(data / MAP)
    part, ways = window_of(whole)
    out.mkdir(parents=True, exist_ok=True)
    (out / WEATHER_FILE).write_bytes(WEATHER.read_bytes())
    (out / ABOUT_FILE).write_text(about(part), encoding="utf-8")
    return [write_landscape(out / LANDSCAPE_FILE, part),
            write_landscape(out / SURROUNDINGS_FILE, whole.crop(*AROUND)),
            write_geotiff(out / ROADS_FILE, {"roads": ways}, part),
            out / WEATHER_FILE, out / ABOUT_FILE]


def main() -> None:
    """Makes it."""
    options = argparse.ArgumentParser(description=__doc__,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, default=os.environ.get("FIREBREAK_DATA"),
                         help="folder of landscapes")
    options.add_argument("--out", type=Path, default=SAMPLES / "santa-ana", help="folder to write")
    given = options.parse_args()
    if given.data is None:
        options.error("--data or FIREBREAK_DATA must name the folder of landscapes")
    for path in make(Path(given.data), given.out):
        print(f"{path} ({path.stat().st_size:,} bytes)")


if __name__ == "__main__":
    main()
