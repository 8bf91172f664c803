"""Checks of a scene before its fires burn: of its memory, and of the share that they burn."""

import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from firebreak.checks import PART_OF_MAP, fail
from firebreak.landscape.names import path_of

if TYPE_CHECKING:
    from affine import Affine
    from rasterio.crs import CRS

    from firebreak.fire import Fires, Scene
    from firebreak.landscape.landscape import Landscape

BYTES_PER_CELL_ROW = 200  # travel field and fire behaviour, measured
# Of a tiled scene: values and results; travel times of a step of weather; scratch memory and sums.
BYTES_PER_CELL, BYTES_PER_CELL_STEP, BYTES_PER_CELL_THREAD = 180, 110, 95
BYTES_PER_CELL_PARTS = 100
"""Beside these, of sums to which parts are added that an executor burns in this process."""
_BYTES_PER_WINDOW = 10_000  # of a window of few cells, beside these
_RASTERS = (".tif", ".tiff", ".lcp", ".asc")
FEW_FIRES = 64  # that tell whether fires burn what is asked for
_MANY_HEMMED = 0.05  # share of fires from which on hemmed starts are said


def check_memory_first(spec: str, cells_named: tuple[int, int] | None, rows: int | None) -> None:
    """Refuses a travel field that would not fit the memory that is free, from the headers of a
    landscape's files alone, before its layers are loaded; nothing where these do not tell the size.

    Args:
        cells_named: rows and columns of the part that is burned, where the command names them.
        rows: of weather, at least; None: of a tiled scene, which holds one at a time.

    Raises:
        InputError: naming both sizes.
    """
    from firebreak.native_library import max_threads

    size = size_in_headers(path_of(spec)) if cells_named is None else cells_named
    if size is None:
        return
    if rows is None:
        threads = max_threads()
        _check_cells(BYTES_PER_CELL + BYTES_PER_CELL_STEP + BYTES_PER_CELL_THREAD * threads,
                     size[0] * size[1], spec, f"on {threads} threads",
                     f"use {PART_OF_MAP}, or join its cells")
    else:
        _check_cells(BYTES_PER_CELL_ROW * rows, size[0] * size[1], spec,
                     f"in {rows} rows of weather",
                     f"use {PART_OF_MAP}, join its cells, or ask for fewer --scenarios")


def least_rows(spec: str, weather: Path | None, scenarios: int) -> int:
    """Rows of weather, at least: a file, a Cell2Fire folder or a sample may have few."""
    return scenarios if weather is None and not path_of(spec).is_dir() else 1


def size_in_headers(path: Path) -> tuple[int, int] | None:
    """Rows and columns of a landscape's file, or of the smallest raster of its folder; None where
    no header tells.
    """
    return min((one.shape for one in _headers(path)), key=lambda shape: shape[0] * shape[1],
               default=None)


class _Header(NamedTuple):
    """The grid of a raster; crs: its reference system, None where it names none."""

    shape: tuple[int, int]
    transform: "Affine"
    crs: "CRS | None"

    def box(self, rows: slice, cols: slice) -> tuple[float, ...]:
        """West, south, east and north of a part."""
        at, corners = self.transform, [(row, col) for row in (rows.start, rows.stop)
                                       for col in (cols.start, cols.stop)]
        x = [at.a * col + at.b * row + at.c for row, col in corners]
        y = [at.d * col + at.e * row + at.f for row, col in corners]
        return min(x), min(y), max(x), max(y)


def _headers(path: Path) -> list[_Header]:
    """The grids of a landscape's file, or of the rasters of its folder; none where one is
    damaged: reading it says what is wrong.
    """
    import rasterio

    found = []
    for file in sorted(path.iterdir()) if path.is_dir() else [path]:
        if file.suffix.lower() in _RASTERS and file.is_file():
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # the reader warns
                    with rasterio.open(file) as dataset:
                        found.append(_Header(dataset.shape, dataset.transform, dataset.crs))
            except rasterio.errors.RasterioError:
                return []
    return found


def check_breaks_first(spec: str, breaks: Iterable[object], area: object,
                       crs: str | None) -> None:
    """Refuses breaks that lie elsewhere than a map or the part of it to plan for, and plans of a
    map of another size, as far as headers tell, before any layer is loaded.

    Args:
        breaks: paths; what is none is left to the reader.
        area: rows and columns R0:R1,C0:C1; any other says nothing here.
        crs: instead of the map's own.

    Raises:
        InputError: naming the file; shapes as `shapes.on_map` refuses them.
    """
    from firebreak.landscape.formats.overlays import file_and_attribute
    from firebreak.landscape.raster.shape_files import is_vector
    from firebreak.planning.core.area import named_range
    from firebreak.planning.output.export import MapSize, check_shape

    paths = [one for one in breaks if isinstance(one, Path)]
    headers = _headers(path_of(spec)) if paths else []
    for path in paths if headers else ():
        file, _ = file_and_attribute(path)
        if isinstance(file, Path) and is_vector(file):
            own = headers[0]
            part = named_range(area if isinstance(area, str) else None)
            rows, cols = part or (slice(0, own.shape[0]), slice(0, own.shape[1]))
            if len({one.transform for one in headers}) == 1 and _lie_outside(
                    file, own.box(rows, cols), crs or own.crs):
                raise fail(expected="shapes that cover cells of the "
                                    f"{'landscape' if part is None else 'area'}",
                           given="none: they lie outside it", where=str(path),
                           remedy="check their place and reference system")
        elif path.is_dir() and len({one.shape for one in headers}) == 1:
            check_shape(path, MapSize(path_of(spec).name, headers[0].shape))


def _lie_outside(file: Path, box: tuple[float, ...], crs: "CRS | str | None") -> bool:
    """True where all shapes of a file lie outside a box of a reference system."""
    from rasterio.crs import CRS
    from rasterio.errors import CRSError

    from firebreak.landscape.raster.shape_files import read_shapes
    from firebreak.landscape.raster.shapes import corners_of, on_map

    found = read_shapes(file)
    try:
        system = CRS.from_user_input(crs).to_wkt()
    except (CRSError, ValueError, TypeError):  # the reader says what is wrong
        return False
    # Of vertices: the box of a file that spans the Earth has no place in a projection.
    at = np.concatenate([corners_of(one["coordinates"])
                         for one in on_map(found.geometries, found.crs, system, file)])
    (west, south), (east, north) = at.min(axis=0), at.max(axis=0)
    return bool(west > box[2] or east < box[0] or south > box[3] or north < box[1])


def check_windows(name: str, count: int, cells: int, rows: int) -> None:
    """Refuses scenes of windows that would not fit the memory that is free together.

    Args:
        cells, rows: of each, and of its weather, at least.

    Raises:
        InputError: naming both sizes.
    """
    from firebreak.free_memory import check_free

    check_free({f"{count:,} windows of {cells:,} cells in {rows} rows of weather":
                count * (_BYTES_PER_WINDOW + BYTES_PER_CELL_ROW * rows * cells)},
               where=f"landscape {name}",
               remedy="ask for fewer with --windows, or smaller ones with --window")


def check_tiled_memory(landscape: "Landscape", steps: int, threads: int, more: int = 0,
                      beside: int = 0) -> None:
    """Refuses a tiled scene that would not fit the memory that is free: it holds the travel times
    of one stream of `steps` rows of weather, and scratch memory and sums of each thread.

    more: bytes of a cell that are taken beside it; beside: other processes of this machine that
        burn its fires, on one thread each.

    Raises:
        InputError: naming both sizes.
    """
    each = BYTES_PER_CELL + BYTES_PER_CELL_STEP * steps
    per_cell = each + BYTES_PER_CELL_THREAD * threads + more
    words = f"with {steps} steps of weather on {threads} threads"
    if beside:
        per_cell += beside * (each + BYTES_PER_CELL_THREAD)
        words += f" and in {beside} workers"
    _check_cells(per_cell, landscape.fuel_model.size, landscape.name, words, (
        "ask for fewer --workers, crop it, or join its cells" if beside else
        "crop it, join its cells, or ask for fewer hours or, by FIREBREAK_THREADS, threads"))


def _check_cells(per_cell: int, cells: int, name: str, words: str, remedy: str) -> None:
    from firebreak.free_memory import check_free

    check_free({f"{cells:,} cells {words}": per_cell * cells}, where=f"landscape {name}",
               remedy=remedy)


def notice_of_ignitions(spec: Path) -> None:
    """Says that the ignitions of a Cell2Fire folder are not used, as its weather is."""
    from firebreak.landscape.formats.assemble import warn
    from firebreak.landscape.formats.cell2fire import is_folder

    if not spec.is_dir() or not is_folder(spec):
        return
    for path in sorted(spec.iterdir()):
        if path.name.lower() == "ignitions.csv":
            warn(f"{path}: these ignitions are not used; --ignitions {path} lets fires start there")


def warn_of_small_fires(scene: "Scene") -> None:
    """Says so where fires burn less than half of the share asked for, however long they last; not
    with an initial attack, without which that share is meant.
    """
    import numpy as np

    from firebreak.landscape.formats.assemble import warn

    regime = scene.conditions.regime
    if regime.median_min is not None or scene.conditions.attack_min is not None:
        return
    fires = scene.fires("show", FEW_FIRES)
    share = _burned_share(scene, fires)
    if share >= 0.5 * regime.burned_share:
        return
    most = _burned_share(scene, fires._replace(duration_min=np.full(FEW_FIRES, np.inf)))
    if most < regime.burned_share:
        warn(f"{scene.landscape.name}: untreated fires burn {share:.0%} of the burnable cells, not "
             f"the {regime.burned_share:.0%} of --burned-share: what burns lies in pieces that "
             "they do not leave; --duration-min sets how long they last")


def warn_of_hemmed_starts(scene: "Scene") -> None:
    """Says so where many ignitions that were given lie in cells that bare ground hems in."""
    from firebreak.landscape.bare_ground import FEWEST, hemmed_in
    from firebreak.landscape.formats.assemble import warn

    land = scene.landscape
    chances = land.ignition_weight[land.starts]
    if (chances == chances[:1]).all():
        return
    chance = land.ignition_weight[land.burnable].sum(dtype=float)
    share = float(land.ignition_weight[hemmed_in(land)].sum(dtype=float)) / max(chance, 1e-30)
    if share >= _MANY_HEMMED:
        warn(f"{land.name}: {share:.0%} of the fires start in pieces of fewer than {FEWEST} cells "
             "that bare ground hems in, and burn no more unless they cross it; move --ignitions to "
             "fuel that goes on")


def _burned_share(scene: "Scene", fires: "Fires") -> float:
    """Mean share of the burnable cells that fires burn."""
    from firebreak.fire import burn

    burned = burn(scene, fires, want="statistics").burn_probability
    return float(burned[scene.landscape.burnable].mean())
