"""What `train`, `evolve` and `trials` share: a configuration, a folder, and who writes there."""

import contextlib
import shlex
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from firebreak.checks import fail
from firebreak.cli import common, signals

if TYPE_CHECKING:
    from firebreak.train.schema import RunConfig


class RunArguments(Protocol):
    """Options of commands that begin a run or go on with one."""

    config: str
    out: Path | None
    resume: Path | None
    set: list[str]
    data: str | None
    seed: int | None


def configuration(args: RunArguments, given: dict[str, Any]) -> "RunConfig":
    """Of a new run, or of the one to go on with; its threads are set, its data folder is absolute.

    given: values by key that options of the command stand for; None: as configured.

    Raises:
        InputError: there is no such configuration or run, or a value is not allowed.
    """
    from firebreak.train.config import data_folder, load_config, with_data

    values = {"seed": args.seed, **given}
    changes = [*args.set, *(f"{key}={value}" for key, value in values.items() if value is not None)]
    config = load_config(args.config if args.resume is None else _stored(args.resume), changes)
    common.use_threads(config.train.threads, config.train.torch_threads)
    return with_data(config, data_folder(config, args.data))


def folder_of(args: RunArguments, name: str) -> Path:
    """The folder of the run to go on with, or of a new one, which is not made yet.

    Raises:
        InputError: the new run's folder holds a run.
    """
    if args.resume is not None:
        return args.resume
    folder = common.chosen_folder(args.out, name)
    if (folder / "config.toml").exists():
        raise fail(expected="a folder without a run", given="one that holds a run",
                   where=str(folder), remedy="use --resume to go on with it, or another --out")
    return folder


@contextlib.contextmanager
def writing(folder: Path, config: "RunConfig", command: str, saved: str) -> Iterator[None]:
    """Holds a run's folder and copies it to its store; Ctrl-C and SIGTERM stop at once, and how to
    go on is told.
    """
    from firebreak.train.lock import locked

    stop: dict[int, signals.Handler] = dict.fromkeys((signal.SIGINT, signal.SIGTERM),
                                                     signals.stop_now)
    with locked(folder), common.copied(folder, config.artifacts), signals.handling(stop):
        try:
            yield
        except KeyboardInterrupt:
            print(f"interrupted; {saved} that ended are saved, go on with: firebreak {command} "
                  f"--resume {shlex.quote(str(folder))}", file=sys.stderr)
            raise


def _stored(run: Path) -> str:
    stored = run / "config.toml"
    if not stored.is_file():
        raise fail(expected="a run folder with config.toml", given="none there", where=str(run),
                   remedy="give the folder of an earlier run")
    return str(stored)
