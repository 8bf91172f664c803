"""Signals, locks and folders that may not be written, as a user meets them."""

import errno
import json
import os
import resource
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import torch

from firebreak.checks import InputError
from firebreak.cli import main
from firebreak.cli.shared import common
from firebreak.train.config.load import load_config
from firebreak.train.data.splits import make_splits
from firebreak.train.run.trainer import ParallelTrainer
from firebreak.train.storage.checkpoints import (
    CHECKPOINTS,
    checkpoints_of,
    latest_checkpoint,
    locked,
)
from firebreak.train.storage.metrics import (
    JsonLines,
    Position,
    RunLog,
    iterate_rows,
    parts_of,
    rewind,
)
from tiny import TINIER

Out = pytest.CaptureFixture[str]
ENDLESS = [part for change in [*TINIER, "train.episodes=100000", "evaluation.every_episodes=5",
                               "train.threads=1"] for part in ("--set", change)]


def signalled(folder: Path, *numbers: int, ready: Callable[[], bool]) -> int:
    """The exit code of a run that gets these signals, one after the other, once it is ready."""
    def send() -> None:
        for number in numbers:
            for _ in range(1200):
                if ready():
                    break
                time.sleep(0.05)
            os.kill(os.getpid(), number)
            time.sleep(0.3)
    sender = threading.Thread(target=send)
    sender.start()
    code = main(["train", "quick", "--out", str(folder), "--quiet", *ENDLESS])
    sender.join()
    return code


def saved(folder: Path) -> bool:
    return bool(checkpoints_of(folder / CHECKPOINTS))


@pytest.mark.slow
def test_usr1_tells_what_a_run_does_and_it_goes_on_until_interrupted(
        tmp_path: Path, capsys: Out) -> None:
    before = signal.getsignal(signal.SIGINT)
    folder = tmp_path / "Läufe und mehr" / "日本 run"
    assert signalled(folder, signal.SIGUSR1, signal.SIGINT, ready=lambda: saved(folder)) == 130
    stacks = (folder / "stacks.txt").read_text()
    assert "Thread 0x" in stacks
    assert "commands/train.py" in stacks  # the trainer is a generator: not always on the stack
    snapshot = json.loads((folder / "snapshots.jsonl").read_text().splitlines()[0])
    assert snapshot["rss_bytes"] > 10**6
    assert any(owner.startswith("trainer.arenas[].replay") for owner in snapshot["owned_bytes"])
    assert f"--resume '{folder}'" in capsys.readouterr().out
    assert signal.getsignal(signal.SIGINT) is before
    kept = latest_checkpoint(folder / CHECKPOINTS, "run").load()
    assert kept["progress"]["seconds"] > 0


@pytest.mark.slow
def test_a_second_signal_stops_in_the_midst_of_saving(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out) -> None:
    folder = tmp_path / "run"
    save, stopping = ParallelTrainer.save, threading.Event()

    def slow(self: ParallelTrainer, *, best: bool = False) -> None:
        if self.stop_asked:
            stopping.set()
            time.sleep(30.0)
        save(self, best=best)
    monkeypatch.setattr(ParallelTrainer, "save", slow)
    begin = time.monotonic()
    ready = iter([lambda: saved(folder), stopping.is_set])
    now = [next(ready)]

    def in_turn() -> bool:
        if now[0]():
            now[0] = next(ready, lambda: True)
            return True
        return False
    assert signalled(folder, signal.SIGTERM, signal.SIGTERM, ready=in_turn) == 143
    assert "interrupted and saved" not in capsys.readouterr().out
    assert time.monotonic() - begin < 200
    latest_checkpoint(folder / CHECKPOINTS, "run")
    assert not [p for p in (folder / CHECKPOINTS).iterdir() if p.name.startswith(".")]


def test_two_runs_do_not_share_a_folder(tmp_path: Path, capsys: Out) -> None:
    folder = tmp_path / "run"
    with locked(folder):
        assert main(["train", "quick", "--out", str(folder), "--quiet", *ENDLESS]) == 2
    assert "no other run writes to, got one in use" in capsys.readouterr().err
    assert [p.name for p in folder.iterdir()] == [".lock"]
    with locked(folder):
        pass


@pytest.mark.parametrize("error", [PermissionError(errno.EACCES, "Permission denied"),
                                   OSError(errno.EROFS, "Read-only file system")])
def test_a_folder_that_may_not_be_written_is_named(
        tmp_path: Path, error: OSError, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise error
    monkeypatch.setattr(Path, "mkdir", refused)
    with (pytest.raises(InputError, match=rf"{tmp_path.name}/run: expected a folder that can be "
                                          rf"made, got {error.strerror}"),
          locked(tmp_path / "run")):
        pass


def test_a_file_in_place_of_a_parent_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with (pytest.raises(InputError, match="a folder that can be made, got Not a directory"),
          locked(tmp_path / "file" / "run")):
        pass


def test_a_clock_that_is_set_back_does_not_choose_an_old_folder(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(time, "strftime", lambda _: "20260101-000000")
    chosen = []
    for _ in range(3):
        chosen.append(common.new_folder(None, "quick").name)
    assert chosen == ["quick-20260101-000000", "quick-20260101-000000-2",
                      "quick-20260101-000000-3"]


@contextmanager
def full_at(size: int) -> Iterator[None]:
    """No file may grow beyond `size` bytes: the system cuts the write there and refuses the rest.
    """
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def fill(file: JsonLines, end: int) -> None:
    for k in range(1, end):
        file.write({"k": k, "text": "x" * 9})


def test_rows_wait_for_a_full_disk_and_none_is_lost_or_cut(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    file = JsonLines(path)
    file.write({"k": 0})
    with full_at(60):
        with pytest.warns(UserWarning, match="rows are held in memory") as warned:
            fill(file, 30)
        with pytest.raises(OSError, match="large"):
            file.position()
        assert path.read_bytes().endswith(b"}\n")
        assert len(list(iterate_rows(path))) < 4
    assert len(warned) == 1
    file.write({"k": 30})
    assert [row["k"] for row in iterate_rows(path)] == list(range(31))
    assert file.position() == Position(0, path.stat().st_size)
    file.close()


def test_a_disk_that_stays_full_ends_the_run(tmp_path: Path,
                                             monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firebreak.train.storage.metrics.MAX_WAITING", 5)
    path = tmp_path / "m.jsonl"
    file = JsonLines(path)
    with full_at(10):
        with pytest.warns(UserWarning, match="held in memory"):
            fill(file, 5)
        with pytest.raises(OSError, match="large"):
            file.write({"k": 5})
    file.close()
    assert len(list(iterate_rows(path))) == 5


def test_series_go_back_to_where_they_stood_over_parts(tmp_path: Path) -> None:
    log = RunLog(tmp_path, 400)

    def write(begin: int, end: int) -> None:
        for k in range(begin, end):
            log.write({"kind": "progress", "episodes": k, "env_steps": k, "seconds": 0.5, "k": k})
            log.write({"kind": "memory", "k": k})
    write(0, 25)
    kept = log.positions()
    contents = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    write(25, 70)
    log.close()
    assert len(parts_of(tmp_path / "metrics.jsonl")) > 5
    rewind(tmp_path, kept)
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == contents
    rewind(tmp_path, {})
    assert not any(p.stat().st_size for p in tmp_path.iterdir())
    with pytest.warns(UserWarning, match="bytes of rows are missing"):
        rewind(tmp_path, kept)


@pytest.mark.slow
def test_a_run_goes_on_over_failed_saves_and_ends_when_they_last(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = load_config("quick", [*TINIER, "train.episodes=40", "evaluation.every_episodes=4"])
    torch.set_num_threads(1)
    fsync, full = os.fsync, [False]

    def maybe(handle: int) -> None:
        if full[0]:
            raise OSError(errno.ENOSPC, "No space left on device")
        fsync(handle)
    monkeypatch.setattr(os, "fsync", maybe)
    trainer = ParallelTrainer(config, make_splits(config, Path()), tmp_path)
    seen: list[str] = []

    def consume() -> None:
        for row in trainer.run():
            seen.extend([row["kind"]] * (row["kind"] == "validation"))
            full[0] = len(seen) == 2 or len(seen) > 3
    with (pytest.warns(UserWarning, match=r"not written \(No space left on device\)") as warned,
          pytest.raises(OSError, match="No space")):
        consume()
    assert any("the one before stays, and the run goes on" in str(w.message) for w in warned)
    assert len(seen) == 6
    kept = checkpoints_of(tmp_path / CHECKPOINTS)
    full[0] = False
    again = ParallelTrainer(config, trainer.splits, tmp_path)
    again.resume()
    assert kept
    assert again.episodes < trainer.episodes
    assert list(again.run())[-1]["episodes"] >= 40
    assert again.unsaved is None


@pytest.mark.slow
def test_a_run_killed_before_its_first_checkpoint_starts_anew(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out) -> None:
    monkeypatch.setattr("firebreak.cli.commands.train.say_compared", lambda *_: None)
    monkeypatch.setattr("firebreak.cli.commands.train.draw_run", lambda *_: [])
    few = [part for change in [*TINIER, "train.episodes=4"] for part in ("--set", change)]
    begun = tmp_path / "begun"
    assert main(["train", "quick", "--out", str(tmp_path / "a"), "--quiet", *few]) == 0
    begun.mkdir()
    (begun / "config.toml").write_bytes((tmp_path / "a" / "config.toml").read_bytes())
    (begun / "metrics.jsonl").write_text('{"kind": "progress", "k": 1}\n{"kind"')
    (begun / ".policy.safetensors.7.tmp").write_text("half")
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert main(["train", "--resume", str(begun), "--quiet"]) == 0
    assert "stopped before its first checkpoint; the run starts anew" in capsys.readouterr().err
    same = [(folder / "metrics.jsonl").read_bytes() for folder in (tmp_path / "a", begun)]
    assert same[0] == same[1]
    assert not list(begun.glob(".*.tmp"))


@pytest.mark.usefixtures("bare_runs")
def test_changed_settings_are_said(tmp_path: Path) -> None:
    config = load_config("quick", [*TINIER, "train.episodes=4"])
    trainer = ParallelTrainer(config, make_splits(config, Path()), tmp_path)
    list(trainer.run())
    other = load_config("quick", [*TINIER, "train.episodes=8", "agent.n_step=2"])
    with pytest.warns(UserWarning, match=r"goes on with agent\.n_step 2 instead of 1, so"):
        ParallelTrainer(other, trainer.splits, tmp_path).resume()
