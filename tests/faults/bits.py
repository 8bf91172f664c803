"""Checkpoints with a flipped bit or an end cut off, and files that would like to run."""

import json
import os
import pickle
import random
import shutil
import struct
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import rasterio
import torch

from faults.kills import Found
from faults.runs import unbroken
from firebreak.agent.network import QMapNetwork
from firebreak.agent.policy_file import load_policy, write_sealed
from firebreak.checks import InputError
from firebreak.landscape.formats.read import read_landscape
from firebreak.landscape.formats.write import write_landscape
from firebreak.layout import OBSERVATION
from firebreak.train.storage.checkpoints import CHECKPOINTS, checkpoints_of, latest_checkpoint
from firebreak.train.storage.metrics import read_rows
from firebreak.train.storage.store import (
    MANIFEST,
    STATE,
    TENSORS,
    _sha256,
    open_folder,
    write_folder,
)
from old_policies import old_content, save_old_policy

BLOCK = 4096
MOST_BYTES = 50_000_000


def flip_bits(folder: Path, count: int, seed: int = 0) -> Found:
    """One flipped bit anywhere in a checkpoint of a run, and each file cut off at every block."""
    whole_run, _ = unbroken(folder)
    newest = folder / "checkpoint"
    shutil.copytree(checkpoints_of(whole_run / CHECKPOINTS)[-1], newest)
    draw = random.Random(seed)
    whole = {path: path.read_bytes() for path in sorted(newest.iterdir())}
    sizes = [len(content) for content in whole.values()]
    bad, cuts = [], 0
    for number in range(count):
        path = draw.choices(list(whole), sizes if number % 2 else [1] * len(sizes))[0]
        broken, at = bytearray(whole[path]), draw.randrange(len(whole[path]))
        broken[at] ^= 1 << draw.randrange(8)
        path.write_bytes(broken)
        bad += [f"{path.name}: bit of byte {at} not seen"] * _reads(newest)
        path.write_bytes(whole[path])
    for path, content in whole.items():
        for length in [*range(0, len(content), BLOCK), len(content) - 1]:
            path.write_bytes(content[:length])
            bad += [f"{path.name}: cut at {length} not seen"] * _reads(newest)
            cuts += 1
        path.write_bytes(content)
    return Found(count + cuts, bad, f"{len(bad)} undetected of {count:,} flipped bits and {cuts} "
                                    f"cuts ({sum(sizes):,} bytes)")


def _reads(folder: Path) -> bool:
    try:
        open_folder(folder, "run").load()
    except InputError:
        return False
    return True


class _Planted:
    """Makes a folder when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return os.mkdir, (str(self.mark),)


def payloads(folder: Path) -> Found:
    """Pickles with code, bombs, wrong and newer schemas, where files of ours are expected."""
    folder.mkdir(parents=True, exist_ok=True)
    mark = folder / "ran"
    bad, tried = [], 0
    for name, read in _hostile(folder, mark):
        tried += 1
        tracemalloc.start()
        try:
            read()
            bad.append(f"{name}: accepted")
        except InputError as error:
            bad += [f"{name}: several lines"] * ("\n" in str(error))
        except Exception as error:
            bad.append(f"{name}: {type(error).__name__}: {error}")
        bad += [f"{name}: took memory"] * (tracemalloc.get_traced_memory()[1] > MOST_BYTES)
        tracemalloc.stop()
        bad += [f"{name}: ran"] * mark.exists()
    ran = sum(line.endswith(": ran") for line in bad)
    return Found(tried, bad, f"{ran} payloads run of {tried} files")


def _hostile(folder: Path, mark: Path) -> Iterator[tuple[str, Callable[[], object]]]:
    code = pickle.dumps(_Planted(mark))
    yield from _hostile_policies(folder, mark, code)
    yield from _hostile_checkpoints(folder, code)
    for suffix in (".tif", ".lcp", ".asc"):
        path = folder / f"pickle{suffix}"
        path.write_bytes(code)
        yield f"pickle as {suffix}", lambda path=path: read_landscape(path)
    yield from _hostile_rasters(folder)
    rows = folder / "rows.jsonl"
    rows.write_bytes(code + b"\n")
    yield "pickle as rows", lambda: read_rows(rows)


def _hostile_policies(folder: Path, mark: Path, code: bytes
                      ) -> Iterator[tuple[str, Callable[[], object]]]:
    network = QMapNetwork(OBSERVATION.channels, 4)
    whole = save_old_policy(folder / "whole.pt", network, 4, {})

    def policy(name: str, content: Any) -> tuple[str, Callable[[], object]]:
        path = folder / f"{name}.pt"
        path.write_bytes(content) if isinstance(content, bytes) else torch.save(content, path)
        return f"policy: {name}", lambda: load_policy(path)
    plain = old_content(network, 4, {})
    yield policy("pickle", code)
    yield policy("code in the archive", plain | {"provenance": _Planted(mark)})
    yield policy("code beside the weights", plain | {"more": [_Planted(mark)]})
    yield policy("newer format", plain | {"format": "firebreak-policy-4"})
    yield policy("wrong format", plain | {"format": 7})
    yield policy("absurd width", plain | {"width": 10**9, "format": "firebreak-policy-1"})
    with zipfile.ZipFile(whole) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    bomb = folder / "bomb.pt"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, bytes(300_000_000) if name.endswith("data/0") else content)
    yield "policy: zip bomb", lambda: load_policy(bomb)
    held: list[Any] = [0]
    for _ in range(40):
        held = [held, held]
    yield policy("a list of references", plain | {"provenance": held})
    yield policy("one number repeated", plain | {"weights": {
        "a": torch.zeros(1).expand(2**31)}})
    for name, about in (("absurd", {"width": 10**9, "channels": 5}), ("no", {})):
        path = folder / f"{name}.safetensors"
        write_sealed(path, json.dumps(about), network.state_dict())
        yield f"policy: {name} description", lambda path=path: load_policy(path)


def _hostile_checkpoints(folder: Path, code: bytes) -> Iterator[tuple[str, Callable[[], object]]]:
    def saved(name: str, state: bytes | None = None, tensors: bytes | None = None,
              **manifest: Any) -> tuple[str, Callable[[], object]]:
        root = folder / f"root of {name}"
        root.mkdir()
        place = root / "00000001"
        write_folder(place, "run", {"w": torch.arange(4.0)})
        forge(place, state, tensors, **manifest)
        return f"checkpoint: {name}", lambda: latest_checkpoint(root, "run").load()
    huge = b'{"w":{"dtype":"F32","shape":[1099511627776],"data_offsets":[0,4398046511104]}}'
    yield saved("pickle as state", state=code)
    yield saved("pickle as tensors", tensors=code)
    yield saved("nested state", state=b"[" * 200_000)
    yield saved("absurd tensor", tensors=struct.pack("<Q", len(huge)) + huge + bytes(16))
    yield saved("absurd header", tensors=struct.pack("<Q", 2**62) + b"{}")
    yield saved("newer schema", schema=2)
    yield saved("wrong schema", schema="1")
    yield saved("other kind", kind="policy")
    yield saved("foreign files", files={"../../etc/passwd": {"bytes": 1, "sha256": ""}})


def forge(folder: Path, state: bytes | None = None, tensors: bytes | None = None,
          **manifest: Any) -> None:
    """Other content in a saved folder, with checksums that fit it."""
    for name, content in ((STATE, state), (TENSORS, tensors)):
        if content is not None:
            (folder / name).write_bytes(content)
    listed = {name: {"bytes": (folder / name).stat().st_size,
                     "sha256": _sha256((folder / name).read_bytes()).decode()}
              for name in (STATE, TENSORS)}
    told = json.loads((folder / MANIFEST).read_bytes().splitlines()[0])
    head = json.dumps({**told, "files": listed, **manifest}).encode() + b"\n"
    (folder / MANIFEST).write_bytes(head + _sha256(head))


def _hostile_rasters(folder: Path) -> Iterator[tuple[str, Callable[[], object]]]:
    whole = write_landscape(folder / "whole.tif", read_landscape("synthetic:3:12"))
    sparse = folder / "sparse.tif"
    with rasterio.open(sparse, "w", driver="GTiff", width=14_000, height=14_000, count=8,
                       dtype="int16", SPARSE_OK=True, tiled=True, compress="deflate",
                       crs="EPSG:32610", transform=rasterio.Affine(30, 0, 0, 0, -30, 0)):
        pass
    yield "raster of absurd size", lambda: read_landscape(sparse)
    linked = folder / "linked.tif"
    linked.write_text(
        '<VRTDataset rasterXSize="12" rasterYSize="12"><VRTRasterBand dataType="Int16" band="1">'
        f"<SimpleSource><SourceFilename>{whole}</SourceFilename></SimpleSource></VRTRasterBand>"
        "</VRTDataset>")
    yield "raster that names other files", lambda: read_landscape(linked)
    grids = folder / "grids"
    grids.mkdir()
    for name in ("elevation", "fuel_model"):
        (grids / f"{name}.asc").write_text(
            "ncols 99999999\nnrows 99999999\nxllcorner 0\nyllcorner 0\ncellsize 30\n1 2 3\n")
    yield "ASCII grid of absurd size", lambda: read_landscape(grids)
    header = np.zeros(1829, "<i4")
    header[0:3], header[1039:1041] = (20, 20, 40), (30_000, 6_000)
    lcp = folder / "absurd.lcp"
    lcp.write_bytes(header.tobytes())
    yield "LCP of absurd size", lambda: read_landscape(lcp)
