"""What the commands share: parsing, threads, the JSON line, output folders."""

import json
import time
from pathlib import Path
from typing import Any, TypeVar

import tyro

from firebreak.checks import fail

SCHEMA = 1
Arguments = TypeVar("Arguments")


def parse(kind: type[Arguments], arguments: list[str], command: str) -> Arguments:
    """Parses a command's options into its dataclass; --help and mistakes end the program."""
    return tyro.cli(kind, args=arguments, prog=f"firebreak {command}",
                    config=(tyro.conf.FlagCreatePairsOff, tyro.conf.OmitArgPrefixes))


def use_threads(count: int, torch_threads: int | None = None) -> None:
    """Sets the threads that burn fires (0 = all cores) and, if given, those of the network."""
    from firebreak.fire.engine import most_threads, set_threads

    set_threads(count or most_threads())
    if torch_threads is not None:
        import torch

        torch.set_num_threads(torch_threads)


def print_json(content: dict[str, Any]) -> None:
    """The machine-readable last line."""
    print(json.dumps({"schema": SCHEMA, **content}, allow_nan=False))


def chosen_folder(given: Path | None, name: str) -> Path:
    """The output folder: `given`, or outputs/NAME-TIME. It is not made yet.

    Raises:
        InputError: `given` is a file.
    """
    folder = given or Path("outputs") / f"{name}-{time.strftime('%Y%m%d-%H%M%S')}"
    if folder.exists() and not folder.is_dir():
        raise fail(expected="a folder", given="a file", where=str(folder),
                   remedy="choose another --out")
    return folder


def new_folder(given: Path | None, name: str) -> Path:
    """`chosen_folder`, made."""
    folder = chosen_folder(given, name)
    folder.mkdir(parents=True, exist_ok=True)
    return folder
