"""Options of `firebreak visualize` that would change nothing are refused."""

from pathlib import Path

import pytest

from firebreak.cli import main

FOR_LAND = [["--method", "strips"], ["--budget", "0.5"], ["--budget=0.05"], ["--plan-fires", "5"],
            ["--area", "0:5,0:5"], ["--plan", "plan.csv"], ["--wind-from-deg", "90"],
            ["--break-kind", "shaded"]]
FOR_RUNS = [["--landscape", "1"], ["--data", "maps"]]
CASES = {
    "config.toml": [*FOR_LAND, ["--policy", "general"]],
    "plan.json": [*FOR_LAND, *FOR_RUNS, ["--seed", "0"]],
    "": FOR_RUNS}


@pytest.mark.parametrize(("file", "option"), [
    (file, option) for file, options in CASES.items() for option in options])
def test_what_changes_nothing_in_what_is_shown_is_refused(
        file: str, option: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    shown = "synthetic:3:12"
    if file:
        (tmp_path / "folder").mkdir()
        (tmp_path / "folder" / file).write_text("")
        shown = "folder"
    ways = [["--export", "page.html"], *([[]] if file == "config.toml" else [])]
    for way in ways:
        assert main(["visualize", shown, *way, *option]) == 2
        said = capsys.readouterr().err
        assert f"got {option[0].partition('=')[0]}; leave it out" in said
        assert said.count("\n") == 1


@pytest.mark.parametrize(("arguments", "message"), [
    (["synthetic:3:12", "--plan", "plan.csv", "--export", "page.html", "--budget", "0.2"],
     "expected a plan as it is, got --budget"),
    (["one", "two", "--data", "maps"], "expected the learning curves of runs as they are"),
    (["synthetic:3:12", "--export", "page.html", "--port", "9000"], "--serve together with --port"),
])
def test_what_needs_another_option_is_refused_alone(
        arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["visualize", *arguments]) == 2
    assert message in capsys.readouterr().err
