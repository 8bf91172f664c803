"""The knee of a plan: the least money that saves nearly as much as the whole plan, on choice fires,
which no method saw. What saves nothing there is not built.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.fire import KnownFires, Scene
from firebreak.landscape.candidates.corridor import Corridor
from firebreak.planning.core.corridors import mask_of, with_crossings
from firebreak.planning.core.plan import Plan, amount_words, cost_of, payable
from firebreak.planning.core.progress import Reporter, no_report
from firebreak.planning.evaluation.build_order import in_build_order
from firebreak.planning.evaluation.choice import ChoiceFires, choice_fires
from firebreak.planning.evaluation.refine import useful_segments

NEARLY, LEAST_KEPT = 0.01, 0.97
"""Share of all loss that a knee may save less than the whole plan, and share of the plan's saving
that it must keep."""
FIRES = 1000
"""Choice fires that the knee is found on."""
WHOLE_COST, WHOLE_SAVED, KNEE_SAVED = "whole_cost", "whole_saved", "knee_saved"
"""Notes of a plan that ends at its knee: the cost of the whole plan, and the shares of the loss of
the choice fires that it and the beginning which is kept save."""


class Knee(NamedTuple):
    """The plan up to its knee, and its parts in the order to build them."""

    plan: Plan
    parts: list[Corridor]


def knee_fires(scene: Scene) -> ChoiceFires:
    """The choice fires that the knee of a plan is found on."""
    return choice_fires(scene, FIRES)


def at_knee(scene: Scene, plan: Plan, parts: Sequence[Corridor], included: NDArray[np.int64],
            report: Reporter = no_report) -> Knee:
    """A plan up to its knee.

    Args:
        parts: the plan's, see `core.corridors.parts_of`.
        included: flat cells that the plan must have: their parts stay.
        report: takes the share that is done.

    Raises:
        InputError: the choice fires burn nothing of value.
    """
    ordered = 0.0

    def order_more(done: float) -> None:
        nonlocal ordered
        ordered += done
        report(0.5 * ordered / len(parts))

    order = in_build_order(scene, sorted(parts, key=lambda part: int(part.cells[0])),
                           plan.plan_fires, order_more if parts else no_report)
    shape, none = scene.landscape.shape, knee_fires(scene).known
    whole = none.under(mask_of(order, shape))

    def saved_by(fires: KnownFires) -> float:
        return 1.0 - float(fires.loss.mean() / none.loss.mean())

    report(0.6)
    most = saved_by(whole)
    least = most - min(NEARLY, (1.0 - LEAST_KEPT) * max(most, 0.0))
    # Fires under fewer and more parts tell most of those between. More parts save more, mostly; if
    # not, fewer may do too, but without the last of those kept these would not.
    few, many, fewer, more = -1, len(order), none, whole
    while many - few > 1:
        middle = (few + many) // 2
        tried = fewer.under(mask_of(order[:middle], shape), more)
        if saved_by(tried) >= least:
            many, more = middle, tried
        else:
            few, fewer = middle, tried
    report(0.8)
    kept = [part for k, part in enumerate(order)
            if k < many or np.isin(part.cells, included).any()]
    kept = with_crossings(useful_segments(more, kept, included), scene.landscape)
    cells = np.concatenate([included[:0], *(part.in_order() for part in kept)])
    by_knee = saved_by(more.under(mask_of(kept, shape)))
    report(1.0)
    return Knee(replace(plan, cells=cells, cost=cost_of(cells, scene.landscape), notes={
        **(plan.notes or {}), WHOLE_COST: plan.cost, WHOLE_SAVED: most,
        KNEE_SAVED: by_knee}), kept)


def knee_words(plan: Plan) -> str | None:
    """A sentence on where more money stops paying; None of a plan that does not end at its knee."""
    notes = plan.notes or {}
    if WHOLE_COST not in notes or not notes[WHOLE_SAVED] > 0.0:
        return None
    unit, whole, words = plan.priced_in, notes[WHOLE_COST], []
    if plan.cost < whole:
        share = notes[KNEE_SAVED] / notes[WHOLE_SAVED]
        words.append(f"{plan.cost:,.6g} of {amount_words(whole, unit)} do {share:.0%} of what "
                     "the whole plan saves on choice fires, which no method saw: the plan stops "
                     "there")
    if (rest := payable(plan.budget, unit) - whole) > 0.01 * plan.budget:
        words.append(f"nothing more was found to build for the other {amount_words(rest, unit)} of "
                     "the budget")
    return "; ".join(words) or None
