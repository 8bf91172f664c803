"""What one plan achieves on one scene: its fires burned without and with the plan's breaks.

Every plan of a scene meets the same test fires, the untreated map too. An ignition inside a
treated cell still burns and spreads.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.env.storage.problem import nothing_burned
from firebreak.fire import BurnResult, Fires, Scene, burn
from firebreak.landscape.value_unit import value_unit
from firebreak.planning.core.plan import Plan
from firebreak.planning.core.progress import Reporter, no_report
from firebreak.planning.evaluation.losses import relative_drop, worst_tenth_mean

TEST_SET = "test"


class Row(NamedTuple):
    """One method on one landscape; reductions are shares of the untreated mean loss.

    Attributes:
        landscape: its name.
        budget: share of the cost of all treatable cells.
        plan_fires: fires the method was shown.
        method: its name.
        untreated_loss: mean loss of the test fires without breaks, in units of value.
        untreated_loss_in_unit, loss_unit: the same in hectares, houses or money, and which of them;
            see `landscape.value_unit`.
        untreated_burned_share: share of the burnable cells that they burn, mean.
        median_duration_min: of the landscape's fires, set to burn the share that was asked for.
        reduction: drop of the mean loss.
        reduction_untreated_cells: the same, counting only cells that the plan does not treat.
        cvar90_reduction: drop of the mean loss of the worst 10 % of fires.
        in_sample_reduction: `reduction` on the plan fires: what the plan promised; None for a
            plan made elsewhere, which may have been shown others.
        seconds, simulations: cost of planning, see `Plan`.
    """

    landscape: str
    budget: float
    plan_fires: int
    method: str
    untreated_loss: float
    untreated_loss_in_unit: float
    loss_unit: str
    untreated_burned_share: float
    median_duration_min: float
    reduction: float
    reduction_untreated_cells: float
    cvar90_reduction: float
    in_sample_reduction: float | None
    seconds: float
    simulations: float


class _Burned(NamedTuple):
    fires: Fires
    untreated: BurnResult


class Judged(NamedTuple):
    """A method on a scene. saved, untreated: f64 [F], loss per test fire. weather: i64 [F], of
    each fire.
    """

    row: Row
    saved: NDArray[np.float64]
    untreated: NDArray[np.float64]
    weather: NDArray[np.int64]


Burn = Callable[[Scene, Fires, NDArray[np.bool_] | None], BurnResult]
"""Burns fires on a scene under breaks, or without any."""


def statistics(scene: Scene, fires: Fires,
               breaks: NDArray[np.bool_] | None = None) -> BurnResult:
    """Burns fires here."""
    return burn(scene, fires, breaks, want="statistics")


def judge_scene(scene: Scene, made: Mapping[str, list[Plan]], given: Mapping[str, Plan],
                plan_fires: int, test_fires: int, report: Reporter = no_report,
                burn: Burn = statistics) -> dict[str, Judged]:
    """Burns the plan fires and the test fires under each plan of a scene.

    Args:
        made: by name the plans of a method; the result is the mean over them.
        given: by name plans made elsewhere.
        plan_fires, test_fires: number of fires of the sets "plan" and "test".
        report: takes fires as they burn, those without breaks too.
        burn: burns them, with the bits of `statistics`.

    Raises:
        InputError: fires that burn nothing of value.
    """
    test, plan_set = (_burned(scene, scene.fires(name, count), burn)
                   for name, count in ((TEST_SET, test_fires), ("plan", plan_fires)))
    report(test_fires + plan_fires)

    def judge(name: str, plan: Plan) -> Judged:
        found = _judge(scene, name, plan, test, plan_set, burn)
        report(test_fires + plan_fires)
        return found

    judged = {name: _mean_judged([judge(name, plan) for plan in plans])
              for name, plans in made.items()}
    for name, plan in given.items():
        own = judge(name, plan)
        judged[name] = own._replace(row=own.row._replace(in_sample_reduction=None))
    return judged


def _burned(scene: Scene, fires: Fires, burn: Burn) -> _Burned:
    untreated = burn(scene, fires, None)
    if not untreated.loss.mean() > 0.0:
        raise nothing_burned(scene)
    return _Burned(fires, untreated)


def _judge(scene: Scene, name: str, plan: Plan, test: _Burned, plan_set: _Burned,
           burn: Burn) -> Judged:
    mask = plan.break_mask()
    before = test.untreated
    after, promised = (burn(scene, burned.fires, mask) if mask.any()
                       else burned.untreated for burned in (test, plan_set))
    row = Row(
        landscape=scene.landscape.name, budget=plan.budget_share, plan_fires=plan.plan_fires,
        method=name, **untreated_loss_of(scene, float(before.loss.mean())),
        untreated_burned_share=float(before.burn_probability[scene.landscape.burnable].mean()),
        median_duration_min=scene.median_duration_min,
        reduction=_mean_drop(before, after),
        reduction_untreated_cells=relative_drop(_loss_off(mask, before), _loss_off(mask, after)),
        cvar90_reduction=relative_drop(worst_tenth_mean(before.loss),
                                       worst_tenth_mean(after.loss)),
        in_sample_reduction=_mean_drop(plan_set.untreated, promised),
        seconds=plan.seconds, simulations=plan.simulations)
    return Judged(row, before.loss - after.loss, before.loss, test.fires.scenario)


def untreated_loss_of(scene: Scene, loss: float) -> dict[str, Any]:
    """The fields of a row that tell the mean loss without breaks."""
    unit = value_unit(scene.landscape)
    return {"untreated_loss": loss, "untreated_loss_in_unit": loss * unit.per_value,
            "loss_unit": unit.name}


def _mean_drop(before: BurnResult, after: BurnResult) -> float:
    return relative_drop(float(before.loss.mean()), float(after.loss.mean()))


def _loss_off(mask: NDArray[np.bool_], burned: BurnResult) -> float:
    """Mean loss on the cells outside the plan: [H, W] mask, True = treated."""
    return float(burned.lost[~mask].sum())


def _mean_judged(draws: list[Judged]) -> Judged:
    """The mean of several plans of one method on one scene."""
    measured = Row._fields[Row._fields.index("reduction"):]
    numbers: dict[str, Any] = {
        field: float(np.mean([getattr(draw.row, field) for draw in draws])) for field in measured}
    return draws[0]._replace(row=draws[0].row._replace(**numbers),
                             saved=np.mean([draw.saved for draw in draws], axis=0))
