"""What schedules save: a year's fires burn with every segment in the state of its age.

Years are taken for independent, and fuel outside breaks stays as it is. Fires of a set of their own
choose among the schedules; test fires, which no method was given, say what each of them saves.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import fail
from firebreak.env.storage.problem import nothing_burned
from firebreak.fire import Scene, burn_loss, with_states
from firebreak.landscape.costs import treated_ha
from firebreak.landscape.treatment_table import TreatmentRow
from firebreak.planning.core.break_segments import BreakSegment
from firebreak.planning.core.progress import Reporter, no_report
from firebreak.planning.evaluation.judging import TEST_SET
from firebreak.planning.evaluation.statistics import bootstrap_means, percentile_interval
from firebreak.planning.years.schedule import (
    BUILD_ONCE,
    RULES,
    Schedule,
    prices_of,
    schedule_of,
)
from firebreak.seeding import generator

SCHEDULE_SET = "schedule"
"""Fires that choose among schedules."""
SCHEDULE_FIRES = 512
Floats = NDArray[np.float64]


class Saved(NamedTuple):
    """A schedule on the test fires: the share of the loss of all years that it prevents, with its
    95 % interval, and how much more that is than building once; by_year: f64 [Y].
    """

    reduction: float
    low: float
    high: float
    more: float
    more_low: float
    more_high: float
    by_year: Floats


class YearsResult(NamedTuple):
    """Schedules of one plan: by name what each does and saves, and the one that is kept.

    chosen_by: by name the reduction on the fires that chose. test_fires: how many say what each
    saves.
    """

    schedules: dict[str, Schedule]
    saved: dict[str, Saved]
    chosen_by: dict[str, float]
    chosen: str
    years: list[int]
    test_fires: int


def check_horizon(rows: Sequence[TreatmentRow], horizon: int, where: str) -> None:
    """Refuses what cannot be planned over years.

    Raises:
        InputError: no treatments, a horizon longer than the table of ageing, or states that leave
            bare ground.
    """
    if not rows:
        raise fail(expected="a treatment, whose table says what breaks become", given="none",
                   where=where, remedy="name one by --treatment")
    least = min(rows, key=lambda row: row.years)
    if horizon > least.years + 1:
        raise fail(expected=f"at most {least.years + 1} years, which the states of {least.name} "
                            "reach to", given=f"{horizon}", where=where,
                   remedy="lower it, or add a state to a table of your own")
    bare = [row.name for row in rows for state in row.states if state.bare]
    if bare:
        raise fail(expected="treatments whose cells burn at every age", given=bare[0], where=where,
                   remedy="plan bare lines by --phases, or name another treatment")


def years_of_plan(scene: Scene, segments: Sequence[BreakSegment], rows: Sequence[TreatmentRow],
                  years: list[int], money: Sequence[float], test_fires: int, seed: int,
                  report: Reporter = no_report) -> YearsResult:
    """The schedules of a plan's segments, in build order, and what each saves.

    Args:
        rows: the treatments that the landscape's `treatment` numbers.
        years, money: of each year its name and what may be spent.
        report: takes schedules as they are judged, of `RULES`.

    Raises:
        InputError: fires that burn nothing of value.
    """
    land = scene.landscape
    assert land.treatment is not None
    own = np.maximum(land.treatment.ravel(), 0)
    upkeep = np.array([row.upkeep_per_ha_year for row in rows])[own] * treated_ha(land)
    fresh = np.array([row.states[0].to_year for row in rows])[own]
    prices = prices_of(segments, upkeep, fresh)
    burner = _Burner(scene, segments, rows, test_fires)
    schedules, losses = {}, {}
    for rule in RULES:
        schedules[rule.name] = schedule_of(rule, prices, money)
        losses[rule.name] = [burner.losses(schedules[rule.name].age, chosen_on)
                             for chosen_on in (SCHEDULE_SET, TEST_SET)]
        report(1)
    before = {fires: burner.untreated(fires) for fires in (SCHEDULE_SET, TEST_SET)}
    chosen_by = {name: float(1.0 - own_loss[0].mean() / before[SCHEDULE_SET].mean())
                 for name, own_loss in losses.items()}
    # The first of those that are alike: rounding of a mean decides nothing.
    best = max(chosen_by.values())
    chosen = next(name for name, share in chosen_by.items() if share >= best - 1e-12)
    return YearsResult(schedules, _saved({name: own_loss[1] for name, own_loss in losses.items()},
                                         before[TEST_SET], seed),
                       chosen_by, chosen, years, test_fires)


def _saved(losses: Mapping[str, Floats], before: Floats, seed: int) -> dict[str, Saved]:
    """Losses f64 [Y, F] of each schedule beside those without breaks, f64 [F]."""
    names = list(losses)
    means = np.stack([losses[name].mean(axis=0) for name in names], axis=1)
    drawn = bootstrap_means(np.column_stack([before, means]), generator(seed, "years", "bootstrap"))
    shares = 1.0 - drawn[:, 1:] / drawn[:, :1]
    whole = before.mean()
    own = 1.0 - means.mean(axis=0) / whole
    once = names.index(BUILD_ONCE.name)
    return {name: Saved(float(own[k]), *percentile_interval(shares[:, k]),
                        float(own[k] - own[once]),
                        *percentile_interval(shares[:, k] - shares[:, once]),
                        1.0 - losses[name].mean(axis=1) / whole)
            for k, name in enumerate(names)}


class _Burner:
    """Burns fires under segments of given ages; what was burned once is not burned again."""

    def __init__(self, scene: Scene, segments: Sequence[BreakSegment],
                 rows: Sequence[TreatmentRow], test_fires: int) -> None:
        self.scene, self.segments = scene, segments
        self.states = [state.treatment for row in rows for state in row.states]
        # By treatment and age the number of its state.
        first = np.cumsum([0, *(len(row.states) for row in rows)])
        self._state = [[int(first[k]) + row.states.index(row.state_at(age, "years"))
                        for age in range(row.years + 1)] for k, row in enumerate(rows)]
        self.fires = {SCHEDULE_SET: scene.fires(SCHEDULE_SET, SCHEDULE_FIRES),
                      TEST_SET: scene.fires(TEST_SET, test_fires)}
        self._known: dict[tuple[str, bytes], Floats] = {}

    def untreated(self, fires: str) -> Floats:
        """Loss of each fire without breaks, f64 [F]."""
        loss = burn_loss(self.scene.field, self.fires[fires], self.scene.value_by_class)
        if not loss.mean() > 0.0:
            raise nothing_burned(self.scene)
        return loss

    def losses(self, age: NDArray[np.int64], fires: str) -> Floats:
        """Loss of each fire in each year, f64 [Y, F], with segments of these ages, [Y, n]."""
        return np.stack([self._year(one, fires) for one in age])

    def _year(self, age: NDArray[np.int64], fires: str) -> Floats:
        key = (fires, age.tobytes())
        if key not in self._known:
            breaks, grid = self.laid_out(age)
            world = with_states(self.scene, self.states, grid) if breaks.any() else self.scene
            self._known[key] = burn_loss(world.field, self.fires[fires], world.value_by_class,
                                         breaks)
        return self._known[key]

    def laid_out(self, age: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.int16]]:
        """The cells of the segments that stand, and the number of each cell's state, [H, W]."""
        shape = self.scene.landscape.shape
        breaks, grid = np.zeros(shape, np.bool_), np.zeros(shape, np.int16)
        assert self.scene.landscape.treatment is not None
        kinds = self.scene.landscape.treatment.ravel()
        for segment, years in zip(self.segments, age.tolist(), strict=True):
            if years >= 0:
                breaks.ravel()[segment.cells] = True
                grid.ravel()[segment.cells] = [self._state[max(kind, 0)][years]
                                               for kind in kinds[segment.cells].tolist()]
        return breaks, grid
