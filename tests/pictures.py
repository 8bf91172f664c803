"""Pictures of a few pixels, for tests that need the files of pictures and look into none."""

import io
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure
from PIL import Image

from firebreak.files import write_bytes
from firebreak.report.figures.canvas import close_figure


def draw_few_pixels(patch: pytest.MonkeyPatch) -> None:
    """Figures are made and closed as ever, and films have their fires. Laying them out and drawing
    them, which the tests of figures and reports do, takes most of the time of a small plan.
    """
    patch.setattr("firebreak.report.figures.canvas.png_of", _png)
    patch.setattr("firebreak.report.figures.animation.fire_gif", _gif)
    patch.setattr("firebreak.report.figures.animation.SHOW_FIRES", 8)


def _png(figure: Figure) -> bytes:
    close_figure(figure)
    return _drawn("png")


def _gif(path: Path, *_: Any, **__: Any) -> Path:
    write_bytes(path, _drawn("gif"))
    return path


def _drawn(kind: str) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (2, 2)).save(buffer, format=kind)
    return buffer.getvalue()
