"""What schedules save, with every segment in the state of its age."""

from dataclasses import replace

import numpy as np
import pytest

from firebreak.checks import InputError
from firebreak.fire import FireConditions, burn_loss
from firebreak.fire.scene import make_scene
from firebreak.landscape.synthetic.generate import generate
from firebreak.landscape.treatment_choice import treatment_of_rows, with_treatments
from firebreak.landscape.treatment_table import read_table
from firebreak.planning.core.break_segments import break_segments_of
from firebreak.planning.methods import make_plan
from firebreak.planning.years.judged import (
    SCHEDULE_FIRES,
    SCHEDULE_SET,
    _Burner,
    check_horizon,
    years_of_plan,
)
from firebreak.planning.years.schedule import BUILD_ONCE, NOT_BUILT, RULES

TABLE = read_table()
ROWS = [TABLE["mastication"], TABLE["thinning-pile-burn"]]
FIRES, YEARS = 40, 5


def scene_at(age, rows=ROWS):
    base = generate(3, 14)
    slope = np.full(base.shape, 0.05, np.float32)
    slope[:, 7:] = 0.5  # too steep for mastication
    land = with_treatments(replace(base, slope_tan=slope), rows, "x")
    return make_scene(land, FireConditions(scenarios=2, treatment=treatment_of_rows(
        rows, age, "x")), 0)


@pytest.fixture(scope="module")
def scene():
    return scene_at(0)


@pytest.fixture(scope="module")
def segments(scene):
    plan = make_plan(scene, 0.3, 16, "downstream-value", seed=0)
    return break_segments_of(plan.break_mask(), scene.landscape)


@pytest.mark.parametrize("age", [0, 1, 2, 5, 8])
def test_segments_of_one_age_burn_as_in_a_scene_whose_breaks_have_that_age(scene, segments, age):
    ages = np.full((1, len(segments)), age)
    found = _Burner(scene, segments, ROWS, FIRES).losses(ages, "test")
    other = scene_at(age)
    mask = np.zeros(scene.landscape.shape, bool)
    for segment in segments:
        mask.ravel()[segment.cells] = True
    kinds = scene.landscape.treatment[mask]
    assert set(kinds.tolist()) == {0, 1}
    slow = burn_loss(other.field, scene.fires("test", FIRES), scene.value_by_class, mask)
    np.testing.assert_array_equal(found[0], slow)


def test_what_is_not_built_does_not_count(scene, segments):
    burner = _Burner(scene, segments, ROWS, FIRES)
    nothing = burner.losses(np.full((1, len(segments)), NOT_BUILT), "test")
    np.testing.assert_array_equal(nothing[0], burner.untreated("test"))


def test_what_schedules_save_is_the_mean_of_their_years_and_other_fires_choose(scene, segments):
    cost = sum(one.cost for one in segments)
    told: list[int] = []
    found = years_of_plan(scene, segments, ROWS, list(range(1, YEARS + 1)),
                          [cost / YEARS] * YEARS, FIRES, 0, told.append)
    assert sum(told) == len(RULES) == len(found.schedules)
    assert found.chosen == max(found.chosen_by, key=found.chosen_by.__getitem__)
    burner = _Burner(scene, segments, ROWS, FIRES)
    whole = burner.untreated("test").mean()
    for name, own in found.saved.items():
        assert own.low <= own.reduction <= own.high
        assert own.reduction == pytest.approx(own.by_year.mean())
        loss = [_Burner(scene, segments, ROWS, FIRES).losses(age[None], "test").mean()
                for age in found.schedules[name].age]  # none knows of another year
        np.testing.assert_allclose(own.by_year, 1.0 - np.array(loss) / whole)
        on_own = burner.losses(found.schedules[name].age, SCHEDULE_SET)
        assert on_own.shape == (YEARS, SCHEDULE_FIRES)
        assert found.chosen_by[name] == pytest.approx(
            1.0 - on_own.mean() / burner.untreated(SCHEDULE_SET).mean())
        more = found.saved[name].reduction - found.saved[BUILD_ONCE.name].reduction
        assert own.more == pytest.approx(more)
        assert own.more_low <= own.more <= own.more_high


def test_what_cannot_be_planned_over_years_is_refused():
    check_horizon(ROWS, 11, "--horizon")
    for rows, horizon, words in (([], 5, "none"), (ROWS, 12, "at most 11 years"),
                                 ([TABLE["bare-line"]], 5, "burn at every age")):
        with pytest.raises(InputError, match=words):
            check_horizon(rows, horizon, "--horizon")
