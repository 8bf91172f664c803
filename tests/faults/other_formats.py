"""Well-formed and absurd files of the formats that `structured` does not have: tables and text with
other words in some places, XML, binary records with other numbers, archives, rows, queries.
"""

import io
import json
import re
import struct
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from hypothesis import strategies as st

from faults.hostile import Reader
from faults.structured import (
    _CELL,
    _REAL,
    _TREE,
    Format,
    _mutated,
    _table,
    _text,
    literal,
)
from firebreak.report.explorer.queries import PARAMETERS

_ENTITIES = "".join(f'<!ENTITY e{k} "{f"&e{k - 1};" * 10 if k else "ha" * 20}">' for k in range(9))
_HEADS = ["", f"<!DOCTYPE a [{_ENTITIES}]>",
          '<!DOCTYPE a [<!ENTITY e8 SYSTEM "file:///dev/zero">]>',
          '<!DOCTYPE a SYSTEM "http://127.0.0.1:9/a.dtd">', "<a>" * 5000, "<!--" + "x" * 100_000]
_PLACES = ["&e8;", "1e308", "nan", "-1e300,1e300", "9" * 400, "", "x", "0,0,0,0,0,0", "1e20 1e20"]
_NAMES = ["a.tif", "../../x.tif", "/tmp/x.tif", "a.tif/", "a" * 60_000 + ".tif", "é.tif",
          "a\x00.tif", "j1.xml", "", "con.tif", "b.TIF"]


def _changed_toml(whole: str) -> st.SearchStrategy[bytes]:
    """Lines of a whole file in which some keys have any value, or come twice."""
    lines = whole.splitlines()
    at = st.integers(0, len(lines) - 1)

    def made(changes: list[tuple[int, Any, bool]]) -> bytes:
        out = list(lines)
        for place, tree, twice in changes:
            key, equals, _ = lines[place].partition(" = ")
            line = f"{key} = {literal(tree)}" if equals else lines[place]
            out[place] = f"{lines[place]}\n{line}" if twice else line
        return _text("\n".join(out))
    return st.lists(st.tuples(at, _TREE, st.booleans()), min_size=1, max_size=3).map(made)


def _changed_words(whole: str) -> st.SearchStrategy[bytes]:
    """A text in which some words, of a table or not, are any others."""
    words = re.split(r"([\s,;]+)", whole)
    change = st.tuples(st.integers(0, len(words) - 1), _CELL)

    def made(changes: list[tuple[int, str]]) -> bytes:
        out = list(words)
        for place, word in changes:
            out[place] = word
        return _text("".join(out))
    return st.lists(change, min_size=1, max_size=4).map(made)


def _changed_xml(whole: str) -> st.SearchStrategy[bytes]:
    """XML with entities that grow or lead elsewhere, deep elements, and absurd coordinates."""
    numbers = [found.span() for found in re.finditer(r"(?<=[>\s,])-?\d[\d.]*", whole)]
    begin = re.match(r"<\?xml[^>]*\?>", whole)
    head = begin.end() if begin else 0

    def made(first: str, changes: list[tuple[int, str]]) -> bytes:
        out = whole
        for place, other in sorted(changes, reverse=True):
            low, high = numbers[place]
            out = out[:low] + other + out[high:]
        return _text(out[:head] + first + out[head:])
    return st.builds(made, st.sampled_from(_HEADS), st.lists(
        st.tuples(st.integers(0, len(numbers) - 1), st.sampled_from(_PLACES)), max_size=3,
        unique_by=lambda change: change[0]))


def _changed_numbers(whole: bytes) -> st.SearchStrategy[bytes]:
    """A binary file in whose first kilobytes some numbers are others, in either order of bytes."""
    number = st.one_of(
        st.tuples(st.sampled_from(["<i", ">i"]), st.sampled_from([0, 1, -1, 5, 2**31 - 1, 14_000])),
        st.tuples(st.sampled_from(["<d", ">d"]), _REAL)).map(lambda one: struct.pack(*one))

    def made(changes: list[tuple[int, bytes]]) -> bytes:
        content = bytearray(whole)
        for place, other in changes:
            content[place:place + len(other)] = other
        return bytes(content)
    return st.lists(st.tuples(st.integers(0, min(len(whole), 4000) - 1), number), min_size=1,
                    max_size=5).map(made)


def _archive(inside: bytes) -> st.SearchStrategy[bytes]:
    """An archive whose members have any name, come twice or by the thousand, are packed in any way,
    and whose list says what it likes of their sizes.
    """
    member = st.tuples(st.sampled_from(_NAMES), st.sampled_from(
        [inside, b"", b"x", bytes(2_000_000), inside[:100]]), st.sampled_from(
            [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]))

    def made(members: list[tuple[str, bytes, int]], times: int,
             lies: list[tuple[int, int]]) -> bytes:
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as archive:
            for k in range(times):
                for name, content, packed in members[:1 if k else None]:
                    archive.writestr(zipfile.ZipInfo(name if not k else f"{k}{name[:20]}"),
                                     content if not k else b"x", packed)
        whole = bytearray(file.getvalue())
        begin = whole.find(b"PK\1\2")
        for place, number in lies:
            at = begin + place % max(len(whole) - begin - 8, 1)
            whole[at:at + 4] = struct.pack("<I", number)
        return bytes(whole)
    return st.builds(made, st.lists(member, max_size=3, unique_by=lambda one: one[0]),
                     st.sampled_from([1, 1, 1, 2000]), st.lists(st.tuples(
                         st.integers(4, 60), st.sampled_from([0, 1, 2**31, 2**32 - 1])),
                         max_size=3))


def _rows(whole: str) -> st.SearchStrategy[bytes]:
    """Rows of JSON, some of which say anything."""
    rows = [json.loads(line) for line in whole.splitlines()]
    change = st.integers(0, len(rows) - 1).flatmap(lambda k: st.tuples(st.just(k),
                                                                        _mutated(rows[k])))

    def made(changes: list[tuple[int, bytes]]) -> bytes:
        out = [json.dumps(row).encode() for row in rows]
        for place, other in changes:
            out[place] = other
        return b"\n".join(out) + b"\n"
    return st.lists(change, min_size=1, max_size=4).map(made)


def _queries() -> st.SearchStrategy[bytes]:
    """Addresses of the explorer with any parameters, in any number."""
    names = sorted({name for known in PARAMETERS.values() for name in known})
    short = _CELL.filter(lambda cell: len(cell) < 6000)
    pair = st.tuples(st.sampled_from([*names, "x", ""]), short)
    line = st.builds(lambda address, pairs: f"{address}?" + "&".join(
        f"{name}={quote(value, errors='replace')}" for name, value in pairs),
        st.sampled_from(sorted(PARAMETERS)), st.lists(pair, max_size=6))
    return st.lists(line, min_size=1, max_size=4).map(lambda lines: _text("\n".join(lines)))


def formats(by_name: dict[str, Reader], folder: Path) -> Iterator[Format]:
    """The formats, each with the reader of its files."""
    def one(reader: str, content: st.SearchStrategy[bytes], place: int = 0,
            kind: str = "") -> Format:
        own = by_name[reader]
        name = (f"{reader}, {own.files[place].name}" if len(own.files) > 1 else reader) + kind
        return Format(name, own, content.map(lambda made: {place: made}))

    def text(reader: str, place: int = 0) -> str:
        return by_name[reader].files[place].read_text(encoding="utf-8")

    for reader in ("wind rose", "value layers"):
        yield one(reader, _changed_toml(text(reader)))
    for reader in ("FARSITE .wxs", "Cell2Fire ignitions", "Cell2Fire fire breaks",
                   "cases (cases)", "cases (fbp)", "station weather"):
        yield one(reader, _changed_words(text(reader)))
    for place in (0, 1):
        yield one("FARSITE .wtr and .wnd", _changed_words(text("FARSITE .wtr and .wnd", place)),
                  place)
    yield one("station weather", _table("datetime", "TMP", "RH", "APCP", "WS", "WD"),
              kind=" of any columns")
    for suffix in ("kml", "gml"):
        if f"shapes as .{suffix}" in by_name:
            kinds = [path.suffix for path in by_name[f"shapes as .{suffix}"].files]
            place = kinds.index(f".{suffix}")
            yield one(f"shapes as .{suffix}", _changed_xml(text(f"shapes as .{suffix}", place)),
                      place)
    for reader in ("shapes as .shp", "shapes as .fgb"):
        for place, path in enumerate(by_name[reader].files if reader in by_name else ()):
            if path.suffix in (".shp", ".shx", ".dbf", ".fgb"):
                yield one(reader, _changed_numbers(path.read_bytes()), place)
    yield one("archive of LANDFIRE", _archive(by_name["landscape GeoTIFF"].files[0].read_bytes()))
    yield one("rows of a run's memory", _rows(text("rows of a run's memory")))
    for place in (0, 1):
        yield one("report of a run", _rows(text("report of a run", place)), place)
    yield one("report of a run", _mutated(json.loads(text("report of a run", 2))), 2)
    yield one("options beside a plan", _mutated(json.loads(text("options beside a plan"))))
    yield one("questions to the explorer", _queries())
