"""The figure of a plan over years."""

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from firebreak.fire import FireConditions, Scene, make_scene
from firebreak.landscape.candidates.corridor import Corridor
from firebreak.landscape.synthetic.generate import generate
from firebreak.landscape.treatment_table import read_table, treatment_of_rows, with_treatments
from firebreak.landscape.value_unit import ValueUnit
from firebreak.memory.registry import live_counts
from firebreak.planning.core.break_segments import break_segments_of
from firebreak.planning.years.savings import YearsResult, years_of_plan
from firebreak.report.figures.canvas import close_figure
from firebreak.report.figures.years_figure import (
    AGAIN,
    BACK,
    BUILT,
    KEPT,
    LOOKS,
    NEW,
    PART,
    looks_of,
    years_figure,
)

ROWS = [read_table()["bare-line"]]


@pytest.fixture(scope="module")
def scene() -> Scene:
    flat = replace(generate(3, 16), slope_tan=np.full((16, 16), 0.05, np.float32))
    return make_scene(with_treatments(flat, ROWS, "x"), FireConditions(
        scenarios=2, treatment=treatment_of_rows(ROWS, 0, "x")), 0)


def planned(scene: Scene, years: int, parts: int = 1) -> tuple[list[Corridor], YearsResult]:
    land = scene.landscape
    mask = np.zeros(land.shape, bool)
    mask[4, 3:13], mask[11, 3:13] = True, True
    line = break_segments_of(mask & land.treatable, land)
    cost = sum(one.cost for one in line)
    money = [cost if year == 0 else cost / parts for year in range(years)]
    return line, years_of_plan(scene, line, ROWS, list(range(2030, 2030 + years)), money, 40)


def kept(found: YearsResult, name: str) -> YearsResult:
    return found._replace(chosen=name)


def test_every_cell_looks_as_what_was_done_or_as_its_state(scene: Scene) -> None:
    line, found = planned(scene, 9)
    cells = np.concatenate([one.cells for one in line])

    def by_year(name: str) -> list[int]:
        each = []
        for look in looks_of(scene.landscape, line, ROWS, found, name):
            (own,) = np.unique(look.ravel()[cells])
            assert (np.delete(look.ravel(), cells) == -1).all()
            each.append(int(own))
        return each

    assert by_year("build-once") == [BUILT, NEW, *[PART] * 4, *[BACK] * 3]
    assert by_year("build-and-keep-up") == [BUILT, *[KEPT] * 8]
    assert by_year("build-and-treat-again") == [BUILT, NEW, AGAIN, NEW, AGAIN, NEW, AGAIN, NEW,
                                                AGAIN]


@pytest.mark.slow
@pytest.mark.parametrize(("years", "maps"), [(1, 1), (4, 4), (11, 5)])
def test_the_figure_has_maps_of_up_to_five_years_of_two_schedules_and_their_curves(
        scene: Scene, years: int, maps: int) -> None:
    line, found = planned(scene, years)
    figure = years_figure(scene.landscape, line, ROWS, kept(found, "build-and-keep-up"),
                          ValueUnit("ha", 0.09), caption="here")
    try:
        titles = [axes.get_title("left") for axes in figure.axes]
        shown = [title for title in titles if title.startswith("year")]
        assert len(shown) == 2 * maps  # of each schedule
        assert shown[:maps] == shown[maps:]
        assert (shown[0], shown[-1]) == ("year 2030", f"year {2029 + years}")
        losses = next(axes for axes in figure.axes if "mean loss" in axes.get_ylabel())
        assert losses.get_ylabel() == "mean loss of a fire, ha"
        curves = {str(one.get_label()): one.get_ydata() for one in losses.get_lines()}
        assert set(curves) == {"no breaks", "build-once", "build-and-keep-up"}
        np.testing.assert_allclose(curves["no breaks"], 0.09 * found.untreated.mean)
        np.testing.assert_allclose(curves["build-and-keep-up"],
                                   0.09 * found.saved["build-and-keep-up"].loss)
        money = next(axes for axes in figure.axes if "spent" in axes.get_ylabel())
        assert money.get_ylabel() == "spent, USD"
        own = found.schedules["build-and-keep-up"]
        assert sum(bar.get_height() for bar in money.patches) == pytest.approx(
            (own.built + own.kept + own.again).sum())
    finally:
        close_figure(figure)
    assert live_counts().get("Figure", 0) == 0


def test_building_once_stands_beside_nothing_alone(scene: Scene) -> None:
    line, found = planned(scene, 3)
    figure = years_figure(scene.landscape, line, ROWS, kept(found, "build-once"),
                          ValueUnit("houses"), caption="here")
    try:
        losses = next(axes for axes in figure.axes if "mean loss" in axes.get_ylabel())
        assert [str(one.get_label()) for one in losses.get_lines()] == ["no breaks", "build-once"]
    finally:
        close_figure(figure)


def test_the_maps_are_painted_with_the_looks(scene: Scene) -> None:
    line, found = planned(scene, 3)
    figure = years_figure(scene.landscape, line, ROWS, kept(found, "build-once"),
                          ValueUnit("ha"), caption="here")
    try:
        (third,) = [axes for axes in figure.axes if axes.get_title("left") == "year 2032"]
        assert figure.axes[0].get_ylabel() == "build-once"
        picture = np.asarray(third.images[0].get_array())
        row, col = divmod(int(line[0].cells[0]), scene.landscape.shape[1])
        np.testing.assert_allclose(picture[row, col], to_rgb(LOOKS[PART][0]))
    finally:
        close_figure(figure)


@pytest.mark.parametrize("years", [1, 2, 11])
def test_years_on_the_axes_are_whole(scene: Scene, years: int) -> None:
    line, found = planned(scene, years)
    figure = years_figure(scene.landscape, line, ROWS, found, ValueUnit("ha", 0.09), caption="x")
    below = [axes for axes in figure.axes if axes.get_xlabel() == "year"]
    assert len(below) == 2
    figure.canvas.draw()
    for axes in below:
        ticks = [tick for tick in axes.get_xticks() if found.years[0] <= tick <= found.years[-1]]
        assert ticks
        assert all(float(tick).is_integer() for tick in ticks)
        assert axes.get_xlim() == (found.years[0] - 0.5, found.years[-1] + 0.5)
    close_figure(figure)
