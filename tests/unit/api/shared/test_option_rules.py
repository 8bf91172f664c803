"""Python refuses what a plan would not tell of, in its own words and before there is work."""

from typing import Any

import numpy as np
import pytest

import firebreak
from fbp_maps import fbp_map
from firebreak.checks import InputError
from no_work import without_work

LAND = firebreak.read_landscape("synthetic:1:10")
NETWORK = np.eye(10)
FBP_LAND = fbp_map(np.full((10, 10), 2, np.int16))


@pytest.mark.parametrize(("given", "words"), [
    ({"existing": NETWORK, "test_fires": 0},
     "test_fires 0: expected test fires together with existing, got none"),
    ({"existing": NETWORK, "report": "none"},
     "report none: expected a report together with existing, got none"),
    ({"report": "full", "test_fires": 0}, "expected test fires together with report full"),
    ({"report": "brief", "test_fires": 0}, "expected test fires together with report brief"),
    ({"fires_per_ha_year": 1e-5, "test_fires": 0}, "together with fires_per_ha_year"),
    ({"fires_per_ha_year": 1e-5, "report": "brief"},
     "report brief: expected report full together with fires_per_ha_year"),
    ({"test_fires": 1}, "expected at least 2 test fires, or 0 for none, got 1"),
    ({"test_fires": 10**12}, "GB for 1,000,000,000,000 fires"),
])
@pytest.mark.parametrize("method", [None, "segments"])
def test_what_a_plan_would_not_tell_of_is_refused(
        method: str | None, given: dict[str, Any], words: str,
        monkeypatch: pytest.MonkeyPatch) -> None:
    without_work(monkeypatch, "fire.make_scene")
    with pytest.raises(InputError) as told:
        firebreak.plan(LAND, method=method, **given)
    assert words in str(told.value)
    assert "--" not in str(told.value)


CREWS = {"break_kind": "shaded", "hold": "hand", "crew_speed_km_h": 7.0}


@pytest.mark.parametrize(("land", "given", "words"), [
    ("synthetic:1:10", CREWS, "expected roads together with crew_speed_km_h, got none"),
    (LAND, CREWS, "expected roads together with crew_speed_km_h, got none"),
    (LAND, {"duration_min": 60.0, "burned_share": 0.3},
     "expected no burned_share beside duration_min, got 0.3"),
    (LAND, {"method": "strips", "batch": 3}, "leave it out"),
    ("synthetic:1:10", {"terrain": "shipped"}, "expected a landscape of a file or folder"),
    ("closed-form:door:10", {"terrain": "shipped"}, "expected a landscape of a file or folder"),
    (FBP_LAND, {"crown": "none"}, "crown: expected fuels of Scott & Burgan or Anderson"),
    (FBP_LAND, {"crown": "cruz"}, "crown: expected fuels of Scott & Burgan"),
])
def test_options_without_effect_are_refused(
        land: Any, given: dict[str, Any], words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    without_work(monkeypatch, "fire.make_scene")
    with pytest.raises(InputError) as told:
        firebreak.plan(land, **{"method": "strips", **given})
    assert words in str(told.value)
    assert "--" not in str(told.value)


@pytest.mark.parametrize("given", [
    {"roads": np.eye(10), **CREWS}, {"duration_min": 60.0}, {"burned_share": 0.3}])
def test_options_with_an_effect_pass(given: dict[str, Any],
                                     monkeypatch: pytest.MonkeyPatch) -> None:
    without_work(monkeypatch, "fire.make_scene")
    with pytest.raises(AssertionError, match="this is work"):
        firebreak.plan(LAND, **{"method": "strips", **given})


@pytest.mark.parametrize("lands", [LAND, [LAND, "synthetic:2:10"]])
def test_a_comparison_on_one_fire_is_refused(lands: str | list[str]) -> None:
    with pytest.raises(InputError, match="a whole number of at least 2, got 1"):
        firebreak.evaluate(lands, methods="none", test_fires=1)
