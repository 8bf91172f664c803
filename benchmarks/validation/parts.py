"""The tables and figures of docs/validation.md, and the data that each needs."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.validation.figures import breaks_figure, ellipse_figure, slope_figure
from benchmarks.validation.flammap import difference_map
from benchmarks.validation.maps import arrowhead_figure, arrowhead_table, flammap_table
from benchmarks.validation.shapes import area_table, slope_table
from benchmarks.validation.tables import (
    behave_table,
    crown_table,
    fbp_table,
    fwi_table,
    strong_wind_table,
    wind_table,
)

ROOT = Path(__file__).resolve().parents[2]


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
