"""Flames after treatments, in the weather that they are planned for."""

from dataclasses import replace

import numpy as np

from firebreak.fire import FireConditions, flames_after
from firebreak.fire.behavior_models import fire_behavior
from firebreak.fire.scene import rows_of, streams_for
from firebreak.fire.variants import windy_row
from firebreak.landscape.synthetic.generate import generate
from firebreak.landscape.treatment_table import read_table, treatment_of_rows
from firebreak.landscape.treatments import treated_landscape

LAND = generate(5, 10)
TABLE = read_table()


def test_the_weather_is_the_row_that_a_tenth_of_the_weight_is_windier_than():
    rows = rows_of(streams_for(FireConditions(scenarios=20), 1, "x", None))
    one = windy_row(rows)
    assert one.wind_20ft_m_min.shape == (1,)
    windier = rows.weight[rows.wind_20ft_m_min > one.wind_20ft_m_min[0]].sum()
    assert 0.05 <= windier <= 0.1 + 1e-9
    skewed = rows._replace(weight=np.where(rows.wind_20ft_m_min == rows.wind_20ft_m_min.min(), 1.0,
                                           0.0))
    assert windy_row(skewed).wind_20ft_m_min[0] == rows.wind_20ft_m_min.min()


def test_flames_are_those_of_the_treated_land_whether_it_is_treatable_or_not():
    conditions = FireConditions(scenarios=8)
    kinds = [treatment_of_rows([TABLE[name]], 0, "x") for name in ("shaded-break", "bare-line")]
    nowhere = replace(LAND, treatable=np.zeros(LAND.shape, bool))
    flames = flames_after(nowhere, kinds, conditions, 3)
    assert flames.shape == (2, *LAND.shape)
    assert (flames[1] == 0.0).all()
    weather = windy_row(rows_of(streams_for(conditions, 3, LAND.fire_checksum(), None)))
    everywhere = replace(LAND, treatable=LAND.burnable)
    np.testing.assert_array_equal(
        flames[0], fire_behavior(treated_landscape(everywhere, kinds[0]), weather,
                                 conditions.model).flame_length_m[0])
    before = fire_behavior(LAND, weather, conditions.model).flame_length_m[0]
    assert flames[0].mean() < before.mean()
