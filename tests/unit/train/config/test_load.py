"""Configurations: presets are valid, mistakes are named in one sentence, TOML round-trips."""

import tomllib
from pathlib import Path

import pytest

from firebreak.checks import InputError
from firebreak.train.config.load import (
    as_toml,
    checked,
    data_folder,
    load_config,
    preset_file,
    presets,
    with_data,
)
from firebreak.train.config.setup import mixture_of


@pytest.mark.parametrize("preset", presets())
def test_presets_are_valid_and_say_how_to_run_them(preset: str) -> None:
    load_config(preset)
    first = preset_file(preset).read_text(encoding="utf-8").splitlines()[0]
    assert first.startswith("# firebreak train ")


def test_presets_are_the_files_that_say_so() -> None:
    assert presets() == ("quick", "closing", "general", "landfire", "long", "shaded")


def test_written_configuration_reads_back_equal() -> None:
    config = load_config("landfire", ["landscapes.data=a \"b\"\\c", "train.episodes=7"])
    assert checked(tomllib.loads(as_toml(config)), "again") == config


def test_changes_are_typed_and_win_over_the_file() -> None:
    config = load_config("quick", ["train.episodes=12", "fires.crown=cruz", "budget=0.1",
                                   'evaluation.methods=["none"]'])
    assert config.train.episodes == 12
    assert config.fires.crown == "cruz"
    assert config.budget == 0.1
    assert config.evaluation.methods == ["none"]


@pytest.mark.parametrize(("change", "words"), [
    ("train.episode=5", "did you mean 'train.episodes'?"),
    ("trian.episodes=5", "did you mean 'train'"),
    ("train.episodes=0", "a whole number of at least 1, got 0"),
    ("train.episodes=many", "a whole number of at least 1, got 'many'"),
    ("budget=1.5", "at most 1, got 1.5"),
    ("budget=0", "above 0"),
    ("fires.crown=finey", "did you mean 'finney'?"),
    ("train.episodes", "expected key=value"),
    ("budget.x=1", "expected a number above 0"),
])
def test_a_wrong_change_is_one_sentence(change: str, words: str) -> None:
    with pytest.raises(InputError) as error:
        load_config("quick", [change])
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def test_unknown_preset_names_the_nearest() -> None:
    with pytest.raises(InputError, match="did you mean 'quick'"):
        load_config("qick")


def test_broken_toml_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    path.write_text("seed = = 1")
    with pytest.raises(InputError, match=r"c\.toml: expected TOML"):
        load_config(str(path))


def test_a_run_of_maps_remembers_where_they_are(tmp_path: Path) -> None:
    config = with_data(load_config("landfire"), tmp_path)
    again = checked(tomllib.loads(as_toml(config)), "again")
    assert again.landscapes.data == str(tmp_path)
    assert with_data(load_config("quick"), tmp_path) == load_config("quick")


def test_data_folder_order(monkeypatch: pytest.MonkeyPatch) -> None:
    config = checked({"landscapes": {"data": "from-config"}}, "test")
    monkeypatch.delenv("FIREBREAK_DATA", raising=False)
    assert data_folder(config, None) == Path("from-config")
    monkeypatch.setenv("FIREBREAK_DATA", "from-environment")
    assert data_folder(config, None) == Path("from-environment")
    assert data_folder(config, "from-option") == Path("from-option")


@pytest.mark.parametrize(("changes", "mixed"), [
    (["mixture.width_share=[0.2,0.4]", "mixture.cost_slope=[1,2]"], False),
    (["mixture.width_share=[0.2,0.4]", "mixture.breached=0.1"], True),
    (["mixture.slope_costs=0.1"], True), (["mixture.budget=[0.1,0.2]"], True)])
def test_bounds_of_what_no_episode_draws_mix_nothing(changes: list[str], mixed: bool) -> None:
    config = load_config("quick", changes)
    assert config.mixture.is_mixed == mixed
    assert (mixture_of(config) is not None) == mixed
