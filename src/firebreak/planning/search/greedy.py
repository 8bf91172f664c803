"""Greedy by the loss that each break saves on the plan fires, exactly burned; and the quick plans
that searches start from."""

from firebreak.checks import fail
from firebreak.env.storage.problem import Problem
from firebreak.fire import TravelField
from firebreak.planning.core.rounds import Job, Placement, Task
from firebreak.planning.search.filling import Candidates, by_downstream_value, fill
from firebreak.planning.search.plan_state import PlanState

FILTERED = 64
"""Cells with the most downstream value that `greedy-filtered` tries at every step."""

MAX_CELLS = 40 * 40
MAX_CELLS_OF_FEW_FIRES, MAX_FEW_FIRES = 64 * 64, 256
"""Treatable cells, which are what is tried: a margin in which fires only burn costs little."""


def place_greedy(task: Task) -> Placement:
    """Every step the break that saves most per cost, of all cells.

    Raises:
        InputError: more treatable cells than on 40 x 40 (on 64 x 64 for up to 256 plan fires).
    """
    check_job(Job.of(task.problem))
    return _greedy(task, PlanState.available, keep_gains=True)


def check_job(job: Job) -> None:
    """Refuses a map on which not every cell can be tried at every step.

    Raises:
        InputError: more treatable cells than on 40 x 40 (on 64 x 64 for up to 256 plan fires).
    """
    treatable = int(job.land.treatable.sum())
    if not _is_affordable(treatable, job.plan_fires):
        raise fail(expected=f"at most {MAX_CELLS:,} treatable cells, or "
                            f"{MAX_CELLS_OF_FEW_FIRES:,} with up to {MAX_FEW_FIRES} plan fires",
                   given=f"{treatable:,} with {job.plan_fires:,}", where="method greedy",
                   remedy=f"use greedy-filtered, or {job.smaller}")


def place_greedy_filtered(task: Task) -> Placement:
    """As `greedy` among the FILTERED cells of every step with the most value burned behind them."""
    return _greedy(task, by_downstream_value(FILTERED), keep_gains=False)


def exact_is_affordable(problem: Problem) -> bool:
    """Whether trying every cell at every step is within reach."""
    return _is_affordable(_treatable(problem), problem.plan_fires.source.size)


def _is_affordable(treatable: int, plan_fires: int) -> bool:
    few = plan_fires <= MAX_FEW_FIRES
    return treatable <= (MAX_CELLS_OF_FEW_FIRES if few else MAX_CELLS)


def tries_quickly(field: TravelField) -> bool:
    """Whether the fires that a break changes are solved again from where it changes them, in one
    weather: else every trial burns fires anew, or a fire's hours one by one.
    """
    return not field.breaks.burns_anew and field.steps == 1 and not field.spots.cells.size


def starts_of(task: Task) -> tuple[list[list[int]], float]:
    """Plans that a search starts from, cells in order of placement, and the simulations they took:
    that of the method that the task names, else those of downstream value and of greedy
    (greedy-filtered on maps that are too large for it, and where its trials are slow).

    Raises:
        InputError: the method refuses.
    """
    quick = exact_is_affordable(task.problem) and tries_quickly(task.problem.scene.field)
    greedy = "greedy" if quick else "greedy-filtered"
    names = ["downstream-value", greedy] if task.search.start is None else [task.search.start]
    placed = [task.place(name) for name in names]
    return [own.cells.tolist() for own in placed], sum(own.simulations for own in placed)


def _treatable(problem: Problem) -> int:
    return int(problem.scene.landscape.treatable.sum())


def _greedy(task: Task, candidates: Candidates, keep_gains: bool) -> Placement:
    state = PlanState(task.problem, keep_gains)
    fill(state, candidates, task.batch, task.report)
    return state.placement()
