"""GeoPackages, shapefiles and other vector files, read by GDAL in a process of its own.

GDAL goes by content, not by name, and some of its formats refer to other files or to the network: a
file is opened only if its first bytes fit its suffix. A whole file can still ask for endless work
(a view over an endless query), and some drivers write beside what they read. So a copy is read, in
a folder of its own, by a process with limits of time and memory.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from firebreak.checks import fail, install
from firebreak.lifetime import tied
from firebreak.reading import from_json

BEGINS = {".gpkg": rb"SQLite format 3\0", ".shp": rb"\0\0\x27\x0a", ".fgb": rb"fgb",
          ".kml": rb"[^\0]{0,1000}<kml\b",
          ".gml": rb"[^\0]{0,1000}<([\w.-]+:)?FeatureCollection\b"}
"""How the files of each suffix begin."""

LIMIT_S = 120.0
LIMIT_BYTES = 4_000_000_000
MOST_SHAPES = 100_000_000
"""Bytes of shapes as GeoJSON, of which Python makes some twenty times as many."""
_REFERS = rb"(?i)<ogr[a-z]"  # as in <OGRVRTDataSource>: GDAL's own files that name others
_BESIDE = {".shp": (".shx", ".dbf", ".prj", ".cpg"), ".gpkg": (".gpkg-wal",)}
"""Files of the same name that belong to one of a suffix."""


class VectorFile(NamedTuple):
    """shapes: of a file as one GeoJSON object, None if it has none. crs: their reference system.
    attributes: names of all that the shapes have, where one was asked for.
    """

    shapes: dict[str, Any] | None
    crs: str | None
    attributes: tuple[str, ...] = ()


def read_vector(path: Path, attribute: str | None = None) -> VectorFile:
    """What a file holds.

    Args:
        attribute: that the shapes are to come with.

    Raises:
        InputError: no pyogrio, other content, damaged, or beyond the limits of time and memory.
    """
    if find_spec("pyogrio") is None:
        raise fail(expected="GeoJSON, or pyogrio to read other shapes", given=path.suffix,
                   where=str(path), remedy=f"run {install('vector')}, or export GeoJSON")
    _check_content(path)
    with tempfile.TemporaryDirectory(prefix="firebreak-") as folder:
        text = _run(path, _copied(path, Path(folder)), attribute)
    head, _, body = text.partition(b"\n")
    meta = from_json(head)
    return VectorFile(from_json(body) if body else None, meta["crs"], tuple(meta["attributes"]))


def _check_content(path: Path) -> None:
    with path.open("rb") as file:
        begin = file.read(4096)
    if not re.match(BEGINS[path.suffix.lower()], begin) or re.search(_REFERS, begin):
        raise fail(expected=f"a {path.suffix} file", given="other content", where=str(path),
                   remedy="check the file in a GIS")


def _copied(path: Path, folder: Path) -> Path:
    """A copy of a file, and of what belongs to it, in another folder, under a plain name."""
    suffix = path.suffix.lower()
    copy = folder / f"shapes{suffix}"
    shutil.copyfile(path, copy)
    for ending in _BESIDE.get(suffix, ()):
        for name in (path.stem + ending, path.stem + ending.upper()):
            if path.with_name(name).is_file():
                shutil.copyfile(path.with_name(name), copy.with_suffix(ending))
                break
    return copy


def _run(path: Path, copy: Path, attribute: str | None) -> bytes:
    """What the process that reads prints."""
    # -P: its folder does not come before the standard library.
    command = [sys.executable, "-P", str(Path(__file__).with_name("vector_child.py")), str(copy),
               str(LIMIT_BYTES), str(MOST_SHAPES), *([] if attribute is None else [attribute])]
    try:
        done = subprocess.run(tied(command), capture_output=True, timeout=LIMIT_S, check=False,
                              stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        raise fail(expected=f"shapes that GDAL reads within {LIMIT_S:g} s", given="none by then",
                   where=str(path), remedy="export them again as a plain layer, not a view"
                   ) from None
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        # A crash says nothing of its own.
        reason = said[-1] if said and done.returncode == 1 else "its reader crashed"
        raise fail(expected="shapes that GDAL can read",
                   given=f"'{reason.replace(str(copy), path.name)}'", where=str(path),
                   remedy="check the file in a GIS")
    return done.stdout
