"""One fire without and with the plan, side by side, as a GIF made straight from arrays.

Every frame is an array of palette indices: fuels dimmed under the relief, burned ground dark, the
front from yellow to dark red by the time since it arrived, breaks black. No plotting library is in
the way, which makes it some fifty times faster than drawing axes.
"""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from firebreak.files import write_bytes
from firebreak.fire import Scene, burn
from firebreak.landscape.landscape import Landscape
from firebreak.planning.core.area import View
from firebreak.planning.core.plan import Plan
from firebreak.report.figures.cartography import fuel_colour, hillshade

SHOW_FIRES = 64
_PANEL_PX = 384  # the shorter side of a panel is at least about this long
_GAP_PX, _TOP_PX, _BOTTOM_PX = 12, 50, 30
_FRAME_MS, _LAST_MS, _PLACE_MS = 120, 2500, 150
_PLACINGS = 16
_DIM = 0.45
_LIGHTS = (0.84, 0.92, 1.0, 1.05)  # levels of hillshade
_FRONT = ("fff3a0", "ffd23f", "ff9f1c", "ff6b1a", "e63b12", "b3200f", "7d1a12")
_FRONT_SHARE = 0.2  # of the duration, from arrival to burned out
_GREYS = 16

# Entries of the palette: greys from 0, the front, these, and the dimmed fuels after them.
_FRONT0 = _GREYS
_BURNED, _BREAK, _EDGE, _RING, _FUEL0 = (_FRONT0 + len(_FRONT) + k for k in range(5))
_FIXED = {_BURNED: (74, 54, 48), _BREAK: (0, 0, 0), _EDGE: (255, 255, 255), _RING: (0, 229, 255)}

Indices = NDArray[np.uint8]


class _Panel(NamedTuple):
    """One side: its title, arrival times [H, W] and the breaks that its fire meets [H, W]."""

    title: str
    arrival: NDArray[np.float64]
    breaks: NDArray[np.bool_]


def fire_animation(path: Path, scene: Scene, plan: Plan) -> Path:
    """Writes a GIF of breaks being placed, then of the fire that the plan cuts most."""
    fires = scene.fires("show", SHOW_FIRES)
    breaks = plan.break_mask()
    saved = burn(scene, fires).loss - burn(scene, fires, breaks).loss
    best = int(np.argmax(saved))
    fire = fires.part(slice(best, best + 1))
    before, after = (burn(scene, fire, under, want="arrival").arrivals_min[0]
                     for under in (None, breaks))
    view = View.of(scene.landscape)
    start = np.append(view.cells(fire.source), -1)[0]
    return fire_gif(path, view.land, view.grid(before), view.grid(after), view.grid(breaks),
                    int(start), float(fire.duration_min[0]), order=view.cells(plan.cells))


def fire_gif(path: Path, landscape: Landscape, arrival_without: NDArray[np.float64],
             arrival_with: NDArray[np.float64], breaks: NDArray[np.bool_], source_cell: int,
             duration_min: float, *, frames: int = 40,
             order: NDArray[np.int64] | None = None) -> Path:
    """Writes the animation of one fire; an older file stays until the new one is complete.

    Args:
        arrival_without, arrival_with: minutes [H, W], inf = unburned, of the same fire.
        breaks: bool [H, W].
        source_cell: flat cell in which the fire starts; below 0 where it comes from elsewhere.
        duration_min: time of the last frame, > 0.
        frames: at least 2; the first is the ignition.
        order: flat cells of the breaks in the order to place them, which is then shown first.

    Returns the path. The folder is made if missing.
    """
    count = int(breaks.sum())
    panels = (_Panel("Without breaks", arrival_without, np.zeros_like(breaks)),
              _Panel(f"With {count:,} break cells", arrival_with, breaks))
    background, palette = _background(landscape)
    placing = [] if order is None else _placing(panels, order)
    scenes = [*((some, 0.0) for some in placing),
              *((panels, time) for time in np.linspace(0.0, duration_min, frames).tolist())]
    images = _images(scenes, duration_min, background, palette, source_cell, landscape)
    path.parent.mkdir(parents=True, exist_ok=True)
    durations = [*[_PLACE_MS] * len(placing), *[_FRAME_MS] * (frames - 1), _LAST_MS]
    buffer = io.BytesIO()
    next(images).save(buffer, format="GIF", save_all=True, append_images=images, loop=0,
                      duration=durations, optimize=False)
    write_bytes(path, buffer.getbuffer())
    return path


def _placing(panels: tuple[_Panel, _Panel],
             order: NDArray[np.int64]) -> list[tuple[_Panel, _Panel]]:
    """Panels without fire whose breaks come one after another, in at most _PLACINGS frames."""
    without, treated = panels
    cold = np.full_like(without.arrival, np.inf)
    frames = []
    for count in np.unique(np.linspace(0, order.size, _PLACINGS + 1).astype(int))[:-1].tolist():
        breaks = np.zeros_like(treated.breaks)
        breaks.ravel()[order[:count]] = True
        frames.append((_Panel(without.title, cold, without.breaks),
                       _Panel(f"Placing break cells: {count:,}", cold, breaks)))
    return frames


def _images(scenes: list[tuple[tuple[_Panel, _Panel], float]], duration: float,
            background: Indices, palette: list[int], source_cell: int,
            landscape: Landscape) -> Iterator[Image.Image]:
    scale = max(1, -(-_PANEL_PX // max(min(landscape.shape), 1)))
    scale = max(1, min(scale, -(-2 * _PANEL_PX // max(landscape.shape))))
    legend = _legend_strip(2 * max(landscape.shape[1] * scale, _PANEL_PX) + _GAP_PX, landscape.name)
    for panels, time in scenes:
        sides = [_side(panel, background, time, duration, source_cell, scale)
                 for panel in panels]
        gap = np.full((sides[0].shape[0], _GAP_PX), _GREYS - 1, np.uint8)
        frame = np.concatenate([np.concatenate([sides[0], gap, sides[1]], axis=1), legend])
        image = Image.fromarray(frame)
        image.putpalette(palette)
        yield image


def _background(landscape: Landscape) -> tuple[Indices, list[int]]:
    """Palette indices [H, W] of the untouched map, and the whole palette as 768 numbers."""
    codes, inverse = np.unique(landscape.fuel_model, return_inverse=True)
    # Many codes may share a colour (mixed stands do); the palette has room for colours only.
    colours, kind = np.unique([fuel_colour(int(code), landscape.fuels) for code in codes],
                              axis=0, return_inverse=True)
    place = kind.reshape(-1)[inverse]
    light = np.digitize(hillshade(landscape), (0.8, 0.95, 1.05))
    indices = _FUEL0 + place.reshape(landscape.shape) * len(_LIGHTS) + light
    table = np.zeros((256, 3))
    table[:_GREYS] = np.linspace(0, 255, _GREYS)[:, None]
    table[_FRONT0:_BURNED] = [tuple(bytes.fromhex(colour)) for colour in _FRONT]
    for index, colour in _FIXED.items():
        table[index] = colour
    for k, rgb in enumerate(colours):
        # Half grey, then pale: no fuel may pass for the front.
        pale = 0.5 * (rgb + rgb.mean()) * (1.0 - _DIM) + _DIM
        for level, brightness in enumerate(_LIGHTS):
            table[_FUEL0 + k * len(_LIGHTS) + level] = np.clip(255 * pale * brightness, 0, 255)
    return indices.astype(np.uint8), table.round().astype(int).ravel().tolist()


def _side(panel: _Panel, background: Indices, time: float, duration: float, source_cell: int,
          scale: int) -> Indices:
    """One panel at one time with its text above, palette indices."""
    cells = _cells(panel, background, time, duration)
    image = cells.repeat(scale, axis=0).repeat(scale, axis=1)
    _draw_breaks(image, panel.breaks, scale)
    if source_cell >= 0:
        row, col = divmod(source_cell, cells.shape[1])
        _draw_ring(image, (row + 0.5) * scale, (col + 0.5) * scale, max(7.0, 0.7 * scale))
    width = max(image.shape[1], _PANEL_PX)
    spare = width - image.shape[1]
    framed = np.pad(image, ((0, 0), (spare // 2, spare - spare // 2)),
                    constant_values=_GREYS - 1)
    burned = int((panel.arrival <= time).sum())
    cells_burned = f"{burned:,} cell{'' if burned == 1 else 's'} burned"
    text = _strip(width, _TOP_PX, [(8, 4, panel.title, 18),
                                   (8, 27, f"{time:,.0f} min    {cells_burned}", 16)])
    return np.concatenate([text, framed])


def _cells(panel: _Panel, background: Indices, time: float, duration: float) -> Indices:
    """Palette index of each cell [H, W] at one time."""
    burned = panel.arrival <= time
    age = (time - np.where(burned, panel.arrival, time)) / (_FRONT_SHARE * duration)
    step = np.minimum((age * len(_FRONT)).astype(np.int64), len(_FRONT))
    return np.where(burned, _FRONT0 + step, background).astype(np.uint8)


def _draw_breaks(image: Indices, breaks: NDArray[np.bool_], scale: int) -> None:
    """Black cells, with a white rim where there is room, so that they show on burned ground."""
    block = np.full((scale, scale), _BREAK, np.uint8)
    if scale >= 4:
        block[[0, -1], :] = block[:, [0, -1]] = _EDGE
    for row, col in np.argwhere(breaks) * scale:
        image[row:row + scale, col:col + scale] = block


def _draw_ring(image: Indices, y: float, x: float, radius: float) -> None:
    rows, cols = np.ogrid[:image.shape[0], :image.shape[1]]
    distance = np.hypot(rows + 0.5 - y, cols + 0.5 - x)
    image[np.abs(distance - radius) <= 3.0] = _BREAK
    image[np.abs(distance - radius) <= 1.8] = _RING


def _strip(width: int, height: int, texts: list[tuple[int, int, str, int]]) -> Indices:
    """A white strip with texts (x, y, words, size), as indices of the greys."""
    strip = Image.new("L", (width, height), 255)
    draw = ImageDraw.Draw(strip)
    for x, y, words, size in texts:
        draw.text((x, y), words, fill=0, font=ImageFont.load_default(size))
    return (np.asarray(strip) >> 4).astype(np.uint8)


def _legend_strip(width: int, name: str) -> Indices:
    """The legend of the colours and the landscape's name, below both panels."""
    entries = ((_FRONT0 + 2, "fire front"), (_BURNED, "burned out"), (_BREAK, "fuel break"),
               (_RING, "ignition"))
    places = [8 + 118 * k for k in range(len(entries))]
    texts = [(x + 20, 6, words, 14) for x, (_, words) in zip(places, entries, strict=True)]
    strip = _strip(width, _BOTTOM_PX, [*texts, (places[-1] + 118, 6, name, 14)])
    for x, (index, _) in zip(places, entries, strict=True):
        strip[8:22, x:x + 14] = index
    return strip
