"""Landscapes, arrays, plans and policies that are handed in from Python in place of files."""

import dataclasses
import hashlib
import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, chdir, contextmanager
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from firebreak.api.options import GRIDS
from firebreak.api.shared.plan_options import PlanOptions
from firebreak.api.shared.scene_options import SceneOptions
from firebreak.checks import InputError, check_utf8, fail
from firebreak.files import check_folder, held_folder, new_folder, write_bytes
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.raster.on_grid import ArrayOnGrid, array_on
from firebreak.settings.schema import leaves

Options = TypeVar("Options")
Source = str | Path | Landscape
"""The name of a landscape on the command line, or one that was read."""


def source_of(given: object, where: str) -> str | Landscape:
    """A landscape, or what names one, as the steps take it.

    Raises:
        InputError: anything else.
    """
    if isinstance(given, Landscape):
        if given.treatment is None and not given.layers:
            return given
        # Of an earlier plan's table of treatments; this one asks for its own, or for none.
        return dataclasses.replace(given, treatment=None, layers=())
    if isinstance(given, str | Path) and str(given):
        return check_utf8(str(given), where)
    raise fail(expected="a landscape: a path, synthetic:SEED, sample:NAME, or what "
                        "read_landscape returned",
               given=type(given).__name__, where=where, remedy="name a file or folder")


def folder_of(given: object, where: str) -> Path:
    """The folder that is named to write into.

    Raises:
        InputError: no name of a folder.
    """
    if not isinstance(given, str | Path) or not str(given).strip():
        raise fail(expected="the name of a folder", given=repr(given)[:80], where=where,
                   remedy="name one; '.' is the one in which Python runs")
    check_utf8(str(given), where)
    return Path(given)


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Holds a folder, made if need be, while a `save` writes into it.

    Raises:
        InputError: it cannot be made or written to, or a command or another `save` holds it.
    """
    with ExitStack() as stack:
        try:
            check_folder(folder)
            stack.enter_context(held_folder(folder))
        except InputError as error:
            raise InputError(str(error).replace("another --out", "another folder")) from error
        yield


@contextmanager
def saving_into(folder: object, home: Path) -> Iterator[Path]:
    """The folder that a `save` is given, held while it writes there.

    Names of files mean in the block what they meant in `home`, in which Python ran when they were
    given, also where it runs in another folder by now. It stays there if that one is gone.

    Raises:
        InputError: see `folder_of` and `held`.
    """
    out = folder_of(folder, "save")
    with ExitStack() as stack:
        if Path.cwd() != home and home.is_dir():
            out = out.absolute()
            stack.enter_context(chdir(home))
        stack.enter_context(held(out))
        yield out


def with_arrays(options: Options, source: str | Landscape, scene: SceneOptions) -> Options:
    """Options whose arrays lie on the grid of the landscape.

    Raises:
        InputError: arrays of another shape, or values that are no numbers.
    """
    handed = [leaf for name, leaf in leaves(type(options)).items()
              if name in GRIDS and not isinstance(leaf.of(options), _PLAIN)]
    if not handed:
        return options
    land = source if isinstance(source, Landscape) else _bare(source, scene)
    for leaf in handed:
        given = leaf.of(options)
        grid = array_on(land, getattr(given, "breaks", given), leaf.name)
        options = leaf.put(options, grid)
    return options


_PLAIN = (str, Path, type(None), ArrayOnGrid)


def _bare(source: str, scene: SceneOptions) -> Landscape:
    from firebreak.landscape.formats.read import read_landscape

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it is read again, and then says what is to be said
        return read_landscape(source, terrain=scene.map.terrain, crs=scene.map.crs)


def with_folder(landscape: Landscape, options: PlanOptions,
                out: Path) -> tuple[str, PlanOptions]:
    """Writes a landscape that was handed in into a folder of its own below `out`, every number in
    full; what names it now, and options with which it is read as it was.

    The folder is named by what is in it, so a plan that was saved before keeps its landscape.

    Raises:
        InputError: a folder of that name holds something else.
    """
    from firebreak.landscape.formats.folders import write_ascii_folder

    if landscape.bare_m is None and not landscape.burnable.all():  # walls, which a file has to say
        walls = np.zeros(landscape.shape, np.float32)
        landscape = dataclasses.replace(landscape, bare_m=walls)
    folder = out / f"landscape-{_digest(landscape)}"
    if not os.path.lexists(folder):
        beside = _beside(out, folder.name)
        with new_folder(folder, beside):
            write_ascii_folder(beside, landscape)
            if not _holds(beside, landscape):
                raise fail(expected="a landscape that grids in files hold exactly",
                           given="one that changes when it is read back",
                           where=f"landscape {landscape.name}",
                           remedy="give aspects of 0 to less than 360, no -0, and the cell_size_m "
                                  "of the transform")
    elif not _holds(folder, landscape):
        raise _changed(folder, "landscape")
    rasters = dataclasses.replace(options.scene.map, terrain="shipped")
    if landscape.value_unit is not None and rasters.value is None:  # no grid names its unit
        value = (folder / "value.asc").resolve()
        if not value.is_file():  # they are all 1
            value = _written(out, "given_value", ".tif",
                             _writer_of_grid({"value": landscape.value}, landscape))
        rasters = dataclasses.replace(rasters, value=value, value_unit=landscape.value_unit)
    scene = dataclasses.replace(options.scene, map=rasters)
    return str(folder.resolve()), dataclasses.replace(options, scene=scene)


def _digest(landscape: Landscape) -> str:
    """Eight characters that name the grids of a landscape and where they lie."""
    place = repr((landscape.checksum(), tuple(landscape.transform), landscape.crs))
    return hashlib.sha256(place.encode()).hexdigest()[:8]


def _holds(folder: Path, landscape: Landscape) -> bool:
    """True where a folder is read as this landscape."""
    from firebreak.landscape.formats.read import read_landscape

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the plan was made: all has been said
            there = read_landscape(folder, terrain="shipped")
    except InputError:
        return False
    return there.checksum() == landscape.checksum()


def with_policy_file(options: PlanOptions, folder: Path) -> PlanOptions:
    """Options whose policy is a file of a folder, written there if it was handed in, so that a
    record names it.

    Raises:
        InputError: see `_written`.
    """
    from firebreak.agent.policy_file import Policy, save_policy

    policy: object = options.policy  # annotated as the command line has it
    if not isinstance(policy, Policy):
        return options
    file = _written(folder, "given_policy", ".safetensors", lambda beside: save_policy(
        beside, policy.network, policy.provenance))
    return dataclasses.replace(options, policy=file)


def with_files(options: Options, folder: Path, landscape: Landscape) -> Options:
    """Options whose arrays are files of a folder, written there, so that a record names them.

    Raises:
        InputError: see `_written`.
    """
    for name, leaf in leaves(type(options)).items():
        value = leaf.of(options)
        if isinstance(value, ArrayOnGrid):
            file = _written(folder, f"given_{name}", ".tif",
                            _writer_of_grid({name: value.values}, landscape))
            options = leaf.put(options, str(file) if name == "area" else file)
    return options


def _writer_of_grid(grids: dict[str, Any], landscape: Landscape) -> Callable[[Path], object]:
    from firebreak.landscape.formats.write import write_geotiff

    return lambda path: write_geotiff(path, grids, landscape, nodata=float("nan"))


def _written(folder: Path, stem: str, ending: str, write: Callable[[Path], object]) -> Path:
    """A file of a folder that is named by what is in it, so that what was saved there before keeps
    its own.

    write: makes the file at a path.

    Raises:
        InputError: a file of that name holds something else.
    """
    beside = _beside(folder, f"{stem}{ending}")
    try:
        write(beside)
        written = beside.read_bytes()
        file = folder / f"{stem}-{hashlib.sha256(written).hexdigest()[:8]}{ending}"
        if not os.path.lexists(file):
            write_bytes(file, written)
        elif not file.is_file() or file.read_bytes() != written:
            raise _changed(file, stem.removeprefix("given_"))
        return file.resolve()
    finally:
        beside.unlink(missing_ok=True)


def _beside(folder: Path, name: str) -> Path:
    """Path at which something is written until it is whole; nothing else has this name."""
    return folder / f".{os.urandom(4).hex()}-{name}"


def _changed(path: Path, what: str) -> InputError:
    return fail(expected=f"the {what} of this plan, as it was written", given="another one",
                where=str(path), remedy="move it away, or choose another folder")
