"""Maps of one quantity over a landscape, and the isochrones of one fire.

Used by `firebreak simulate`: burn probability, downstream value, intensity, flame length, arrival.
Figures are returned open; `canvas.save_figure` writes and
closes them.
"""


import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from firebreak.landscape.landscape import Landscape
from firebreak.report.figures import cartography as carto
from firebreak.report.figures.canvas import INK
from firebreak.report.figures.maps import DIM, draw_values, legend_below, new_map, typical_most

_ISOCHRONES = 8


def field_figure(landscape: Landscape, values: NDArray[np.float64], *, title: str, label: str,
                 colours: str, caption: str) -> Figure:
    """One quantity [H, W] where it burns, over a scale from 0.

    Args:
        label: the quantity and its unit, beside the scale.
        colours: name of a sequential colormap.
    """
    burns = values[landscape.burnable]
    top = typical_most(burns, 1e-9)
    with new_map(landscape, 1.9, 1.0, title=title, caption=caption) as figure:
        axes = figure.subplots()
        image = draw_values(axes, landscape, values, colours, 0.0, top, measures=True)
        beyond = "max" if burns.size and float(burns.max()) > top else "neither"
        figure.colorbar(image, ax=axes, shrink=0.9, pad=0.02, label=label, extend=beyond)
        return figure


def arrival_figure(landscape: Landscape, arrival_time_min: NDArray[np.float64], *,
                   caption: str) -> Figure:
    """Arrival time of one fire [H, W] (inf = unburned) over dimmed fuels, with isochrones."""
    burned = np.isfinite(arrival_time_min)
    end = max(float(arrival_time_min[burned].max(initial=0.0)), 1e-9)
    hectares = burned.sum() * landscape.cell_size_m**2 / 1e4
    row, col = np.unravel_index(int(np.argmin(arrival_time_min)), landscape.shape)
    title = f"One fire: {burned.sum():,} cells ({hectares:,.0f} ha) in {end:,.0f} minutes"
    with new_map(landscape, 1.9, 1.2, title=title, caption=caption) as figure:
        axes = figure.subplots()
        axes.imshow(carto.fuel_rgb(landscape, DIM), interpolation="nearest")
        image = axes.imshow(np.where(burned, arrival_time_min, np.nan), vmin=0.0, vmax=end,
                            cmap="inferno", interpolation="nearest")
        carto.frame_map(axes, landscape)
        if min(landscape.shape) > 1 and burned.sum() > _ISOCHRONES:
            lines = axes.contour(np.where(burned, arrival_time_min, np.nan), colors="white",
                                 levels=isochrones(end), linewidths=0.8)
            axes.clabel(lines, fmt="%.0f", fontsize=8)
        start = axes.scatter([col], [row], s=260, marker="*", color="#00e5ff", edgecolors=INK,
                             zorder=4, label="ignition")
        legend_below(axes, [start])
        figure.colorbar(image, ax=axes, shrink=0.9, pad=0.02,
                        label="arrival time, minutes after ignition")
        return figure


def isochrones(end_min: float) -> list[float]:
    """Round times between 0 and `end_min`, about eight."""
    times = MaxNLocator(_ISOCHRONES, steps=(1, 2, 3, 6, 10)).tick_values(0.0, end_min)
    return [float(time) for time in times if 0.0 < time < end_min]

