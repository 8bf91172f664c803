"""Single breaks move, then several that lie together, as long as the plan fires lose less."""

import numpy as np
from benchmarks.rivals.starts import starts_of

from firebreak.planning.core.limits import Effort
from firebreak.planning.core.rounds import Placement, Task
from firebreak.planning.search.filling import (
    best_first,
    by_downstream_value,
    randomized_fill,
    with_neighbours,
)
from firebreak.planning.search.moves import (
    CANDIDATES,
    REACH,
    large_neighbourhood_search,
    local_search,
)
from firebreak.planning.search.plan_state import PlanState
from firebreak.seeding import generator

SKIPPED = 0.3
"""Chance that a cell is skipped when breaks are placed anew."""


def place_swap(task: Task, start: str | None = None) -> Placement:
    """Swaps from the plan of the method `start`, else from the best quick plan, until the limit is
    reached.

    Raises:
        InputError: as the method of the start.
    """
    found, spent = starts_of(task, start)
    effort = Effort(task.search, task.report)
    rng = generator(task.seed, "swap", task.problem.scene.key)
    state = PlanState(task.problem)
    candidates = with_neighbours(by_downstream_value(CANDIDATES), REACH)
    ends = []
    for cells in found:
        state.become(cells)
        local_search(state, candidates, effort)
        ends.append((state.loss, list(state.cells)))
    state.become(min(ends)[1])

    def refill() -> None:
        randomized_fill(state, candidates, SKIPPED, rng, effort.in_time)

    large_neighbourhood_search(state, refill, effort, rng)
    return Placement(np.array(best_first(state, effort.in_time_to_order), np.int64),
                     spent + state.simulations)
