"""What `train`, `evolve` and `trials` share: a configuration, a folder, and who writes there."""

import contextlib
import shlex
import signal
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from firebreak.api.machine import use_threads
from firebreak.checks import fail
from firebreak.cli.shared import common, signals

if TYPE_CHECKING:
    from firebreak.train.config.schema import RunConfig


@dataclass
class RunOptions:
    """The options of every command that begins a run or goes on with one."""

    out: Path | None = None
    """Output folder; a new one under outputs/ if not given."""
    resume: Path | None = None
    """Go on with the run in this folder, with its own configuration."""
    set: Annotated[list[str], tyro.conf.UseAppendAction] = field(default_factory=list)
    """Change a key of the configuration, e.g. --set train.episodes=600. May be repeated."""
    data: str | None = None
    """Folder that the maps of the configuration are relative to; else FIREBREAK_DATA."""
    seed: int | None = None
    """Seed of the run, instead of the configuration's."""


def configuration(name: str, options: RunOptions, given: dict[str, Any]) -> "RunConfig":
    """Of a new run, or of the one to go on with; its threads are set, its data folder is absolute.

    Args:
        name: of a preset or a file.
        given: values by key that options of the command stand for; None: as configured.

    Raises:
        InputError: there is no such configuration or run, or a value is not allowed.
    """
    from firebreak.train.config.load import data_folder, load_config, with_data

    values = {"seed": options.seed, **given}
    changes = [*options.set, *(f"{key}={value}" for key, value in values.items()
                               if value is not None)]
    config = load_config(name if options.resume is None else _stored(options.resume), changes)
    use_threads(config.train.threads, config.train.torch_threads)
    _warn_of_unused_winds(config)
    return with_data(config, data_folder(config, options.data))


def folder_of(options: RunOptions, name: str) -> Path:
    """The folder of the run to go on with, or of a new one, which is not made yet.

    Raises:
        InputError: the new run's folder holds a run.
    """
    if options.resume is not None:
        return options.resume
    folder = common.chosen_folder(options.out, name)
    if (folder / "config.toml").exists():
        raise fail(expected="a folder without a run", given="one that holds a run",
                   where=str(folder), remedy="use --resume to go on with it, or another --out")
    return folder


@contextlib.contextmanager
def writing(folder: Path, config: "RunConfig", command: str, saved: str) -> Iterator[None]:
    """Holds a run's folder and copies it to its store; Ctrl-C and SIGTERM stop at once, and how to
    continue is printed.
    """
    from firebreak.train.storage.lock import locked

    stop: dict[int, signals.Handler] = dict.fromkeys((signal.SIGINT, signal.SIGTERM),
                                                     signals.stop_now)
    with locked(folder), common.copied(folder, config.artifacts), signals.handling(stop):
        try:
            yield
        except BaseException as error:
            # What a signal raised may have become another exception on its way.
            if isinstance(error, KeyboardInterrupt) or signals.stopped() is not None:
                print(f"interrupted; {saved} that ended are saved, continue with: firebreak "
                      f"{command} --resume {shlex.quote(str(folder))}", file=sys.stderr)
            raise


def _warn_of_unused_winds(config: "RunConfig") -> None:
    mixture = config.mixture
    unused = [name for name in ("wind_20ft_km_h", "wind_direction_spread_deg")
              if getattr(mixture, name) is not None]
    if config.fires.weather is not None and unused:
        warnings.warn(f"mixture.{unused[0]} changes nothing: the weather is that of "
                      f"{config.fires.weather}", stacklevel=2)


def _stored(run: Path) -> str:
    stored = run / "config.toml"
    if not stored.is_file():
        raise fail(expected="a run folder with config.toml", given="none there", where=str(run),
                   remedy="give the folder of an earlier run")
    return str(stored)
