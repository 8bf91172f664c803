"""How many threads burn fires."""

import os
from pathlib import Path

import pytest

from firebreak.checks import InputError
from firebreak.native_library import threads


@pytest.fixture(autouse=True)
def _asked_anew() -> object:
    threads.max_threads.cache_clear()
    yield
    threads.max_threads.cache_clear()


def test_the_default_follows_the_processors_that_the_process_may_use(
        monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FIREBREAK_THREADS", raising=False)
    monkeypatch.setattr(threads, "_quota", lambda: float("inf"))
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3, 5, 8}, raising=False)
    assert threads.max_threads() == 3


@pytest.mark.parametrize(("text", "count"), [
    ("150000 100000", 1), ("250000 100000", 2), ("max 100000", 8), ("10000 100000", 1),
    ("odd", 8)])
def test_a_containers_quota_counts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str,
                                   count: int) -> None:
    monkeypatch.delenv("FIREBREAK_THREADS", raising=False)
    (tmp_path / "cpu.max").write_text(text)
    monkeypatch.setattr(threads, "_QUOTA", tmp_path / "cpu.max")
    monkeypatch.setattr(threads, "_OLD_QUOTA", (tmp_path / "none", tmp_path / "none"))
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    assert threads.max_threads() == count


def test_an_older_quota_counts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("FIREBREAK_THREADS", raising=False)
    quota, period = tmp_path / "quota", tmp_path / "period"
    quota.write_text("300000\n")
    period.write_text("100000\n")
    monkeypatch.setattr(threads, "_QUOTA", tmp_path / "none")
    monkeypatch.setattr(threads, "_OLD_QUOTA", (quota, period))
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    assert threads.max_threads() == 3
    threads.max_threads.cache_clear()
    quota.write_text("-1\n")
    assert threads.max_threads() == 8


@pytest.mark.parametrize("given", ["0", "-1", "two", "1.5", "٣", "99999999"])
def test_a_number_of_threads_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch,
                                                     given: str) -> None:
    monkeypatch.setenv("FIREBREAK_THREADS", given)
    with pytest.raises(InputError, match="FIREBREAK_THREADS"):
        threads.max_threads()


def test_each_python_thread_has_its_own_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIREBREAK_THREADS", "4")
    from concurrent.futures import ThreadPoolExecutor

    def asked(count: int) -> int:
        threads.set_threads(count)
        return threads.thread_count()

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(asked, 2).result() == 2
        assert pool.submit(threads.thread_count).result() == 2
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(threads.thread_count).result() == 4
    with pytest.raises(InputError, match="1 to 4 threads, or 0 for all, got 5"):
        threads.set_threads(5)
