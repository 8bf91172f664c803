"""The generator: seeded, burnable, varied, and shaped so that fires differ between patches."""

from dataclasses import replace

import numpy as np
import pytest

from firebreak.checks import InputError
from firebreak.fire.behavior_models import fire_behavior
from firebreak.landscape.synthetic.families import FAMILIES, FBP_FAMILIES, HELD_OUT
from firebreak.landscape.synthetic.generate import ages, cut_blocks, generate, generate_fbp
from firebreak.landscape.synthetic.noise import (
    cheapest_crossing,
    line_across,
    open_gaps,
    power_law_noise,
)
from firebreak.weather.scenarios import make_scenarios

EVERY = FAMILIES | FBP_FAMILIES | HELD_OUT


def test_same_seed_same_landscape_other_seed_another() -> None:
    assert generate(3, 20).checksum() == generate(3, 20).checksum()
    assert len({generate(seed, 20).checksum() for seed in range(20)}) == 20


@pytest.mark.slow
def test_family_is_drawn_from_the_seed_and_is_the_same_as_asked_for() -> None:
    drawn = {name: 0 for name in FAMILIES}
    for seed in range(60):
        checksum = generate(seed, 8).checksum()
        (name,) = [f for f in FAMILIES if generate(seed, 8, family=f).checksum() == checksum]
        drawn[name] += 1
    assert min(drawn.values()) >= 2


@pytest.mark.parametrize("family", EVERY)
@pytest.mark.parametrize("size", [4, 20, (20, 33), 48])
def test_at_least_60_percent_burns(family: str, size: int | tuple[int, int]) -> None:
    for seed in range(12):
        land = generate(seed, size, family=family)
        assert land.burnable.mean() >= 0.6, seed
        assert (land.treatable == land.burnable).all()
        assert (land.value == 1).all()
        assert (land.cost == 1).all()


@pytest.mark.parametrize("size", [8, 12, (14, 30)])
def test_a_town_has_nearly_all_value_and_fires_come_from_outside(
        size: int | tuple[int, int]) -> None:
    for seed in range(12):
        land = generate(seed, size, family="town")
        town = land.value == 1.0
        assert land.value[~town].max() < 0.01
        assert (land.treatable == land.burnable & ~town).all()
        assert 2 <= town.sum() <= 0.2 * town.size, seed
        assert not land.ignition_weight[1:-1, 1:-1].any()
        assert not town[land.ignition_weight > 0.0].any()
        assert land.checksum() == generate(seed, size, family="town").checksum()


def test_60_percent_burns_even_where_a_family_asks_for_less(
        monkeypatch: pytest.MonkeyPatch) -> None:
    dense = replace(FAMILIES["corridors"], name="dense", barrier_share=(0.9, 0.9), rivers=(4, 4),
                    roads=(4, 4), gaps=(0.0, 0.0))
    monkeypatch.setitem(FAMILIES, "dense", dense)
    shares = [generate(seed, 16, family="dense").burnable.mean() for seed in range(12)]
    assert min(shares) >= 0.60
    assert max(shares) < 0.80


def test_shape_cell_size_and_transform() -> None:
    land = generate(1, (20, 30), cell_size_m=30.0)
    assert land.shape == (20, 30)
    assert land.transform == (30.0, 0.0, 0.0, 0.0, -30.0, 600.0)
    assert land.name == "synthetic:1:20x30"
    assert generate(1, 20, family="forest").name == "synthetic:1:20:forest"


def test_slopes_do_not_depend_on_cell_size() -> None:
    coarse, fine = generate(5, 40), generate(5, 40, cell_size_m=30.0)
    np.testing.assert_allclose(coarse.slope_tan, fine.slope_tan, atol=1e-4)


@pytest.mark.parametrize("family", EVERY)
def test_relief_is_as_steep_as_the_family_says(family: str) -> None:
    low, high = EVERY[family].slope
    for seed in range(8):
        slope = generate(seed, 40, family=family).slope_tan
        # Horn's scheme smooths, so a little less than the unsmoothed slope that was asked for.
        assert 0.5 * low < np.sqrt(np.mean(slope**2)) < 1.05 * high


@pytest.mark.parametrize("family", EVERY)
def test_patches_differ_in_speed_but_all_burn(family: str) -> None:
    weather = make_scenarios(
        wind_20ft_m_min=[270.0], wind_from_deg=[270.0], dead_moisture_1h=[0.06],
        dead_moisture_10h=[0.07], dead_moisture_100h=[0.08], live_moisture_herb=[0.6],
        live_moisture_woody=[0.9])
    rates: dict[int, list[float]] = {}
    for seed in range(6):
        land = generate(seed, 40, family=family)
        land = replace(land, canopy_base_height_m=land.canopy_height_m)  # no crown burns
        rate = fire_behavior(land, weather).rate_of_spread_m_min.reshape(land.shape)
        for code in np.unique(land.fuel_model[land.burnable]):
            if land.fuels.label(int(code)) == "D-2":  # moist ground, where fire hardly moves
                continue
            rates.setdefault(int(code), []).append(float(np.median(rate[land.fuel_model == code])))
    typical = [float(np.median(values)) for values in rates.values()]
    assert min(typical) > 0.5
    assert 2.0 < max(typical) / min(typical) < 15.0


def test_patches_are_larger_than_confetti() -> None:
    for family in FAMILIES | FBP_FAMILIES:
        alike = [np.mean(land.fuel_model[:, 1:] == land.fuel_model[:, :-1])
                 for land in (generate(seed, 40, family=family) for seed in range(6))]
        assert 0.5 < np.mean(alike) < 0.95, family


@pytest.mark.parametrize("family", FBP_FAMILIES)
def test_fbp_land_has_fuels_of_its_system_without_canopy(family: str) -> None:
    kinds: set[str] = set()
    for seed in range(10):
        land = generate(seed, 40, family=family)
        assert land.fuel_system == "fbp"
        assert not land.canopy_cover.any()
        kinds |= {land.fuels.label(int(code))[0] for code in np.unique(land.fuel_model)
                  if code in land.fuels.burnable_codes}
    assert kinds == set("CDMSO")


def test_young_forest_grows_in_scars_and_slash_lies_in_blocks() -> None:
    plain = replace(FBP_FAMILIES["boreal"], cut_share=(0.0, 0.0), barrier_share=(0.0, 0.0),
                    rivers=(0, 0), roads=(0, 0), green_up=())
    old = {code for code, _, _ in plain.fuels}
    young = {code for _, fuels in plain.stages for code, _, _ in fuels}
    assert set(np.unique(generate(1, 40, family=replace(plain, scars=(0, 0))).fuel_model)) <= old
    burned = replace(plain, scars=(60, 60), scar_cells=(30.0, 30.0))
    assert set(np.unique(generate(1, 40, family=burned).fuel_model)) <= young
    cut = generate(1, 40, family=replace(plain, cut_share=(0.3, 0.3))).fuel_model
    uncut = generate(1, 40, family=plain).fuel_model
    slash = np.isin(cut, [code for code, _ in plain.cut_fuels])
    assert 0.15 < slash.mean() < 0.35
    np.testing.assert_array_equal(cut[~slash], uncut[~slash])


@pytest.mark.parametrize("size", [6, 12, 20, 33])
def test_slash_takes_no_more_of_a_small_map_than_was_drawn(size: int) -> None:
    for seed in range(20):
        for share in (0.02, 0.2):
            fuel = np.zeros((size, size), np.int16)
            recipe = replace(FBP_FAMILIES["boreal"], cut_share=(share, share))
            cut_blocks(np.random.default_rng(seed), recipe, fuel)
            assert np.count_nonzero(fuel) <= share * fuel.size


def test_later_fires_lie_over_earlier_ones() -> None:
    often = replace(FBP_FAMILIES["boreal"], scars=(60, 60), scar_cells=(30.0, 30.0))
    years = ages(np.random.default_rng(2), often, (40, 40))
    assert years.max() < 0.3 * often.stages[-1][0]


def test_a_map_shows_one_season() -> None:
    bare, green = (set(codes) for codes in zip(*FBP_FAMILIES["boreal"].green_up, strict=True))
    seasons = []
    for seed in range(16):
        land = generate(seed, 40, family="boreal")
        leafless = generate(seed, 40, family=replace(FBP_FAMILIES["boreal"], green_up=()))
        codes = set(np.unique(land.fuel_model).tolist())
        assert not (codes & bare and codes & green)
        seasons.append(bool(codes & green))
        same = ~np.isin(leafless.fuel_model, [*bare])
        np.testing.assert_array_equal(land.fuel_model[same], leafless.fuel_model[same])
    assert 3 <= sum(seasons) <= 13


def test_an_fbp_family_is_drawn_from_the_seed() -> None:
    drawn = {generate_fbp(seed, 8).name.rsplit(":", 1)[1] for seed in range(20)}
    assert drawn == set(FBP_FAMILIES)


def test_canopy_stands_over_timber_models_only() -> None:
    land = generate(2, 40, family="forest")
    timber = np.isin(land.fuel_model, range(161, 190))
    assert timber.any()
    assert (land.canopy_cover[timber] > 0.05).all()
    for name in ("canopy_cover", "canopy_height_m", "canopy_bulk_density_kg_m3"):
        assert not getattr(land, name)[~timber].any()


def test_every_canopy_has_a_crown_between_base_and_top() -> None:
    land = generate(2, 400, family="forest")  # large, so that it has extremes
    crown = land.canopy_height_m - land.canopy_base_height_m
    assert (crown >= 0.299 * land.canopy_height_m).all()
    assert land.canopy_cover.max() <= 1.0


@pytest.mark.parametrize(("arguments", "words"), [
    ({"seed": 1, "size": 3}, "4 to 5000 cells.*3 x 3"),
    ({"seed": 1, "size": (20, 6000)}, "20 x 6000"),
    ({"seed": -1, "size": 20}, "seed of 0 or more"),
    ({"seed": 1, "size": 20, "family": "ridge"}, "did you mean 'ridges'"),
])
def test_bad_arguments_are_refused(arguments: dict, words: str) -> None:
    with pytest.raises(InputError, match=words):
        generate(**arguments)


def test_cheapest_crossing_is_the_cheapest() -> None:
    cost = np.ones((5, 6))
    valley = [3, 3, 2, 1, 1, 2]
    cost[valley, range(6)] = 0.0
    assert cheapest_crossing(cost).tolist() == valley


@pytest.mark.parametrize("thick", [True, False])
def test_lines_cross_the_map_without_holes(thick: bool) -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        cells = line_across(rng, rng.normal(size=(12, 17)), pull=0.1, thick=thick)
        steps = np.abs(np.diff(cells, axis=0))
        assert (steps.max(axis=1) == 1).all()
        assert not thick or (steps.sum(axis=1) == 1).all()
        assert np.ptp(cells[:, 0]) == 11 or np.ptp(cells[:, 1]) == 16
        assert (cells >= 0).all()
        assert (cells < (12, 17)).all()


def test_gaps_are_opened_as_often_as_expected() -> None:
    cells = np.stack((np.arange(200), np.arange(200)), axis=1)
    rng = np.random.default_rng(1)
    missing = [200 - len(open_gaps(rng, cells, 3.0)) for _ in range(200)]
    assert 4.5 < np.mean(missing) < 7.0  # 3 gaps of 2 cells, less where they overlap
    assert len(open_gaps(rng, cells, 0.0)) == 200


def test_noise_has_unit_variance_and_the_asked_for_grain() -> None:
    rng = np.random.default_rng(2)
    fine = power_law_noise(rng, 4, (64, 48), correlation_cells=4.0, exponent=3.0)
    coarse = power_law_noise(rng, 4, (64, 48), correlation_cells=20.0, exponent=3.0)
    assert fine.shape == (4, 64, 48)
    np.testing.assert_allclose(fine.std(axis=(1, 2)), 1.0)
    assert np.abs(np.diff(coarse, axis=1)).mean() < 0.6 * np.abs(np.diff(fine, axis=1)).mean()


def test_opposite_edges_do_not_match() -> None:
    rng = np.random.default_rng(3)
    field = power_law_noise(rng, 200, (32, 32), correlation_cells=8.0, exponent=3.0)
    across = np.mean(field[:, 0] * field[:, -1])
    assert abs(across) < 0.08  # periodic noise would correlate there
    assert np.mean(field[:, 0] * field[:, 1]) > 0.8


def test_stretched_noise_is_long_along_its_axis() -> None:
    rng = np.random.default_rng(4)
    field = power_law_noise(rng, 8, (48, 48), correlation_cells=8.0, exponent=3.0, stretch=4.0,
                            angle_rad=0.0)
    assert np.abs(np.diff(field, axis=2)).mean() < 0.6 * np.abs(np.diff(field, axis=1)).mean()
