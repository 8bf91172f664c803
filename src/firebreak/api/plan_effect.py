"""The effect of a plan on test fires, as Python programs get it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from firebreak.api.plans.at_once import PlanAtOnce
from firebreak.checks import fail
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.value_unit import value_unit
from firebreak.planning.core.area import Offset, lift_grid
from firebreak.planning.evaluation.effect import risk, risk_of
from firebreak.planning.evaluation.intervals import Interval
from firebreak.planning.output.export_effect import segment_columns
from firebreak.planning.years.savings import YearsResult

if TYPE_CHECKING:
    from firebreak.api.plans.by_windows import PlanByWindows

Grid = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class PlanEffect:
    """Changes by a plan on test fires that no method was given; grids are [H, W] of the whole
    map, nan where it was not planned for.

    Attributes:
        reduction: share of the loss without breaks that the plan prevents, with its 95 % interval.
        cvar90_reduction: the same of the mean of the worst tenth of the fires.
        mean_loss_before, mean_loss_after: of a fire, without and with the breaks, in `loss_unit`.
        segments: of each segment, in the order in which to build them, or in which a plan by
            windows took them, what is known of it.
        test_fires: their number.
        loss_unit: what losses are counted in: hectares, houses, money.
        years: of a plan over years, its schedules and what each saves; None without a horizon.
    """

    reduction: Interval
    cvar90_reduction: Interval
    mean_loss_before: Interval
    mean_loss_after: Interval
    segments: tuple[Mapping[str, Any], ...]
    test_fires: int
    loss_unit: str
    years: "YearsResult | None" = None
    _grids: tuple[Grid, Grid, Grid] | None = None

    @property
    def burn_probability_before(self) -> Grid:
        """Burn probability of each cell without the breaks.

        Raises:
            InputError: a plan by windows, which has no such maps.
        """
        return self._grid(0)

    @property
    def burn_probability_after(self) -> Grid:
        """Burn probability of each cell with the breaks; raises as `burn_probability_before`."""
        return self._grid(1)

    @property
    def burn_probability_half_width(self) -> Grid:
        """Half the 95 % interval of after minus before; raises as `burn_probability_before`."""
        return self._grid(2)

    def _grid(self, number: int) -> Grid:
        if self._grids is None:
            raise fail(expected="a plan that was made at once", given="one by windows",
                       where="burn probability",
                       remedy="burn the plan with firebreak.simulate(landscape, plan=FOLDER)")
        return self._grids[number]

    def __repr__(self) -> str:
        low, high = self.reduction.low, self.reduction.high
        return (f"<effect on {self.test_fires:,} test fires: expected loss lower by "
                f"{self.reduction.mean:.1%} ({low:.1%} to {high:.1%})>")


def effect_at_once(run: PlanAtOnce) -> PlanEffect | None:
    """The effect of a plan that was made at once; None where nothing judged it."""
    if run.judgement is None:
        return None
    result, effect = run.judgement.result, run.judgement.result.effect
    numbers = risk(effect)
    before, after, half_width = (
        on_map(grid, result.scene.landscape, result.full, result.offset)
        for grid in (effect.before, effect.after, effect.half_width))
    return PlanEffect(
        reduction=numbers["mean_loss_reduction"], cvar90_reduction=numbers["cvar90_reduction"],
        mean_loss_before=numbers["mean_loss_before"], mean_loss_after=numbers["mean_loss_after"],
        segments=tuple(segment_columns(result)), test_fires=int(effect.loss.shape[1]),
        loss_unit=result.unit.name, years=result.over_years, _grids=(before, after, half_width))


def effect_by_windows(run: "PlanByWindows") -> PlanEffect | None:
    """The effect of a plan by windows; None where nothing judged it."""
    judgement, unit = run.judgement, value_unit(run.region.scene.landscape)
    if judgement is None:
        return None
    numbers = risk_of(judgement.before * unit.per_value, judgement.after * unit.per_value,
                      judgement.groups)
    return PlanEffect(
        reduction=judgement.saved, cvar90_reduction=numbers["cvar90_reduction"],
        mean_loss_before=numbers["mean_loss_before"], mean_loss_after=numbers["mean_loss_after"],
        segments=tuple(judgement.columns), test_fires=judgement.before.size, loss_unit=unit.name)


def on_map(grid: Grid, part: Landscape, full: Landscape, offset: Offset) -> Grid:
    """A grid of a part of the map on the whole map, nan outside it; read-only."""
    whole = lift_grid(grid.astype(np.float64), part, offset, full, np.nan)
    whole.flags.writeable = False
    return whole
