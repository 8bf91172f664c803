"""The layers of landscapes: recognise them by name, bring them to our units.

LANDFIRE's files hold whole numbers: canopy and base height in decimetres, bulk density in 0.01
kg/m3, cover in percent, slope in degrees or percent. A FARSITE .lcp names its units in its header;
other layers may name them at the end of their own names, such as canopy_height_m or slope_percent.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import distance_transform_edt

from firebreak.checks import counted, fail
from firebreak.landscape.landscape import NODATA
from firebreak.landscape.names import DATA, is_own
from firebreak.landscape.raster.geotiff import Band
from firebreak.units import KG_M3_PER_LB_FT3, METRES_PER_FOOT, METRES_PER_US_FOOT

FloatGrid = NDArray[np.float32]


class Role(Enum):
    """The kinds of layers."""

    ELEVATION = "elevation"
    SLOPE = "slope"
    ASPECT = "aspect"
    FUEL = "fuel model"
    COVER = "canopy cover"
    HEIGHT = "canopy height"
    BASE = "canopy base height"
    DENSITY = "canopy bulk density"
    CURING = "grass curing"
    IGNITION = "ignition weight"
    VALUE = "value"
    COST = "cost"
    TREATABLE = "treatable"
    ROAD = "distance to a road"
    BARE = "width of bare ground"


LCP_ORDER = tuple(Role)[:8]
"""Order of bands in a landscape file; the first five alone make one without crown fuels."""

SlopeUnit = Literal["percent", "degrees"]

ELEVATIONS_M = (-500.0, 9000.0)
"""All land lies between; other numbers are no data that no tag declares."""

RASTERS = (".tif", ".tiff", ".lcp", ".asc")
"""Endings of the files that are layers, or landscapes, of a folder."""
TABLE_END = "_lookup_table.csv"
"""Ending of the table of fuels in a folder of Cell2Fire."""

_LARGEST_CODE = 32767
_TALLEST_M = 150.0  # the tallest tree known stands 116 m
_DENSEST_KG_M3 = 5.0  # measured canopies reach about 0.5
_ROUNDING = 1e-6

_COVER_CLASSES = np.array((0.0, 0.10, 0.35, 0.65, 0.90), np.float32)
"""Cover of FARSITE's classes: none, 1-20, 21-50, 51-80 and 81-100 percent."""

UNSTATED = "unstated"
"""Value of a slope band's SLOPE_UNIT tag where neither file nor convention names the unit."""

# Tried in this order: "canopy base height" is not a height, "canopy bulk density" not a canopy.
_PATTERNS: tuple[tuple[Role, str], ...] = (
    (Role.FUEL, r"FBFM|(?<![A-Z0-9])F(13|40)(?!\d)|FUEL"),
    (Role.DENSITY, r"CBD|BULK"),
    (Role.BASE, r"CBH|BASE"),
    (Role.HEIGHT, r"(?<![A-Z])CH(?![A-Z])|HEIGHT"),
    (Role.COVER, r"(?<![A-Z])CCF?(?![A-Z])|COVER"),
    (Role.SLOPE, r"(?<![A-Z])(SLP|SLOPE)"),
    (Role.ASPECT, r"(?<![A-Z])ASP"),
    (Role.ELEVATION, r"(?<![A-Z])(ELEV|DEM(?![A-Z]))"),
    (Role.CURING, r"^GRASS[ _]CURING"),
    (Role.IGNITION, r"^IGNITION[ _]WEIGHT$"),
    (Role.VALUE, r"^VALUE$"),
    (Role.COST, r"^COST$"),
    (Role.TREATABLE, r"^TREATABLE$"),
    (Role.ROAD, r"^ROAD[ _]M$"),
    (Role.BARE, r"^BARE[ _]M$"),
)

_ELEVATION_UNITS = {
    **dict.fromkeys(("", "unknown", "m", "metre", "metres", "meter", "meters", "masl", "m asl",
                     "m a.s.l.", "metres above sea level", "meters above sea level"), 1.0),
    **dict.fromkeys(("ft", "foot", "feet", "international foot", "international feet"),
                    METRES_PER_FOOT),
    **dict.fromkeys(("us survey foot", "us survey feet", "us_survey_foot", "foot_us", "ftus",
                     "us-ft", "sft"),
                    METRES_PER_US_FOOT)}
_LENGTHS = {**dict.fromkeys(("m", "metre", "metres", "meter", "meters"), 1.0),
            **dict.fromkeys(("dm", "decimetre", "decimetres", "decimeter", "decimeters"), 0.1),
            **dict.fromkeys(("ft", "foot", "feet"), METRES_PER_FOOT)}
_DENSITIES = {"kgm3": 1.0, "gm3": 0.001, "lbft3": KG_M3_PER_LB_FT3}
_SHARES = {**dict.fromkeys(("%", "percent", "pct"), 0.01), "fraction": 1.0, "1": 1.0}
_ANGLES: dict[str, SlopeUnit] = {
    **dict.fromkeys(("°", "deg", "degree", "degrees"), "degrees"),
    **dict.fromkeys(("%", "percent", "pct"), "percent")}
_TIMES = re.compile(r"(.+?)\s*[*x×]\s*(10+)")
"""A unit such as `m * 10`, of which the numbers are so many times too large."""
_HEIGHT_UNITS = {"1": 1.0, "2": METRES_PER_FOOT, "3": 0.1, "4": 0.1 * METRES_PER_FOOT}
_DENSITY_UNITS = {"1": 1.0, "2": KG_M3_PER_LB_FT3, "3": 0.01, "4": 0.001 * KG_M3_PER_LB_FT3}


def role_of(name: str) -> Role | None:
    """The role that a band description or a file's stem names, such as LC20_SlpP_220, or None."""
    text = name.upper()
    return next((role for role, pattern in _PATTERNS if re.search(pattern, text)), None)


def is_40(name: str) -> bool:
    """True where the name of a fuel layer says that it holds the 40 models of Scott & Burgan."""
    return re.search(r"(FBFM|(?<![A-Z0-9])F)40", name.upper()) is not None


def layers_among(files: Iterable[Path], role_of: Callable[[str], Role | None]) -> dict[Role, Path]:
    """The file of each layer, by the stems of files; beside a fuel layer of the 40 models those of
    the 13 are left out.

    Raises:
        InputError: two files for one layer.
    """
    known = [(role, path) for path in files if (role := role_of(path.stem)) is not None]
    fuels = [path for role, path in known if role is Role.FUEL]
    best = [path for path in fuels if is_40(path.stem)] or fuels
    found: dict[Role, Path] = {}
    for role, path in known:
        if role is Role.FUEL and path not in best:
            continue
        if role in found:
            raise fail(expected=f"one raster for {role.value}",
                       given=f"{found[role].name} and {path.name}", where=str(path.parent),
                       remedy="remove one of them")
        found[role] = path
    return found


def fuel_codes(band: Band) -> NDArray[np.int16]:
    """Fuel codes, with `NODATA` where there is none; `InputError` if they are no whole numbers."""
    whole = np.where(band.valid, band.values.astype(np.float64), NODATA)
    codes = np.clip(whole, -32768, 32767).astype(np.int16)
    odd = codes != whole
    if odd.any():
        number, count = whole[odd][0], int(np.count_nonzero(whole == whole[odd][0]))
        if count == np.count_nonzero(odd) and abs(number) > _LARGEST_CODE:
            raise fail(expected="whole fuel model codes",
                       given=f"{number:g} in {counted(count, 'cell')}, a no-data value that no tag "
                             "declares", where=band.where,
                       remedy=f"declare it: gdal_edit.py -a_nodata {number:.17g} FILE")
        raise fail(expected="whole fuel model codes", given=f"{number:g} and others",
                   where=band.where, remedy="check which band holds the fuel models")
    if not band.valid.any():
        raise fail(expected="at least one cell with a fuel model", given="no data everywhere",
                   where=band.where, remedy="check the area and the no-data value of the file")
    return codes


def elevation_m(band: Band) -> FloatGrid:
    """Elevation in metres; a cell without takes that of the nearest cell that has one.

    Raises:
        InputError: no data everywhere, a unit that is neither metres nor feet, or elevations
            outside `ELEVATIONS_M`.
    """
    if not band.valid.any():
        raise fail(expected="elevations", given="no data everywhere", where=band.where,
                   remedy="check the area and the no-data value of the file")
    unit = band.unit or band.datum_unit
    scale = (METRES_PER_FOOT if band.tags.get("ELEVATION_UNIT") == "1"
             else _ELEVATION_UNITS.get(unit.strip().lower()))
    if scale is None:
        raise fail(expected="elevations in metres or feet", given=f"the unit '{unit}'",
                   where=band.where, remedy="convert its numbers to metres, for example with "
                   "gdal_calc.py, and set the unit with gdal_edit.py -units m")
    with np.errstate(over="ignore"):  # infinite is outside the range, too
        metres = band.values.astype(np.float32) * np.float32(scale)
    least, most = ELEVATIONS_M
    _check_range(band, metres, least, most, f"elevations from {least:g} to {most:g} m",
                 "declare the file's no-data value, for example with gdal_edit.py -a_nodata, or "
                 "convert its numbers to metres")
    if band.valid.all():
        return metres
    nearest = distance_transform_edt(~band.valid, return_distances=False, return_indices=True)
    return metres[tuple(nearest)]


def stated_slope_unit(band: Band) -> SlopeUnit | None:
    """Unit of a slope layer as its name (SlpP, slope_percent, SlpD) or an .lcp header states it.

    A unit of the band goes before both. Where nothing is stated LANDFIRE's degrees are meant; None
    where even that is not known.
    """
    if band.unit:
        return _ANGLES.get(band.unit.strip().lower())
    stated = band.tags.get("SLOPE_UNIT")
    if re.search(r"SLPP|PERCENT|PCT", band.label.upper()) or stated == "1":
        return "percent"
    return None if stated == UNSTATED else "degrees"


def slope_tan(band: Band, unit: SlopeUnit) -> FloatGrid:
    """Slope, rise over run; 0 without data or below 0."""
    slope = np.maximum(np.where(band.valid, band.values, 0).astype(np.float64), 0.0)
    if unit == "percent":
        return (slope / 100.0).astype(np.float32)
    return np.tan(np.radians(np.minimum(slope, 89.0))).astype(np.float32)


def aspect_deg(band: Band) -> tuple[FloatGrid, NDArray[np.bool_]]:
    """Aspect in [0, 360), 0 where flat or without data; and where there is one.

    Level ground is -1 in some files and 65535 (that -1 in 16 bits without a sign) in others. The
    header of an .lcp may name GRASS's degrees, counter-clockwise from east with 0 for level ground.
    """
    values = band.values
    known = band.valid & (values >= 0) & (values <= 360)
    if band.tags.get("ASPECT_UNIT") == "1":
        known &= values > 0
        values = (450.0 - values) % 360.0
    return np.where(known, values, 0).astype(np.float32) % np.float32(360.0), known


def odd_aspects(band: Band) -> str:
    """Unit of aspects that are no degrees, by the header of an .lcp or by their unit."""
    if band.tags.get("ASPECT_UNIT") == "0":
        return "GRASS's classes, as the header says"
    known = not band.unit or _ANGLES.get(band.unit.strip().lower()) == "degrees"
    return "" if known else f"the unit '{band.unit}'"


def _declared(band: Band, units: Mapping[str, float], usual: float) -> float:
    """Our units per unit of a band, as it declares it; else the usual.

    Raises:
        InputError: a unit that is none of these.
    """
    if not band.unit:
        return usual
    times = _TIMES.fullmatch(band.unit.strip().lower())
    name = re.sub(r"[\s^*/·.()-]", "", times[1] if times else band.unit.strip().lower())
    if name not in units:
        raise fail(expected=f"a unit such as {', '.join(units)}", given=f"'{band.unit}'",
                   where=f"{band.where}, band {band.label}",
                   remedy="convert the numbers, and set the unit with gdal_edit.py -units")
    return units[name] / (float(times[2]) if times else 1.0)


def canopy_cover(band: Band) -> FloatGrid:
    """Cover, fraction 0-1; 0 without data; `InputError` outside 0 to 100 percent.

    Classes 0 to 4, if the header of an .lcp names them, become the middle of their range.
    """
    if band.tags.get("CANOPY_COV_UNIT") == "0":
        _check_range(band, band.values.astype(np.float32), 0.0, _COVER_CLASSES.size - 1.0,
                     "canopy cover in classes 0 to 4, as the header says",
                     "if it is in percent, say so: gdal_translate -of LCP -co "
                     "CANOPY_COV_UNIT=PERCENT IN OUT")
        return _COVER_CLASSES[np.where(band.valid, band.values, 0).astype(np.intp)]
    cover = _scaled(band, _declared(band, _SHARES, 0.01))
    _check_range(band, 100.0 * cover, 0.0, 100.0 * (1.0 + _ROUNDING),
                 "canopy cover of 0 to 100 percent",
                 "check its unit, and declare the file's no-data value")
    return np.minimum(cover, 1.0)


def canopy_height_m(band: Band) -> FloatGrid:
    """Height of the canopy's top, or of its base, in metres; 0 without data; `InputError` below 0
    and where no tree is so tall."""
    tags = band.tags
    unit = tags.get("CANOPY_HT_UNIT") or tags.get("CBH_UNIT") or "3"
    in_metres = re.search(r"[ _]M$", band.label.upper()) is not None
    height = _scaled(band, _declared(band, _LENGTHS, 1.0 if in_metres else _HEIGHT_UNITS.get(
        unit, 0.1)))
    _check_range(band, height, 0.0, _TALLEST_M, f"canopy heights from 0 to {_TALLEST_M:g} m",
                 "check whether they are decimetres, and declare the file's no-data value")
    return height


def canopy_bulk_density_kg_m3(band: Band) -> FloatGrid:
    """Bulk density of the canopy, kg/m3; 0 without data.

    Raises:
        InputError: numbers all below 1 that neither name nor header gives a unit, or densities that
            no canopy has.
    """
    natural = re.search(r"KG[ _/]?M-?3$", band.label.upper()) is not None
    unit = "1" if natural else band.tags.get("CBD_UNIT")
    largest = np.max(band.values, where=band.valid, initial=0)
    if unit is None and not band.unit and 0 < largest < 1:
        raise fail(expected="bulk density in 0.01 kg/m3",
                   given=f"values up to {largest:g}, which are kg/m3", where=band.where,
                   remedy="name the layer canopy_bulk_density_kg_m3")
    density = _scaled(band, _declared(band, _DENSITIES, _DENSITY_UNITS.get(unit or "3", 0.01)))
    _check_range(band, density, 0.0, _DENSEST_KG_M3,
                 f"canopy bulk density from 0 to {_DENSEST_KG_M3:g} kg/m3",
                 "check whether it is in 0.01 kg/m3, and declare the file's no-data value")
    return density


CANOPY: dict[Role, tuple[str, Callable[[Band], FloatGrid]]] = {
    Role.COVER: ("canopy_cover", canopy_cover),
    Role.HEIGHT: ("canopy_height_m", canopy_height_m),
    Role.BASE: ("canopy_base_height_m", canopy_height_m),
    Role.DENSITY: ("canopy_bulk_density_kg_m3", canopy_bulk_density_kg_m3)}
"""Of the canopy's layers: the grid of a landscape that holds it, and its conversion to our unit."""


def fraction(band: Band, default: float) -> FloatGrid:
    """Percent as a fraction 0-1, `default` without data; `InputError` outside 0-100."""
    percent = np.where(band.valid, band.values, 100.0 * default)
    if (percent < 0).any() or (percent > 100).any():
        raise fail(expected="percent from 0 to 100", where=band.where, remedy="check its unit",
                   given=f"{percent.min():g} to {percent.max():g}")
    return (percent / 100.0).astype(np.float32)


def filled(band: Band, default: float) -> FloatGrid:
    """The layer's numbers, and `default` where there is no data."""
    return np.where(band.valid, band.values, default).astype(np.float32)


def _check_range(band: Band, grid: FloatGrid, least: float, most: float, expected: str,
                 remedy: str) -> None:
    """`InputError` with count and first place for valid numbers [H, W] below or above a range."""
    odd = band.valid & ((grid < least) | (grid > most))
    if not odd.any():
        return
    row, col = divmod(int(np.argmax(odd)), grid.shape[1])
    count = counted(int(np.count_nonzero(odd)), "cell")
    raise fail(expected=expected, where=band.where, remedy=remedy,
               given=f"{count} outside, the first at row {row}, column {col} with "
                     f"{grid[row, col]:g}")


def _scaled(band: Band, scale: float) -> FloatGrid:
    known = np.where(band.valid, band.values, 0).astype(np.float64)
    # Dividing by a whole number rounds once: 45 percent is the float nearest to 0.45.
    whole = round(1.0 / scale)
    exact = abs(whole * scale - 1.0) < 1e-12
    return (known / whole if exact else known * scale).astype(np.float32)


def rasters_in(folder: Path) -> list[Path]:
    """The rasters of a folder that may be a landscape or its layers, by name: those that firebreak
    wrote there only where there are no others, as in the folder of a plan with its treated land.
    """
    found = sorted(path for path in folder.iterdir() if path.suffix.lower() in RASTERS)
    own = sorted((folder / DATA).glob("*.tif")) if (folder / "plan.json").is_file() else []
    return [path for path in found if not is_own(path.name)] or [*found, *own]
