"""Precision, recall, area ratio and intersection over union of two masks."""

import numpy as np
import pytest

from firebreak.landscape.value_unit import agreement_of


def test_shares_are_those_of_the_cells() -> None:
    simulated, observed = np.zeros((2, 4, 5), np.bool_)
    simulated[0, :4] = True
    observed[0, 2:] = observed[1, :3] = True
    found = agreement_of(simulated, observed)
    assert found[:3] == (4, 6, 2)
    assert found.precision == 0.5
    assert found.recall == pytest.approx(1 / 3)
    assert found.area_ratio == pytest.approx(2 / 3)
    assert found.iou == 0.25
