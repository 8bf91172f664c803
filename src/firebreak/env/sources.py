"""Sources of episodes: a landscape per (seed, episode), and the problem posed on it."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import fail, unknown_name
from firebreak.env.drawn_breaks import conditions_under, draw_breaks, land_under
from firebreak.env.storage.problem import Problem, make_problem, problem_of
from firebreak.env.storage.problem_batch import Sizes
from firebreak.fire import CLASSES, FireConditions, Fires, make_scene
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.raster.windows import dihedral
from firebreak.landscape.synthetic.generate import generate, generate_fbp
from firebreak.landscape.synthetic.job_land import draw_value
from firebreak.seeding import generator, integer_seed
from firebreak.settings.mixture import MixtureSettings
from firebreak.settings.planning import BUDGET, PLAN_FIRES
from firebreak.units import M_MIN_PER_KM_H
from firebreak.weather.streams import STEPS, draw_streams

LandscapeDraw = Callable[[int, int], Landscape]
"""(seed, episode) -> landscape; the same arguments give the same landscape."""

LEAST_CELLS = 2
"""Cells that the smallest budget of a mixture buys: one cell is no plan."""

OPTIONS = ("landscape", "fires", "budget", "problem")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemSource:
    """Poses the problem of an episode.

    Attributes:
        shape: (H, W) of every landscape drawn.
        landscape: draws the landscape of an episode.
        conditions: weather and fires.
        budget_share: share of the treatable cells' cost that may be spent.
        plan_fires, reward_fires: numbers of plan fires and of reward fires.
        mixture: in what episodes differ from these values; None: in nothing.
        lines: actions are lines of cells instead of single cells.
        standing: flat cells that are breaks from the start, paid for.
        one_land: every episode is on the same land, so its weather and fires are drawn by episode;
            else new land brings new ones.
    """

    shape: tuple[int, int]
    landscape: LandscapeDraw
    conditions: FireConditions
    budget_share: float = BUDGET
    plan_fires: int = PLAN_FIRES
    reward_fires: int = 256
    mixture: MixtureSettings | None = None
    lines: bool = False
    standing: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    one_land: bool = False

    @property
    def rows(self) -> int:
        """Most rows of weather of a problem."""
        changes = (self.mixture is not None and self.mixture.changing_weather > 0.0
                   and self.conditions.weather is None)
        return self.conditions.rows * (STEPS if changes else 1)

    def sizes(self, slots: int) -> Sizes:
        """Storage for `slots` problems of this source."""
        conditions, mixture = self.conditions, self.mixture or MixtureSettings()
        plan_fires = mixture.plan_fires[1] if mixture.plan_fires else self.plan_fires
        breached = ((conditions.breach != "never" and conditions.treatment.kind == "hard")
                    or (self.one_land and self.landscape(0, 0).bare_m is not None))
        held = conditions.hold is not None or mixture.held > 0.0
        return Sizes(slots, self.shape, self.rows, plan_fires, self.reward_fires,
                     CLASSES if conditions.by_flame else 1, breached or mixture.breached > 0.0,
                     conditions.spotting is not None,
                     conditions.by_flame or conditions.meets_crews or held, held)

    def problem(self, seed: int, episode: int, options: dict[str, Any] | None = None) -> Problem:
        """The problem of an episode, with parts replaced by `options`.

        Options: "landscape" (a Landscape), "fires" (the name of a keyed set, or a pair of plan and
        reward Fires), "budget" (a share), or "problem" (a Problem, as it is).

        Raises:
            InputError: an unknown option, or a landscape of another shape.
        """
        chosen = options or {}
        for name in chosen:
            if name not in OPTIONS:
                raise unknown_name("option", name, OPTIONS, "reset")
        if "problem" in chosen:
            return chosen["problem"]
        if self.mixture is not None:
            own = varied(self, self.mixture, seed, episode, chosen.get("landscape"))
            return own.problem(seed, episode, {k: v for k, v in chosen.items() if k != "landscape"})
        land = chosen["landscape"] if "landscape" in chosen else self.landscape(seed, episode)
        if land.shape != self.shape:
            raise fail(expected=f"a landscape of {self.shape[0]} x {self.shape[1]} cells",
                       given=f"{land.shape[0]} x {land.shape[1]}", where=land.name,
                       remedy="crop it, or make the environment for this size")
        own_seed = integer_seed(seed, "episode", episode) if self.one_land else seed
        scene = make_scene(land, self.conditions, own_seed)
        budget = chosen.get("budget", self.budget_share)
        fires = chosen.get("fires", "")
        if isinstance(fires, str):
            made = make_problem(scene, budget, self.plan_fires, self.reward_fires, fires)
        else:
            plan, reward = fires
            made = problem_of(scene, budget, Fires(*plan), Fires(*reward))
        return replace(made, standing=self.standing)


def varied(source: ProblemSource, mixture: MixtureSettings, seed: int, episode: int,
           landscape: Landscape | None = None) -> ProblemSource:
    """The source of one episode, with the values that its mixture draws for it: wind and the spread
    of its directions evenly, other pairs evenly in the logarithm; half of the episodes have no
    margin; the weather changes in none where the conditions give it.

    landscape: in place of the source's own. A budget too small for `LEAST_CELLS` buys as many.
    """
    rng = generator(seed, "variation", episode)
    conditions = source.conditions
    climate, regime = conditions.climate, conditions.regime

    def between(bounds: tuple[float, float] | None, otherwise: float, *,
                in_logarithm: bool) -> float:
        place = rng.random()  # drawn in any case, so that values do not hang on one another
        if bounds is None:
            return otherwise
        low, high = map(math.log, bounds) if in_logarithm else bounds
        drawn = low + place * (high - low)
        return math.exp(drawn) if in_logarithm else drawn

    budget = between(mixture.budget, source.budget_share, in_logarithm=True)
    plan_fires = between(mixture.plan_fires, source.plan_fires, in_logarithm=True)
    share = between(mixture.burned_share, regime.burned_share, in_logarithm=True)
    winds = mixture.wind_20ft_km_h and (mixture.wind_20ft_km_h[0] * M_MIN_PER_KM_H,
                                        mixture.wind_20ft_km_h[1] * M_MIN_PER_KM_H)
    wind = between(winds, climate.wind_20ft_mean_m_min, in_logarithm=False)
    turns = between(mixture.wind_direction_spread_deg, climate.direction_spread_deg,
                    in_logarithm=False)
    margin = int(rng.integers(mixture.margin + 1)) * int(rng.integers(2))
    valued = bool(rng.random() < mixture.value_maps)
    land = source.landscape(seed, episode) if landscape is None else landscape
    inside = treat_inside(land, min(margin, min(land.shape) // 4))
    land = inside if inside.treatable.any() else land
    if valued:
        land = replace(land, value=draw_value(generator(seed, "value-map", episode), land.shape))
    drawn_breaks = draw_breaks(mixture, seed, episode, land.shape)
    land, existing = land_under(drawn_breaks, land, seed, episode)
    costs = land.cost[land.treatable].astype(np.float64)
    least = min(1.0, LEAST_CELLS * costs.max() / costs.sum()) if costs.size else 1.0
    drawn = replace(climate, wind_20ft_mean_m_min=wind, direction_spread_deg=turns,
                    # The gustiness stays in proportion to the wind.
                    wind_20ft_spread_m_min=climate.wind_20ft_spread_m_min * wind
                    / climate.wind_20ft_mean_m_min)
    by_step, weather = generator(seed, "changing-weather", episode), conditions.weather
    if weather is None and by_step.random() < mixture.changing_weather:
        weather = draw_streams(drawn, by_step, conditions.scenarios)
    return replace(
        source, landscape=lambda seed, episode: land, mixture=None, standing=existing,
        budget_share=max(budget, least), plan_fires=round(plan_fires), conditions=replace(
            conditions_under(drawn_breaks, conditions, land), weather=weather, climate=drawn,
            regime=replace(regime, burned_share=share)))


def synthetic_landscapes(size: int, split: str, family: str | None = None,
                         fbp: float = 0.0) -> LandscapeDraw:
    """A fresh synthetic landscape per episode; each split has its own stream of seeds.

    fbp: share of them with fuels of the FBP System.
    """
    return partial(_drawn, size, split, family, fbp)


def _drawn(size: int, split: str, family: str | None, fbp: float, seed: int,
           episode: int) -> Landscape:
    own = integer_seed(seed, "synthetic", split, episode)
    if generator(seed, "fbp", split, episode, size).random() < fbp:
        return generate_fbp(own, size)
    return generate(own, size, family=family)


def always(landscape: Landscape) -> LandscapeDraw:
    """The same landscape in every episode."""
    return partial(_given, landscape)


def _given(landscape: Landscape, seed: int, episode: int) -> Landscape:
    return landscape


def window_landscapes(maps: Sequence[tuple[Landscape, NDArray[np.int32]]], size: int, margin: int,
                      split: str, turned: bool) -> LandscapeDraw:
    """A random window of one of the maps per episode; maps are equally likely.

    Args:
        maps: landscapes with the north-west cells [n, 2], n > 0, that this split's windows may
            have, margins included.
        size: treatable rows and columns; a margin is added on every side.
        margin: cells around the window where fires may start and spread but nothing is treated.
        turned: draw one of the eight symmetries too.
    """
    full = size + 2 * margin
    def draw(seed: int, episode: int) -> Landscape:
        rng = generator(seed, "window", split, episode)
        land, places = maps[int(rng.integers(len(maps)))]
        row, col = places[int(rng.integers(len(places)))].tolist()
        cut = land.crop(row, col, full, full)
        return treat_inside(dihedral(cut, int(rng.integers(8))) if turned else cut, margin)
    return draw


def treat_inside(landscape: Landscape, margin: int) -> Landscape:
    """The landscape with treatment allowed only `margin` cells from the edge and further in."""
    if margin == 0:
        return landscape
    inside = np.zeros(landscape.shape, np.bool_)
    inside[margin:-margin, margin:-margin] = True
    return replace(landscape, treatable=landscape.treatable & inside)
