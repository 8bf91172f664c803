"""The clock of planning: what numba compiles does not count."""

import contextlib
from collections.abc import Iterator

import numba
import pytest
from numba.core import event

from firebreak.api.shared import machine
from firebreak.planning.core import clock
from firebreak.planning.core.clock import COMPILING, when_it_compiles, working_s


class Time:
    """Seconds that pass when they are told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    def passes(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    made = Time()
    monkeypatch.setattr(clock, "perf_counter", made)
    return made


@pytest.fixture
def heard() -> Iterator[list[str]]:
    """What is said when numba begins to compile."""
    said: list[str] = []
    when_it_compiles(lambda: said.append("compiles"))
    yield said
    when_it_compiles(lambda: None)


def test_what_is_compiled_does_not_count_though_it_has_others_compiled(time: Time) -> None:
    began = working_s()
    time.passes(1.0)
    with event.trigger_event(COMPILING, data={}):
        time.passes(10.0)
        with event.trigger_event(COMPILING, data={}):
            time.passes(20.0)
        time.passes(5.0)
        assert working_s() - began == 1.0
    time.passes(2.0)
    with contextlib.suppress(ValueError), event.trigger_event(COMPILING, data={}):
        time.passes(4.0)
        raise ValueError("no type")
    time.passes(0.5)
    assert working_s() - began == 3.5


def test_it_is_said_once_and_numba_itself_is_heard(heard: list[str]) -> None:
    @numba.njit
    def doubled(number: int) -> int:
        return 2 * number

    assert heard == []
    assert doubled(3) == 6
    assert heard == ["compiles"]
    with event.trigger_event(COMPILING, data={}):
        assert heard == ["compiles"]


def test_the_user_is_told_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    machine.tell_of_compiling.cache_clear()
    machine.tell_of_compiling()
    machine.tell_of_compiling()
    for _ in range(2):
        with event.trigger_event(COMPILING, data={}):
            pass
    assert capsys.readouterr().err == f"{machine.COMPILES}\n"
