"""Which of several plans is kept."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firebreak.planning.core.plan import Plan
from firebreak.planning.evaluation.auto import Choice
from firebreak.planning.evaluation.choice import choose
from firebreak.planning.evaluation.knee import WHOLE_COST
from firebreak.planning.evaluation.tables import left_out_words

ORDER = ("strips", "downstream-value", "dqn", "segments")


def saved_with(means: dict[str, float], spread: float, seed: int = 0) -> dict[str, np.ndarray]:
    """What 400 fires lose less: a common part, and one of each plan's own with its mean exact."""
    rng = np.random.default_rng(seed)
    common = rng.exponential(5.0, 400)
    found = {}
    for name, mean in means.items():
        own = rng.normal(0.0, spread, 400)
        found[name] = common + own - own.mean() + mean
    return found


def test_the_best_is_kept_where_it_is_told_apart_from_all_before_it() -> None:
    verdict = choose(saved_with({"strips": 0.0, "dqn": 1.0, "segments": 2.0}, 0.5), ORDER)
    assert (verdict.chosen, verdict.best) == ("segments", "segments")
    assert verdict.behind["dqn"].mean == pytest.approx(1.0)
    assert verdict.behind["segments"] == (0.0, 0.0, 0.0)


def test_the_first_of_those_not_told_apart_from_the_best_is_kept() -> None:
    saved = saved_with({"strips": 0.0, "downstream-value": 1.99, "dqn": 1.98, "segments": 2.0}, 0.5)
    verdict = choose(saved, ORDER)
    assert (verdict.chosen, verdict.best) == ("downstream-value", "segments")
    assert verdict.behind["downstream-value"].low < 0.0 < verdict.behind["downstream-value"].high
    assert verdict.behind["strips"].low > 0.0


def test_the_interval_is_that_of_paired_differences() -> None:
    # Unpaired, the common part of 5 would hide a difference of 0.2.
    saved = saved_with({"strips": 1.8, "dqn": 2.0}, 0.1)
    verdict = choose(saved, ORDER)
    less = saved["dqn"] - saved["strips"]
    half = 1.966 * less.std(ddof=1) / 20.0  # Student's t with 399 degrees of freedom
    assert verdict.chosen == "dqn"
    assert verdict.behind["strips"][1:] == pytest.approx((0.2 - half, 0.2 + half), rel=1e-3)


def test_the_first_of_equals_is_kept() -> None:
    same = np.arange(10.0)
    verdict = choose({"segments": same, "dqn": same, "strips": same - 1.0}, ORDER)
    assert (verdict.chosen, verdict.best) == ("dqn", "dqn")


@given(st.permutations(ORDER), st.integers(0, 2**32 - 1), st.sampled_from([0.01, 0.3, 3.0]))
@settings(max_examples=60, deadline=None)
def test_the_order_of_the_plans_does_not_count_but_the_fixed_one(
        names: list[str], seed: int, spread: float) -> None:
    rng = np.random.default_rng(seed)
    saved = saved_with({name: float(rng.choice([0.0, 0.1, 1.0])) for name in ORDER}, spread, seed)
    expected = choose(saved, ORDER)
    found = choose({name: saved[name] for name in names}, ORDER)
    assert found == expected
    first = ORDER.index(expected.chosen)
    assert all(expected.behind[name].low > 0.0 for name in ORDER[:first])
    assert expected.behind[expected.chosen].low <= 0.0
    assert saved[expected.best].mean() == max(own.mean() for own in saved.values())


def test_only_what_is_left_out_is_said() -> None:
    nothing = Choice(8, "segments", "segments", {}, {}, 0.0, 0, 0.0)
    plan = Plan(method="segments", cells=np.arange(2), shape=(2, 2), cost=2.0, cost_unit="cells",
                budget=9.0, budget_share=1.0, landscape="land", landscape_checksum="", plan_fires=8,
                seed=0, seconds=0.0, simulations=1.0)
    assert left_out_words(nothing, plan) is None
    words = left_out_words(nothing._replace(least_m=60.0, useless=1, unspent=7.0), plan)
    assert words == ("pieces shorter than 60 m are not proposed unless they close a gap against a "
                     "barrier; 1 segment that saves nothing on the choice fires is left out; 7 of "
                     "the budget of 9 cells is not spent")
    at_knee = replace(plan, notes={WHOLE_COST: 2.0})
    assert left_out_words(nothing._replace(useless=2, unspent=7.0), at_knee) == (
        "2 corridors that save nothing on the choice fires are left out")
