"""Every broken key of a configuration is one sentence that leads to it."""

from pathlib import Path

import pytest

from faults.configs import LEAVES, broken_files, unclear
from firebreak.checks import InputError
from firebreak.cli import main
from firebreak.settings.sources import line_finder
from firebreak.train.config.load import load_config

BROKEN = list(broken_files())


def test_every_key_is_broken_in_several_ways() -> None:
    keys = {leaf.key for leaf in LEAVES}
    assert len(keys) > 90
    assert keys <= {broken.key for broken in BROKEN}
    assert len(BROKEN) > 8 * len(keys)


def test_a_fifth_of_the_broken_files_is_refused_by_line_key_and_value(tmp_path: Path) -> None:
    assert unclear(tmp_path / "räum lich.toml", BROKEN[::5]) == []


@pytest.mark.soak
def test_every_fault_of_every_key_is_refused(tmp_path: Path) -> None:
    assert unclear(tmp_path / "c.toml", BROKEN) == []


def test_the_command_line_says_it_and_writes_nothing(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "c.toml"
    path.write_text("[train]\nepisodes = 0\n")
    assert main(["train", str(path), "--out", str(tmp_path / "run")]) == 2
    assert capsys.readouterr().err == (
        f"firebreak: {path}, line 2, key train.episodes: expected a whole number of at least 1, "
        "got 0; correct it\n")
    assert [p.name for p in tmp_path.iterdir()] == ["c.toml"]


@pytest.mark.parametrize(("line", "words"), [
    ("episods = 4", "did you mean 'train.episodes'?"),
    ("every_episodes = 4", "did you mean 'evaluation.every_episodes'?"),
    ("num_envs = 0", "a whole number of at least 1 and at most 1024, got 0; correct it "
                     "(environments stepped together)"),
    ('device = "gpu"', "expected one of cpu, cuda, got 'gpu'")])
def test_the_sentence_says_what_is_allowed(tmp_path: Path, line: str, words: str) -> None:
    path = tmp_path / "c.toml"
    path.write_text(f"[train]\n{line}\n")
    with pytest.raises(InputError) as error:
        load_config(str(path))
    assert words in str(error.value)


TEXT = """# seed = 9
seed = 1
budget = 0.05  # budget = 2

train.episodes = 4
landscapes = {size = 20, margin = 2}
# a line

[agent]
'width' = 8
note = \"\"\"
width = 9
[evaluation]
\"\"\"
[evaluation]
methods = [
  "none",
]
test_fires=10
"""


@pytest.mark.parametrize(("path", "line"), [
    (("seed",), 2), (("budget",), 3), (("train", "episodes"), 5), (("landscapes", "margin"), 6),
    (("agent", "width"), 10), (("agent", "note"), 11), (("evaluation", "methods"), 16),
    (("evaluation", "test_fires"), 19), (("evaluation", "other"), 15),
    (("replay", "capacity"), None)])
def test_the_line_of_a_key_is_found(path: tuple[str, ...], line: int | None) -> None:
    assert line_finder(TEXT)(path) == line


def test_a_change_on_the_command_line_is_named_as_it_was_written(tmp_path: Path) -> None:
    for change, words in (("train.episodes=0", "--set train.episodes=0: expected"),
                          ("trian.episodes=4", "--set trian.episodes=4: expected a key")):
        with pytest.raises(InputError) as error:
            load_config("quick", [change])
        assert words in str(error.value)


@pytest.mark.parametrize("content", [
    b"\xff\xfe", b"seed = 1\n\x00", b"[" * 5000, b"a = " + b"[" * 5000, b"seed = 1\nseed = 2"])
def test_a_file_that_is_no_toml_is_one_sentence(
        tmp_path: Path, content: bytes) -> None:
    (tmp_path / "c.toml").write_bytes(content)
    with pytest.raises(InputError, match=r"c\.toml"):
        load_config(str(tmp_path / "c.toml"))


@pytest.mark.parametrize(("changes", "reason"), [
    (["agent.fit_steps=10", "agent.gain_share=0"],
     "--set agent.fit_steps=10: expected agent.gain_share above 0 and agent.discount_end = 0 "
     "together with agent.fit_steps, got 0 and 0.9"),
    (["agent.segments=true"], "--set agent.segments=true: expected agent.gain_share above 0"),
    (["agent.segments=true", "agent.discount=0.5"],
     "--set agent.segments=true: expected agent.discount = 0"),
    (["evolution.elites=4"], "--set evolution.elites=4: expected a key of this version, got "
     "'evolution' = {'elites': 4}, last in version 1.0; leave it out"),
    (["breaks.hold=hand"], "--set breaks.hold=hand: expected breaks that fire can cross"),
])
def test_settings_that_contradict_one_another_are_named(changes: list[str], reason: str) -> None:
    with pytest.raises(InputError) as refused:
        load_config("quick", changes)
    assert reason in str(refused.value)
    assert not {"{", "--hold", "--discount"} & {*str(refused.value).split()}


def test_an_unknown_method_of_a_file_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    path.write_text('seed = 1\n[evaluation]\nmethods = ["nope"]\n')
    with pytest.raises(InputError, match=r"c\.toml, line 3, key evaluation\.methods: expected"):
        load_config(str(path))
    with pytest.raises(InputError, match=r"^--set evaluation\.methods=\['anneal'\]: expected a p"):
        load_config("quick", ["evaluation.methods=['anneal']"])
