"""The measurements of `firebreak bench` of fires: speed, accuracy, threads, memory, building."""

import math
import time
from collections.abc import Callable, Sequence
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from firebreak.fire import Fires, Scene

WINDS = 12
_WHOLE_MAP = 160_000  # cells that the fires of one measurement burn, at least
_WEATHERS = 8  # of a problem, by default


class Measured(NamedTuple):
    """Median over repetitions, and half the range over the median."""

    value: float
    spread: float


def measured(values: Sequence[float]) -> Measured:
    """Summary of the repetitions of one measurement."""
    middle = median(values)
    return Measured(middle, (max(values) - min(values)) / 2 / middle)


def timed(work: Callable[[], object]) -> float:
    """Processor seconds of one call: other programs on the machine do not count."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def bench_scene(size: int, seed: int, weathers: int = 2) -> "Scene":
    """A synthetic map; durations are not calibrated, its fires burn all of it."""
    from firebreak.fire import FireConditions, FireRegime, make_scene
    from firebreak.landscape.synthetic.generate import generate

    conditions = FireConditions(scenarios=weathers, regime=FireRegime(duration_min=1.0))
    return make_scene(generate(seed, size), conditions, seed)


def endless_fires(scene: "Scene", least: int) -> "Fires":
    """Fires that burn their whole map, `least` or as many as make a measurement."""
    count = max(least, _WHOLE_MAP // scene.landscape.burnable.size)
    return scene.fires("bench", count)._replace(duration_min=np.full(count, np.inf))


def against_scipy(size: int, seed: int, repeats: int) -> tuple[Measured, Measured]:
    """Fires per second, and over those of scipy's Dijkstra on the same 8-neighbour edge times:
    both burn in turns, and each ratio is of one turn.
    """
    from scipy.sparse.csgraph import dijkstra

    from firebreak.fire import burn

    scene = bench_scene(size, seed)
    fires = endless_fires(scene, 2)
    graph = neighbour_graph(scene.field.unit_time[0], scene.landscape.burnable, size)
    sources = fires.source[:max(1, fires.source.size // 8)]
    burn(scene, fires.first(1))
    rates, ratios = [], []
    for _ in range(repeats):
        rates.append(fires.source.size / timed(lambda: burn(scene, fires)))
        theirs = sources.size / timed(lambda: dijkstra(graph, indices=sources))
        ratios.append(rates[-1] / theirs)
    return measured(rates), measured(ratios)


def thread_scaling(seed: int, repeats: int) -> dict[str, Any] | None:
    """Speed of all threads over that of one: of alternating pairs the median and the best, for
    other programs take from both. None where there is one thread.
    """
    from firebreak.fire import burn
    from firebreak.native_library import max_threads, set_threads

    threads = max_threads()
    if threads < 2:
        return None
    scene = bench_scene(100, seed)
    fires = endless_fires(scene, 128)

    def seconds(count: int) -> float:
        set_threads(count)
        begin = time.perf_counter()
        burn(scene, fires)
        return time.perf_counter() - begin

    try:
        seconds(threads)
        ratios = [seconds(1) / seconds(threads) for _ in range(max(repeats, 5))]
    finally:
        set_threads(1)
    return {"threads": threads, "median": median(ratios), "best": max(ratios)}


def build_in_fires(size: int, seed: int, repeats: int) -> float:
    """Seconds that the travel times of one weather take, in fires that burn the map: one of as many
    as a problem has, which are built together; of a large map it is built alone.
    """
    from firebreak.fire import burn, ellipse_of, field_from_ellipse

    weathers = min(_WEATHERS, max(1, _WHOLE_MAP // size**2))
    scene = bench_scene(size, seed, weathers)
    land, fires, ellipse = scene.landscape, endless_fires(scene, 4), ellipse_of(scene.behavior)
    ratios = []
    for _ in range(repeats):
        build = timed(lambda: field_from_ellipse(ellipse, land.burnable, land.cell_size_m,
                                                 land.slope_tan, land.aspect_deg))
        burned = timed(lambda: burn(scene, fires))
        ratios.append(build / weathers / (burned / fires.source.size))
    return median(ratios)


def neighbour_graph(unit_time: NDArray[np.float32], burnable: NDArray[np.bool_],
                    cols: int) -> Any:
    """Edge times of one scenario as a sparse matrix over H * W cells, for scipy."""
    from scipy.sparse import csr_matrix

    from firebreak.fire import NEIGHBOURS, unpad

    rows = burnable.shape[0]
    own = unpad(np.moveaxis(unit_time, -1, 0), burnable.shape).astype(np.float64)
    starts, ends, times = [], [], []
    for step, (dr, dc) in enumerate(NEIGHBOURS):
        row, col = np.nonzero(burnable)
        inside = (row + dr >= 0) & (row + dr < rows) & (col + dc >= 0) & (col + dc < cols)
        row, col = row[inside], col[inside]
        keep = burnable[row + dr, col + dc]
        if step % 2:
            keep &= burnable[row + dr, col] | burnable[row, col + dc]
        row, col = row[keep], col[keep]
        starts.append((row + dr) * cols + col + dc)
        ends.append(row * cols + col)
        times.append(0.5 * (own[step, row, col] + own[step, row + dr, col + dc]))
    cells = burnable.size
    return csr_matrix((np.concatenate(times), (np.concatenate(starts), np.concatenate(ends))),
                      shape=(cells, cells))


def ellipse_areas(ratio: float, size: int) -> tuple[NDArray[np.float64], float]:
    """Burned area on uniform fuel over the closed-form ellipse's, for wind directions [WINDS],
    on a map of `size` x `size` cells; and the nanoseconds it took per burned cell.
    """
    from firebreak.fire import (
        Ellipse,
        Fires,
        backing_rate,
        burn_field,
        field_from_ellipse,
        flanking_rate,
    )

    head_m_min, cell_m = 10.0, 30.0
    winds = np.linspace(0.0, 360.0, WINDS, endpoint=False) + 3.7
    grid = np.ones((WINDS, size, size))
    back, flank = float(backing_rate(head_m_min, ratio)), float(flanking_rate(head_m_min, ratio))
    field = field_from_ellipse(
        Ellipse(head_m_min * grid, back * grid, flank * grid, winds[:, None, None] * grid),
        np.ones((size, size), np.bool_), cell_m)
    # The head comes to rest well inside the map.
    duration = 0.37 * size * cell_m / head_m_min
    fires = Fires(np.full(WINDS, (size // 2) * size + size // 2), np.arange(WINDS),
                  np.full(WINDS, duration), np.zeros(WINDS, np.uint64))
    burn_field(field, fires.first(1), want="arrival")
    begin = time.perf_counter()
    cells = np.isfinite(burn_field(field, fires, want="arrival").arrivals_min).sum(axis=(1, 2))
    seconds = time.perf_counter() - begin
    true_area = math.pi * 0.5 * (head_m_min + back) * flank * duration**2
    return cells * cell_m**2 / true_area, seconds / cells.sum() * 1e9
