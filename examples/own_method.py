"""A planning method of yours as a function, beside the others on the same test fires.

The method burns short lines on trial, across the paths of fire with most value behind them, and
keeps the line that saves most per cost until the budget is spent.

    python examples/own_method.py synthetic:1:24 own_method.png
"""

import sys

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from firebreak import MethodProblem, plan, read_landscape

DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))
PLACES, HALF = 12, 3  # lines tried per round and direction; cells to each side of the middle


def line(middle: int, direction: tuple[int, int], shape: tuple[int, int]) -> np.ndarray:
    """Numbers row * width + column of the cells of a straight line on the map."""
    steps = np.arange(-HALF, HALF + 1)
    row, col = (middle // shape[1] + steps * direction[0], middle % shape[1] + steps * direction[1])
    inside = (row >= 0) & (row < shape[0]) & (col >= 0) & (col < shape[1])
    return row[inside] * shape[1] + col[inside]


def tried_lines(problem: MethodProblem) -> list[np.ndarray]:
    """Short lines tried on the plan fires."""
    land, left = problem.landscape, problem.budget
    breaks, placed = np.zeros(land.shape, bool), []
    free, cost = land.treatable.ravel().copy(), land.cost.ravel()
    while True:
        burned = problem.burn(breaks, want="statistics")
        behind = np.where(free, burned.downstream_value.ravel(), -1.0)
        best, most = None, 0.0
        for middle in np.argsort(-behind)[:PLACES]:
            for direction in DIRECTIONS:
                cells = line(middle, direction, land.shape)
                cells = cells[free[cells]]
                cells = cells[np.cumsum(cost[cells]) <= left]
                if not cells.size:
                    continue
                trial = breaks.copy()
                trial.ravel()[cells] = True
                saved = burned.loss.sum() - problem.burn(trial).loss.sum()
                if saved / cost[cells].sum() > most:
                    best, most = cells, saved / cost[cells].sum()
        if best is None:
            return placed
        placed.append(best)
        breaks.ravel()[best], free[best] = True, False
        left -= cost[best].sum()


name = sys.argv[1] if len(sys.argv) > 1 else "synthetic:1:24"
picture = sys.argv[2] if len(sys.argv) > 2 else "own_method.png"
land = read_landscape(name)
made = plan(name, budget=0.03, method=tried_lines, cells=True, plan_fires=64, test_fires=500,
            quiet=True)
print(made.comparison)
print(made.compare("segments", "dqn"))

figure = Figure(figsize=(5, 4.2), layout="constrained")
FigureCanvasAgg(figure)
axes = figure.add_subplot(title=f"tried_lines saves {made.effect.reduction.mean:.0%}")
shown = axes.imshow(100 * made.effect.burn_probability_before, cmap="OrRd")
figure.colorbar(shown, label="share of the fires that burn a cell, %")
axes.imshow(np.ma.masked_equal(made.breaks, False), cmap="binary", vmin=0)
axes.set_axis_off()
figure.savefig(picture, dpi=110)
