"""The race of candidates: who falls out, and that the best never do."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firebreak.planning.evaluation.choice import (
    FEWEST_FIRES,
    PARTS,
    SIGMAS,
    choose,
    ends_of,
    is_behind,
    race,
)

FIRES = 1600


def losses(means: dict[str, float], spread: float, seed: int = 0) -> dict[str, np.ndarray]:
    """What fires lose less under plans, most of it by chance that all plans share."""
    rng = np.random.default_rng(seed)
    common = rng.exponential(1.0, FIRES)
    return {name: common + mean + rng.normal(0.0, spread, FIRES) for name, mean in means.items()}


def raced(full: dict[str, np.ndarray], places: int = 2) -> tuple[dict[str, np.ndarray], list]:
    """The result of a race, and which parts of which plan were burned."""
    asked = []

    def savings(name: str, part: slice) -> np.ndarray:
        asked.append((name, part.start, part.stop))
        return full[name][part]

    return race(list(full), savings, FIRES, places), asked


def test_who_is_far_behind_burns_the_first_part_alone_and_who_is_near_burns_all() -> None:
    full = losses({"far": 0.0, "best": 1.0, "near": 0.99, "third": 0.98}, 0.3)
    saved, asked = raced(full)
    assert {name: own.size for name, own in saved.items()} == {
        "far": FIRES // 8, "best": FIRES, "near": FIRES, "third": FIRES}
    for name, own in saved.items():
        assert own.tolist() == full[name][:own.size].tolist()
    assert [one for one in asked if one[0] == "far"] == [("far", 0, FIRES // 8)]
    # No fire burns twice under a plan.
    assert [one[1:] for one in asked if one[0] == "best"] == [
        (0, 200), (200, 400), (400, 800), (800, 1600)]


def test_a_plan_falls_out_when_it_is_told_apart_and_no_sooner() -> None:
    full = losses({"best": 1.0, "second": 1.0, "slow": 0.92}, 0.3, 3)
    saved, _ = raced(full)
    end = saved["slow"].size
    assert end in ends_of(FIRES)[1:-1]
    last = min(("best", "second"), key=lambda name: full[name][:end].mean())
    assert is_behind(full[last][:end] - full["slow"][:end], SIGMAS)
    before = ends_of(FIRES)[ends_of(FIRES).index(end) - 1]
    last = min(("best", "second"), key=lambda name: full[name][:before].mean())
    assert not is_behind(full[last][:before] - full["slow"][:before], SIGMAS)


@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.sampled_from([0.0, 0.1, 1.0, 10.0]))
@settings(max_examples=60, deadline=None)
def test_as_many_as_have_places_burn_all_fires(seed: int, places: int, spread: float) -> None:
    rng = np.random.default_rng(seed)
    full = losses({name: float(rng.normal()) for name in "abcdef"}, spread, seed)
    saved, _ = raced(full, places)
    whole = [name for name, own in saved.items() if own.size == FIRES]
    assert len(whole) >= places
    if spread == 0.0:  # all is known from the first part on
        assert whole == [name for name in full if name in sorted(
            full, key=lambda name: -full[name].mean())[:places]]


def test_equal_plans_all_run_on() -> None:
    one = np.arange(float(FIRES))
    saved, _ = raced({"a": one, "b": one, "c": one})
    assert {own.size for own in saved.values()} == {FIRES}


@pytest.mark.parametrize(("fires", "ends"), [
    (4096, [512, 1024, 2048, 4096]), (400, [100, 200, 400]), (120, [100, 120]), (60, [60]),
    (2, [2])])
def test_parts_of_few_fires_are_fewer(fires: int, ends: list[int]) -> None:
    assert ends_of(fires) == ends
    assert FEWEST_FIRES == 100
    assert PARTS[-1] == 1.0


def test_one_that_fell_out_is_not_chosen_and_is_compared_on_the_fires_that_it_burned() -> None:
    full = losses({"first": 0.9, "best": 1.0}, 0.1)
    cut = {"first": full["first"][:200], "best": full["best"]}
    verdict = choose(cut, ("first", "best"))
    assert (verdict.chosen, verdict.best) == ("best", "best")
    assert verdict.behind["first"].mean == pytest.approx(
        (full["best"][:200] - full["first"][:200]).mean())
    # By chance it may have saved more on its part: still it is out.
    lucky = choose({"first": full["first"][:200] + 1.0, "best": full["best"]}, ("first", "best"))
    assert (lucky.chosen, lucky.best) == ("best", "best")
