"""Bare strips and roads on made land: fires cross the less the wider, the more the windier."""

import numpy as np
import pytest
from benchmarks.barriers import WIDTHS_M, WINDS_KM_H, crossed_share, forward_run

from firebreak.fire.effects.spotting import ON_MAPS


@pytest.mark.slow
def test_flames_cross_the_less_the_wider_the_more_the_windier_and_never_beyond_30_m() -> None:
    share = np.array([[crossed_share(width, km_h, None) for width in WIDTHS_M]
                      for km_h in WINDS_KM_H])
    narrow = np.array(WIDTHS_M) <= 30
    assert (np.diff(share[:, narrow], axis=1) < 0.0).all()
    assert (np.diff(share[:, :2], axis=0) > 0.0).all()
    assert (np.diff(share, axis=0) >= 0.0).all()
    assert (share[:, narrow] > 0.0).all()
    assert (share[:, ~narrow] == 0.0).all()


@pytest.mark.slow
def test_embers_cross_what_flames_do_not() -> None:
    share = [crossed_share(60.0, km_h, ON_MAPS) for km_h in WINDS_KM_H]
    assert 0.0 < share[0] < share[1] < share[2] < 0.1


@pytest.mark.slow
def test_a_fire_runs_10_km_over_ten_roads_that_as_walls_stop_it_at_the_first() -> None:
    assert forward_run(crossed=False).high < 1.0
    assert forward_run().median >= 10.0
    assert forward_run(embers=ON_MAPS).median >= 10.0
