"""Draws by a proposal: weights make up for what is drawn more often than it happens."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firebreak.fire.fires import HEAVIEST, WHOLE, FireRegime, Fires, draw_fires
from firebreak.fire.proposal import TRUE_SHARE, Proposal, along, blocks_of, in_blocks

COUNT = 12_000
WEATHER = np.array([0.5, 0.0, 0.3, 0.2])


def drawn(seed: int, *, even: bool = False, count: int = COUNT) -> tuple[Fires, Proposal]:
    """Fires by a random proposal on a random map of 9 x 13 cells, and the proposal."""
    rng = np.random.default_rng(seed)
    burnable = rng.random((9, 13)) < 0.8
    burnable[4, 6] = True
    ignition = (rng.random((9, 13)) * (rng.random((9, 13)) < 0.9)).astype(np.float32)
    ignition[4, 6] = 1.0
    blocks = blocks_of(burnable, ignition)._replace(side=4)
    mass = in_blocks(blocks.chance, 4)
    blocks = blocks._replace(mass=mass / mass.sum())
    group, often = np.array([0, 1, 1, 0]), np.array([0.7, 0.3])
    tilt = np.ones((2, mass.size)) if even else rng.exponential(size=(2, mass.size)) ** 3
    made = Proposal(blocks, group, tilt / (often @ tilt @ blocks.mass.ravel()))
    fires = draw_fires(FireRegime(), burnable, WEATHER, count, 60.0, seed=seed, fire_set="test",
                       landscape="x", ignition_weight=ignition)
    draws = np.random.default_rng(seed + 1).random((4, COUNT))[:, :count]
    return made.applied(fires, WEATHER, draws), made


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 2**32 - 2))
def test_each_cell_and_weather_counts_as_often_as_in_truth(seed: int) -> None:
    fires, proposal = drawn(seed)
    chance = proposal.blocks.chance.ravel()
    for scenario, share in enumerate(WEATHER.tolist()):
        own = fires.scenario == scenario
        true = share * chance / chance.sum()
        found = np.bincount(fires.source[own], fires.times[own], chance.size) / COUNT
        squares = np.bincount(fires.source[own], fires.times[own] ** 2, chance.size) / COUNT
        error = np.sqrt(np.maximum(squares, true * TRUE_SHARE) / COUNT)
        assert (found[true == 0.0] == 0.0).all()
        assert (abs(found - true) <= 5.5 * error + 5.5 * HEAVIEST / COUNT).all()
    assert fires.times.mean() == pytest.approx(1.0, abs=6.0 * fires.times.std() / COUNT**0.5)
    assert fires.parts.min() >= 1
    assert fires.parts.max() <= HEAVIEST * WHOLE


def test_weights_have_no_rounding_in_the_mean() -> None:
    fires, proposal = drawn(3)
    tilt = proposal.tilt[proposal.group[fires.scenario], proposal.blocks.of(fires.source)]
    exact = WHOLE / (TRUE_SHARE + (1.0 - TRUE_SHARE) * tilt)
    off = fires.parts - exact
    assert (abs(off) < 1.0).all()
    assert abs(off.mean()) < 5.0 * off.std() / COUNT**0.5


def test_a_proposal_that_is_the_truth_changes_no_weight() -> None:
    assert (drawn(5, even=True)[0].parts == WHOLE).all()


def test_the_first_fires_of_a_long_set_are_those_of_a_short_one() -> None:
    for long, short in zip(drawn(7)[0].first(50), drawn(7, count=50)[0], strict=True):
        np.testing.assert_array_equal(long, short)


def test_more_fires_are_drawn_where_the_proposal_says() -> None:
    fires, proposal = drawn(11)
    block, mass = proposal.blocks.of(fires.source), proposal.blocks.mass.ravel()
    often = np.array([0.7, 0.3]) @ proposal.tilt * mass
    share = np.bincount(block, minlength=mass.size) / COUNT
    np.testing.assert_allclose(share, TRUE_SHARE * mass + (1.0 - TRUE_SHARE) * often, atol=0.02)


def test_places_along_weights_pass_over_those_of_zero() -> None:
    found = along(np.array([0.0, 1.0, 0.0, 3.0, 0.0]), np.array([0.0, 0.2, 0.25, 1.0 - 1e-16]))
    assert found.tolist() == [1, 1, 3, 3]
