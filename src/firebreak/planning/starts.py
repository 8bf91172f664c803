"""Where a search starts: the plans of quick methods, or of the one that is named."""

from firebreak.checks import fail
from firebreak.planning.board import Board
from firebreak.planning.greedy import exact_is_affordable
from firebreak.planning.rounds import Task

SEARCHES = ("swap", "anneal", "dqn-search")
"""Methods that start from another's plan."""



def starts_of(task: Task) -> tuple[list[list[int]], float]:
    """Plans to start from, cells in order of placement, and the simulations they took: that of the
    method that the task names, else those of downstream value and of greedy (greedy-filtered on
    maps that are too large for it).

    Raises:
        InputError: the plan of a search is asked for, or the method refuses.
    """
    named = task.search.start
    if named in SEARCHES:
        raise fail(expected="a method that does not itself start from another's plan", given=named,
                   where="--search-from", remedy="for example downstream-value, greedy or dqn")
    greedy = "greedy" if exact_is_affordable(task.problem) else "greedy-filtered"
    placed = [task.place(name) for name in ([named] if named else ["downstream-value", greedy])]
    return [own.cells.tolist() for own in placed], sum(own.simulations for own in placed)


def best_of(board: Board, plans: list[list[int]]) -> None:
    """Leaves the board under the plan that loses least, the first of equals."""
    losses = []
    for cells in plans:
        board.become(cells)
        losses.append(board.loss)
    board.become(plans[losses.index(min(losses))])
