"""A map under any set of breaks: what the fires of the explorer lose, and what they burn.

Two sets of fires are kept burning. The *plan* fires are those that methods are shown: they make the
Q-map. The *explore* fires are others, which no method is shown and which no table of results is
made from: they make every number and every map of fire on the page. Between two questions only the
fires burn anew that the difference of the breaks changes.

Fires burn on a whole domain. Maps, and the cells of questions, are those of a view of it: the area
with RIM_CELLS around it.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import fail
from firebreak.env.gains import gains_of_cells
from firebreak.env.storage.problem import problem_of
from firebreak.env.storage.problem_batch import SLOT_0, ProblemBatch
from firebreak.fire import BURNED, FireRegime, Fires, Scene, burn, fire_keys, make_scene
from firebreak.landscape.landscape import Landscape
from firebreak.planning.core.area import View
from firebreak.planning.core.fire_counts import check_plan_fires, enough_plan_fires
from firebreak.planning.core.rounds import loaded
from firebreak.planning.evaluation.intervals import Interval, fire_groups
from firebreak.planning.evaluation.losses import relative_drop, worst_tenth_mean
from firebreak.units import M_MIN_PER_KM_H
from firebreak.weather.scenarios import WeatherScenarios, make_scenarios
from firebreak.weather.streams import constant

if TYPE_CHECKING:
    from firebreak.agent.policy_file import Policy

EXPLORE_SET = "explore"
MAX_CELLS = 512 * 512
_FIRES, _FEWEST, _FULL_CELLS = 400, 100, 96 * 96
_KEPT_WINDS, _KEPT_OUTCOMES = 8, 48
RIM_CELLS = 16
_Q_MAP_CELLS = 128 * 128  # a Q-map of more treatable cells takes too long to look at

K = TypeVar("K")
V = TypeVar("V")


class Outcome(NamedTuple):
    """The effect of some breaks on the explore fires.

    Attributes:
        loss: mean, in units of value.
        reduction: drop of the mean loss, share of the untreated one.
        outside: the same on the cells that are not treated; None where loss hangs on flame length.
        cvar90: drop of the mean loss of the worst 10 % of fires.
        losses: f64 [F], of each fire.
        burn_probability, downstream_value: [H, W].
    """

    loss: float
    reduction: Interval
    outside: float | None
    cvar90: float
    losses: NDArray[np.float64]
    burn_probability: NDArray[np.float64]
    downstream_value: NDArray[np.float64]


class Wind(NamedTuple):
    """Weather of a fire that somebody lights: constant, the same over the map.

    speed_km_h: 20 ft above the vegetation; from_deg: clockwise from north; dead_moisture_1h: a
    fraction.
    """

    speed_km_h: float
    from_deg: float
    dead_moisture_1h: float


class LitFire(NamedTuple):
    """A fire without and with breaks. arrival: [H, W], minutes, inf = unburned; loss: of value."""

    without: NDArray[np.float64]
    treated: NDArray[np.float64]
    loss_without: float
    loss_treated: float


class ExplorerState:
    """The fires of one scene, kept burning under whatever breaks are asked for.

    One at a time may ask: the state moves from one set of breaks to the next. `view` is what is
    shown; `groups` are the explore fires that count as one draw in intervals.
    """

    def __init__(self, scene: Scene, *, budget_share: float, plan_fires: int | None,
                 policy: "Policy | None") -> None:
        """Burns the map without breaks.

        Raises:
            InputError: more than MOST_CELLS cells, a budget that buys nothing, or fires that burn
                nothing of value.
        """
        cells = scene.landscape.fuel_model.size
        if cells > MAX_CELLS:
            rows, cols = scene.landscape.shape
            raise fail(expected="at most 512 x 512 cells to explore", given=f"{rows} x {cols}",
                       where=f"landscape {scene.landscape.name}",
                       remedy="name a part of the map with --area R0:R1,C0:C1")
        self.scene, self.budget_share = scene, budget_share
        self.view = View.of(scene.landscape, RIM_CELLS)
        self.plan_fires = enough_plan_fires(scene, plan_fires)
        self.explore_fires = max(_FEWEST, min(_FIRES, _FIRES * _FULL_CELLS // cells))
        few = int(scene.landscape.treatable.sum()) <= _Q_MAP_CELLS
        self._policy = policy if few else None
        check_plan_fires(scene, self.plan_fires)
        fires = scene.fires(EXPLORE_SET, self.explore_fires)
        self._times = fires.times
        self._explore = loaded(problem_of(scene, 1.0, fires, fires.first(0)))
        self.groups = fire_groups(fires.scenario, self._explore.plan_trees(0).loss, self._times)
        fires = scene.fires("plan", self.plan_fires)
        self._shown = (None if self._policy is None else
                       loaded(problem_of(scene, budget_share, fires, fires.first(0))))
        self._winds: dict[Wind, Scene] = {}
        self._outcomes: dict[frozenset[int], Outcome] = {}
        self.untreated = self._outcome(None)

    @property
    def land(self) -> Landscape:
        """The layers of the land that are shown."""
        return self.view.land

    @property
    def has_q_map(self) -> bool:
        """True where there is a policy that knows maps of this size."""
        return self._policy is not None

    def outcome(self, cells: Sequence[int]) -> Outcome:
        """The effect of breaks in these flat cells."""
        if not cells:
            return self.untreated
        key = frozenset(cells)
        if key not in self._outcomes:
            self._become(self._explore, cells)
            _keep(self._outcomes, key, self._outcome(self.untreated), _KEPT_OUTCOMES)
        return self._outcomes[key]

    def change(self, of: Outcome, against: Outcome) -> Interval:
        """Difference of the mean loss, share of the untreated one; fires are paired."""
        return self.groups.saving(of.losses - against.losses, self.untreated.losses, at_most=None)

    def gain(self, cells: Sequence[int], cell: int) -> float:
        """The saving by one more break, share of the untreated mean loss."""
        self._become(self._explore, cells)
        saved = float(gains_of_cells(self._explore, self._whole([cell]))[0])
        return saved / self.untreated.loss

    def q_values(self, cells: Sequence[int]) -> NDArray[np.float32] | None:
        """Q-map [H, W], % of the untreated loss, nan where barred; None without a policy."""
        if self._policy is None or self._shown is None:
            return None
        from firebreak.planning.learned.policy import q_map  # loads torch

        self._become(self._shown, cells)
        values = q_map(self._policy, self._shown)
        return self.view.grid(np.where(self._shown.available[0], values, np.float32(np.nan)))

    def light(self, cell: int, wind: Wind, minutes: float, cells: Sequence[int]) -> LitFire:
        """A fire in one cell, in one constant weather, without and with breaks."""
        scene = self._in_wind(wind)
        fire = Fires(self._whole([cell]), np.zeros(1, np.int64), np.array([minutes]),
                     fire_keys(scene.seed, EXPLORE_SET, scene.key, 1))
        return self.lit(scene, fire, cells)

    def lit(self, scene: Scene, fire: Fires, cells: Sequence[int]) -> LitFire:
        """One fire of a scene of this land, without and with breaks in these flat cells."""
        breaks = np.zeros(scene.landscape.shape, np.bool_)
        breaks.flat[self._whole(cells)] = True
        before, after = (burn(scene, fire, under, want="arrival") for under in (None, breaks))
        shown = self.view.grid
        return LitFire(shown(before.arrivals_min[0]), shown(after.arrivals_min[0]),
                       float(before.loss[0]), float(after.loss[0]))

    def mean_wind(self) -> Wind:
        """The mean weather of the scene; its direction that of the mean wind vector."""
        rows = self.scene.scenarios
        angle = np.radians(rows.wind_from_deg)
        pull = rows.weight * rows.wind_20ft_m_min
        towards = np.degrees(np.arctan2(float((pull * np.sin(angle)).sum()),
                                        float((pull * np.cos(angle)).sum())))
        return Wind(float(pull.sum()) / M_MIN_PER_KM_H, float(towards % 360.0),
                    float((rows.weight * rows.dead_moisture_1h).sum()))

    def _in_wind(self, wind: Wind) -> Scene:
        if wind not in self._winds:
            own, by_flame = self.scene.conditions, self.scene.value_by_class.shape[0] > 1
            conditions = replace(
                own, weather=None, response=own.response or (BURNED if by_flame else None),
                regime=FireRegime(duration_min=self.scene.median_duration_min))
            scene = make_scene(self.scene.landscape, conditions, self.scene.seed,
                              weather=constant(_weather(self.scene.scenarios, wind)))
            _keep(self._winds, wind, replace(scene, value_by_class=self.scene.value_by_class),
                  _KEPT_WINDS)
        return self._winds[wind]

    def _whole(self, cells: Sequence[int]) -> NDArray[np.int64]:
        """Cells of the domain."""
        return self.view.whole_cells(np.array(cells, np.int64))

    def _become(self, slots: ProblemBatch, cells: Sequence[int]) -> None:
        """Takes away and places what differs; one burn for all of it."""
        wanted = np.zeros(slots.breaks[0].size, np.bool_)
        wanted[self._whole(cells)] = True
        now = slots.breaks[0].ravel().copy()
        if (now == wanted).all():
            return
        slots.remove(0, np.flatnonzero(now & ~wanted))
        slots.place(0, np.flatnonzero(wanted & ~now))
        slots.update(SLOT_0)

    def _outcome(self, untreated: Outcome | None) -> Outcome:
        slots, scene = self._explore, self.scene
        losses = slots.plan_trees(0).loss.copy()
        burned, below = map(self.view.grid, slots.maps(0))
        before = losses if untreated is None else untreated.losses
        return Outcome(
            loss=float(losses.mean()), reduction=self.groups.saving(before - losses, before),
            outside=None if scene.value_by_class.shape[0] > 1 else _outside(
                self.view.grid(scene.value_by_class[0] * ~slots.breaks[0]),
                burned if untreated is None else untreated.burn_probability, burned),
            cvar90=relative_drop(worst_tenth_mean(before, self._times),
                                 worst_tenth_mean(losses, self._times)),
            losses=losses, burn_probability=burned, downstream_value=below)


def _keep(where: dict[K, V], key: K, value: V, most: int) -> None:
    """Keeps a value under a key, in place of the first one where there are too many."""
    if len(where) == most:
        where.pop(next(iter(where)))
    where[key] = value


def _outside(worth: NDArray[np.float32], before: NDArray[np.float64],
             after: NDArray[np.float64]) -> float:
    return relative_drop(float((before * worth).sum()), float((after * worth).sum()))


def _weather(mean_of: WeatherScenarios, wind: Wind) -> WeatherScenarios:
    """One scenario: the wind and the fine fuel's moisture given, the rest the mean of others."""
    def mean(values: NDArray[np.float64]) -> float:
        return float((mean_of.weight * values).sum())

    dry = mean(mean_of.dead_moisture_1h)
    return make_scenarios(
        wind_20ft_m_min=wind.speed_km_h * M_MIN_PER_KM_H, wind_from_deg=wind.from_deg,
        dead_moisture_1h=wind.dead_moisture_1h,
        dead_moisture_10h=wind.dead_moisture_1h + max(mean(mean_of.dead_moisture_10h) - dry, 0.0),
        dead_moisture_100h=wind.dead_moisture_1h + max(mean(mean_of.dead_moisture_100h) - dry, 0.0),
        live_moisture_herb=mean(mean_of.live_moisture_herb),
        live_moisture_woody=mean(mean_of.live_moisture_woody),
        foliar_moisture=mean(mean_of.foliar_moisture), buildup_index=mean(mean_of.buildup_index))
