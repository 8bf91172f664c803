"""Fires of a comparison, kept in a folder: stopped anywhere, on any workers, the same numbers."""

import os
import shutil
import signal
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from firebreak.api.shared.evaluate_steps import KIND, kept_in
from firebreak.checks import InputError
from firebreak.cli import main
from firebreak.executors.choice import open_executor
from firebreak.fire import BurnResult, FireConditions, Fires, Scene, make_scene
from firebreak.fire.fires import FireRegime
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.core import identity
from firebreak.planning.evaluation.evaluate import Evaluation, evaluate
from firebreak.planning.evaluation.judging import Burn, statistics
from firebreak.planning.evaluation.losses import burned_by_workers, burner_recipe
from firebreak.seeding import generator
from firebreak.train.storage.store import STATE, TENSORS, write_folder
from firebreak.weather.scenarios import WindClimate, draw_scenarios
from firebreak.weather.streams import make_streams

METHODS = ["none", "random", "betweenness"]
BURNS = 2 * 2 * (1 + 3)
"""Of two scenes test fires and plan fires, without breaks and under the plans that have some."""


@pytest.fixture(scope="module")
def scenes() -> list[Scene]:
    return [make_scene(generate(seed, 12), FireConditions(scenarios=2), 3) for seed in range(2)]


def judged(scenes: list[Scene], burn: Burn, budget: float = 0.05) -> Evaluation:
    return evaluate(scenes, METHODS, budget_share=budget, plan_fires=24, test_fires=120, seed=3,
                    random_draws=2, burn=burn)


def numbers(found: Evaluation) -> list[Any]:
    return [[row._replace(seconds=0.0) for row in found.rows],
            [one[:3] for one in found.methods.values()], found.paired]


def counted(burns: list[int], stop: int | None = None) -> Burn:
    """Burns fires, counts how often, and is interrupted after so many times."""
    def burn(scene: Scene, fires: Fires, breaks: NDArray[np.bool_] | None = None) -> BurnResult:
        if len(burns) == stop:
            raise KeyboardInterrupt
        burns.append(fires.source.size)
        return statistics(scene, fires, breaks)
    return burn


@pytest.mark.parametrize("stops", [(3, 4, 2), pytest.param((1,), marks=pytest.mark.slow)])
def test_a_stopped_comparison_goes_on_with_the_same_bits(
        scenes: list[Scene], tmp_path: Path, stops: tuple[int, ...]) -> None:
    for stop in stops:
        with pytest.raises(KeyboardInterrupt):
            judged(scenes, kept_in(tmp_path, counted([], stop)))
    burns: list[int] = []
    done = judged(scenes, kept_in(tmp_path, counted(burns)))
    assert len(burns) == BURNS - sum(stops)
    assert numbers(done) == numbers(judged(scenes, statistics))


def _flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize(("name", "damage"), [
    (TENSORS, _flip), *(pytest.param(*case, marks=pytest.mark.slow)
                        for case in ((STATE, _flip), (TENSORS, Path.unlink)))])
def test_a_damaged_result_burns_again(scenes: list[Scene], tmp_path: Path, name: str,
                                      damage: Callable[[Path], None]) -> None:
    whole = judged(scenes, kept_in(tmp_path, statistics))
    damage(sorted(tmp_path.iterdir())[0] / name)
    burns: list[int] = []
    with pytest.warns(UserWarning, match="burn again"):
        done = judged(scenes, kept_in(tmp_path, counted(burns)))
    assert len(burns) == 1
    assert numbers(done) == numbers(whole)
    judged(scenes, kept_in(tmp_path, counted(burns)))
    assert len(burns) == 1


def test_a_forged_result_is_refused_in_a_sentence(scenes: list[Scene], tmp_path: Path) -> None:
    judged(scenes, kept_in(tmp_path, statistics))
    first = sorted(tmp_path.iterdir())[0]
    shutil.rmtree(first)
    write_folder(first, KIND, {"loss": 1})
    with pytest.raises(InputError, match=first.name):
        judged(scenes, kept_in(tmp_path, statistics))


@pytest.mark.slow
def test_other_plans_and_another_program_burn_anew(
        scenes: list[Scene], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judged(scenes, kept_in(tmp_path, statistics))
    burns: list[int] = []
    judged(scenes, kept_in(tmp_path, counted(burns)), budget=0.08)
    assert len(burns) == BURNS - 2 * 2  # the same fires without breaks
    monkeypatch.setattr(identity, "program", lambda: "2.0.0")
    burns.clear()
    judged(scenes, kept_in(tmp_path, counted(burns)))
    assert len(burns) == BURNS


def test_fires_of_other_weather_are_other_fires(tmp_path: Path) -> None:
    """In words, numpy leaves out the middle of so many rows."""
    steps = draw_scenarios(WindClimate(), generator(4, "weather"), 1008)
    weather = make_streams(steps, 72, 60.0)
    wind = steps.wind_20ft_m_min.copy()
    wind[500] *= 3.0
    windy = weather._replace(steps=steps._replace(wind_20ft_m_min=wind))
    heavy = weather._replace(weight=np.roll(np.arange(1.0, 15.0) / 105.0, 3))
    land, regime = generate(3, 8), FireRegime(duration_min=120.0)
    assert repr(windy) == repr(weather)
    burns: list[int] = []
    for one in (weather, windy, heavy):
        scene = make_scene(land, FireConditions(weather=one, regime=regime), 1)
        fires = scene.fires("test", 3)
        for some in (fires, fires._replace(weight=np.full(3, 5))):
            kept_in(tmp_path, counted(burns))(scene, some, None)
    assert len(burns) == 6


@pytest.mark.slow
def test_any_number_of_workers_gives_the_bits_of_none_even_if_one_is_killed(
        scenes: list[Scene]) -> None:
    whole, killed = numbers(judged(scenes, statistics)), list[int]()
    places = {id(scene): place for place, scene in enumerate(scenes)}

    def burn(scene: Scene, fires: Fires, breaks: NDArray[np.bool_] | None = None) -> BurnResult:
        return burned_by_workers(executor, scene, fires, breaks, place=places[id(scene)])

    def kill_once(scene: Scene, fires: Fires,
                  breaks: NDArray[np.bool_] | None = None) -> BurnResult:
        if breaks is not None and not killed:
            killed.append(executor.backend.process_ids()[0])  # type: ignore[attr-defined]
            os.kill(killed[0], signal.SIGKILL)
        return burn(scene, fires, breaks)

    with closing(open_executor("in-process", burner_recipe(scenes), 3)) as executor:
        assert numbers(judged(scenes, burn)) == whole
    with closing(open_executor("processes", burner_recipe(scenes), 2)) as executor:
        assert numbers(judged(scenes, kill_once)) == whole
        assert executor.restarts == 1


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Any:
    def run(*arguments: str) -> tuple[int, str, str]:
        lands = [one for one in arguments if one.startswith("synthetic")]
        code = main(["evaluate", "synthetic:7:12", *lands, "--methods", "none,random",
                     "--random-draws", "2", "--scenarios", "2", "--plan-fires", "12",
                     "--test-fires", "20", "--quiet", *arguments[len(lands):]])
        return code, *capsys.readouterr()
    return run


def test_the_command_prints_the_same_by_workers_and_from_a_folder(
        said: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def table(text: str) -> list[str]:
        return [line.rsplit("%", 1)[0] for line in text.splitlines() if "%" in line]

    code, plain, _ = said()
    assert code == 0
    for options in (["--executor", "in-process"], ["--out", str(tmp_path)]):
        code, text, _ = said(*options)
        assert (code, table(text)) == (0, table(plain))
    monkeypatch.setattr("firebreak.planning.evaluation.judging.burn", None)  # nothing burns again
    assert table(said("--out", str(tmp_path))[1]) == table(plain)


@pytest.mark.parametrize(("options", "words"), [
    ((), "Intervals: over the test fires, with the weather taken as given"),
    pytest.param(("--scenarios", "5", "--executor", "in-process"),
                 "Intervals: over the 5 weathers of the test fires", marks=pytest.mark.slow),
    pytest.param(("synthetic:8:12", "--executor", "in-process"),
                 "Intervals: Student's t over the 2 landscap", marks=pytest.mark.slow)])
def test_the_table_says_how_its_intervals_were_made(said: Any, options: tuple[str, ...],
                                                    words: str) -> None:
    code, text, _ = said(*options)
    assert code == 0
    assert words in text


def test_mistakes_are_one_sentence(said: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:9")
    code, _, text = said("--executor", "ray")
    assert (code, text.count("\n")) == (2, 1)
    code, _, text = said("--executor", "in-process", "--test-fires", "0")
    assert (code, "a whole number of at least 2, got 0" in text) == (2, True)
