"""Plans and policies say what they are for, and a command that asks for something else warns."""

import warnings
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from firebreak.agent.policy_file import Policy
from firebreak.api.shared.policies import warn_of_other_breaks
from firebreak.api.shared.records import OPTIONS_FILE, warn_of_other_options, write_options
from firebreak.api.shared.scene_checks import check_tiled_memory
from firebreak.api.shared.scene_options import FireOptions, SceneOptions
from firebreak.api.simulated import simulate
from firebreak.checks import InputError
from firebreak.cli import BAD_INPUT, main
from firebreak.cli.commands.train import _break_options
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.synthetic.generate import generate
from firebreak.settings.scene import MadeBreaks
from firebreak.train.config.load import as_toml, checked
from firebreak.train.config.schema import RunConfig

SHADED = SceneOptions(breaks=MadeBreaks(break_kind="shaded"))


def said(call) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(warning.message) for warning in caught]


def test_a_plan_looked_at_under_other_options_warns_and_names_them(tmp_path: Path) -> None:
    write_options(tmp_path, SHADED)
    assert said(lambda: warn_of_other_options(tmp_path, SHADED)) == []
    hard = SceneOptions(fire=FireOptions(crown="none"), seed=3, threads=2)
    (words,) = said(lambda: warn_of_other_options(tmp_path / "plan.csv", hard))
    assert "break-kind shaded there, hard here" in words
    assert "crown finney there, none here" in words
    assert "seed" not in words


@pytest.mark.parametrize("text", ["", "{", "[]", '{"breaks": 3}'])
def test_plans_of_other_programs_do_not_warn(tmp_path: Path, text: str) -> None:
    (tmp_path / OPTIONS_FILE).write_text(text)
    assert said(lambda: warn_of_other_options(tmp_path, SHADED)) == []


def test_a_policy_asked_for_other_breaks_than_it_was_trained_for_warns() -> None:
    for trained, asked, expected in (("hard", SHADED, 1), ("shaded", SHADED, 0),
                                     ("hard", SceneOptions(), 0)):
        config = checked({"breaks": {"kind": trained}}, "test")
        policy = Policy(network=None, provenance={"config": as_toml(config)})
        assert len(said(lambda p=policy, a=asked: warn_of_other_breaks(p, a))) == expected
    untold = Policy(network=None, provenance={"run": "x"})
    assert said(lambda: warn_of_other_breaks(untold, SHADED)) == []


def test_the_next_command_of_a_run_asks_for_its_breaks() -> None:
    assert _break_options(RunConfig()) == ""
    config = checked({"breaks": {"kind": "shaded", "leak": True}}, "test")
    assert _break_options(config) == " --break-kind shaded --leak"
    narrow = checked({"breaks": {"width_m": 4.5, "breach": "wilson"}}, "test")
    assert _break_options(narrow) == " --break-width-m 4.5 --breach wilson"


def test_a_map_that_does_not_fit_the_memory_is_refused_before_it_is_burned(
        monkeypatch, capsys, tmp_path) -> None:
    free = SimpleNamespace(available=150_000)
    monkeypatch.setattr("psutil.virtual_memory", lambda: free)
    out = tmp_path / "out"
    assert main(["simulate", "synthetic:1:24", "--fires", "2", "--out", str(out)]) == BAD_INPUT
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "576 cells" in said
    assert "GB" in said
    assert not out.exists()
    free.available = 10**9
    check_tiled_memory(generate(1, 24), 1, 2)
    free.available = 10**6
    with pytest.raises(InputError, match="24 steps"):
        check_tiled_memory(generate(1, 24), 24, 2)


def cells_apart(land: Landscape) -> Landscape:
    """A landscape whose fuel lies in cells that are too far apart for fire."""
    fuel = np.full(land.shape, 91, land.fuel_model.dtype)
    fuel[::4, ::4] = 101
    return replace(land, fuel_model=fuel)


def test_simulate_tells_of_fires_that_cannot_burn_what_is_asked_for() -> None:
    land = generate(1, 24)
    (warning,) = said(lambda: simulate(cells_apart(land), fires=2, scenarios=1))
    assert "what burns lies in pieces that they do not leave" in warning
    assert said(lambda: simulate(land, fires=2, scenarios=1)) == []


@pytest.mark.slow
def test_fires_that_cannot_burn_what_is_asked_for_are_told_of() -> None:
    land = generate(1, 24)
    cut = cells_apart(land)
    for make in (SceneOptions().scene, SceneOptions().tiled_scene):
        (warning,) = said(lambda make=make: make(cut, "synthetic:1:24"))
        assert "burn 3% of the burnable cells, not the 15% of --burned-share" in warning
        assert said(lambda make=make: make(land, "synthetic:1:24")) == []
    # A duration that is given aims at no share, and an attack, not the map, makes fires small.
    for fire, where in ((FireOptions(duration_min=60.0), cut),
                        (FireOptions(initial_attack=5.0), land)):
        assert said(lambda fire=fire, where=where: SceneOptions(fire=fire).scene(
            where, "synthetic:1:24")) == []
