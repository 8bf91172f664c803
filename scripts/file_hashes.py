"""Hashes of what the commands write: of the results in a file, not of when and by what it was made.
"""

import hashlib
import json
import re
import sqlite3
import tomllib
import zipfile
from collections.abc import Callable
from contextlib import closing
from html import unescape
from pathlib import Path
from typing import Any

import rasterio

Items = dict[str, Any]

NO_RESULTS = re.compile("seconds|bytes$|cleanup|^(firebreak|version|caption|made_by|positions|"
                        "memory_verdict)$")
"""Keys of JSON that hold clocks, memory, versions or wording."""
NO_FILES = {"timings.jsonl", "memory.jsonl", "manifest.json", "report.html"}


def sha256(data: bytes | str) -> str:
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()


def results(tree: Any) -> Any:
    """JSON without the keys that differ from run to run."""
    if isinstance(tree, dict):
        return {key: results(value) for key, value in tree.items() if not NO_RESULTS.search(key)}
    return [results(value) for value in tree] if isinstance(tree, list) else tree


def of_tree(tree: Any) -> str:
    return sha256(json.dumps(results(tree), sort_keys=True, default=str))


def of_raster(path: Path) -> str:
    """The bands' values, types and names, and where they lie; no tags."""
    with rasterio.open(path) as raster:
        where = (raster.driver, raster.dtypes, raster.nodata, raster.descriptions,
                 raster.crs and raster.crs.to_wkt(), tuple(raster.transform))
        return sha256(repr(where).encode() + raster.read().tobytes())


def of_geopackage(path: Path) -> str:
    """All layers with their columns and geometries."""
    layers = []
    with closing(sqlite3.connect(path)) as file:
        for name, in file.execute("SELECT table_name FROM gpkg_contents ORDER BY 1").fetchall():
            rows = file.execute(f'SELECT * FROM "{name}"')
            layers.append((name, [column[0] for column in rows.description], rows.fetchall()))
    return sha256(repr(layers))


def of_tensors(path: Path) -> str:
    """A safetensors file by the names of its tensors, in whatever order the tensors lie."""
    data, digest = path.read_bytes(), hashlib.sha256()
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    header.pop("__metadata__", None)
    for name, entry in sorted(header.items()):
        begin, end = (start + place for place in entry["data_offsets"])
        digest.update(f"{name} {entry['dtype']} {entry['shape']}".encode() + data[begin:end])
    return digest.hexdigest()


def of_policy(path: Path) -> str:
    """The numbers in a torch archive, without the names of its folders."""
    with zipfile.ZipFile(path) as file:
        return sha256(b"".join(file.read(name) for name in file.namelist() if "/data/" in name))


def of_page(path: Path) -> str:
    """The numbers of a page in their order; of the explorer's page the data that it shows."""
    text = path.read_text(encoding="utf-8")
    if data := re.search(r'(?s)<script type="application/json"[^>]*>(.*?)</script>', text):
        return of_tree(json.loads(data[1]))
    text = re.sub(r"(?s)<(style|script)\b.*?</\1>", " ", text)
    text = re.sub(r"(?s)<table\b.*?</table>", _without_seconds, text)
    text = unescape(re.sub(r"<[^>]*>", " ", text))
    # Neither seconds nor versions of packages, which have two points.
    text = re.sub(r"\d[\d.]*\s*(s|seconds?)\b|\b\d+(\.\d+){2}\S*", " ", text)
    return sha256(repr(re.findall(r"[-+]?\d[\d.,]*", text)))


def _without_seconds(table: re.Match[str]) -> str:
    """A table without the columns whose heads say seconds."""
    rows = [re.findall(r"(?s)<t[hd]\b[^>]*>(.*?)</t[hd]>", row)
            for row in re.findall(r"(?s)<tr\b.*?</tr>", table[0])]
    clocks = {k for row in rows[:1] for k, head in enumerate(row) if "second" in head}
    return " ".join(cell for row in rows for k, cell in enumerate(row) if k not in clocks)


READERS: dict[str, Callable[[Path], str]] = {
    **dict.fromkeys((".tif", ".asc", ".lcp"), of_raster),
    **dict.fromkeys((".csv", ".prj", ".qml"), lambda path: sha256(path.read_bytes())),
    **dict.fromkeys((".json", ".geojson"), lambda path: of_tree(json.loads(path.read_text()))),
    ".jsonl": lambda path: of_tree([json.loads(row) for row in path.read_text().splitlines()]),
    ".toml": lambda path: of_tree(tomllib.loads(path.read_text())),
    ".gpkg": of_geopackage, ".safetensors": of_tensors, ".pt": of_policy, ".html": of_page}


def of_files(place: Path) -> Items:
    """A file, or the files in a folder, by their names."""
    return {path.relative_to(place if place.is_dir() else place.parent).as_posix():
            READERS[path.suffix](path) for path in sorted([place, *place.rglob("*")])
            if path.is_file() and path.suffix in READERS and path.name not in NO_FILES}
