"""Savings of breaks of each kind in mild and in extreme weather, and the crews' part of them.

    python -m benchmarks.breaks_by_kind_figure [--data FOLDER]

draws docs/figures/breaks-by-kind.png and prints its numbers, which docs/fire-model.md repeats. The
land is that of the job `santa-ana-edge` (FOLDER or FIREBREAK_DATA holds its map). One plan is made,
of bare breaks by `segments` in the job's weather, and burned as each kind of break on the same test
fires. In each weather untreated fires burn the same mean share of the map, so that mild fires last
longer.
"""

import argparse
import os
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from benchmarks.jobs.inputs import CONFIGS, OUT, make_inputs
from benchmarks.jobs.load import load_job
from benchmarks.jobs.verdict import share_interval
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter
from numpy.typing import NDArray

from firebreak.api.shared.executor_options import use_threads
from firebreak.fire import burn
from firebreak.landscape.formats.assemble import LandscapeWarning
from firebreak.planning.making import make_plan
from firebreak.report.figures.canvas import new_figure, save_figure
from firebreak.settings.scene import MadeBreaks

JOB = "santa-ana-edge"
PLAN_FIRES, TEST_FIRES, METHOD = 48, 1000, "segments"
KINDS: dict[str, MadeBreaks] = {
    "shaded, nobody holds it": MadeBreaks(break_kind="shaded"),
    "shaded, held by hand": MadeBreaks(
        break_kind="shaded", hold="hand", response_min=30.0, crew_km=1.0),
    "shaded, held with equipment": MadeBreaks(
        break_kind="shaded", hold="equipment", response_min=30.0, crew_km=1.0),
    "shaded, equipment everywhere": MadeBreaks(
        break_kind="shaded", hold="equipment", response_min=0.0),
    "hard": MadeBreaks(),
}
WEATHER = {"mild weather": "mild.toml", "extreme weather": "santa-ana.toml"}
COLOURS = ("#bbbbbb", "#56b4e9", "#0072b2", "#009e73", "#444444")
"""Colours of Okabe & Ito and grey, which any colour vision distinguishes."""
FIGURE = Path(__file__).resolve().parents[1] / "docs" / "figures" / "breaks-by-kind.png"


class Saved(NamedTuple):
    """Savings of one kind of break in one weather: a share of the untreated loss and the ends of
    its 95 % interval.
    """

    weather: str
    kind: str
    share: float
    low: float
    high: float
    hours: float


def measured(data: Path, out: Path = OUT) -> tuple[list[Saved], int]:
    """Makes the plan and burns it as each kind in each weather; also the number of its cells."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LandscapeWarning)
        make_inputs(JOB, data, out)
        job = load_job(JOB, out)
    options = job.args.scene
    hard = replace(options, breaks=KINDS["hard"], map=replace(options.map, roads=None))
    plan = make_plan(hard.scene(job.place.land, job.args.landscape), job.place.share, PLAN_FIRES,
                     METHOD, seed=0, rules=job.place.rules)
    found = []
    for words, file in WEATHER.items():
        weather = replace(options.weather, weather=CONFIGS / "weather" / file)
        untreated: NDArray[np.float64] | None = None
        for kind, breaks in KINDS.items():
            scene = replace(options, breaks=breaks, weather=weather).scene(
                job.place.land, job.args.landscape)
            fires = scene.fires("test", TEST_FIRES)
            if untreated is None:
                untreated = burn(scene, fires).loss
            saved = untreated - burn(scene, fires, plan.break_mask()).loss
            found.append(Saved(words, kind, float(saved.mean() / untreated.mean()),
                               *share_interval(saved, untreated),
                               scene.median_duration_min / 60.0))
    return found, plan.cells.size


def drawn(found: Sequence[Saved], cells: int) -> Figure:
    """A panel for each weather, a bar for each kind."""
    with new_figure(9.0, 3.6, title="The same breaks as each kind, on the same fires",
                    caption=f"{JOB}, {cells} cells of 30 m; {TEST_FIRES:,} test fires in each "
                            "weather; bars: 95 % intervals over the fires; crews arrive after 30 "
                            "minutes and the way from the road and hold 1 km in a fire, where not "
                            "said otherwise") as figure:
        panels = figure.subplots(1, len(WEATHER), sharex=True, sharey=True)
        for axes, words in zip(panels, WEATHER, strict=True):
            own = [one for one in found if one.weather == words]
            shares = np.array([one.share for one in own])
            ends = np.array([[one.share - one.low, one.high - one.share] for one in own]).T
            axes.barh(range(len(own)), shares, xerr=ends, color=COLOURS, height=0.7,
                      error_kw={"elinewidth": 1.0, "capsize": 2.0})
            axes.set_yticks(range(len(own)), [one.kind for one in own])
            axes.set_title(f"{words}: fires of {own[0].hours:.1f} hours (median)")
            axes.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
            axes.set_xlabel("reduction of the expected loss")
            axes.grid(axis="x", alpha=0.3)
            axes.set_axisbelow(True)
        panels[0].invert_yaxis()
        panels[0].set_xlim(left=min(0.0, min(one.low for one in found)))
    return figure


def main(arguments: Sequence[str] | None = None) -> None:
    """Draws the figure and prints its numbers."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "landscapes"
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--data", type=Path, help="folder of the maps (FIREBREAK_DATA)",
                         default=Path(os.environ.get("FIREBREAK_DATA", beside)))
    options.add_argument("--out", type=Path, default=FIGURE, help="the picture")
    given = options.parse_args(arguments)
    use_threads(1, torch_threads=1)
    found, cells = measured(given.data)
    for one in found:
        print(f"{one.weather}, {one.kind}: {one.share:.1%} ({one.low:.1%} to {one.high:.1%})")
    print(save_figure(drawn(found, cells), given.out))


if __name__ == "__main__":
    main()
