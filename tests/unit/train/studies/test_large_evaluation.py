"""Plans judged in chunks: held against all fires at once, stopped anywhere, on any workers."""

import os
import shutil
import signal
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from faults.forged import sealed, with_value
from firebreak.checks import InputError
from firebreak.cli import main
from firebreak.executors.base import Executor, closing
from firebreak.executors.calls import Recipe
from firebreak.executors.choice import open_executor
from firebreak.fire import FireConditions, Scene, burn, make_scene
from firebreak.fire.fires import FireRegime, Fires
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.evaluation.compared_plans import Planned, planned
from firebreak.planning.evaluation.evaluate import Evaluation
from firebreak.planning.evaluation.intervals import fire_groups
from firebreak.planning.evaluation.losses import worst_tenth_mean
from firebreak.seeding import generator
from firebreak.train.storage.checkpoints import checkpoints_of, save_checkpoint
from firebreak.train.storage.store import STATE
from firebreak.train.studies import large_evaluation
from firebreak.train.studies.large_evaluation import (
    BINS,
    ChunkBurner,
    chunk_counts,
    evaluate_in_chunks,
    masks_of,
    worst_tenth,
)
from firebreak.weather.scenarios import WindClimate, draw_scenarios
from firebreak.weather.streams import make_streams

FIRES = 330
METHODS = ["none", "random", "betweenness"]


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_evaluation, "_MAX_FIRES", 40)


@pytest.fixture(scope="module")
def scenes() -> list[Scene]:
    return [make_scene(generate(seed, 12), FireConditions(scenarios=2), 3) for seed in range(2)]


@pytest.fixture(scope="module")
def plans(scenes: list[Scene]) -> list[Planned]:
    return list(planned(scenes, METHODS, budget_share=0.05, plan_fires=24, seed=3, random_draws=2))


def executor_for(scenes: list[Scene], plans: list[Planned], name: Any = "in-process",
                 workers: int = 1) -> Executor:
    return open_executor(name, Recipe(ChunkBurner, (scenes, masks_of(plans))), workers)


def judged(scenes: list[Scene], plans: list[Planned], executor: Executor,
           **more: Any) -> Evaluation:
    return evaluate_in_chunks(scenes, plans, executor, plan_fires=24, test_fires=FIRES, seed=3,
                              **more)


@pytest.fixture(scope="module")
def whole(scenes: list[Scene], plans: list[Planned]) -> Evaluation:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(large_evaluation, "_MAX_FIRES", 40)
        return judged(scenes, plans, executor_for(scenes, plans))


def numbers(evaluation: Evaluation) -> list[Any]:
    return [row._replace(seconds=0.0) for row in evaluation.rows]


def fires_of(scene: Scene) -> Fires:
    """All fires of a scene's chunks, one after the other."""
    sets = [scene.fires(f"test-{k}", count) for k, count in enumerate(chunk_counts(scene, FIRES))]
    return Fires(*(np.concatenate(parts) for parts in zip(*(one[:4] for one in sets), strict=True)))


def test_chunks_add_up_to_the_fires_asked_for(scenes: list[Scene]) -> None:
    counts = list(chunk_counts(scenes[0], FIRES))
    assert sum(counts) == FIRES
    assert counts == [40] * 8 + [10]


def test_countless_fires_take_no_memory_before_they_burn(
        scenes: list[Scene], plans: list[Planned], monkeypatch: pytest.MonkeyPatch) -> None:
    class Enough(Exception):
        pass

    def stop(_: int) -> None:
        burned.append(1)
        if len(burned) == 3:
            raise Enough

    burned: list[int] = []
    tracemalloc.start()
    with pytest.raises(Enough):
        evaluate_in_chunks(scenes, plans, executor_for(scenes, plans), plan_fires=24,
                           test_fires=10**8, seed=3, progress=stop)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 30_000_000


@pytest.mark.parametrize(("key", "value"), [
    ("chunks", 10**30), ("chunks", "x"), ("chunks", None), ("sums", 5), ("sums", []),
    ("sums", [{"fires": 1}, {}])])
def test_absurd_sums_are_refused(scenes: list[Scene], plans: list[Planned], tmp_path: Path,
                                 key: str, value: Any) -> None:
    judged(scenes, plans, executor_for(scenes, plans), folder=tmp_path)
    newest = checkpoints_of(tmp_path)[-1]
    sealed(newest, {STATE: with_value((newest / STATE).read_bytes(), (key,), value)})
    for other in checkpoints_of(tmp_path)[:-1]:
        shutil.rmtree(other)
    with pytest.raises(InputError, match="expected a checkpoint"):
        judged(scenes, plans, executor_for(scenes, plans), folder=tmp_path)


def test_sums_give_what_all_fires_at_once_give(
        scenes: list[Scene], plans: list[Planned], whole: Evaluation) -> None:
    for scene, own in zip(scenes, plans, strict=True):
        fires = fires_of(scene)
        before = burn(scene, fires, want="statistics")
        for name, made in own.plans.items():
            row = next(row for row in whole.rows
                       if (row.landscape, row.method) == (scene.landscape.name, name))
            after = [burn(scene, fires, plan.break_mask(), want="statistics")
                     for plan in made]
            loss = np.mean([one.loss.mean() for one in after])
            assert row.untreated_loss == pytest.approx(before.loss.mean())
            assert row.reduction == pytest.approx(1.0 - loss / before.loss.mean(), abs=1e-12)
            off = [1.0 - one.lost[~plan.break_mask()].sum()
                   / before.lost[~plan.break_mask()].sum()
                   for one, plan in zip(after, made, strict=True)]
            assert row.reduction_untreated_cells == pytest.approx(np.mean(off), abs=1e-12)
            tail = np.mean([1.0 - worst_tenth_mean(one.loss) / worst_tenth_mean(before.loss)
                            for one in after])
            width = float(scene.value.sum()) / BINS
            assert row.cvar90_reduction == pytest.approx(
                tail, abs=2.0 * width / worst_tenth_mean(before.loss))
            assert row.untreated_burned_share == pytest.approx(
                before.burn_probability[scene.landscape.burnable].mean())


@pytest.mark.parametrize("weathers", [2, 6])
def test_sums_give_the_interval_of_all_fires_at_once(weathers: int) -> None:
    scene = make_scene(generate(0, 12), FireConditions(scenarios=weathers), 3)
    plans = list(planned([scene], METHODS, budget_share=0.05, plan_fires=24, seed=3,
                         random_draws=2))
    one = judged([scene], plans, executor_for([scene], plans))
    fires = fires_of(scene)
    before = burn(scene, fires).loss
    saved = before - burn(scene, fires, plans[0].plans["betweenness"][0].break_mask()).loss
    own = fire_groups(fires.scenario, before).saving(saved, before)
    found = one.methods["betweenness"]
    # Few weathers are taken as given: fires are then dealt to groups.
    close = 1e-9 if weathers == 6 else 0.1 * (own.high - own.low)
    assert found[:3] == pytest.approx(own, abs=close)
    assert (one.interval, one.weathers) == (("weathers", 6) if weathers == 6 else ("fires", 0))
    pair = one.paired["betweenness - random"]
    assert pair.difference == pytest.approx(
        found.reduction - one.methods["random"].reduction)
    assert pair.low < pair.difference < pair.high


@pytest.mark.slow
@given(npst.arrays(np.float64, st.integers(1, 400), elements=st.floats(0, 100)))
def test_the_worst_tenth_of_a_histogram_is_within_a_bin(losses: np.ndarray) -> None:
    counts, sums = large_evaluation._histogram(losses, 100.0)
    assert worst_tenth(counts, sums) == pytest.approx(worst_tenth_mean(losses),
                                                      abs=100.0 / BINS + 1e-9)
    assert counts.sum() == losses.size
    assert sums.sum() == pytest.approx(losses.sum())


class Stopping:
    """An executor that is interrupted after so many answers."""

    def __init__(self, executor: Executor, answers: int) -> None:
        self.executor, self.left = executor, answers

    def __getattr__(self, name: str) -> Any:
        return getattr(self.executor, name)

    def answers(self, timeout_s: float | None = None) -> Any:
        if self.left == 0:
            raise KeyboardInterrupt
        self.left -= 1
        return self.executor.answers(timeout_s)


@pytest.mark.parametrize("stops", [(1,), (7, 2, 5), (17,)])
def test_an_evaluation_goes_on_where_it_was_stopped_with_the_same_bits(
        scenes: list[Scene], plans: list[Planned], whole: Evaluation, tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch, stops: tuple[int, ...]) -> None:
    monkeypatch.setattr(large_evaluation, "SECONDS_BETWEEN_SAVES", 0.0)
    for answers in stops:
        stopping: Any = Stopping(executor_for(scenes, plans), answers)
        with pytest.raises(KeyboardInterrupt):
            judged(scenes, plans, stopping, folder=tmp_path)
    told: list[int] = []
    done = judged(scenes, plans, executor_for(scenes, plans), folder=tmp_path,
                  progress=told.append)
    assert numbers(done) == numbers(whole)
    assert done.methods["random"][:3] == whole.methods["random"][:3]
    assert sum(told) == 2 * FIRES
    assert told[0] >= sum(stops) * 10


@pytest.mark.slow
def test_any_number_of_workers_gives_the_same_bits_even_if_one_is_killed(
        scenes: list[Scene], plans: list[Planned], whole: Evaluation) -> None:
    assert numbers(judged(scenes, plans, executor_for(scenes, plans, workers=3))) == numbers(whole)

    with closing(executor_for(scenes, plans, "processes", 2)) as executor:
        killed: list[int] = []

        def kill_in_the_middle(fires: int) -> None:
            if fires and not killed:
                killed.append(executor.backend.process_ids()[0])  # type: ignore[attr-defined]
                os.kill(killed[0], signal.SIGKILL)
        done = judged(scenes, plans, executor, progress=kill_in_the_middle)
        assert executor.restarts == 1
    assert numbers(done) == numbers(whole)


def test_sums_of_other_plans_are_refused(
        scenes: list[Scene], plans: list[Planned], tmp_path: Path) -> None:
    judged(scenes, plans, executor_for(scenes, plans), folder=tmp_path)
    other = list(planned(scenes, METHODS, budget_share=0.08, plan_fires=24, seed=3,
                         random_draws=2))
    with pytest.raises(InputError, match="sums of this evaluation, got sums of other plans"):
        judged(scenes, other, executor_for(scenes, other), folder=tmp_path)


def test_sums_of_other_weather_are_other_sums() -> None:
    """In words, numpy leaves out the middle of so many rows."""
    steps = draw_scenarios(WindClimate(), generator(4, "weather"), 1008)
    weather = make_streams(steps, 72, 60.0)
    wind = steps.wind_20ft_m_min.copy()
    wind[500] *= 3.0
    windy = weather._replace(steps=steps._replace(wind_20ft_m_min=wind))
    heavy = weather._replace(weight=np.roll(np.arange(1.0, 15.0) / 105.0, 3))
    land, regime = generate(3, 8), FireRegime(duration_min=120.0)
    assert repr(windy) == repr(weather)
    assert len({_identity_of(make_scene(land, FireConditions(weather=one, regime=regime), 1))
                for one in (weather, windy, heavy)}) == 3


def _identity_of(scene: Scene) -> str:
    return large_evaluation._identity([scene], [Planned({}, frozenset())], 100)


def test_sums_of_another_program_are_not_taken_up(
        scenes: list[Scene], plans: list[Planned], tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch) -> None:
    judged(scenes, plans, executor_for(scenes, plans), folder=tmp_path)
    monkeypatch.setattr(large_evaluation, "program", lambda: "2.0.0")
    with pytest.raises(InputError, match="or of another program"):
        judged(scenes, plans, executor_for(scenes, plans), folder=tmp_path)


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Any:
    def run(*arguments: str) -> tuple[int, str]:
        code = main(["evaluate", "synthetic:7:12", "--methods", "none,random", "--random-draws",
                     "2", "--scenarios", "2", *arguments])
        return code, capsys.readouterr().err
    return run


def test_a_folder_of_something_else_is_refused_before_a_plan_is_made(
        said: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_checkpoint(tmp_path, "run", {"turn": 1})
    monkeypatch.setattr("firebreak.planning.evaluation.compared_plans.planned", None)
    code, text = said("--executor", "in-process", "--out", str(tmp_path))
    assert code == 2
    assert "expected saved state of kind" in text


@pytest.mark.parametrize(("options", "words"), [
    ((), "Intervals: over the test fires, with the weather taken as given"),
    (("--scenarios", "5"), "Intervals: over the 5 weathers of the test fires"),
    (("--executor", "in-process", "--scenarios", "5"),
     "Intervals: over the 5 weathers of the test fires"),
    (("--executor", "in-process"),
     "Intervals: over the test fires, with the weather taken as given"),
    (("synthetic:8:12", "--executor", "in-process"), "Intervals: Student's t over the 2 landscap")])
def test_the_table_says_how_its_intervals_were_made(
        options: tuple[str, ...], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    if "--scenarios" not in options:
        options = (*options, "--scenarios", "2")
    assert main(["evaluate", "synthetic:7:12", *options, "--methods", "none,strips",
                 "--plan-fires", "12", "--test-fires", "20", "--quiet"]) == 0
    assert words in capsys.readouterr().out


def test_mistakes_are_one_sentence(said: Any, tmp_path: Path) -> None:
    assert said("--out", str(tmp_path))[0] == 2
    code, text = said("--executor", "ray", "--ray-address", "127.0.0.1:9")
    assert code == 2
    assert text.count("\n") == 1
    code, text = said("--executor", "in-process", "--test-fires", "0")
    assert (code, "a whole number of at least 2, got 0" in text) == (2, True)
