"""Fire behaviour of landscapes of any size, in bands that fit the memory whatever the weather."""

from collections.abc import Iterator

from firebreak.fire.behavior.types import FireBehavior
from firebreak.fire.behavior_models import fire_behavior
from firebreak.fire.conditions import FireConditions
from firebreak.fire.scene import has_intensity, too_wet, without_intensity
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.raster.windows import Window
from firebreak.weather.scenarios import WeatherScenarios

BAND_CELLS = 500_000  # times rows of weather, whose fire behaviour is held at once
_SAMPLED = 200  # cells along a side of the sample that is looked at first


def bands(shape: tuple[int, int], rows: int) -> Iterator[Window]:
    """Windows that cover a map: rows of it, or parts of one where `rows` of weather are many."""
    height, width = shape
    cells = max(1, BAND_CELLS // rows)
    down, across = max(1, cells // width), min(cells, width)
    for top in range(0, height, down):
        for left in range(0, width, across):
            yield Window(top, left, min(down, height - top), min(across, width - left))


def _behaviors(landscape: Landscape, rows: WeatherScenarios,
               conditions: FireConditions) -> Iterator[tuple[Landscape, FireBehavior]]:
    """Parts of a landscape and their fire behaviour."""
    for window in bands(landscape.shape, rows.weight.size):
        part = window.of(landscape)
        yield part, fire_behavior(part, rows, conditions.model)


def check_burns(landscape: Landscape, rows: WeatherScenarios, conditions: FireConditions) -> None:
    """Refuses what `make_scene` refuses; looks no further than at what burns.

    Raises:
        InputError: no cell burns in any weather, or none has an intensity that crews go by.
    """
    if not landscape.burnable.any():
        return
    burns = False
    for land in (_sample(landscape), landscape):
        for _, behavior in _behaviors(land, rows, conditions):
            burns = burns or bool((behavior.rate_of_spread_m_min > 0.0).any())
            if burns and (not conditions.meets_crews or has_intensity(behavior)):
                return
    raise without_intensity(landscape) if burns else too_wet(landscape)


def mean_rate(landscape: Landscape, rows: WeatherScenarios, conditions: FireConditions) -> float:
    """Mean rate of spread of a sample of burnable cells, m/min."""
    total, cells = 0.0, 0
    for part, behavior in _behaviors(_sample(landscape), rows, conditions):
        total += float(behavior.rate_of_spread_m_min[:, part.burnable].sum())
        cells += int(part.burnable.sum())
    return total / max(cells * rows.weight.size, 1)


def _sample(landscape: Landscape) -> Landscape:
    """Cells at even distances."""
    every = -(-max(landscape.shape) // _SAMPLED)
    return landscape.map_grids(lambda grid: grid[::every, ::every])
