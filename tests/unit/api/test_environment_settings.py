"""Every setting of the environment, by the schema: a value that is taken, and one that is not."""

import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from annotated_types import Ge, Gt, Le

import firebreak.env
from firebreak import read_landscape
from firebreak.api.environment import EnvironmentOptions
from firebreak.checks import InputError
from firebreak.landscape.formats.write import write_geotiff
from firebreak.settings.schema import leaves

SAMPLE, PART = "sample:santa-ana", {"area": "10:30,10:30"}
SETTINGS = leaves(EnvironmentOptions)
RASTERS = {"value", "cost", "treatable", "barriers", "built", "roads", "ignitions", "hold_in"}
TEXTS = {"family": "ridges", "area": "10:30,10:30", "crs": "EPSG:32611", "value_unit": "houses",
         "losses": "0,0.2,0.4,0.6,0.8,1", "moisture": "D2L2", "treatment": "mastication"}
HELD, WEATHER = {"hold": "hand", "break_kind": "shaded"}, {"weather": SAMPLE}
MORE: dict[str, dict[str, Any]] = {
    "hold": {"break_kind": "shaded"}, "hold_in": HELD, "response_min": HELD, "crew_km": HELD,
    "crew_speed_km_h": HELD, "roads": HELD, "hours": WEATHER, "wind_towards": WEATHER,
    "moisture": WEATHER, "treatment_age": {"treatment": "mastication"},
    "treatments": {"treatment": "mowing"}}
"""What a setting stands beside."""
MOWING = """[mowing]
title = "mowing"
currency = "EUR"
upkeep = { per_ha_year = 90, source = "assumed" }
[[mowing.state]]
to_year = 1
surface = 0.5
source = "assumed"
[[mowing.cost]]
to_slope_percent = 100
per_ha = 180
source = "assumed"
"""
LAYERS = '[[layer]]\nname = "houses"\nraster = "{}"\n'


def parts_of(hint: Any) -> list[Any]:
    """A hint and all that it is made of."""
    return [hint, *(own for one in typing.get_args(hint) for own in parts_of(one))]


def taken(name: str, folder: Path) -> Any:
    """A value of a setting that is not its default."""
    kinds = parts_of(SETTINGS[name].hint)
    if name in TEXTS:
        return TEXTS[name]
    if Path in kinds:
        return str(file_of(name, folder))
    if bool in kinds:
        return True
    words = [one for one in kinds if isinstance(one, str) and one != SETTINGS[name].default]
    if words:
        return words[-1]
    low = max([one.ge for one in kinds if isinstance(one, Ge)]
              + [one.gt for one in kinds if isinstance(one, Gt)])
    high = min([one.le for one in kinds if isinstance(one, Le)] + [low + 20.0])
    middle = (max(low, 0.0) + high) / 2.0
    return int(min(middle, 9)) + 1 if int in kinds else middle


def refused(name: str) -> Any:
    """A value that the setting cannot have."""
    kinds = parts_of(SETTINGS[name].hint)
    if bool in kinds:
        return 3
    if int in kinds or float in kinds:
        return -1_000_000
    return "" if name == "value_unit" else "no such thing.tif"


def file_of(name: str, folder: Path) -> Path:
    """A file that a setting names."""
    path = folder / f"{name}.tif"
    if name == "weather":
        return Path(str(next(iter(sorted(sample_folder().glob("*.wxs"))), sample_folder())))
    if name == "treatments":
        (folder / "own.toml").write_text(MOWING)
        return folder / "own.toml"
    land = read_landscape(SAMPLE)
    grid = np.zeros(land.shape, np.float32)
    grid[15:25, 15:20] = 2.0
    if name == "cost":
        grid += 1.0
    write_geotiff(path, {"grid": grid}, land)
    if name == "layers":
        (folder / "layers.toml").write_text(LAYERS.format(path.name))
        return folder / "layers.toml"
    return path


def sample_folder() -> Path:
    from firebreak.landscape.names import weather_place

    return weather_place(SAMPLE)


def make(name: str, value: Any, more: Mapping[str, Any] = MORE) -> gymnasium.Env:
    own = {} if name in ("size", "family") else {"landscape": SAMPLE, **PART}
    return gymnasium.make(firebreak.env.ENV_ID, **{
        "plan_fires": 4, "reward_fires": 4, **own, **more.get(name, {}), name: value})


@pytest.mark.slow
@pytest.mark.parametrize("name", SETTINGS)
def test_every_setting_is_taken(name: str, tmp_path: Path) -> None:
    value = taken(name, tmp_path)
    assert value != SETTINGS[name].default
    beside = {"crew_speed_km_h": "roads", "value_unit": "value"}.get(name)
    more = {} if beside is None else {beside: taken(beside, tmp_path)}
    env = make(name, value, MORE | {name: MORE.get(name, {}) | more})
    _, info = env.reset(seed=1)
    assert info["action_mask"].any()


@pytest.mark.parametrize("name", SETTINGS)
def test_every_setting_refuses_what_it_cannot_have_in_one_sentence(name: str) -> None:
    with pytest.raises(InputError, match=r"expected .*, got .*; ") as error:
        make(name, refused(name))
    assert "\n" not in str(error.value)
    assert name in str(error.value) or str(refused(name)) in str(error.value)
