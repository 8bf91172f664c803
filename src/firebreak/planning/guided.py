"""Search that a policy guides: its plan, polished by moves that its Q-map and the fires propose.

A move takes away breaks that lie together. Most moves are refilled by the policy: by segments that
it values nearly as much as the best, if it places segments, or cell by cell where its Q-value is
largest. The others are refilled by what a break saves on the plan fires, exactly burned, among the
cells of the largest Q-values and those beside breaks. Cells are passed over by chance, so that
repeats differ. The start is the policy's plan, looking ahead (`planning.lookahead`) if it places
segments, and the best plan seen is kept: stopped before it begins, it is the policy's own plan.
"""

import numpy as np
from numpy.typing import NDArray

from firebreak.agent.policy_file import Policy
from firebreak.env.slots import Slots
from firebreak.planning.board import Board
from firebreak.planning.filling import Candidates, and_near, best_first, passing_over
from firebreak.planning.learned import cell_values, policy_of, segment_values
from firebreak.planning.limits import Effort
from firebreak.planning.lookahead import look_ahead
from firebreak.planning.progress import untold
from firebreak.planning.rounds import Placement, Score, Task
from firebreak.planning.swap import together
from firebreak.seeding import generator

CANDIDATES, REACH = 12, 1
"""A break is tried in so many cells by Q-value, and so near to other breaks."""

PASSED_OVER = 0.2

BY_POLICY, BY_POLICY_OF_CELLS, BY_SEGMENTS = 0.9, 0.5, 0.7
"""Share of the moves that the policy refills, one of segments or of cells; and of the former, share
that it refills by segments. What is found by burning the plan fires alone keeps less on others.
"""

NEARLY = 0.1
"""Share of the best segment's value by which that of another may be less."""


def place_dqn_search(task: Task) -> Placement:
    """The policy's plan, improved until the limit is reached.

    Raises:
        InputError: as the policy's own plan.
    """
    policy = policy_of(task, "dqn-search")
    effort, segments = Effort(task.search, task.told), policy.network.shapes > 1
    # What is told is the share of the effort, not of the start.
    start = (look_ahead(task._replace(told=untold), policy, effort) if segments
             else task.place("dqn"))
    rng = generator(task.seed, "dqn-search", task.problem.scene.key)
    board = Board(task.problem)
    board.become(start.cells.tolist())

    def values(slots: Slots) -> NDArray[np.float32]:
        return cell_values(policy, slots)

    candidates = and_near(by_score(values, CANDIDATES), REACH)

    def refill() -> None:
        if rng.random() >= (BY_POLICY if segments else BY_POLICY_OF_CELLS):
            passing_over(board, candidates, PASSED_OVER, rng)
        elif segments and rng.random() < BY_SEGMENTS:
            segments_in_turn(board, policy, rng)
        else:
            in_turn(board, values, rng)

    together(board, refill, effort, rng)
    cells = best_first(board) if set(board.cells) != set(start.cells.tolist()) else start.cells
    return Placement(np.array(cells, np.int64), start.simulations + board.simulations)


def by_score(score: Score, count: int) -> Candidates:
    """The `count` available cells of the largest scores."""
    def candidates(board: Board) -> NDArray[np.int64]:
        cells = board.available()
        if cells.size <= count:
            return cells
        return np.sort(cells[np.argsort(-board.score(score)[cells], kind="stable")[:count]])
    return candidates


def in_turn(board: Board, score: Score, rng: np.random.Generator) -> None:
    """Spends what is left on the cells of the largest scores, each passed over by chance."""
    while (cells := board.available()).size:
        board.evaluated += 1
        order = cells[np.argsort(-board.score(score)[cells], kind="stable")]
        over = min(int(rng.geometric(1.0 - PASSED_OVER)) - 1, order.size - 1)
        board.place(int(order[over]))


def segments_in_turn(board: Board, policy: Policy, rng: np.random.Generator) -> None:
    """Spends what is left on segments, each drawn from those that the policy values nearly as much
    as the best.
    """
    while board.available().size:
        board.evaluated += 1
        values = board.score(lambda slots: segment_values(policy, slots))
        best = float(values.max())
        action = int(rng.choice(np.flatnonzero(values >= best - NEARLY * abs(best))))
        board.change([], board.segment(action))
