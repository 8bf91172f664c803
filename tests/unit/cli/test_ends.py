"""How commands end that cannot write, or that are told to stop."""

import contextlib
import ctypes
import importlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from firebreak.checks import InputError
from firebreak.cli import main
from firebreak.cli.commands import explore, simulate
from firebreak.cli.shared.signals import Terminated, answered, stopping
from firebreak.files import check_folder, held_folder, made_folder

Out = pytest.CaptureFixture[str]


def test_a_folder_that_cannot_be_made_is_bad_input(tmp_path: Path,
                                                   capsys: Out) -> None:
    (tmp_path / "file").write_text("")
    folder = str(tmp_path / "file" / "x")
    assert main(["landscape", "info", "synthetic:1:10", "--out", folder]) == 2
    said = capsys.readouterr().err
    assert f"{folder}: expected a folder that can be made, got Not a directory" in said


@pytest.mark.slow
@pytest.mark.parametrize("command", [
    "plan synthetic:1:10 --out", "simulate synthetic:1:10 --out", "train quick --out",
    "evaluate synthetic:1:10 --executor processes --out"])
def test_a_folder_that_cannot_be_made_is_refused_before_the_work(
        command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out) -> None:
    def work(*_: object, **__: object) -> None:
        raise AssertionError("it begins to compute")

    monkeypatch.setattr("firebreak.landscape.formats.read.read_landscape", work)
    monkeypatch.setattr("firebreak.train.run.trainer.ParallelTrainer.__init__", work)
    monkeypatch.setattr("firebreak.executors.choice.open_executor", work)
    (tmp_path / "file").write_text("")
    for folder, why in ((tmp_path / "file" / "x", "can be made, got Not a directory"),
                        (tmp_path / "file", "expected a folder, got a file")):
        assert main([*command.split(), str(folder)]) == 2
        assert f"{folder}: expected a folder" in (said := capsys.readouterr().err)
        assert why in said
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_looking_whether_a_folder_can_be_made_leaves_nothing(tmp_path: Path) -> None:
    check_folder(tmp_path / "a" / "b" / "c")
    check_folder(tmp_path)
    for named in ("new/../x", "new/..", "a/../a", "new/x/../../new/y"):
        check_folder(tmp_path / named)
        with held_folder(tmp_path / named):
            pass
    for look in (check_folder, lambda path: held_folder(path).__enter__()):
        with pytest.raises(InputError, match="File name too long"):
            look(tmp_path / "new" / "x" / ("a" * 300))
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("named", ["missing/../mine", "missing/../mine/x", "mine/x/.."])
def test_an_empty_folder_of_a_users_stays_however_it_is_named(tmp_path: Path, named: str) -> None:
    (tmp_path / "mine").mkdir()
    check_folder(tmp_path / named)
    with held_folder(tmp_path / named):
        pass
    assert [path.name for path in tmp_path.rglob("*")] == ["mine"]


def test_looking_at_a_folder_that_another_command_holds_does_not_remove_it(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out, comes = tmp_path / "out", iter((True,))

    def made(path: Path) -> Path:
        if next(comes, False):  # after it was missed, before it is made
            other.enter_context(held_folder(path))
        return made_folder(path)

    monkeypatch.setattr("firebreak.files.made_folder", made)
    with contextlib.ExitStack() as other:
        check_folder(out)
        assert out.is_dir()


def test_a_file_or_folder_without_the_right_to_write_is_bad_input(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out) -> None:
    def forbidden(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", str(tmp_path / "a.png"))

    assert ended(forbidden, monkeypatch) == 2
    assert capsys.readouterr().err == (
        f"firebreak: Permission denied: {tmp_path / 'a.png'}; check its permissions\n")
    monkeypatch.setattr("tempfile.TemporaryFile", forbidden)
    with pytest.raises(InputError, match="a folder that may be written to, got Permission denied"):
        check_folder(tmp_path / "x")
    assert not [*tmp_path.iterdir()]


def test_a_full_disk_is_no_bad_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "mkdir", full)
    with pytest.raises(OSError, match="No space left"):
        made_folder(tmp_path / "x")


def test_sigterm_ends_a_command_with_a_word(monkeypatch: pytest.MonkeyPatch,
                                            capsys: Out) -> None:
    before = signal.getsignal(signal.SIGTERM)

    def stopped(_: list[str]) -> int:
        assert signal.getsignal(signal.SIGTERM) != signal.SIG_DFL, "it would end without a word"
        os.kill(os.getpid(), signal.SIGTERM)
        return 0

    monkeypatch.setattr(simulate, "run", stopped)
    assert main(["simulate", "synthetic:1:10"]) == 143
    assert capsys.readouterr().err == "firebreak: terminated\n"
    assert signal.getsignal(signal.SIGTERM) == before


def ended(run: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> int:
    """The exit code of a command that does this."""
    monkeypatch.setattr(simulate, "run", lambda _: run() or 0)
    return main(["simulate", "synthetic:1:10"])


def stop_where_nobody_gets_the_exception(number: int) -> None:
    """In a function that C calls."""
    ctypes.CFUNCTYPE(None)(lambda: os.kill(os.getpid(), number))()


@pytest.mark.parametrize(("number", "code", "word"), [
    (signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")])
def test_a_signal_that_becomes_another_error_ends_with_its_own_code(
        number: int, code: int, word: str, monkeypatch: pytest.MonkeyPatch, capfd: Out) -> None:
    def run() -> None:
        stop_where_nobody_gets_the_exception(number)
        raise RuntimeError("no compiled object yet")
    assert ended(run, monkeypatch) == code
    assert capfd.readouterr().err == f"firebreak: {word}\n"


def test_a_signal_whose_exception_is_lost_still_ends_the_command(
        monkeypatch: pytest.MonkeyPatch, capfd: Out) -> None:
    def run() -> None:
        stop_where_nobody_gets_the_exception(signal.SIGTERM)
        for _ in range(3000):
            time.sleep(0.01)
    assert ended(run, monkeypatch) == 143
    assert capfd.readouterr().err == "firebreak: terminated\n"


def test_a_signal_whose_exception_is_dropped_in_silence_still_ends_the_command(
        monkeypatch: pytest.MonkeyPatch, capfd: Out) -> None:
    """As code in C may do with any exception."""
    def run() -> None:
        with contextlib.suppress(BaseException):
            os.kill(os.getpid(), signal.SIGTERM)
        for _ in range(3000):
            time.sleep(0.01)
    assert ended(run, monkeypatch) == 143
    assert capfd.readouterr().err == "firebreak: terminated\n"


def test_what_a_signal_has_closed_is_closed_in_peace(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = []

    @contextlib.contextmanager
    def opened() -> Iterator[None]:
        try:
            yield
        finally:
            with contextlib.suppress(ZeroDivisionError):
                1 / 0  # noqa: B018
            for _ in range(30):
                time.sleep(0.01)
            closed.append("inner")

    def run() -> None:
        try:
            with opened():
                os.kill(os.getpid(), signal.SIGTERM)
        finally:
            time.sleep(0.1)
            closed.append("outer")
    assert ended(run, monkeypatch) == 143
    assert closed == ["inner", "outer"]


@pytest.mark.parametrize("ends", [contextlib.nullcontext, answered], ids=["end", "answered"])
def test_a_signal_that_was_looked_for_while_the_command_ended_is_not_sent_again(
        ends: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> None:
    handler_of, looked = signal.getsignal, threading.Event()

    def slow(number: int) -> object:
        handler = handler_of(number)
        if threading.current_thread() is not threading.main_thread():
            looked.set()
            time.sleep(0.2)
        return handler
    monkeypatch.setattr(signal, "getsignal", slow)

    def run() -> None:
        with stopping():
            try:
                os.kill(os.getpid(), signal.SIGINT)
            except KeyboardInterrupt:
                assert looked.wait(60.0)
                ends()
        for _ in range(50):
            time.sleep(0.01)
    came = None
    try:
        run()
    except KeyboardInterrupt as error:
        came = error
    assert came is None


def test_a_signal_that_is_ignored_stays_so(monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        assert ended(lambda: os.kill(os.getpid(), signal.SIGINT), monkeypatch) == 0
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_lost_exceptions_are_reported_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    reported = []
    monkeypatch.setattr(sys, "unraisablehook", lambda report: reported.append(report.exc_type))

    def raises() -> None:
        raise ZeroDivisionError
    assert ended(lambda: ctypes.CFUNCTYPE(None)(raises)(), monkeypatch) == 0
    assert reported == [ZeroDivisionError]


STOPPED = """
import os, signal
os.kill(os.getpid(), signal.SIGTERM)
for number in range(100_000):
    last = number
"""


def test_what_is_being_imported_is_imported_before_a_signal_ends_the_command(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Out) -> None:
    """An exception in the midst of `import torch` aborts the process in torch's own code."""
    (tmp_path / "stopped_meanwhile.py").write_text(STOPPED)
    monkeypatch.syspath_prepend(tmp_path)
    found = []

    def run() -> None:
        found.append(importlib.import_module("stopped_meanwhile").last)
        for _ in range(3000):
            time.sleep(0.01)
        found.append("went on")
    assert ended(run, monkeypatch) == 143
    assert found == [99_999]
    assert capfd.readouterr().err == "firebreak: terminated\n"


ENDLESS = """
import os, signal, sys, time
from firebreak.checks import InputError
from firebreak.cli import main
from firebreak.cli.commands import simulate
sys.path.insert(0, FOLDER)
def run(_):
    import endless
simulate.run = run
sys.exit(main(["simulate", "x"]))
"""


@pytest.mark.slow
def test_an_import_that_takes_long_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "endless.py").write_text(
        "import os, signal, time\nos.kill(os.getpid(), signal.SIGTERM)\ntime.sleep(300)")
    done = subprocess.run([sys.executable, "-c", ENDLESS.replace("FOLDER", repr(str(tmp_path)))],
                          capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (143, "firebreak: terminated\n")


def test_what_ends_an_explorer_ends_others_with_a_code(monkeypatch: pytest.MonkeyPatch,
                                                       capsys: Out) -> None:
    """Ctrl-C is how it is meant to be ended, however long it closes; SIGTERM is not."""
    class Server:
        url, sent = "http://127.0.0.1", signal.SIGINT

        def serve_forever(self) -> None:
            os.kill(os.getpid(), self.sent)
            time.sleep(10.0)

        def server_close(self) -> None:
            pass

    class Explorer:
        def __init__(self, *_: object) -> None:
            pass

        def make_others(self) -> None:
            pass

        def close(self) -> None:
            time.sleep(0.2)
    server = Server()
    monkeypatch.setattr("firebreak.report.explorer.server.Explorer", Explorer)
    monkeypatch.setattr("firebreak.report.explorer.server.ExplorerServer", lambda *_: server)
    args = explore.VisualizeArguments("synthetic:1:10")
    with stopping():
        explore._serve(args, None)
        assert "explorer: ended" in capsys.readouterr().err
        server.sent = signal.SIGTERM
        with pytest.raises(Terminated):
            explore._serve(args, None)
