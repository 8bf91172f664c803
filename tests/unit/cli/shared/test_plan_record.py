"""A plan's options from a file: what is relative to it, and what is a name."""

from pathlib import Path

import pytest

from firebreak.cli.shared.plan_record import options_in


@pytest.mark.parametrize(("named", "read"), [
    ("general", "general"), ("mine", "conf/mine"), ("runs/general", "conf/runs/general"),
    ("../general", "conf/../general")])
def test_a_policy_that_comes_along_is_named_without_its_place(
        named: str, read: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = Path("conf/plan.toml")
    file.parent.mkdir()
    file.write_text(f'policy = "{named}"\n')
    assert options_in(file).policy == Path(read)


def test_a_file_of_that_name_goes_before_the_policy_that_comes_along(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("conf/general").mkdir(parents=True)
    Path("conf/plan.toml").write_text('policy = "general"\n')
    asked = options_in(Path("conf/plan.toml"))
    assert asked.policy == Path("conf/general")
