"""Coordinates along a map's edges, and small maps of where it lies."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text
from rasterio.crs import CRS

from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.core.break_segments import break_segments_of
from firebreak.report.figures.canvas import close_figure, new_figure
from firebreak.report.figures.coordinates import (
    Whole,
    can_locate,
    country_outlines,
    draw_coordinates,
    outlines_near,
    round_numbers,
)
from firebreak.report.figures.plan_figures import segments_figure

PLACED = replace(generate(4, (30, 50)), crs=CRS.from_epsg(32611).to_wkt(),
                 transform=(100.0, 0.0, 437_950.0, 0.0, -100.0, 3_733_880.0))


@given(st.floats(-1e4, 1e4), st.floats(0.01, 1e4))
def test_round_numbers_lie_between_and_are_few(low: float, wide: float) -> None:
    found = round_numbers(low, low + wide)
    assert 2 <= len(found) <= 6
    slack = 1e-6 * (abs(low) + wide)
    assert all(low - slack <= one <= low + wide + slack for one in found)
    assert np.allclose(np.diff(found), found[1] - found[0])


def test_ticks_stand_where_their_coordinates_are() -> None:
    land = PLACED
    with new_figure(4.0, 3.0, title="", caption="") as figure:
        axes = figure.subplots()
        axes.set(xlim=(-0.5, 49.5), ylim=(29.5, -0.5))
        draw_coordinates(axes, land)
        FigureCanvasAgg(figure).draw()
        for axis, start, step in ((axes.xaxis, 437.95, 0.1), (axes.yaxis, 3733.88, -0.1)):
            labels = [tick.get_text().replace(",", "") for tick in axis.get_ticklabels()]
            assert len(labels) >= 2
            for label, place in zip(labels, axis.get_ticklocs(), strict=True):
                assert float(label) == pytest.approx(start + step * (place + 0.5), abs=1e-6)
        close_figure(figure)


def test_the_unit_lies_on_no_number() -> None:
    """Also where one stands at the corner, as on a map of 4 x 4 km that begins at 0."""
    corner = replace(generate(4, 40), transform=(100.0, 0.0, 0.0, 0.0, -100.0, 4000.0))
    for land in (corner, PLACED):
        with new_figure(6.0, 5.0, title="", caption="") as figure:
            axes = figure.subplots()
            rows, cols = land.shape
            axes.set(xlim=(-0.5, cols - 0.5), ylim=(rows - 0.5, -0.5))
            draw_coordinates(axes, land)
            FigureCanvasAgg(figure).draw()
            unit, = (text for text in axes.texts if text.get_text().strip() == "km")
            for label in (*axes.get_xticklabels(), *axes.get_yticklabels()):
                assert not unit.get_window_extent().overlaps(label.get_window_extent())
            close_figure(figure)


def test_a_map_is_located_where_something_is_known() -> None:
    bare = replace(PLACED, crs=None)
    assert can_locate(PLACED, None)
    assert not can_locate(bare, None)
    assert not can_locate(bare, Whole(bare, (0, 0)))
    assert can_locate(bare.crop(2, 3, 10, 10), Whole(bare, (2, 3)))


def test_the_picture_of_a_part_says_where_it_is() -> None:
    part = PLACED.crop(5, 5, 12, 12)
    mask = np.zeros(part.shape, np.bool_)
    mask[4, 2:9] = part.treatable[4, 2:9]
    figure = segments_figure(part, break_segments_of(mask, part), title="", caption="",
                             whole=Whole(PLACED, (5, 5)))
    words = {text.get_text() for text in figure.findobj(Text)}
    assert any(word.endswith("° W") for word in words)
    assert len(figure.axes) >= 4
    close_figure(figure)


def test_the_outlines_are_those_of_the_land() -> None:
    rings = country_outlines()
    assert len(rings) > 150
    assert all((ring[0] == ring[-1]).all() for ring in rings)
    assert max(abs(ring[:, 0]).max() for ring in rings) <= 180.0


def test_land_beyond_the_date_line_is_drawn_on_this_side() -> None:
    near = outlines_near(179.0, 14.0)
    assert max(ring[:, 0].max() for ring in near) > 181.0
