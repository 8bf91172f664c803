"""What schedules save, with every segment in the state of its age."""

from dataclasses import replace

import numpy as np
import pytest

from firebreak.checks import InputError
from firebreak.fire import FireConditions, burn, burn_field, make_scene
from firebreak.landscape.synthetic.generate import generate
from firebreak.landscape.treatment_table import read_table, treatment_of_rows, with_treatments
from firebreak.planning.core.break_segments import break_segments_of
from firebreak.planning.making import make_plan
from firebreak.planning.years.savings import (
    SCHEDULE_FIRES,
    SCHEDULE_SET,
    _chosen,
    _YearsBurner,
    check_horizon,
    discount_factors,
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
    found = _YearsBurner(scene, segments, ROWS, FIRES).losses(ages, "test")
    other = scene_at(age)
    mask = np.zeros(scene.landscape.shape, bool)
    for segment in segments:
        mask.ravel()[segment.cells] = True
    kinds = scene.landscape.treatment[mask]
    assert set(kinds.tolist()) == {0, 1}
    slow = burn_field(other.field, scene.fires("test", FIRES), scene.value_by_class, mask).loss
    np.testing.assert_array_equal(found[0], slow)


@pytest.mark.parametrize("age", [0, 1, 2, 5, 6])
def test_a_bare_line_is_bare_while_it_is_kept_and_then_burns_as_its_state(age):
    rows = [TABLE["bare-line"]]
    land = replace(generate(3, 14), slope_tan=np.full((14, 14), 0.05, np.float32))
    land = with_treatments(land, rows, "x")
    bare, old = (make_scene(land, FireConditions(scenarios=2, treatment=treatment_of_rows(
        rows, years, "x")), 0) for years in (0, age))
    assert old.conditions.treatment.kind == ("hard" if age < 2 else "shaded")
    plan = make_plan(bare, 0.3, 16, "downstream-value", seed=0)
    line = break_segments_of(plan.break_mask(), land)
    found = _YearsBurner(bare, line, rows, FIRES).losses(np.full((1, len(line)), age), "test")
    slow = burn_field(old.field, bare.fires("test", FIRES), bare.value_by_class,
                      plan.break_mask()).loss
    np.testing.assert_array_equal(found[0], slow)


def test_a_strip_narrower_than_its_cell_does_not_stand_once_it_has_grown_over():
    rows = [TABLE["bare-line"]]
    land = with_treatments(replace(generate(3, 14), slope_tan=np.full((14, 14), 0.05, np.float32)),
                           rows, "x", 10.0)
    narrow = make_scene(land, FireConditions(
        scenarios=2, treatment=treatment_of_rows(rows, 0, "x", 10.0)), 0)
    plan = make_plan(narrow, 0.3, 16, "downstream-value", seed=0)
    line = break_segments_of(plan.break_mask(), land)
    assert len(line) > 1
    burner = _YearsBurner(narrow, line, rows, FIRES)
    ages = np.full((3, len(line)), 1)
    ages[1], ages[2, 0] = 2, 5
    found = burner.losses(ages, "test")
    slow = burn(narrow, narrow.fires("test", FIRES), plan.break_mask()).loss
    np.testing.assert_array_equal(found[0], slow)
    np.testing.assert_array_equal(found[1], burner.untreated("test"))
    others = plan.break_mask()
    others.ravel()[line[0].cells] = False
    np.testing.assert_array_equal(found[2], burn(narrow, narrow.fires("test", FIRES), others).loss)


def test_upkeep_is_paid_for_what_is_treated_of_a_cell():
    rows = [TABLE["bare-line"]]
    flat = replace(generate(3, 14), slope_tan=np.full((14, 14), 0.05, np.float32))
    spent = {}
    for width in (None, 10.0):
        land = with_treatments(flat, rows, "x", width)
        made = make_scene(land, FireConditions(
            scenarios=2, treatment=treatment_of_rows(rows, 0, "x", width)), 0)
        line = break_segments_of(np.eye(14, dtype=bool) & land.treatable, land)
        found = years_of_plan(made, line, rows, [1, 2], [1e6, 1e6], FIRES)
        own = found.schedules["build-and-keep-up"]
        spent[width] = own.kept.sum()
        assert own.kept.sum() == pytest.approx(0.2 * own.built.sum())  # 460 of 2,300 a hectare
    assert spent[10.0] == pytest.approx(spent[None] * 10.0 / flat.cell_size_m)


def test_later_years_count_less_by_the_rate():
    np.testing.assert_allclose(discount_factors(0.25, 3), [1.0, 0.8, 0.64])
    np.testing.assert_array_equal(discount_factors(0.0, 4), np.ones(4))


def test_what_schedules_save_is_discounted(scene, segments):
    cost = sum(one.cost for one in segments)
    plain, less = (years_of_plan(scene, segments, ROWS, [1, 2, 3, 4], [cost] * 4, FIRES,
                                 discount_rate=rate) for rate in (0.0, 0.5))
    weight = np.array([27.0, 18.0, 12.0, 8.0]) / 65.0  # (2/3)^k
    for name, own in less.saved.items():
        np.testing.assert_array_equal(own.by_year, plain.saved[name].by_year)
        assert own.reduction == pytest.approx(weight @ own.by_year)
        assert plain.saved[name].reduction == pytest.approx(own.by_year.mean())
        once = less.saved[BUILD_ONCE.name]
        assert own.more == pytest.approx(weight @ (own.by_year - once.by_year))
    burner = _YearsBurner(scene, segments, ROWS, FIRES)
    before = burner.untreated(SCHEDULE_SET).mean()
    for name, schedule in less.schedules.items():
        mean = burner.losses(schedule.age, SCHEDULE_SET).mean(axis=1)
        assert less.chosen_by[name] == pytest.approx(weight @ (1.0 - mean / before))


def test_what_is_not_built_does_not_count(scene, segments):
    burner = _YearsBurner(scene, segments, ROWS, FIRES)
    nothing = burner.losses(np.full((1, len(segments)), NOT_BUILT), "test")
    np.testing.assert_array_equal(nothing[0], burner.untreated("test"))


@pytest.mark.slow
def test_what_schedules_save_is_the_mean_of_their_years_and_other_fires_choose(scene, segments):
    cost = sum(one.cost for one in segments)
    told: list[int] = []
    found = years_of_plan(scene, segments, ROWS, list(range(1, YEARS + 1)),
                          [cost / YEARS] * YEARS, FIRES, told.append)
    assert sum(told) == len(RULES) == len(found.schedules)
    assert found.chosen_by[found.chosen] >= found.chosen_by[BUILD_ONCE.name]
    burner = _YearsBurner(scene, segments, ROWS, FIRES)
    whole = burner.untreated("test").mean()
    assert found.untreated.mean == pytest.approx(whole)
    assert found.untreated.low < whole < found.untreated.high
    for name, own in found.saved.items():
        assert own.low <= own.reduction <= own.high
        assert own.reduction == pytest.approx(own.by_year.mean())
        np.testing.assert_allclose(own.by_year, 1.0 - own.loss / found.untreated.mean)
        assert (own.loss_low <= own.loss).all()
        assert (own.loss <= own.loss_high).all()
        assert (own.loss_low < own.loss_high).all()
        loss = [_YearsBurner(scene, segments, ROWS, FIRES).losses(age[None], "test").mean()
                for age in found.schedules[name].age]  # none knows of another year
        np.testing.assert_allclose(own.by_year, 1.0 - np.array(loss) / whole)
        on_own = burner.losses(found.schedules[name].age, SCHEDULE_SET)
        assert on_own.shape == (YEARS, SCHEDULE_FIRES)
        assert found.chosen_by[name] == pytest.approx(
            1.0 - on_own.mean() / burner.untreated(SCHEDULE_SET).mean())
        more = found.saved[name].reduction - found.saved[BUILD_ONCE.name].reduction
        assert own.more == pytest.approx(more)
        assert own.more_low <= own.more <= own.more_high


def test_building_once_is_kept_where_no_other_schedule_is_told_apart_as_better():
    rng = np.random.default_rng(0)
    once = rng.uniform(1.0, 9.0, 512)
    noise = rng.normal(0.0, 1.0, 512)
    noise -= noise.mean()
    by_chance = once - 0.02 + noise  # half of its standard error
    surely, equal = once - 0.2 + noise, once - 0.2 + noise[::-1]
    assert by_chance.mean() < once.mean()
    assert _chosen({"build-once": once, "other": by_chance}) == "build-once"
    assert _chosen({"build-once": once, "other": surely, "third": once + 1.0}) == "other"
    assert _chosen({"build-once": once, "other": surely, "third": equal}) == "other"
    assert _chosen({"build-once": once, "other": once + 1.0}) == "build-once"
    assert _chosen({"build-once": once, "other": once.copy()}) == "build-once"


def test_a_segment_is_as_fresh_as_the_first_state_of_its_treatments(scene, segments):
    rows = [replace(ROWS[0], states=TABLE["grazing"].states), ROWS[1]]  # to year 0, to year 1
    found = years_of_plan(scene, segments, rows, [1], [0.0], FIRES)
    kinds = [scene.landscape.treatment.ravel()[one.cells] for one in segments]
    assert found.prices.fresh_years.tolist() == [0 if (own == 0).any() else 1 for own in kinds]
    assert set(found.prices.fresh_years.tolist()) == {0, 1}
    hectares = scene.landscape.cell_size_m**2 / 1e4
    np.testing.assert_allclose(found.prices.upkeep, [
        hectares * (165 * (own == 0).sum() + 250 * (own == 1).sum()) for own in kinds])


def test_what_cannot_be_planned_over_years_is_refused():
    check_horizon(ROWS, 11, "--horizon")
    check_horizon([TABLE["bare-line"]], 11, "--horizon")
    brief = replace(TABLE["grazing"], name="brief", states=TABLE["grazing"].states[:1])
    check_horizon([ROWS[0], brief], 1, "--horizon")
    for rows, horizon, words in (([], 5, "none"), (ROWS, 12, "at most 11 years"),
                                 ([ROWS[0], brief], 2, "at most 1 year, .* states of brief")):
        with pytest.raises(InputError, match=words):
            check_horizon(rows, horizon, "--horizon")
