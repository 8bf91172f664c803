"""Arguments of the engine are checked before a kernel runs: bad input is one sentence, no crash."""

import numpy as np
import pytest
from benchmarks.rivals.burned_maps import burn_maps
from hypothesis import example, given, settings
from hypothesis import strategies as st

from firebreak.checks import InputError
from firebreak.fire import burn_field
from firebreak.fire.effects.losses import CLASSES
from firebreak.fire.fires import Fires
from firebreak.fire.travel.travel_field import Ellipse, field_from_ellipse
from firebreak.native_library import set_threads
from strategies import ellipse_like, random_case

CASE = random_case(np.random.default_rng(1), 6, 7, scenarios=2, fires=3)
FIELD = CASE.field()
BURNABLE = np.flatnonzero(CASE.burnable)
ENTRIES = {
    "burn": lambda fires, value, breaks: burn_maps(FIELD, fires, value, breaks),
    **{want: lambda fires, value, breaks, want=want: burn_field(
        FIELD, fires, value, breaks, want=want) for want in ("loss", "statistics", "arrival")},
}
KINDS = st.sampled_from([np.float64, np.float32, np.int64, np.int32, np.uint8, np.bool_, object])
SHAPES = st.one_of(
    st.sampled_from([(3,), (6, 7), (1, 6, 7), (6, 6, 7), (1, 3, 3), (3, 3)]),
    st.lists(st.sampled_from([0, 1, 2, 3, 6, 7]), min_size=0, max_size=4).map(tuple))
NUMBERS = st.sampled_from([0, 1, 3, -1, 41, 42, 10**6, -2**62, 2**62, 0.5, np.nan, np.inf, -np.inf,
                           -1.0, 1e308])


@st.composite
def arrays(draw):
    """An array of any kind and shape, full of one odd number."""
    with np.errstate(all="ignore"):
        return np.full(draw(SHAPES), draw(NUMBERS)).astype(draw(KINDS))


@st.composite
def sets_of_fires(draw):
    """Good fires with up to two of their columns replaced by something."""
    good = Fires(BURNABLE[:3], np.array([0, 1, 0]), np.array([5.0, 0.0, np.inf]),
                 np.arange(3, dtype=np.uint64))
    columns = draw(st.dictionaries(st.sampled_from(Fires._fields), arrays(), max_size=2))
    return good._replace(**columns)


def runs_or_refuses(work) -> bool:
    try:
        work()
    except InputError:
        return False
    return True


@pytest.mark.slow
@pytest.mark.parametrize("entry", ENTRIES)
@settings(max_examples=120, deadline=None)
@given(fires=sets_of_fires())
@example(fires=Fires(np.array([0, 3, 4]), np.array([0, 1, 0]), np.array([np.nan] * 3, object),
                     np.arange(3, dtype=np.uint64)))
def test_odd_fires_burn_or_are_refused(entry: str, fires: Fires) -> None:
    if runs_or_refuses(lambda: ENTRIES[entry](fires, CASE.value, None)):
        assert np.isin(fires.source, BURNABLE).all()
        assert (fires.duration_min >= 0).all()
        assert len({np.shape(column)[:1] for column in fires if column is not None}) == 1


@pytest.mark.parametrize("entry", ["burn", "statistics", "loss"])
@settings(max_examples=120, deadline=None)
@given(value=arrays())
def test_odd_values_burn_or_are_refused(entry: str, value) -> None:
    if runs_or_refuses(lambda: ENTRIES[entry](CASE.fires, value, None)):
        assert value.shape[-2:] == FIELD.shape
        assert (value >= 0).all()


@pytest.mark.parametrize("entry", ENTRIES)
@settings(max_examples=60, deadline=None)
@given(breaks=arrays())
def test_odd_breaks_burn_or_are_refused(entry: str, breaks) -> None:
    if runs_or_refuses(lambda: ENTRIES[entry](CASE.fires, CASE.value, breaks)):
        assert breaks.shape == FIELD.shape or (breaks.ndim == 1 and breaks.dtype.kind == "i")


@pytest.mark.slow
@settings(max_examples=120, deadline=None)
@given(st.sampled_from([*Ellipse._fields, "burnable", "cell_size_m", "slope_tan", "aspect_deg"]),
       arrays(), NUMBERS)
@example("slope_tan", np.full((3, 3), 1e308), 0)
def test_odd_rates_and_maps_make_a_field_or_are_refused(name: str, odd, number) -> None:
    ellipse = ellipse_like(np.full((1, 3, 3), 2.0), 2.0, 30.0)
    given_ = {"burnable": np.ones((3, 3), bool), "cell_size_m": 30.0, "slope_tan": None,
              "aspect_deg": None}
    if name in Ellipse._fields:
        ellipse = ellipse._replace(**{name: odd})
    else:
        given_[name] = number if name == "cell_size_m" else odd
    made = []
    if runs_or_refuses(lambda: made.append(field_from_ellipse(ellipse, **given_))):
        assert not np.isnan(made[0].unit_time).any()
        assert (made[0].unit_time >= 0).all()


def test_good_input_of_every_entry_runs() -> None:
    for work in ENTRIES.values():
        work(CASE.fires, CASE.value, CASE.breaks)
    with pytest.raises(InputError, match="intensities"):
        burn_field(FIELD, CASE.fires, np.ones((CLASSES, 6, 7), np.float32))


@pytest.mark.parametrize("count", [0, -1, 1.5, float("nan"), 10**9, None, "two"])
def test_a_thread_count_that_is_none_is_refused(count) -> None:
    with pytest.raises(InputError, match="threads"):
        set_threads(count)
