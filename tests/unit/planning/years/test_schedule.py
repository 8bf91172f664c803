"""What is built and maintained in each year."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firebreak.landscape.candidates.corridor import Corridor
from firebreak.planning.evaluation.build_order import Phase, years_of
from firebreak.planning.years.schedule import (
    BUILD_ONCE,
    NOT_BUILT,
    RULES,
    Prices,
    prices_of,
    schedule_of,
)

NO = np.empty(0, np.int64)
COSTS = st.lists(st.integers(1, 30), min_size=1, max_size=6)
MONEY = st.lists(st.integers(0, 40), min_size=1, max_size=8)


def prices(build, upkeep=1.0, fresh=1):
    count = len(build)
    return Prices(np.array(build, float), np.full(count, float(upkeep)),
                  np.full(count, fresh, np.int64))


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(COSTS, MONEY, st.integers(0, 3), st.integers(1, 9), st.sampled_from(RULES))
def test_no_year_spends_what_it_has_not_and_ages_follow_what_is_done(build, money, fresh, upkeep,
                                                                     rule):
    own = schedule_of(rule, prices(build, upkeep, fresh), money)
    spent = np.cumsum(own.built + own.kept + own.again)
    assert (spent <= np.cumsum(money) + 1e-6).all()
    age = np.full(len(build), NOT_BUILT)
    for year, (built, kept, again) in enumerate(own.done):
        age[age >= 0] += 1
        for k in range(len(build)):
            if k in built:
                assert age[k] == NOT_BUILT
                age[k] = 0
            elif k in kept:
                assert rule.upkeep
                assert 0 < age[k] <= fresh + 1
                age[k] = 0
            elif k in again:
                assert rule.again
                assert age[k] > fresh
                age[k] = 0
        np.testing.assert_array_equal(own.age[year], age)
        assert own.built[year] == sum(build[k] for k in built)
        assert own.kept[year] == upkeep * len(kept)
        assert own.again[year] == sum(build[k] for k in again)
    assert own.built.sum() <= rule.share * sum(build) + 1e-6
    # In build order, none before those that come earlier.
    assert sorted(k for built, _, _ in own.done for k in built) == list(
        range(int((own.age[-1] != NOT_BUILT).sum())))


@settings(max_examples=60, deadline=None)
@given(COSTS, MONEY)
def test_building_once_builds_in_the_years_that_phases_do(build, money):
    money = [*money, sum(build)]  # pays for all in the end
    own = schedule_of(BUILD_ONCE, prices(build), money)
    years = years_of([Corridor(NO, NO, 0.0, 0.0, float(cost)) for cost in build],
                     [Phase(year, float(one)) for year, one in enumerate(money)])
    assert [int(np.flatnonzero(own.age[:, k] == 0)[0]) for k in range(len(build))] == years
    assert own.kept.sum() == own.again.sum() == 0.0


def test_upkeep_comes_before_building_and_what_grew_over_is_treated_again():
    keep, again = (next(rule for rule in RULES if rule.name == name)
                   for name in ("build-and-keep-up", "build-and-treat-again"))
    own = schedule_of(keep, prices([10, 10], upkeep=4), [10, 5, 5, 5, 5])
    assert [done[1] for done in own.done] == [[], [0], [0], [0], [0]]
    assert own.age[:, 1].tolist() == [NOT_BUILT] * 5  # 1 is left each year: 4 in all
    own = schedule_of(again, prices([10, 10]), [10, 0, 10, 10, 0])
    assert own.age[:, 0].tolist() == [0, 1, 0, 1, 2]
    assert own.age[:, 1].tolist() == [NOT_BUILT, NOT_BUILT, NOT_BUILT, 0, 1]


@pytest.mark.parametrize("fresh", [0, 1, 3])
def test_what_is_left_for_a_year_too_long_is_not_kept_up_again(fresh: int) -> None:
    keep = next(rule for rule in RULES if rule.name == "build-and-keep-up")
    own = prices([10], upkeep=1, fresh=fresh)
    # The first year in a later state is the last in which upkeep still makes it as new.
    late = schedule_of(keep, own, [10, *[0] * fresh, 1])
    assert late.age[:, 0].tolist() == [*range(fresh + 1), 0]
    too_late = schedule_of(keep, own, [10, *[0] * (fresh + 1), 5])
    assert too_late.age[:, 0].tolist() == list(range(fresh + 3))
    assert too_late.kept.sum() == 0.0


def test_prices_are_those_of_a_segments_cells():
    segment = Corridor(np.array([1, 2]), NO, 60.0, 0.2, 7.0)
    found = prices_of([segment], np.array([1.0, 2.0, 4.0]), np.array([5, 3, 1]))
    assert (found.build[0], found.upkeep[0], found.fresh_years[0]) == (7.0, pytest.approx(6.0), 1)
