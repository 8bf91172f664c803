"""Simulated annealing: single breaks move about, losing moves are taken with falling probability.

A step takes one break away, tries a few other places for it, and moves it among them by
Metropolis' rule before it is placed again; the best plan seen is kept. The temperature falls
geometrically to the share COLD of what it is at first, when the median losing move is taken with
probability HOT.

Sources: Metropolis et al. (1953), doi:10.1063/1.1699114; Kirkpatrick, Gelatt & Vecchi (1983),
doi:10.1126/science.220.4598.671.
"""

import numpy as np
from benchmarks.rivals.starts import starts_of
from numpy.typing import NDArray

from firebreak.planning.core.limits import Effort
from firebreak.planning.core.rounds import Placement, Task
from firebreak.planning.search.filling import best_first, fill
from firebreak.planning.search.plan_state import PlanState
from firebreak.seeding import generator

HOT, COLD = 0.01, 0.02
LOOKS = 12
"""Other places that a break is tried in before it is placed again."""

REACH = 2
SAMPLED = 20
"""Breaks whose moves are sampled to set the temperature."""


def place_anneal(task: Task, start: str | None = None) -> Placement:
    """Anneals the plan of the method `start`, else the best quick plan, until the limit is reached.

    Raises:
        InputError: as the method of the start.
    """
    found, spent = starts_of(task, start)
    effort = Effort(task.search, task.report)
    rng = generator(task.seed, "anneal", task.problem.scene.key)
    state = PlanState(task.problem)
    _become_best(state, found)
    anneal(state, effort, rng)
    fill(state, PlanState.available, go_on=effort.in_time_to_order)
    cells = best_first(state, effort.in_time_to_order)
    return Placement(np.array(cells, np.int64), spent + state.simulations)


def _become_best(state: PlanState, plans: list[list[int]]) -> None:
    """Takes the breaks of the plan that loses least, the first of equals."""
    losses = []
    for cells in plans:
        state.become(cells)
        losses.append(state.loss)
    state.become(plans[losses.index(min(losses))])


def anneal(state: PlanState, effort: Effort, rng: np.random.Generator, hot: float = HOT,
           cold: float = COLD, looks: int = LOOKS) -> None:
    """Anneals until the limit is reached; leaves the best plan seen."""
    best, best_loss = list(state.cells), state.loss
    rises = _sampled_rises(state, effort, rng, looks)
    if rises.size == 0:
        return
    first = float(np.median(rises)) / -np.log(hot)
    while effort.left():
        step(state, first * cold ** effort.share(), effort, rng, looks)
        if state.loss < best_loss:
            best, best_loss = list(state.cells), state.loss
    state.become(best)


def step(state: PlanState, temperature: float, effort: Effort, rng: np.random.Generator,
         looks: int) -> None:
    """Moves one break, drawn at random, through the sampled places: to one that is no worse, and at
    times to a worse one, by the temperature.
    """
    cell = int(rng.choice(state.cells))
    state.remove(cell)
    places, gains = _look(state, cell, effort, rng, looks)
    at = 0
    for k in range(1, places.size):
        if gains[k] >= gains[at] or rng.random() < np.exp((gains[k] - gains[at]) / temperature):
            at = k
    state.place(int(places[at]))


def _sampled_rises(state: PlanState, effort: Effort, rng: np.random.Generator,
                   looks: int) -> NDArray[np.float64]:
    """Rises of the mean loss by moves that lose."""
    rises = [np.empty(0)]
    for cell in rng.permutation(state.cells)[:SAMPLED].tolist():
        if not effort.left():
            break
        state.remove(cell)
        _, gains = _look(state, cell, effort, rng, looks)
        rises.append(gains[0] - gains[1:])
        state.place(cell)
    found = np.concatenate(rises)
    return found[found > 0.0]


def _look(state: PlanState, cell: int, effort: Effort, rng: np.random.Generator,
          looks: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The cell just freed and other available ones, and what a break saves in each."""
    available = state.available()
    weight = _weight(state, available)
    count = min(looks, int(np.count_nonzero(weight)))
    others = rng.choice(available, count, replace=False, p=weight)
    places = np.concatenate([[cell], others[others != cell]])
    effort.evaluated += places.size
    return places, state.gains(places)


def _weight(state: PlanState, cells: NDArray[np.int64]) -> NDArray[np.float64]:
    """Chances of cells to be looked at: half by downstream value, half by being near a break."""
    below = np.sqrt(state.downstream_value()[cells] / state.price(cells))
    near = state.beside(REACH)[cells].astype(np.float64)
    parts = [part / part.sum() for part in (below, near) if part.sum() > 0.0]
    return sum(parts, np.zeros(cells.size)) / len(parts) if parts else np.full(
        cells.size, 1.0 / cells.size)
