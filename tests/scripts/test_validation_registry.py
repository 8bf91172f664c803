"""The registry of cases of benchmarks/validation, its records and the pages made from them."""

import dataclasses
import math
from pathlib import Path
from types import ModuleType

import pytest

from firebreak.checks import InputError

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


@pytest.fixture(scope="module")
def registry(load) -> ModuleType:
    return load("registry")


@pytest.fixture(scope="module")
def page(load) -> ModuleType:
    return load("page")


@pytest.fixture(scope="module")
def cases(registry):
    return registry.all_cases()


@pytest.fixture(scope="module")
def records(registry, page):
    return registry.read_records(DOCS / page.RECORDS)


@pytest.fixture
def example(registry):
    """A case that finds 10.4 where 10 is expected."""
    return registry.Case(
        identifier="A-1", title="a number", area="theory", source="nowhere", inputs="none",
        checks=(registry.Check("number", "relative", 0.05, 10.0),),
        measure=lambda places: {"number": 10.4}, needs=("data/land",))


@pytest.fixture
def places(registry, tmp_path):
    (tmp_path / "land").mkdir()
    return registry.Places(tmp_path, tmp_path)


def test_every_case_has_a_source_inputs_and_a_tolerance_for_each_quantity(registry, cases):
    assert len(cases) > 40
    assert {case.area for case in cases} == set(registry.AREAS)
    for case in cases:
        assert case.source, case.identifier
        assert case.inputs, case.identifier
        assert case.checks, case.identifier
        assert bool(case.missing) == (case.measure is None), case.identifier
        quantities = [check.quantity for check in case.checks]
        assert len({*quantities}) == len(quantities), case.identifier
        for check in case.checks:
            assert 0.0 <= check.limit < math.inf, case.identifier
        for need in case.needs:
            assert need.startswith(("data/", "reference/")), case.identifier


def test_two_cases_of_one_identifier_are_refused(registry, example):
    registry.check_unique([example, dataclasses.replace(example, identifier="A-2")])
    with pytest.raises(InputError, match="A-1"):
        registry.check_unique([example, example])


def test_every_record_is_of_a_case_and_has_its_tolerances(cases, records):
    # A tolerance that is changed without a run shows here.
    assert [record.identifier for record in records] == [case.identifier for case in cases]
    for case, record in zip(cases, records, strict=True):
        assert [(check.quantity, check.rule, check.limit, check.unit) for check in record.checks
                ] == [(check.quantity, check.rule, check.limit, check.unit)
                      for check in case.checks], case.identifier
        for check, judged in zip(case.checks, record.checks, strict=True):
            assert check.expected in (None, judged.expected), case.identifier


def test_every_verdict_follows_from_the_recorded_numbers(registry, cases, records):
    for case, record in zip(cases, records, strict=True):
        if record.status == "not evaluable":
            assert record.reason, case.identifier
            assert {check.passed for check in record.checks} == {None}
            continue
        passed = [check.holds(judged.found, judged.expected)
                  for check, judged in zip(case.checks, record.checks, strict=True)]
        assert passed == [judged.passed for judged in record.checks], case.identifier
        assert record.status == ("pass" if all(passed) else "fail"), case.identifier


def test_the_pages_show_the_records_and_their_counts(page, cases, records):
    shown = (DOCS / page.PAGE).read_text(encoding="utf-8")
    for name, text in page.blocks(cases, records).items():
        assert page.replaced(shown, name, text) == shown, name
    assert (DOCS / page.CASES_PAGE).read_text(encoding="utf-8") == page.cases_page(cases, records)
    last = page.counts_table(cases, records).splitlines()[-1]
    counts = [sum(record.status == status for record in records)
              for status in ("pass", "fail", "not evaluable")]
    assert last.split(" | ")[1:5] == [str(len(cases)), *map(str, counts)]
    assert len(cases) == sum(counts)


def test_a_number_outside_its_tolerance_fails_and_so_does_none(registry, example, places):
    assert registry.judge(example, places).status == "pass"
    for found in (10.6, 9.4, math.nan, math.inf):
        off = dataclasses.replace(example, measure=lambda _, found=found: {"number": found})
        record = registry.judge(off, places)
        assert record.status == "fail"
        assert record.checks[0].passed is False


@pytest.mark.parametrize(("rule", "limit", "expected", "inside", "outside"), [
    ("relative", 0.1, -2.0, -2.19, -2.21), ("absolute", 0.1, -2.0, -2.09, -2.11),
    ("at most", 0.1, None, 0.1, 0.11), ("at least", 0.1, None, 0.1, 0.09)])
def test_rules_of_tolerance(registry, rule, limit, expected, inside, outside):
    check = registry.Check("number", rule, limit, expected)
    assert check.holds(inside, expected)
    assert not check.holds(outside, expected)


def test_a_case_without_its_data_or_its_means_is_not_evaluable(registry, example, tmp_path):
    elsewhere = registry.Places(tmp_path / "none", tmp_path)
    record = registry.judge(example, elsewhere)
    assert (record.status, record.reason) == (
        "not evaluable", "needs data/land, not here")
    assert record.checks[0].found is None
    idle = dataclasses.replace(example, measure=None, missing="there is no such part yet", needs=())
    assert registry.judge(idle, elsewhere).reason == "there is no such part yet"


def test_a_case_that_measures_other_quantities_than_it_judges_is_an_error(registry, example,
                                                                          places):
    other = dataclasses.replace(example, measure=lambda _: {"another": 1.0})
    with pytest.raises(ValueError, match="A-1"):
        registry.judge(other, places)


def test_records_are_read_as_they_were_written(registry, records, tmp_path):
    registry.write_records(tmp_path / "records.json", records)
    assert registry.read_records(tmp_path / "records.json") == records


def test_unknown_cases_are_refused_before_any_is_run(load, tmp_path, capsys):
    with pytest.raises(SystemExit) as ended:
        load("__main__").main(["--out", str(tmp_path / "out"), "--only", "ELMFIRE-34,NOBODY"])
    assert ended.value.code == 2
    assert "NOBODY" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_cheap_cases_have_the_recorded_verdicts(registry, cases, records, tmp_path):
    nowhere = registry.Places(tmp_path, tmp_path)
    cheap = [(case, record) for case, record in zip(cases, records, strict=True)
             if not case.slow and not case.needs]
    assert len(cheap) > 25
    assert [(case.identifier, registry.judge(case, nowhere).status) for case, _ in cheap] == [
        (record.identifier, record.status) for _, record in cheap]
