"""What is wrong with a configuration, in one sentence: file, line, key, value, what is allowed."""

import dataclasses
import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import pydantic

from firebreak.checks import InputError, fail, nearest
from firebreak.reading import from_toml
from firebreak.settings.schema import in_short, meanings
from firebreak.settings.surfaces import TOML_NAMES
from firebreak.train.config.schema import RunConfig

Path = tuple[str, ...]
Tree = dict[str, Any]
_MOST_WORK = 200_000  # letters that are parsed to find a line


def config_error(error: pydantic.ValidationError, where: str, text: str,
                 changes: Mapping[Path, str]) -> InputError:
    """The first fault that validation found.

    Args:
        where: the file, or what stands for it.
        text: its content, for the number of the line.
        changes: what was changed on top of it, by key, as it was written.
    """
    first = error.errors()[0]
    path = tuple(part for part in first["loc"] if isinstance(part, str))
    place = place_of(path, where, text, changes)
    key = ".".join(path)
    if first["type"] in ("extra_forbidden", "unexpected_keyword_argument"):
        return _unknown(path, first["input"], place)
    entry = _schema_of(path)
    expected = allowed(entry)
    if first["type"] == "value_error":
        reason = first["msg"].removeprefix("Value error, ")
        if "properties" in entry:  # of a table: its settings contradict one another
            return fail(expected=f"settings of [{key}] that fit together", given="others",
                        where=place, remedy=reason)
        expected += f", {reason}"
    meaning = entry.get("description")
    return fail(expected=f"{key} to be {expected}", given=_shown(_value_at(path, first)),
                where=place,
                remedy=f"correct this value ({meaning})" if meaning else "correct this value")


def allowed(entry: Tree) -> str:
    """What a JSON schema allows, in words."""
    if "anyOf" in entry:
        return " or ".join(allowed(kind) for kind in entry["anyOf"] if kind != {"type": "null"})
    if "enum" in entry:
        return " or ".join(repr(word) for word in entry["enum"])
    if "const" in entry:
        return repr(entry["const"])
    if "prefixItems" in entry:
        each = allowed(entry["prefixItems"][0])
        return f"a list of {len(entry['prefixItems'])} values, each {each}"
    kind = entry.get("type")
    if kind == "array":
        exactly = f" of exactly {entry['minItems']} values" if entry.get("minItems") else ""
        return f"a list{exactly}, each {allowed(entry['items'])}"
    words = {"integer": "a whole number", "number": "a number", "string": "a text in quotes",
             "boolean": "true or false"}.get(str(kind), "a table")
    bounds = [f"{text} {entry[name]:g}" for name, text in (
        ("minimum", "of at least"), ("exclusiveMinimum", "above"), ("maximum", "at most"),
        ("exclusiveMaximum", "below")) if name in entry]
    return " ".join([words, " and ".join(bounds)]).strip()


def place_of(path: Path, where: str, text: str, changes: Mapping[Path, str]) -> str:
    """Where a key is set, as an error says it; arguments as of `config_error`."""
    for changed, change in changes.items():
        common = min(len(path), len(changed))
        if path[:common] == changed[:common]:
            return f"--set {change}"
    line = line_of(text, path)
    return where if line is None else f"{where}, line {line}"


def line_of(text: str, path: Path) -> int | None:
    """The line of a TOML file on which a key is set, else that of its nearest table; from 1."""
    found: tuple[int, int] | None = None
    for line, keys in _statements(text):
        common = 0
        while common < min(len(path), len(keys)) and path[common] == keys[common]:
            common += 1
        if common and common in (len(keys), len(path)) and (found is None or common > found[0]):
            found = common, line
    return found[1] if found else None


def keys_of(entry: Tree, path: Path = ()) -> Iterator[Path]:
    """Every key of a schema that is no table."""
    for name, kind in entry["properties"].items():
        own = _resolved(kind)
        if "properties" in own:
            yield from keys_of(own, (*path, name))
        else:
            yield (*path, name)


@cache
def schema() -> Tree:
    """The JSON schema of a configuration, with what the settings of each table mean."""
    tree = RunConfig.model_json_schema()
    for field in RunConfig.model_fields.values():
        kind = field.annotation
        if kind is None or not dataclasses.is_dataclass(kind):
            continue
        entries = tree["$defs"][kind.__name__]["properties"]
        for name, text in meanings(kind).items():
            entries[TOML_NAMES.get(name, name)]["description"] = in_short(text)
    return tree


def _unknown(path: Path, value: Any, place: str) -> InputError:
    siblings = list(_schema_of(path[:-1]).get("properties", ()))
    close = nearest(path[-1], siblings)
    elsewhere = [other for other in keys_of(schema()) if other[-1] == path[-1]]
    if elsewhere or close:
        meant = elsewhere[0] if elsewhere else (*path[:-1], str(close))
        remedy = f"did you mean '{'.'.join(meant)}'?"
    else:
        remedy = f"known here are {', '.join(sorted(siblings))}"
    return fail(expected="a known key", given=f"'{'.'.join(path)}' = {_shown(value)}", where=place,
                remedy=remedy)


def _value_at(path: Path, first: Any) -> Any:
    """The value of the key; of a missing entry of a list, the list."""
    inside = [part for part in first["loc"] if isinstance(part, int)]
    return f"entry {inside[0] + 1} = {_shown(first['input'])}" if (
        inside and first["type"] != "missing") else first["input"]


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) and value.startswith("entry ") else json.dumps(
        value, ensure_ascii=False)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _schema_of(path: Path) -> Tree:
    entry = schema()
    for part in path:
        entry = _resolved(entry.get("properties", {}).get(part, {}))
    return entry


def _resolved(entry: Tree) -> Tree:
    name = entry.get("$ref") or (entry["allOf"][0].get("$ref") if "allOf" in entry else None)
    return schema()["$defs"][name.rpartition("/")[2]] if name else entry


def _statements(text: str) -> Iterator[tuple[int, Path]]:
    """The line on which each statement begins, and the key it sets or the table it opens."""
    begun, held, work = 0, "", 0
    table: Path = ()
    for number, line in enumerate(text.splitlines(), 1):
        begun, held = (number, line) if not held else (begun, f"{held}\n{line}")
        work += len(held)
        if work > _MOST_WORK:  # a statement of thousands of lines: it stays without a number
            return
        try:
            tree = from_toml(held)
        except ValueError:
            continue  # it goes on in the next line
        header = held.lstrip().startswith("[")
        held = ""
        if header:
            table = next(_paths(tree), ())
            yield begun, table
        else:
            for keys in _paths(tree):
                yield begun, (*table, *keys)


def _paths(tree: Tree) -> Iterator[Path]:
    for key, value in tree.items():
        below = value[0] if isinstance(value, list) and value and isinstance(
            value[0], dict) else value
        if isinstance(below, dict) and below:
            yield from ((key, *rest) for rest in _paths(below))
        else:
            yield (key,)
