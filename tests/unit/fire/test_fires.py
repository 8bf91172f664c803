import numpy as np
import pytest

from firebreak.checks import InputError
from firebreak.fire import FireConditions, burn_field, make_scene
from firebreak.fire.fires import FireRegime, draw_fires
from firebreak.landscape.synthetic.generate import generate
from firebreak.weather.streams import WeatherStreams, with_later

WEIGHT = np.array([0.5, 0.3, 0.2])


def draw(count=50, regime=None, burnable=None, weight=WEIGHT, **names):
    named = {"seed": 1, "fire_set": "plan", "landscape": "x"} | names
    ground = np.ones((9, 7), bool) if burnable is None else burnable
    return draw_fires(regime or FireRegime(), ground, weight, count, 60.0, **named)


def test_a_short_set_is_the_beginning_of_a_long_one() -> None:
    for regime in (FireRegime(), FireRegime(edge_share=0.4),
                   FireRegime(hours=8.0, periods=2.5)):
        short, long = draw(20, regime), draw(300, regime)
        for few, many in zip(short, long.first(20), strict=True):
            np.testing.assert_array_equal(few, many)


@pytest.mark.parametrize("other", [{"fire_set": "reward"}, {"landscape": "y"}, {"seed": 2}])
def test_other_names_draw_other_fires(other) -> None:
    for ours, theirs in zip(draw()[:4], draw(**other)[:4], strict=True):
        assert (ours != theirs).mean() > 0.3


def test_a_set_is_the_same_at_every_draw() -> None:
    for first, again in zip(draw(), draw(), strict=True):
        np.testing.assert_array_equal(first, again)


def test_fires_start_in_burnable_cells_and_in_each_of_them() -> None:
    burnable = np.random.default_rng(0).random((9, 7)) < 0.5
    source = draw(2000, burnable=burnable).source
    assert set(source.tolist()) == set(np.flatnonzero(burnable).tolist())


def test_scenarios_are_drawn_by_their_weights() -> None:
    share = np.bincount(draw(4000).scenario, minlength=3) / 4000
    np.testing.assert_allclose(share, WEIGHT, atol=0.03)
    assert (draw(100, weight=np.array([0.0, 1.0, 0.0])).scenario == 1).all()


def test_durations_are_lognormal_around_the_median() -> None:
    duration = draw(4000, FireRegime(duration_sigma=0.4)).duration_min
    assert np.median(duration) == pytest.approx(60.0, rel=0.03)
    assert np.log(duration).std() == pytest.approx(0.4, rel=0.05)
    assert (draw(10, FireRegime(duration_sigma=0.0)).duration_min == 60.0).all()


HOURS = FireRegime(hours=8.0, periods=1.2)


def test_burning_periods_are_lognormal_between_3_and_16_hours() -> None:
    """Of a lognormal around 8 hours, sigma 0.4, draws outside are drawn again."""
    hours = draw(20_000, FireRegime(hours=8.0)).duration_min / 60.0
    drawn = 8.0 * np.exp(0.4 * np.random.default_rng(3).standard_normal(200_000))
    drawn = drawn[(drawn >= 3.0) & (drawn <= 16.0)]
    np.testing.assert_allclose(*(np.quantile(one, np.linspace(0.01, 0.99, 25))
                                 for one in (hours, drawn)), rtol=0.03)
    assert 3.0 <= hours.min() < 3.5
    assert 15.5 < hours.max() <= 16.0


def test_one_fire_in_five_has_a_second_period_of_a_length_of_its_own() -> None:
    fires = draw(20_000, HOURS)
    begins = fires.begins_min[:, 0]
    twice = np.isfinite(begins)
    assert twice.mean() == pytest.approx(0.2, abs=0.01)
    first, second = begins[twice], (fires.duration_min - begins)[twice]
    for lengths in (first, second, fires.duration_min[~twice]):
        assert np.median(lengths) == pytest.approx(60.0 * 7.86, rel=0.02)
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.05
    np.testing.assert_array_equal(fires.pauses_min[twice, 0], 1440.0 - first)
    # How many periods there are changes nothing of the first one.
    lasts = draw(20_000, FireRegime(hours=8.0)).duration_min
    np.testing.assert_array_equal(np.where(twice, begins, fires.duration_min), lasts)


@pytest.mark.parametrize(("periods", "counts"), [
    (1.0, {1}), (1.2, {1, 2}), (2.0, {2}), (3.5, {3, 4}), (14.0, {14})])
def test_fires_last_as_many_periods_as_asked(periods: float, counts: set[int]) -> None:
    regime = FireRegime(hours=4.0, periods=periods)
    fires = draw(400, regime)
    burning = 1 + np.isfinite(fires.begins_min).sum(axis=1)
    assert {*burning.tolist()} == counts
    assert burning.mean() == pytest.approx(periods, abs=0.08)
    begins = np.where(np.isfinite(fires.begins_min), fires.begins_min, 0.0)
    assert (begins < fires.duration_min[:, None]).all()


def test_later_periods_draw_weather_by_its_weights() -> None:
    """Each stream anew; all together about as often as their weights say."""
    weight = np.array([0.4, 0.3, 0.2, 0.1])
    streams = WeatherStreams(None, 1, np.inf, weight)  # type: ignore[arg-type]
    share, same = np.zeros((4, 4)), 0.0
    for seed in range(4000):
        later = with_later(streams, 2, np.random.default_rng(seed)).later
        for period in range(2):
            total = np.bincount(later[:, period], weight, 4)
            assert (abs(total - weight) <= 2.0 * weight.max()).all()
            share[np.arange(4), later[:, period]] += 1.0 / 8000.0
        same += (later[:, 0] == later[:, 1]).mean() / 4000.0
    np.testing.assert_allclose(share, np.tile(weight, (4, 1)), atol=0.02)
    assert same == pytest.approx((weight**2).sum(), abs=0.02)


def test_edge_share_is_the_share_of_fires_that_enter_from_the_edge() -> None:
    burnable = np.ones((21, 21), bool)
    burnable[0, 3] = False
    inner = np.zeros((21, 21), bool)
    inner[1:-1, 1:-1] = True
    for share in (0.5, 1.0):
        fires = draw(3000, FireRegime(edge_share=share), burnable)
        at_edge = ~inner.ravel()[fires.source]
        # Fires that start anywhere start at the edge now and then.
        chance = 79 / 440
        assert at_edge.mean() == pytest.approx(share + (1 - share) * chance, abs=0.03)
        assert burnable.ravel()[fires.source].all()


def test_the_calibrated_share_holds_for_other_fires() -> None:
    for share in (0.05, 0.15, 0.4):
        regime = FireRegime(burned_share=share, duration_sigma=0.3)
        burned = []
        for seed in (1, 2, 3, 4):
            scene = make_scene(generate(seed, 24), FireConditions(regime=regime), seed)
            ones = np.ones(scene.landscape.shape, np.float32)
            loss = burn_field(scene.field, scene.fires("test", 100), ones).loss
            burned.append(loss.mean() / scene.landscape.burnable.sum())
        assert np.mean(burned) == pytest.approx(share, rel=0.33)


def test_no_fires_and_no_fuel_are_refused() -> None:
    with pytest.raises(InputError, match="at least 1 fire"):
        draw(0)
    with pytest.raises(InputError, match="burnable cells"):
        draw(burnable=np.zeros((3, 3), bool))
