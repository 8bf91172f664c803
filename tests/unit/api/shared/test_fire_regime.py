"""The fires that are drawn: burning periods, durations, shares, and what of these excludes what."""

import numpy as np
import pytest

import firebreak
from firebreak.api.shared.scene_options import SceneOptions
from firebreak.checks import InputError
from firebreak.fire import FireRegime, make_scene
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
    ({"duration_spread": 0.1, "burning_hours": 8}, "no duration_spread beside burning_hours"),
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
