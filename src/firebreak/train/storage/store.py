"""Folders of tensors and plain values: written whole, checked before anything in them is used.

A folder holds `state.json` (plain values), `tensors.safetensors` (raw numbers) and `manifest.json`
(sizes and SHA-256 of both, and its own SHA-256 in its last line). Nothing in it can be executed,
and no array is allocated that is larger than the file it comes from. Tensors are written and read
in pieces, so a replay is never held twice.
"""

import hashlib
import json
import os
import re
import shutil
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from firebreak.checks import fail
from firebreak.files import new_folder, write_pieces
from firebreak.tensor_file import (
    MAX_TEXT,
    Damaged,
    Entry,
    damaged,
    header_of,
    json_of,
    pieces_of_file,
    read_tensor,
)

FORMAT = "firebreak-folder"
SCHEMA = 1
MANIFEST, STATE, TENSORS = "manifest.json", "state.json", "tensors.safetensors"
BESIDE, GONE = ".writing-", ".deleting-"
"""First letters of folders that are not complete yet, or not complete any more."""

_NAMES = {MANIFEST, STATE, TENSORS}
_STALE = re.compile(rf"(?:{re.escape(BESIDE)}|{re.escape(GONE)}).+-\d+")
_BEGINNING = json.dumps({"files": {STATE: {"bytes": 0}}}).encode().partition(b"0")[0]
_NAMED = f'"format": "{FORMAT}"'.encode()
"""A part that every manifest has; damage of a bit or a cut leaves one of the two."""
_MANIFEST_BYTES = 4096
"""More than a manifest has."""

_TENSOR, _NUMBERED = "$tensor", "$numbered"


@dataclass(frozen=True, slots=True)
class Saved:
    """A checked folder. state: plain values with `{"$tensor": name}` where tensors belong."""

    folder: Path
    state: Any
    entries: dict[str, Entry]

    def load(self, into: Mapping[str, Tensor] | None = None) -> Any:
        """The tree that was saved. Tensors named in `into` are read into that memory.

        Names are the keys on the way to a tensor, joined by "/".

        Raises:
            ValueError: a tensor of `into` is missing or of another shape or kind.
            Damaged: the file changed since it was checked.
        """
        wanted = into or {}
        for name, tensor in wanted.items():
            entry = self.entries.get(name)
            found = "nothing" if entry is None else f"{entry.kind} {entry.shape}"
            if entry is None or (entry.kind, entry.shape) != (tensor.dtype, tuple(tensor.shape)):
                raise ValueError(f"{name} as {found}, not {tensor.dtype} {tuple(tensor.shape)}")
        tensors = {}
        with _opened(self.folder / TENSORS) as file:
            for name, entry in self.entries.items():
                tensors[name] = read_tensor(file, entry, wanted.get(name),
                                            self.folder / TENSORS)
        return _unpacked(self.state, tensors, self.folder)


def write_folder(folder: Path, kind: str, tree: Mapping[str, Any]) -> None:
    """Writes a new folder, whole or not at all.

    tree: dicts (keys text or whole numbers), lists, tensors and JSON values, numbers finite.

    Raises:
        OSError: the disk is full or may not be written; nothing is left behind.
    """
    beside = folder.with_name(f"{BESIDE}{folder.name}-{os.getpid()}")
    tensors: dict[str, Tensor] = {}
    state = json.dumps(_packed(tree, "", tensors), allow_nan=False, sort_keys=True).encode()
    with new_folder(folder, beside):
        files = {STATE: _write(beside / STATE, iter([state])),
                 TENSORS: _write(beside / TENSORS, pieces_of_file(tensors))}
        content = json.dumps({"format": FORMAT, "schema": SCHEMA, "kind": kind, "files": files},
                             sort_keys=True).encode() + b"\n"
        _write(beside / MANIFEST, iter([content, _sha256(content)]))


def open_folder(folder: Path, kind: str) -> Saved:
    """Checks every byte of a folder and reads its plain values.

    Raises:
        Damaged: something is missing, cut off or altered; the error says what.
        InputError: it is of another kind, or of a newer schema.
    """
    manifest = _manifest(folder, kind)
    for name, expected in manifest["files"].items():
        _check_file(folder / name, expected)
    state = json_of(_whole(folder / STATE), folder / STATE)
    with _opened(folder / TENSORS) as file:
        entries = header_of(file, folder / TENSORS).entries
    return Saved(folder, state, entries)


def remove_folder(folder: Path) -> None:
    """Deletes a folder that `write_folder` wrote, unless something else lies in it; half deleted it
    has a name that `sweep` knows.
    """
    if not (is_stored(folder) and _holds_no_other(folder)):
        return
    gone = folder.with_name(f"{GONE}{folder.name}-{os.getpid()}")
    os.rename(folder, gone)
    shutil.rmtree(gone, ignore_errors=True)


def sweep(root: Path) -> list[Path]:
    """Deletes what an interrupted save or deletion left in a folder of folders; returns it. Only
    for the process that owns the folder. What has such a name and holds anything else stays.
    """
    if not root.is_dir():
        return []
    stale = sorted(path for path in root.iterdir()
                   if _STALE.fullmatch(path.name) and _holds_no_other(path))
    for path in stale:
        shutil.rmtree(path, ignore_errors=True)
    return stale


def is_stored(folder: Path) -> bool:
    """True of a folder that `write_folder` wrote, perhaps damaged by now: its manifest says so, or,
    where that is lost, the two other files are there and nothing else.
    """
    content = _manifest_of(folder)
    if content:
        return _is_own(content)
    return _names_in(folder) - {MANIFEST} == _NAMES - {MANIFEST}


def _holds_no_other(folder: Path) -> bool:
    """True of a folder, and no link, that holds nothing but what `write_folder` writes, or less."""
    content = _manifest_of(folder)
    return (folder.is_dir() and not folder.is_symlink() and _names_in(folder) <= _NAMES
            and (_is_own(content) or _BEGINNING.startswith(content)))


def _is_own(manifest: bytes) -> bool:
    return manifest.startswith(_BEGINNING) or _NAMED in manifest


def _manifest_of(folder: Path) -> bytes:
    """The beginning of a folder's manifest; nothing where it has none."""
    try:
        with _opened(folder / MANIFEST) as file:
            return file.read(_MANIFEST_BYTES)
    except (Damaged, OSError):
        return b""


def _names_in(folder: Path) -> set[str]:
    """Names of what lies in a folder; that of one that cannot be read is its own."""
    try:
        return {path.name if path.is_file() else f"{path.name}/" for path in folder.iterdir()}
    except OSError:
        return {folder.name}


def _manifest(folder: Path, kind: str) -> dict[str, Any]:
    path = folder / MANIFEST
    content = _whole(path)
    head, _, digest = content.rpartition(b"\n")
    found = json_of(head, path) if digest == _sha256(head + b"\n") else None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise damaged("a damaged manifest", path)
    schema = found.get("schema")
    if not isinstance(schema, int) or schema > SCHEMA:
        raise fail(expected=f"schema {SCHEMA} or older", given=f"schema {schema!r}",
                   where=str(folder), remedy="use the version of firebreak that wrote it")
    if found.get("kind") != kind:
        raise fail(expected=f"saved state of kind '{kind}'", given=f"{found.get('kind')!r}",
                   where=str(folder), remedy="resume it with the command that wrote it")
    files = found.get("files")
    if not isinstance(files, dict) or set(files) != {STATE, TENSORS}:
        raise damaged("a manifest of other files", path)
    return found


def _check_file(path: Path, expected: Any) -> None:
    if not isinstance(expected, dict):
        raise damaged("a manifest without sizes", path)
    with _opened(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size != expected.get("bytes"):
            raise damaged(f"{size} bytes instead of {expected.get('bytes')!r}", path)
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != expected.get("sha256"):
        raise damaged("other bytes (its SHA-256 differs)", path)


def _opened(path: Path) -> BufferedReader:
    """A regular file, no link and no pipe."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        raise damaged(error.strerror or "nothing", path) from error
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise damaged("something that is not a file", path)
    return os.fdopen(handle, "rb")


def _whole(path: Path) -> bytes:
    with _opened(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > MAX_TEXT:
            raise damaged(f"{size} bytes of text, more than is ever written", path)
        return file.read(size + 1)


def _write(path: Path, pieces: Iterator[bytes | memoryview]) -> dict[str, int | str]:
    """Writes and flushes a file; returns its bytes and SHA-256."""
    digest = hashlib.sha256()

    def digested() -> Iterator[bytes | memoryview]:
        for piece in pieces:
            digest.update(piece)
            yield piece
    return {"bytes": write_pieces(path, digested()), "sha256": digest.hexdigest()}


def _sha256(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode()


def _packed(tree: Any, path: str, tensors: dict[str, Tensor]) -> Any:
    """The tree as JSON can hold it; its tensors go to `tensors` by their path."""
    if isinstance(tree, np.ndarray):
        tree = torch.tensor(tree)
    if isinstance(tree, Tensor):
        tensors[path] = tree
        return {_TENSOR: path}
    if isinstance(tree, Mapping):
        numbered = bool(tree) and all(type(key) is int for key in tree)
        if not numbered and any(not isinstance(k, str) or k[:1] == "$" or "/" in k for k in tree):
            raise TypeError(f"keys at '{path}': all text without $ and /, or all whole numbers")
        own = {str(key): _packed(value, f"{path}/{key}" if path else str(key), tensors)
               for key, value in tree.items()}
        return {_NUMBERED: own} if numbered else own
    if isinstance(tree, list | tuple):
        return [_packed(value, f"{path}/{place}" if path else str(place), tensors)
                for place, value in enumerate(tree)]
    return tree


def _unpacked(state: Any, tensors: dict[str, Tensor], folder: Path) -> Any:
    if isinstance(state, list):
        return [_unpacked(value, tensors, folder) for value in state]
    if not isinstance(state, dict):
        return state
    if set(state) == {_TENSOR}:
        name = state[_TENSOR]
        if not isinstance(name, str) or name not in tensors:
            raise damaged(f"a reference to an unknown tensor, {name!r}", folder / STATE)
        return tensors[name]
    if set(state) == {_NUMBERED} and isinstance(state[_NUMBERED], dict):
        try:
            return {int(key): _unpacked(value, tensors, folder)
                    for key, value in state[_NUMBERED].items()}
        except ValueError as error:
            raise damaged("something that is not a number", folder / STATE) from error
    return {key: _unpacked(value, tensors, folder) for key, value in state.items()}
