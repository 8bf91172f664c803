"""The command line and a run's TOML say each setting alike, but for what is listed here. Names and
defaults of both are promises, so what differs stays.
"""

from dataclasses import MISSING, Field, fields
from typing import Any, NamedTuple

import pytest

from firebreak.api.shared.scene_options import MapOptions, WeatherOptions
from firebreak.env.drawn_breaks import DRAWN_KINDS
from firebreak.fire.conditions import FireConditions, conditions_from
from firebreak.landscape.treatments import Treatment, treatment_of
from firebreak.settings.agent import AgentSettings
from firebreak.settings.rules import DRAWN
from firebreak.settings.scene import (
    TOML_NAMES,
    WIND_SPREAD,
    BreakSettings,
    FireSettings,
    MadeBreaks,
    ValueSettings,
    WeatherSettings,
)
from firebreak.settings.schema import in_short, leaves, meanings
from firebreak.train.config.schema import BreakConfig, FireConfig
from firebreak.units import M_MIN_PER_KM_H
from firebreak.weather.scenarios import WindClimate


class Difference(NamedTuple):
    """option: default on the command line; toml: in a run's TOML; why: they differ."""

    setting: str
    option: object
    toml: object
    why: str


DEFAULTS = (
    Difference("burned_share", None, 0.15, "not given means 0.15, or hours that are given"),
    Difference("wind_20ft_km_h", None, 16.2, "not given means 16.2, and lets a weather file stand"),
    Difference("breach", None, "never", "not given means never, and lets fire cross bare ground"),
    Difference("moisture", None, "D2L2", "not given means D2L2, and is refused without a file"),
)
FORMS = ("weather", "layers", "losses", "treatments")
"""A path here, a path as text relative to the data there; fractions with commas, or a list."""
TOML_ONLY = ("duration_sigma", "wind_spread_km_h", "wind_direction_spread_deg", "plan_fires",
             "reward_fires")
"""Keys of [fires] that are no option of this name: on the command line the default spread of
durations and the default wind climate hold, and --plan-fires belongs to the command."""
VALUES = {field.name for field in fields(ValueSettings)}


def fields_of(*kinds: Any) -> dict[str, Field]:
    return {field.name: field for kind in kinds for field in fields(kind)}


OPTIONS = {name: field for name, field in fields_of(
    MapOptions, WeatherOptions, FireSettings, MadeBreaks).items()
    if name in VALUES or name not in fields_of(MapOptions)}
TOML = fields_of(FireConfig, BreakConfig)


def test_each_setting_is_an_option_and_a_key() -> None:
    assert set(OPTIONS) == set(TOML) - set(TOML_ONLY)
    assert set(TOML_ONLY) <= set(TOML)


def test_defaults_differ_only_where_the_table_says() -> None:
    other = {(name, option.default, TOML[name].default) for name, option in OPTIONS.items()
             if option.default != TOML[name].default}
    assert other == {(one.setting, one.option, one.toml) for one in DEFAULTS}
    assert all(field.default is not MISSING for field in [*OPTIONS.values(), *TOML.values()])


def test_types_differ_only_in_form() -> None:
    other = {name for name, option in OPTIONS.items() if option.type != TOML[name].type}
    assert other == {*FORMS, *(one.setting for one in DEFAULTS)}


def test_names_differ_only_where_the_table_says() -> None:
    for kind in (FireConfig, BreakConfig):
        keys = [leaf.key for leaf in leaves(kind).values()]
        assert keys == [TOML_NAMES.get(field.name, field.name) for field in fields(kind)]
    assert set(TOML_NAMES) <= set(fields_of(BreakConfig))


def test_a_mixture_draws_the_kinds_of_breaks_that_rules_know() -> None:
    assert {*DRAWN} == {*DRAWN_KINDS}


def test_the_settings_come_to_the_defaults_of_the_fire_layer() -> None:
    climate = WindClimate()
    assert conditions_from(FireSettings(), BreakSettings(), climate=climate,
                           scenarios=WeatherSettings().scenarios) == FireConditions()
    assert treatment_of(BreakSettings()) == Treatment()


def test_the_spread_of_the_wind_is_drawn_as_the_table_says() -> None:
    fires, climate = FireConfig(), WindClimate()
    assert fires.wind_20ft_km_h * M_MIN_PER_KM_H == pytest.approx(climate.wind_20ft_mean_m_min)
    assert fires.wind_spread_km_h * M_MIN_PER_KM_H == pytest.approx(climate.wind_20ft_spread_m_min)
    assert fires.wind_direction_spread_deg == climate.direction_spread_deg
    assert pytest.approx(7.29) == WIND_SPREAD * fires.wind_20ft_km_h


@pytest.mark.parametrize("kind", [WeatherSettings, FireSettings, BreakSettings, ValueSettings,
                                  AgentSettings, FireConfig])
def test_every_setting_says_what_it_means(kind: type) -> None:
    assert set(meanings(kind)) == {field.name for field in fields(kind)}


@pytest.mark.parametrize(("text", "short"), [
    ("Width of the strip; the cell if not given. It holds.", "width of the strip; the cell if not "
                                                             "given"),
    ("None, or of Andrews et al. 2013.", "none, or of Andrews et al. 2013"),
    ("FBP fuels.", "FBP fuels")])
def test_a_meaning_in_short_is_its_first_sentence(text: str, short: str) -> None:
    assert in_short(text) == short
