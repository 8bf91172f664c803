"""A mistake in what was typed is one sentence that names it, and exit code 2."""

from pathlib import Path

import pytest

from firebreak.cli import main
from firebreak.cli.commands import PROGRAMS

Out = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("typed", "told"), [
    ("plan synthetic:3:8 --budgett 2%",
     "firebreak plan: expected an option that it has, got '--budgett'; did you mean '--budget'? "
     "firebreak plan --help lists what it takes"),
    ("plan synthetic:3:8 --budgett=2%", "got '--budgett'; did you mean '--budget'?"),
    ("plan synthetic:3:8 --choose-fires 9", "did you mean '--plan-fires'?"),
    ("evaluate synthetic:3:8 --choice-fires 9", "did you mean '--plan-fires'?"),
    ("plan synthetic:3:8 -q", "got '-q'; firebreak plan --help"),
    ("plan synthetic:3:8 more --break_kind hard", "expected no further words, got 'more';"),
    ("plan synthetic:3:8 --budget 2x",
     "--budget: expected a share (5%), an area (40ha), money (20000) or money by year "
     "(2027:50000,2028:80000), each above 0, got '2x'; write one of them"),
    ("plan synthetic:3:8 --plan-fires 3.5",
     "--plan-fires: expected a whole number of at least 1, got '3.5'; correct it (number of"),
    ("plan synthetic:3:8 --break-kind shady",
     "--break-kind: expected one of hard, shaded, got 'shady'; did you mean 'shaded'?"),
    ("plan synthetic:3:8 --hold handy",
     "--hold: expected one of equipment, hand, got 'handy'; did you mean 'hand'?"),
    ("plan synthetic:3:8 --budget", "--budget: expected a value after it, got none; "),
    ("landscape fetch a.tif --bbox 1 2 --email a@b.c",
     "--bbox: expected 4 values after it, got fewer; "),
    ("behavior", "firebreak behavior: expected CASES and --out, got nothing; firebreak behavior "
                 "--help lists what it takes"),
    ("simulate", "firebreak simulate: expected LANDSCAPE, got nothing; "),
    ("landscape info", "firebreak landscape info: expected LANDSCAPE, got nothing; "),
    ("landscape info synthetic:3:8 --area 0:4,0:4", "got '--area'; "),
    ("memory --json", "firebreak memory: expected one of check, report, got action '--json'"),
    ("plan synthetic:3:8 --json=yes", "--json: expected no value after it, got 'yes'; "),
    ("plan synthetic:3:8 --budget -0.5", "each above 0, got -0.5; "),
])
def test_a_mistake_is_one_sentence_that_names_it(typed: str, told: str, capsys: Out) -> None:
    assert main(typed.split()) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert told in said.err
    assert len(said.err.splitlines()) == 1
    assert list(Path.cwd().iterdir()) == []


@pytest.mark.parametrize("name", [*PROGRAMS])
def test_every_command_names_an_option_that_it_does_not_have(name: str, capsys: Out) -> None:
    assert main([*name.split(), "--no-such-option-anywhere"]) == 2
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1
    assert "─" not in said
    assert "--no-such-option-anywhere" in said


def test_no_name_of_a_file_of_options_is_not_the_current_folder(capsys: Out) -> None:
    assert main(["plan", "synthetic:3:8", "--config", ""]) == 2
    assert "--config: expected the name of a file or folder, not empty" in capsys.readouterr().err


def test_a_remedy_names_the_setting_that_it_is_about(capsys: Out) -> None:
    assert main(["train", "quick", "--set", "agent.fit_steps=5", "--set",
                 "agent.discount=0.5"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("firebreak: --set agent.fit_steps=5: expected agent.discount = 0")
    assert said.endswith("set it, or leave agent.fit_steps out\n")
