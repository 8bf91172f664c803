"""A plan over years: a map of each year, and what each year loses and costs."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from firebreak.checks import counted
from firebreak.landscape.candidates.corridor import Corridor
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.treatment_table import TreatmentRow
from firebreak.landscape.value_unit import ValueUnit
from firebreak.planning.years.savings import YearsResult
from firebreak.planning.years.schedule import BUILD_ONCE
from firebreak.report.figures import cartography as carto
from firebreak.report.figures.canvas import QUIET, new_figure, tidy

COLUMNS = 5
"""Years that have maps; of more years some are shown, the first and the last among them."""
BUILT, KEPT, AGAIN, NEW, PART, BACK = range(6)
LOOKS = {BUILT: ("#08306b", "built this year"), KEPT: ("#2171b5", "maintained this year"),
         AGAIN: ("#6a3d9a", "treated again this year"), NEW: ("#6baed6", "left, still as new"),
         PART: ("#fdae61", "left, partly grown back"), BACK: ("#d7301f", "left, grown back")}
"""By what was done with a cell in the year, else by the state that it is in: colour and words."""
_DIM, _MAP_IN, _AROUND = 0.72, 2.5, 2
_NOTHING, _ONCE, _CHOSEN = "#d95f02", "#7570b3", "#1f6fb4"
Floats = NDArray[np.float64]


def years_figure(landscape: Landscape, segments: Sequence[Corridor],
                 rows: Sequence[TreatmentRow], found: YearsResult, unit: ValueUnit, *,
                 caption: str) -> Figure:
    """The schedule that is kept, and building once where that is another one: what stands in some
    years and what has become of it; below, the mean loss of a fire in each year of both and without
    breaks, and what each year of the kept one costs.

    Args:
        segments: in build order. rows: the treatments that `landscape.treatment` numbers.
        unit: of the losses.
    """
    names = list(dict.fromkeys((found.chosen, BUILD_ONCE.name)))
    shown = np.unique(np.linspace(0, len(found.years) - 1, min(len(found.years), COLUMNS)
                                  ).round().astype(int)).tolist()
    part = _part(landscape, segments)
    height = _MAP_IN * min(max((part[0].stop - part[0].start) / (part[1].stop - part[1].start),
                               0.6), 1.6)
    saved, above_in = found.saved[found.chosen], len(names) * (height + 0.35) + 0.7
    title = (f"Breaks over {counted(len(found.years), 'year')} ({found.chosen}): fires lose "
             f"{saved.reduction:.1%} less than without breaks ({saved.low:.1%} to "
             f"{saved.high:.1%})")
    with new_figure(COLUMNS * _MAP_IN + 0.8, above_in + 3.2, title=title,
                    caption=f"{caption} · {carto.place_of(landscape)}") as figure:
        parts = figure.add_gridspec(2, 1, height_ratios=(above_in, 3.0))
        above, below = (figure.add_subfigure(parts[k]) for k in (0, 1))
        panels = above.subplots(len(names), COLUMNS, squeeze=False)
        ground, seen = carto.fuel_rgb(landscape, _DIM), set()
        for name, row in zip(names, panels, strict=True):
            looks = looks_of(landscape, segments, rows, found, name)
            for axes, year in zip(row, shown, strict=False):
                _draw_year(axes, landscape, ground, looks[year], part,
                           measures=axes is panels[0, 0])
                axes.set_title(f"year {found.years[year]}")
                seen |= set(np.unique(looks[year]).tolist())
            row[0].set_ylabel(name)
            for axes in row[len(shown):]:
                axes.axis("off")
        above.legend(handles=[Patch(facecolor=colour, label=words)
                              for look, (colour, words) in LOOKS.items() if look in seen],
                     loc="outside lower center", ncols=6, frameon=False)
        left, right = below.subplots(1, 2, width_ratios=(1.5, 1.0))
        _draw_losses(left, found, unit)
        _draw_money(right, found, rows[0].currency)
        return figure


def looks_of(landscape: Landscape, segments: Sequence[Corridor], rows: Sequence[TreatmentRow],
             found: YearsResult, name: str) -> list[NDArray[np.int64]]:
    """Look of every cell [H, W] in each year of a schedule, -1 where no segment stands."""
    assert landscape.treatment is not None
    own = found.schedules[name]
    kinds, each = np.maximum(landscape.treatment.ravel(), 0), []
    for age, (built, kept, again) in zip(own.age, own.done, strict=True):
        look = np.full(landscape.fuel_model.size, -1)
        done = dict.fromkeys(built, BUILT) | dict.fromkeys(kept, KEPT) | dict.fromkeys(again, AGAIN)
        for k, segment in enumerate(segments):
            if age[k] >= 0:
                look[segment.cells] = [done.get(k, _left(rows[kind], int(age[k])))
                                       for kind in kinds[segment.cells].tolist()]
        each.append(look.reshape(landscape.shape))
    return each


def _left(row: TreatmentRow, age: int) -> int:
    """The look of a cell with which nothing is done at this age."""
    place = row.states.index(row.state_at(age, "years"))
    if place == 0:
        return NEW
    return BACK if place == len(row.states) - 1 else PART


def _part(landscape: Landscape, segments: Sequence[Corridor]) -> tuple[slice, slice]:
    """Rows and columns around all segments."""
    cells = np.concatenate([one.cells for one in segments])
    ends = zip(np.divmod(cells, landscape.shape[1]), landscape.shape, strict=True)
    row, col = (slice(max(int(where.min()) - _AROUND, 0), min(int(where.max()) + _AROUND + 1, most))
                for where, most in ends)
    return row, col


def _draw_year(axes: Axes, landscape: Landscape, ground: NDArray[np.float64],
               look: NDArray[np.int64], part: tuple[slice, slice], *, measures: bool) -> None:
    picture = ground.copy()
    for name, (colour, _) in LOOKS.items():
        picture[look == name] = to_rgb(colour)
    axes.imshow(picture, interpolation="nearest")
    carto.frame_map(axes, landscape, measures=measures, part=part)


def _draw_losses(axes: Axes, found: YearsResult, unit: ValueUnit) -> None:
    years, per = np.array(found.years), unit.per_value

    def draw(name: str, colour: str, dash: str, mean: Floats, low: Floats, high: Floats) -> None:
        if years.size == 1:  # a band of no width is not seen
            axes.vlines(years, per * low, per * high, color=colour, alpha=0.5)
        axes.fill_between(years, per * low, per * high, color=colour, alpha=0.15, linewidth=0)
        axes.plot(years, per * mean, color=colour, linestyle=dash, linewidth=2.0, marker="o",
                  markersize=3.5, label=name)

    mean, low, high = (np.full(years.size, end) for end in found.untreated)
    draw("no breaks", _NOTHING, ":", mean, low, high)
    for name in dict.fromkeys((BUILD_ONCE.name, found.chosen)):
        one, kept = found.saved[name], name == found.chosen
        draw(name, _CHOSEN if kept else _ONCE, "-" if kept else "--", one.loss, one.loss_low,
             one.loss_high)
    axes.set(xlabel="year", ylabel=f"mean loss of a fire, {unit.name}", ylim=(0.0, None))
    own = found.saved[found.chosen]
    if found.chosen != BUILD_ONCE.name:
        axes.set_title(f"over all years {own.more:+.1%} of the loss saved beside "
                       f"{BUILD_ONCE.name} ({own.more_low:+.1%} to {own.more_high:+.1%}, paired)",
                       fontsize=10)
    axes.legend(loc="lower left", frameon=False, ncols=3, title="95 % bands",
                title_fontsize=8.5, alignment="left")
    tidy(axes, 0.03)
    _whole_years(axes, found.years)


def _whole_years(axes: Axes, years: Sequence[int]) -> None:
    """Marks at whole years alone, with room for the bars of the first and the last."""
    axes.set_xlim(years[0] - 0.5, years[-1] + 0.5)
    axes.xaxis.set_major_locator(MaxNLocator(12, integer=True))


def _draw_money(axes: Axes, found: YearsResult, currency: str) -> None:
    own, base = found.schedules[found.chosen], np.zeros(len(found.years))
    for cost, look, words in ((own.built, BUILT, "build"), (own.kept, KEPT, "maintain"),
                              (own.again, AGAIN, "treat again")):
        if cost.any():
            axes.bar(found.years, cost, bottom=base, color=LOOKS[look][0], width=0.7, label=words)
            base = base + cost
    axes.set_title(f"money of {found.chosen}", fontsize=10)
    axes.set(xlabel="year", ylabel=f"spent, {currency}", ylim=(0.0, 1.3 * max(base.max(), 1e-9)))
    axes.legend(loc="upper right", frameon=False, ncols=3)
    axes.yaxis.set_major_locator(MaxNLocator(5))
    axes.yaxis.set_major_formatter("{x:,.0f}")
    tidy(axes, 0.03)
    _whole_years(axes, found.years)
    axes.tick_params(colors=QUIET)
