"""Pictures of a few pixels or drawn once, for tests that need their files and look into none."""

import contextlib
import io
import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure
from PIL import Image

from firebreak.files import write_bytes
from firebreak.report.figures import animation, canvas
from firebreak.report.figures.canvas import close_figure


def draw_few_pixels(patch: pytest.MonkeyPatch) -> None:
    """Figures are made and closed as ever, and films have their fires. Laying them out and drawing
    them, which the tests of figures and reports do, takes most of the time of a small plan.
    """
    patch.setattr("firebreak.report.figures.canvas.png_of", _png)
    patch.setattr("firebreak.report.figures.animation.fire_gif", _gif)
    patch.setattr("firebreak.report.figures.animation.SHOW_FIRES", 8)


@contextlib.contextmanager
def drawn_once(drawn: list[bytes]) -> Iterator[None]:
    """A command that is run again and again draws its pictures into `drawn` the first time; later
    it writes the same bytes.
    """
    draw_png, draw_gif, numbers = canvas.png_of, animation.fire_gif, itertools.count()

    def kept(draw: Callable[[], bytes]) -> bytes:
        number = next(numbers)
        if number == len(drawn):
            drawn.append(draw())
        return drawn[number]

    def png(figure: Figure) -> bytes:
        content = kept(lambda: draw_png(figure))
        close_figure(figure)
        return content

    def gif(path: Path, *given: Any, **options: Any) -> Path:
        write_bytes(path, kept(lambda: draw_gif(path, *given, **options).read_bytes()))
        return path

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(canvas, "png_of", png)
        patch.setattr(animation, "fire_gif", gif)
        yield


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
