"""Greedy by the loss that each break saves on the plan fires, exactly burned."""

from firebreak.checks import fail
from firebreak.fire import TravelField
from firebreak.planning.core.rounds import Job, Placement, Task
from firebreak.planning.search.filling import fill
from firebreak.planning.search.plan_state import PlanState

MAX_CELLS = 40 * 40
MAX_CELLS_OF_FEW_FIRES, MAX_FEW_FIRES = 64 * 64, 256
"""Treatable cells, which are what is tried: a margin in which fires only burn costs little."""


def place_greedy(task: Task) -> Placement:
    """Every step the break that saves most per cost, of all cells.

    Raises:
        InputError: more treatable cells than on 40 x 40 (on 64 x 64 for up to 256 plan fires).
    """
    check_job(Job.of(task.problem))
    state = PlanState(task.problem, keep_gains=True)
    fill(state, PlanState.available, task.batch, task.report)
    return state.placement()


def check_job(job: Job) -> None:
    """Refuses a map on which not every cell can be tried at every step.

    Raises:
        InputError: more treatable cells than on 40 x 40 (on 64 x 64 for up to 256 plan fires).
    """
    treatable = int(job.land.treatable.sum())
    if treatable > (MAX_CELLS_OF_FEW_FIRES if job.plan_fires <= MAX_FEW_FIRES else MAX_CELLS):
        raise fail(expected=f"at most {MAX_CELLS:,} treatable cells, or "
                            f"{MAX_CELLS_OF_FEW_FIRES:,} with up to {MAX_FEW_FIRES} plan fires",
                   given=f"{treatable:,} with {job.plan_fires:,}", where="method greedy",
                   remedy=f"use segments, or {job.smaller}")


def tries_quickly(field: TravelField) -> bool:
    """Whether the fires that a break changes are solved again from where it changes them, in one
    weather: else every trial burns fires anew, or a fire's hours one by one.
    """
    return not field.breaks.burns_anew and field.steps == 1 and not field.spots.cells.size
