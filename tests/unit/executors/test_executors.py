"""Executors: the same answers from every back end, workers that die, hang, raise, and end."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firebreak.checks import InputError
from firebreak.executors.base import Executor, call_all, map_chunks
from firebreak.executors.calls import Recipe, WorkerLostError
from firebreak.executors.choice import open_executor
from firebreak.executors.processes import Processes, pack, unpack
from firebreak.executors.ray_core import check_address
from worked import Tally, make_nothing, make_tally

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no system call does this")
CHUNKS = [(7, k) for k in range(9)]
EXPECTED = [Tally(100).drawn(*chunk) for chunk in CHUNKS]


@pytest.fixture(scope="module")
def processes() -> Iterator[Executor]:
    with closing(open_executor("processes", Recipe(make_tally, (100,)), 2)) as executor:
        yield executor


@pytest.fixture
def in_process() -> Executor:
    return open_executor("in-process", Recipe(make_tally, (100,)), 3)


def process_ids(executor: Executor) -> list[int]:
    assert isinstance(executor.backend, Processes)
    return executor.backend.process_ids()


def test_lockstep_gives_the_same_bits_in_order_on_every_back_end(
        processes: Executor, in_process: Executor) -> None:
    one = open_executor("in-process", Recipe(make_tally, (100,)), 1)
    for executor in (one, in_process, processes):
        found = list(map_chunks(executor, "drawn", CHUNKS))
        assert found == list(enumerate(EXPECTED))


def test_async_gives_the_same_answers_as_they_come(processes: Executor) -> None:
    slow_first = [(0.3 if k == 0 else 0.0, k) for k in range(6)]
    order = [place for place, _ in map_chunks(processes, "late", slow_first, "async")]
    assert sorted(order) == list(range(6))
    assert order[0] != 0
    assert [place for place, _ in map_chunks(processes, "late", slow_first)] == list(range(6))


def test_no_more_than_two_answers_per_worker_are_under_way(in_process: Executor) -> None:
    taken = []

    def chunks() -> Iterator[tuple[int, int]]:
        for k in range(50):
            taken.append(k)
            yield (7, k)

    for place, _ in map_chunks(in_process, "drawn", chunks()):
        assert len(taken) - place <= 2 * in_process.workers + 1


def test_arrays_go_out_and_come_back_whole(processes: Executor) -> None:
    small, large = np.arange(3.0), np.arange(200_000.0).reshape(400, 500)
    answers = call_all(processes, "doubled", [(small,), (large,), (large[:, ::7],)])
    for sent, answer in zip((small, large, large[:, ::7]), answers, strict=True):
        assert np.array_equal(answer["doubled"], 2.0 * sent)
        answer["doubled"][:] = 0.0  # ours to write


@given(st.lists(st.integers(0, 3000), max_size=6), st.integers(64, 40_000))
def test_what_is_packed_is_unpacked_whatever_the_block(sizes: list[int], block_bytes: int) -> None:
    block = get_context("spawn").RawArray("B", block_bytes)
    value = {"name": "x", "arrays": [np.arange(size, dtype=np.int64) for size in sizes]}
    out = unpack(pack(value, block), block)
    again = unpack(pack({"arrays": [np.full(5000, 7)]}, block), block)
    assert out["name"] == "x"
    assert all(np.array_equal(a, b) for a, b in zip(value["arrays"], out["arrays"], strict=True))
    assert (again["arrays"][0] == 7).all()


def test_a_shared_payload_reaches_every_worker_before_its_next_call(
        processes: Executor, in_process: Executor) -> None:
    for executor in (in_process, processes):
        for total in (2.0, 5.0):
            executor.share(np.full(4, total / 4))
            assert call_all(executor, "weighted", [(k,) for k in range(5)]) == [
                total * k for k in range(5)]


def test_a_killed_worker_is_replaced_and_the_result_is_the_same(
        processes: Executor, tmp_path: Path) -> None:
    marker = tmp_path / "kill"
    marker.touch()
    before = processes.restarts
    answers = call_all(processes, "killed_once", [(*chunk, str(marker)) for chunk in CHUNKS])
    assert answers == EXPECTED
    assert processes.restarts == before + 1
    assert not marker.exists()


def test_a_worker_killed_from_outside_in_a_call_is_replaced(processes: Executor) -> None:
    processes.submit(1, "late", 0.4, 5)
    time.sleep(0.1)
    os.kill(process_ids(processes)[1], signal.SIGKILL)
    assert processes.answers() == [(1, 5)]


def test_a_worker_that_dies_every_time_stops_the_run_with_its_index() -> None:
    with closing(open_executor("processes", Recipe(make_tally), 2)) as executor:
        executor.retries = 1
        executor.submit(1, "killed")
        with pytest.raises(WorkerLostError, match=r"worker 1 of 2 \(processes\) died 2 times"):
            executor.answers()


@pytest.mark.slow
def test_a_worker_that_hangs_is_replaced(processes: Executor, tmp_path: Path) -> None:
    marker = tmp_path / "hang"
    marker.touch()
    before, processes.retries, processes.limit_s = processes.restarts, 50, 2.0
    processes.submit(0, "hangs_once", str(marker))
    assert [answer.value for answer in processes.answers()] == ["answered"]
    assert processes.restarts > before
    processes.limit_s = None


def test_bad_input_in_a_worker_is_bad_input_here(
        processes: Executor, in_process: Executor) -> None:
    for executor in (in_process, processes):
        executor.submit(0, "bad_input")
        with pytest.raises(InputError, match="a good call, got a bad one; mend it"):
            executor.answers()
        executor.submit(0, "raises")
        with pytest.raises(WorkerLostError, match=r"(?s)worker 0 of .*ZeroDivisionError: planted"):
            executor.answers()
        executor.submit(0, "count")  # it lives on
        assert executor.answers()
    broken = open_executor("in-process", Recipe(make_nothing), 1)
    broken.submit(0, "count")
    with pytest.raises(InputError, match="a recipe that works"):
        broken.answers()


def test_closing_ends_every_process_in_the_middle_of_a_call() -> None:
    executor = open_executor("processes", Recipe(make_tally), 2)
    executor.submit(0, "late", 60.0, 0)
    ids = process_ids(executor)
    executor.close()
    assert not any(psutil.pid_exists(number) for number in ids)


PARENT = """
import os, signal, sys, time
sys.path.insert(0, sys.argv[1])
from firebreak.executors.calls import Recipe
from firebreak.executors.choice import open_executor
from worked import SlowToRead, make_tally
if __name__ == "__main__":
    what = sys.argv[2]
    base = SlowToRead() if what == "imports" else 0
    executor = open_executor("processes", Recipe(make_tally, (base,)), 2)
    if what != "imports":
        for worker in (0, 1):
            executor.submit(worker, "process_id")
        ids = sorted(answer.value for _ in range(2) for answer in executor.answers())
        executor.submit(0, *(["deaf"] if what == "computes" else ["late", 60.0, 0]))
        time.sleep(0.3)
    print(*executor.backend.process_ids(), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.slow
@pytest.mark.parametrize("what", [
    "waits", pytest.param("computes", marks=LINUX), pytest.param("imports", marks=LINUX)])
def test_workers_of_a_killed_parent_end_whatever_they_do(tmp_path: Path, what: str) -> None:
    script = tmp_path / "parent.py"
    script.write_text(PARENT)
    done = subprocess.run([sys.executable, str(script), str(Path(__file__).parents[2]), what],
                          stdout=subprocess.PIPE, text=True, timeout=120)
    ids = [int(word) for word in done.stdout.split()]
    assert len(ids) == 2
    deadline = time.monotonic() + 120.0
    while any(_alive(number) for number in ids) and time.monotonic() < deadline:
        time.sleep(0.05)
    left = [number for number in ids if _alive(number)]
    for number in left:
        os.kill(number, signal.SIGKILL)
    assert left == []


THREAD = """
import sys, threading, time
sys.path.insert(0, sys.argv[1])
from firebreak.executors.calls import Recipe
from firebreak.executors.choice import open_executor
from worked import make_tally
if __name__ == "__main__":
    made = []
    def start():
        made.append(open_executor("processes", Recipe(make_tally), 1))
        made[0].submit(0, "count")
        made[0].answers()  # by now the worker has begun
    starter = threading.Thread(target=start)
    starter.start()
    starter.join()
    executor = made[0]
    executor.submit(0, "late", 0.5, 5)
    print(executor.answers()[0].value, executor.restarts)
    executor.close()
"""


@pytest.mark.slow
def test_workers_outlive_the_thread_that_started_them(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(THREAD)
    done = subprocess.run([sys.executable, str(script), str(Path(__file__).parents[2])],
                          capture_output=True, text=True, timeout=120)
    assert done.stdout == "5 0\n", done.stderr


def _alive(number: int) -> bool:
    try:
        return psutil.Process(number).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_a_worker_count_or_address_that_cannot_be_is_one_sentence() -> None:
    recipe = Recipe(make_tally)
    with pytest.raises(InputError, match="0 to 4096 workers, got -1"):
        open_executor("processes", recipe, -1)
    for wrong in ("nowhere", "host:", ":6379", "host:port"):
        with pytest.raises(InputError, match="HOST:PORT of a Ray head node"):
            check_address(wrong)
    with pytest.raises(InputError, match="a Ray head node that answers, got no answer"):
        check_address("127.0.0.1:9")


def test_a_missing_ray_says_which_extra_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(InputError, match=r"pip install 'ray>=|pip install '\.\[ray\]'"):
        open_executor("ray", Recipe(make_tally), 1)
