"""The quick plans that searches start from, and greedy among the cells of most downstream value."""

from firebreak.checks import InputError
from firebreak.planning.core.progress import no_report
from firebreak.planning.core.rounds import Placement, PlanningCase, Task
from firebreak.planning.methods import METHODS, called
from firebreak.planning.search.filling import by_downstream_value, check_case, fill, tries_quickly
from firebreak.planning.search.plan_state import PlanState

FILTERED = 64
"""Cells with the most downstream value that `greedy-filtered` tries at every step."""


def place_greedy_filtered(task: Task) -> Placement:
    """Choose like `greedy` among the FILTERED cells of every step with most value burned behind."""
    state = PlanState(task.problem)
    fill(state, by_downstream_value(FILTERED), task.batch, task.report)
    return state.placement()


def starts_of(task: Task, start: str | None) -> tuple[list[list[int]], float]:
    """Plans that a search starts from, cells in order of placement, and the simulations they took:
    that of the method `start`, else those of downstream value and of greedy (greedy-filtered on
    maps that are too large for it, and where its trials are slow).

    Raises:
        InputError: the method refuses.
    """
    places = [called(METHODS["downstream-value"].place),
              called(METHODS["greedy"].place) if _is_quick(task) else place_greedy_filtered]
    if start is not None:
        places = [called(METHODS[start].place)]
    placed = [place(task._replace(report=no_report)) for place in places]
    return [own.cells.tolist() for own in placed], sum(own.simulations for own in placed)


def _is_quick(task: Task) -> bool:
    """True if trying every cell at every step is within reach."""
    try:
        check_case(PlanningCase.of(task.problem))
    except InputError:
        return False
    return tries_quickly(task.problem.scene.field)
