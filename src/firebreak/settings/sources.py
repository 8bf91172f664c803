"""The places where settings are said: the words of a command line, the tables of a file, the
keywords of a function.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from firebreak.checks import InputError, fail
from firebreak.reading import from_toml, read_toml
from firebreak.settings.conversion import shown
from firebreak.settings.names import Origin, Spelling, spellings, unknown
from firebreak.settings.retired import is_idle
from firebreak.settings.schema import Leaf, leaves

Keys = tuple[str, ...]
SEED = Leaf(("seed",), int, None, "leave it out: this command draws nothing", "seed")
"""Every command takes a seed, also where nothing is drawn, and there it is not in --help."""
NO_LISTS: Mapping[str, Mapping[str, Any]] = {}
_MOST_WORK = 200_000  # letters that are parsed to find a line
_TYPED = re.compile(r"--?(?!(inf|infinity|nan)$)[A-Za-z]")


class Given(NamedTuple):
    """A setting as said. is_ready: its value needs no conversion; is_strict: no number is text."""

    leaf: Leaf
    raw: Any
    origin: Origin
    is_ready: bool = False
    is_strict: bool = False

    def beside(self, earlier: "Given") -> "Given":
        """The same setting said once more by a source: both count where it adds up."""
        if not self.leaf.adds_up or self.is_ready:
            return self
        return self._replace(raw=[*_several(earlier.raw), *_several(self.raw)])


def _several(raw: Any) -> list[Any]:
    return raw if isinstance(raw, list) else [raw]


def _has_text(raw: Any) -> bool:
    """True for text and lists with some, which only on the command line stand for numbers."""
    return any(isinstance(one, str) for one in (raw if isinstance(raw, list | tuple) else [raw]))


class Source(NamedTuple):
    """where: the source, as an error names it; given: what it says of a class of settings; shown:
    all that was said, in short; placed: what is made of a converted value.
    """

    where: str
    given: Callable[[type], Sequence[Given]]
    shown: str = "nothing"
    placed: Callable[[Leaf, Any], Any] = lambda leaf, value: value


def argv(words: Sequence[str], command: str) -> Source:
    """The words of a command line: `--name VALUE`, `--name=VALUE`, `--name A B` of several values,
    switches, and what is typed in a place of its own. The last of an option counts; lists add up.
    """
    where = f"firebreak {command}"
    return Source(where, lambda kind: _typed(kind, list(words), where),
                  f"'{' '.join(words)}'" if words else "nothing")


def _typed(kind: type, words: list[str], where: str) -> list[Given]:
    remedy = f"{where} --help lists what it takes"
    typed = {name: leaf for name, leaf in leaves(kind).items() if not leaf.is_positional}
    known = {SEED.option: Spelling(SEED)} | spellings(typed, "option")
    end = words.index("--") if "--" in words else len(words)
    rest, last = words[:end], words[end + 1:]
    for word in rest:
        name = word.partition("=")[0]
        if _TYPED.match(word) and name.replace("_", "-") not in known:
            raise unknown("option", name, {SEED.option: SEED} | {
                leaf.option: leaf for leaf in typed.values()}, where, remedy)
    found: list[Given] = []
    placed: list[str] = []
    apart = False  # an option stands between this word and those that are typed in place
    while rest:
        word = rest.pop(0)
        if not _TYPED.match(word):
            if apart:
                raise _further([word], where, remedy)
            placed.append(word)
            continue
        apart = bool(placed)
        name, equals, value = word.partition("=")
        name = name.replace("_", "-")
        leaf = known[name].leaf
        raw = _values(leaf, name, [value] if equals else [], rest, remedy)
        found.append(Given(leaf, known[name].said(raw), Origin("option", name)))
    return [*found, *_in_place(kind, [*placed, *last], where, remedy)]


def _values(leaf: Leaf, name: str, first: list[str], rest: list[str], remedy: str) -> Any:
    """The words that belong to an option, typed by a name, taken off the rest."""
    count = leaf.values_typed
    if count == 0:
        if first:
            raise fail(expected="no value after it", given=f"'{first[0]}'", where=name,
                       remedy=remedy)
        return True
    taken = first
    while rest and not _TYPED.match(rest[0]) and (count is None or len(taken) < count):
        taken.append(rest.pop(0))
    if not taken or (count is not None and len(taken) < count):
        several = count is not None and count > 1
        raise fail(expected=f"{count} values after it" if several else "a value after it",
                   given="fewer" if several else "none", where=name, remedy=remedy)
    return taken if leaf.is_list or count != 1 else taken[0]


def _in_place(kind: type, placed: list[str], where: str, remedy: str) -> Iterator[Given]:
    """The settings that are typed without an option."""
    for leaf in leaves(kind).values():
        if leaf.is_positional and placed:
            raw: Any = placed if leaf.is_list else placed[0]
            placed = [] if leaf.is_list else placed[1:]
            yield Given(leaf, raw, Origin("option", leaf.option))
    if placed:
        raise _further(placed, where, remedy)


def _further(words: Sequence[str], where: str, remedy: str) -> InputError:
    """The error for words that belong to nothing."""
    return fail(expected="no further words", given=f"'{' '.join(words)}'", where=where,
                remedy=remedy)


def keywords(given: Mapping[str, Any], where: str, left_out: Sequence[str] = (),
             handed: Callable[[Leaf, Any], Any] = lambda leaf, value: None) -> Source:
    """The keywords of a function.

    Args:
        left_out: options that functions do not have.
        handed: the value of what is handed in instead of a file, None for anything else.
    """
    def read(kind: type) -> Iterator[Given]:
        own = {name: leaf for name, leaf in leaves(kind).items() if name not in left_out}
        known = spellings(own, "argument")
        for name, value in given.items():
            if name not in known:
                raise unknown("argument", name, own, where)
            leaf = known[name].leaf
            if value is None and known[name].unit:
                continue
            ready = handed(leaf, value)
            yield Given(leaf, known[name].said(value) if ready is None else ready,
                        Origin("argument", name), ready is not None, _has_text(value))

    return Source(where, lambda kind: list(read(kind)))


def tables(tree: Mapping[str, Any], where: str, *, at: Callable[[str], str] | None = None,
           left_out: Sequence[str] = (), lists: Mapping[str, Mapping[str, Any]] = NO_LISTS,
           strict: bool = False, names_keys: bool = True,
           placed: Callable[[Leaf, Any], Any] = lambda leaf, value: value) -> Source:
    """The tables of a file.

    Args:
        where: the file.
        at: takes a key with its tables, gives the place where it stands; the file alone otherwise.
        left_out: settings that files do not have.
        lists: lists of tables that the file may have, with the settings for which each stands.
        strict: no number is text.
        names_keys: the key follows the place in errors.
        placed: what is made of a converted value, such as a path that is relative to the file.
    """
    place = at or (lambda key: where)

    def read(kind: type) -> list[Given]:
        known = leaves(kind)
        keys = spellings({name: leaf for name, leaf in known.items() if name not in left_out},
                         "key")
        listed = [Given(known[name], value, Origin("key", place(one)), not known[name].adds_up)
                  for one in lists if one in tree for name, value in lists[one].items()]
        said = list(_in_tables(
            keys, {name: value for name, value in tree.items() if name not in lists}, place, ""))
        for one, key in [(one, key) for one in lists if one in tree for key, _ in said
                         if keys[key].leaf.name in lists[one] and not keys[key].leaf.adds_up]:
            raise fail(expected=f"[[{one}]] or {key}", given="both", where=place(key),
                       remedy="leave one of them out")
        return [*listed, *(Given(keys[key].leaf, keys[key].said(value), Origin(
            "key", f"{place(key)}, key {key}" if names_keys else place(key)),
            is_strict=strict or _has_text(value)) for key, value in said)]

    return Source(where, read, placed=placed)


def toml_file(path: Path, **more: Any) -> Source:
    """The tables of a TOML file, whose errors name the line; `more` as of `tables`.

    Raises:
        InputError: no such file, larger than settings are, or not TOML.
    """
    tree = read_toml(path)
    return tables(tree, str(path), at=line_words(path.read_text(encoding="utf-8"), str(path)),
                  **more)


def line_words(text: str, where: str) -> Callable[[str], str]:
    """The function that says where in a TOML file a key stands."""
    line_of = line_finder(text)

    def at(key: str) -> str:
        line = line_of(tuple(key.split(".")))
        return where if line is None else f"{where}, line {line}"

    return at


def _in_tables(keys: Mapping[str, Spelling], tree: Mapping[str, Any], at: Callable[[str], str],
               table: str) -> Iterator[tuple[str, Any]]:
    """Each key that is set, after the names of its tables, with its value."""
    for name, value in tree.items():
        key = f"{table}{name}"
        if key in keys:
            yield key, value
        elif any(other.startswith(f"{key}.") for other in keys):
            if not isinstance(value, dict):
                raise fail(expected="a table", given=shown(value), where=f"{at(key)}, key {key}",
                           remedy=f"make {key} a table of its keys")
            yield from _in_tables(keys, value, at, f"{key}.")
        elif not is_idle(key, value, at):
            raise unknown("key", key, {one.leaf.key: one.leaf for one in keys.values()}, at(key),
                          given=f" = {shown(value)}")


def line_finder(text: str) -> Callable[[Keys], int | None]:
    """The function that finds the line on which a key is set, else that of its nearest table; from
    1, None for neither. The text is looked through when a line is asked for first.
    """
    statements: list[tuple[int, Keys]] = []

    def line_of(path: Keys) -> int | None:
        if not statements:
            statements.extend(_statements(text))
        found: tuple[int, int] | None = None
        for line, keys in statements:
            common = 0
            while common < min(len(path), len(keys)) and path[common] == keys[common]:
                common += 1
            if common and common in (len(keys), len(path)) and (
                    found is None or common > found[0]):
                found = common, line
        return found[1] if found else None

    return line_of


def _statements(text: str) -> Iterator[tuple[int, Keys]]:
    """The line on which each statement begins, and the key it sets or the table it opens."""
    begun, held, work = 0, "", 0
    table: Keys = ()
    for number, line in enumerate(re.split(r"\r?\n", text), 1):
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


def _paths(tree: dict[str, Any]) -> Iterator[Keys]:
    for key, value in tree.items():
        below = value[0] if isinstance(value, list) and value and isinstance(
            value[0], dict) else value
        if isinstance(below, dict) and below:
            yield from ((key, *rest) for rest in _paths(below))
        else:
            yield (key,)
