"""Shared by the commands: parsing, the JSON line, output folders."""

import json
import shlex
import time
from pathlib import Path
from typing import Any, TypeVar

from firebreak.api.shared.inputs import check_named_there, inputs_of
from firebreak.api.shared.scene_options import SceneOptions
from firebreak.checks import fail
from firebreak.cli.shared.plan_record import plan_file
from firebreak.files import check_folder, keep, made_folder
from firebreak.landscape import names
from firebreak.settings.binding import Bound, bind
from firebreak.settings.names import changed, command_words
from firebreak.settings.schema import leaves
from firebreak.settings.sources import argv

SCHEMA = 1
WRITTEN = ("out", "export")
"""Names of options that are written to; what the others name is only read."""
Arguments = TypeVar("Arguments")


def parse(kind: type[Arguments], words: list[str], command: str) -> Bound[Arguments]:
    """A command's options from its words, over those of the file that --config names, where it has
    that option. Of what the options name no file is written over: `files.keep`.

    Raises:
        InputError: an option that the command does not have, a value of another kind, a number out
            of its bounds.
    """
    typed = argv(words, command)
    sources = [typed]
    if (config := leaves(kind).get("config")) is not None and not config.is_positional:
        named = [given.raw for given in typed.given(kind) if given.leaf.name == "config"]
        sources = [*(plan_file(Path(name)) for name in named if name), typed]
    bound = bind(kind, *sources, command=command)
    keep(inputs_of(bound.options, written=WRITTEN))
    return bound


def check_there(options: Any, *landscapes: str) -> None:
    """Refuses landscapes and other files that are named and not there, before what reads them is
    loaded.

    Raises:
        InputError: naming what is not there.
    """
    for landscape in landscapes:
        names.check_there(landscape)
    check_named_there(options, WRITTEN)


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


_OF_THE_PROCESS = ("threads", "quiet", "json")


def scene_words(scene: SceneOptions) -> str:
    """The options that differ from their defaults, each with a blank before it."""
    words = command_words(scene, [leaf for leaf in changed(scene)
                                  if leaf.name not in _OF_THE_PROCESS])
    return "".join(f" {shlex.quote(word)}" for word in words)
