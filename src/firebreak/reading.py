"""Text from outside, within bounds of size and depth: TOML, JSON, CSV and lines.

What a parser makes of a text can be a hundred times as large as the text, and of a key of n dots n
times as large. So a file is as large as files of its kind ever are, or it is refused before it is
parsed; what is nested more deeply than anything of ours is refused too.
"""

import csv
import json
import os
import re
import stat
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from firebreak.checks import fail

MOST_SETTINGS = 1_000_000
"""Bytes of a TOML file; a configuration of ours has 10,000."""
MOST_RECORD = 16_000_000
"""Bytes of a JSON record, such as a plan's."""
MOST_TABLE = 64_000_000
"""Bytes of a table that is held as text, such as a century of hourly weather."""
MOST_LINES = 1_000_000
"""Lines of such a table."""
LONGEST_LINE = 4_000_000
"""Bytes of one line of a table that is read line by line, and of a row of a run."""
DEEPEST = 64
"""Tables, lists and parts of dotted keys within one another."""

# A part in quotes is followed for 200 letters only, so that the search ends soon whatever the text:
# a file of MOST_SETTINGS bytes holds few longer parts, and they cost little.
_WORD = r"""(?:[A-Za-z0-9_-]++|"(?:[^"\\\n]|\\.){0,200}+"|'[^'\n]{0,200}+')"""
_DEEP_KEY = re.compile(rf"(?<![A-Za-z0-9_-]){_WORD}(?:[ \t]*\.[ \t]*{_WORD}){{{DEEPEST}}}")
_NUMBER = re.compile(r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|nan|inf|infinity)",
                     re.IGNORECASE)
_WHOLE = re.compile(r"[+-]?[0-9]+")
_HALF_LETTER = re.compile(r"\\u[dD][89a-fA-F]")


def number_in(text: str) -> float:
    """Return the number that a text is, as tables and options write numbers: a decimal point, an
    exponent if need be, `nan` and `inf`; blanks may stand around it. Python's `float` also takes
    1_0 for 10, and digits of other scripts.

    Raises:
        ValueError: it is none.
    """
    if not is_number(text):
        raise ValueError("not a number")
    return float(text)


def is_number(text: str) -> bool:
    """True for a text that `number_in` reads."""
    return _NUMBER.fullmatch(text.strip()) is not None


def whole_number_in(text: str) -> int:
    """Return the whole number that a text is, digits alone behind a sign; see `number_in`.

    Raises:
        ValueError: it is none.
    """
    if not _WHOLE.fullmatch(text.strip()):
        raise ValueError("not a whole number")
    return int(text)


def check_ordinary(path: str | Path, where: str) -> None:
    """Refuse what is neither a file nor a folder: to read a pipe may wait for ever, and to write in
    the place of a device would remove it. What is not there passes.

    Raises:
        InputError: a pipe, a socket or a device.
    """
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise fail(expected="a file or folder", given="a pipe, a socket or a device", where=where,
                   remedy="copy what it holds to a file, and name that")


def check_file(path: str | Path, expected: str, *, filled: bool = False) -> None:
    """Refuse a path at which there is no file.

    Args:
        expected: the kind of file in words, such as "a raster".
        filled: an empty file is refused too.

    Raises:
        InputError: saying what is there.
    """
    if not os.path.isfile(path):
        found = "a folder" if os.path.isdir(path) else (
            "a pipe, a socket or a device" if os.path.exists(path) else "no such file")
        raise fail(expected=expected, given=found, where=str(path)[:200], remedy="check the path" if
                   found in ("a folder", "no such file") else "copy what it holds to a file")
    if filled and os.path.getsize(path) == 0:
        raise fail(expected=expected, given="an empty file", where=str(path),
                   remedy="write it again, or remove it")


def text_of(path: Path, most: int = MOST_TABLE, *, lines: int | None = None,
            encoding: str = "utf-8-sig", errors: str = "strict") -> str:
    """The text of a file of at most `most` bytes and, if given, `lines` lines.

    Raises:
        InputError: more.
        UnicodeDecodeError: it is not text of that encoding.
        OSError: it cannot be read.
    """
    content = bytes_of(path, most)
    if lines is not None and content.count(b"\n") + content.count(b"\r") > 2 * lines:
        raise fail(expected=f"at most {lines:,} lines", given="more", where=str(path),
                   remedy="check that it is the file that is meant, or split it")
    return content.decode(encoding, errors)


def bytes_of(path: Path, most: int) -> bytes:
    """The content of a file of at most `most` bytes.

    Raises:
        InputError: it is larger.
        OSError: it cannot be read.
    """
    check_ordinary(path, str(path))
    with path.open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise fail(expected=f"a file of at most {most:,} bytes", given=f"{path.stat().st_size:,}",
                   where=str(path), remedy="check that it is the file that is meant")
    return content


def lines_of(path: Path, *, encoding: str = "utf-8-sig", errors: str = "strict",
             ) -> Iterator[str]:
    """The lines of a text file of any size with their ends, none longer than `LONGEST_LINE`.

    Raises:
        InputError: a longer one.
        UnicodeDecodeError, OSError: as `text_of`.
    """
    check_ordinary(path, str(path))
    with path.open(newline="", encoding=encoding, errors=errors) as file:
        number = 0
        while line := file.readline(LONGEST_LINE):
            number += 1
            if len(line) == LONGEST_LINE and not line.endswith(("\n", "\r")):
                raise fail(expected=f"lines of fewer than {LONGEST_LINE:,} letters",
                           given="a longer one", where=f"{path}, line {number}",
                           remedy="check that it is the file that is meant")
            yield line


def csv_rows(lines: Iterable[str], where: str, **form: Any) -> Iterator[tuple[int, list[str]]]:
    """Number of the line and cells of each row of a CSV text. form: as `csv.reader` takes it.

    Raises:
        InputError: not CSV, or a cell longer than csv takes (131,072 letters).
    """
    reader = csv.reader(lines, **form)
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise fail(expected="a table of cells with commas between", given=f"'{error}'",
                       where=f"{where}, line {reader.line_num}",
                       remedy="correct this line, or save the table again as CSV") from error
        yield reader.line_num, row


def from_toml(text: str) -> dict[str, Any]:
    """The tables of a TOML text.

    Raises:
        ValueError: not TOML, nested too deeply, a whole number of more than 64 bits, a text with a
            NUL in it.
    """
    if _DEEP_KEY.search(text):
        raise ValueError(f"a key of more than {DEEPEST} parts")
    try:
        tree = tomllib.loads(text.replace("\r\n", "\n").replace("\r", "\n"))
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except tomllib.TOMLDecodeError:
        raise
    except ValueError:  # Python reads no number of more than 4,300 digits
        raise ValueError("a number of thousands of digits") from None
    _check_depth(tree)
    _check_leaves(tree)
    return tree


def read_toml(path: str | Path) -> dict[str, object]:
    """The tables of a TOML file.

    Raises:
        InputError: no such file, larger than settings are, or not TOML.
    """
    file = Path(path)
    check_file(file, "a TOML file")
    content = bytes_of(file, MOST_SETTINGS)
    try:
        return from_toml(content.decode())
    except ValueError as error:
        raise fail(expected="a TOML file", given=str(error), where=str(path),
                   remedy="correct this line") from error


def from_json(text: str | bytes) -> Any:
    """Values of the JSON text of a file or a server.

    Raises:
        ValueError: not JSON, nested too deeply, a number of thousands of digits, a text with a NUL
            or half of a letter in it.
    """
    if isinstance(text, bytes):  # json itself would let halves of letters through
        text = text.decode(json.detect_encoding(text))
    if "\\u0000" in text:
        raise ValueError("a text with a NUL in it")
    try:
        tree = json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except json.JSONDecodeError:
        raise
    except ValueError:
        raise ValueError("a number of thousands of digits") from None
    _check_depth(tree)
    if _HALF_LETTER.search(text):
        try:
            json.dumps(tree, ensure_ascii=False).encode()
        except UnicodeEncodeError:  # which can neither be written nor printed
            raise ValueError("a text with half of a letter in it") from None
    return tree


def record_of(path: Path) -> Any:
    """Values of a JSON file.

    Raises:
        InputError: it is larger than `MOST_RECORD` bytes.
        ValueError: not JSON, see `from_json`.
        OSError: it cannot be read.
    """
    return from_json(bytes_of(path, MOST_RECORD))


def _check_depth(tree: Any) -> None:
    """Raises ValueError where tables and lists are nested too deeply for what follows."""
    level, depth = [tree], 0
    while level:
        if depth > DEEPEST:
            raise ValueError("nested too deeply")
        level = [part for one in level if isinstance(one, dict | list)
                 for part in (one.values() if isinstance(one, dict) else one)
                 if isinstance(part, dict | list)]
        depth += 1


def _check_leaves(tree: Any) -> None:
    """Raises ValueError for numbers and texts that no setting can be."""
    waiting = [tree]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            waiting += [*one, *one.values()]
        elif isinstance(one, list):
            waiting += one
        elif isinstance(one, int) and abs(one) >= 1 << 64:
            raise ValueError("a whole number of more than 64 bits")
        elif isinstance(one, str) and "\0" in one:
            raise ValueError("a text with a NUL in it")
