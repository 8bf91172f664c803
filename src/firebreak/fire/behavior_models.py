"""Fire behaviour of every cell of a landscape in every weather, whatever its fuel system.

`MODELS` says which model burns which fuel system: Rothermel's surface fire, with crown fire above
it where there are crowns, or the Canadian FBP System.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from firebreak.fire.behavior.crown_fire import with_crown_fire
from firebreak.fire.behavior.surface import surface_spread
from firebreak.fire.behavior.types import SURFACE_FIRE, FireBehavior
from firebreak.fire.behavior.wind import backing_rate, flanking_rate
from firebreak.fire.fbp.on_landscape import fbp_fire_behavior
from firebreak.landscape.fuel_systems import FBP, ROTHERMEL
from firebreak.landscape.landscape import Landscape
from firebreak.native_library import thread_count
from firebreak.settings.scene import CrownLink, CrownModel, FireSettings
from firebreak.weather.scenarios import WeatherScenarios

__all__ = ["BehaviorModel", "FireBehavior", "behavior_in_parts", "behavior_on_demand",
           "fire_behavior"]

SURFACE_FLAME_POWER, CROWN_FLAME_POWER = 0.46, 2.0 / 3.0
CELLS_AT_ONCE, CELLS_HELD = 250_000, 1_000_000
"""Cells times rows of weather whose fire behaviour is worked out at once, and that are held where
the whole is not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BehaviorModel:
    """The published forms that are used on Rothermel landscapes; the FBP System has its own.

    Attributes:
        crown: crown fire by Finney 1998 (FlamMap), Scott & Reinhardt 2001 (NEXUS) or Cruz et al.
            2005; "none" for surface fire alone.
        rate_factors: by which the rates of spread of single fuel codes are multiplied, in either
            system: for the doubt in them.
    """

    crown: CrownModel = FireSettings.crown
    rate_factors: tuple[tuple[int, float], ...] = ()


def fire_behavior(landscape: Landscape, scenarios: WeatherScenarios,
                  model: BehaviorModel | None = None) -> FireBehavior:
    """Fire behaviour of each cell under each scenario.

    On large maps some rows are worked out at a time, whose numbers stay in the processor's caches,
    on several threads.
    """
    own = model or BehaviorModel()
    (height, width), count = landscape.shape, len(scenarios.wind_from_deg)
    at_once = max(1, CELLS_AT_ONCE // (width * count))
    # The FBP System is worked out by fuel type, some cells at a time.
    if at_once >= height or landscape.fuel_system == FBP.name:
        return _behavior(landscape, scenarios, own)
    whole = FireBehavior(*(
        np.zeros((count, height, width), np.uint8 if name == "fire_type" else np.float64)
        for name in FireBehavior._fields))

    def write(top: int) -> None:
        rows = min(at_once, height - top)
        part = _behavior(landscape.crop(top, 0, rows, width), scenarios, own)
        for name in FireBehavior._fields:
            found = getattr(part, name)
            if found.view(f"u{found.itemsize}").any():  # what stays zero takes no memory
                getattr(whole, name)[:, top:top + rows] = found

    _in_threads(write, range(0, height, at_once))
    return whole


def _behavior(landscape: Landscape, scenarios: WeatherScenarios,
              model: BehaviorModel) -> FireBehavior:
    found = MODELS[landscape.fuel_system](landscape, scenarios, model)
    return with_rate_factors(found, landscape, model.rate_factors) if model.rate_factors else found


def _in_threads(task: Callable[[int], None], numbers: Iterable[int]) -> None:
    """Calls the task with each number, on as many threads as burn fires."""
    pool = ThreadPoolExecutor(thread_count())
    try:
        for waiting in [pool.submit(task, number) for number in numbers]:
            waiting.result()
    finally:
        pool.shutdown(cancel_futures=True)


def behavior_in_parts(landscape: Landscape, scenarios: WeatherScenarios,
                      model: BehaviorModel | None = None) -> Iterator[tuple[int, FireBehavior]]:
    """Fire behaviour of some rows of the map at a time, [S, h, W], with the first of them."""
    (height, width), count = landscape.shape, len(scenarios.wind_from_deg)
    rows = max(1, CELLS_HELD // (width * count))
    for top in range(0, height, rows):
        land = landscape if rows >= height else landscape.crop(
            top, 0, min(rows, height - top), width)
        yield top, fire_behavior(land, scenarios, model)


def behavior_on_demand(landscape: Landscape, scenarios: WeatherScenarios,
                       model: BehaviorModel | None = None) -> FireBehavior:
    """Fire behaviour of each cell under each scenario, which is worked out when a part of it is
    first asked for, and kept from then on.
    """
    return _OnDemand(landscape, scenarios, model)  # type: ignore[return-value]


class _OnDemand:
    """Attributes of `FireBehavior`, each computed when first read."""

    def __init__(self, *given: Any) -> None:
        self._given = given
        self._made: FireBehavior | None = None

    def __getattr__(self, name: str) -> Any:
        if name not in FireBehavior._fields:
            raise AttributeError(name)
        if self._made is None:
            self._made = fire_behavior(*self._given)
        return getattr(self._made, name)


def with_rate_factors(behavior: FireBehavior, landscape: Landscape,
                      factors: tuple[tuple[int, float], ...]) -> FireBehavior:
    """Fire behaviour with the rates of single fuel codes multiplied, and the intensity with them,
    which is in proportion to the rate (Byram 1959); flame lengths follow by Byram's power, and
    under burning crowns by Thomas's (1963).
    """
    factor = np.ones(landscape.shape)
    for code, own in factors:
        factor[landscape.fuel_model == code] = own
    crowns = behavior.fire_type > SURFACE_FIRE
    flame = np.where(crowns, factor**CROWN_FLAME_POWER, factor**SURFACE_FLAME_POWER)
    return behavior._replace(
        rate_of_spread_m_min=behavior.rate_of_spread_m_min * factor,
        backing_rate_m_min=behavior.backing_rate_m_min * factor,
        flanking_rate_m_min=behavior.flanking_rate_m_min * factor,
        fireline_intensity_kw_m=behavior.fireline_intensity_kw_m * factor,
        flame_length_m=behavior.flame_length_m * flame)


def rothermel_behavior(landscape: Landscape, scenarios: WeatherScenarios,
                       model: BehaviorModel) -> FireBehavior:
    """Surface fire by Rothermel, and crown fire above it by the model's link."""
    surface = surface_spread(landscape, scenarios)
    link: CrownLink | None = None if model.crown == "none" else model.crown
    spread, fraction, fire_type = with_crown_fire(landscape, scenarios, surface, link)
    head, ratio = spread.rate_of_spread_m_min, spread.length_to_width
    return FireBehavior(
        rate_of_spread_m_min=head, backing_rate_m_min=backing_rate(head, ratio),
        flanking_rate_m_min=flanking_rate(head, ratio),
        heading_deg=np.where(head > 0.0, spread.heading_deg, 0.0),
        fireline_intensity_kw_m=spread.fireline_intensity_kw_m,
        flame_length_m=spread.flame_length_m, crown_fraction_burned=fraction,
        fire_type=fire_type)


MODELS: dict[str, Callable[[Landscape, WeatherScenarios, BehaviorModel], FireBehavior]] = {
    ROTHERMEL.name: rothermel_behavior,
    FBP.name: lambda landscape, scenarios, _: fbp_fire_behavior(landscape, scenarios),
}
"""Fire behaviour of a landscape, by the name of its fuel system."""
