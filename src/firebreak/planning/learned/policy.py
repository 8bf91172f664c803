"""Plans of a learned policy: the available cell, or the line of cells, with the largest Q-value,
computed anew every round.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from firebreak.agent.own_network import Part
from firebreak.agent.path_values import paths_of
from firebreak.agent.policy_file import Policy
from firebreak.agent.targets import unit_of
from firebreak.checks import fail
from firebreak.env.core import (
    allowed_lines_in,
    begin,
    line_cells,
    place_available,
    treatable_part,
)
from firebreak.env.storage.observation import to_floats
from firebreak.env.storage.problem import problem_of
from firebreak.env.storage.problem_batch import SLOT_0, ProblemBatch, sizes_for
from firebreak.fire import Scene
from firebreak.landscape.candidates.corridor import Cells
from firebreak.layout import OBSERVATION
from firebreak.line_actions import shape_cells
from firebreak.planning.core.build_rules import BuildRules
from firebreak.planning.core.corridors import Corridors
from firebreak.planning.core.limits import check_size
from firebreak.planning.core.plan import Plan
from firebreak.planning.core.rounds import (
    LineList,
    Placement,
    Task,
    line_list,
    loaded,
    place_by_score,
    spaced_lines,
    spendable,
    spent_share,
)

MAX_CANDIDATES, FIRST_CANDIDATES = 20_000, 64
"""Lines among which those of a round are chosen, and those that are sorted first: a round of one
line needs one. The neighbours of the best line are nearly as good: few of the next lie far enough
from it."""

SAMPLED = 32
"""Of so many actions one is looked at to find out which are among the best."""


def place_dqn(task: Task) -> Placement:
    """The cells, or lines, that a trained Q-map network values most, one greedy choice after
    another.

    Raises:
        InputError: no policy, or more treatable cells than MAX_TREATABLE.
    """
    policy = policy_of(task, "dqn")
    if policy.network.shapes > 1:
        return build_lines(task, by_policy(task, policy)).placement()
    return place_by_score(task, lambda slots: cell_values(policy, slots))


def policy_of(task: Task, method: str) -> Policy:
    """The policy that a method is to follow.

    Raises:
        InputError: there is none, or the map is too large for one.
    """
    if task.policy is None:
        raise fail(expected="a trained policy", given="none", where=f"method {method}",
                   remedy="give a run or a policy file with --policy, or train one with "
                          "'firebreak train quick'")
    check_size(task.problem.scene.landscape, method)
    return task.policy


def slots_after(scene: Scene, plan: Plan, count: int) -> ProblemBatch:
    """The problem of a plan in slot 0, with the first cells of the plan broken."""
    fires = scene.fires("plan", plan.plan_fires)
    slots = ProblemBatch(sizes_for(scene, 1, plan.plan_fires, 0))
    begin(slots, SLOT_0, [problem_of(scene, plan.budget_share, fires, fires.first(0))])
    slots.place(0, plan.cells[:count])
    if count:
        slots.update(SLOT_0)
    return slots


def q_map(policy: Policy, slots: ProblemBatch) -> NDArray[np.float32]:
    """Q-values [H, W] of slot 0's observation, percent of the untreated loss: of all cells whether
    available or not; of a policy that places lines, of the best allowed one through each cell, per
    cell, -inf where there is none.
    """
    if policy.network.shapes == 1:
        return cell_values(policy, slots)
    best = np.full(slots.sizes.shape, -np.inf, np.float32)
    rows, cols = slots.sizes.shape
    for number, of_shape in enumerate(line_values(policy, slots).reshape(-1, rows, cols)):
        for row, col in shape_cells(number, slots.leak).tolist():
            if abs(row) >= rows or abs(col) >= cols:
                continue
            here = best[max(row, 0):rows + min(row, 0), max(col, 0):cols + min(col, 0)]
            np.maximum(here, of_shape[max(-row, 0):rows - max(row, 0),
                                      max(-col, 0):cols - max(col, 0)], out=here)
    return best


def cell_values(policy: Policy, slots: ProblemBatch) -> NDArray[np.float32]:
    """Q-values [H, W] of a policy of cells, available or not, percent of the untreated loss."""
    return _q_values(policy, slots).reshape(slots.sizes.shape)


def line_values(policy: Policy, slots: ProblemBatch) -> NDArray[np.float32]:
    """Q-values [A] of a policy of lines, percent of the untreated loss, -inf if not allowed."""
    part = treatable_part(slots)
    own = np.where(allowed_lines_in(slots, part), _q_values(policy, slots, part),
                   np.float32(-np.inf))
    values = np.full((policy.network.shapes, *slots.sizes.shape), -np.inf, np.float32)
    values[:, *part] = own.reshape(policy.network.shapes, *values[0, *part].shape)
    return values.ravel()


def _q_values(policy: Policy, slots: ProblemBatch, part: Part | None = None) -> NDArray[np.float32]:
    """[A] of the map, or of a part of it, percent of the untreated loss."""
    return _values(slots, lambda seen: policy.network(seen, part)[0])


def _values(slots: ProblemBatch, network: Callable[[Tensor], Tensor]) -> NDArray[np.float32]:
    """Values that a network gives for the observation of slot 0, percent of the untreated loss."""
    observation = torch.from_numpy(to_floats(slots.layers[:1]))
    with torch.no_grad():
        values = 100.0 * network(observation) * unit_of(observation, OBSERVATION)
    return values.numpy()


class Ordered(NamedTuple):
    """Lines for a round, of open cells, best first; burned: fires burned for this order."""

    lines: Iterable[LineList]
    burned: int = 0


class Built(NamedTuple):
    """Lines of flat cells in order of placement, none twice; simulations, notes: see `Placement`.
    """

    lines: list[list[int]]
    simulations: float
    notes: dict[str, float] | None = None

    def placement(self) -> Placement:
        """The cells of all lines."""
        return Placement(np.array([cell for line in self.lines for cell in line], np.int64),
                         self.simulations, self.notes)


def build_lines(task: Task, order: Callable[[ProblemBatch], Ordered]) -> Built:
    """Lines round by round: the first that `order` makes of the slots, and in a round of several
    cells others that lie apart from it, but of routes, of which each decides what may come next.
    """
    slots = loaded(task.problem)
    n_plan_fires = task.problem.plan_fires.source.size
    most = 1 if task.lines is not None and task.lines.routes else task.batch
    lines: list[list[int]] = []
    burned = n_plan_fires
    while slots.available[0].any():
        ordered = order(slots)
        chosen = spaced_lines(ordered.lines, most, slots.sizes.shape)
        if not chosen:  # no line that is given can be paid for
            break
        lines += [place_available(slots, line.tolist()) for line in chosen]
        burned += ordered.burned + slots.update(SLOT_0)
        task.report(spent_share(slots, task.problem))
    return Built([line for line in lines if line], burned / n_plan_fires)


def by_policy(task: Task, policy: Policy) -> Callable[[ProblemBatch], Ordered]:
    """Lines by what the policy says of them: its own, or corridors where these alone may be built.
    """
    lines = task.lines
    if lines is None or not lines.only:
        return lambda slots: by_value(slots, line_values(policy, slots))
    rating = GivenRating(policy, lines, task.problem.scene)
    return lambda slots: Ordered([line_list(rating.best(slots, 1, 1.0)[0])])


def by_value(slots: ProblemBatch, values: NDArray[np.float32]) -> Ordered:
    """The lines of the largest Q-values [A]."""
    def best_first() -> Iterator[LineList]:
        yield open_lines(slots, leading_actions(values, FIRST_CANDIDATES))
        yield open_lines(slots, leading_actions(values, MAX_CANDIDATES)[FIRST_CANDIDATES:])

    return Ordered(best_first())


def open_lines(slots: ProblemBatch, actions: NDArray[np.int64]) -> LineList:
    """The cells that allowed line actions would break in slot 0."""
    rows, cols, part = line_cells(slots, actions)
    part &= slots.available[0][np.where(part, rows, 0), np.where(part, cols, 0)]
    return LineList((rows * slots.sizes.shape[1] + cols)[part],
                    np.concatenate([[0], np.cumsum(part.sum(axis=1))]))


def leading_actions(values: NDArray[np.float32], count: int) -> NDArray[np.int64]:
    """The `count` actions of the largest values above -inf, best first, the lower of equals."""
    actions = np.flatnonzero(values >= _floor(values, count))
    own = -values[actions]
    if actions.size > count:
        leading = np.flatnonzero(own <= np.partition(own, count - 1)[count - 1])
        actions, own = actions[leading], own[leading]
    return actions[np.argsort(own, kind="stable")][:count]


def _floor(values: NDArray[np.float32], count: int) -> np.floating:
    """A value that at least `count` allowed actions reach, from a sample; else the least of all."""
    least = np.finfo(values.dtype).min
    sample = values[::SAMPLED]
    sample = sample[sample >= least]
    place = 2 * count // SAMPLED + SAMPLED
    if sample.size <= place:
        return least
    floor = np.partition(sample, sample.size - place)[sample.size - place]
    return floor if np.count_nonzero(values >= floor) >= count else least


SAME = 0.95
"""Share of the cells of two runs beyond which a trial of both is one too many."""

_ANY = np.zeros(1, np.int64)


class GivenRating:
    """The runs of given lines, as paths that a policy values."""

    def __init__(self, policy: Policy, lines: Corridors, scene: Scene) -> None:
        self._policy, self._rules = policy, BuildRules(lines, scene.landscape)
        self.runs = self._rules.runs
        # Of a run without cells, which is never built, any cell stands for the path.
        self._paths = paths_of([next(own for own in (path, run, _ANY) if own.size) for path, run in
                                zip(self._rules.paths(), self.runs, strict=True)],
                               scene.landscape.shape[1], scene.conditions.leak)

    def best(self, slots: ProblemBatch, most: int, most_shared: float,
             dearest: int = 0) -> tuple[list[Cells], list[float]]:
        """Runs that can be paid for and are worth most beside the breaks of slot 0, then those that
        cost most, and what each is worth, percent of the untreated loss per cost: cells that are
        not broken, best first.

        Args:
            most: how many.
            most_shared: of the cells of the longer of two runs, how many both may have: a run may
                stand beside its halves.
            dearest: how many more by cost: what closes a barrier is long, and only a trial shows
                whether it is closed.
        """
        problem = slots.problem(0)
        land = problem.scene.landscape
        free = (land.treatable & ~slots.breaks[0]).ravel()
        cost = land.cost.ravel().astype(np.float64)
        worth = _values(slots, lambda seen: self._policy.network.values_along(seen, self._paths))
        open_ = [run[free[run]] for run in self.runs]
        price = np.array([cost[cells].sum() for cells in open_])
        may = self._rules.allow(slots.breaks[0], open_) & (price > 0.0)
        may &= price <= spendable(float(slots.budget_left[0]))
        chosen: list[int] = []
        for rank, count, shared in ((worth, most, most_shared), (price, dearest, SAME)):
            count += len(chosen)
            for k in np.argsort(-rank, kind="stable").tolist():
                if len(chosen) == count:
                    break
                if may[k] and not any(_shared(open_[k], open_[other]) > shared for other in chosen):
                    chosen.append(k)
        return [open_[k] for k in chosen], worth[chosen].tolist()


def _shared(one: Cells, other: Cells) -> float:
    """The cells that two runs have in common, over those of the longer."""
    return float(np.isin(one, other).sum() / max(one.size, other.size))
