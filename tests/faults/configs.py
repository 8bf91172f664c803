"""Every key of the configuration, broken in every way that its schema knows of."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from firebreak.checks import InputError
from firebreak.train.config.errors import keys_of, schema
from firebreak.train.config.load import load_config

_WRONG: dict[str, list[str]] = {
    "string": ["3", "true", "[1]", "{a = 1}", "1979-05-27"],
    "integer": ['"3"', "true", "[1]", "{a = 1}", "1.5", "2.0", "nan", "-inf", '"many"', '""'],
    "number": ['"0.5"', "false", "[0.5]", "{a = 1}", "nan", "inf", "-inf", '""', "07:32:00"],
    "boolean": ["1", "0", '"true"', "[true]", "{a = true}"],
    "object": ["3", '"a"', "true", "[1]"],
    "array": ["3", '"a"', "true", "{a = 1}", "[[1]]", "[{a = 1}]"],
    "enum": ["3", '""', "true", "[1]", '"fron"', '"FRONT"'],
    "table": ["3", '"a"', "[1]", "true"]}


class Broken(NamedTuple):
    """A file with one fault. line: where it is; key, value: as they stand there."""

    text: str
    line: int
    key: str
    value: str


def broken_files() -> Iterator[Broken]:
    """A file for each fault: wrong types, outside each bound, misspelt keys, no tables."""
    for path in keys_of(schema()):
        for value in _wrong_values(_entry(path)):
            yield _file(path, value)
        for name in _misspelt(path[-1]):
            yield _file((*path[:-1], name), "1")
    for table in ("landscapes", "train", "agent"):
        for value in _WRONG["table"]:
            yield Broken(f"# a comment\n{table} = {value}\n", 2, table, value)
        yield Broken(f"[{table[:-1]}x]\na = 1\n", 1, f"{table[:-1]}x", "")


def unclear(path: Path, files: Iterable[Broken]) -> list[str]:
    """Those that are read at all, or whose error does not lead to the fault."""
    found = []
    for broken in files:
        path.write_text(broken.text, encoding="utf-8")
        try:
            load_config(str(path))
        except InputError as error:
            said = str(error)
            parts = [f"{path}, line {broken.line}: expected ", ", got ", "; ",
                     broken.key.rpartition(".")[2]]
            if not all(part in said for part in parts) or "\n" in said:
                found.append(f"{broken}: {said}")
        else:
            found.append(f"{broken}: accepted")
    return found


def _file(path: tuple[str, ...], value: str) -> Broken:
    *tables, key = path
    head = f"seed = 0\n\n[{tables[0]}]  # a table\n" if tables else "# before\n\n"
    return Broken(f"{head}{key} = {value}\n", head.count("\n") + 1, ".".join(path), value)


def _entry(path: tuple[str, ...]) -> dict[str, Any]:
    entry = schema()
    for part in path:
        entry = entry["properties"][part]
        if "$ref" in entry:
            entry = schema()["$defs"][entry["$ref"].rpartition("/")[2]]
    return next(kind for kind in entry.get("anyOf", [entry]) if kind.get("type") != "null")


def _wrong_values(entry: dict[str, Any]) -> Iterator[str]:
    kind = "enum" if "enum" in entry else entry["type"]
    wrong = _WRONG[kind]
    if kind == "array":
        each = entry["prefixItems"][0] if "prefixItems" in entry else entry["items"]
        inner = [value for value in _wrong_values(each) if value[0] not in "[{"]
        count = len(entry.get("prefixItems", ())) or entry.get("minItems", 1)
        wrong = wrong + [f"[{', '.join([value] * count)}]" for value in inner]
        if count > 1:
            wrong = [*wrong, "[]", f"[{', '.join(['0.5'] * (count + 1))}]"]
    yield from wrong
    for name, value in (("minimum", -1), ("maximum", 1)):
        if name in entry:
            yield str(entry[name] + value)
            yield str(entry[name] + value * 10**12)
    for name, value in (("exclusiveMinimum", -1), ("exclusiveMaximum", 1)):
        if name in entry:
            yield str(entry[name])
            yield str(entry[name] + value)


def _misspelt(name: str) -> list[str]:
    """A letter too few, one too many, two that changed places, other case."""
    swapped = name[:1] + name[2:3] + name[1:2] + name[3:]
    return [word for word in {name[:-1], f"{name}s", swapped, name.upper()}
            if word and word != name and word not in _NEIGHBOURS]


_NEIGHBOURS = {path[-1] for path in keys_of(schema())}
