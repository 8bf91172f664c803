"""What treated cells become."""

from dataclasses import replace

import numpy as np
import pytest

from firebreak.checks import InputError
from firebreak.fire.behavior.surface import point_behavior, surface_spread
from firebreak.landscape.fbp_codes import FBP_CODES
from firebreak.landscape.fuel_systems import FBP, ROTHERMEL
from firebreak.landscape.fuels import FUEL_MODELS
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.treatments import (
    Treatment,
    break_width_m,
    fuel_after,
    treated_landscape,
)
from firebreak.weather.scenarios import make_scenarios

SHADED = Treatment(kind="shaded")
DRY = {"dead_moisture_1h": 0.04, "dead_moisture_10h": 0.05, "dead_moisture_100h": 0.06,
       "live_moisture_herb": 0.5, "live_moisture_woody": 0.8}


def land(codes, system="rothermel", **layers):
    codes = np.atleast_2d(np.asarray(codes, np.int16))
    grids = {name: 0.0 for name in (
        "elevation_m", "slope_tan", "aspect_deg", "canopy_cover", "canopy_height_m",
        "canopy_base_height_m", "canopy_bulk_density_kg_m3")}
    grids |= {"value": 1.0, "cost": 1.0, "treatable": True} | layers
    return Landscape(name="x", fuel_model=codes, cell_size_m=30.0, fuel_system=system,
                     transform=(30.0, 0, 0, 0, -30.0, 0),
                     **{name: np.broadcast_to(grid, codes.shape) for name, grid in grids.items()})


def test_a_hard_break_does_not_burn():
    for system, codes, bare in (("rothermel", [102, 5, 99], 99), ("fbp", [2, 31, 102], 101)):
        after = treated_landscape(land(codes, system), Treatment())
        assert not after.burnable.any()
        np.testing.assert_array_equal(after.fuel_model[0, :2], bare)
        assert after.fuel_model[0, 2] == codes[2]


@pytest.mark.parametrize("treatment", [Treatment(), SHADED])
def test_only_treatable_cells_change(treatment):
    where = np.array([[True, False, True]])
    before = land([164, 164, 98], treatable=where, canopy_cover=0.8, canopy_height_m=20.0,
                  canopy_base_height_m=1.0, canopy_bulk_density_kg_m3=0.3)
    after = treated_landscape(before, treatment)
    for name in ("fuel_model", "canopy_cover", "canopy_base_height_m",
                 "canopy_bulk_density_kg_m3"):
        np.testing.assert_array_equal(getattr(after, name)[0, 1:], getattr(before, name)[0, 1:])
    assert after.fuel_model[0, 0] != before.fuel_model[0, 0]


@pytest.mark.parametrize("treatment", [Treatment(), SHADED])
def test_the_landscape_itself_and_what_people_value_stay(treatment):
    before = land([[164, 102]], value=3.0, cost=2.0)
    checksum = before.checksum()
    after = treated_landscape(before, treatment)
    assert before.checksum() == checksum
    for name in ("value", "cost", "elevation_m", "canopy_height_m", "ignition_weight"):
        np.testing.assert_array_equal(getattr(after, name), getattr(before, name))


def test_crowns_are_thinned_and_raised_and_never_the_other_way():
    before = land([165] * 3, canopy_cover=[[0.8, 0.3, 0.0]], canopy_height_m=[[20.0, 4.0, 0.0]],
                  canopy_base_height_m=[[1.0, 3.5, 0.0]],
                  canopy_bulk_density_kg_m3=[[0.25, 0.05, 0.0]])
    after = treated_landscape(before, SHADED)
    np.testing.assert_allclose(after.canopy_cover, [[0.4, 0.3, 0.0]])
    np.testing.assert_allclose(after.canopy_base_height_m, [[3.0, 3.5, 0.0]])
    np.testing.assert_allclose(after.canopy_bulk_density_kg_m3, [[0.1, 0.05, 0.0]])


def test_a_small_tree_is_pruned_to_half_its_height_at_most():
    before = land([165], canopy_cover=0.5, canopy_height_m=4.0, canopy_base_height_m=0.5)
    assert treated_landscape(before, SHADED).canopy_base_height_m == 2.0


@pytest.mark.parametrize(("before", "after"), [
    ("FM1 FM3 GR1 GR9", "GR1"), ("GS1 GS4", "GS1"), ("FM4 FM7 SH1 SH9", "SH1"),
    ("FM8 FM13 TU1 TU5 TL1 TL9 SB1 SB4", "TL1")])
def test_a_shaded_break_has_the_least_load_of_its_kind(before, after):
    code = {ROTHERMEL.label(code): code for code in FUEL_MODELS}
    codes = [code[name] for name in before.split()]
    made = fuel_after(land(codes), SHADED)
    assert {ROTHERMEL.label(c) for c in made.ravel().tolist()} == {after}


def test_every_fuel_becomes_one_that_burns_and_treating_twice_changes_nothing():
    for system in (ROTHERMEL, FBP):
        once = treated_landscape(land(system.burnable_codes, system.name), SHADED)
        assert once.burnable.all()
        np.testing.assert_array_equal(treated_landscape(once, SHADED).fuel_model, once.fuel_model)


def test_fbp_conifers_become_open_pine_and_the_rest_leafless_aspen():
    codes = FBP.burnable_codes
    made = fuel_after(land(codes, "fbp"), SHADED).ravel()
    for before, after in zip(codes.tolist(), made.tolist(), strict=True):
        was, now = FBP_CODES[before].fuel_type, FBP_CODES[after].fuel_type
        if was in ("C-5", "C-7", "D-1", "D-2"):
            assert after == before
        else:
            assert now == ("C-7" if was[0] in "CM" else "D-1")


def test_a_shaded_break_is_never_fiercer_than_what_it_replaces():
    """Under any canopy-free wind; models 8 and TL1 may tie."""
    codes = ROTHERMEL.burnable_codes
    for wind in (0.0, 100.0, 300.0):
        def flames(fuel, wind=wind):
            return point_behavior(fuel, midflame_wind_m_min=wind, wind_from_deg=0.0,
                                  slope_tan=0.0, aspect_deg=0.0, **DRY).flame_length_m
        assert (flames(fuel_after(land(codes), SHADED).ravel()) <= flames(codes) + 1e-9).all()


def test_a_shaded_break_under_trees_burns_lower_although_wind_comes_in():
    before = land([[165, 188]], canopy_cover=0.8, canopy_height_m=20.0, canopy_base_height_m=1.0)
    weather = make_scenarios(wind_20ft_m_min=400.0, wind_from_deg=270.0, **DRY)
    flames = [surface_spread(one, weather).flame_length_m
              for one in (before, treated_landscape(before, SHADED))]
    assert (flames[1] < 0.5 * flames[0]).all()


def test_the_width_is_the_cells_unless_given():
    assert break_width_m(Treatment(), 30.0) == 30.0
    assert break_width_m(Treatment(width_m=6.0), 30.0) == 6.0
    with pytest.raises(InputError, match="no wider than a cell"):
        break_width_m(Treatment(width_m=60.0), 30.0)


def test_each_factor_is_of_its_own_grid_and_the_bounds_come_after():
    before = land([164], canopy_cover=0.8, canopy_height_m=20.0, canopy_base_height_m=2.0,
                  canopy_bulk_density_kg_m3=0.3)
    loose = Treatment(kind="shaded", most_canopy_cover=1.0, least_canopy_base_height_m=0.0,
                      most_canopy_bulk_density_kg_m3=9.0, canopy_cover=0.5, canopy_base_height=3.0,
                      canopy_bulk_density=0.25)
    for treatment, cover, base, density in (
            (loose, 0.4, 6.0, 0.075),
            (replace(loose, most_canopy_cover=0.3, least_canopy_base_height_m=7.0,
                     most_canopy_bulk_density_kg_m3=0.05), 0.3, 7.0, 0.05)):
        after = treated_landscape(before, treatment)
        assert after.canopy_cover[0, 0] == pytest.approx(cover)
        assert after.canopy_base_height_m[0, 0] == pytest.approx(base)
        assert after.canopy_bulk_density_kg_m3[0, 0] == pytest.approx(density)


def test_the_longest_beginning_of_a_fuels_name_holds():
    treatment = Treatment(kind="shaded", fine_fuel=1.0, fuels=(
        ("S", "SB1"), ("SH", "SB2"), ("SH5", "SB3")))
    own = land([145, 142, 202, 102])  # SH5, SH2, SB2, GR2
    names = [ROTHERMEL.label(int(code)) for code in fuel_after(own, treatment)[0]]
    assert names == ["SB3", "SB2", "SB1", "GR2"]
