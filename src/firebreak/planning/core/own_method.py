"""A planning method of the user's: a function from a problem to where to treat."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from firebreak.checks import InputError, fail, unknown_name
from firebreak.fire import BurnResult, Fires, Scene, burn
from firebreak.landscape.landscape import Landscape
from firebreak.planning.core.rounds import Placement, Task

OwnMethod = Callable[["MethodProblem"], ArrayLike | Sequence[ArrayLike]]
"""A mask, bool [H, W], True where to treat; or cells or lines of cells in order of placement, each
a number or an array [n] of numbers row * W + column."""

Want = Literal["loss", "statistics", "arrival"]


@dataclass(slots=True, kw_only=True, eq=False)
class MethodProblem:
    """A problem as a planning method sees it.

    Attributes:
        landscape: the map, [H, W]. Cells that are `treatable` may be chosen, each at its `cost`.
        budget: the most that the chosen cells may cost together, in units of `landscape.cost`.
        fires: the plan fires. The plan is judged on other ones.
        scene: what they burn on: the landscape, the weather, and what a break does.
        standing: bool [H, W], cells that are treated already and paid for; not treatable.
        seed: of what the method draws.
        burns: the number of times that all plan fires were burned.
    """

    landscape: Landscape
    budget: float
    fires: Fires
    scene: Scene
    standing: NDArray[np.bool_]
    seed: int
    burns: int = 0

    def burn(self, breaks: NDArray[np.bool_] | None = None,
             want: Want = "loss") -> BurnResult:
        """The plan fires, burned with breaks on a mask [H, W] and on the standing cells.

        Args:
            want: "loss" of each fire, the quickest; "statistics", maps over all fires such as
                `burn_probability` and `downstream_value`; "arrival", the times of each fire.

        Raises:
            InputError: a mask of another shape, such as a list of cells; no such result.
        """
        if want not in get_args(Want):
            raise unknown_name("result", str(want), get_args(Want), "problem.burn, want")
        mask = self.standing if breaks is None else np.asarray(breaks, np.bool_)
        if mask.shape != self.standing.shape:
            raise fail(expected=f"a mask of shape {self.standing.shape}", where="problem.burn",
                       given=f"one of shape {mask.shape}",
                       remedy="make one of numpy.zeros(problem.landscape.shape, bool)")
        self.burns += 1
        return burn(self.scene, self.fires, self.standing | mask, want=want)


def place_own(method: OwnMethod, name: str, task: Task) -> Placement:
    """The cells that a user's method chooses.

    Raises:
        InputError: it returned no mask or cells of this map.
    """
    given = task.problem
    problem = MethodProblem(
        landscape=given.scene.landscape, budget=given.budget, fires=given.plan_fires,
        scene=given.scene, standing=given.standing_mask(), seed=task.seed)
    cells = chosen_cells(method(problem), problem.landscape.shape, f"method '{name}'")
    return Placement(cells, float(problem.burns))


def chosen_cells(chosen: Any, shape: tuple[int, int], where: str) -> NDArray[np.int64]:
    """Flat cells i64 [n] of a mask bool [H, W], or of cells and lines in their order.

    Raises:
        InputError: a mask of another shape, or what is no cell of the map.
    """
    def refused(given: str) -> InputError:
        return fail(
            expected=f"a mask of truth values, {shape[0]} x {shape[1]}, or a list of cells or "
                     "lines of cells, numbers row * width + column", given=given, where=where,
            remedy="return one of these; problem.landscape.shape is the map's")

    mask = chosen if isinstance(chosen, np.ndarray) else None
    if mask is not None and (mask.dtype == np.bool_ or mask.shape == shape):
        if mask.dtype != np.bool_ or mask.shape != shape:
            raise refused(f"a mask of {mask.dtype} of shape {mask.shape}")
        return np.flatnonzero(mask)
    try:
        lines = [np.atleast_1d(np.asarray(line))  # more repeat a cell, and may never end
                 for line in islice(chosen, shape[0] * shape[1] + 1)]
    except (TypeError, ValueError) as error:
        raise refused(type(chosen).__name__) from error
    for line in lines:
        if line.ndim != 1 or (line.size and line.dtype.kind not in "iu"):
            raise refused(f"a list with an array of {line.dtype} of shape {line.shape}")
    cells = np.concatenate([np.empty(0, np.int64), *(line.astype(np.int64) for line in lines)])
    outside = cells[(cells < 0) | (cells >= shape[0] * shape[1])]
    if outside.size:
        raise refused(f"cell {outside[0]}")
    return cells
