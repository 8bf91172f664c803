"""Crown fire by the front's direction in benchmarks/validation: closed forms and cases."""

import dataclasses
import math
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
SURFACE, CROWN = (1.0, 0.25), (40.0, 1.5)  # head and back, m/min; the surface fire's flank is 0.5


@pytest.fixture(scope="module")
def shapes(load) -> ModuleType:
    return load("crown_direction")


@pytest.fixture(scope="module")
def validation(load) -> ModuleType:
    return load("cases.crown_direction")


@pytest.fixture(scope="module")
def judge(load):
    """Judges a case of the registry where there are no data."""
    registry = load("registry")
    nowhere = registry.Places(Path("/nowhere"), Path("/nowhere"))
    return lambda case: registry.judge(case, nowhere)


def ellipse_area(shapes, head: float, back: float) -> float:
    """In a minute, in cells of UNIT_M; the ignition is a focus."""
    return math.pi * 0.5 * (head + back) * math.sqrt(head * back) / shapes.UNIT_M**2


def test_each_reading_and_wind_is_a_case_that_holds_in_three_directions(validation, judge):
    records = [judge(case) for case in validation.CASES]
    assert {record.identifier: record.status for record in records} == {
        f"CROWN-{reading}-{wind}": "pass" for reading in ("HEAD", "TRAVEL", "NORMAL")
        for wind in (20, 35)}
    assert {len(record.checks) for record in records} == {3}


@pytest.mark.parametrize("reading", ["HEAD", "TRAVEL", "NORMAL"])
def test_a_fire_off_by_more_than_the_tolerance_fails(validation, judge, reading):
    case = next(case for case in validation.CASES if case.identifier == f"CROWN-{reading}-35")
    for check in judge(case).checks:
        scale = check.expected if reading == "HEAD" else 1.0  # of the ellipse: a share has 1
        for off, status in ((0.99, "pass"), (-0.99, "pass"), (1.01, "fail"), (-1.01, "fail")):
            found = check.expected + off * scale * {"NORMAL": 0.12}.get(reading, 0.08)
            measured = dict.fromkeys((each.quantity for each in case.checks), (1.0, 1.0))
            measured[check.quantity] = (found, check.expected)
            other = dataclasses.replace(case, measure=lambda _, found=measured: found)
            assert judge(other).status == status


@pytest.mark.parametrize(("lights", "fire"), [(0.24, CROWN), (1.01, SURFACE)])
def test_where_all_sides_or_none_light_crowns_the_readings_are_one_ellipse(shapes, lights, fire):
    rates = shapes.Rates(*SURFACE, *CROWN, lights)
    expected = pytest.approx(ellipse_area(shapes, *fire), rel=1e-3)
    for judged in (shapes.judged_at_head, shapes.judged_by_travel, shapes.judged_by_normal):
        assert shapes.area(judged(rates), 1.0) == expected


def test_fronts_beside_that_light_no_crowns_hold_the_head_back(shapes):
    rates = shapes.Rates(*SURFACE, *CROWN, lights=0.8)
    angle = math.radians(shapes.lit_within_deg(rates))
    assert 0.3 < angle < 1.5
    assert shapes.normal_speed(*SURFACE)[0] == pytest.approx(SURFACE[0])
    assert shapes.judged_by_normal(rates)[0] == pytest.approx(0.8 / math.cos(angle), rel=0.01)


def test_by_normal_a_crown_fire_runs_from_where_the_flanks_light_crowns(shapes):
    flank = math.sqrt(SURFACE[0] * SURFACE[1])
    runs, held = (shapes.judged_by_normal(shapes.Rates(*SURFACE, *CROWN, lights))[0]
                  for lights in (flank - 0.01, flank + 0.05))
    assert runs == pytest.approx(CROWN[0])
    assert held < 0.2 * CROWN[0]


def test_by_travel_the_head_is_the_crown_fires_and_the_shape_lies_within_it(shapes):
    rates = shapes.Rates(*SURFACE, *CROWN, lights=0.8)
    travel, whole = shapes.judged_by_travel(rates), shapes.judged_at_head(rates)
    assert travel[0] == pytest.approx(CROWN[0])
    assert np.all(travel <= whole * (1.0 + 1e-9))
    assert shapes.area(travel) < 0.99 * shapes.area(whole)


def test_a_monotone_level_set_closes_in_on_the_shape_by_normal(load):
    module = load("crown_direction_level_set")
    by_normal, at_head = module.closed_form(module.AT_35_KM_H)
    coarse, fine = (module.level_set(module.AT_35_KM_H, cell_m) for cell_m in (20.0, 10.0))
    assert abs(fine - by_normal) < 0.75 * abs(coarse - by_normal)
    assert abs(fine - by_normal) < 0.5 * abs(fine - at_head)


def test_only_the_finest_cells_of_the_record_are_cases(validation):
    rows = validation.read_recorded(validation.RECORDED)
    assert {row["cell_m"] for row in rows} == {2.5, 5.0, 10.0, 30.0}
    for wind in (20.0, 35.0):
        whole = validation.area(validation.judged_at_head(validation.recorded_rates()[wind]))
        burned_ha = [found * whole * 0.09 for found, _ in validation.by_normal(wind).values()]
        assert burned_ha == pytest.approx([
            row["burned_ha"] for row in rows
            if row["cell_m"] == 2.5 and row["wind_20ft_km_h"] == wind])
