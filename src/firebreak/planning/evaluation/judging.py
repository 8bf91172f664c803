"""Plans judged on the fires of one scene, which burn without and with each plan's breaks.

Every plan of a scene meets the same test fires, the untreated map too. An ignition inside a
treated cell still burns and spreads.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

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
        untreated_burned_share: share of the area's burnable cells that they burn, mean.
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


class SceneResult(NamedTuple):
    """Methods on one scene, all on the same test fires.

    Attributes:
        rows: by method.
        saved: by method f64 [F], what each test fire loses less, as often as it counts.
        untreated: f64 [F], what it loses without breaks.
        weather, times: i64, f64 [F], in which it burns, and how often it counts.
    """

    rows: dict[str, Row]
    saved: dict[str, NDArray[np.float64]]
    untreated: NDArray[np.float64]
    weather: NDArray[np.int64]
    times: NDArray[np.float64]


Burn = Callable[[Scene, Fires, NDArray[np.bool_] | None], BurnResult]
"""Burns fires on a scene under breaks, or without any."""


def statistics(scene: Scene, fires: Fires, breaks: NDArray[np.bool_] | None = None) -> BurnResult:
    """Burns fires here."""
    return burn(scene, fires, breaks, want="statistics")


def judge_scene(scene: Scene, plans: Mapping[str, Sequence[Plan]], plan_fires: int,
                test_fires: int, given: Collection[str] = (), report: Reporter = no_report,
                burn: Burn = statistics,
                own_scenes: Mapping[str, Scene] = MappingProxyType({})) -> SceneResult:
    """Burns the plan fires and the test fires under each plan of a scene.

    Args:
        plans: by name the plans of a method; the result is the mean over them.
        plan_fires, test_fires: number of fires of the sets "plan" and "test".
        given: names of plans made elsewhere.
        report: takes fires as they burn, those without breaks too.
        burn: burns them, with the bits of `statistics`.
        own_scenes: by name of a plan the scene with its own treatments, see `evaluate`.

    Raises:
        InputError: fires that burn nothing of value.
    """
    test, shown = (scene.fires(name, count) for name, count in (
        (TEST_SET, test_fires), ("plan", plan_fires)))
    before, before_shown = (burn(scene, fires, None) for fires in (test, shown))
    if not (before.loss.mean() > 0.0 and before_shown.loss.mean() > 0.0):
        raise nothing_burned(scene)
    report(test_fires + plan_fires)
    land = scene.landscape
    share = float(before.burn_probability[land.burnable & land.inside].mean())
    result = SceneResult({}, {}, before.loss, test.scenario, test.times)
    for name, own in plans.items():
        saved, measures = [], []
        for plan in own:
            mask = plan.break_mask()
            made = own_scenes.get(name, scene)
            after, promised = ((burn(made, test, mask), burn(made, shown, mask)) if mask.any()
                               else (before, before_shown))
            saved.append(before.loss - after.loss)
            measures.append((
                _mean_drop(before, after),
                relative_drop(_loss_off(mask, before), _loss_off(mask, after)),
                relative_drop(*(worst_tenth_mean(own.loss, test.times)
                                for own in (before, after))),
                _mean_drop(before_shown, promised)))
            report(test_fires + plan_fires)
        reduction, untreated_cells, cvar90, promise = (
            float(np.mean(column)) for column in zip(*measures, strict=True))
        result.saved[name] = np.mean(saved, axis=0)
        result.rows[name] = row_of(
            scene, name, own, float(before.loss.mean()), share, reduction, untreated_cells, cvar90,
            None if name in given else promise)
    return result


def row_of(scene: Scene, name: str, plans: Sequence[Plan], untreated: float, burned_share: float,
           reduction: float, untreated_cells: float, cvar90: float, promised: float | None) -> Row:
    """The row of a method whose plans these are; the other arguments are fields of `Row`."""
    unit = value_unit(scene.landscape)
    return Row(
        landscape=scene.landscape.name, budget=plans[0].budget_share,
        plan_fires=plans[0].plan_fires, method=name, untreated_loss=untreated,
        untreated_loss_in_unit=untreated * unit.per_value, loss_unit=unit.name,
        untreated_burned_share=burned_share, median_duration_min=scene.median_duration_min,
        reduction=reduction, reduction_untreated_cells=untreated_cells, cvar90_reduction=cvar90,
        in_sample_reduction=promised, seconds=float(np.mean([plan.seconds for plan in plans])),
        simulations=float(np.mean([plan.simulations for plan in plans])))


def _mean_drop(before: BurnResult, after: BurnResult) -> float:
    return relative_drop(float(before.loss.mean()), float(after.loss.mean()))


def _loss_off(mask: NDArray[np.bool_], burned: BurnResult) -> float:
    """Mean loss on the cells outside the plan: [H, W] mask, True = treated."""
    return float(burned.lost[~mask].sum())
