"""Fire behaviour of a table of cases by the Canadian FBP System (ST-X-3, GLC-X-10).

Puts together fuel types, spread, crowns and consumption. Rates are those at equilibrium, long after
ignition; the head, back and flanks each follow from their own equations. Units are those of the
system's papers: winds 10 m above open ground in km/h, slopes and moistures in percent.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from firebreak.checks import fail
from firebreak.fire.behavior.rothermel import flame_length
from firebreak.fire.fbp import crown as fbp_crown
from firebreak.fire.fbp import spread as fbp_spread
from firebreak.fire.fbp.consumption import crown_consumption, surface_consumption
from firebreak.fire.fbp.fuels import (
    Indices,
    Mixture,
    constants,
    fuel_index,
    has_crowns,
    is_any,
    is_grass,
    mixture,
    too_green,
)
from firebreak.units import KW_M_PER_BTU_FT_S, METRES_PER_FOOT

Floats = NDArray[np.float64]

FBP_RANGES = {
    "ffmc": (0.0, 101.0), "bui": (0.0, 1000.0), "wind_10m_km_h": (0.0, 300.0),
    "wind_from_deg": (-360.0, 360.0), "slope_pct": (0.0, 1000.0), "aspect_deg": (-360.0, 360.0),
    "latitude_deg": (-90.0, 90.0), "longitude_deg": (-180.0, 180.0),
    "elevation_m": (-500.0, 9000.0), "day_of_year": (1.0, 366.0),
    "minimum_moisture_day": (-366.0, 366.0), "percent_conifer": (0.0, 100.0),
    "percent_dead_fir": (0.0, 100.0), "grass_fuel_load_kg_m2": (0.0, 50.0),
    "curing_pct": (0.0, 100.0), "crown_base_height_m": (0.0, 50.0),
    "crown_fuel_load_kg_m2": (0.0, 10.0), "foliar_moisture_pct": (1.0, 300.0),
    "initial_spread_index": (0.0, 1000.0),
}
"""Lowest and highest value of each number that `fbp_behavior` takes."""

_OPTIONAL = ("minimum_moisture_day", "crown_base_height_m", "crown_fuel_load_kg_m2",
             "foliar_moisture_pct", "initial_spread_index")
_WHERE = "FBP cases"


class FbpBehavior(NamedTuple):
    """Behaviour of a fire at equilibrium; float64 arrays [N]. All 0 where nothing burns.

    Attributes:
        rate_of_spread_m_min: of the head, m/min.
        spread_direction_deg: where the head runs TO, clockwise from north, [0, 360); the wind's
            direction where there is neither wind nor slope.
        fireline_intensity_kw_m: Byram's, at the head, kW/m.
        flame_length_m: Byram's, at the head, m; not part of the FBP System.
        crown_fraction_burned: fraction 0-1.
        flank_rate_m_min: half the ellipse's growth in breadth, m/min.
        back_rate_m_min: against the heading, m/min.
        length_to_breadth: of the fire's ellipse, 1 or more; 1 where nothing burns.
        net_wind_km_h: wind and slope together, km/h.
        initial_spread_index: of that wind, dimensionless.
        foliar_moisture_pct: percent; 0 in fuel types without crowns.
        surface_consumption_kg_m2: fuel burned on the ground, kg/m2.
        crown_consumption_kg_m2: fuel burned in the crowns, kg/m2.
        total_consumption_kg_m2: their sum, kg/m2.
    """

    rate_of_spread_m_min: Floats
    spread_direction_deg: Floats
    fireline_intensity_kw_m: Floats
    flame_length_m: Floats
    crown_fraction_burned: Floats
    flank_rate_m_min: Floats
    back_rate_m_min: Floats
    length_to_breadth: Floats
    net_wind_km_h: Floats
    initial_spread_index: Floats
    foliar_moisture_pct: Floats
    surface_consumption_kg_m2: Floats
    crown_consumption_kg_m2: Floats
    total_consumption_kg_m2: Floats


class _Stand(NamedTuple):
    """The fuel of a case on its day, whatever the wind and slope; arrays [N]."""

    fuel: Indices
    parts: Mixture
    fuel_factor: Floats  # buildup and curing: what multiplies the rate of the spread curve
    crown_fuel_load_kg_m2: Floats
    foliar_moisture_pct: Floats
    surface_consumption_kg_m2: Floats
    critical_rate_m_min: Floats


def fbp_behavior(fuel_type: ArrayLike, *, ffmc: ArrayLike, bui: ArrayLike,
                 wind_10m_km_h: ArrayLike, wind_from_deg: ArrayLike = 0.0,
                 slope_pct: ArrayLike = 0.0, aspect_deg: ArrayLike = 0.0,
                 latitude_deg: ArrayLike = 55.0, longitude_deg: ArrayLike = -120.0,
                 elevation_m: ArrayLike = 0.0, day_of_year: ArrayLike = 180.0,
                 minimum_moisture_day: ArrayLike = np.nan, percent_conifer: ArrayLike = 50.0,
                 percent_dead_fir: ArrayLike = 35.0, grass_fuel_load_kg_m2: ArrayLike = 0.35,
                 curing_pct: ArrayLike = 80.0, crown_base_height_m: ArrayLike = np.nan,
                 crown_fuel_load_kg_m2: ArrayLike = np.nan,
                 foliar_moisture_pct: ArrayLike = np.nan, initial_spread_index: ArrayLike = np.nan,
                 buildup_effect: ArrayLike = True) -> FbpBehavior:
    """Fire behaviour of N cases; values or [N] arrays, broadcast; arrays [N] out.

    Standard values are those of the cffdrs package; nan means "not given".

    Args:
        fuel_type: names such as "C-2", or "c2"; "NF" and "WA" do not burn.
        ffmc: Fine Fuel Moisture Code.
        bui: Buildup Index.
        wind_10m_km_h: wind 10 m above open ground, km/h.
        wind_from_deg: where the wind blows from, clockwise from north.
        slope_pct: 100 times rise over run.
        aspect_deg: direction the slope faces, clockwise from north.
        latitude_deg: degrees north.
        longitude_deg: degrees; with or without the sign of the western hemisphere.
        elevation_m: m; 0 or less counts as unknown.
        day_of_year: 1 to 366.
        minimum_moisture_day: day of the driest needles; nan: from the place.
        percent_conifer: of a mixed stand (M-1, M-2), percent.
        percent_dead_fir: of a mixed stand (M-3, M-4), percent.
        grass_fuel_load_kg_m2: of grass (O-1a, O-1b), kg/m2.
        curing_pct: degree of curing of grass, percent.
        crown_base_height_m: m; nan: the fuel type's.
        crown_fuel_load_kg_m2: kg/m2; nan: the fuel type's.
        foliar_moisture_pct: percent; nan: from the date and the place.
        initial_spread_index: of the head; nan: from FFMC, wind and slope.
        buildup_effect: whether the Buildup Index changes the rate of spread.

    Raises:
        InputError: if a fuel type is unknown, or a number is not finite or out of `FBP_RANGES`.
    """
    numbers = {"ffmc": ffmc, "bui": bui, "wind_10m_km_h": wind_10m_km_h,
               "wind_from_deg": wind_from_deg, "slope_pct": slope_pct, "aspect_deg": aspect_deg,
               "latitude_deg": latitude_deg, "longitude_deg": longitude_deg,
               "elevation_m": elevation_m, "day_of_year": day_of_year,
               "minimum_moisture_day": minimum_moisture_day, "percent_conifer": percent_conifer,
               "percent_dead_fir": percent_dead_fir,
               "grass_fuel_load_kg_m2": grass_fuel_load_kg_m2, "curing_pct": curing_pct,
               "crown_base_height_m": crown_base_height_m,
               "crown_fuel_load_kg_m2": crown_fuel_load_kg_m2,
               "foliar_moisture_pct": foliar_moisture_pct,
               "initial_spread_index": initial_spread_index}
    arrays = [np.asarray(values, dtype=np.float64) for values in numbers.values()]
    names, with_buildup, *shaped = np.atleast_1d(*np.broadcast_arrays(
        np.asarray(fuel_type, dtype=np.str_), np.asarray(buildup_effect, dtype=np.bool_), *arrays))
    columns = dict(zip(numbers, shaped, strict=True))
    for name, values in columns.items():
        _check_range(name, values)
    present, place = np.unique(names, return_inverse=True)
    index = np.array([fuel_index(str(name), _WHERE) for name in present], dtype=np.intp)[place]
    return equilibrium_behavior(index, columns, with_buildup)


def equilibrium_behavior(index: Indices, columns: dict[str, Floats],
                         with_buildup: ArrayLike = True) -> FbpBehavior:
    """Fire behaviour from columns that were checked; their arrays need only broadcast.

    Args:
        index: of the fuel types, see `fuel_index`.
        columns: by the argument names of `fbp_behavior`; date and place are looked at only where
            a foliar moisture is nan.
        with_buildup: whether the Buildup Index changes the rate of spread.
    """
    return _behavior(_stand(index, columns, np.asarray(with_buildup)), columns)


def _check_range(name: str, values: Floats) -> None:
    low, high = FBP_RANGES[name]
    good = (values >= low) & (values <= high)
    if name in _OPTIONAL:
        good |= np.isnan(values)
    if not good.all():
        first = int(np.argmin(good))
        raise fail(expected=f"{name} in [{low:g}, {high:g}]",
                   given=f"{values[first]:g} at index {first}", where=_WHERE,
                   remedy="give it in the unit that its name ends with")


def _stand(index: Indices, columns: dict[str, Floats], with_buildup: NDArray[np.bool_]) -> _Stand:
    fuel = constants(index)
    parts = mixture(index, columns["percent_conifer"], columns["percent_dead_fir"])
    buildup = np.where(with_buildup, fbp_spread.buildup_effect(index, columns["bui"]), 1.0)
    buildup = np.where(too_green(index, columns["bui"]), 0.0, buildup)
    curing = np.where(is_grass(index), fbp_spread.curing_factor(columns["curing_pct"]), 1.0)
    moisture = np.where(has_crowns(index), _foliar_moisture(columns), 0.0)
    consumed = surface_consumption(index, parts, ffmc=columns["ffmc"], bui=columns["bui"],
                                   grass_fuel_load_kg_m2=columns["grass_fuel_load_kg_m2"])
    base = _given_or(columns["crown_base_height_m"], fuel.crown_base_height_m)
    critical = fbp_crown.critical_rate(
        fbp_crown.critical_surface_intensity(base, moisture), consumed)
    return _Stand(
        fuel=index, parts=parts, fuel_factor=buildup * curing,
        crown_fuel_load_kg_m2=_given_or(columns["crown_fuel_load_kg_m2"],
                                        fuel.crown_fuel_load_kg_m2),
        foliar_moisture_pct=moisture, surface_consumption_kg_m2=consumed,
        critical_rate_m_min=np.where(has_crowns(index), critical, np.inf))


def _given_or(given: Floats, standard: Floats) -> Floats:
    return np.where(np.isnan(given), standard, given)


def _foliar_moisture(columns: dict[str, Floats]) -> Floats:
    given = columns["foliar_moisture_pct"]
    if not np.isnan(given).any():
        return given
    driest = fbp_crown.date_of_minimum_moisture(
        columns["latitude_deg"], np.abs(columns["longitude_deg"]), columns["elevation_m"])
    driest = _given_or(columns["minimum_moisture_day"], driest)
    return _given_or(given, fbp_crown.foliar_moisture(columns["day_of_year"], driest))


def _rate(stand: _Stand, isi: Floats) -> tuple[Floats, Floats]:
    """(rate of spread in m/min, crown fraction burned) at a spread index."""
    surface = stand.fuel_factor * fbp_spread.mixed_rate(stand.parts, isi)
    fraction = fbp_crown.crown_fraction_burned(surface, stand.critical_rate_m_min)
    plantation = is_any(stand.fuel, "C-6")
    if not plantation.any():
        return surface, fraction
    crown = fbp_crown.plantation_crown_rate(isi, stand.foliar_moisture_pct)
    return np.where(plantation, fbp_crown.plantation_rate(surface, crown, fraction),
                    surface), fraction


def _behavior(stand: _Stand, columns: dict[str, Floats]) -> FbpBehavior:
    ffmc = columns["ffmc"]
    slope_wind = np.where(
        columns["slope_pct"] > 0.0,
        fbp_spread.slope_equivalent_wind(stand.parts, ffmc, columns["slope_pct"]), 0.0)
    wind, direction = fbp_spread.net_wind(columns["wind_10m_km_h"], columns["wind_from_deg"],
                                          slope_wind, columns["aspect_deg"])
    isi = _given_or(columns["initial_spread_index"], fbp_spread.spread_index(ffmc, wind))
    head, fraction = _rate(stand, isi)
    back, _ = _rate(stand, fbp_spread.back_spread_index(ffmc, wind))
    ratio = fbp_spread.length_to_breadth(is_grass(stand.fuel), wind)
    from_crowns = crown_consumption(stand.parts, stand.crown_fuel_load_kg_m2, fraction)
    consumed = stand.surface_consumption_kg_m2 + from_crowns
    intensity = fbp_crown.byram_intensity(consumed, head)
    burns = ~is_any(stand.fuel, "NF", "WA")
    found = FbpBehavior(
        rate_of_spread_m_min=head,
        spread_direction_deg=direction,
        fireline_intensity_kw_m=intensity,
        flame_length_m=flame_length(intensity / KW_M_PER_BTU_FT_S) * METRES_PER_FOOT,
        crown_fraction_burned=fraction,
        flank_rate_m_min=fbp_spread.flank_rate(head, back, ratio),
        back_rate_m_min=back,
        length_to_breadth=ratio,
        net_wind_km_h=wind,
        initial_spread_index=isi,
        foliar_moisture_pct=stand.foliar_moisture_pct,
        surface_consumption_kg_m2=stand.surface_consumption_kg_m2,
        crown_consumption_kg_m2=from_crowns,
        total_consumption_kg_m2=consumed,
    )
    return FbpBehavior(*(np.where(burns, values, float(name == "length_to_breadth"))
                         for name, values in found._asdict().items()))
