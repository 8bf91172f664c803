"""QGIS styles (.qml) beside rasters and vectors: QGIS takes the one of the same name by itself."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Literal, NamedTuple
from xml.sax.saxutils import quoteattr

import numpy as np

from firebreak.landscape.formats.write import write_text

_HEAD = "<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>\n"


class Class(NamedTuple):
    """A number of a raster, its colour (#rrggbb, or #rrggbbaa) and what it means."""

    value: float
    colour: str
    label: str


def write_classes(raster: Path, classes: Sequence[Class]) -> Path:
    """A style of the first band of a raster of classes; returns its path."""
    entries = "".join(f"      <paletteEntry value=\"{one.value:g}\" {_paint(one.colour)} "
                      f"label={quoteattr(one.label)}/>\n" for one in classes)
    return _write_raster(raster, f"""    <rasterrenderer type="paletted" band="1" opacity="1">
      <colorPalette>
{entries}      </colorPalette>
    </rasterrenderer>
""")


def write_ramp(raster: Path, stops: Sequence[Class]) -> Path:
    """A style of the first band of a raster of numbers, its colours interpolated between stops,
    ascending; returns its path.
    """
    items = "".join(f"          <item value=\"{one.value:.9g}\" {_paint(one.colour)} "
                    f"label={quoteattr(one.label)}/>\n" for one in stops)
    low, high = stops[0].value, stops[-1].value
    return _write_raster(raster, f"""    <rasterrenderer type="singlebandpseudocolor" band="1" \
opacity="1" classificationMin="{low:.9g}" classificationMax="{high:.9g}">
      <rastershader>
        <colorrampshader colorRampType="INTERPOLATED" classificationMode="1" clip="0" \
minimumValue="{low:.9g}" maximumValue="{high:.9g}">
{items}        </colorrampshader>
      </rastershader>
    </rasterrenderer>
""")


def even_stops(colours: Sequence[str], low: float, high: float) -> list[Class]:
    """Colours evenly spaced from `low` to `high`, labelled with their numbers."""
    return [Class(float(value), colour, f"{value:.3g}")
            for value, colour in zip(np.linspace(low, high, len(colours)), colours, strict=True)]


class Symbols(NamedTuple):
    """Colours of shapes by the numbers of a column. Classes: (lowest, highest, colour, label)."""

    column: str
    classes: Sequence[tuple[float, float, str, str]]


def by_rank(column: str, count: int, colours: Sequence[str]) -> Symbols:
    """Numbers 1 to `count` in as many even classes as there are colours, or fewer."""
    ends = np.unique(np.linspace(0, count, min(len(colours), max(count, 1)) + 1).round())
    pairs = list(pairwise(ends.astype(int).tolist()))
    chosen = np.linspace(0, len(colours) - 1, len(pairs)).round().astype(int)
    return Symbols(column, [
        (low + 0.5, high + 0.5, colours[k], f"{low + 1}" if high == low + 1 else
         f"{low + 1} to {high}") for (low, high), k in zip(pairs, chosen.tolist(), strict=True)])


def by_year(column: str, years: Sequence[int], colours: Sequence[str]) -> Symbols:
    """A class for each year, the colours spread over them."""
    known = sorted(set(years))
    chosen = np.linspace(0, len(colours) - 1, len(known)).round().astype(int)
    return Symbols(column, [(year - 0.5, year + 0.5, colours[k], f"{year}")
                            for year, k in zip(known, chosen.tolist(), strict=True)])


def vector_style(kind: Literal["fill", "line"], symbols: Symbols, label: str) -> str:
    """A style of polygons or lines that are coloured by a column and labelled with another."""
    ranges = "".join(f"      <range symbol=\"{k}\" lower=\"{low:g}\" upper=\"{high:g}\" "
                     f"label={quoteattr(words)} render=\"true\"/>\n"
                     for k, (low, high, _, words) in enumerate(symbols.classes))
    drawn = "".join(_symbol(kind, k, colour)
                    for k, (_, _, colour, _) in enumerate(symbols.classes))
    placement = 1 if kind == "fill" else 2
    return f"""{_HEAD}<qgis styleCategories="Symbology|Labeling" labelsEnabled="1">
  <renderer-v2 type="graduatedSymbol" attr={quoteattr(symbols.column)} \
graduatedMethod="GraduatedColor">
    <ranges>
{ranges}    </ranges>
    <symbols>
{drawn}    </symbols>
  </renderer-v2>
  <labeling type="simple">
    <settings calloutType="simple">
      <text-style fieldName={quoteattr(label)} fontSize="9" textColor="0,0,0,255">
        <text-buffer bufferDraw="1" bufferSize="1" bufferColor="255,255,255,255"/>
      </text-style>
      <placement placement="{placement}"/>
    </settings>
  </labeling>
</qgis>
"""


def _symbol(kind: str, name: int, colour: str) -> str:
    red, green, blue = bytes.fromhex(colour.removeprefix("#"))
    options = ({"color": f"{red},{green},{blue},190", "outline_color": f"{red},{green},{blue},255",
                "outline_width": "0.3", "style": "solid"} if kind == "fill" else
               {"line_color": f"{red},{green},{blue},255", "line_width": "0.8"})
    inside = "".join(f"            <Option type=\"QString\" name=\"{key}\" value=\"{value}\"/>\n"
                     for key, value in options.items())
    layer = "SimpleFill" if kind == "fill" else "SimpleLine"
    return f"""      <symbol type="{kind}" name="{name}" alpha="1">
        <layer class="{layer}" enabled="1">
          <Option type="Map">
{inside}          </Option>
        </layer>
      </symbol>
"""


def _write_raster(raster: Path, renderer: str) -> Path:
    return write_text(raster.with_suffix(".qml"), [
        f"{_HEAD}<qgis styleCategories=\"Symbology\">\n  <pipe>\n", renderer,
        "  </pipe>\n</qgis>\n"])


def _paint(colour: str) -> str:
    """Attributes of a colour: its hex code, and its opacity where it has one."""
    alpha = int(colour[7:9], 16) if len(colour) == 9 else 255
    return f"color=\"{colour[:7]}\" alpha=\"{alpha}\""
