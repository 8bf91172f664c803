"""Plans over years as tables: what is done when, and what that costs."""

import csv

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from firebreak.landscape.candidates.corridor import Corridor
from firebreak.planning.evaluation.intervals import Interval
from firebreak.planning.output.tables import (
    csv_text,
    schedule_table,
    spent,
    text_of_csv,
    years_built,
    years_record,
    years_table,
    years_words,
)
from firebreak.planning.years.savings import ScheduleSaving, YearsResult
from firebreak.planning.years.schedule import RULES, Prices, Schedule, schedule_of

NO = np.empty(0, np.int64)


def found_of(build: list[int], money: list[int], chosen: str, fresh: int = 1) -> YearsResult:
    """Schedules of segments of these costs; what they save is made up."""
    prices = Prices(np.array(build, float), np.array(build, float) / 4.0 + 0.5,
                    np.full(len(build), fresh))
    years = list(range(2030, 2030 + len(money)))
    loss = np.linspace(2.0, 3.0, len(money))
    saved = ScheduleSaving(0.25, 0.2, 0.3, 0.05, 0.01, 0.09, 1.0 - loss / 4.0, loss, loss - 0.5,
                           loss + 0.5)
    return YearsResult({rule.name: schedule_of(rule, prices, money) for rule in RULES},
                       {rule.name: saved for rule in RULES}, Interval(4.0, 3.5, 4.5), {}, chosen,
                       years, 40, 0.25, prices)


def segments(build: list[int]) -> list[Corridor]:
    return [Corridor(NO, NO, 30.0, 0.25 * cost, float(cost)) for cost in build]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(1, 20), min_size=1, max_size=6),
       st.lists(st.integers(0, 40), min_size=1, max_size=8), st.sampled_from(RULES))
def test_what_is_done_in_a_year_costs_what_the_year_spends(build: list[int], money: list[int],
                                                           rule: object) -> None:
    found = found_of(build, money, rule.name)
    done = schedule_table(found, segments(build))
    for row in (one for one in years_table(found, 1.0) if one["schedule"] == rule.name):
        for action, name in (("build", "build_cost"), ("keep up", "upkeep_cost"),
                             ("treat again", "again_cost")):
            cost = sum(one["cost"] for one in done
                       if one["year"] == row["year"] and one["action"] == action)
            assert abs(cost - row[name]) < 0.01
    assert abs(sum(one["cost"] for one in done) - spent(found.schedules[rule.name])) < 0.01
    built = {one["build_order"]: one["year"] for one in done if one["action"] == "build"}
    assert years_built(found) == [built.get(k + 1) for k in range(len(build))]


def test_a_table_of_years_tells_each_number_in_its_unit() -> None:
    found = found_of([10, 4], [10, 3, 3, 3], "build-and-keep-up")
    rows = years_table(found, 0.09)
    assert len(rows) == len(RULES) * 4
    own = [row for row in rows if row["schedule"] == "build-and-keep-up"]
    assert [row["chosen"] for row in own] == [True] * 4
    assert not any(row["chosen"] for row in rows if row not in own)
    assert [row["upkeep_cost"] for row in own] == [0.0, 3.0, 3.0, 3.0]
    assert [row["build_cost"] for row in own] == [10.0, 0.0, 0.0, 0.0]
    assert [row["segments_standing"] for row in own] == [1, 1, 1, 1]
    np.testing.assert_allclose([row["mean_loss"] for row in own], 0.09 * np.linspace(2, 3, 4),
                               atol=1e-6)
    for end, more in (("mean_loss_low", -0.045), ("mean_loss_high", 0.045)):
        np.testing.assert_allclose([row[end] - row["mean_loss"] for row in own], more, atol=2e-6)
    np.testing.assert_allclose([row["discount_factor"] for row in own],
                               [1.0, 0.8, 0.64, 0.512], atol=1e-6)
    rows = years_table(found_of([10, 4], [10, 0, 10], "build-once"), 1.0)
    again = [row["again_cost"] for row in rows if row["schedule"] == "build-and-treat-again"]
    assert again == [0.0, 0.0, 10.0]


def test_the_sentence_names_what_is_kept_and_how_much_more_it_saves() -> None:
    found = found_of([10], [10, 3], "build-and-keep-up")
    assert years_words(found) == (
        "over 2 years build-and-keep-up is kept: it saves 25.0% (20.0% to 30.0%), +5.0% (+1.0% to "
        "+9.0%) beside build-once")
    assert years_words(found._replace(chosen="build-once")).endswith(
        "; no other schedule is significantly better")
    record = years_record(found)
    assert record["schedule"] == "build-and-keep-up"
    assert (record["years"], record["discount_rate"], record["more_high"]) == (2, 0.25, 0.09)


def test_schedules_are_of_the_kinds_that_the_page_names() -> None:
    found = found_of([10], [10], "build-once")
    assert all(isinstance(one, Schedule) for one in found.schedules.values())
    assert list(found.schedules) == [
        "build-once", "build-and-treat-again", "build-and-keep-up", "keep-up-25%", "keep-up-50%",
        "keep-up-75%"]


def test_a_spreadsheet_computes_no_name_and_the_name_is_read_again() -> None:
    names = ["=1+1", "+b", "-12 road", "@SUM(A1)", "'t Harde", "ridge - 2", ""]
    text = csv_text([{"name": name, "saves": -0.5} for name in names])
    cells = [row["name"] for row in csv.DictReader(text.splitlines())]
    assert [cell[:1] for cell in cells] == ["'", "'", "'", "'", "'", "r", ""]
    assert [text_of_csv(cell) for cell in cells] == names
    assert all(line.endswith(",-0.5") for line in text.splitlines()[1:])
