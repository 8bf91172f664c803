"""Fire behaviour of published cases, compared, and as tables in Markdown.

Each function of a table takes a folder or file of reference numbers and returns a table with the
greatest relative difference per quantity and the case that it occurs in.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.cli.commands.behavior_cases import fbp_results
from firebreak.cli.shared.tables import Table, read_table
from firebreak.fire.behavior import crown
from firebreak.fire.behavior.crown_fire import Site, cruz_run
from firebreak.fire.behavior.surface import SurfaceSpread, point_behavior
from firebreak.fire.behavior.types import ACTIVE_CROWN_FIRE
from firebreak.fire.behavior.wind import WindLimit, wind_adjustment_factor
from firebreak.fire.fbp.fuels import FUEL_NAMES, fuel_index
from firebreak.units import M_MIN_PER_KM_H, M_MIN_PER_MPH, METRES_PER_FOOT, WIND_10M_PER_20FT
from firebreak.weather.fwi import daily_codes

Floats = NDArray[np.float64]

LEAST = 1e-6  # expected numbers below this are compared with it instead

SURFACE = (("rate of spread", "rate_of_spread_m_min", "ros_m_min"),
           ("fireline intensity", "fireline_intensity_kw_m", "fli_kW_m"),
           ("flame length", "flame_length_m", "flame_m"),
           ("length to width", "length_to_width", "length_to_width"))
FBP = (("ROS", "rate_of_spread_m_min"), ("HFI", "fireline_intensity_kw_m"),
       ("CFB", "crown_fraction_burned"), ("FROS", "flank_rate_m_min"),
       ("BROS", "back_rate_m_min"), ("LB", "length_to_width"), ("WSV", "net_wind_km_h"),
       ("ISI_out", "initial_spread_index"), ("FMC_out", "foliar_moisture_pct"),
       ("SFC", "surface_consumption_kg_m2"), ("CFC", "crown_consumption_kg_m2"),
       ("TFC", "total_consumption_kg_m2"))
FBP_PACKAGE = ("ROS", "HFI", "CFB", "SFC", "CFC", "TFC")


class Compared(NamedTuple):
    """A quantity in N cases: found and expected [N], and what the cases are called."""

    quantity: str
    found: Floats
    expected: Floats
    cases: Sequence[str]


def relative(found: Floats, expected: Floats) -> Floats:
    """Relative differences, of either sign."""
    return (found - expected) / np.maximum(np.abs(expected), LEAST)


def turn(found: Floats, expected: Floats) -> Floats:
    """Angles between directions, degrees in [-180, 180)."""
    return (found - expected + 180.0) % 360.0 - 180.0


def short(number: float) -> str:
    """A number of 0 or more with two digits that count, written out; 0 below 1e-6."""
    if number < 1e-6:
        return "0"
    return np.format_float_positional(number, precision=2, unique=False, fractional=False,
                                      trim="-")


def percent(share: float) -> str:
    """A share of 0 or more in percent; what is below 1e-8 is rounding and counts as 0."""
    return f"{short(100.0 * share)} %" if share >= 1e-8 else "0"


def row(cells: Sequence[str]) -> str:
    """One line of a Markdown table."""
    return f"| {' | '.join(cells)} |"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    return "\n".join([row(head), row(["---"] * len(head)), *(row(cells) for cells in rows)])


def compared_table(items: Sequence[Compared], first: str = "quantity") -> str:
    """Cases, median and greatest relative difference of each item."""
    return table((first, "cases", "median difference", "greatest difference", "where"),
                 [_compared_row(item) for item in items])


def _compared_row(item: Compared) -> tuple[str, ...]:
    off = np.abs(relative(item.found, item.expected))
    most = int(off.argmax())
    where = item.cases[most] if off[most] >= 1e-8 else ""
    return (item.quantity, str(off.size), percent(float(np.median(off))),
            percent(float(off[most])), where)


def direction_row(found: Floats, expected: Floats, cases: Sequence[str]) -> str:
    """The row of headings below a table of `compared_table`; differences in degrees."""
    off = np.abs(turn(found, expected))
    worst = int(off.argmax())
    return "\n" + row(("heading", str(off.size), f"{short(float(np.median(off)))} degrees",
                       f"{short(float(off[worst]))} degrees", cases[worst]))


def floats(read: Table, name: str) -> Floats:
    """A column of numbers; nan where it is blank or NA."""
    return np.array([np.nan if text.strip() in ("", "NA") else float(text)
                     for text in read.texts(name)])


def surface_of(read: Table, rows: NDArray[np.bool_], limit: WindLimit = "none") -> SurfaceSpread:
    """Surface fire of the rows of a table of cases, under a wind limit."""
    def column(name: str, per_unit: float) -> Floats:
        return floats(read, name)[rows] * per_unit

    return point_behavior(
        floats(read, "fuel_model")[rows].astype(int),
        dead_moisture_1h=column("m1h_pct", 0.01), dead_moisture_10h=column("m10h_pct", 0.01),
        dead_moisture_100h=column("m100h_pct", 0.01),
        live_moisture_herb=column("mherb_pct", 0.01),
        live_moisture_woody=column("mwoody_pct", 0.01),
        midflame_wind_m_min=column("midflame_wind_mph", M_MIN_PER_MPH),
        wind_from_deg=column("wind_from_deg", 1.0), slope_tan=column("slope_pct", 0.01),
        aspect_deg=column("aspect_deg", 1.0), wind_limit=limit)


def worst(items: Sequence[Compared]) -> dict[str, float]:
    """The greatest relative difference of each quantity."""
    return {item.quantity: float(np.abs(relative(item.found, item.expected)).max())
            for item in items}


def behave_compared(reference: Path) -> tuple[list[Compared], Compared]:
    """Every row of ros-reference.csv, computed by BEHAVE's library; and the headings, degrees."""
    read = read_table(reference / "ros-reference.csv")
    every = np.ones(len(read.rows), bool)
    found = surface_of(read, every)
    names = [f"model {code}, {case}" for code, case in
             zip(read.texts("fuel_model"), read.texts("case"), strict=True)]
    items = [Compared(words, getattr(found, field), floats(read, column), names)
             for words, field, column in SURFACE]
    headed = (floats(read, "midflame_wind_mph") > 0) | (floats(read, "slope_pct") > 0)
    return items, Compared("heading", found.heading_deg[headed],
                           floats(read, "spread_dir_deg")[headed],
                           [name for name, has in zip(names, headed, strict=True) if has])


def behave_table(reference: Path) -> str:
    """The cases of `behave_compared`."""
    items, heading = behave_compared(reference)
    return compared_table(items) + direction_row(heading.found, heading.expected, heading.cases)


def strong_wind_groups(read: Table) -> dict[str, NDArray[np.bool_]]:
    """Rows [N] of surface_cases.csv by what they test."""
    slope, limit = floats(read, "slope_pct"), np.array(read.texts("wind_limit"))
    beside = np.abs(turn(floats(read, "wind_from_deg"), floats(read, "aspect_deg")))
    along = np.minimum(beside, 180.0 - beside) < 1.0
    free, windy = limit == "none", floats(read, "midflame_wind_mph") > 0
    return {"level ground": free & (slope == 0.0),
            "slope without wind, or wind along the slope": free & (slope > 0.0) & (along | ~windy),
            "wind across the slope": free & (slope > 0.0) & windy & ~along,
            "with the wind limit of Rothermel 1972": ~free}


class Group(NamedTuple):
    """A group of surface_cases.csv: greatest relative difference by quantity, and of headings."""

    cases: int
    wind_mph: float
    worst: dict[str, float]
    heading_deg: float


def strong_wind_compared(cases: Path) -> dict[str, Group]:
    """surface_cases.csv, computed by Pyretechnics: greatest difference by group and quantity."""
    read, groups = read_table(cases / "surface_cases.csv"), {}
    for group, rows in strong_wind_groups(read).items():
        found = surface_of(read, rows, "rothermel" if "limit" in group else "none")
        names = [""] * int(rows.sum())
        differences = worst([Compared(words, getattr(found, field), floats(read, column)[rows],
                                      names) for words, field, column in SURFACE])
        angle = np.abs(turn(found.heading_deg, floats(read, "spread_dir_deg")[rows]))
        groups[group] = Group(int(rows.sum()), floats(read, "midflame_wind_mph")[rows].max(),
                              differences, float(np.nanmax(angle)))
    return groups


def strong_wind_table(cases: Path) -> str:
    """The groups of `strong_wind_compared`."""
    lines = [(name, str(group.cases), f"{group.wind_mph:g}",
              *(percent(group.worst[words]) for words, *_ in SURFACE), short(group.heading_deg))
             for name, group in strong_wind_compared(cases).items()]
    return table(("cases", "number", "wind up to, mi/h", *(words for words, *_ in SURFACE),
                  "heading, degrees"), lines)


def crown_compared(cases: Path) -> tuple[list[Compared], int, Floats]:
    """crown_cases_cruz.csv, computed by Pyretechnics; in how many cases the fire type is the same,
    and the fire types.
    """
    read = read_table(cases / "crown_cases_cruz.csv")
    density, still = floats(read, "canopy_bulk_density_kg_m3"), np.zeros(len(read.rows))
    wind = floats(read, "wind_10m_km_h") * M_MIN_PER_KM_H / WIND_10M_PER_20FT
    run = cruz_run(Site(wind, still, still, still), density, floats(read, "dead_moisture_1h"))
    critical = crown.critical_rate(density)
    linked = crown.cruz(still, still, run.rate_m_min, critical)
    load = density * (floats(read, "canopy_height_m") - floats(read, "canopy_base_height_m"))
    intensity = crown.crown_fire_intensity(linked.rate_m_min, still, load, still + 1.0)
    names = [f"wind {text} km/h, density {of} kg/m3" for text, of in
             zip(read.texts("wind_10m_km_h"), read.texts("canopy_bulk_density_kg_m3"), strict=True)]
    items = [Compared(words, found, floats(read, column), names) for words, found, column in (
        ("rate of spread", linked.rate_m_min, "crown_rate_m_min"),
        ("fireline intensity", intensity, "crown_intensity_kw_m"),
        ("length to width", run.length_to_width, "length_to_width"),
        ("critical rate of active crown fire", critical, "critical_rate_m_min"))]
    kind = floats(read, "fire_type")
    return items, int((linked.fire_type == kind).sum()), kind


def crown_table(cases: Path) -> str:
    """The cases of `crown_compared`."""
    items, same, kind = crown_compared(cases)
    active = (kind == ACTIVE_CROWN_FIRE).sum()
    return (f"{compared_table(items)}\n\nFire types are equal in {same} of {kind.size} cases, "
            f"{active} of them active.")


def wind_compared(reference: Path) -> list[Compared]:
    """waf-reference.csv: wind adjustment factors of BEHAVE."""
    read = read_table(reference / "waf-reference.csv")
    found = wind_adjustment_factor(
        floats(read, "fuel_bed_depth_ft") * METRES_PER_FOOT, floats(read, "canopy_cover_frac"),
        floats(read, "canopy_height_ft") * METRES_PER_FOOT, floats(read, "crown_ratio"))
    names = [f"cover {cover}, height {height} ft" for cover, height in
             zip(read.texts("canopy_cover_frac"), read.texts("canopy_height_ft"), strict=True)]
    return [Compared("midflame over 20-ft wind", found, floats(read, "waf_behave"), names)]


def wind_table(reference: Path) -> str:
    """The cases of `wind_compared`."""
    return compared_table(wind_compared(reference))


def fbp_compared(reference: Path) -> tuple[list[Compared], Compared, int]:
    """fbp-reference.csv; its headings, degrees; how many fuel types it has."""
    read = read_table(reference / "fbp-reference.csv")
    found = fbp_results(read)
    fuels = [FUEL_NAMES[fuel_index(text)] for text in read.texts("FuelType")]
    names = [f"{fuel}, wind {wind} km/h" for fuel, wind in
             zip(fuels, read.texts("WS"), strict=True)]
    items = [Compared(column.removesuffix("_out"), found[field], floats(read, column), names)
             for column, field in FBP]
    heading = Compared("heading", found["spread_direction_deg"], floats(read, "RAZ"), names)
    return items, heading, len({*fuels})


def fbp_package_compared(reference: Path) -> list[Compared]:
    """The cases of the cffdrs package."""
    given, expected = (read_table(reference / "reference-cffdrs" / name) for name in
                       ("fbp_inputs.csv", "fbp_primary_expected.csv"))
    found, fields = fbp_results(given), dict(FBP)
    fuels = [FUEL_NAMES[fuel_index(text)] for text in given.texts("FuelType")]
    return [Compared(column, found[fields[column]], floats(expected, column), fuels)
            for column in FBP_PACKAGE]


def fbp_table(reference: Path) -> str:
    """fbp-reference.csv and the cases of the cffdrs package."""
    items, heading, fuels = fbp_compared(reference)
    directions = direction_row(heading.found, heading.expected, heading.cases)
    return (f"{compared_table(items)}{directions}\n\nThese cases cover {fuels} fuel types. "
            f"The cases of the package, printed with four digits:\n\n"
            f"{compared_table(fbp_package_compared(reference))}")


def fwi_compared(reference: Path) -> list[Compared]:
    """The 48 days of the cffdrs package, each from the day before."""
    folder = reference / "reference-cffdrs"
    given, expected = read_table(folder / "fwi_inputs.csv"), read_table(folder / "fwi_expected.csv")
    weather = {argument: floats(given, column) for argument, column in (
        ("temperature_c", "temp"), ("humidity_pct", "rh"), ("wind_10m_km_h", "ws"),
        ("rain_mm", "prec"), ("month", "mon"), ("latitude_deg", "lat"))}
    days = [f"day {day + 1}" for day in range(len(given.rows))]
    return [Compared(name.upper(), codes, floats(expected, name.upper()), days)
            for name, codes in daily_codes(**weather)._asdict().items()]


def fwi_table(reference: Path) -> str:
    """The days of `fwi_compared`."""
    return compared_table(fwi_compared(reference), "code")
