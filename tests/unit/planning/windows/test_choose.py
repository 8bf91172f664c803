"""Lazy choice of lines against rating all of them every time, on made-up savings."""

from fractions import Fraction
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firebreak.planning.windows.choose import Ratings, choose_lines
from firebreak.planning.windows.kept import ratings_from, ratings_in
from firebreak.planning.windows.shards.shard_plan import Rating, Wanted


class Cover:
    """Lines save the worth of the fires that they stop; a fire is stopped once. With `pairs`, two
    lines of which each saves nothing of a fire stop it together.
    """

    def __init__(self, seed: int, lines: int, fires: int, shards: int) -> None:
        rng = np.random.default_rng(seed)
        self.stops = rng.random((lines, fires)) < 0.2
        self.worth = rng.integers(1, 9, fires)
        self.shard = rng.integers(shards, size=fires)
        self.costs = rng.integers(1, 5, lines).tolist()
        # Far apart, so that no line lies beside another.
        self.lines = [np.array([1000 * k]) for k in range(lines)]
        self.meets = [sorted(set(self.shard[row].tolist())) for row in self.stops]
        self.calls: list[tuple[int, ...]] = []

    def rate(self, taken: tuple[int, ...],
             wanted: dict[int, list[Wanted]]) -> dict[int, Rating]:
        self.calls.append(taken)
        left = ~self.stops[list(taken)].any(axis=0)
        found = {}
        for shard, lines in wanted.items():
            own = np.flatnonzero(self.shard == shard)
            rows = [[k for k in (range(own.size) if some is None else some.tolist())
                     if self.stops[line, own[k]] and left[own[k]]] for line, some in lines]
            found[shard] = Rating([np.array(row, np.int32) for row in rows],
                                  [self.worth[own[row]].astype(np.int64) for row in rows])
        return found

    def greedy(self, budget: int) -> list[int]:
        left, chosen = np.ones(self.worth.size, bool), []
        while True:
            best = max(((Fraction(int((row & left) @ self.worth), cost), -k)
                        for k, (row, cost) in enumerate(zip(self.stops, self.costs, strict=True))
                        if k not in chosen and cost <= budget), default=(Fraction(0), 0))
            if best[0] <= 0:
                return chosen
            chosen.append(-best[1])
            budget -= self.costs[-best[1]]
            left &= ~self.stops[-best[1]]


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), lines=st.integers(1, 60), fires=st.integers(1, 40),
       shards=st.integers(1, 5), budget=st.integers(1, 60))
def test_where_savings_only_fall_the_choice_is_greedys(
        seed: int, lines: int, fires: int, shards: int, budget: int) -> None:
    cover = Cover(seed, lines, fires, shards)
    ratings = Ratings(cover.lines, 7, cover.meets)
    found = choose_lines(cover.costs, budget, ratings, cover.rate)
    assert found.lines == cover.greedy(budget)
    assert sum(found.saved) == cover.stops[found.lines].any(axis=0) @ cover.worth
    assert found.left == budget - sum(cover.costs[k] for k in found.lines)
    assert ratings.risen == 0


def test_lines_that_cannot_lead_are_not_rated_again() -> None:
    cover = Cover(3, 200, 400, 3)
    ratings = Ratings(cover.lines, 7, cover.meets)
    found = choose_lines(cover.costs, 60, ratings, cover.rate)
    assert ratings.rated < 0.5 * 200 * len(found.lines)


def test_a_line_beside_the_one_taken_is_rated_again_and_may_rise() -> None:
    """Line 1 saves nothing until line 0, beside it, is there; line 2 saves a little."""
    lines = [np.array([0, 1]), np.array([3, 4]), np.array([9999])]
    worth = {(): [5, 0, 2], (0,): [0, 9, 2], (0, 1): [0, 0, 2]}

    def rate(taken: tuple[int, ...], wanted: dict[int, list[Wanted]]) -> dict[int, Rating]:
        return {0: Rating([np.array([one.line], np.int32) for one in wanted[0]],
                          [np.array([worth[taken][one.line]]) for one in wanted[0]])}

    ratings = Ratings(lines, 100, [[0], [0], [0]])
    found = choose_lines([1, 1, 1], 2, ratings, rate)
    assert (found.lines, found.saved, ratings.risen) == ([0, 1], [5, 9], 1)


def test_lines_follow_as_they_were_last_rated_once_trials_have_ended() -> None:
    cover = Cover(3, 200, 400, 3)
    saved = cover.stops @ cover.worth
    ratings = Ratings(cover.lines, 7, cover.meets, 0.0)
    found = choose_lines(cover.costs, 60, ratings, cover.rate)
    assert ratings.rated == sum(cost <= 60 for cost in cover.costs)
    left, order = 60, []
    for line in sorted(range(200), key=lambda k: (-saved[k] / cover.costs[k], k)):
        if cover.costs[line] <= left and saved[line] > 0:
            order.append(line)
            left -= cover.costs[line]
    assert found.lines == order
    assert found.lines != choose_lines(
        cover.costs, 60, Ratings(cover.lines, 7, cover.meets), cover.rate).lines


@pytest.mark.parametrize(("distance", "beside"), [(3, True), (4, False)])
def test_beside_is_within_three_cells(distance: int, beside: bool) -> None:
    lines = [np.array([0, 1]), np.array([1 + distance])]
    assert Ratings(lines, 100, [[], []]).take(0) == ({1} if beside else set())


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), lines=st.integers(1, 40), budget=st.integers(1, 40),
       most=st.sampled_from([0, 60, inf]))
def test_the_choice_does_not_depend_on_which_fires_share_a_shard(
        seed: int, lines: int, budget: int, most: float) -> None:
    """Two lines that both stop a fire: only what they save of that fire is out of date, in
    whichever shard it lies.
    """
    found = []
    for shards in (1, 4, 30):
        cover = Cover(seed, lines, 30, 1)
        cover.lines = [np.array([4 * k]) for k in range(lines)]  # some lie beside others
        cover.shard = np.arange(30) % shards
        cover.meets = [sorted({*cover.shard[row].tolist(), k % shards})
                       for k, row in enumerate(cover.stops)]
        ratings = Ratings(cover.lines, 7, cover.meets, most)
        chosen = choose_lines(cover.costs, budget, ratings, cover.rate)
        found.append((chosen, ratings.rated, ratings.risen))
    assert found[0] == found[1] == found[2]


def test_lines_that_must_be_come_first_and_others_are_left_out() -> None:
    cover = Cover(5, 30, 40, 2)
    ratings = Ratings(cover.lines, 7, cover.meets)
    free = choose_lines(cover.costs, 12, Ratings(cover.lines, 7, cover.meets), cover.rate).lines
    last = next(k for k in range(30) if k not in free)
    cover.calls.clear()
    found = choose_lines(cover.costs, 12, ratings, cover.rate, first=[last], without={free[0]})
    assert found.lines[0] == last
    assert free[0] not in found.lines
    assert sum(cover.costs[k] for k in found.lines) == 12 - found.left
    assert all(last in taken for taken in cover.calls)


@settings(max_examples=30, deadline=None)
@given(counts=st.lists(st.lists(st.integers(0, 3), max_size=4), max_size=4))
def test_ratings_come_back_from_arrays_as_they_went_in(counts: list[list[int]]) -> None:
    ratings = [Rating([np.arange(n, dtype=np.int32) for n in own],
                      [np.arange(n, dtype=np.int64) - 1 for n in own]) for own in counts]
    again = ratings_from(ratings_in(ratings), [len(own) for own in counts])
    assert [[[part.tolist() for part in kind] for kind in one] for one in again] == [
        [[part.tolist() for part in kind] for kind in one] for one in ratings]
