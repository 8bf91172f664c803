"""Which of several plans is kept."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firebreak.planning.evaluation.choice import choose

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
