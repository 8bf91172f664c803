"""Breaks placed one by one where each saves most on the plan fires, exactly burned, until the
budget is spent: the method `greedy`, and what fills a plan that a search has taken breaks from.

Source of the greedy rule: Nemhauser, Wolsey & Fisher (1978), An analysis of approximations for
maximizing submodular set functions; its bound does not hold here, for a second break that closes a
gap saves more than alone.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import fail
from firebreak.fire import TravelField
from firebreak.planning.core.limits import forever
from firebreak.planning.core.progress import Reporter, no_report
from firebreak.planning.core.rounds import (
    Placement,
    PlanningCase,
    Task,
    spaced_best,
)
from firebreak.planning.search.plan_state import PlanState

Candidates = Callable[[PlanState], NDArray[np.int64]]
"""The cells, flat, lowest first and `available`, among which the next break is sought."""


def leading(score: Callable[[PlanState, NDArray[np.int64]], NDArray[np.floating]],
            count: int) -> Candidates:
    """The `count` available cells of the largest scores."""
    def candidates(state: PlanState) -> NDArray[np.int64]:
        cells = state.available()
        if cells.size <= count:
            return cells
        return np.sort(cells[np.argsort(-score(state, cells), kind="stable")[:count]])
    return candidates


def by_downstream_value(count: int) -> Candidates:
    """The `count` available cells with the most value burned behind them per cost."""
    return leading(lambda state, cells: state.downstream_value()[cells] / state.price(cells), count)


def ranked(state: PlanState, cells: NDArray[np.int64]) -> NDArray[np.int64]:
    """`cells` by loss saved per cost, then by downstream value per cost, then by index."""
    price = state.price(cells)
    below = state.downstream_value()[cells] / price
    return cells[np.lexsort((cells, -below, -state.gains(cells) / price))]


def fill(state: PlanState, candidates: Candidates, batch: int = 1,
         report: Reporter = no_report, go_on: Callable[[], bool] = forever) -> None:
    """Places breaks, `batch` spaced ones a round, until none is affordable or it may not go on."""
    while go_on() and (cells := candidates(state)).size:
        report(state.spent_share())
        order = ranked(state, cells)
        if batch == 1:
            state.place(int(order[0]))
            continue
        score = np.zeros(state.shape)
        score.ravel()[order] = np.arange(order.size, 0, -1)
        for cell in spaced_best(score, score > 0, batch):
            if cell in state.available():
                state.place(cell)


def best_first(state: PlanState, go_on: Callable[[], bool] = forever) -> list[int]:
    """The plan's breaks, the same, in an order whose every beginning is a plan for a smaller
    budget: the next saves most after those before it. Stopped, the others follow as they were
    found.
    """
    found, chosen = list(state.cells), set(state.cells)
    state.change(list(state.cells), [])

    def own(of: PlanState) -> NDArray[np.int64]:
        return np.array(sorted(chosen - set(of.cells)), np.int64)

    fill(state, own, go_on=go_on)
    state.change([], [cell for cell in found if cell not in state.cells])
    return list(state.cells)


def with_neighbours(others: Candidates, reach: int) -> Candidates:
    """`others`, and all available cells within `reach` rows and columns of a break."""
    def candidates(state: PlanState) -> NDArray[np.int64]:
        cells = state.available()
        return np.union1d(cells[state.beside(reach)[cells]], others(state))
    return candidates


def randomized_fill(state: PlanState, candidates: Candidates, chance: float,
                    rng: np.random.Generator, go_on: Callable[[], bool] = forever) -> None:
    """Fill as `fill` does, but skip every candidate with a chance, so that repeats differ."""
    while go_on() and (cells := candidates(state)).size:
        order = ranked(state, cells)
        kept = order[rng.random(order.size) >= chance]
        state.place(int((kept if kept.size else order)[0]))


MAX_CELLS = 40 * 40
MAX_CELLS_OF_FEW_FIRES, MAX_FEW_FIRES = 64 * 64, 256
"""Treatable cells, which are what is tried: a margin in which fires only burn costs little."""


def place_greedy(task: Task) -> Placement:
    """Every step the break that saves most per cost, of all cells.

    Raises:
        InputError: more treatable cells than on 40 x 40 (on 64 x 64 for up to 256 plan fires).
    """
    check_case(PlanningCase.of(task.problem))
    state = PlanState(task.problem, keep_gains=True)
    fill(state, PlanState.available, task.batch, task.report)
    return state.placement()


def check_case(case: PlanningCase) -> None:
    """Refuses a map on which not every cell can be tried at every step.

    Raises:
        InputError: more treatable cells than on 40 x 40 (on 64 x 64 for up to 256 plan fires).
    """
    treatable = int(case.land.treatable.sum())
    if treatable > (MAX_CELLS_OF_FEW_FIRES if case.plan_fires <= MAX_FEW_FIRES else MAX_CELLS):
        raise fail(expected=f"at most {MAX_CELLS:,} treatable cells, or "
                            f"{MAX_CELLS_OF_FEW_FIRES:,} with up to {MAX_FEW_FIRES} plan fires",
                   given=f"{treatable:,} with {case.plan_fires:,}", where="method greedy",
                   remedy=f"use segments, or {case.smaller}")


def tries_quickly(field: TravelField) -> bool:
    """True where trials repair fires in one weather: else they burn anew, or hour by hour."""
    return field.steps == 1 and not field.burns_anew
