"""Results as a notebook shows them: a map and a table, without a file."""

import base64

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from firebreak.fire import Scene
from firebreak.landscape.landscape import Landscape
from firebreak.planning.core.plan import Plan, spent_words
from firebreak.planning.evaluation.evaluate import Evaluation
from firebreak.planning.evaluation.intervals import interval_words
from firebreak.planning.output.export_effect import PlanResult
from firebreak.report.figures.canvas import png_of
from firebreak.report.figures.cartography import caption_of
from firebreak.report.figures.fields import field_figure
from firebreak.report.figures.maps import plan_figure
from firebreak.report.figures.plan_figures import segments_figure
from firebreak.report.pages import html


def plan_cell(scene: Scene, plan: Plan, result: PlanResult | None,
              evaluation: Evaluation | None) -> str:
    """The breaks on the map of the part that was planned for, and the methods in a table."""
    caption = caption_of(scene.landscape, seed=scene.seed)
    if result is None:
        drawn = plan_figure(scene.landscape, plan, caption=caption)
    else:
        drawn = segments_figure(scene.landscape, result.segments, caption=caption,
                                title=f"Fuel breaks ({plan.made_by})", years=result.years)
    words = f"{plan.label}: {spent_words(plan)}"
    table = "" if evaluation is None else methods_table(evaluation, plan.label)
    return f"<div>{html.paragraph(words)}{picture(drawn, words)}{table}</div>"


def fires_cell(landscape: Landscape, probability: NDArray[np.float64], seed: int,
               words: str) -> str:
    """Burn probability [H, W] on the map, and what the fires burned."""
    drawn = field_figure(landscape, probability, title="Burn probability",
                         label="share of fires that burn the cell", colours="inferno",
                         caption=caption_of(landscape, seed=seed))
    return f"<div>{html.paragraph(words)}{picture(drawn, words)}</div>"


def methods_table(evaluation: Evaluation, marked: str | None = None) -> str:
    """The reduction by each method, and the paired differences."""
    names = list(evaluation.methods)
    rows = [[name, f"{one.reduction:.1%}", f"{one.low:.1%} to {one.high:.1%}",
             f"{one.seconds:.2f}"] for name, one in evaluation.methods.items()]
    over = ("over the landscapes" if evaluation.interval == "landscapes" else
            interval_words(evaluation.interval, evaluation.weathers))
    made = html.table(["method", "reduction", "95 % interval", "seconds"], rows,
                      f"Reduction of the expected loss on {evaluation.test_fires:,} test fires "
                      f"that no method was given; intervals {over}.",
                      names.index(marked) if marked in names else None)
    pairs = [[name, f"{pair.difference:+.1%}", f"{pair.low:+.1%} to {pair.high:+.1%}"]
             for name, pair in evaluation.paired.items()]
    return made + (html.table(["difference", "mean", "95 % interval"], pairs,
                              "Reduction by the first minus that by the second.")
                   if pairs else "")


def picture(figure: Figure, alt: str) -> str:
    """A figure, carried within the page; it is closed."""
    data = base64.b64encode(png_of(figure)).decode()
    return f'<img style="max-width:100%" src="data:image/png;base64,{data}" alt="{html.text(alt)}">'
