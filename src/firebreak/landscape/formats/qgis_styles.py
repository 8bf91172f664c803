"""QGIS styles (.qml) beside rasters and vectors: QGIS takes the one of the same name by itself."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import quoteattr

import numpy as np

from firebreak.landscape.formats.write import write_text
from firebreak.landscape.landscape import NODATA, Landscape

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


def write_fuel_style(raster: Path, landscape: Landscape) -> Path:
    """The style of a raster of fuel codes, with those that the landscape has."""
    fuels = landscape.fuels
    present = [code for code in np.unique(landscape.fuel_model).tolist() if code != NODATA]
    return write_classes(raster, [
        Class(code, fuels.colour(code), f"{code} {fuels.label(code)}") for code in present])


def write_outlines(vector: Path, colour: str, label: str) -> Path:
    """A style of polygons in one colour, labelled with the number in the column `label`."""
    red, green, blue = _rgb(colour)
    return write_text(vector.with_suffix(".qml"), [f"""{_HEAD}<qgis styleCategories="Symbology|\
Labeling" labelsEnabled="1">
  <renderer-v2 type="singleSymbol">
    <symbols>
      <symbol type="fill" name="0" alpha="1">
        <layer class="SimpleFill" enabled="1">
          <Option type="Map">
            <Option type="QString" name="color" value="{red},{green},{blue},160"/>
            <Option type="QString" name="outline_color" value="{red},{green},{blue},255"/>
            <Option type="QString" name="outline_width" value="0.4"/>
            <Option type="QString" name="style" value="solid"/>
          </Option>
        </layer>
      </symbol>
    </symbols>
  </renderer-v2>
  <labeling type="simple">
    <settings calloutType="simple">
      <text-style fieldName={quoteattr(label)} fontSize="9" textColor="0,0,0,255">
        <text-buffer bufferDraw="1" bufferSize="1" bufferColor="255,255,255,255"/>
      </text-style>
      <placement placement="1"/>
    </settings>
  </labeling>
</qgis>
"""])


def _write_raster(raster: Path, renderer: str) -> Path:
    return write_text(raster.with_suffix(".qml"), [
        f"{_HEAD}<qgis styleCategories=\"Symbology\">\n  <pipe>\n", renderer,
        "  </pipe>\n</qgis>\n"])


def _paint(colour: str) -> str:
    """Attributes of a colour: its hex code, and its opacity where it has one."""
    alpha = int(colour[7:9], 16) if len(colour) == 9 else 255
    return f"color=\"{colour[:7]}\" alpha=\"{alpha}\""


def _rgb(colour: str) -> tuple[int, int, int]:
    red, green, blue = bytes.fromhex(colour.removeprefix("#"))
    return red, green, blue
