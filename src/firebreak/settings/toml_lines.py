"""The lines of a TOML file on which its keys are set, for the sentences that refuse their values.
"""

from collections.abc import Callable, Iterator
from typing import Any

from firebreak.reading import from_toml

Path = tuple[str, ...]
_MOST_WORK = 200_000  # letters that are parsed to find a line


def line_finder(text: str) -> Callable[[Path], int | None]:
    """The function that finds the line on which a key is set, else that of its nearest table; from
    1, None for neither. The text is looked through when a line is asked for first.
    """
    statements: list[tuple[int, Path]] = []

    def line_of(path: Path) -> int | None:
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


def _paths(tree: dict[str, Any]) -> Iterator[Path]:
    for key, value in tree.items():
        below = value[0] if isinstance(value, list) and value and isinstance(
            value[0], dict) else value
        if isinstance(below, dict) and below:
            yield from ((key, *rest) for rest in _paths(below))
        else:
            yield (key,)
