"""The tables and figures of docs/validation.md, made anew.

    .venv/bin/python benchmarks/validation.py [--data FOLDER] [--reference FOLDER] [--out docs]

Tables go between the markers of OUT/validation.md, figures to OUT/figures. What needs landscapes
(--data, else FIREBREAK_DATA) or reference numbers (--reference, else FIREBREAK_REFERENCE) that are
not there is left as it is, and said. Takes under a minute on one core.
"""

import argparse
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from matplotlib.figure import Figure
from PIL import Image
from validation_figures import breaks_figure, ellipse_figure, slope_figure
from validation_flammap import difference_map, write_map
from validation_maps import arrowhead_figure, arrowhead_table, flammap_table
from validation_shapes import area_table, slope_table
from validation_tables import (
    behave_table,
    crown_table,
    fbp_table,
    fwi_table,
    strong_wind_table,
    wind_table,
)

from firebreak.checks import InputError, fail
from firebreak.fire.engine import set_threads
from firebreak.report.canvas import save_figure

ROOT = Path(__file__).resolve().parents[1]
PAGE = "validation.md"
COLOURS = 256  # of a figure


class Part(NamedTuple):
    """A table or a figure: its name, what makes it, and the file or folder that it needs."""

    name: str
    make: Callable[[], Any]
    needs: Path | None = None


def tables(data: Path, reference: Path) -> list[Part]:
    """Every table of the page."""
    cases = ROOT / "tests" / "physics" / "data"
    flammap, arrowhead = _landscapes(data)
    return [
        Part("behave", lambda: behave_table(reference), reference / "ros-reference.csv"),
        Part("strong-wind", lambda: strong_wind_table(cases), cases / "surface_cases.csv"),
        Part("crown", lambda: crown_table(cases), cases / "crown_cases_cruz.csv"),
        Part("wind", lambda: wind_table(reference), reference / "waf-reference.csv"),
        Part("fbp", lambda: fbp_table(reference), reference / "fbp-reference.csv"),
        Part("fwi", lambda: fwi_table(reference), reference / "reference-cffdrs"),
        Part("flammap", lambda: flammap_table(flammap), flammap / "flammap_reference"),
        Part("areas", area_table),
        Part("slopes", slope_table),
        Part("arrowhead", lambda: arrowhead_table(arrowhead), arrowhead / "FinalScarGrid.csv"),
    ]


def figures(data: Path) -> list[Part]:
    """Every figure of the page, by the name of its file."""
    flammap, arrowhead = _landscapes(data)
    return [
        Part("ellipse", ellipse_figure),
        Part("slope", slope_figure),
        Part("breaks", breaks_figure),
        Part("flammap", lambda: difference_map(flammap), flammap / "flammap_reference"),
        Part("arrowhead", lambda: arrowhead_figure(arrowhead), arrowhead / "FinalScarGrid.csv"),
    ]


def _landscapes(data: Path) -> tuple[Path, Path]:
    return data / "landfire-worcester-vt-north", data / "cell2fire-arrowhead-fire1"


def replaced(page: str, name: str, text: str) -> str:
    """The page with `text` between the markers of a table.

    Raises:
        InputError: the page has no such pair of markers.
    """
    begin, end = f"<!-- table: {name} -->", f"<!-- end: {name} -->"
    found = re.search(f"{re.escape(begin)}.*?{re.escape(end)}", page, re.DOTALL)
    if found is None:
        raise fail(expected=f"markers {begin} and {end}", given="none", where=PAGE,
                   remedy="add them where the table belongs")
    return f"{page[:found.start()]}{begin}\n{text}\n{end}{page[found.end():]}"


def write_figure(figure: Figure, path: Path) -> None:
    """Writes a PNG of few colours and closes the figure."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.stem == "flammap":
        write_map(figure, path)
        return
    save_figure(figure, path)
    with Image.open(path) as picture:
        small = picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    small.save(path, optimize=True)


def available(part: Part, old: Path) -> bool:
    """Whether a part can be made; if not, says so in a sentence that names what stays."""
    if part.needs is None or part.needs.exists():
        return True
    print(f"{part.name}: not made, for there is no {part.needs}; {old} keeps what it has")
    return False


def write_page(out: Path, parts: Sequence[Part]) -> None:
    """Makes the tables that can be made; a page that is not there yet starts as the one here."""
    path = out / PAGE
    page = (path if path.is_file() else ROOT / "docs" / PAGE).read_text(encoding="utf-8")
    for part in parts:
        if available(part, path):
            page = replaced(page, part.name, part.make())
            print(f"{part.name}: table")
    out.mkdir(parents=True, exist_ok=True)
    path.write_text(page, encoding="utf-8")


def write_figures(out: Path, parts: Sequence[Part]) -> None:
    """Makes the figures that can be made."""
    for part in parts:
        path = out / "figures" / f"{part.name}.png"
        if available(part, path):
            write_figure(part.make(), path)
            print(f"{path}: {path.stat().st_size / 1000:.0f} kB")


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command."""
    beside = ROOT.parent / "shared"
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    for option, variable, name in (("--data", "FIREBREAK_DATA", "landscapes"),
                                   ("--reference", "FIREBREAK_REFERENCE", "reference")):
        parser.add_argument(option, type=Path, default=Path(
            os.environ.get(variable, beside / name)), help=f"folder of {name} ({variable})")
    parser.add_argument("--out", type=Path, default=ROOT / "docs", help="folder of the page")
    given = parser.parse_args(arguments)
    set_threads(1)
    try:
        write_page(given.out, tables(given.data, given.reference))
        write_figures(given.out, figures(given.data))
    except InputError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
