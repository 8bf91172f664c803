"""Figures as files: one style, Figure objects closed explicitly, written whole or not at all.

A figure is counted as live from `new_figure` to `close_figure`; `save_figure` closes it whether or
not the file could be written, so a run that draws for days holds none.
"""

import io
import textwrap
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backend_bases import FigureCanvasBase
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from firebreak.files import write_bytes
from firebreak.memory.registry import track, untrack

DPI = 120
INK = "#222222"
QUIET = "#666666"
BLUE, ORANGE, GREEN, PURPLE = "#1f6fb4", "#d95f02", "#1b9e77", "#7570b3"
COLOURS: Mapping[str, str] = MappingProxyType({
    "none": "#8c8c8c", "random": "#5f6b73",
    "burn-probability": "#c2185b", "downstream-value": "#1b7837", "betweenness": "#00838f",
    "segments": "#7b2d90", "enclose": "#1a237e", "strips": "#8c510a", "greedy": "#b8860b",
    "dqn": "#d95f02", "dqn-lookahead": "#a63603", "dqn-search": "#f28e2b",
    "auto": "#1f6fb4", "existing": "#0097b8"})
"""By planning method, the same in every picture, table and page; OTHER where none is named."""
OTHER = "#444444"

_STYLE = {
    "font.size": 10.0, "axes.titlesize": 11.0, "axes.labelsize": 10.0, "legend.fontsize": 9.0,
    "xtick.labelsize": 9.0, "ytick.labelsize": 9.0, "text.color": INK, "axes.labelcolor": INK,
    "axes.edgecolor": QUIET, "xtick.color": INK, "ytick.color": INK, "axes.titlelocation": "left",
    "hatch.linewidth": 0.6,
}
_LETTERS_PER_INCH = 15.0  # of the caption's size


@contextmanager
def new_figure(width_in: float, height_in: float, *, title: str, caption: str) -> Iterator[Figure]:
    """A figure in the shared style, open for drawing; it is closed if drawing raises.

    Args:
        width_in, height_in: inches; white margins are cut off when it is saved.
        title: what is shown, above.
        caption: where, from which data and run, below; wrapped to the width.
    """
    with rc_context(_STYLE):
        figure = Figure(figsize=(width_in, height_in), layout="constrained", facecolor="white")
        track(figure, "Figure")
        try:
            letters = int(width_in * _LETTERS_PER_INCH)
            figure.suptitle(textwrap.fill(title, int(0.65 * letters)), x=0.01, ha="left",
                            fontsize=13, fontweight="bold")
            figure.supxlabel(textwrap.fill(caption, letters), x=0.01, ha="left", fontsize=8.5,
                             color=QUIET)
            yield figure
        except BaseException:
            close_figure(figure)
            raise


def save_figure(figure: Figure, path: Path) -> Path:
    """Writes a figure as PNG and closes it; an older file stays until the new one is complete.

    Returns the path. The folder is made if missing.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(path, png_of(figure))
    finally:
        close_figure(figure)
    return path


def png_of(figure: Figure) -> bytes:
    """A figure as PNG; it is closed."""
    try:
        buffer = io.BytesIO()
        with rc_context(_STYLE):
            figure.savefig(buffer, format="png", dpi=DPI, bbox_inches="tight", pad_inches=0.12)
        return buffer.getvalue()
    finally:
        close_figure(figure)


def close_figure(figure: Figure) -> None:
    """Drops what a figure holds and stops counting it."""
    figure.clear()
    FigureCanvasBase(figure)  # in place of the canvas with the pixels
    untrack(figure, "Figure")


def plain(axes: Axes, along: Literal["x", "y"] = "y") -> None:
    """Leave no frame on top and right; a grid below what is drawn is read off `along`."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis=along, color="#e6e6e6")
    axes.set_axisbelow(True)


def tidy(axes: Axes, margin: float = 0.01) -> None:
    """Plain axes with whole numbers along x, and `margin` of the width free on either side."""
    plain(axes)
    axes.margins(x=margin)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))


def percent_ticks() -> PercentFormatter:
    """Ticks of shares in percent, with as many decimals as distinguish neighbours."""
    return PercentFormatter(1.0)


def colour_of(name: str) -> str:
    """The colour of a method, #rrggbb. Plans that were made elsewhere share one."""
    return COLOURS.get(name, OTHER)
