"""Every key of the configuration, broken in every way that its schema knows of."""

import typing
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from firebreak.checks import InputError
from firebreak.settings.schema import Leaf, bounds_of, leaves, members, plain_type
from firebreak.train.config.load import load_config
from firebreak.train.config.schema import RunConfig

_WRONG: dict[str, list[str]] = {
    "string": ["3", "true", "[1]", "{a = 1}", "1979-05-27"],
    "integer": ['"3"', "true", "[1]", "{a = 1}", "1.5", "2.0", "nan", "-inf", '"many"', '""'],
    "number": ['"0.5"', "false", "[0.5]", "{a = 1}", "nan", "inf", "-inf", '""', "07:32:00"],
    "boolean": ["1", "0", '"true"', "[true]", "{a = true}"],
    "object": ["3", '"a"', "true", "[1]"],
    "array": ["3", '"a"', "true", "{a = 1}", "[[1]]", "[{a = 1}]"],
    "enum": ["3", '""', "true", "[1]", '"fron"', '"FRONT"'],
    "table": ["3", '"a"', "[1]", "true"]}


LEAVES = list(leaves(RunConfig).values())


class Broken(NamedTuple):
    """A file with one fault. line: where it is; key, value: as they stand there."""

    text: str
    line: int
    key: str
    value: str


def broken_files() -> Iterator[Broken]:
    """A file for each fault: wrong types, outside each bound, misspelt keys, no tables."""
    for leaf in LEAVES:
        path = tuple(leaf.key.split("."))
        for value in _wrong_values(leaf):
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
            parts = [f"{path}, line {broken.line}", ": expected ", ", got ", "; ",
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


def _wrong_values(leaf: Leaf) -> Iterator[str]:
    """Values that are wrong whichever of its types a setting has."""
    first, *others = (list(_wrong(hint)) for hint in members(leaf.hint))
    yield from (value for value in first if all(value in other for other in others))


def _wrong(hint: Any) -> Iterator[str]:
    kind = plain_type(hint)
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    name = {list: "array", tuple: "array", dict: "object", typing.Literal: "enum"}.get(
        origin, {str: "string", int: "integer", float: "number", bool: "boolean"}.get(kind))
    yield from _WRONG[str(name)]
    if name == "array":
        count = len(parts) if origin is tuple else 6 if "Len" in str(hint) else 1
        inner = [value for value in _wrong(next(iter(members(parts[0])))) if value[0] not in "[{"]
        for value in inner:
            yield f"[{', '.join([value] * count)}]"
        if count > 1:
            yield from ("[]", f"[{', '.join(['0.5'] * (count + 1))}]")
    for bound in () if name == "array" else bounds_of(hint):
        letters = type(bound).__name__.lower()
        limit, step = getattr(bound, letters), 1 if letters[0] == "l" else -1
        yield from [str(limit + step), str(limit + step * 10**12)] if letters[1] == "e" else [
            str(limit), str(limit + step)]


def _misspelt(name: str) -> list[str]:
    """A letter too few, one too many, two that changed places, other case."""
    swapped = name[:1] + name[2:3] + name[1:2] + name[3:]
    return [word for word in {name[:-1], f"{name}s", swapped, name.upper()}
            if word and word != name and word not in _NEIGHBOURS]


_NEIGHBOURS = {leaf.key.rpartition(".")[2] for leaf in LEAVES}
