"""A run to go on with has its own folder and configuration: no others are taken beside it."""

from pathlib import Path
from typing import Any

import pytest

import firebreak
from firebreak.checks import InputError
from firebreak.cli import main
from firebreak.train.config.load import as_toml, load_config


class Came(Exception):
    """The splits of a run would be made now."""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in with a run that was begun; nothing in it is trained."""
    def come(*_: object) -> None:
        raise Came

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("firebreak.train.data.splits.make_splits", come)
    for run in ("a", "b"):
        (tmp_path / run).mkdir()
        (tmp_path / run / "config.toml").write_text(as_toml(load_config("quick", ["budget=0.07"])))
    return tmp_path


def files(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


BESIDE = {
    "a new folder": (["--out", "new"], {"out": "new"}, "expected no other folder"),
    "another run": (["--out", "b"], {"out": "b"}, "expected no other folder"),
    "a preset": (["general"], {"config": "general"}, "no preset or file together with it, got"),
    "the usual preset": (["quick"], {"config": "quick"}, "got 'quick'; leave one of them out"),
    "a file": (["b/config.toml"], {"config": Path("b/config.toml")}, "got 'b/config.toml'"),
}


@pytest.mark.parametrize("name", BESIDE)
def test_another_folder_or_configuration_is_refused(
        name: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = files(place)
    given, _, words = BESIDE[name]
    assert main(["train", *given, "--resume", "a"]) == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1
    assert files(place) == before


@pytest.mark.parametrize("name", BESIDE)
def test_python_refuses_the_same(name: str, place: Path) -> None:
    before = files(place)
    _, given, words = BESIDE[name]
    with pytest.raises(InputError) as told:
        firebreak.train_policy(resume="a", **given)
    assert words in str(told.value)
    assert "--" not in str(told.value)
    assert files(place) == before
    assert not Path("new").exists()


@pytest.mark.parametrize(("typed", "given"), [
    ([], {}), (["--out", "b/../a"], {"out": "b/../a"}),
    (["a/config.toml"], {"config": "a/config.toml"})])
def test_the_same_folder_may_be_named_twice(typed: list[str], given: dict[str, Any]) -> None:
    with pytest.raises(Came):
        main(["train", "--resume", "a", *typed])
    with pytest.raises(Came):
        firebreak.train_policy(resume="a", **given)
