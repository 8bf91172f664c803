"""Savings by budget: plans of one map with a rising budget, as a table and a curve.

    python examples/sweep_budgets.py synthetic:1:24 budgets.png
"""

import sys

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from firebreak import plan

landscape = sys.argv[1] if len(sys.argv) > 1 else "synthetic:1:24"
picture = sys.argv[2] if len(sys.argv) > 2 else "budgets.png"
budgets = (0.01, 0.02, 0.05, 0.10)
saved = [plan(landscape, budget=budget, method="dqn", test_fires=300, report="brief",
              quiet=True).effect.reduction
         for budget in budgets]
for budget, one in zip(budgets, saved, strict=True):
    print(f"{budget:4.0%} of the cells: {one.mean:.1%} ({one.low:.1%} to {one.high:.1%})")

figure = Figure(figsize=(5, 3.5), layout="constrained")
FigureCanvasAgg(figure)
axes = figure.add_subplot(xlabel="share of the cells treated, %",
                          ylabel="reduction of the expected loss, %")
means = [100 * one.mean for one in saved]
axes.errorbar([100 * budget for budget in budgets], means, marker="o", capsize=3, yerr=[
    [100 * (one.mean - one.low) for one in saved], [100 * (one.high - one.mean) for one in saved]])
axes.set_ylim(0)
figure.savefig(picture, dpi=120)
print(picture)
