"""The losses under a plan by how many crews there are."""

from matplotlib.figure import Figure

from firebreak.planning.evaluation.crews import CrewLosses
from firebreak.report.figures.canvas import BLUE, QUIET, new_figure, tidy


def crews_figure(found: CrewLosses, *, caption: str) -> Figure:
    """Bars of the mean loss of a fire, from no breaks to crews without limit; where values are not
    hectares, of the mean burned area beside it.
    """
    rows = [("burned, ha", found.burned_ha)]
    if found.unit != "ha":
        rows.append((f"lost, {found.unit}", found.lost))
    with new_figure(4.6 * len(rows) + 1.4, 3.4, title="Losses of a fire by crews",
                    caption=caption) as figure:
        axes = figure.subplots(1, len(rows), sharey=True, squeeze=False)[0]
        places = range(len(found.labels))
        for ax, (label, values) in zip(axes, rows, strict=True):
            ax.barh(places, values, color=[BLUE if k == found.own else QUIET for k in places])
            for place, value in zip(places, values, strict=True):
                ax.annotate(f" {value:,.3g}", (value, place), va="center", fontsize=8)
            ax.set_xlabel(f"{label}, mean of a fire")
            ax.set_xlim(0.0, 1.2 * max(float(values.max()), 1e-12))
            tidy(ax)
        axes[0].set_yticks(list(places), found.labels)
        axes[0].invert_yaxis()
    return figure
