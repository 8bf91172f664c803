"""Results as a notebook shows them: a map and a table, without a file."""

import numpy as np
from numpy.typing import NDArray

from firebreak.fire import Scene
from firebreak.landscape.landscape import Landscape
from firebreak.planning.core.area import View
from firebreak.planning.core.plan import Plan, spent_words
from firebreak.planning.evaluation.evaluate import Evaluation
from firebreak.planning.evaluation.intervals import interval_words
from firebreak.planning.output.export_effect import PlanResult
from firebreak.report.figures.canvas import png_of
from firebreak.report.figures.cartography import caption_of
from firebreak.report.figures.fields import field_figure
from firebreak.report.figures.maps import plan_figure
from firebreak.report.figures.plan_figures import segments_figure
from firebreak.report.pages.html import filled, percents
from firebreak.report.pages.plan_parts import marked_in, pair_rows


def plan_cell(scene: Scene, plan: Plan, result: PlanResult | None,
              evaluation: Evaluation | None) -> str:
    """The breaks on the map of the part that was planned for, and the methods in a table."""
    view, caption = View.of(scene.landscape), caption_of(scene.landscape, seed=scene.seed)
    if result is None:
        drawn = plan_figure(view.land, view.plan(plan), caption=caption)
    else:
        drawn = segments_figure(view.land, view.segments(result.segments), caption=caption,
                                title=f"Fuel breaks ({plan.made_by})", years=result.years)
    methods = "" if evaluation is None else methods_table(evaluation, plan.label)
    return filled("notebook.html", "cell", f"{plan.label}: {spent_words(plan)}", png_of(drawn),
                  methods)


def fires_cell(landscape: Landscape, probability: NDArray[np.float64], seed: int,
               words: str) -> str:
    """Burn probability [H, W] on the map, and what the fires burned."""
    view = View.of(landscape)
    drawn = field_figure(view.land, view.grid(probability), title="Burn probability",
                         label="share of fires that burn the cell", colours="inferno",
                         caption=caption_of(landscape, seed=seed))
    return filled("notebook.html", "cell", words, png_of(drawn), "")


def methods_table(evaluation: Evaluation, marked: str | None = None) -> str:
    """The reduction by each method, and the paired differences."""
    rows = [[name, f"{one.reduction:.1%}", percents(one), f"{one.seconds:.2f}"]
            for name, one in evaluation.methods.items()]
    over = ("over the landscapes" if evaluation.interval == "landscapes" else
            interval_words(evaluation.weathers))
    return filled("notebook.html", "methods", rows, marked_in(evaluation, marked),
                  pair_rows(evaluation), evaluation.test_fires, over)
