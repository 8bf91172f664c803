"""Fire behaviour and shapes against the published numbers whose tables docs/validation.md has.

The results of these cases were known when their tolerances were written here; the tolerances are
those of the tests in tests/physics, where there is a test.
"""

from pathlib import Path

import numpy as np
from benchmarks.validation import flammap, maps, shapes, tables
from benchmarks.validation.registry import Case, Check, Measured, Places

from firebreak.cli.commands.bench.measurements import ellipse_areas

CASES_FOLDER = Path(__file__).resolve().parents[3] / "tests" / "physics" / "data"
BEHAVE = "BEHAVE's library (firelab/behave), ros-reference.csv"
CFFDRS = "cffdrs (R package)"


def _heading(item: tables.Compared) -> float:
    return float(np.abs(tables.turn(item.found, item.expected)).max())


def behave(places: Places) -> Measured:
    items, heading = tables.behave_compared(places.reference)
    return tables.worst(items) | {"heading": _heading(heading)}


def strong_wind(_: Places) -> Measured:
    groups = tables.strong_wind_compared(CASES_FOLDER).values()
    greatest = {words: max(group.worst[words] for group in groups) for words, *_ in tables.SURFACE}
    return greatest | {"heading": max(group.heading_deg for group in groups)}


def crown(_: Places) -> Measured:
    items, same, kind = tables.crown_compared(CASES_FOLDER)
    return tables.worst(items) | {"share of cases with the same fire type": same / kind.size}


def wind(places: Places) -> Measured:
    return tables.worst(tables.wind_compared(places.reference))


def fbp(places: Places) -> Measured:
    items, heading, _ = tables.fbp_compared(places.reference)
    return {"any number of a case": max(tables.worst(items).values()),
            "heading": _heading(heading)}


def fbp_package(places: Places) -> Measured:
    return {"any number of a case": max(tables.worst(
        tables.fbp_package_compared(places.reference)).values())}


def fwi(places: Places) -> Measured:
    return tables.worst(tables.fwi_compared(places.reference))


def against_flammap(places: Places) -> Measured:
    folder = places.data / "landfire-worcester-vt-north"
    found = flammap.compare(folder, whole_degrees=True)["all"]
    shipped = flammap.compare(folder, whole_degrees=False)["all"]
    return {"greatest difference of the rate of spread": found.worst["rate_of_spread_m_min"],
            "share of cells with the same fire type": found.same_type,
            "share of cells with the heading within 1 degree": found.heading_within_1_deg,
            "share of cells within 10 % of the rate, slopes as shipped":
                shipped.within_10_percent["rate_of_spread_m_min"]}


def areas(_: Places) -> Measured:
    return {f"area over the ellipse's, length to width {ratio:g}, furthest from 1": max(
        ellipse_areas(ratio, shapes.SIZE)[0], key=lambda area: abs(area - 1.0))
        for ratio in shapes.RATIOS}


def slopes(_: Places) -> Measured:
    return {f"area over the ellipse's, slope {slope:.0%}, furthest from 1": max(
        (area for off in shapes.OFF_UPSLOPE_DEG
         for area in shapes.slope_areas(slope, off, shapes.SIZE)),
        key=lambda area: abs(area - 1.0)) for slope in shapes.SLOPES}


def arrowhead(places: Places) -> Measured:
    return maps.scores(maps.fire_day(places.data / "cell2fire-arrowhead-fire1"))


def _differences(*quantities: str, limit: float) -> tuple[Check, ...]:
    return tuple(Check(quantity, "at most", limit) for quantity in quantities)


HEADING = Check("heading", "at most", 0.5, unit="degrees")
OVERLAP = (Check("precision", "at least", 0.5), Check("recall", "at least", 0.5),
           Check("area over the scar's", "absolute", 0.35, 1.0),
           Check("intersection over union", "at least", 0.5))
AREA_CHECKS = tuple(Check(f"area over the ellipse's, length to width {ratio:g}, furthest from 1",
                          "absolute", 0.05, 1.0) for ratio in shapes.RATIOS)

CASES = (
    Case(identifier="BEHAVE-SURFACE", title="surface fire of all 53 fuel models", area="theory",
         source=BEHAVE, inputs="141 cases, four moistures, wind up to 5 mi/h at midflame height",
         checks=(*_differences("rate of spread", "fireline intensity", "flame length",
                               "length to width", limit=0.005), HEADING),
         measure=behave, needs=("reference/ros-reference.csv",), known=True),
    Case(identifier="BEHAVE-WAF", title="wind adjustment factors", area="theory",
         source="BEHAVE's library, waf-reference.csv", inputs="13 cases, open and under canopy",
         checks=_differences("midflame over 20-ft wind", limit=0.001), measure=wind,
         needs=("reference/waf-reference.csv",), known=True),
    Case(identifier="PYRETECHNICS-SURFACE", title="strong winds and steep slopes", area="theory",
         source="Pyretechnics, surface_cases.csv", inputs="300 cases, wind up to 30 mi/h",
         checks=(*_differences("rate of spread", limit=0.005),
                 *_differences("fireline intensity", "flame length", "length to width",
                               limit=0.01), HEADING), measure=strong_wind, known=True),
    Case(identifier="PYRETECHNICS-CROWN", title="crown fire of Cruz et al. 2005", area="theory",
         source="Pyretechnics, crown_cases_cruz.csv", inputs="64 cases, passive and active",
         checks=(*_differences("rate of spread", limit=0.005),
                 *_differences("fireline intensity", "length to width",
                               "critical rate of active crown fire", limit=0.01),
                 Check("share of cases with the same fire type", "at least", 1.0)),
         measure=crown, known=True),
    Case(identifier="CFFDRS-FBP", title="Canadian FBP System", area="theory", source=CFFDRS,
         inputs="53 cases of 17 fuel types, seven digits",
         checks=(*_differences("any number of a case", limit=1e-5), HEADING), measure=fbp,
         needs=("reference/fbp-reference.csv",), known=True),
    Case(identifier="CFFDRS-FBP-PACKAGE", title="the FBP cases of the package", area="theory",
         source=CFFDRS, inputs="20 cases, four digits",
         checks=_differences("any number of a case", limit=0.0005), measure=fbp_package,
         needs=("reference/reference-cffdrs",), known=True),
    Case(identifier="CFFDRS-FWI", title="codes of the Fire Weather Index System", area="theory",
         source=CFFDRS, inputs="48 days, each from the day before, four digits",
         checks=_differences("FFMC", "DMC", "DC", "ISI", "BUI", "FWI", "DSR", limit=0.0005),
         measure=fwi, needs=("reference/reference-cffdrs",), known=True),
    Case(identifier="FLAMMAP-WORCESTER", title="a real landscape without wind", area="theory",
         source="FlamMap, Worcester Range, Vermont", inputs="112,227 burning cells of 30 m",
         checks=(Check("greatest difference of the rate of spread", "at most", 0.005),
                 Check("share of cells with the same fire type", "at least", 1.0),
                 Check("share of cells with the heading within 1 degree", "at least", 1.0),
                 Check("share of cells within 10 % of the rate, slopes as shipped", "at least",
                       0.999)),
         measure=against_flammap, needs=("data/landfire-worcester-vt-north/flammap_reference",),
         known=True, slow=True),
    Case(identifier="ELLIPSE-AREA", title="burned area of the front", area="numerics",
         source="closed form: area of the ellipse",
         inputs="201 x 201 level cells of 30 m, 12 headings", checks=AREA_CHECKS,
         measure=areas, known=True),
    Case(identifier="ELLIPSE-SLOPE", title="burned area of the front on slopes", area="numerics",
         source="closed form: ellipse in the plane of the slope",
         inputs="201 x 201 cells of 30 m, length to width 2, 12 aspects, three headings each",
         checks=tuple(Check(f"area over the ellipse's, slope {slope:.0%}, furthest from 1",
                            "absolute", 0.05, 1.0) for slope in shapes.SLOPES),
         measure=slopes, known=True, slow=True),
    Case(identifier="FIRE-ARROWHEAD", title="a day of the Arrowhead fire", area="accuracy",
         source="scar in Cell2Fire's Arrowhead folder; area within +-35 % (Cruz & Alexander 2013)",
         inputs="126 x 127 cells of 100 m, 24 hours of the folder's weather, nothing calibrated",
         checks=OVERLAP, measure=arrowhead,
         needs=("data/cell2fire-arrowhead-fire1/FinalScarGrid.csv",), known=True),
)
