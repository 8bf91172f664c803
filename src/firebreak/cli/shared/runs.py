"""Shared by `train`, `evolve` and `trials`: a configuration, a folder, and who writes there."""

import contextlib
import shlex
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from firebreak.api.shared.plan_options import TrainOptions
from firebreak.api.shared.progress import bars
from firebreak.api.shared.run_output import check_new, compared, held
from firebreak.cli.shared import common, signals

if TYPE_CHECKING:
    from firebreak.train.config.schema import RunConfig
    from firebreak.train.data.splits import Splits


def folder_of(options: TrainOptions, name: str) -> Path:
    """The folder of the run to go on with, or of a new one, which is not made yet.

    Raises:
        InputError: the new run's folder holds a run, or nothing can be written there.
    """
    if options.resume is not None:
        return options.resume
    common.check_out(options.out)
    folder = common.chosen_folder(options.out, name)
    check_new(folder)
    return folder


@contextlib.contextmanager
def writing(folder: Path, config: "RunConfig", command: str, saved: str) -> Iterator[None]:
    """Holds a run's folder and copies it to its store; Ctrl-C and SIGTERM stop at once, and how to
    continue is printed.
    """
    stop: dict[int, signals.Handler] = dict.fromkeys((signal.SIGINT, signal.SIGTERM),
                                                     signals.stop_now)
    with held(folder, config), signals.handling(stop):
        try:
            yield
        except BaseException as error:
            # What a signal raised may have become another exception on its way.
            if isinstance(error, KeyboardInterrupt) or signals.stopped() is not None:
                print(f"interrupted; {saved} that ended are saved, continue with: firebreak "
                      f"{command} --resume {shlex.quote(str(folder))}", file=sys.stderr)
            raise


def say_compared(config: "RunConfig", splits: "Splits", folder: Path, quiet: bool) -> None:
    """Evaluates the best policy on every test source, prints and stores the tables."""
    from firebreak.planning.evaluation.tables import table

    for name, result in compared(config, splits, folder, bars(quiet)).items():
        print(f"\nTest landscapes never trained on: {name}\n{table(result)}")
