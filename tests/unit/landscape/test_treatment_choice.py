"""Which treatment a cell gets, and what it costs there."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firebreak.checks import InputError
from firebreak.landscape.synthetic.generate import generate
from firebreak.landscape.treatment_table import (
    NONE,
    CostRow,
    TreatmentRow,
    per_ha,
    read_table,
    treatment_of_rows,
    with_treatments,
)
from firebreak.landscape.treatments import CHANGED, treated_landscape

TABLE = read_table()
BASE = generate(3, 12)


def sloping(percent):
    grid = np.broadcast_to(np.float32(np.asarray(percent) / 100.0), BASE.shape)
    return replace(BASE, slope_tan=grid, treatable=BASE.burnable)


def costing(name, *pairs):
    row = TABLE["mastication"]
    return TreatmentRow(
        name=name, title=name, states=row.states, upkeep_per_ha_year=1.0, upkeep_source="x",
        currency="USD", costs=tuple(CostRow(to_slope_percent=slope, per_ha=cost, source="x")
                                    for slope, cost in pairs))


def test_a_cell_costs_what_its_slope_class_says_and_steeper_ones_are_not_treatable():
    slopes = np.resize([0.0, 10.0, 10.5, 20.0, 34.9, 35.0, 35.5, 80.0], BASE.shape)
    land = with_treatments(sloping(slopes), [TABLE["mastication"]], "--treatment")
    hectares = land.cell_size_m**2 / 1e4
    wanted = np.select([slopes <= 10.0, slopes <= 20.0, slopes <= 35.0], [828, 1310, 3447], np.nan)
    can = land.burnable & np.isfinite(wanted)
    np.testing.assert_array_equal(land.treatable, can)
    np.testing.assert_allclose(land.cost[can], hectares * wanted[can], rtol=1e-6)
    np.testing.assert_array_equal(land.treatment, np.where(np.isfinite(wanted), 0, NONE))


def test_a_narrow_strip_costs_its_own_hectares():
    whole = with_treatments(sloping(5.0), [TABLE["bare-line"]], "x")
    strip = with_treatments(sloping(5.0), [TABLE["bare-line"]], "x", BASE.cell_size_m / 4.0)
    np.testing.assert_allclose(4.0 * strip.cost, whole.cost, rtol=1e-6)


def prices():
    step = st.tuples(st.floats(1.0, 90.0), st.floats(1.0, 1000.0))
    return st.lists(step, min_size=1, max_size=3, unique_by=lambda pair: pair[0]).map(sorted)


@settings(max_examples=60, deadline=None)
@given(st.lists(prices(), min_size=1, max_size=4), st.integers(0, 2**32 - 1))
def test_each_cell_takes_the_cheapest_of_those_that_can_be_done(kinds, seed):
    rng = np.random.default_rng(seed)
    land = sloping(rng.uniform(0.0, 100.0, BASE.shape))
    rows = [costing(f"t{k}", *pairs) for k, pairs in enumerate(kinds)]
    try:
        made = with_treatments(land, rows, "x")
    except InputError:
        made = None
    some = False
    for cell in np.ndindex(*BASE.shape):
        # A slope may be above a bound by as much as float32 is off, see `per_ha`.
        slope = float(100.0 * land.slope_tan[cell] - 1e-3)
        # Slow and obvious: every treatment of the cell, the first of the cheapest.
        found = [(cost, k) for k, pairs in enumerate(kinds)
                 for cost in [next((price for bound, price in pairs if slope <= bound), None)]
                 if cost is not None]
        some |= bool(found) and bool(land.treatable[cell])
        if made is None:
            continue
        assert made.treatable[cell] == (bool(found) and land.treatable[cell])
        assert made.treatment[cell] == (min(found)[1] if found else NONE)
        if found:
            assert made.cost[cell] == pytest.approx(
                min(found)[0] * land.cell_size_m**2 / 1e4, rel=1e-6)
    assert (made is None) == (not some)


def test_a_treatment_that_no_cell_allows_is_refused():
    with pytest.raises(InputError, match=r"mastication can be done \(slopes up to 35 %\), got "
                                         "none, on slopes from 60 to 60 %"):
        with_treatments(sloping(60.0), [TABLE["mastication"]], "--treatment")


def test_costs_by_cell_beside_a_treatment_are_refused():
    with pytest.raises(InputError, match="both"):
        with_treatments(replace(BASE, cost=2.0 * BASE.cost), [TABLE["grazing"]], "x")


def test_the_land_after_several_treatments_is_that_of_each_where_it_was_chosen():
    land = sloping(np.resize([5.0, 25.0, 50.0], BASE.shape))
    land = replace(land, canopy_cover=0.7 * np.ones(land.shape), canopy_height_m=20.0 * np.ones(
        land.shape), canopy_base_height_m=np.ones(land.shape))
    rows = [costing("flat", (10.0, 1.0)), TABLE["grazing"], TABLE["shaded-break"]]
    chosen = with_treatments(land, rows, "x")
    treatment = treatment_of_rows(rows, 0, "x")
    after = treated_landscape(chosen, treatment)
    assert {*np.unique(chosen.treatment)} == {0, 1}
    for k, one in enumerate(treatment.by_cell):
        alone = treated_landscape(chosen, one)
        for name in CHANGED:
            here = chosen.treatment == k
            np.testing.assert_array_equal(getattr(after, name)[here], getattr(alone, name)[here])
    with pytest.raises(InputError, match="none chosen"):
        treated_landscape(land, treatment)


def test_thinning_changes_crowns_and_fuel_by_its_factors_and_they_grow_back():
    land = replace(BASE, fuel_model=np.full(BASE.shape, 145), canopy_cover=0.6 * np.ones(
        BASE.shape), canopy_height_m=np.full(BASE.shape, 20.0), canopy_base_height_m=np.full(
            BASE.shape, 2.0), canopy_bulk_density_kg_m3=np.full(BASE.shape, 0.2),
                   treatable=np.ones(BASE.shape, bool))
    codes = []
    for age in (0, 1, 2, 5, 6, 10):
        after = treated_landscape(land, treatment_of_rows([TABLE["thinning-pile-burn"]], age, "x"))
        np.testing.assert_allclose(after.canopy_cover, 0.6 * 0.67, rtol=1e-6)
        np.testing.assert_allclose(after.canopy_base_height_m, 3.0, rtol=1e-6)
        np.testing.assert_allclose(after.canopy_bulk_density_kg_m3, 0.2 * 0.67, rtol=1e-6)
        codes.append(int(after.fuel_model[0, 0]))
    assert codes == [141, 141, 142, 142, 145, 145]


def test_a_bare_line_is_a_hard_break_until_it_has_grown_over():
    row = TABLE["bare-line"]
    assert treatment_of_rows([row], 1, "x", 10.0).kind == "hard"
    assert treatment_of_rows([row], 1, "x", 10.0).width_m == 10.0
    assert treatment_of_rows([row], 2, "x").kind == "shaded"
    with pytest.raises(InputError, match="no width"):
        treatment_of_rows([row], 2, "x", 10.0)
    with pytest.raises(InputError, match="bare-line beside others"):
        treatment_of_rows([row, TABLE["grazing"]], 0, "x")


def test_slopes_on_a_bound_belong_to_it_in_single_precision():
    slopes = np.nextafter(np.float32([0.1, 0.2, 0.35]), np.float32(1.0))
    np.testing.assert_array_equal(per_ha(TABLE["mastication"], slopes), [828, 1310, 3447])
