"""The rule that windows of the sealed test set are cut by.

Maps are those of `protocol.real`, none of which a configuration trains on. A window is drawn evenly
among all places that are half burnable, and its cells, with its margin, lie in no window of any
table of `protocol.PARTS`, in no area of the jobs with its margin, not in the sample, and in no
window drawn before, at whatever cell size.
"""

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from protocol import PARTS, Set, margin_of, whole_map, windows_of

from firebreak.landscape.formats.read import read_landscape
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.raster.windows import Window, aggregate, window_positions
from firebreak.seeding import generator

CONFIGS = Path(__file__).resolve().parents[1] / "configs"
JOB_MARGIN = 16
"""Cells around the area of a job in which its fires burn too."""
SAMPLE = ("landfire-santa-ana-ca", Window(304, 146, 88, 88))
"""Map and window of sample:santa-ana."""


def drawn(sets: Sequence[Set], data: Path, seed: int) -> dict[str, list[tuple[int, int]]]:
    """North-west cells of the windows of sets, with their margins, by the name of the set; as many
    as a set counts, or as there is room for.
    """
    found: dict[str, list[tuple[int, int]]] = {}
    for name in dict.fromkeys(str(one.map) for one in sets):
        fine = read_landscape(data / name)
        taken = used(name, fine, data)
        for one in sets:
            if one.map == name:
                found[one.name] = _draw(one, fine, taken, seed)
    return found


def used(name: str, fine: Landscape, data: Path) -> NDArray[np.bool_]:
    """bool [H, W], the cells of a map that a table, a job or the sample has shown."""
    taken = np.zeros(fine.shape, np.bool_)
    for area in job_areas(name):
        taken[_around(area, JOB_MARGIN).slices] = True
    if name == SAMPLE[0]:
        taken[SAMPLE[1].slices] = True
    tables = {one for part in PARTS.values() for one in part.sets if one.map == name}
    for one in sorted(tables, key=lambda table: (table.name, table.count)):
        factor = factor_of(one, fine)
        for window in windows_of(one, whole_map(one, data)):
            taken[scaled(window, factor).slices] = True
    return taken


def _draw(one: Set, fine: Landscape, taken: NDArray[np.bool_],
          seed: int) -> list[tuple[int, int]]:
    factor, full = factor_of(one, fine), one.size + 2 * margin_of(one)
    whole = aggregate(fine, factor)
    places = window_positions([Window(0, 0, *whole.shape)], full, full, whole)
    found: list[tuple[int, int]] = []
    for k in generator(seed, "sealed-windows", one.name).permutation(len(places)):
        row, col = places[k].tolist()
        cells = scaled(Window(row, col, full, full), factor).slices
        if not taken[cells].any():
            taken[cells] = True
            found.append((row, col))
        if len(found) == one.count:
            break
    return sorted(found)


def factor_of(one: Set, fine: Landscape) -> int:
    """Cells of the map along a side of a cell of the set."""
    return round(one.cell_size_m / fine.cell_size_m) if one.cell_size_m else 1


def scaled(window: Window, factor: int) -> Window:
    """A window of joined cells in cells of the map."""
    return Window(window.row * factor, window.col * factor, window.rows * factor,
                  window.cols * factor)


def job_areas(name: str) -> list[Window]:
    """The areas of the jobs on a map, without their margins; whole maps, on which no table compares
    methods, have none.
    """
    found = []
    for path in sorted((CONFIGS / "jobs").rglob("*.toml")):
        job: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
        area = job.get("place", {}).get("area")
        if name in Path(job.get("landscape", "")).parts and area is not None:
            rows, cols = (tuple(map(int, part.split(":"))) for part in area.split(","))
            found.append(Window(rows[0], cols[0], rows[1] - rows[0], cols[1] - cols[0]))
    return found


def _around(window: Window, margin: int) -> Window:
    row, col = max(window.row - margin, 0), max(window.col - margin, 0)
    return Window(row, col, window.row + window.rows + margin - row,
                  window.col + window.cols + margin - col)
