"""The plans that the explorer shows side by side, made a round at a time so that others get a turn.

The plan that is looked at comes from outside; those to compare it with are made here.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.fire import Scene
from firebreak.planning.evaluation.intervals import Interval
from firebreak.planning.making import make_plan
from firebreak.planning.methods import METHODS
from firebreak.planning.search.filling import tries_quickly
from firebreak.report.explorer.state import ExplorerState

if TYPE_CHECKING:
    from firebreak.agent.policy_file import Policy

COMPARED = ("downstream-value", "segments")
CURVE_POINTS = 17

Breathe = Callable[[], None]
"""Called between two rounds."""


class ShownPlan(NamedTuple):
    """A plan on the page.

    Attributes:
        name: of the method, or of the file it was read from.
        cells: flat, of the view, in order of placement.
        steps: numbers of cells at which the curve was looked at, 0 and all of them included.
        curve: what the explore fires lose less at these steps.
        build_order: the number of the segment of each cell, where the cells come in build order;
            else empty.
        years: in which to build each cell, where the plan has years; else empty.
        names: of the corridor of each cell, where the plan is built of corridors; else empty.
        told: what the first 0 to n segments save of the test fires, as its report says; empty where
            there is none.
    """

    name: str
    cells: tuple[int, ...]
    steps: tuple[int, ...]
    curve: tuple[Interval, ...]
    build_order: tuple[int, ...] = ()
    years: tuple[int, ...] = ()
    names: tuple[str, ...] = ()
    told: tuple[tuple[float, float, float], ...] = ()


class Exploration(NamedTuple):
    """A map and the plan that is looked at. caption: where they come from; standing, existing: flat
    cells of the scene with breaks that stand already, and with a network to compare with.
    """

    state: ExplorerState
    plan: ShownPlan
    caption: str
    standing: Sequence[int] = ()
    existing: Sequence[int] = ()


def exploration(scene: Scene, policy: "Policy | None", budget_share: float,
                plan_fires: int | None, caption: str, name: str, cells: NDArray[np.int64],
                build_order: Sequence[int] = (), years: Sequence[int] = (),
                names: Sequence[str] = ()) -> Exploration:
    """A plan on a map whose fires are kept burning; see `ExplorerState` and `ShownPlan`."""
    state = ExplorerState(scene, budget_share=budget_share, plan_fires=plan_fires, policy=policy)
    return Exploration(state, shown_plan(state, name, cells, lambda: None, build_order, years,
                                         names), caption)


def shown_plan(state: ExplorerState, name: str, cells: NDArray[np.int64],
               breathe: Breathe, build_order: Sequence[int] = (),
               years: Sequence[int] = (), names: Sequence[str] = ()) -> ShownPlan:
    """A plan, in cells of the scene, with its curve."""
    order = tuple(state.view.cells(cells).tolist())
    steps = key_steps(len(order))
    curve = []
    for step in steps:
        curve.append(state.outcome(order[:step]).reduction)
        breathe()
    return ShownPlan(name, order, steps, tuple(curve), tuple(build_order), tuple(years),
                     tuple(names))


def key_steps(count: int) -> tuple[int, ...]:
    """Up to CURVE_POINTS numbers of cells, spread evenly from none to `count`."""
    return tuple(np.unique(np.linspace(0, count, CURVE_POINTS).round().astype(int)).tolist())


def other_methods(scene: Scene, method: str) -> list[str]:
    """Methods to compare with; none that try breaks where each trial burns fires anew."""
    quick = tries_quickly(scene.field)
    return [name for name in COMPARED
            if name != method and (quick or not METHODS[name].tries_breaks)]


def compared_plan(state: ExplorerState, method: str, breathe: Breathe) -> ShownPlan:
    """The plan of one of `other_methods`, made on the same plan fires and for the same budget."""
    made = make_plan(state.scene, state.budget_share, state.plan_fires, method, seed=0,
                     report=lambda share: breathe())
    return shown_plan(state, method, made.cells, breathe)
