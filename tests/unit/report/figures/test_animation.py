"""The animated fire: frames of one size, both panels, breaks and ignition in place."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from firebreak.landscape.landscape import Landscape
from firebreak.landscape.synthetic.generate import generate
from firebreak.report.figures.animation import fire_gif

SOURCE = (8, 4)


def spread(shape: tuple[int, int], stop: int) -> np.ndarray:
    """Arrival times of a round fire, 10 minutes a cell, that does not pass column `stop`."""
    row, col = np.indices(shape)
    arrival = 10.0 * np.hypot(row - SOURCE[0], col - SOURCE[1])
    arrival[:, stop:] = np.inf
    return arrival


def animate(path: Path, land: Landscape, frames: int = 8) -> np.ndarray:
    """All frames as RGB [frames, H, W, 3]."""
    breaks = np.zeros(land.shape, np.bool_)
    breaks[:, 12] = True
    fire_gif(path, land, spread(land.shape, 99), spread(land.shape, 12), breaks,
             SOURCE[0] * land.shape[1] + SOURCE[1], 120.0, frames=frames)
    with Image.open(path) as image:
        assert image.info["loop"] == 0
        pictures = []
        for k in range(image.n_frames):
            image.seek(k)
            pictures.append(np.asarray(image.convert("RGB")))
    return np.stack(pictures)


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(16, 16), (16, 40), (40, 16), (400, 420)])
def test_frames_have_one_size_and_panels_are_wide_enough(tmp_path: Path,
                                                        shape: tuple[int, int]) -> None:
    pictures = animate(tmp_path / "deep" / "fire.gif", generate(2, shape))
    assert pictures.shape[0] == 8
    assert pictures.shape[2] >= 2 * 320
    assert [file.name for file in (tmp_path / "deep").iterdir()] == ["fire.gif"]


def test_breaks_stay_and_the_fire_grows_on_the_left_alone(tmp_path: Path) -> None:
    land = generate(2, 16)
    pictures = animate(tmp_path / "fire.gif", land).astype(int)
    side = 384 // 16
    top = 50

    def cell(frame: int, row: int, col: int, right: bool) -> np.ndarray:
        x = (384 + 12 if right else 0) + col * side + side // 2
        return pictures[frame, top + row * side + side // 2, x]

    for frame in (0, 4, 7):
        assert cell(frame, 2, 12, True).tolist() == [0, 0, 0]
    beyond = (8, 14)
    assert (cell(0, *beyond, False) == cell(0, *beyond, True)).all()
    assert (cell(7, *beyond, False) != cell(0, *beyond, False)).any()
    assert (cell(7, *beyond, True) == cell(0, *beyond, True)).all()
    burned_out = cell(7, SOURCE[0] + 2, SOURCE[1], True)
    assert burned_out.max() < 90  # dark
    assert burned_out.min() > 0  # and no break


def test_nothing_is_left_beside_an_animation_that_failed(tmp_path: Path) -> None:
    (tmp_path / "fire.gif").mkdir()
    with pytest.raises(OSError, match=r"fire\.gif"):
        animate(tmp_path / "fire.gif", generate(2, 16))
    assert [file.name for file in tmp_path.iterdir()] == ["fire.gif"]


def test_breaks_are_placed_in_their_order_before_the_fire(tmp_path: Path) -> None:
    land = generate(2, 16)
    order = np.array([16 * row + 12 for row in (3, 9, 0)])
    breaks = np.zeros(land.shape, np.bool_)
    breaks.ravel()[order] = True
    path = tmp_path / "fire.gif"
    fire_gif(path, land, spread(land.shape, 99), spread(land.shape, 12), breaks,
             SOURCE[0] * 16 + SOURCE[1], 120.0, frames=4, order=order)
    with Image.open(path) as image:
        assert image.n_frames == 3 + 4
        shown = []
        for k in range(4):
            image.seek(k)
            pixels = np.asarray(image.convert("RGB")).astype(int)
            shown.append([bool((pixels[50 + row * 24 + 12, 396 + 12 * 24 + 12] == 0).all())
                          for row in (3, 9, 0)])
    assert shown == [[False] * 3, [True, False, False], [True, True, False], [True] * 3]

