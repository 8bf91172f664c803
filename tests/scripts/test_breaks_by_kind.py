"""The figure of what breaks of each kind save: its settings are allowed, its bars are numbers."""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from firebreak.reading import read_toml
from firebreak.report.figures.canvas import close_figure
from firebreak.settings.rules import check
from firebreak.weather.scenarios import rose_of

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def figure() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT))
        yield importlib.import_module("benchmarks.breaks_by_kind_figure")
    sys.modules.pop("benchmarks.breaks_by_kind_figure", None)


def test_kinds_and_weather_are_what_they_are_called(figure: ModuleType) -> None:
    for kind, breaks in figure.KINDS.items():
        check(breaks)
        assert kind.startswith(breaks.break_kind)
        assert ("held" in kind or "everywhere" in kind) == (breaks.hold is not None)
    mild, extreme = (rose_of(read_toml(figure.CONFIGS / "weather" / file))
                     for file in figure.WEATHER.values())
    assert mild.wind_20ft_m_min.max() < extreme.wind_20ft_m_min.min()
    assert mild.dead_moisture_1h.min() > extreme.dead_moisture_1h.max()


def test_every_bar_is_a_number_and_savings_below_nothing_are_seen(figure: ModuleType) -> None:
    found = [figure.Saved(weather, kind, 0.1 * place - 0.1, 0.1 * place - 0.15, 0.1 * place, 2.0)
             for weather in figure.WEATHER for place, kind in enumerate(figure.KINDS)]
    drawn = figure.drawn(found, 52)
    try:
        for panel in drawn.axes:
            bars = [bar.get_width() for bar in panel.patches]
            assert bars == pytest.approx([0.1 * place - 0.1 for place in range(len(figure.KINDS))])
            assert panel.get_xlim()[0] <= -0.15
    finally:
        close_figure(drawn)
