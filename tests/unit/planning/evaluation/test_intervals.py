"""Intervals: how often they hold what they should, what groups are, numbers by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, stdtrit

from firebreak.fire import FireConditions, burn_plans, make_scene
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.evaluation.intervals import (
    FEWEST_WEATHERS,
    FireGroups,
    bootstrap_means,
    bounds_over_maps,
    fire_groups,
    percentile_interval,
    ratio_bounds,
    single_fires,
    student_interval,
)
from firebreak.planning.evaluation.losses import (
    relative_drop,
    worst_tenth_mean,
    worst_tenth_parts,
)
from firebreak.planning.making import make_plan

CASES = 2_000
QUANTILES = [0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0]
EFFECTS = {"weak": [-0.5, -0.3, -0.12, 0.0, 0.12, 0.3, 0.5],
           "strong": [-2.6, -1.4, -0.65, -0.1, 0.35, 0.7, 0.95],
           "stronger": [-4.6, -3.2, -1.2, -0.05, 0.45, 0.8, 1.05]}
"""Quantiles of the logarithm of what a fire of a weather loses, beside the mean: of 400 weathers
of the climate on the synthetic maps 0 (strong) and 2."""
FALLS = {"weak": (0.1, 0.1), "strong": (0.6, 0.1), "stronger": (0.5, 0.2)}
"""By how much the saving of a weather follows its losses, and varies beside."""
Floats = np.ndarray


def sums_of_cases(effect: str, weathers: int, fires: int, nothing: float,
                  seed: int) -> tuple[Floats, Floats, Floats]:
    """Losses without breaks, and what two plans save of them, [cases, weathers].

    Fires lose log-normally around their weather's mean, a share of them nothing. A fifth meets no
    break. The two plans act on the same fires, the second saves four fifths as much.
    """
    rng, (follows, beside) = np.random.default_rng(seed), FALLS[effect]
    mean = np.interp(rng.random((CASES, weathers)), QUANTILES, EFFECTS[effect])
    part = expit(0.5 + follows * mean + beside * rng.standard_normal(mean.shape))
    weather = rng.integers(weathers, size=(CASES, fires))
    mean, part = (np.take_along_axis(own, weather, 1) for own in (mean, part))
    lost = np.exp(mean) * rng.lognormal(0.0, 0.9, mean.shape) * (rng.random(mean.shape) >= nothing)
    met = lost * (rng.random(mean.shape) < 0.8)
    place = weather + np.arange(CASES)[:, None] * weathers
    return tuple(np.bincount(place.ravel(), own.ravel(), CASES * weathers).reshape(CASES, -1)
                 for own in (lost, *(share * met * rng.random(mean.shape) ** (1.0 / part - 1.0)
                                     for share in (1.0, 0.8))))


def true_saving(effect: str) -> float:
    """What the first plan saves of the loss of countless weathers."""
    rng, (follows, beside) = np.random.default_rng(0), FALLS[effect]
    mean = np.interp(rng.random(1_000_000), QUANTILES, EFFECTS[effect])
    part = expit(0.5 + follows * mean + beside * rng.standard_normal(mean.size))
    return float(0.8 * np.average(part, weights=np.exp(mean)))


def covered(top: Floats, bottom: Floats, true: float) -> float:
    """Share of the cases [cases, groups] whose interval holds the true ratio."""
    held = [low <= true <= high for low, high in (
        ratio_bounds(*rows, rows[1]) for rows in zip(top, bottom, strict=True))]
    return float(np.mean(held))


@pytest.mark.parametrize(("effect", "nothing"), [("weak", 0.3), ("strong", 0.0), ("stronger", 0.0)])
@pytest.mark.parametrize(("weathers", "fires"), [(4, 40), (4, 400), (8, 80), (8, 800), (30, 120),
                                                 (30, 900)])
def test_intervals_over_weathers_cover_19_times_in_20(effect: str, nothing: float, weathers: int,
                                                      fires: int) -> None:
    before, first, second = sums_of_cases(effect, weathers, fires, nothing, seed=5)
    true = true_saving(effect)
    assert 0.93 <= covered(first, before, true) <= 0.97
    assert 0.93 <= covered(first - second, before, 0.2 * true) <= 0.97


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 2])
def test_intervals_cover_where_weathers_and_their_fires_are_drawn_from_burned_ones(
        seed: int) -> None:
    """Of savings as they should; of the worst tenth, which hangs on few weathers, nearly."""
    land, drawn = generate(seed, 40), 300
    scene = make_scene(land, FireConditions(scenarios=drawn), 3)
    plan = make_plan(make_scene(land, FireConditions(scenarios=8), 3), 0.05, 64, "segments", seed=1)
    fires = scene.fires("test", 12_000)
    before, after = burn_plans(scene, fires, [None, plan.break_mask()])
    order = np.argsort(fires.scenario, kind="stable")
    first, end = (np.searchsorted(fires.scenario[order], np.arange(drawn), side)
                  for side in ("left", "right"))
    rng, true = np.random.default_rng(4), 1.0 - after.sum() / before.sum()
    true_worst = 1.0 - worst_tenth_mean(after) / worst_tenth_mean(before)
    for weathers, count in ((4, 60), (4, 600), (8, 100), (8, 1000), (30, 150), (30, 1000)):
        held, worst_held = 0, 0
        for _ in range(CASES):
            weather = rng.integers(drawn, size=weathers)
            group = rng.integers(weathers, size=count)
            own = weather[group]
            which = order[first[own] + (rng.random(count) * (end - first)[own]).astype(int)]
            lost, left = before[which], after[which]
            groups = FireGroups(group, weathers, weathers, np.ones(count))
            _, low, high = groups.saving(lost - left, lost)
            held += low <= true <= high
            (worst, tail), (worst_left, _) = worst_tenth_parts(lost), worst_tenth_parts(left)
            _, low, high = groups.saving(worst - worst_left, worst, tail)
            worst_held += low <= true_worst <= high
        assert 0.93 <= held / CASES <= 0.97
        assert 0.90 <= worst_held / CASES <= 0.99


def test_intervals_over_fires_cover_where_the_weather_is_given() -> None:
    rng = np.random.default_rng(2)
    for fires in (30, 200):
        before = rng.lognormal(0.0, 1.0, (CASES, fires)) * (rng.random((CASES, fires)) >= 0.2)
        saved = before * (rng.random(before.shape) < 0.8) * rng.random(before.shape)
        assert 0.93 <= covered(saved, before, 0.4) <= 0.97


def test_fires_count_by_weather_from_four_weathers_with_losses_on() -> None:
    before = np.array([1.0, 2.0, 0.0, 4.0, 5.0, 6.0, 7.0])
    weather = np.array([5, 9, 7, 2, 5, 3, 3])
    groups = fire_groups(weather, before)
    assert (groups.over, groups.weathers) == ("weathers", 4)
    assert groups.sums(before).tolist() == [4.0, 13.0, 6.0, 0.0, 2.0]
    assert groups.sums(np.stack([before, -before])).tolist()[1] == [-4.0, -13.0, -6.0, 0.0, -2.0]
    assert groups.words == "over the 4 weathers of the test fires"
    # Three weathers with losses, and one without, are too few.
    few = fire_groups(np.array([5, 5, 7, 2, 5, 3, 3]), before)
    assert (few.over, few.weathers, FEWEST_WEATHERS) == ("fires", 0, 4)
    assert few.sums(before) is before
    assert "with the weather taken as given" in few.words


@given(st.integers(2, 40), st.integers(0, 2**32 - 1))
def test_of_even_groups_the_mean_has_the_interval_of_student(count: int, seed: int) -> None:
    values = np.random.default_rng(seed).exponential(size=count)
    low, high = ratio_bounds(values, np.ones(count), np.ones(count))
    assert (float(low), float(high)) == pytest.approx(student_interval(values))


def test_an_interval_by_hand() -> None:
    saved, before = np.array([1.0, 2.0, 0.0, 1.0]), np.array([2.0, 3.0, 1.0, 4.0])
    share = before / 10.0
    residual = saved - 0.4 * before
    error = np.sqrt((residual**2 / (1.0 - share)).sum()) / 10.0
    # Cov of what is left of residuals whose variance is in proportion to the losses.
    left = (np.eye(4) - share[:, None]) @ np.diag(share) @ (np.eye(4) - share[:, None]).T
    even = left / np.sqrt(np.outer(1.0 - share, 1.0 - share))
    half = stdtrit(np.trace(even)**2 / (even**2).sum(), 0.975) * error
    found = single_fires(4).saving(saved, before)
    assert found == pytest.approx((0.4, 0.4 - half, min(0.4 + half, 1.0)))
    assert single_fires(4).saving(saved, before, at_most=None).high == pytest.approx(0.4 + half)
    assert single_fires(4).saving(np.zeros(4), np.zeros(4)) == (0.0, 0.0, 0.0)
    assert single_fires(4).saving(np.zeros(4), before) == (0.0, 0.0, 0.0)
    assert single_fires(4).mean(np.zeros(4)) == (0.0, 0.0, 0.0)
    assert single_fires(4).mean(before)[0] == 2.5
    assert single_fires(4).mean(np.zeros(4)) == (0.0, 0.0, 0.0)


def test_one_weather_with_nearly_all_of_the_loss_leaves_the_interval_wide() -> None:
    low, high = ratio_bounds(np.array([40.0, 0.4, 0.6, 0.5]), np.array([97.0, 1.0, 1.0, 1.0]),
                             np.array([97.0, 1.0, 1.0, 1.0]))
    assert low < 0.41 - 0.05
    assert high > 0.41 + 0.05
    assert np.isfinite([low, high]).all()


@given(st.lists(st.floats(0.0, 1e6), min_size=1, max_size=60))
def test_the_parts_of_the_worst_tenth_have_its_mean(losses: list[float]) -> None:
    parts, worst = worst_tenth_parts(np.array(losses))
    assert parts.mean() == pytest.approx(worst_tenth_mean(np.array(losses)))
    assert np.count_nonzero(worst) <= len(losses)
    assert worst.max() == max(losses)


def test_intervals_over_maps_are_of_student_or_drawn() -> None:
    few = np.array([0.1, 0.3, 0.2])
    assert bounds_over_maps(few, 0) == student_interval(few)
    many = np.random.default_rng(0).normal(0.3, 0.1, 40)
    low, high = bounds_over_maps(many, 0)
    assert (low, high) == pytest.approx(student_interval(many), abs=0.01)
    assert bounds_over_maps(many, 0) == (low, high) != bounds_over_maps(many, 1)


def test_bootstrap_of_known_numbers() -> None:
    rng = np.random.default_rng(0)
    coin = bootstrap_means(np.array([[0.0, 5.0], [1.0, 5.0]]), rng)
    # Two rows: both the first, one of each, both the second, as 1 : 2 : 1.
    values, counts = np.unique(coin[:, 0], return_counts=True)
    assert values.tolist() == [0.0, 0.5, 1.0]
    assert counts / 10_000 == pytest.approx([0.25, 0.5, 0.25], abs=0.02)
    assert (coin[:, 1] == 5.0).all()
    assert percentile_interval(coin[:, 0]) == (0.0, 1.0)
    sample = rng.normal(10.0, 2.0, (400, 1))
    low, high = percentile_interval(bootstrap_means(sample, rng)[:, 0])
    half = 1.96 * sample.std() / 20
    assert (low, high) == pytest.approx((sample.mean() - half, sample.mean() + half), abs=0.02)


def test_columns_are_resampled_together() -> None:
    one = np.random.default_rng(1).normal(size=(30, 1))
    means = bootstrap_means(np.hstack([one, one + 0.25]), np.random.default_rng(2), 700)
    assert means.shape == (700, 2)
    assert means[:, 1] - means[:, 0] == pytest.approx(np.full(700, 0.25))
    assert means[:, 0].std() > 0.1


def test_the_worst_tenth_and_relative_drops() -> None:
    assert worst_tenth_mean(np.arange(20.0)) == 18.5
    assert worst_tenth_mean(np.array([1.0, 4.0, 2.0])) == 4.0
    assert relative_drop(8.0, 6.0) == 0.25
    assert relative_drop(0.0, 0.0) == 0.0
