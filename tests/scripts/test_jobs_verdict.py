"""Whether `auto` loses: Holm's correction, paired probabilities, who took no longer."""

import importlib
import json
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_rel

DOCS = Path(__file__).resolve().parents[2] / "docs"
SHARES = st.lists(st.floats(0.0, 1.0), min_size=1, max_size=12)


@pytest.fixture(scope="module")
def verdict(load_jobs) -> ModuleType:
    return load_jobs("verdict")


@pytest.fixture(scope="module")
def measure(load_jobs) -> ModuleType:
    return load_jobs("measure")


@pytest.fixture(scope="module")
def table(load_jobs) -> ModuleType:
    return load_jobs("table")


def rejected(p: list[float], level: float) -> set[int]:
    """Holm's procedure as it is written: from the smallest, stop at the first that is too large."""
    found: set[int] = set()
    for rank, place in enumerate(sorted(range(len(p)), key=lambda k: p[k])):
        if p[place] > level / (len(p) - rank):
            break
        found.add(place)
    return found


@given(SHARES, st.floats(0.001, 0.999))
def test_holm_rejects_what_the_procedure_rejects(verdict: ModuleType, p: list[float],
                                                 level: float) -> None:
    adjusted = verdict.holm(p)
    exact = {k for k, value in enumerate(adjusted) if value <= level}
    written = rejected(p, level)
    # p x (n - k) and level / (n - k) may round differently where they are equal.
    assert all(abs(adjusted[k] - level) < 1e-12 for k in exact ^ written)
    assert all(0.0 <= value <= 1.0 for value in adjusted)
    assert all(value >= own for value, own in zip(adjusted, p, strict=True))


def test_holm_on_a_worked_example(verdict: ModuleType) -> None:
    assert verdict.holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


@given(st.integers(0, 1000), st.floats(-1.0, 1.0), st.integers(2, 40))
def test_paired_probability_is_student_s(verdict: ModuleType, seed: int, shift: float,
                                         count: int) -> None:
    rng = np.random.default_rng(seed)
    one, other = rng.gamma(1.0, size=count), rng.gamma(1.0, size=count) + shift
    assert verdict.paired_p(one - other) == pytest.approx(ttest_rel(one, other).pvalue)


def test_equal_plans_are_not_told_apart_and_constant_leads_are(verdict: ModuleType) -> None:
    assert verdict.paired_p(np.zeros(10)) == 1.0
    assert verdict.paired_p(np.full(10, 0.25)) == 0.0


def record(measure: ModuleType, method: str, lead: float, seconds: float, **other: object):
    """A method that saves `lead` more than others of each of 400 fires, with some noise."""
    rng = np.random.default_rng(sum(map(ord, method)))
    untreated = np.full(400, 10.0)
    return measure.Record("job", method, "key", seconds=seconds, wall_seconds=seconds,
                          saved=1.0 + lead + 0.1 * rng.standard_normal(400), untreated=untreated,
                          **other)


def test_a_quick_method_that_saves_more_is_a_loss_and_a_slow_one_is_listed(
        verdict: ModuleType, measure: ModuleType, table: ModuleType) -> None:
    records = [record(measure, "auto", 0.0, 5.0, chosen="dqn"),
               record(measure, "strips", 0.5, 1.0), record(measure, "greedy", 0.5, 9.0),
               record(measure, "swap", 0.4, 5.3), record(measure, "random", -0.9, 0.1),
               record(measure, "betweenness", 0.0, 0.1),
               measure.Record("job", "milp", "key", refused="too large")]
    held = {one.method: one for one in verdict.compared_with_auto(records)}
    assert {name for name, one in held.items() if one.better} == {"strips", "greedy", "swap"}
    # A search that was given auto's seconds counts as quick, whatever the clock says.
    assert {name for name, one in held.items() if one.slower} == {"greedy"}
    assert held["strips"].more == pytest.approx(-0.05, abs=0.01)
    low, high = held["strips"].interval
    assert low < held["strips"].more < high < 0.0
    words = table.verdict_words(table.rows_of(records))
    assert "auto is significantly worse in 2: strips on job" in words
    assert "Slower methods that are significantly better: greedy on job" in words


def test_luck_alone_seldom_makes_a_loser(verdict: ModuleType, measure: ModuleType) -> None:
    """Of 200 families of 12 methods as good as auto, at most 5 % and some hold a better one."""
    rng, losses = np.random.default_rng(1), 0
    for _ in range(200):
        p = [verdict.paired_p(rng.standard_normal(50)) for _ in range(12)]
        losses += min(verdict.holm(p)) < verdict.LEVEL
    assert losses <= 20  # 10 expected; 21 or more has a chance of 0.1 %


def test_intervals_are_those_of_the_ratio(verdict: ModuleType) -> None:
    """Where every fire saves a tenth, so does every resample, whatever fires lose."""
    untreated = np.random.default_rng(2).gamma(0.5, size=300)
    assert verdict.share_interval(0.1 * untreated, untreated) == pytest.approx((0.1, 0.1))
    low, high = verdict.share_interval(np.full(300, 0.1), untreated)
    assert low < 0.1 / untreated.mean() < high


def test_the_table_puts_the_best_first_and_what_refuses_last(table: ModuleType,
                                                             measure: ModuleType) -> None:
    records = [measure.Record("job", "milp", "key", refused="too | large"),
               record(measure, "auto", 0.0, 5.0, chosen="dqn"),
               record(measure, "strips", 0.5, 1.0)]
    rows = table.rows_of(records)
    assert [row["method"] for row in rows] == ["strips", "auto", "milp"]
    lines = table.markdown(rows).splitlines()
    assert len(lines) == 5
    assert "**auto**, by dqn" in lines[3]
    assert "refuses" in lines[4]
    assert len({line.count("|") for line in lines}) == 1


def test_the_page_says_what_its_rows_say(load_jobs) -> None:
    """docs/results-jobs.md: words and tables are those of docs/results/jobs.json."""
    page = load_jobs("page")
    text = (DOCS / page.PAGE).read_text(encoding="utf-8")
    rows = json.loads((DOCS / page.ROWS).read_text(encoding="utf-8"))
    assert page.with_tables(text, rows) == text
    better = [row | {"holm": 0.001, "better": True, "auto_minus": -0.5}
              if row["method"] == "downstream-value" else row for row in rows]
    assert page.with_tables(text, better) != text


@pytest.mark.parametrize("name", ["benchmarks.jobs.corridors", "benchmarks.corridors"])
def test_the_page_says_of_corridors_what_their_rows_say(name: str, load_jobs) -> None:
    load_jobs("corridors")  # the folder of the benchmarks is on the path
    corridors = importlib.import_module(name)
    text = (DOCS / corridors.PAGE).read_text(encoding="utf-8")
    rows = json.loads((DOCS / corridors.ROWS).read_text(encoding="utf-8"))
    assert corridors.with_table(text, rows) == text
    fewer = rows[:-7]
    assert corridors.with_table(text, fewer) != text
