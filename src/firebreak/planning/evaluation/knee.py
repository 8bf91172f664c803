"""The knee of a plan: the least money that saves nearly as much as the whole plan, on choice fires,
which no method saw. What saves nothing there is not built.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.env.storage.problem import nothing_burned, problem_of
from firebreak.env.storage.problem_batch import SLOT_0, ProblemBatch, sizes_for
from firebreak.fire import Fires, Scene
from firebreak.landscape.candidates.corridor import Corridor
from firebreak.planning.core.fire_counts import CHOICE_SET
from firebreak.planning.core.plan import Plan, cost_of
from firebreak.planning.core.progress import Reporter, no_report
from firebreak.planning.evaluation.build_order import in_build_order
from firebreak.planning.evaluation.effect import fire_batches
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
    fires = scene.fires(CHOICE_SET, FIRES)
    loss = losses_of_beginnings(scene, order, fires)
    if not loss[0] > 0.0:
        raise nothing_burned(scene)
    saved = 1.0 - loss / loss[0]
    report(0.75)
    less = min(NEARLY, (1.0 - LEAST_KEPT) * max(float(saved[-1]), 0.0))
    count = int(np.flatnonzero(saved >= saved[-1] - less)[0])
    kept = [part for k, part in enumerate(order)
            if k < count or np.isin(part.cells, included).any()]
    useful = {int(part.cells[0]) for part in useful_segments(scene, fires, kept, included)}
    kept = [part for part in kept if int(part.cells[0]) in useful]
    cells = np.concatenate([np.empty(0, np.int64), *(part.in_order() for part in kept)])
    if [int(part.cells[0]) for part in kept] == [int(part.cells[0]) for part in order[:len(kept)]]:
        by_knee = saved[len(kept)]
    else:
        once = [kept[0]._replace(cells=cells)] if kept else []
        by_knee = 1.0 - losses_of_beginnings(scene, once, fires)[-1] / loss[0]
    report(1.0)
    return Knee(replace(plan, cells=cells, cost=cost_of(cells, scene.landscape), notes={
        **(plan.notes or {}), WHOLE_COST: plan.cost, WHOLE_SAVED: float(saved[-1]),
        KNEE_SAVED: float(by_knee)}), kept)


def losses_of_beginnings(scene: Scene, parts: Sequence[Corridor],
                         fires: Fires) -> NDArray[np.float64]:
    """Mean loss of fires under the first 0 to n parts, f64 [n + 1]."""
    batches = fire_batches(fires.source.size, scene.landscape.fuel_model.size, least=1)
    slots = ProblemBatch(sizes_for(scene, 1, max(part.stop - part.start for part in batches), 0))
    total = np.zeros(len(parts) + 1)
    for batch in batches:
        own = fires.part(batch)
        slots.load(0, problem_of(scene, 1.0, own, own.first(0)))
        slots.update(SLOT_0, fresh=True)
        total[0] += float(slots.plan_trees(0).loss.sum())
        for k, part in enumerate(parts, start=1):
            slots.place(0, part.cells)
            slots.update(SLOT_0)
            total[k] += float(slots.plan_trees(0).loss.sum())
    return total / fires.source.size


def knee_words(plan: Plan) -> str | None:
    """A sentence on where more money stops paying; None of a plan that does not end at its knee."""
    notes = plan.notes or {}
    if WHOLE_COST not in notes or not notes[WHOLE_SAVED] > 0.0:
        return None
    unit, whole, words = plan.priced_in, notes[WHOLE_COST], []
    if plan.cost < whole:
        share = notes[KNEE_SAVED] / notes[WHOLE_SAVED]
        words.append(f"{plan.cost:,.6g} of {whole:,.6g} {unit} do {share:.0%} of what the whole "
                     "plan saves on choice fires, which no method saw: the plan stops there")
    if (rest := plan.budget - whole) > 0.01 * plan.budget:
        words.append(f"nothing more was found to build for the other {rest:,.6g} {unit} of the "
                     "budget")
    return "; ".join(words) or None
