"""Kinds of jobs are what the page's words say."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
from job_kinds import KINDS
from protocol import PARTS

from firebreak.fire import FireConditions
from firebreak.landscape.synthetic.generate import generate
from firebreak.units import M_MIN_PER_KM_H

PLAIN = FireConditions()


def test_each_kind_is_measured_on_land_of_its_own() -> None:
    sets = PARTS["kinds"].sets
    assert [one.kind for one in sets] == list(KINDS)
    assert len({one.name for one in sets}) == len(KINDS)


def test_breaks_weather_and_places_are_as_said() -> None:
    made = {name: kind.conditions(PLAIN, 7) for name, kind in KINDS.items()}
    assert made[""] == made["part"] == PLAIN
    assert (made["narrow"].treatment.width_m, made["narrow"].breach) == (10.0, "never")
    assert (made["breached"].treatment.width_m, made["breached"].breach) == (10.0, "wilson-trees")
    assert made["shaded"].treatment.kind == made["held"].treatment.kind == "shaded"
    assert made["shaded"].hold is None
    assert made["held"].hold is not None
    assert made["held"].hold.by == "equipment"
    assert made["held"].hold.response_min == 60.0
    assert made["by-hour"].weather is not None
    climate = made["windy"].climate
    assert climate.wind_20ft_mean_m_min == pytest.approx(45.0 * M_MIN_PER_KM_H)
    assert climate.wind_20ft_spread_m_min / climate.wind_20ft_mean_m_min == pytest.approx(
        PLAIN.climate.wind_20ft_spread_m_min / PLAIN.climate.wind_20ft_mean_m_min)


def test_only_a_part_may_be_treated_where_that_is_said() -> None:
    land = generate(7, 24)
    for name, kind in KINDS.items():
        given = kind.land(land, 7).treatable
        if name == "part":
            assert given.any()
            assert given.sum() < land.treatable.sum()
        else:
            assert np.array_equal(given, land.treatable)
