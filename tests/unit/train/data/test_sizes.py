"""What a configuration, or a number of fires, would take is told before it is taken."""

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firebreak.checks import InputError
from firebreak.cli import BAD_INPUT, main
from firebreak.env.gym_env import FuelbreakVectorEnv
from firebreak.env.sources import ProblemSource, synthetic_landscapes
from firebreak.env.storage.problem import Sizes
from firebreak.env.storage.problem_batch import ProblemBatch, storage_bytes
from firebreak.fire.behavior_models import _OnDemand
from firebreak.train.config.load import load_config
from firebreak.train.config.schema import RunConfig
from firebreak.train.config.setup import conditions_of
from firebreak.train.data import sizes as run_sizes
from firebreak.train.data import splits
from firebreak.train.data.sizes import shortest_episode
from firebreak.train.data.splits import make_splits, source_of
from firebreak.train.run.trainer import ParallelTrainer
from tiny import TINIER

LINES = ["agent.segments=true", "agent.gain_share=0.25", "agent.discount_end=0"]


@pytest.mark.parametrize("sizes", [
    Sizes(3, (20, 30), 4, 16, 8), Sizes(1, (40, 40), 8, 64, 0),
    Sizes(8, (12, 12), 2, 5, 7, 6, breach=True, spotting=True)])
def test_storage_is_told_to_the_byte(sizes: Sizes) -> None:
    assert storage_bytes(sizes) == ProblemBatch(sizes).owned_bytes()


@pytest.mark.parametrize("changes", [
    [], ["mixture.parts=0.5", "landscapes.size=30"],
    ["agent.segments=true", "agent.gain_share=0.25", "agent.discount_end=0", "agent.gain_fires=4"]],
    ids=["cells", "jobs", "lines"])
def test_the_replay_is_told_without_making_it(tmp_path: Path, changes: list[str]) -> None:
    config = load_config("quick", [*TINIER, *changes])
    splits = make_splits(config, Path())
    told = run_sizes._replay_bytes(config, splits.train[0], 1)
    trainer = ParallelTrainer(config, splits, tmp_path)
    made = trainer.arenas[0].replay.nbytes
    trainer.close()
    assert told == made


def test_the_fit_is_told_by_the_setting_that_it_comes_from() -> None:
    lines = ["agent.segments=true", "agent.gain_share=0.25", "agent.discount_end=0"]
    plain, fit = ([name for name in run_sizes.parts_of(
        config, make_splits(config, Path()).train) if "steps of" in name
        and "environments" not in name] for config in (
            load_config("quick", [*TINIER, *lines, *more]) for more in ([], ["agent.fit_steps=9"])))
    assert plain == []
    assert fit == ["steps of 40,000 cells (agent.fit_steps)"]


@pytest.mark.parametrize(("change", "said"), [
    ("fires.plan_fires=100000000", "fires.plan_fires"),
    ("fires.reward_fires=" + "9" * 18, "fires.reward_fires"),
    ("replay.capacity=1000000000000", "replay.capacity"),
    ("replay.capacity=" + "9" * 18, "replay.capacity"),
    ("train.collect_steps=1000000000", "train.collect_steps"),
    ("evaluation.validation_landscapes=1000000000", "evaluation.validation_landscapes"),
    ("evaluation.test_fires=10000000000", "evaluation.test_fires"),
    ("agent.batch_size=1000000000", "agent.batch_size"),
    ("evaluation.test_landscapes=1000000000", "evaluation.test_landscapes")])
def test_settings_beyond_the_machine_are_refused_in_one_sentence(
        change: str, said: str, capsys: Any, tmp_path: Path) -> None:
    assert main(["train", "quick", "--set", change, "--set", "train.num_envs=1024",
                 "--out", str(tmp_path / "run")]) == BAD_INPUT
    text = capsys.readouterr().err
    assert text.count("\n") == 1
    assert said in text
    assert "of free memory" in text
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(("window", "windows"), [("2", "9" * 30), ("10", "1000000")])
def test_windows_beyond_the_machine_are_refused(capsys: Any, monkeypatch: Any, window: str,
                                                windows: str) -> None:
    monkeypatch.setattr("firebreak.free_memory.free_bytes", lambda: 2_000_000)
    assert main(["evaluate", "synthetic:1:40", "--methods", "none", "--window", window,
                 "--windows", windows]) == BAD_INPUT
    text = capsys.readouterr().err.splitlines()[-1]
    assert "windows of" in text or "free memory" in text
    assert "--windows" in text


def layers(path: Path, count: int) -> Path:
    path.write_text('[[layer]]\nraster = "a.tif"\n' * count)
    return path


@pytest.mark.slow
def test_value_layers_by_the_thousand_are_refused_unread(tmp_path: Path, capsys: Any,
                                                         monkeypatch: Any) -> None:
    plan = ["plan", "synthetic:1:40", "--plan-fires", "2", "--out", str(tmp_path / "out"),
            "--layers"]
    assert main([*plan, str(layers(tmp_path / "a.toml", 30_000))]) == BAD_INPUT
    assert "expected at most 1,000 value layers, got 30,000" in capsys.readouterr().err
    monkeypatch.setattr("firebreak.free_memory.free_bytes", lambda: 9_000_000)
    assert main([*plan, str(layers(tmp_path / "b.toml", 900))]) == BAD_INPUT
    assert "900 value layers of 40 x 40 cells" in capsys.readouterr().err


def configured(*settings: str) -> tuple[RunConfig, ProblemSource]:
    """A configuration on synthetic land, and the source of its problems."""
    config = load_config("quick", settings)
    size = config.landscapes.size
    return config, source_of(config, conditions_of(config, Path()), size,
                             synthetic_landscapes(size, "train"))


def told(*settings: str) -> dict[str, int]:
    """Bytes of a configuration's parts by the word that they begin with after their number."""
    config, source = configured(*settings)
    return {name.split(" ", 1)[1].split(" ")[0]: size
            for name, size in run_sizes.parts_of(config, (source,)).items()}


def test_changing_weather_counts_where_it_is_drawn() -> None:
    settings = ("landscapes.size=32", "evaluation.test_landscapes=50")
    constant, changing = (told(*settings, *more) for more in (
        (), ("mixture.changing_weather=0.1",)))
    assert changing["test"] == constant["test"]  # of the other tables' weather
    assert changing["environments"] > 3 * constant["environments"]
    assert changing["validation"] > 5 * constant["validation"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["narrow", "held"])
@pytest.mark.parametrize("changing", [0, 1])
def test_environments_are_told_with_their_scenes(kind: str, changing: int) -> None:
    settings = ("landscapes.size=48", "train.num_envs=3", "fires.plan_fires=8",
                "fires.reward_fires=8", f"mixture.{kind}=1", f"mixture.changing_weather={changing}")
    env = FuelbreakVectorEnv(configured(*settings)[1], 3)
    env.reset(seed=0)
    held = env.owned_bytes() + sum(
        array_bytes(env.slots.problem(slot).scene) for slot in range(3))
    assert 0.95 * held < told(*settings)["environments"] < 2.0 * held


def array_bytes(thing: Any, seen: set[int] | None = None) -> int:
    """Bytes of all arrays that a thing of tuples and dataclasses holds, each counted once."""
    seen = set() if seen is None else seen
    if isinstance(thing, np.ndarray):
        while isinstance(thing.base, np.ndarray):
            thing = thing.base
        new = id(thing) not in seen
        seen.add(id(thing))
        return thing.nbytes if new else 0
    if isinstance(thing, tuple | list):
        return sum(array_bytes(one, seen) for one in thing)
    if isinstance(thing, _OnDemand):
        return array_bytes(thing._made, seen)
    if is_dataclass(thing):
        return sum(array_bytes(getattr(thing, one.name), seen) for one in fields(thing))
    return 0


def test_presets_fit_a_small_machine(monkeypatch: Any) -> None:
    asked: list[dict[str, int]] = []
    original: Callable[..., dict[str, int]] = run_sizes.parts_of
    monkeypatch.setattr(run_sizes, "parts_of",
                        lambda *given: asked.append(original(*given)) or asked[-1])
    make_splits(load_config("quick"), Path())
    assert 1e7 < sum(asked[0].values()) < 2e9
    assert splits.check_memory is run_sizes.check_memory


@pytest.mark.parametrize("arguments", [
    ["plan", "synthetic:1:20", "--method", "downstream-value", "--plan-fires", "10000000000"],
    ["plan", "synthetic:1:20", "--method", "random", "--plan-fires", "9" * 18],
    ["evaluate", "synthetic:1:20", "--methods", "none,random", "--test-fires", "9" * 18],
    ["simulate", "synthetic:1:20", "--fires", "9" * 18]])
def test_countless_fires_are_refused_before_they_are_drawn(arguments: list[str], capsys: Any,
                                                           tmp_path: Path) -> None:
    out = [] if arguments[0] == "evaluate" else ["--out", str(tmp_path / "out")]
    assert main([*arguments, *out]) == BAD_INPUT
    text = capsys.readouterr().err.splitlines()[-1]
    assert "of free memory" in text
    assert "ask for fewer" in text or "--plan-fires" in text


def test_a_container_has_no_more_than_its_group(monkeypatch: Any, tmp_path: Path) -> None:
    from firebreak import free_memory

    (tmp_path / "job").mkdir()
    for name, text in (("memory.max", "3000000000"), ("memory.current", "1000000000"),
                       ("memory.stat", "anon 5\ninactive_file 400000000\n")):
        (tmp_path / "job" / name).write_text(text)
    own = tmp_path / "own"
    own.write_text("0::/job\n")
    monkeypatch.setattr(free_memory, "_GROUPS", tmp_path)
    monkeypatch.setattr(free_memory, "_OWN", own)
    assert free_memory.free_bytes() == 2_400_000_000
    (tmp_path / "job" / "memory.max").write_text("max")
    assert free_memory.free_bytes() > 2_400_000_000
    with pytest.raises(InputError, match="more than 1,000,000 GB for cats"):
        free_memory.check_free({"cats": 10**400}, where="a", remedy="b")


@pytest.mark.parametrize("change", [LINES, ["mixture.parts=0.1"], ["mixture.existing=0.1"],
                                    ["mixture.slope_costs=0.1"]])
def test_few_steps_may_spend_the_budget_where_lines_or_jobs_are_drawn(change: list[str]) -> None:
    """The replay's ring of landscapes has room for the episodes of so many steps."""
    assert shortest_episode(load_config("quick", []), 40) > run_sizes.FEW
    assert shortest_episode(load_config("quick", change), 40) == run_sizes.FEW
