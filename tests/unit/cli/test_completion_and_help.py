"""Help answers at once and plainly, and a shell can complete what may be typed."""

import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from firebreak.api.shared import progress
from firebreak.cli import COMMANDS, main
from firebreak.cli.commands import EXAMPLES, GROUPS, PROGRAMS, actions_of
from firebreak.cli.help import FIRST, completion, options_of
from firebreak.fire import FireConditions, burn, make_scene
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.methods import AUTO, METHODS

HEAVY = ("torch", "matplotlib", "rasterio", "gymnasium", "pydantic")
LOADED = """
import contextlib, io, sys
from firebreak.cli import main
text = io.StringIO()
with contextlib.redirect_stdout(text), contextlib.suppress(SystemExit):
    main(sys.argv[1:])
print(*sorted({name.partition(".")[0] for name in sys.modules}))
print(text.getvalue())
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["", *PROGRAMS])
def test_help_loads_nothing_heavy_and_has_no_colour_off_a_terminal(name: str) -> None:
    done = subprocess.run([sys.executable, "-c", LOADED, *name.split(), "--help"],
                          capture_output=True, text=True, check=True)
    loaded, _, shown = done.stdout.partition("\n")
    assert {"firebreak"} <= set(loaded.split())
    assert set(loaded.split()).isdisjoint(HEAVY)
    assert f"usage: firebreak {name}".rstrip() in shown
    assert "\x1b" not in shown


def shown(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What a command that succeeds prints."""
    assert main([*words]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("name", FIRST)
def test_help_shows_the_options_of_a_real_job_and_all_where_asked(
        name: str, capsys: pytest.CaptureFixture[str]) -> None:
    def listed(text: str) -> list[str]:
        return re.findall(r"^  (--[a-z0-9-]+)", text, re.MULTILINE)

    short = shown(capsys, *name.split(), "--help")
    assert listed(short) == [f"--{one.replace('_', '-')}" for one in FIRST[name]]
    long = listed(shown(capsys, *name.split(), "--help-all"))
    assert sorted({*long, "--help", "--help-all"}) == options_of(name)
    assert f"--help-all shows all {len(long)} options" in short


@pytest.mark.parametrize("name", ["", *PROGRAMS])
def test_help_fits_a_terminal(name: str, capsys: pytest.CaptureFixture[str],
                                  monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for asked in ("--help", "--help-all"):
        lines = shown(capsys, *name.split(), asked).splitlines()
        assert max(map(len, lines)) <= 80
        assert asked == "--help-all" or len(lines) <= 45


def test_help_can_be_asked_for_by_its_verb(capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(capsys, "help", "plan") == shown(capsys, "plan", "--help")
    assert shown(capsys, "help", "landscape", "info") == shown(capsys, "landscape", "info", "-h")
    assert shown(capsys, "help") == shown(capsys, "--help") == shown(capsys)
    assert main(["help", "plann"]) == 2
    assert "did you mean 'plan'?" in capsys.readouterr().err


def test_every_command_has_its_line_and_its_example_in_one_group(
        capsys: pytest.CaptureFixture[str]) -> None:
    assert sorted(name for names in GROUPS.values() for name in names) == sorted(COMMANDS)
    text = shown(capsys, "--help")
    for name in COMMANDS:
        assert EXAMPLES[name].startswith(f"firebreak {name}")
        assert text.count(f"$ {EXAMPLES[name]}\n") == 1


def test_examples_name_options_that_there_are() -> None:
    for name, line in EXAMPLES.items():
        asked = re.findall(r"--[a-z-]+", line)
        own = [kind for kind in PROGRAMS if kind.split()[0] == name]
        assert {*asked} <= {option for kind in own for option in options_of(kind)}, line


def test_help_says_what_a_value_may_be(capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, "plan", "--help-all")
    assert re.search(r"^  --time-limit SECONDS ", text, re.MULTILINE)
    assert re.search(r"^  --segment-m M  ", text, re.MULTILINE)
    assert re.search(r"^  --wind-20ft-km-h KM/H ", text, re.MULTILINE)
    assert "--budget 5%|40ha|MONEY" in text
    assert not re.search("--(money|phases) ", text)
    assert "--break-kind {hard,shaded}" in text
    assert re.search(r"^  --leak  ", text, re.MULTILINE)
    assert "None" not in text


def test_help_shows_the_defaults_that_a_command_has(capsys: pytest.CaptureFixture[str]) -> None:
    text = " ".join(shown(capsys, "plan", "--help-all").split())
    assert "random plans. [0]" in text
    assert "[1.2]" in text
    assert "[500]" in text


def test_the_list_of_methods_has_all_of_them_and_says_which_search(
        capsys: pytest.CaptureFixture[str]) -> None:
    listed = shown(capsys, "methods")
    assert sorted(re.findall(r"^([a-z-]+)  ", listed, re.MULTILINE)) == sorted([AUTO, *METHODS])
    assert " ".join(listed.split()).count("(searches until --time-limit)") == sum(
        method.searches for method in METHODS.values())


def test_commands_with_actions_have_one_help_of_them(capsys: pytest.CaptureFixture[str]) -> None:
    with_actions = [command for command in COMMANDS if actions_of(command)]
    assert with_actions == ["landscape", "memory"]
    for command in with_actions:
        text = shown(capsys, command)
        assert text == shown(capsys, command, "--help-all") == shown(capsys, "help", command)
        actions = [name.split()[1] for name in PROGRAMS if name.startswith(f"{command} ")]
        assert re.findall(r"^  ([a-z]+) ", text, re.MULTILINE) == actions
        assert main([command, "nothing", "--help"]) == 2
        assert f"firebreak {command}: expected one of" in capsys.readouterr().err


def test_every_command_has_its_options_listed() -> None:
    assert {name.split()[0] for name in PROGRAMS} == set(COMMANDS)


@pytest.mark.parametrize("command", ["landscape info", "landscape convert", "landscape fetch",
                                     "behavior", "memory report"])
def test_a_seed_where_nothing_is_drawn_is_taken_and_not_in_the_help(
        command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = {"landscape info": ["synthetic:3:8"],
             "landscape convert": ["synthetic:3:8", "--out", str(tmp_path / "a.tif")],
             "landscape fetch": [str(tmp_path), "--bbox", "-2", "1", "-1", "2", "--email", "a@b.c"],
             "memory report": [str(tmp_path)],
             "behavior": [str(tmp_path / "none.csv"), "--out", str(tmp_path / "b.csv")]}[command]
    code = main([*command.split(), *given])
    said = capsys.readouterr()
    for seed in (["--seed", "3"], ["--seed=3"]):
        assert main([*command.split(), *given, *seed]) == code
        assert capsys.readouterr() == said
    assert main([*command.split(), "--seed", "x", *given]) == 2
    assert "--seed: expected a whole number" in capsys.readouterr().err
    assert main([*command.split(), "--help-all"]) == 0
    assert "--seed" not in capsys.readouterr().out


@pytest.mark.parametrize(("typed", "offered"), [
    (["firebreak", "eval"], ["evaluate"]), (["firebreak", "plan", "--bud"], ["--budget"]),
    (["firebreak", "landscape", "gen"], ["generate"]),
    (["firebreak", "landscape", "generate", "--si"], ["--size"]),
    (["firebreak", "memory", ""], ["report", "check"]),
    (["firebreak", "train", "--bud"], []),
])
def test_bash_completes_commands_actions_and_options(typed: list[str], offered: list[str]) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash here")
    ask = ('COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _firebreak; '
           'echo "${COMPREPLY[@]}"')
    done = subprocess.run([bash, "-c", f"{completion('bash')}\n{ask}", "bash", *typed],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == offered


def test_other_shells_have_theirs_and_unknown_ones_a_sentence(
        capsys: pytest.CaptureFixture[str]) -> None:
    assert "bashcompinit" in completion("zsh")
    assert ("complete -c firebreak -n '__fish_seen_subcommand_from landscape; and "
            "__fish_seen_subcommand_from generate' -l size") in completion("fish")
    assert main(["--completion", "bash"]) == 0
    assert "complete -o default -F _firebreak firebreak" in capsys.readouterr().out
    assert main(["--completion", "tcsh"]) == main(["--completion"]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 2
    assert "expected one of bash, fish, zsh" in said


def test_a_bar_is_told_of_every_fire_once() -> None:
    told: list[int] = []
    scene = make_scene(generate(2, 24), FireConditions(scenarios=3), 0, tiled=True)
    fires = scene.fires("simulate", 90)
    with_bar = burn(scene, fires, None, report=told.append, want="statistics")
    assert sum(told) == 90
    assert len(told) > 1
    assert (with_bar.loss == burn(scene, fires).loss).all()


@pytest.mark.slow
def test_a_bar_shows_on_a_terminal_only_and_not_when_quiet(
        monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(progress, "PATIENCE_S", 0.0)
    shown = []
    for terminal, quiet in ((True, False), (True, True), (False, False)):
        monkeypatch.setattr("sys.stderr.isatty", lambda yes=terminal: yes)
        with progress.progress_bar(4, "fire", quiet=quiet) as told:
            for _ in range(4):
                time.sleep(0.3)
                told(1)
        shown.append("fire" in capsys.readouterr().err)
    assert shown == [True, False, False]


def test_the_help_of_plan_names_every_method(capsys: pytest.CaptureFixture[str]) -> None:
    text = " ".join(shown(capsys, "plan", "--help-all").split())
    named = text.split("auto if not given, which tries several. Or ")[1].split(":")[0]
    assert sorted(named.split(", ")) == sorted(METHODS)
