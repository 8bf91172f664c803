"""What is inherited: bounds of hyper-parameters, whole channels, noise, tournaments."""

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from firebreak.agent.network import network_of
from firebreak.layout import OBSERVATION
from firebreak.seeding import generator
from firebreak.train.config.load import load_config
from firebreak.train.studies.population import (
    Genome,
    crossed_genomes,
    crossed_weights,
    mutated_genome,
    mutated_weights,
    ranked,
    settings_with,
    tournament,
)

SETTINGS = load_config("quick", ["agent.width=8"]).agent


def weights(seed: int) -> dict[str, torch.Tensor]:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return network_of(SETTINGS, OBSERVATION).state_dict()


def test_the_first_genome_leaves_the_settings_as_they_are() -> None:
    assert settings_with(SETTINGS, Genome()) == SETTINGS


@given(st.integers(0, 2**31), st.integers(1, 60))
def test_settings_stay_in_their_ranges_however_often_they_mutate(seed: int, times: int) -> None:
    rng = generator(seed, "test")
    genome = Genome()
    for _ in range(times):
        genome = mutated_genome(genome, 1.0, rng)
    settings = settings_with(SETTINGS, genome)
    assert 0.0 < settings.learning_rate_end <= 8 * SETTINGS.learning_rate
    assert 0.0 <= settings.epsilon_end <= settings.epsilon <= 1.0
    assert 0.0 <= settings.discount_end <= 0.99
    assert settings.discount == SETTINGS.discount
    assert 1 <= settings.n_step <= 10


def test_a_doubled_horizon_halves_what_is_missing_from_a_discount_of_one() -> None:
    settings = settings_with(SETTINGS, Genome(horizon=2.0))
    assert np.isclose(1.0 - settings.discount_end, (1.0 - SETTINGS.discount_end) / 2.0)


@given(st.integers(0, 2**31))
def test_each_channel_comes_whole_from_one_parent(seed: int) -> None:
    first, second = weights(1), weights(2)
    child = crossed_weights(first, second, generator(seed, "test"))
    for layer in ("stem", "blocks.0", "head"):
        for channel in range(len(child[f"{layer}.weight"])):
            origin = [all(torch.equal(child[f"{layer}.{part}"][channel],
                                      parent[f"{layer}.{part}"][channel])
                          for part in ("weight", "bias")) for parent in (first, second)]
            assert sum(origin) == 1
    crossed = crossed_genomes(Genome(1, 1, 1, 1), Genome(2, 2, 2, 2), generator(seed, "test"))
    assert set(crossed) <= {1, 2}


def test_both_parents_give_about_half() -> None:
    first, second = weights(1), weights(2)
    child = crossed_weights(first, second, generator(3, "test"))
    taken = [torch.equal(child["stem.weight"][k], first["stem.weight"][k]) for k in range(8)]
    many = [torch.equal(crossed_weights(first, second, generator(s, "test"))["stem.weight"][0],
                        first["stem.weight"][0]) for s in range(60)]
    assert 0 < sum(taken) < 8
    assert 15 < sum(many) < 45


def test_mutation_moves_a_share_of_the_weights_by_its_scale() -> None:
    before = {"w": torch.randn(400, 100, generator=torch.Generator().manual_seed(1)) * 3.0}
    after = mutated_weights(before, 0.1, 0.05, generator(1, "test"))
    moved = after["w"] != before["w"]
    assert abs(float(moved.float().mean()) - 0.1) < 0.01
    change = (after["w"] - before["w"])[moved]
    assert abs(float(change.std()) - 0.05 * 3.0) < 0.01
    assert after["w"].data_ptr() != before["w"].data_ptr()


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=9), st.integers(0, 2**31))
def test_a_tournament_of_all_is_won_by_the_fittest(fitness: list[float], seed: int) -> None:
    winner = tournament(fitness, len(fitness), generator(seed, "test"))
    assert winner == ranked(fitness)[0] == int(np.argmax(fitness))
    assert sorted(ranked(fitness)) == list(range(len(fitness)))


def test_fitter_members_win_more_often_but_not_always() -> None:
    rng = generator(5, "test")
    won = np.bincount([tournament([0.1, 0.3, 0.2, 0.0], 2, rng) for _ in range(400)], minlength=4)
    assert won[1] > won[2] > won[0] > won[3] == 0
