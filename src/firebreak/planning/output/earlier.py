"""Places of the files of a plan: what is opened first in its folder, all else in `data` below it,
and of earlier versions all in the folder itself. The list of the files that a plan wrote, and how
the folder is cleared of them once the next plan is written there: of them alone, since the others
are a user's.
"""

import contextlib
import hashlib
import json
import os
import re
import time
import warnings
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, TypeGuard

from firebreak.checks import InputError, fail
from firebreak.files import noting, write_text
from firebreak.landscape.names import DATA
from firebreak.reading import record_of

FILES_FILE = "plan_files.json"
"""Holds the names of the files that the plan in its folder wrote, with their checksums."""


def plan_file(path: Path) -> Path:
    """The file of the plan that a path names: itself, or that of a folder.

    Raises:
        InputError: no plan is there.
    """
    names = ("plan.csv", "plan.tif")
    candidates = [path] if not path.is_dir() else [
        *filter(None, (file_of(path, name) for name in names)), *(path / name for name in names)]
    from firebreak.landscape.raster.shape_files import file_and_layer

    for file in candidates:
        if file.name != "plan.json" and file_and_layer(file)[0].is_file():
            return file
    raise fail(expected="a plan's folder or table, a raster of breaks, or shapes",
               given="a file of another kind" if path.is_file() else (
                   "a folder without a plan" if path.is_dir() else "no such file"),
               where=str(path), remedy="name a file or folder that 'firebreak plan' wrote")


def is_planned(path: object) -> TypeGuard[Path]:
    """True for what `export.read_plan` reads: the folder or the table of a plan, or its raster,
    beside a record of how it was made. Other rasters and shapes are breaks from elsewhere, on any
    grid.
    """
    from firebreak.landscape.raster.shape_files import is_vector

    return isinstance(path, Path) and not is_vector(path) and (
        path.is_dir() or path.suffix.lower() == ".csv" or any(
            _is_record(folder / f"{path.stem}.json")
            for folder in (path.parent, plan_folder(path))))


def _is_record(path: Path) -> bool:
    """True for the record of a plan, a damaged one too, which reading it tells; not for shapes, the
    files of which may end in .json too.
    """
    try:
        return path.is_file() and "type" not in record_of(path)
    except (OSError, ValueError, TypeError, InputError):
        return True


def plan_folder(path: Path) -> Path:
    """The folder of the plan that a path names: itself, or that of a file of the plan."""
    folder = path if path.is_dir() else path.parent
    is_data = folder.name == DATA and not (folder / "plan.json").is_file()
    return folder.parent if is_data else folder


def file_of(folder: Path, name: str) -> Path | None:
    """A file of the plan in a folder, as far as can be told; None where there is none."""
    listed = _listed(folder)
    for place in (f"{DATA}/{name}", name):
        if (folder / place).is_file() and (listed is None or place in listed.known()):
            return folder / place
    return None


_RASTERS = ("treatment", "burn_probability_before", "burn_probability_after",
            "burn_probability_difference")
"""With a QGIS style beside each."""
_HALF = re.compile(r"\.(.+)\.[0-9]+-[0-9a-f]{8}\.(?:tmp|mp4)")
_HALF_S = 3600.0
"""No file of a plan takes so long to write."""
_LONGEST_NAME = 200
"""Bytes of a listed name; a plan's are far shorter, and every file system takes as many."""
_TABLES = ("alternatives", "budget_curve", "changes", "exceedance", "weather", "schedule", "years",
           "doubt", "treatments")
_PICTURES = ("landscape", "plan", "burn_probability", "exceedance", "weather", "budget", "years",
             "comparison", "crews")

_AT_TOP = frozenset(("plan.json", "options.json", FILES_FILE))
_PLAIN = ("plan.csv", "plan.tif", "firebreaks.csv", "treated_landscape.tif", "landscape.png",
          "plan.png")
_JUDGED = ("segments.csv", "segments.tif", "segments.geojson", "segments.qml", "effect.json",
           "fire.gif", "fire.mp4",
           *(f"{name}{ending}" for name in _RASTERS for ending in (".tif", ".qml")),
           *(f"{name}.csv" for name in _TABLES), *(f"{name}.png" for name in _PICTURES))
ALWAYS = _AT_TOP | {f"{DATA}/{name}" for name in _PLAIN}
"""Names of the files of a plan that nothing judged, in its folder."""
PLAN_FILES = ALWAYS | {"report.html", "plan.gpkg", *(f"{DATA}/{name}" for name in _JUDGED)}
"""All names that a plan's files may have; which of them are written follows from its options."""
EVER_PLAN_FILES = PLAN_FILES | {*_PLAIN, *_JUDGED, "segments.gpkg", "corridors.gpkg",
                                f"{DATA}/stac_item.json"}
"""These, and those of plans of earlier versions."""


class Writing(NamedTuple):
    """A plan that is being written.

    Attributes:
        folder: where.
        earlier: files of plans that the folder held before, see `earlier_files`.
        own: checksums by name of what is written of the plan; they become more.
    """

    folder: Path
    earlier: dict[Path, frozenset[str]]
    own: dict[str, str]


class _Listed(NamedTuple):
    """Checksums by name: of the plan in a folder, and of what plans wrote or were about to write
    that have not ended, or ended while another one wrote there; none of what was there before
    without a list.
    """

    files: dict[str, str]
    unfinished: dict[str, list[str]]

    def known(self) -> dict[str, frozenset[str]]:
        """All of them."""
        ended = {name: [checksum] for name, checksum in self.files.items()}
        return {name: frozenset((*ended.get(name, ()), *self.unfinished.get(name, ())))
                for name in (*ended, *self.unfinished)}


@contextlib.contextmanager
def writing_into(folder: Path) -> Iterator[Writing]:
    """Lists each file that is written into a folder in the block before it stands there, beside
    those of earlier plans. So wherever a plan is stopped, the next one knows what is there.
    """
    writing = Writing(folder, earlier_files(folder), {})
    unknown = {path.relative_to(folder).as_posix(): list[str]()
               for path, sums in writing.earlier.items() if not sums}

    @contextlib.contextmanager
    def note(path: Path, beside: Path) -> Iterator[None]:
        name = _name_in(folder, path)
        if name is None:
            yield
            return
        checksum = _checksum(beside)
        # Read each time: another plan may be written there, and its files stay listed.
        listed = _listed(folder) or _Listed({}, unknown)
        others = listed.unfinished.get(name, [])
        _write(folder, listed.files, listed.unfinished | {name: sorted({*others, checksum})})
        yield
        writing.own[name] = checksum

    with noting(note):
        yield writing


def end_writing(writing: Writing, kept: Collection[Path]) -> Path:
    """Removes the files of earlier plans once a plan is written, and then lists its own alone: not
    before, since it may be stopped between. Returns the list.

    A plan that ended in the folder meanwhile is an earlier one too. Files of one that began there
    later and has not ended stay, and stay listed.

    kept: see `remove_earlier`.

    Warns:
        UserWarning: which files of the plan are no longer as it wrote them; see also there.
    """
    folder, earlier, own = writing
    listed = _listed(folder) or _Listed({}, {})
    ended = {folder / name: frozenset((checksum,)) for name, checksum in listed.files.items()}
    remove_earlier(folder, {path: earlier.get(path, frozenset()) | ended.get(path, frozenset())
                    for path in (*earlier, *ended)}, kept)
    known = listed.known()
    others = {name: sorted(known.get(name, frozenset()) - earlier.get(folder / name, frozenset())
                           - {own.get(name, "")})
              for name in (*own, *listed.unfinished)}
    made = _write(folder, own, {name: sums for name, sums in others.items() if sums})
    _remove_halves(folder)
    _check_own(writing)
    return made


def _remove_halves(folder: Path) -> None:
    """Removes what killed plans had begun to write beside their files, see `files.replacing`; not
    what is new: another plan, on another machine even, may be writing it.
    """
    for path in (*folder.glob(".*"), *(folder / DATA).glob(".*")):
        half = _HALF.fullmatch(path.name)
        if half and half[1] in EVER_PLAN_FILES:
            with contextlib.suppress(OSError):  # the other plan may remove it too
                if path.is_file() and time.time() - path.stat().st_mtime > _HALF_S:
                    path.unlink()


def _check_own(writing: Writing) -> None:
    """Warns where files of a plan are not as it wrote them."""
    changed = sorted(name for name, checksum in writing.own.items()
                     if not _holds(writing.folder / name, (checksum,)))
    if changed:
        warnings.warn(f"{writing.folder}: {', '.join(changed)} changed or went while the plan was "
                      "written, by another plan into this folder or by hand; make the plan again",
                      stacklevel=3)


def check_list(folder: Path, written: Collection[str] = PLAN_FILES) -> None:
    """Refuses a folder in which the list or the data cannot be written, or in which a plan's files
    would take the place of others, before the work on a plan.

    written: names of files that the plan may write.

    Raises:
        InputError: a folder has the list's name, or a file that of the data's folder; files have
            names of a plan's, and no plan there wrote them.
    """
    kinds = "a file", "a folder"
    for path, (wanted, other) in ((folder / FILES_FILE, kinds), (folder / DATA, kinds[::-1])):
        if path.exists() and path.is_dir() != (wanted == "a folder"):
            raise fail(expected=f"{wanted}, or nothing there", given=other, where=str(path),
                       remedy="rename it or choose another --out")
    listed = _listed(folder)
    if listed is None and _is_plan(folder):  # of a version that kept no list
        return
    # Beside a list what else is in the data was an earlier plan's, and stayed as an input.
    names = sorted(written if listed is None else {
        name for name in written if "/" not in name and name != FILES_FILE}.difference(
            listed.known()))
    others = [name for name in names if os.path.lexists(folder / name)]
    if others:
        raise fail(expected="a new folder, or one of an earlier plan",
                   given=f"one with {', '.join(others[:3])}, which no plan of firebreak wrote",
                   where=str(folder), remedy="choose another --out, or move the files away")


def earlier_files(folder: Path) -> dict[Path, frozenset[str]]:
    """The files of the plans that a folder holds and the checksums that each may have been written
    with. Where no list was kept, those that have names of a plan's files, and no checksums: they
    may be a user's.
    """
    listed = _listed(folder)
    if listed is not None:
        return {folder / name: checksums for name, checksums in sorted(listed.known().items())}
    if not (folder / "plan.json").is_file():
        return {}
    return {folder / name: frozenset() for name in sorted(EVER_PLAN_FILES)
            if (folder / name).is_file()}


def remove_earlier(folder: Path, earlier: Mapping[Path, frozenset[str]],
                   kept: Collection[Path]) -> None:
    """Removes the files of an earlier plan once the next one is written, so that none is taken for
    one of the next: before, a full disk would leave neither. Those that a user has changed since
    stay, as do those that nobody knows the origin of.

    earlier: see `earlier_files`, as they were before any file of the next plan was written.
    kept: absolute paths of what the next plan consists of and is made from.

    Warns:
        UserWarning: which files of unknown origin stay.
    """
    left = {path: checksums for path, checksums in earlier.items()
            if path.is_file() and path.resolve() not in kept}
    for path, checksums in left.items():
        if _holds(path, checksums):
            path.unlink(missing_ok=True)
    unknown = [path for path, checksums in left.items() if not checksums]
    if unknown:
        names = ", ".join(path.relative_to(folder).as_posix() for path in unknown)
        warnings.warn(f"{folder}: {names} may be of an earlier plan, which kept no list of its "
                      "files; they stay, and are none of this plan's", stacklevel=2)


def _write(folder: Path, files: Mapping[str, str], unfinished: Mapping[str, list[str]]) -> Path:
    path, tree = folder / FILES_FILE, {"schema": 1, "files": files}
    if unfinished:
        tree["unfinished"] = unfinished
    write_text(path, json.dumps(tree, indent=2) + "\n")
    return path


def _is_plan(folder: Path) -> bool:
    """True where a folder has the record of a plan."""
    try:
        return isinstance(record_of(folder / "plan.json"), dict)
    except (OSError, ValueError, InputError):
        return False


def _listed(folder: Path) -> _Listed | None:
    """List that a plan wrote; None where there is none."""
    try:
        tree = record_of(folder / FILES_FILE)
    except (OSError, ValueError, InputError):
        return None
    if not isinstance(tree, dict):
        return None
    files, unfinished = tree.get("files"), tree.get("unfinished", {})
    if not isinstance(files, dict) or not isinstance(unfinished, dict):
        return None
    if not all(isinstance(sums, list) for sums in unfinished.values()):
        return None
    checksums = [*files.values(), *(one for sums in unfinished.values() for one in sums)]
    if not (all(isinstance(one, str) for one in checksums)
            and all(map(_is_name, (*files, *unfinished)))):
        return None
    return _Listed(files, unfinished)


def _name_in(folder: Path, path: Path) -> str | None:
    """The name by which the list has a file of a plan; None for the list itself and other files."""
    if path.parent == folder:
        return None if path.name == FILES_FILE else path.name
    return f"{DATA}/{path.name}" if path.parent == folder / DATA else None


def _is_name(name: str) -> bool:
    """True where a file in the folder or its data may have this name: none above or below them,
    none too long to look for.
    """
    name = name.removeprefix(f"{DATA}/")
    return (Path(name).name == name and name not in ("", "..")
            and len(name.encode()) <= _LONGEST_NAME)


def _holds(path: Path, checksums: Collection[str]) -> bool:
    """True where a file is there with one of these checksums; of one that cannot be read nobody
    knows.
    """
    try:
        return bool(checksums) and path.is_file() and _checksum(path) in checksums
    except OSError:
        return False


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
