"""Fuel tables: the papers' numbers, and that every code has a name and a colour."""

import csv
import re
from pathlib import Path

import pytest

from firebreak.landscape.fuel_systems import ROTHERMEL
from firebreak.landscape.fuels import (
    FUEL_COLOURS,
    FUEL_MODELS,
    UNBURNABLE,
)


def test_53_models_with_consistent_codes() -> None:
    assert len(FUEL_MODELS) == 53
    assert all(code == model.code for code, model in FUEL_MODELS.items())
    assert list(ROTHERMEL.burnable_codes) == sorted(FUEL_MODELS)
    assert not ROTHERMEL.burnable_codes.flags.writeable


def test_rows_by_hand_from_the_papers() -> None:
    chaparral = FUEL_MODELS[4]  # Anderson 4: 5.01 + 4.01 + 2.00 dead, 5.01 live tons per acre
    assert chaparral[3:8] == (0.230, 0.184, 0.092, 0.0, 0.230)
    assert (chaparral.depth_ft, chaparral.extinction_moisture) == (6.0, 0.20)
    grass = FUEL_MODELS[106]
    assert (grass.name, grass.dynamic, grass.heat_btu_lb) == ("GR6", True, 9000.0)
    assert grass.load_herb_lb_ft2 == pytest.approx(3.40 * 2000 / 43560)
    timber = FUEL_MODELS[165]
    assert (timber.dynamic, timber.sav_1h_ft, timber.sav_woody_ft) == (False, 1500.0, 750.0)


def test_only_grass_and_some_shrub_and_understory_models_are_dynamic() -> None:
    dynamic = {code for code, model in FUEL_MODELS.items() if model.dynamic}
    assert dynamic == {*range(101, 110), *range(121, 125), 141, 149, 161, 163}


def test_table_equals_the_reference_table(reference_dir: Path) -> None:
    with open(reference_dir / "reference-fuels" / "fuel_models_behave.csv") as file:
        rows = {int(row[0]): row for row in csv.reader(file)}
    for code, model in FUEL_MODELS.items():
        dynamic, *numbers = rows[code][2:]
        expected = [float(number) for number in numbers]
        expected[9] /= 100.0  # percent
        if code == 7:
            expected[7] = 1500.0  # BEHAVE's woody ratio, not Anderson's 1550
        assert model.dynamic == (dynamic == ".TRUE.")
        assert list(model[3:]) == pytest.approx(expected, abs=6e-6), code  # loads have 5 decimals


def test_every_code_has_a_colour_of_its_own_and_a_name() -> None:
    codes = [*FUEL_MODELS, *UNBURNABLE]
    assert set(FUEL_COLOURS) == set(codes)
    assert all(re.fullmatch("#[0-9A-F]{6}", colour) for colour in FUEL_COLOURS.values())
    for system in (range(1, 14), range(91, 205)):
        colours = [FUEL_COLOURS[code] for code in codes if code in system]
        assert len(set(colours)) == len(colours)
    assert [ROTHERMEL.label(code) for code in (9, 204, 98, 17)] == [
        "FM9", "SB4", "NB8 water", "code 17"]


def test_known_codes() -> None:
    known = [code for code in range(-1, 300) if code in ROTHERMEL.labels]
    assert known == sorted([*FUEL_MODELS, *UNBURNABLE])
