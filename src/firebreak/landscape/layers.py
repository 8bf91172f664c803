"""The layers of LANDFIRE and FARSITE landscapes: recognise them by name, bring them to our units.

Files hold whole numbers: canopy and base height in decimetres, bulk density in 0.01 kg/m3, cover
in percent, slope in degrees or percent. A FARSITE .lcp names its units in its header.
"""

import re
from enum import Enum

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import distance_transform_edt

from firebreak.checks import fail
from firebreak.landscape.geotiff import Band
from firebreak.landscape.landscape import NODATA
from firebreak.units import KG_M3_PER_LB_FT3, METRES_PER_FOOT

FloatGrid = NDArray[np.float32]


class Role(Enum):
    """What a layer is."""

    ELEVATION = "elevation"
    SLOPE = "slope"
    ASPECT = "aspect"
    FUEL = "fuel model"
    COVER = "canopy cover"
    HEIGHT = "canopy height"
    BASE = "canopy base height"
    DENSITY = "canopy bulk density"


LCP_ORDER = tuple(Role)
"""Order of bands in a landscape file; the first five alone make one without crown fuels."""

# Tried in this order: "canopy base height" is not a height, "canopy bulk density" not a canopy.
_PATTERNS: tuple[tuple[Role, str], ...] = (
    (Role.FUEL, r"FBFM|(?<![A-Z0-9])F(13|40)(?!\d)|FUEL"),
    (Role.DENSITY, r"CBD|BULK"),
    (Role.BASE, r"CBH|BASE"),
    (Role.HEIGHT, r"(?<![A-Z])CH(?![A-Z])|HEIGHT"),
    (Role.COVER, r"(?<![A-Z])CC(?![A-Z])|COVER"),
    (Role.SLOPE, r"(?<![A-Z])(SLP|SLOPE)"),
    (Role.ASPECT, r"(?<![A-Z])ASP"),
    (Role.ELEVATION, r"(?<![A-Z])(ELEV|DEM(?![A-Z]))"),
)

_HEIGHT_UNITS = {"1": 1.0, "2": METRES_PER_FOOT, "3": 0.1, "4": 0.1 * METRES_PER_FOOT}
_DENSITY_UNITS = {"1": 1.0, "2": KG_M3_PER_LB_FT3, "3": 0.01, "4": 0.001 * KG_M3_PER_LB_FT3}


def role_of(name: str) -> Role | None:
    """What a band description or a file's stem names, such as LC20_SlpP_220; None if nothing."""
    text = name.upper()
    return next((role for role, pattern in _PATTERNS if re.search(pattern, text)), None)


def is_40(name: str) -> bool:
    """Whether the name of a fuel layer says that it holds the 40 models of Scott & Burgan."""
    return re.search(r"(FBFM|(?<![A-Z0-9])F)40", name.upper()) is not None


def fuel_codes(band: Band, where: str) -> NDArray[np.int16]:
    """Fuel codes, with `NODATA` where there is none; `InputError` if they are no whole numbers."""
    whole = np.where(band.valid, band.values.astype(np.float32), NODATA)
    codes = np.clip(whole, -32768, 32767).astype(np.int16)
    odd = codes != whole
    if odd.any():
        raise fail(expected="whole fuel model codes", given=f"{whole[odd][0]:g} and others",
                   where=where, remedy="check which band holds the fuel models")
    if not band.valid.any():
        raise fail(expected="at least one cell with a fuel model", given="no data everywhere",
                   where=where, remedy="check the area and the no-data value of the file")
    return codes


def elevation_m(band: Band, where: str) -> FloatGrid:
    """Elevation in metres; a cell without takes that of the nearest cell that has one."""
    if not band.valid.any():
        raise fail(expected="elevations", given="no data everywhere", where=where,
                   remedy="check the area and the no-data value of the file")
    scale = METRES_PER_FOOT if band.tags.get("ELEVATION_UNIT") == "1" else 1.0
    metres = band.values.astype(np.float32) * np.float32(scale)
    if band.valid.all():
        return metres
    nearest = distance_transform_edt(~band.valid, return_distances=False, return_indices=True)
    return metres[tuple(nearest)]


def slope_tan(band: Band, name: str) -> FloatGrid:
    """Slope, rise over run; 0 without data.

    The unit is that of the layer's name (SlpP percent, SlpD degrees) or of an .lcp header,
    otherwise degrees; slopes above 90 cannot be degrees and are taken as percent.
    """
    slope = np.where(band.valid, band.values, 0).astype(np.float32)
    if _in_percent(name, band.tags) or slope.max(initial=0.0) > 90.0:
        return slope / np.float32(100.0)
    return np.tan(np.radians(np.clip(slope, 0.0, 89.0)))


def _in_percent(name: str, tags: dict[str, str]) -> bool:
    named = re.search(r"SLPP|PERCENT|PCT", name.upper()) is not None
    return named or tags.get("SLOPE_UNIT") == "1"


def aspect_deg(band: Band) -> tuple[FloatGrid, NDArray[np.bool_]]:
    """Aspect in [0, 360), 0 where flat or without data; and where there is one."""
    given = band.valid & (band.values >= 0)
    return np.where(given, band.values, 0).astype(np.float32) % np.float32(360.0), given


def canopy_cover(band: Band) -> FloatGrid:
    """Cover, fraction 0-1; 0 without data."""
    return np.clip(_scaled(band, 0.01), 0.0, 1.0)


def canopy_height_m(band: Band) -> FloatGrid:
    """Height of the canopy's top, or of its base, in metres; 0 without data."""
    unit = band.tags.get("CANOPY_HT_UNIT") or band.tags.get("CBH_UNIT") or "3"
    return _scaled(band, _HEIGHT_UNITS.get(unit, 0.1))


def canopy_bulk_density_kg_m3(band: Band) -> FloatGrid:
    """Bulk density of the canopy, kg/m3; 0 without data."""
    return _scaled(band, _DENSITY_UNITS.get(band.tags.get("CBD_UNIT", "3"), 0.01))


def _scaled(band: Band, scale: float) -> FloatGrid:
    known = np.where(band.valid, band.values, 0).astype(np.float32)
    return np.maximum(known, 0.0) * np.float32(scale)
