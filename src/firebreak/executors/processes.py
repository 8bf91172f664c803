"""Workers that are processes of this machine: started afresh (spawn), one thread each, arrays
through shared memory. A worker ends with its parent, whatever ends the parent: on Linux the system
kills it, elsewhere it watches its parent, which it can do as soon as the native library returns.

A block of shared memory is anonymous: it has no name in the file system, is inherited when a
process is started and vanishes with its last user, so that even a killed process leaves nothing
behind.
"""

import multiprocessing
import os
import pickle
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import parent_process
from typing import Any, NamedTuple

from firebreak.executors.calls import Done, LazyThing, Lost, Message, Recipe, Reply
from firebreak.lifetime import end_with

BLOCK_BYTES = 16_000_000
"""Shared memory in each direction, resident from the start; what is larger goes through a pipe."""

ALIGNMENT = 64
MIN_SHARED_BYTES = 16_384
"""Bytes of arrays below which a pipe is as fast."""

ONE_THREAD = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "FIREBREAK_THREADS": "1"}

_SECONDS_TO_END = 2.0


class _Worker(NamedTuple):
    process: Any
    pipe: Connection
    to_worker: Any
    from_worker: Any


class Processes:
    """A back end: one process per worker."""

    name = "processes"

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self._context = multiprocessing.get_context("spawn")
        self._workers: dict[int, _Worker] = {}

    def process_ids(self) -> list[int]:
        """Numbers of the workers' processes, in order."""
        return [self._workers[worker].process.pid for worker in sorted(self._workers)]

    def start(self, worker: int) -> None:
        """Starts a process; it makes what it works with at its first call."""
        ours, theirs = self._context.Pipe()
        blocks = [self._context.RawArray("B", BLOCK_BYTES) for _ in range(2)]
        # The system ends a child with the thread that started it, and only the first lives on.
        first = threading.current_thread() is threading.main_thread()
        parent = os.getpid() if first else None
        process = self._context.Process(target=_work, args=(theirs, *blocks, parent),
                                        name=f"firebreak-worker-{worker}", daemon=True)
        with _one_thread_for_children(), _deaf_children():
            process.start()
        theirs.close()  # or the end of the process would not be seen
        self._workers[worker] = _Worker(process, ours, *blocks)
        # Only now: it takes seconds to import what it names, and by then the worker is tied.
        self._sent(worker, self.recipe)

    def probe(self, worker: int) -> None:
        """The system says whether a process lives."""

    def started(self, worker: int) -> Done | Lost:
        """A call may be sent as soon as there is a process: it waits in the pipe."""
        return Done(None) if self._workers[worker].process.is_alive() else Lost()

    def send(self, worker: int, message: Message) -> None:
        """Hands a call on; a dead worker is noticed by `wait`."""
        self._sent(worker, pack(message, self._workers[worker].to_worker))

    def wait(self, workers: list[int], timeout_s: float | None) -> list[tuple[int, Reply]]:
        """Replies that have come; a closed pipe is a dead worker."""
        pipes = {self._workers[worker].pipe: worker for worker in workers}
        ready = wait(list(pipes), timeout_s)
        return [(pipes[pipe], self._reply(pipes[pipe])) for pipe in pipes if pipe in ready]

    def hold(self, payload: Any) -> Any:
        """The payload itself: each worker has its own block."""
        return payload

    def stop(self, worker: int) -> None:
        """Ends a process and waits until it is gone."""
        own = self._workers.pop(worker, None)
        if own is None:
            return
        own.pipe.close()
        own.process.kill()
        own.process.join(_SECONDS_TO_END)
        own.process.close()

    def close(self) -> None:
        """Ends all processes."""
        for worker in list(self._workers):
            self.stop(worker)

    def _sent(self, worker: int, value: Any) -> None:
        with suppress(BrokenPipeError, ConnectionResetError):
            self._workers[worker].pipe.send(value)

    def _reply(self, worker: int) -> Reply:
        own = self._workers[worker]
        try:
            packed = own.pipe.recv()
        except (EOFError, ConnectionResetError, BrokenPipeError):
            return Lost()
        return unpack(packed, own.from_worker)


def _work(pipe: Connection, inbox: Any, outbox: Any, parent: int | None) -> None:
    """The life of a worker: takes its recipe, answers calls until the pipe closes or the parent
    ends. parent: process that the system shall end it with; None: it watches alone.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if parent is not None:
        end_with(parent)
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        thing = LazyThing(pipe.recv())
        while True:
            pipe.send(pack(thing.serve(unpack(pipe.recv(), inbox)), outbox))


@contextmanager
def _one_thread_for_children() -> Iterator[None]:
    """Fires and network take one thread each: there is a worker for every core."""
    before = {name: os.environ.get(name) for name in ONE_THREAD}
    os.environ.update(ONE_THREAD)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def _deaf_children() -> Iterator[None]:
    """Children begin with Ctrl-C blocked: it reaches them too, and before their first line it would
    print a traceback.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # it unblocks Ctrl-C where it is started
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end_with_parent() -> None:
    """A killed parent cannot stop its workers: they watch it."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


class Packed(NamedTuple):
    """body: the value without its arrays; places: (offset, bytes) of each array in the block, None
    where the body holds them.
    """

    body: bytes
    places: list[tuple[int, int]] | None


def pack(value: Any, block: Any) -> Packed:
    """A value on its way to the other process; arrays go into the block where they fit."""
    buffers: list[pickle.PickleBuffer] = []
    body = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    parts = [buffer.raw() for buffer in buffers]
    places, end = [], 0
    for part in parts:
        places.append((end, part.nbytes))
        end += -(-part.nbytes // ALIGNMENT) * ALIGNMENT
    if end < MIN_SHARED_BYTES or end > len(block):
        return Packed(pickle.dumps(value, protocol=5), None)
    view = memoryview(block).cast("B")
    for (offset, size), part in zip(places, parts, strict=True):
        view[offset:offset + size] = part
    return Packed(body, places)


def unpack(packed: Packed, block: Any) -> Any:
    """The value; its arrays are copies, so that the block is free for the next one."""
    if packed.places is None:
        return pickle.loads(packed.body)
    view = memoryview(block).cast("B")
    return pickle.loads(packed.body, buffers=[bytearray(view[offset:offset + size])
                                              for offset, size in packed.places])
