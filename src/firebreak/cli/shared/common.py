"""What the commands share: parsing, the JSON line, output folders."""

import contextlib
import json
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import tyro

from firebreak.api.place.inputs import check_named_there, inputs_of
from firebreak.api.shared.option_bounds import check_numbers
from firebreak.api.shared.percents import without_percents
from firebreak.checks import fail
from firebreak.cli.mistakes import told_plainly
from firebreak.files import check_folder, keep, made_folder
from firebreak.landscape import names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from firebreak.train.config.schema import ArtifactsConfig

SCHEMA = 1
WRITTEN = ("out", "export", "picture", "new")
"""Names of options that are written to; what the others name is only read."""
Arguments = TypeVar("Arguments")


def parse(kind: type[Arguments], arguments: list[str], command: str,
          default: Arguments | None = None) -> Arguments:
    """Parses a command's options into its dataclass, over `default`; --help ends the program.
    Shares may be percentages. Of what the options name no file is written over: `files.keep`.

    Raises:
        InputError: an option that the command does not have, a value of another kind, a number out
            of its bounds.
    """
    parsed = told_plainly(
        lambda: tyro.cli(kind, args=without_percents(kind, arguments), prog=f"firebreak {command}",
                         default=tyro.MISSING_NONPROP if default is None else default,
                         config=(tyro.conf.FlagCreatePairsOff, tyro.conf.OmitArgPrefixes)),
        kind, arguments, command)
    check_numbers(parsed)
    keep(inputs_of(parsed, written=WRITTEN))
    return parsed


def check_there(asked: Any, *landscapes: str) -> None:
    """Refuses landscapes and other files that are named and not there, before what reads them is
    loaded.

    asked: the options.

    Raises:
        InputError: naming what is not there.
    """
    for landscape in landscapes:
        names.check_there(landscape)
    check_named_there(asked, WRITTEN)


def without_seed(arguments: "Sequence[str]") -> list[str]:
    """A command's arguments without `--seed N`: every command takes one, also where nothing is
    drawn, and there it is not in --help.

    Raises:
        InputError: a seed that is no whole number.
    """
    kept, words = [], iter(arguments)
    for word in words:
        name, equals, value = word.partition("=")
        if name != "--seed":
            kept.append(word)
            continue
        text = value if equals else next(words, "")
        try:
            int(text)
        except ValueError:
            raise fail(expected="a whole number", given=f"'{text}'", where="--seed",
                       remedy="leave it out: this command draws nothing") from None
    return kept


def print_json(content: dict[str, Any]) -> None:
    """The machine-readable last line."""
    print(json.dumps({"schema": SCHEMA, **content}, allow_nan=False))


def chosen_folder(given: Path | None, name: str) -> Path:
    """The output folder: `given`, or outputs/NAME-TIME. It is not made yet."""
    folder = given or Path("outputs") / f"{name}-{time.strftime('%Y%m%d-%H%M%S')}"
    stamp, number = folder.name, 1
    while given is None and folder.exists():  # two in a second, or a clock that was set back
        number += 1
        folder = folder.with_name(f"{stamp}-{number}")
    return folder


def new_folder(given: Path | None, name: str) -> Path:
    """`chosen_folder`, made.

    Raises:
        InputError: it is a file, or cannot be made.
    """
    return made_folder(chosen_folder(given, name))


def check_out(given: Path | None) -> None:
    """Refuses an output folder in which nothing can be written, before anything is computed.

    Raises:
        InputError: it is a file, cannot be made, or may not be written to.
    """
    check_folder(Path("outputs") if given is None else given)


def check_file(path: Path, suffix: str, where: str) -> None:
    """Refuses a file that cannot be written, before anything is computed.

    Raises:
        InputError: another suffix, a folder, or no folder that it may stand in.
    """
    if path.suffix.lower() != suffix or path.is_dir():
        raise fail(expected=f"a file that ends in {suffix}", given=f"'{path}'", where=where,
                   remedy=f"for example {path.stem or 'lines'}{suffix}")
    check_folder(path.absolute().parent)


@contextlib.contextmanager
def copied(folder: Path, config: "ArtifactsConfig") -> "Iterator[None]":
    """Copies a run's checkpoints and reports to its store, and says so where some could not be."""
    from firebreak.train.storage.artifacts import mirrored

    with mirrored(folder, config) as mirror:
        yield
    if mirror is not None and mirror.failed:
        warnings.warn(f"{mirror.failed} files were not copied to {config.store}: {mirror.reason}",
                      stacklevel=2)
