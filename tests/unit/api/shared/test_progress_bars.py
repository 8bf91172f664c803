"""Progress in a file: lines, whole and flushed, and not too many of them."""

import contextlib
import io
import threading

import pytest

from firebreak.api.shared.progress import LINE_EVERY_S, in_lines, progress_bar, run_progress


class File(io.StringIO):
    """Says what had been flushed into it."""

    flushed = ""

    def flush(self) -> None:
        self.flushed = self.getvalue()


def advanced(total: int | None, unit: str, steps: list[tuple[float, float]]) -> File:
    """The file of work that is so far on, units since the last time, at these seconds."""
    now, file = 0.0, File()
    with contextlib.redirect_stderr(file):
        advance = in_lines(total, unit, clock=lambda: now)
        for now, made in steps:  # noqa: B007
            advance(made)
    return file


def test_a_file_gets_flushed_lines_at_most_so_often() -> None:
    file = advanced(100, "fire", [(second + 1.0, 1.0) for second in range(100)])
    lines = file.flushed.splitlines()
    assert file.flushed == file.getvalue()
    assert len(lines) == 100 // LINE_EVERY_S
    assert lines[0] == "firebreak: 10 of 100 fires: 10% in 10 s, 1 fires a second, about 90 s left"
    assert "\r" not in file.flushed


def test_a_plan_tells_its_share() -> None:
    assert advanced(1, "plan", [(20.0, 0.25)]).flushed \
        == "firebreak: plan: 25% in 20 s, about 60 s left\n"
    assert advanced(1, "plan", [(20.0, 0.05)]).flushed == "firebreak: plan: 5% in 20 s\n"


@pytest.mark.parametrize("total", [None, 0])
def test_work_of_unknown_length_is_counted(total: int | None) -> None:
    assert advanced(total, "step", [(20.0, 3.0)]).flushed == "firebreak: steps 3 in 20 s\n"


def test_what_has_no_units_tells_how_long_it_takes() -> None:
    assert advanced(0, "map and fires", [(20.0, 0.0)]).flushed == "firebreak: map and fires: 20 s\n"


def test_lines_come_while_the_work_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firebreak.api.shared.progress.LINE_EVERY_S", 0.0)
    told = threading.Event()

    class Watched(File):
        def flush(self) -> None:
            super().flush()
            told.set()

    file = Watched()
    with contextlib.redirect_stderr(file), progress_bar(10, "fire", quiet=False):
        assert told.wait(60.0)
    assert file.flushed.startswith("firebreak: 0 of 10 fires: 0% in ")
    assert all(thread.name != "progress" for thread in threading.enumerate())


def test_what_was_done_before_counts_for_the_share_and_not_for_the_rate() -> None:
    now, file = 0.0, File()
    with contextlib.redirect_stderr(file):
        advance = in_lines(300, "episode", clock=lambda: now, begun=100, note=lambda: "loss 0.1")
        now = 20.0
        advance(50.0)
    assert file.flushed == ("firebreak: 150 of 300 episodes: 50% in 20 s, 2.5 episodes a second, "
                            "about 60 s left; loss 0.1\n")


@pytest.mark.parametrize("quiet", [True, False])
def test_a_run_tells_lines_that_stay_and_how_far_it_is(
        monkeypatch: pytest.MonkeyPatch, quiet: bool) -> None:
    monkeypatch.setattr("firebreak.api.shared.progress.LINE_EVERY_S", 0.0)
    shown, kept = File(), File()
    with (contextlib.redirect_stderr(shown), contextlib.redirect_stdout(kept),
          run_progress(4, "trial", quiet=quiet) as told):
        told.advance(1, "best 0.3")
        told.tell("trial 0: finished")
    assert kept.flushed == "trial 0: finished\n"
    assert ("1 of 4 trials: 25%" in shown.flushed and "; best 0.3" in shown.flushed) == (not quiet)
    assert "\r" not in shown.flushed


@pytest.mark.parametrize("quiet", [True, False])
def test_lines_are_written_where_standard_error_is_no_terminal(
        monkeypatch: pytest.MonkeyPatch, quiet: bool) -> None:
    monkeypatch.setattr("firebreak.api.shared.progress.LINE_EVERY_S", 0.0)
    file = File()
    with contextlib.redirect_stderr(file), progress_bar(10, "fire", quiet=quiet) as advance:
        advance(5)
    assert ("5 of 10 fires: 50%" in file.flushed) == (not quiet)


def test_a_bar_drops_words_that_no_longer_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = File()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    with contextlib.redirect_stderr(terminal), run_progress(2, "trial", quiet=False) as told:
        told.advance(1, "best 0.3")
        told.advance(1, "")
    assert "trial" in terminal.getvalue()
    assert "best 0.3" not in terminal.getvalue().rpartition("\r")[2]
