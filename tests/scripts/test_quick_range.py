"""The range of the preset quick: mean and three standard deviations, and runs outside them."""

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
import quick_range
from protocol import read_records

ROOT = quick_range.ROOT


def row(reduction: float, **more: object) -> dict[str, object]:
    return {"rounding": 3, "seed": 1, "reduction": reduction, "lead": reduction - 0.3} | more


def test_the_range_by_hand() -> None:
    found = quick_range.range_of([row(0.3), row(0.4), row(0.5)], "reduction")
    assert found == (pytest.approx(0.4), pytest.approx(0.3))  # sum of squares 0.02 by 2 degrees
    assert found.holds(0.101)
    assert not found.holds(0.099)
    assert str(found) == "0.400 ± 0.300"


def test_a_run_outside_is_named() -> None:
    published = [row(0.38), row(0.39), row(0.40)]
    assert quick_range.strays([row(0.37), row(0.41)], published) == []
    assert quick_range.strays([row(0.39), row(0.35)], published) == [
        "rounding 3, seed 1: reduction 0.350, published 0.390 ± 0.030",
        "rounding 3, seed 1: lead 0.050, published 0.090 ± 0.030"]


def ended_run(out: Path) -> Path:
    """A folder as a run of quick with rounding 3 and seed 1 leaves it."""
    folder = out / "rounding-3-seed-1"
    folder.mkdir(parents=True)
    checks = [(90, 0.36), (150, 0.38), (244, 0.35), (300, 0.37)]
    steps = {"env_steps": 1, "learner_steps": 1, "half_width": 0.02}
    (folder / "metrics.jsonl").write_text("".join(json.dumps(
        {"kind": "validation", "episodes": at, "reduction": found, "best": found, **steps}) + "\n"
        for at, found in checks))
    (folder / "evaluation.json").write_text(json.dumps({"synthetic": {
        "methods": {"dqn": {"reduction": 0.39}, "downstream-value": {"reduction": 0.33}},
        "paired": {"dqn - downstream-value": {"difference": 0.06}}}}))
    return folder


def test_a_run_that_has_ended_is_read_and_not_trained_again(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = ended_run(tmp_path)
    monkeypatch.setattr(quick_range.subprocess, "run", lambda *_, **__: pytest.fail("trained"))
    assert quick_range.trained(tmp_path, 3, 1) == folder
    assert quick_range.result(folder, 3, 1) == {
        "rounding": 3, "seed": 1, "kept_episode": 150, "reduction": 0.39, "lead": 0.06,
        "validation_gains": 0.38, "validation_last": 0.37, "validation_kept": 0.38}


@pytest.mark.parametrize(("reduction", "code"), [(0.39, 0), (0.43, 1)])
def test_the_command_fails_for_a_run_outside(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reduction: float, code: int,
        capsys: pytest.CaptureFixture[str]) -> None:
    ended_run(tmp_path / "out")
    record = tmp_path / "record.jsonl"
    record.write_text("".join(json.dumps(row(reduction + shift, lead=0.06 + shift)) + "\n"
                              for shift in (-0.01, 0, 0.01)))
    monkeypatch.setattr(quick_range, "RECORD", record)
    monkeypatch.setattr(sys, "argv", ["quick_range.py", "--roundings", "3", "--seeds", "1",
                                      "--out", str(tmp_path / "out")])
    with pytest.raises(SystemExit) as end:
        quick_range.main()
    assert end.value.code == code
    assert ("published" in capsys.readouterr().err) == bool(code)


def test_a_run_begins_with_its_rounding_and_seed_or_goes_on(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    monkeypatch.setattr(quick_range.subprocess, "run",
                        lambda words, env, **_: calls.append((words[3:], env)))
    quick_range.trained(tmp_path, 7, 2)
    folder = tmp_path / "rounding-7-seed-2"
    folder.mkdir()
    (folder / "config.toml").touch()
    quick_range.trained(tmp_path, 7, 2)
    quick_range.trained(tmp_path, 0, 2)
    (first, changed), (second, _), (_, plain) = calls
    assert first[:4] == ["train", "quick", "--seed", "2"]
    assert second[:3] == ["train", "--resume", str(folder)]
    assert changed["FIREBREAK_TEST_ROUNDING"] == "7"
    assert changed["PYTHONPATH"].startswith(str(ROOT / "tests" / "rounding"))
    assert plain["FIREBREAK_TEST_ROUNDING"] == ""


def test_pages_print_the_published_range() -> None:
    published = read_records(quick_range.RECORD)
    assert quick_range.strays(published, published) == []
    table, reduction, lead, runs = quick_range.phrases(published)
    told = {name: (ROOT / name).read_text(encoding="utf-8") for name in quick_range.PAGES}
    assert table in told["docs/results-ablation.md"]
    assert all(said in " ".join(text.split()) for text in told.values()
               for said in (reduction, f"+{lead}", runs))


def test_new_runs_replace_the_published_ones_and_what_pages_say(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def runs(*reductions: float) -> list[dict[str, object]]:
        return [row(one, validation_gains=0.36, validation_last=0.37, validation_kept=0.37)
                for one in reductions]
    before, after = runs(0.3, 0.4, 0.5), runs(0.36, 0.38, 0.40, 0.42)
    monkeypatch.setattr(quick_range, "RECORD", tmp_path / "record.jsonl")
    quick_range.RECORD.write_text("".join(json.dumps(one) + "\n" for one in before))
    page = tmp_path / "page.md"
    page.write_text("\n".join(quick_range.phrases(before)))
    quick_range.publish(after, [page])
    assert read_records(quick_range.RECORD) == after
    assert page.read_text() == "\n".join(quick_range.phrases(after))
