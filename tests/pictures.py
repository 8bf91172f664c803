"""Pictures of one pixel, for tests that need the files of pictures and look into none."""

import io

import pytest
from matplotlib.figure import Figure
from PIL import Image

from firebreak.report.figures.canvas import close_figure


def draw_one_pixel(patch: pytest.MonkeyPatch) -> None:
    """Figures are made and closed as ever, films have few fires. Laying a figure out and drawing
    it, which the tests of figures and reports do, takes most of the time of a small plan.
    """
    patch.setattr("firebreak.report.figures.canvas.png_of", _one_pixel)
    patch.setattr("firebreak.report.pages.run_report.SHOW_FIRES", 8)


def _one_pixel(figure: Figure) -> bytes:
    close_figure(figure)
    buffer = io.BytesIO()
    Image.new("RGB", (1, 1)).save(buffer, format="png")
    return buffer.getvalue()
