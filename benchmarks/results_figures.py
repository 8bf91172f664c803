"""The figures of docs/results.md, drawn by `benchmarks/results.py` from the stored records."""

from pathlib import Path
from typing import Any

import numpy as np
from interquartile import stratified_interval
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter
from numpy.typing import NDArray

from firebreak.report.figures.canvas import QUIET, new_figure, save_figure
from firebreak.seeding import generator

Records = list[dict[str, Any]]

COLOURS = {"dqn": "#d55e00", "dqn-lookahead": "#e69f00", "dqn-search": "#d55e00",
           "greedy": "#0072b2", "segments": "#56b4e9", "swap": "#009e73", "anneal": "#cc79a7",
           "downstream-value": "#666666"}
"""Colours of Okabe & Ito, which any colour vision distinguishes."""
LAND = {"synthetic-40": "synthetic", "shifted-40": "another family", "real": "real maps"}
CAPTION = "docs/results/records; 40x40 cells, 5 % budget"


def draw_figures(records: Records, folder: Path) -> list[Path]:
    """Writes every figure for which there are records; returns the files."""
    drawn = [("results-methods.png", methods_figure(records)),
             ("results-time.png", time_figure(records)),
             ("results-fires.png", fires_figure(records)),
             ("results-range.png", range_figure(records))]
    return [save_figure(figure, folder / name) for name, figure in drawn if figure is not None]


def methods_figure(records: Records) -> Figure | None:
    """Mean reduction of each method, a panel for each kind of land; 256 plan fires."""
    lands = {name: [r for r in records if r["part"] == ("real" if name == "real" else "main")
                    and r["plan_fires"] == 256 and name in ("real", r["set"])
                    and r["method"] != "none"] for name in LAND}
    if not all(lands.values()):
        return None
    order = _by_mean(lands["synthetic-40"])
    with new_figure(10.0, 4.6, title="Reduction of the expected loss on maps not used in training",
                    caption=f"{CAPTION}; 256 plan fires, 2,000 test fires; bars: 95 % "
                            "intervals over maps") as figure:
        panels = figure.subplots(1, len(lands), sharex=True, sharey=True)
        for axes, (name, found) in zip(panels, lands.items(), strict=True):
            for place, method in enumerate(order):
                own = [r for r in found if r["method"] == method]
                if own:
                    _interval(axes, own, place, COLOURS.get(method, "black"))
            maps = len({(r["set"], r["index"]) for r in found})
            axes.set_title(f"{LAND[name]}, {maps} maps")
            axes.set_yticks(range(len(order)), order)
            axes.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
            axes.grid(axis="x", alpha=0.3)
        panels[0].set_xlim(left=0.0)
        panels[1].set_xlabel("reduction of the expected loss")
    return figure


def time_figure(records: Records) -> Figure | None:
    """Reduction over seconds on the maps that searches were measured on: plans made in one pass as
    points, searches as lines over their limits.
    """
    timed = [r for r in records if r["part"] == "time"]
    maps = {(r["set"], r["index"]) for r in timed}
    once = [r for r in records if r["part"] == "main" and r["plan_fires"] == 256
            and (r["set"], r["index"]) in maps and r["reduction"] > 0.0]
    if not timed or not once:
        return None
    with new_figure(8.0, 4.8, title="Quality against time",
                    caption=f"{CAPTION}; 256 plan fires; means over the {len(maps)} maps that "
                            "searches were measured on; one core") as figure:
        axes = figure.subplots()
        for method in _by_mean(once):
            seconds, saved = _means([r for r in once if r["method"] == method])
            axes.plot(seconds, saved, "o", color=COLOURS.get(method, "black"))
            # There is a point to the right of theirs.
            left = method in ("dominator", "downstream-value-static", "dqn", "greedy")
            above = method == "dqn-lookahead"  # a search begins there
            axes.annotate(method, (seconds, saved), textcoords="offset points", fontsize=8.5,
                          xytext=(6, 6) if above else (-6 if left else 6, -4),
                          ha="center" if above else "right" if left else "left")
        for method in sorted({r["method"] for r in timed}):
            own = [r for r in timed if r["method"] == method]
            points = np.array([_means([r for r in own if r["limit"] == limit])
                               for limit in sorted({r["limit"] for r in own})])
            axes.plot(*points.T, "s-", color=COLOURS.get(method, "black"), label=method)
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:g}")
        axes.set_xlabel("seconds")
        axes.set_ylabel("reduction of the expected loss")
        axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
        axes.grid(alpha=0.3)
        axes.legend(title="search", loc="lower right")
    return figure


def fires_figure(records: Records) -> Figure | None:
    """Reduction over the number of plan fires: on the plan fires themselves and on others."""
    found = [r for r in records if r["part"] == "gap"]
    if not found:
        return None
    with new_figure(8.0, 4.6, title="Reduction promised on the plan fires and kept on others",
                    caption=f"{CAPTION}; means over "
                            f"{len({r['index'] for r in found})} synthetic maps") as figure:
        axes = figure.subplots()
        for method in reversed(_by_mean(found)):
            own = [r for r in found if r["method"] == method]
            shown = sorted({r["plan_fires"] for r in own})
            for field, line, label in (("reduction", "o-", method),
                                       ("in_sample_reduction", "o:", None)):
                axes.plot(shown, [np.mean([r[field] for r in own if r["plan_fires"] == count])
                                  for count in shown], line, color=COLOURS.get(method, "black"),
                          label=label)
        shown = sorted({r["plan_fires"] for r in found})
        for line, words in (("-", "kept on other fires"), (":", "promised on the plan fires")):
            axes.plot([], [], line, color="black", label=words)
        axes.set_xscale("log")
        axes.set_xticks(shown, [f"{count:,}" for count in shown])
        axes.minorticks_off()
        axes.set_xlabel("plan fires")
        axes.set_ylabel("reduction of the expected loss")
        axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
        axes.grid(alpha=0.3)
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    return figure


def range_figure(records: Records) -> Figure | None:
    """The lead of the policy over downstream value by map size and burned share, bare and looking
    ahead.
    """
    found = [r for r in records if r["part"] == "range"]
    heroes = [name for name in ("dqn", "dqn-lookahead") if any(r["method"] == name for r in found)]
    if not heroes:
        return None
    shares = sorted({r["burned_share"] for r in found})
    sizes = sorted({int(r["set"].split("-")[-1]) for r in found})
    leads = {hero: _leads(found, hero, sizes, shares) for hero in heroes}
    most = max(float(np.nanmax(np.abs(lead))) for lead in leads.values())
    with new_figure(5.0 * len(heroes) + 1.6, 4.4,
                    title="Lead of the policy over downstream value",
                    caption="docs/results/records; 6 synthetic maps in each field; "
                            "5 % budget, 256 plan fires") as figure:
        panels = figure.subplots(1, len(heroes), sharey=True, squeeze=False)[0]
        for axes, (hero, lead) in zip(panels, leads.items(), strict=True):
            image = axes.imshow(lead, cmap="PuOr", vmin=-most, vmax=most, aspect="auto")
            for (row, col), value in np.ndenumerate(lead):
                axes.text(col, row, f"{value:+.3f}", ha="center", va="center",
                          color="white" if abs(value) > 0.7 * most else "black")
            axes.set_title(hero)
            axes.set_xticks(range(len(shares)), [f"{share:.0%}" for share in shares])
            axes.set_yticks(range(len(sizes)), [f"{size}x{size}" for size in sizes])
            axes.set_xlabel("burned by untreated fires, mean")
        panels[0].set_ylabel("cells")
        bar = figure.colorbar(image, ax=panels.tolist(), label="difference of the reductions")
        bar.outline.set_edgecolor(QUIET)
    return figure


def _leads(records: Records, hero: str, sizes: list[int],
           shares: list[float]) -> NDArray[np.float64]:
    """A method's mean lead over downstream value: [sizes, shares], NaN where there is none."""
    def mean(method: str, size: int, share: float) -> float:
        own = [r["reduction"] for r in records if r["method"] == method
               and r["set"] == f"synthetic-{size}" and r["burned_share"] == share]
        return float(np.mean(own)) if own else float("nan")

    return np.array([[mean(hero, size, share) - mean("downstream-value", size, share)
                      for share in shares] for size in sizes])


def _by_mean(records: Records) -> list[str]:
    """Methods, the one that saves least first."""
    methods = dict.fromkeys(r["method"] for r in records)
    return sorted(methods, key=lambda name: float(np.mean(
        [r["reduction"] for r in records if r["method"] == name])))


def _means(records: Records) -> tuple[float, float]:
    """Mean seconds and mean reduction."""
    return (float(np.mean([r["seconds"] for r in records])),
            float(np.mean([r["reduction"] for r in records])))


def _interval(axes: Axes, records: Records, place: int, colour: str) -> None:
    """A method's mean, with the stratified interval of the page's tables."""
    values = np.array([[r["reduction"] for r in records]])
    low, high = stratified_interval(values, generator(0, "results", records[0]["method"]))
    axes.plot([low, high], [place, place], color=colour, linewidth=2)
    axes.plot(values.mean(), place, "o", color=colour)
