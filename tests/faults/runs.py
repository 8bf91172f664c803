"""Runs in processes of their own that can be killed, and how two runs' folders differ.

Processes are forked from one that has everything imported, so that hundreds of runs take minutes.
"""

import contextlib
import gc
import os
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import torch

from bare import NO_READING
from firebreak.cli import main
from firebreak.lifetime import leave
from firebreak.memory.profiler import Profiler
from firebreak.train.config.load import load_config
from firebreak.train.data.splits import make_splits
from firebreak.train.run.trainer import ParallelTrainer
from firebreak.train.storage.checkpoints import CHECKPOINTS, latest_checkpoint

CONFIG = ["agent.gain_share=0", "landscapes.size=10", "fires.plan_fires=6",
          "fires.reward_fires=6", "fires.scenarios=2",
          "agent.width=4", "agent.batch_size=4", "train.episodes=24", "train.num_envs=2",
          "train.collect_steps=2", "train.learning_starts=10", "train.updates_per_env_step=0.5",
          "train.threads=1", "replay.capacity=120", "evaluation.every_episodes=3",
          "evaluation.validation_landscapes=1", "evaluation.test_landscapes=1",
          "evaluation.test_fires=10", 'evaluation.methods=["none","dqn"]', "agent.target_period=3",
          "agent.discount=0.5"]
"""A run of a second, with a checkpoint every few hundredths of it."""
SET = [part for change in CONFIG for part in ("--set", change)]


class Ended(NamedTuple):
    """How a process ended. code: its exit code, or minus the signal that killed it; seconds: from
    when it was signalled; text: what it printed.
    """

    code: int
    seconds: float
    text: str


class Process:
    """A command of firebreak in a process of its own; prints go to `log`."""

    def __init__(self, arguments: list[str], log: Path,
                 before: Callable[[], None] = lambda: None) -> None:
        self.log, self._signalled = log, time.monotonic()
        sys.stdout.flush()
        sys.stderr.flush()
        self.pid = os.fork()
        if self.pid == 0:
            _become(arguments, log, before)

    def signal(self, number: int) -> None:
        """Sends a signal."""
        self._signalled = time.monotonic()
        os.kill(self.pid, number)

    def running(self) -> bool:
        """Whether it has not ended yet."""
        return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None

    def wait(self, most_seconds: float = 120.0) -> Ended:
        """Waits for its end; one that hangs is killed and has code -9."""
        limit = time.monotonic() + most_seconds
        while self.running():
            if time.monotonic() > limit:
                os.kill(self.pid, signal.SIGKILL)
            time.sleep(0.002)
        seconds = time.monotonic() - self._signalled
        code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return Ended(code, seconds, self.log.read_text(errors="replace"))


def _become(arguments: list[str], log: Path, before: Callable[[], None]) -> None:
    """The child: runs the command and leaves without the parent's clean-up."""
    code = 99
    try:
        handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(handle, 1)
        os.dup2(handle, 2)
        sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
        signal.signal(signal.SIGINT, signal.default_int_handler)
        warnings.simplefilter("default")
        before()
        code = main(arguments)
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else 1
    except KeyboardInterrupt as late:  # when the command had just ended: as in firebreak.__main__
        leave(late.args[0] if late.args else signal.SIGINT)
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def train(folder: Path, *more: str) -> Process:
    """The run of `CONFIG` from its beginning, or from where it was stopped."""
    begun = (folder / "config.toml").is_file()
    where = ["--resume", str(folder)] if begun else ["quick", "--out", str(folder), *SET]
    return Process(["train", *where, "--quiet", *more], folder.with_name(f"{folder.name}.log"),
                   draw_nothing)


def draw_nothing() -> None:
    """Leaves out what takes longer than the run: the comparison, the figures, and readings of
    memory.
    """
    from firebreak.cli.commands import train as command
    from firebreak.cli.commands import visualize

    command.say_compared = lambda *_: None  # type: ignore[assignment]
    visualize.draw_run = lambda *_: []  # type: ignore[assignment]
    read_no_memory()


def read_no_memory() -> None:
    """Readings of memory have rows, but nothing in them."""
    Profiler._read = lambda _self: dict(NO_READING)  # type: ignore[method-assign]


def warm_up() -> None:
    """Compiles in this process what the forked ones need."""
    config = load_config("quick", [*CONFIG, "train.episodes=8"])
    with tempfile.TemporaryDirectory() as folder:
        trainer = ParallelTrainer(config, make_splits(config, Path()), Path(folder))
        for _ in trainer.run():
            pass
        trainer.close()
    gc.collect()
    gc.freeze()  # what is shared with forked processes is not written to


_WHOLE: dict[Path, float] = {}


def unbroken(folder: Path) -> tuple[Path, float]:
    """The folder of the whole run, made once beside `folder`, and its seconds."""
    whole = folder.parent / "whole"
    if whole not in _WHOLE:
        ended = train(whole).wait()
        assert ended.code == 0, ended.text
        _WHOLE[whole] = ended.seconds
    return whole, _WHOLE[whole]


def differing(one: Path, other: Path) -> list[str]:
    """What two ended runs do not have in common: of the last checkpoint (weights, optimizer,
    replay, random streams, environments, counters, best policy) and the metrics file.
    """
    names = [] if _metrics(one) == _metrics(other) else ["metrics.jsonl"]
    names += _differing(_state(one), _state(other), "")
    return names


def _metrics(run: Path) -> bytes:
    return (run / "metrics.jsonl").read_bytes()


def _state(run: Path) -> dict[str, Any]:
    state = latest_checkpoint(run / CHECKPOINTS, "run").load()
    state["positions"] = state["positions"]["metrics"]
    del state["progress"]["seconds"], state["best"]["provenance"]["run"]
    return state


def _differing(one: Any, other: Any, path: str) -> list[str]:
    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        same = one.dtype == other.dtype and one.shape == other.shape and (
            one.numpy().tobytes() == other.numpy().tobytes())
        return [] if same else [path]
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        return [name for key in one for name in _differing(one[key], other[key], f"{path}/{key}")]
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return [name for place, pair in enumerate(zip(one, other, strict=True))
                for name in _differing(*pair, f"{path}/{place}")]
    return [] if type(one) is type(other) and one == other else [path]


def leftovers(folder: Path) -> Iterator[Path]:
    """Temporaries that nobody has cleaned up."""
    yield from (path for path in folder.rglob(".*") if path.name != ".lock")
