"""Savings of schedules: a year's fires burn with every segment in the state of its age.

Years are taken for independent, and fuel outside breaks stays as it is. Fires of a set of their own
choose among the schedules; test fires, which no method saw, say what each of them saves.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import counted, fail
from firebreak.fire import Scene, burn, with_states
from firebreak.landscape.candidates.corridor import Corridor
from firebreak.landscape.treatment_table import TreatmentRow, treated_ha
from firebreak.planning.core.progress import Reporter, no_report
from firebreak.planning.evaluation.intervals import (
    FireGroups,
    Interval,
    fire_groups,
    student_interval,
)
from firebreak.planning.evaluation.judging import TEST_SET
from firebreak.planning.evaluation.losses import untreated_losses
from firebreak.planning.years.schedule import (
    BUILD_ONCE,
    RULES,
    Prices,
    Schedule,
    prices_of,
    schedule_of,
)

SCHEDULE_SET = "schedule"
"""Fires that choose among schedules."""
SCHEDULE_FIRES = 512
Floats = NDArray[np.float64]
_NO_CELLS = np.empty(0, np.int64)


class ScheduleSaving(NamedTuple):
    """A schedule on the test fires: the share of the loss of all years that it prevents, with its
    95 % interval, and how much more that is than building once. by_year: f64 [Y], the same of each
    year. loss, loss_low, loss_high: f64 [Y], mean loss of a fire in each year with its interval, in
    units of value.
    """

    reduction: float
    low: float
    high: float
    more: float
    more_low: float
    more_high: float
    by_year: Floats
    loss: Floats
    loss_low: Floats
    loss_high: Floats


class YearsResult(NamedTuple):
    """Schedules of one plan: by name what each does and saves, and the one that is kept.

    untreated: mean loss of a fire without breaks, with its interval, in units of value. chosen_by:
    by name the reduction on the fires that chose. test_fires: how many say what each saves.
    discount_rate: see `discount_factors`. prices: of the segments.
    """

    schedules: dict[str, Schedule]
    saved: dict[str, ScheduleSaving]
    untreated: Interval
    chosen_by: dict[str, float]
    chosen: str
    years: list[int]
    test_fires: int
    discount_rate: float
    prices: Prices


def check_horizon(rows: Sequence[TreatmentRow], horizon: int, where: str) -> None:
    """Refuses what cannot be planned over years.

    Raises:
        InputError: no treatments, or a horizon longer than the table of ageing.
    """
    if not rows:
        raise fail(expected="a treatment, whose table says what breaks become", given="none",
                   where=where, remedy="name one by --treatment")
    least = min(rows, key=lambda row: row.years)
    if horizon > least.years + 1:
        most = counted(least.years + 1, "year")
        raise fail(expected=f"at most {most}, which the states of {least.name} reach to",
                   given=f"{horizon}", where=where,
                   remedy="lower it, or add a state to a table of your own")


def discount_factors(rate: float, years: int) -> Floats:
    """Weight of a loss of each year beside one of the first, f64 [Y]: 1 / (1 + rate)^year."""
    return np.asarray((1.0 + rate) ** -np.arange(years, dtype=np.float64))


def years_of_plan(scene: Scene, segments: Sequence[Corridor], rows: Sequence[TreatmentRow],
                  years: list[int], money: Sequence[float], test_fires: int,
                  report: Reporter = no_report, discount_rate: float = 0.0) -> YearsResult:
    """The schedules of a plan's segments, in build order, and what each saves.

    Args:
        rows: the treatments that the landscape's `treatment` numbers.
        years, money: of each year its name and what may be spent.
        report: takes schedules as they are judged, of `RULES`.
        discount_rate: see `discount_factors`.

    Raises:
        InputError: fires that burn nothing of value.
    """
    land = scene.landscape
    assert land.treatment is not None
    own = np.maximum(land.treatment.ravel(), 0)
    upkeep = np.array([row.upkeep_per_ha_year for row in rows])[own] * treated_ha(
        land, scene.conditions.treatment.width_m).ravel()
    fresh = np.array([row.states[0].to_year for row in rows])[own]
    prices = prices_of(segments, upkeep, fresh)
    burner = _YearsBurner(scene, segments, rows, test_fires)
    schedules, choosing, tested = {}, {}, {}
    for rule in RULES:
        schedules[rule.name] = schedule_of(rule, prices, money)
        choosing[rule.name], tested[rule.name] = (
            burner.losses(schedules[rule.name].age, fires) for fires in (SCHEDULE_SET, TEST_SET))
        report(1)
    weight = discount_factors(discount_rate, len(years))
    weight /= weight.sum()
    before = burner.untreated(SCHEDULE_SET).mean()
    chosen_by = {name: float(1.0 - weight @ losses.mean(axis=1) / before)
                 for name, losses in choosing.items()}
    chosen = _chosen({name: weight @ losses for name, losses in choosing.items()})
    before, fires = burner.untreated(TEST_SET), burner.fires[TEST_SET]
    found, untreated = _savings(tested, before, fire_groups(fires.scenario, before, fires.times),
                                weight)
    return YearsResult(schedules, found, untreated, chosen_by, chosen, years, test_fires,
                       discount_rate, prices)


def _chosen(losses: Mapping[str, Floats]) -> str:
    """The schedule that loses least in the mean of fires, of equals the first; building once where
    it is not significantly better than that.

    losses: by name of each fire, over all years, f64 [F], F >= 2; the same fires.
    """
    mean = {name: float(own.mean()) for name, own in losses.items()}
    # Rounding of a mean decides nothing.
    best = next(name for name in mean if mean[name] <= min(mean.values()) * (1.0 + 1e-12))
    more = losses[BUILD_ONCE.name] - losses[best]
    return best if student_interval(more)[0] > 0.0 else BUILD_ONCE.name


def _savings(losses: Mapping[str, Floats], before: Floats, groups: FireGroups,
             weight: Floats) -> tuple[dict[str, ScheduleSaving], Interval]:
    """Savings by losses [Y, F], those without breaks [F], their mean; weight [Y] of years."""
    whole = before.mean()
    once = weight @ losses[BUILD_ONCE.name]
    once_saved = float(1.0 - weight @ losses[BUILD_ONCE.name].mean(axis=1) / whole)
    found = {}
    for name, own in losses.items():
        by_year, left = own.mean(axis=1), weight @ own
        saved = float(1.0 - weight @ by_year / whole)
        low, high = groups.bounds(own, groups.fires, before)
        found[name] = ScheduleSaving(
            saved, *groups.saving(before - left, before)[1:], saved - once_saved,
            *groups.saving(once - left, before, at_most=None)[1:], 1.0 - by_year / whole, by_year,
            np.maximum(low, 0.0), high)
    return found, groups.mean(before)


class _YearsBurner:
    """Burns fires under segments of given ages; what was burned once is not burned again."""

    def __init__(self, scene: Scene, segments: Sequence[Corridor],
                 rows: Sequence[TreatmentRow], test_fires: int) -> None:
        self.scene, self.segments = scene, segments
        states = [state.treatment for row in rows for state in row.states]
        # By treatment and age the number of its state.
        first = np.cumsum([0, *(len(row.states) for row in rows)])
        self._state = [[int(first[k]) + row.states.index(row.state_at(age, "years"))
                        for age in range(row.years + 1)] for k, row in enumerate(rows)]
        self.strips = scene.field.breaks.strips
        self._burns = np.array([state.kind == "shaded" for state in states])
        cells = np.concatenate([one.cells for one in segments]) if segments else _NO_CELLS
        self._in_states = None if self.strips else with_states(scene, states, cells)
        self.fires = {SCHEDULE_SET: scene.fires(SCHEDULE_SET, SCHEDULE_FIRES),
                      TEST_SET: scene.fires(TEST_SET, test_fires)}
        self._known: dict[tuple[str, bytes], Floats] = {}

    def untreated(self, fires: str) -> Floats:
        """Loss of each fire without breaks, f64 [F]."""
        return untreated_losses(self.scene, self.fires[fires])

    def losses(self, age: NDArray[np.int64], fires: str) -> Floats:
        """Loss of each fire in each year, f64 [Y, F], with segments of these ages, [Y, n]."""
        found = []
        for one in age:
            breaks, grid = self.laid_out(one)
            key = (fires, breaks.tobytes() + grid.tobytes())
            if key not in self._known:
                scene = self.scene
                if self._in_states is not None and breaks.any():
                    scene = self._in_states(grid)
                self._known[key] = burn(scene, self.fires[fires], breaks).loss
            found.append(self._known[key])
        return np.stack(found)

    def laid_out(self, age: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.int16]]:
        """The cells of the segments that stand, and the number of each cell's state, [H, W]. A
        strip narrower than its cell that has grown over does not stand: the cell burns as before.
        """
        shape = self.scene.landscape.shape
        breaks, grid = np.zeros(shape, np.bool_), np.zeros(shape, np.int16)
        assert self.scene.landscape.treatment is not None
        kinds = self.scene.landscape.treatment.ravel()
        for segment, years in zip(self.segments, age.tolist(), strict=True):
            if years >= 0:
                states = [self._state[max(kind, 0)][years]
                          for kind in kinds[segment.cells].tolist()]
                grid.ravel()[segment.cells] = states
                breaks.ravel()[segment.cells] = ~self._burns[states] if self.strips else True
        return breaks, grid
