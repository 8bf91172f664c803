"""Pieces of barriers as lines that methods which take lines choose among beside their own.

Lines are chosen one by one, and a piece of a barrier saves nothing alone; but its longer runs close
gaps that no straight line closes. They are offered where closing is what the job is about: where
most of the value lies on little of the ground, and twice the budget closes a barrier around
half of it. Elsewhere methods have the lines that they always had.
"""

import numpy as np

from firebreak.env.storage.problem import Problem
from firebreak.fire import Scene
from firebreak.planning.barriers.cut import Network, barriers
from firebreak.planning.barriers.enclose import joined, most_offered, stakes_of
from firebreak.planning.barriers.pieces import corridors_of
from firebreak.planning.core.corridors import Corridors

MOST_VALUE, LITTLE_GROUND = 0.75, 0.15
"""At least this share of the value lies on at most this share of what burns."""
SHUT_OUT, FOR = 0.5, 2.0
"""At least this share of the loss is shut out for at most so many budgets."""
MOST_CELLS_AROUND = 150_000
"""Cells of an area with its margin up to which closing is tried where values are spread. On 116,000
and fewer it took 12 of 39, 23 of 70 and 28 of 188 processor seconds of `auto`.
"""


def with_pieces(problem: Problem, budget: float, lines: Corridors | None) -> Corridors | None:
    """Lines to choose among, with pieces of barriers where the job is one of closing them.

    Args:
        problem: without rules.
        budget: what may be spent.
        lines: that the user supplies.

    Raises:
        InputError: the plan fires burn nothing of value.
    """
    scene = problem.scene
    if not is_concentrated(scene):
        return lines
    stakes = stakes_of(problem)
    whole = barriers(Network(stakes), FOR * budget).bought
    worth = [cut for cut in whole if cut.lost <= (1.0 - SHUT_OUT) * whole[0].lost]
    return joined(lines, corridors_of(worth[:most_offered(problem)], scene.landscape,
                                      leak=stakes.leak))


def may_close(scene: Scene) -> bool:
    """True where `enclose` is worth trying: most value lies on little ground, or fires come from
    around the area and the flows are quick.
    """
    return is_concentrated(scene) or (not scene.landscape.inside.all() and flows_are_quick(scene))


def flows_are_quick(scene: Scene) -> bool:
    """True where cuts of an area with its margin take seconds, wherever its value lies."""
    return scene.landscape.fuel_model.size <= MOST_CELLS_AROUND


def is_concentrated(scene: Scene) -> bool:
    """True where most of the value lies on little of the ground of the area."""
    land = scene.landscape
    most = np.sort(scene.value[land.burnable & land.inside].astype(np.float64))[::-1]
    return bool(most[:int(LITTLE_GROUND * most.size)].sum() >= MOST_VALUE * most.sum() > 0.0)
