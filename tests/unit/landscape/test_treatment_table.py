"""The table of treatments: the one that comes with the package, and those of users."""

import pytest

from firebreak.checks import InputError
from firebreak.landscape.treatment_table import SHIPPED, named, read_table

SHADE = """
[mowing]
title = "mowing"
currency = "EUR"
upkeep = { per_ha_year = 50, source = "assumed" }
[[mowing.state]]
to_year = 0
surface = 0.5
source = "assumed"
[[mowing.state]]
to_year = 3
surface = "kept"
source = "assumed"
[[mowing.cost]]
to_slope_percent = 15
per_ha = 100
source = "assumed"
[[mowing.cost]]
to_slope_percent = 25
per_ha = 150
source = "assumed"
"""
NAMES = ("bare-line", "mastication", "thinning-pile-burn", "prescribed-fire", "grazing",
         "shaded-break")


def written(tmp_path, text):
    path = tmp_path / "own.toml"
    path.write_text(text)
    return path


def test_the_shipped_table_has_the_treatments_that_the_option_names():
    table = read_table()
    assert tuple(table) == NAMES
    assert all(row.years >= 10 for row in table.values())
    assert [name for name, row in table.items() if row.states[0].bare] == ["bare-line"]


def test_every_number_of_the_shipped_table_has_a_source():
    rows = 0
    for row in read_table().values():
        for source in (*(one.source for one in row.states), *(one.source for one in row.costs),
                       row.upkeep_source):
            assert len(source) > 10 or source == "assumed"
            rows += 1
    assert rows == SHIPPED.read_text().count("source = ")


def test_factors_after_fera_are_told_of_the_cell_before_the_treatment():
    # Its rules follow one another: x0.5, x1.5, x1/(0.5 x 1.5).
    states = read_table()["thinning-pile-burn"].states
    assert [one.to_year for one in states] == [1, 5, 10]
    assert [one.treatment.fine_fuel for one in states] == [0.5, 0.5 * 1.5, 1.0]
    assert {one.treatment.canopy_cover for one in states} == {0.67}
    assert {one.treatment.canopy_base_height for one in states} == {1.5}


def test_mastication_costs_what_was_measured_in_idaho():
    acres = 2.4710538
    costs = [one.per_ha for one in read_table()["mastication"].costs]
    assert costs == [pytest.approx(usd * acres, abs=1.0) for usd in (335, 530, 1395)]


def test_a_state_holds_until_its_last_year():
    row = read_table()["grazing"]
    assert row.state_at(0, "x").treatment.fine_fuel == 0.5
    assert row.state_at(1, "x").treatment.fine_fuel == 1.0
    with pytest.raises(InputError, match="at most 10 years"):
        row.state_at(11, "x")


def test_own_treatments_stand_beside_the_shipped_ones_or_replace_them(tmp_path):
    table = read_table(written(tmp_path, SHADE + SHADE.replace("mowing", "grazing")))
    assert tuple(table) == (*NAMES, "mowing")
    assert table["grazing"].currency == "EUR"
    assert table["mowing"].states[1].treatment.fine_fuel == 1.0
    assert table["mowing"].costs[-1].to_slope_percent == 25.0


def test_lists_are_of_known_treatments_each_once_and_of_one_currency(tmp_path):
    table = read_table(written(tmp_path, SHADE))
    assert [row.name for row in named("mowing", table, "x")] == ["mowing"]
    for text, words in (("mastiction", "did you mean 'mastication'"), ("", "treatment ''"),
                        ("grazing,grazing", "twice"), ("mowing,grazing", "one currency")):
        with pytest.raises(InputError, match=words):
            named(text, table, "x")


WRONG = [
    ("per_ha = 100", "per_ha = 0", "per_ha to be a number from 0.01"),
    ("per_ha = 100", "per_ha = 1e9", "per_ha"), ("per_ha = 100", "per_ha = nan", "per_ha"),
    ("per_ha = 100", "", "per_ha to be"), ("per_ha = 100", "per_ha = true", "per_ha"),
    ("per_ha = 100", "per_he = 100", "did you mean 'per_ha'"),
    ("surface = 0.5", "", "surface"), ("surface = 0.5", "surface = -1", "surface"),
    ("surface = 0.5", 'surface = "bare"\ncanopy_cover = 0.5', "nothing but to_year"),
    ("surface = 0.5", 'surface = 0.5\nfuel = { SH = "SH99" }', "SH99"),
    ("surface = 0.5", 'surface = 0.5\nfuel = { Q = "SH1" }', "'Q'"),
    ("surface = 0.5", "surface = 0.5\ncanopy_base_height = 0.5", "canopy_base_height"),
    ("to_year = 0", "to_year = 3", "to_year to be rising"),
    ("to_year = 0", "to_year = 0.5", "whole number of years"),
    ("to_slope_percent = 25", "to_slope_percent = 15", "to_slope_percent to be rising"),
    ('source = "assumed"', 'source = ""', "source to be a text, or the word assumed"),
    ('surface = 0.5\nsource = "assumed"', "surface = 0.5", "source"),
    ('currency = "EUR"', "", "currency"),
    ('upkeep = { per_ha_year = 50, source = "assumed" }', "", "upkeep: expected a table"),
    ('currency = "EUR"', f'currency = "{"E" * 31}"', "the name of a unit, of 1 to 30 letters"),
    ('currency = "EUR"', 'currency = "E\\u001b[31m"', "a text of one line"),
    ('source = "assumed"', 'source = "one\\ntwo"', "a text of one line"),
    ("[[mowing.cost]]", "[[mowing.costs]]", "costs"), ('title = "mowing"', "title = 3", "title")]


@pytest.mark.parametrize(("old", "new", "words"), WRONG)
def test_a_table_with_a_missing_or_absurd_number_is_refused_in_one_sentence(tmp_path, old, new,
                                                                           words):
    assert old in SHADE
    with pytest.raises(InputError, match=words) as caught:
        read_table(written(tmp_path, SHADE.replace(old, new)))
    assert "\n" not in str(caught.value)
    assert "own.toml" in str(caught.value)


@pytest.mark.parametrize("text", ["", "mowing = 3", "[mowing]", "[mowing", "[[mowing]]"])
def test_what_is_no_table_of_treatments_is_refused(tmp_path, text):
    with pytest.raises(InputError):
        read_table(written(tmp_path, text))
