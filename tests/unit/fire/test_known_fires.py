"""Losses where only fires burn again that came near a break, against all fires burned anew."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from break_cases import KINDS, with_periods, with_rules
from firebreak.fire import Fires, KnownFires, burn, engine, known_fires
from firebreak.fire.burn_setup import BurnSetup
from firebreak.fire.engine import burn_codes
from strategies import Case, cases, problem_on, random_case


@settings(max_examples=80, deadline=None)
@given(case=cases(most_side=24, fires=6, scenarios=4, broken=0.03), seed=st.integers(0, 2**32 - 1),
       rules=st.sampled_from(KINDS), steps=st.sampled_from([1, 2]), later=st.sampled_from([0, 2]),
       together=st.sampled_from([1, 10**6]))
def test_losses_have_the_bits_of_burning_all_fires_anew(
        case: Case, seed: int, rules: str, steps: int, later: int, together: int) -> None:
    rng, field = np.random.default_rng(seed), with_rules(case, rules, seed, steps)
    case = case._replace(fires=case.fires._replace(scenario=case.fires.scenario % (4 // steps)))
    case, field = with_periods(case, field, later) if later else (case, field)
    scene = problem_on(case, case.fires, case.fires.first(0), field=field).scene
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "MAX_CODES", together)
        known = KnownFires(scene, case.fires, case.breaks)
    np.testing.assert_array_equal(known.loss, burn(scene, case.fires).loss)
    others = [known]
    for kept in (1.0, 0.3, 0.0):
        breaks = case.breaks & (rng.random(case.breaks.shape) < kept)
        anew = burn(scene, case.fires, breaks).loss
        np.testing.assert_array_equal(known.loss_under(breaks), anew)
        np.testing.assert_array_equal(known.loss_under(breaks, slice(2, 5)), anew[2:5])
        for own in others[:]:  # what is known of fires under some breaks tells of others
            np.testing.assert_array_equal(own.loss_under(breaks), anew)
            for beside in (None, *others):
                others.append(own.under(breaks, beside))
                np.testing.assert_array_equal(others[-1].loss, anew)
        others = others[:1] + others[-2:]


def test_fires_that_came_near_no_break_do_not_burn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    case = random_case(np.random.default_rng(0), 40, 40, fires=12)
    case = case._replace(fires=case.fires._replace(duration_min=np.full(12, 5.0)))
    scene = problem_on(case, case.fires, case.fires.first(0)).scene
    known = KnownFires(scene, case.fires, case.burnable)
    burned: list[int] = []

    def counted(setup: BurnSetup, fires: Fires, take: Callable) -> tuple[np.ndarray, list]:
        burned.append(fires.source.size)
        return burn_codes(setup, fires, take)

    monkeypatch.setattr(known_fires, "burn_codes", counted)
    breaks = np.zeros(case.burnable.shape, bool)
    breaks[:3, :3] = case.burnable[:3, :3]
    known.loss_under(breaks)
    known.loss_under(np.zeros_like(breaks))
    assert len(burned) <= 1
    assert sum(burned) < case.fires.source.size

