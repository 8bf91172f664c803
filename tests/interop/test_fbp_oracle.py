"""The FBP System against another program of it, cffdrs-fire, on random cases of every fuel type.

It differs in C-6 alone, and there in two things that follow from its source: the crown fraction is
computed anew from the head's rate, where this code and the Canadian Forest Service's own package
take that of the surface fire, which eq. 65 is made of; and the average foliar moisture effect of
eq. 64 is .778237, not the .778 that is printed.
"""

import numpy as np
import pytest

from firebreak.fire.fbp.crown import AVERAGE_FOLIAR_MOISTURE_EFFECT, crown_fraction_burned
from firebreak.fire.fbp.system import FbpBehavior, fbp_behavior

pytestmark = pytest.mark.interop
NAMES = ("C-1", "C-2", "C-3", "C-4", "C-5", "C-6", "C-7", "D-1", "D-2", "M-1", "M-2", "M-3", "M-4",
         "O-1a", "O-1b", "S-1", "S-2", "S-3")
CASES = 60
SAME = {"hros": "rate_of_spread_m_min", "bros": "back_rate_m_min", "cfb": "crown_fraction_burned",
        "sfc": "surface_consumption_kg_m2", "cfc": "crown_consumption_kg_m2",
        "hfi": "fireline_intensity_kw_m", "isi": "initial_spread_index", "wsv": "net_wind_km_h"}
MORE = ("rso", "sros", "cros")
BOUNDS = {
    "slope": (0.0, 60.0), "aspect": (0.0, 360.0), "ws": (0.0, 60.0), "wd": (0.0, 360.0),
    "ffmc": (75.0, 97.0), "bui": (5.0, 150.0), "pc": (5.0, 95.0), "pdf": (5.0, 95.0),
    "gfl": (0.1, 1.0), "gcf": (60.0, 100.0), "lat": (45.0, 65.0), "long": (-135.0, -70.0),
    "elevation": (100.0, 1500.0)}
OURS = {"slope": "slope_pct", "aspect": "aspect_deg", "ws": "wind_10m_km_h", "wd": "wind_from_deg",
        "ffmc": "ffmc", "bui": "bui", "pc": "percent_conifer", "pdf": "percent_dead_fir",
        "gfl": "grass_fuel_load_kg_m2", "gcf": "curing_pct", "lat": "latitude_deg",
        "long": "longitude_deg", "elevation": "elevation_m"}


def both(name: str) -> tuple[dict[str, np.ndarray], FbpBehavior]:
    """Theirs and ours on the same random cases of a fuel type."""
    program = pytest.importorskip("cffdrs.cffbps.python")
    code = NAMES.index(name) + 1
    rng = np.random.default_rng(code)
    cases = {column: rng.uniform(*bounds, CASES) for column, bounds in BOUNDS.items()}
    wanted = [*SAME, *MORE]
    model = program.FBP()
    model.initialize(fuel_type=np.full(CASES, code, np.int8), wx_date=20230710, out_request=wanted,
                     **cases)
    theirs = {column: np.asarray(grid, float)
              for column, grid in zip(wanted, model.runFBP(), strict=True)}
    return theirs, fbp_behavior([name] * CASES, day_of_year=191,
                                **{OURS[column]: given for column, given in cases.items()})


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("C-6", "D-2")])
def test_fuel_types_agree_to_rounding(name: str) -> None:
    theirs, ours = both(name)
    assert (theirs["hros"] > 0.0).any()
    for column, field in SAME.items():
        np.testing.assert_allclose(getattr(ours, field), theirs[column], rtol=1e-11, atol=1e-11,
                                   err_msg=column)


def test_plantations_differ_in_what_the_source_says_and_in_nothing_else() -> None:
    theirs, ours = both("C-6")
    for column in ("bros", "sfc", "isi", "wsv"):
        np.testing.assert_allclose(getattr(ours, SAME[column]), theirs[column], rtol=1e-11)
    surface = crown_fraction_burned(theirs["sros"], theirs["rso"])
    np.testing.assert_allclose(ours.crown_fraction_burned, surface, atol=1e-12)
    np.testing.assert_allclose(
        theirs["cfb"], crown_fraction_burned(theirs["hros"], theirs["rso"]), atol=1e-12)
    assert (theirs["cfb"] - surface).max() > 0.3
    crown = theirs["cros"] * 0.778237 / AVERAGE_FOLIAR_MOISTURE_EFFECT
    blended = theirs["sros"] + surface * (crown - theirs["sros"])  # eq. 65
    np.testing.assert_allclose(ours.rate_of_spread_m_min, blended, rtol=1e-11)
