"""A tiny evolution: elites bit-equal, bounded by construction, the same bits anywhere and again."""

import gc
import os
import signal
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from firebreak.agent.policy_file import load_policy
from firebreak.agent.replay import Replay
from firebreak.checks import InputError
from firebreak.executors.base import Executor, call_all
from firebreak.executors.calls import Recipe
from firebreak.executors.choice import open_executor
from firebreak.layout import OBSERVATION
from firebreak.memory.registry import live_counts
from firebreak.train.config.load import load_config
from firebreak.train.config.schema import RunConfig
from firebreak.train.rollout.player import Player, make_player, weights_of
from firebreak.train.studies.evolution import Evolution
from firebreak.train.studies.population import weights_sha256
from tiny import TINY

Row = dict[str, Any]
SMALL = [*TINY, "fires.plan_fires=6", "fires.reward_fires=6", "evolution.population=4",
         "evolution.generations=5", "evolution.episodes=2", "evolution.updates=3",
         "evolution.elites=2", "train.learning_starts=60", "train.num_envs=2",
         "replay.capacity=120", "agent.epsilon_steps=100"]


def small(*changes: str) -> RunConfig:
    return load_config("quick", SMALL + list(changes))


def executor_for(config: RunConfig, name: Any = "in-process", workers: int = 1) -> Executor:
    return open_executor(name, Recipe(make_player, (config,)), workers)


def without_clocks(rows: list[Row]) -> list[Row]:
    return [{key: value for key, value in row.items()
             if key not in ("seconds", "rss_bytes", "live")}
            for row in rows if row["kind"] == "generation"]


class Watched:
    """A run, with what its population was after each generation."""

    def __init__(self, folder: Path) -> None:
        gc.collect()  # what other tests no longer hold
        self.before = live_counts()
        config = small()
        self.evolution = Evolution(config, executor_for(config), (10, 10), folder)
        self.rows: list[Row] = []
        self.hashes: list[list[str]] = []
        for row in self.evolution.run():
            self.rows.append(row)
            if row["kind"] == "generation":
                self.hashes.append([weights_sha256([m]) for m in self.evolution.members])

    @property
    def generations(self) -> list[Row]:
        return [row for row in self.rows if row["kind"] == "generation"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Watched:
    return Watched(tmp_path_factory.mktemp("evolution"))


def test_elites_are_kept_in_every_bit_and_in_fitness(run: Watched) -> None:
    for before, after, hashes_before, hashes in zip(
            run.generations, run.generations[1:], run.hashes, run.hashes[1:], strict=False):
        kept = [before["fitness"][place] for place in before["elites"]]
        assert after["fitness"][:2] == kept == sorted(before["fitness"], reverse=True)[:2]
        assert after["born"][:2] == [before["born"][place] for place in before["elites"]]
        # The elites of this generation were in the population that the last one left.
        assert hashes[:2] == [hashes_before[place] for place in after["elites"]]


def test_what_members_learned_is_kept_but_for_the_worst(run: Watched) -> None:
    assert max(member.agent.learner_steps for member in run.evolution.members) >= 3
    for before, after in zip(run.generations, run.generations[1:], strict=False):
        order = sorted(range(4), key=lambda place: (-before["fitness"][place], place))
        assert after["born"] == [*(before["born"][place] for place in order[:3]),
                                 after["generation"]]


def test_the_best_never_gets_worse(run: Watched) -> None:
    best = [row["best_fitness"] for row in run.generations]
    assert best == sorted(best)
    assert run.rows[-1]["best_fitness"] >= run.rows[-1]["first_fitness"]
    assert best[0] == run.rows[-1]["first_fitness"] == max(run.generations[0]["fitness"])


def test_no_member_learns_before_the_replay_is_ready_and_all_but_elites_do_then(
        run: Watched) -> None:
    steps = 0
    for row in run.generations:
        ready = row["replay"] >= 60
        assert (row["loss"] is not None) == ready
        steps += 6 if ready else 0  # two members, three updates each
    ready = [row["replay"] >= 60 for row in run.generations]
    assert ready[0] is False
    assert ready[-1] is True
    assert run.rows[-1]["learner_steps"] == steps


def test_agents_environments_and_replay_are_as_many_after_every_generation(run: Watched) -> None:
    for row in run.rows:
        if row["kind"] == "memory" and row["phase"] in ("cleanup", "end"):
            more = {kind: row["live"].get(kind, 0) - run.before.get(kind, 0)
                    for kind in ("DQNAgent", "FuelbreakVectorEnv", "Replay")}
            assert more == {"DQNAgent": 5, "FuelbreakVectorEnv": 2, "Replay": 1}
        if row["kind"] == "memory" and row["phase"] != "baseline":
            assert row["live"]["FuelbreakVectorEnv"] - run.before.get("FuelbreakVectorEnv", 0) == 2


def test_memory_is_read_after_evaluate_train_and_evolve(run: Watched) -> None:
    phases = [row["phase"] for row in run.rows if row["kind"] == "memory"]
    assert phases == ["baseline", *["evaluate", "train", "evolve", "cleanup"] * 5, "end"]
    owned = [row["owned_bytes"] for row in run.rows
             if row["kind"] == "memory" and row["phase"] == "cleanup"]
    replay = {k: v for k, v in owned[0].items() if k.startswith("evolution.replay.")}
    assert replay
    assert all({k: row.get(k) for k in replay} == replay for row in owned)


def test_evaluation_changes_neither_replay_nor_weights(run: Watched) -> None:
    evolution = run.evolution

    def hashes() -> tuple[str, list[bytes]]:
        return (weights_sha256([*evolution.members, evolution.best]),
                [tensor.numpy().tobytes() for tensor in evolution.replay.state().values()])
    before, fitness = hashes(), [member.fitness for member in evolution.members[:2]]
    evolution._evaluate()
    assert hashes() == before
    assert [member.fitness for member in evolution.members[:2]] == fitness


def test_the_policy_file_is_the_best_member(run: Watched) -> None:
    policy = load_policy(run.evolution.run_folder)
    best = run.evolution.best.agent.online_net.state_dict()
    assert all(torch.equal(tensor, best[name])
               for name, tensor in policy.network.state_dict().items())
    assert policy.provenance["validation_reduction"] == run.evolution.best.fitness


@pytest.mark.slow
def test_a_resumed_run_makes_the_same_generations_bit_for_bit(
        run: Watched, tmp_path: Path) -> None:
    """From every generation, against a run that did not stop."""
    rows: list[Row] = []
    for generations in range(1, 6):
        config = small(f"evolution.generations={generations}")
        evolution = Evolution(config, executor_for(config), (10, 10), tmp_path)
        if rows:
            evolution.resume()
        rows += list(evolution.run())
    assert without_clocks(rows) == without_clocks(run.rows)
    assert rows[-1]["population_sha256"] == run.rows[-1]["population_sha256"]
    assert any(row.get("loss") for row in rows)


@pytest.mark.slow
def test_workers_in_processes_give_the_same_bits_even_if_one_is_killed(
        run: Watched, tmp_path: Path) -> None:
    config = small("evolution.generations=2")
    with closing(executor_for(config, "processes", 2)) as executor:
        evolution = Evolution(config, executor, (10, 10), tmp_path)
        rows = []
        for row in evolution.run():
            rows.append(row)
            if row["kind"] == "generation" and row["generation"] == 0:
                os.kill(executor.backend.process_ids()[1], signal.SIGKILL)  # type: ignore[attr-defined]
        assert executor.restarts == 1
    assert without_clocks(rows) == without_clocks(run.rows)[:2]


def test_a_population_of_another_size_is_not_resumed(run: Watched) -> None:
    config = small("evolution.population=5")
    other = Evolution(config, executor_for(config), (10, 10), run.evolution.run_folder)
    with pytest.raises(InputError, match="a population of 4, as the run was started with, got 5"):
        other.resume()


def test_a_run_whose_observations_had_other_channels_is_told_so(
        run: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    replay = run.evolution.replay
    static = replay.static
    with_one_more = replay.state() | {"static": torch.cat([static, static[:, :1]], dim=1)}
    monkeypatch.setattr(type(replay), "state", lambda self: with_one_more)
    with pytest.raises(InputError, match=rf"have {static.shape[1] + 1} fixed channels, as in this "
                       rf"version, got {static.shape[1]}; begin a new run"):
        run.evolution.resume()


@pytest.mark.parametrize(("change", "text"), [
    ("evolution.population=1", "evolution.population=1: .* whole number of at least 2 .*, got 1"),
    ("evolution.elites=4", "fewer evolution.elites than the evolution.population of 4"),
    ("evolution.tournament=0", "evolution.tournament=0: expected a whole number of at least 1")])
def test_a_population_that_cannot_evolve_is_one_sentence(change: str, text: str) -> None:
    with pytest.raises(InputError, match=text):
        small(change)


def test_it_is_said_that_gains_are_not_learned_from(tmp_path: Path) -> None:
    config = small("agent.gain_share=0.25")
    with pytest.warns(UserWarning, match="gain_share is not used: members learn from transitions"):
        Evolution(config, executor_for(config), (10, 10), tmp_path)


def test_several_map_sizes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="one map size, got 2"):
        make_player(small("mixture.sizes=[10, 12]"))


def test_whole_episodes_are_stored_as_their_transitions_one_by_one() -> None:
    """Through the ring's end several times over."""
    player = make_player(small())
    weights = weights_of(player.network)
    settings = Evolution(small(), executor_for(small()), (10, 10), Path()).settings
    played = player.play(weights, settings, 0, 16, 0, 1)
    whole, single = (Replay(OBSERVATION, (10, 10), 1, 17, 2) for _ in range(2))
    for episode in played.episodes:
        whole.append_episode(episode)
        observed = _observations(episode)
        for step in range(len(episode.action)):
            single.append(observed[step:step + 1], torch.tensor([int(episode.action[step])]),
                          torch.tensor([float(episode.reward[step])]),
                          torch.tensor([step == len(episode.action) - 1]))
        a, b = whole.state(), single.state()
        assert all(torch.equal(a[name], b[name]) for name in a)
    assert sum(len(episode.action) for episode in played.episodes) > 2 * 17


def _observations(episode: Any) -> torch.Tensor:
    layout = OBSERVATION
    steps, height, width = len(episode.action), *episode.static.shape[1:]
    flags = np.unpackbits(episode.flags, axis=-1, bitorder="little", count=height * width)
    layers = np.zeros((steps, layout.channels, height, width), np.uint8)
    layers[:, :len(layout.dynamic)] = episode.dynamic
    for place, name in enumerate(layout.flags):
        layers[:, layout.channel(name)] = flags[:, place].reshape(steps, height, width) * 255
    for place, name in enumerate(layout.static):
        layers[:, layout.channel(name)] = episode.static[place]
    for place, name in enumerate(layout.scalars):
        layers[:, layout.channel(name)] = episode.scalars[:, place, None, None]
    return torch.from_numpy(layers)


def test_a_played_episode_is_the_same_whatever_plays_beside_it() -> None:
    """Greedy play of episodes 0 to 4, in one call and one by one."""
    config = small("agent.epsilon=0.0", "agent.epsilon_end=0.0")
    with closing(executor_for(config, "in-process", 2)) as executor:
        player = make_player(config)
        weights = weights_of(player.network)
        settings = Evolution(config, executor, (10, 10), Path()).settings
        together = player.play(weights, settings, 0, 5, 0, 3)
        alone = call_all(executor, Player.play.__name__, [
            (weights, settings, episode, 1, 0, 3) for episode in range(5)])
    assert together.returns == [played.returns[0] for played in alone]
    for one, other in zip(together.episodes, alone, strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(one, other.episodes[0], strict=True))
