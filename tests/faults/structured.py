"""Files that are well formed and absurd, drawn from a grammar of each format, and what their
readers do with them. The draws are the same in every run.
"""

import json
import os
import resource
import signal
import sqlite3
import struct
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import rasterio
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from faults.hostile import MEMORY_BYTES, SECONDS_PER_FILE, WALL_SECONDS, Reader, outcome
from faults.own_readers import own_readers
from faults.readers import readers

BUDGET_BYTES = 2_000_000_000
"""Memory that a reader may take for a file that is no landscape of that size."""

_WHOLE = st.sampled_from([0, 1, -1, 2, 7, 144, 2**31, 2**63, 2**64, 10**30, 10**4000, -(10**400)])
_REAL = st.sampled_from([0.0, -0.0, 1e-320, 1.5, -9999.0, 1e30, 1e308, float("inf"), float("nan")])
_WORD = st.sampled_from(["", "a", "é", "\x00", "\ud800", "../../x", "/dev/zero", "nan", "x" * 5000,
                         "a.b.c", "true", "\n", "\u2028", "{}", "[" * 200, "9" * 5000, "1_0", "²"])
_LEAF = st.one_of(st.none(), st.booleans(), _WHOLE, _REAL, _WORD)
_TREE = st.recursive(_LEAF, lambda inner: st.one_of(
    st.lists(inner, max_size=4), st.dictionaries(_WORD, inner, max_size=3)), max_leaves=12)
_CELL = st.one_of(_WORD, _WHOLE.map(lambda n: "9" * 5000 if abs(n) > 10**40 else str(n)),
                  _REAL.map(str), st.sampled_from(["5", "90", "2001-10-16 13:00", "A", "C-2",
                                                   "x" * 200_000, "9" * 5000]))


class Format(NamedTuple):
    """files: of a drawn file, those of the reader to replace, by number, with their content."""

    name: str
    reader: Reader
    files: st.SearchStrategy[dict[int, bytes]]


def _text(value: str) -> bytes:
    return value.encode("utf-8", "surrogatepass")


def _table(*names: str) -> st.SearchStrategy[bytes]:
    header = st.one_of(st.just(list(names)), st.permutations(names),
                       st.lists(st.one_of(st.sampled_from(names), _WORD), max_size=9))
    return st.builds(lambda head, rows, by: _text("\n".join(map(by.join, [head, *rows]))), header,
                     st.lists(st.lists(_CELL, min_size=1, max_size=len(names)), max_size=6),
                     st.sampled_from([",", ";", "\t", ", "]))


def _mutated(whole: Any) -> st.SearchStrategy[bytes]:
    """JSON of a record of ours in which some values are anything."""
    if not isinstance(whole, dict):
        return _TREE.map(lambda tree: json.dumps(tree).encode())
    part = st.dictionaries(st.sampled_from([*whole, "other"]), _TREE, min_size=1, max_size=3)
    return part.map(lambda other: json.dumps({**whole, **other}).encode())


def _geojson() -> st.SearchStrategy[bytes]:
    points = st.recursive(st.one_of(_WHOLE, _REAL, st.just(-114.0), st.just(46.0)),
                          lambda inner: st.lists(inner, max_size=4), max_leaves=20)
    shape = st.builds(lambda kind, at: {"type": kind, "coordinates": at}, st.sampled_from(
        ["Point", "LineString", "Polygon", "MultiPolygon", "Sphere"]), st.one_of(points, _TREE))
    many = st.recursive(shape, lambda inner: st.one_of(
        st.builds(lambda parts: {"type": "GeometryCollection", "geometries": parts},
                  st.lists(inner, max_size=3)),
        st.builds(lambda one: {"type": "Feature", "properties": None, "geometry": one}, inner),
        st.builds(lambda parts: {"type": "FeatureCollection", "features": parts},
                  st.lists(inner, max_size=3))), max_leaves=6)
    return many.map(lambda tree: json.dumps(tree).encode())


def literal(tree: Any) -> str:
    """A value as TOML writes it, however absurd."""
    if isinstance(tree, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {literal(v)}" for k, v in tree.items()) + "}"
    if isinstance(tree, list):
        return "[" + ", ".join(map(literal, tree)) + "]"
    if tree is None or isinstance(tree, bool):
        return {None: "1979-05-27", True: "true", False: "false"}[tree]
    if isinstance(tree, str):
        return json.dumps(tree)
    return "9" * 5000 if abs(tree) > 1e300 else repr(tree)


def _toml(keys: list[str]) -> st.SearchStrategy[bytes]:
    key = st.one_of(st.sampled_from(keys), st.integers(1, 300).map(lambda n: ".".join(["a"] * n)))
    line = st.builds(lambda name, tree: f"{name} = {literal(tree)}", key, _TREE)
    head = key.map(lambda name: f"[{name.rpartition('.')[0] or name}]")
    return st.lists(st.one_of(line, head), min_size=1, max_size=6).map(
        lambda lines: _text("\n".join(lines)))


def _ascii() -> st.SearchStrategy[bytes]:
    number = st.one_of(_CELL.filter(lambda cell: len(cell) < 6000), st.just("12"))
    pairs = st.permutations(["ncols", "nrows", "xllcorner", "yllcorner", "cellsize"]).flatmap(
        lambda keys: st.tuples(*(st.tuples(st.just(key), number) for key in keys)))
    return st.builds(lambda head, rows: _text("\n".join(
        [*map(" ".join, head), *map(" ".join, rows)])), pairs,
        st.lists(st.lists(number, min_size=12, max_size=12), max_size=12))


def _geotiff(folder: Path) -> st.SearchStrategy[bytes]:
    """Rasters without blocks: a header may say what it likes, and zeros make the file large."""
    side = st.sampled_from([1, 3, 12, 300, 14_000])
    profile = st.fixed_dictionaries({
        "width": side, "height": side, "count": st.sampled_from([1, 5, 8, 20]),
        "dtype": st.sampled_from(["uint8", "int16", "float32", "float64", "complex128"]),
        "crs": st.sampled_from([None, "EPSG:5070", "EPSG:4326", "EPSG:3857", "EPSG:2193"]),
        "interleave": st.sampled_from(["band", "pixel"]), "nodata": st.sampled_from([None, 0, 1]),
        "transform": st.tuples(st.sampled_from([30.0, 1e-9, 1e9, 0.1]), st.sampled_from(
            [0.0, 5.0]), st.sampled_from([-2e6, 0.0, 1e15])).map(
                lambda t: rasterio.Affine(t[0], t[1], t[2], 0.0, -t[0], 1.5e6))})

    def made(given: dict[str, Any], padded: int) -> bytes:
        path = folder / "hollow.tif"
        path.unlink(missing_ok=True)
        try:
            with rasterio.open(path, "w", driver="GTiff", tiled=True, blockxsize=256,
                               blockysize=256, SPARSE_OK=True, **given):
                pass
        except Exception:  # GDAL writes no such file
            return b""
        return path.read_bytes() + bytes(padded)
    return st.builds(made, profile, st.sampled_from([0, 500_000, 3_000_000]))


def _lcp(whole: bytes) -> st.SearchStrategy[bytes]:
    """A header whose numbers, of 4 bytes or 8, are others."""
    change = st.tuples(st.integers(0, 1800), st.one_of(
        st.sampled_from([0, 1, -1, 2**31 - 1, 14_000]).map(lambda n: struct.pack("<i", n)),
        _REAL.map(lambda x: struct.pack("<d", x))))

    def made(changes: list[tuple[int, bytes]]) -> bytes:
        content = bytearray(whole)
        for place, number in changes:
            content[4 * place:4 * place + len(number)] = number
        return bytes(content)
    return st.lists(change, min_size=1, max_size=5).map(made)


def _geopackage(whole: bytes, folder: Path) -> st.SearchStrategy[bytes]:
    """A database in which statements have changed what tables, shapes and systems are."""
    asked = st.lists(st.sampled_from([
        "UPDATE gpkg_contents SET min_x = 1e308, max_x = -1e308, srs_id = 99999",
        "UPDATE gpkg_geometry_columns SET geometry_type_name = 'CURVE', z = 2, srs_id = -7",
        "DELETE FROM gpkg_spatial_ref_sys", "DELETE FROM gpkg_contents",
        "UPDATE area SET geom = zeroblob(100000000)", "UPDATE area SET geom = NULL",
        "UPDATE area SET geom = CAST('GP' || geom AS BLOB)",
        "UPDATE gpkg_spatial_ref_sys SET definition = replace(hex(zeroblob(100000)), '0', 'x')",
        "UPDATE gpkg_contents SET table_name = 'nothing'",
        "ALTER TABLE area RENAME TO land; CREATE VIEW area AS WITH RECURSIVE n(k) AS (SELECT 1 "
        "UNION ALL SELECT k + 1 FROM n WHERE k < 200000) SELECT k AS fid, geom FROM land, n",
        "INSERT INTO area (geom) SELECT geom FROM area"]), min_size=1, max_size=3)

    def made(statements: list[str]) -> bytes:
        path = folder / "drawn.gpkg"
        path.write_bytes(whole)
        database = sqlite3.connect(path)
        for name, in database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'"
                                      ).fetchall():
            database.execute(f'DROP TRIGGER "{name}"')
        for statement in statements:
            try:
                database.executescript(statement)
            except sqlite3.Error:
                continue
        database.close()
        return path.read_bytes()
    return asked.map(made)


def _safetensors(whole: bytes) -> st.SearchStrategy[bytes]:
    """A header that says other things of the data."""
    length = int.from_bytes(whole[:8], "little")
    header, data = json.loads(whole[8:8 + length]), whole[8 + length:]

    def made(other: bytes, cut: int) -> bytes:
        return len(other).to_bytes(8, "little") + other + data[:len(data) - cut]
    entry = st.fixed_dictionaries({"dtype": st.sampled_from(["F32", "U8", "F64", "X"]), "shape":
                                   st.lists(_WHOLE, max_size=4), "data_offsets": st.lists(
                                       _WHOLE, max_size=3)})
    changed = st.dictionaries(st.sampled_from([*header]), st.one_of(entry, _TREE), min_size=1,
                              max_size=2).map(lambda new: json.dumps({**header, **new}).encode())
    return st.builds(made, changed, st.sampled_from([0, 0, 4, 1000]))


def by_name_in(folder: Path) -> dict[str, Reader]:
    """All readers, with their files in the folder, by name."""
    return {one.name: one for one in [*readers(folder), *own_readers(folder)]}


def formats(by_name: dict[str, Reader], folder: Path) -> Iterator[Format]:
    """The formats, each with the reader of its files."""
    def one(name: str, reader: str, content: st.SearchStrategy[bytes], place: int = 0) -> Format:
        return Format(name, by_name[reader], content.map(lambda made: {place: made}))

    def whole(reader: str, place: int = 0) -> bytes:
        return by_name[reader].files[place].read_bytes()

    for reader in ("landscape GeoTIFF", "value raster"):
        yield one(f"GeoTIFF ({reader})", reader, _geotiff(folder))
    yield one("FARSITE .lcp", "FARSITE .lcp", _lcp(whole("FARSITE .lcp")))
    yield one("ASCII grid", "folder of ASCII grids", _ascii())
    yield one("GeoJSON", "shapes as GeoJSON", _geojson())
    if "shapes as .gpkg" in by_name:
        yield one("GeoPackage", "shapes as .gpkg", _geopackage(whole("shapes as .gpkg"), folder))
    yield one("weather as CSV", "Cell2Fire weather", _table(
        "Scenario", "datetime", "APCP", "TMP", "RH", "WS", "WD"))
    yield one("points as CSV", "ignition points", _table("row", "col", "x", "y", "Ncell"))
    names = [path.name for path in by_name["Cell2Fire folder"].files]
    for name, content in (("Data.csv", _table("fueltype", "elev", "saz", "ps", "cur")),
                          *((n, _table("grid_value", "fuel_type")) for n in names
                            if n.endswith("lookup_table.csv")),
                          ("fuels.asc", _ascii())):
        if name in names:
            yield one(f"Cell2Fire {name}", "Cell2Fire folder", content, names.index(name))
    keys = ["seed", "budget", "train.episodes", "landscapes.size", "fires.plan_fires", "train",
            "fires.losses", "mixture.sizes", "breaks.kind", "agent.width"]
    yield one("TOML configuration", "configuration", _toml(keys))
    yield one("TOML of a plan", "options of a plan", _toml(
        ["area", "budget", "layer", "phase", "plan_fires", "must_exclude", "weather", "losses"]))
    record = [path.suffix for path in by_name["plan as csv"].files].index(".json")
    yield one("JSON of a plan", "plan as csv", _mutated(json.loads(whole("plan as csv", record))),
              record)
    yield one("answers of LANDFIRE", "answers of LANDFIRE", _mutated(json.loads(
        whole("answers of LANDFIRE"))))
    yield one("policy.safetensors", "policy", _safetensors(whole("policy")))
    saved = by_name["checkpoint"].files
    for k, path in enumerate(saved):
        yield one(f"checkpoint {path.name}", "checkpoint",
                  _safetensors(whole("checkpoint", k)) if path.suffix == ".safetensors" else
                  _TREE.map(lambda tree: json.dumps(tree).encode()), k)


def drawn(files: st.SearchStrategy[dict[int, bytes]], count: int) -> Iterator[dict[int, bytes]]:
    """`count` draws, the same in every run."""
    found: list[dict[int, bytes]] = []

    @settings(max_examples=count, derandomize=True, database=None, deadline=None,
              phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(files)
    def collect(one: dict[int, bytes]) -> None:
        found.append(one)
    collect()
    return iter(found)


def attack(one: Format, count: int, scratch: Path) -> dict[str, Any]:
    """Reads `count` drawn files in a process with bounded memory and time; what was found:
    inputs, faults by what they are, hangs, and the most memory in bytes.
    """
    contents = list(drawn(one.files, count))
    whole = {path: path.read_bytes() for path in one.reader.files}
    place, done = scratch / "structured.json", 0
    result: dict[str, Any] = {"inputs": len(contents), "faults": {}, "hangs": 0, "peak": 0}
    while done < len(contents):
        pid = os.fork()
        if pid == 0:
            _work(one.reader, contents, done, place)
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        reached, faults, peak = json.loads(place.read_text())
        result["faults"] |= faults
        result["peak"] = max(result["peak"], peak)
        for path, content in whole.items():
            path.write_bytes(content)
        if reached < len(contents):
            stopped = -status in (signal.SIGALRM, signal.SIGPROF)
            result["hangs"] += stopped
            if not stopped:
                result["faults"][f"ended with {status}"] = reached
        done = reached + 1
    return result


def _work(reader: Reader, contents: list[dict[int, bytes]], begin: int, place: Path) -> None:
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY_BYTES, -1))
    for ending in (signal.SIGALRM, signal.SIGPROF):
        signal.signal(ending, signal.SIG_DFL)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    first = _peak()
    faults: dict[str, int] = {}
    for number in range(begin, len(contents)):
        place.write_text(json.dumps([number, faults, _peak(first)]))
        kept = {path: path.read_bytes() for path in reader.files}
        for k, content in contents[number].items():
            reader.files[k].write_bytes(content)
        signal.alarm(WALL_SECONDS)
        signal.setitimer(signal.ITIMER_PROF, SECONDS_PER_FILE)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fault = outcome(reader)
        signal.alarm(0)
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        for path, content in kept.items():
            path.write_bytes(content)
        if fault is not None:
            faults.setdefault(fault, number)
    place.write_text(json.dumps([len(contents), faults, _peak(first)]))
    os._exit(0)


def _peak(before: int = 0) -> int:
    """The most memory that this process took beyond `before`, or all that one that it started took.
    """
    own, others = (1024 * resource.getrusage(who).ru_maxrss for who in (
        resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return max(own - before, others)
