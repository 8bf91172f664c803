"""The fires that are drawn: burning periods, durations, shares, and what of these excludes what."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import firebreak
from firebreak.api.shared.option_rules import check_on_maps
from firebreak.api.shared.scene_options import SceneOptions
from firebreak.checks import InputError
from firebreak.fire import FireRegime, make_scene
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.synthetic.generate import generate
from firebreak.settings.binding import bind
from firebreak.settings.sources import keywords

LAND = generate(3, 24)


def asked(**options: object) -> SceneOptions:
    return bind(SceneOptions, keywords(options, "plan")).options


def test_hours_and_periods_are_those_of_the_fires() -> None:
    regime = asked(burning_hours=4, burning_periods=2.5).conditions(LAND, "synthetic:3").regime
    assert regime == FireRegime(hours=4.0, periods=2.5)
    fires = make_scene(LAND, asked(burning_hours=4, burning_periods=2.5).conditions(
        LAND, "synthetic:3"), 0).fires("test", 200)
    assert np.isfinite(fires.begins_min).sum(axis=1).mean() == pytest.approx(1.5, abs=0.1)


@pytest.mark.parametrize(("options", "message"), [
    ({"burning_hours": 0}, "above 0 and at most 24, got 0"),
    ({"burning_hours": -8}, "got -8"), ({"burning_hours": float("nan")}, "got nan"),
    ({"burning_periods": 0}, "of at least 1 and at most 14, got 0"),
    ({"burning_periods": 15}, "got 15"),
    ({"burning_hours": 8, "duration_min": 60}, "no burning_hours beside duration_min"),
    ({"burning_periods": 2, "duration_min": 60}, "no burning_periods beside duration_min"),
    ({"burned_share": 0.1, "burning_hours": 8}, "no burned_share beside burning_hours"),
    ({"crew_km": "some", "hold": "hand", "break_kind": "shaded"}, "above 0 or one of unlimited")])
def test_what_does_not_go_together_is_refused_before_the_work(
        options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        firebreak.simulate("nowhere.tif", **options)


def test_crews_may_be_unlimited() -> None:
    kind = {"hold": "hand", "break_kind": "shaded"}
    for crew_km, most in (("unlimited", None), (2, 2.0)):
        hold = asked(crew_km=crew_km, **kind).conditions(LAND, "synthetic:3").hold
        assert hold is not None
        assert hold.crew_km == most


MAP = replace(LAND, name="ridge.tif")
CREWS = {"hold": "hand", "break_kind": "shaded"}


@pytest.mark.parametrize("land", [LAND, MAP])
@pytest.mark.parametrize("options", [
    {"duration_min": 90.0}, {"burning_hours": 4.0, "burning_periods": 2.0}])
def test_how_long_fires_last_is_as_said(land: Landscape, options: dict[str, float]) -> None:
    regime = asked(**options).conditions(land, "").regime
    assert regime.duration_min == options.get("duration_min")
    assert regime.hours == options.get("burning_hours")


def test_fires_of_a_map_last_hours_and_those_of_synthetic_land_burn_a_share() -> None:
    assert asked().conditions(MAP, "").regime == FireRegime(hours=8.0, periods=1.2)
    for spec in ("synthetic:3", "closed-form:rooms", ""):
        made = asked(**CREWS).conditions(LAND, spec)
        assert made.regime == FireRegime()
        assert made.weather is None
        assert made.hold is not None
        assert made.hold.crew_km is None
        assert made.assumed == ()


def test_a_wind_event_is_assumed_on_a_map_where_nothing_says_the_weather() -> None:
    """Winds of 32, 56 and 80 km/h in 1, 2 and 1 of 4 fires, about one of eight sectors."""
    sectors = set()
    for seed in range(40):
        weather = replace(asked(), seed=seed).conditions(MAP, "").weather
        assert weather is not None
        wind = weather.steps.wind_20ft_m_min * 0.06
        shares = [weather.weight[np.isclose(wind, speed)].sum() for speed in (32.0, 56.0, 80.0)]
        np.testing.assert_allclose(shares, [0.25, 0.5, 0.25])
        turned = {*weather.steps.wind_from_deg.tolist()}
        [main] = [one for one in turned if {(one - 22.5) % 360, (one + 22.5) % 360} < turned]
        assert main % 45.0 == 0.0
        sectors.add(main)
        assert {*weather.steps.dead_moisture_1h.tolist()} == {0.03}  # D1
        assert {*weather.steps.live_moisture_herb.tolist()} == {0.3, 0.6}  # L1, L2
    assert len(sectors) == 8


@pytest.mark.parametrize(("options", "said", "unsaid"), [
    ({}, ["32, 56 and 80 km/h", "drawn by the seed (--wind-from-deg", "--burning-hours"],
     ["crews"]),
    ({"wind_from_deg": 45.0}, ["of 45 degrees"], ["drawn by the seed"]),
    ({"wind_20ft_km_h": 30.0}, ["--burning-hours"], ["the weather"]),
    ({"duration_min": 60.0}, ["the weather"], ["--burning-hours"]),
    (CREWS, ["at most 1 km of break", "--crew-km"], []),
    (CREWS | {"crew_km": 2.0}, [], ["--crew-km"]),
    (CREWS | {"crew_km": "unlimited"}, [], ["--crew-km"])])
def test_what_is_assumed_is_said_with_the_option_that_gives_it(
        options: dict[str, object], said: list[str], unsaid: list[str]) -> None:
    words = " ".join(asked(**options).conditions(MAP, "").assumed)
    assert all(part in words for part in said)
    assert not any(part in words for part in unsaid)


@pytest.mark.parametrize(("crew_km", "most"), [(None, 1.0), (2.5, 2.5), ("unlimited", None)])
def test_crews_on_a_map_hold_a_kilometre_unless_more_is_given(crew_km: object,
                                                              most: float | None) -> None:
    given = {} if crew_km is None else {"crew_km": crew_km}
    hold = asked(**CREWS, **given).conditions(MAP, "").hold
    assert hold is not None
    assert hold.crew_km == most
    assert hold.response_min == 60.0


@pytest.mark.parametrize(("option", "value", "remedy"), [
    ("burned_share", 0.15, "give hours instead, for example --burning-hours 8")])
@pytest.mark.parametrize("verb", [firebreak.simulate, firebreak.plan, firebreak.evaluate])
def test_options_of_synthetic_land_are_answered_on_a_map(
        verb: Callable[..., object], option: str, value: float, remedy: str) -> None:
    with pytest.raises(InputError) as error:
        verb(MAP, **{option: value})
    assert f"expected no {option} on a map that is read, got {value:g}" in str(error.value)
    assert remedy[:20] in str(error.value)
    check_on_maps([LAND], asked(**{option: value}))  # synthetic land has them


def test_periods_without_hours_say_nothing_of_synthetic_land() -> None:
    with pytest.raises(InputError, match="burning_hours together with burning_periods"):
        firebreak.simulate("synthetic:3:20", burning_periods=2)
