"""Leaks to plant in a trainer, each of a kind that programs of this sort have had, and what a
verdict must say of it.
"""

import ctypes
import functools
import mmap
import os
import subprocess
import sys
import threading
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib import pyplot

from firebreak.agent.dqn import DQNAgent
from firebreak.env import sources
from firebreak.env.gym_env import FuelbreakVectorEnv
from firebreak.env.sources import ProblemSource
from firebreak.train.run import trainer as trainer_module
from firebreak.train.run.trainer import ParallelTrainer


class Leak(NamedTuple):
    """plant: puts it into a trainer and returns what undoes it; owner: a part of the owner's path;
    kind and phase: what the verdict names.
    """

    plant: Callable[[ParallelTrainer], Callable[[], None]]
    owner: str
    kind: str
    phase: str


def after(owner: Any, method: str, leak: Callable[[Any], object]) -> Callable[[], None]:
    """Calls `leak` with the answer whenever `owner.method` has been called."""
    original = getattr(owner, method)

    def leaking(*given: Any, **named: Any) -> Any:
        answer = original(*given, **named)
        leak(answer)
        return answer
    setattr(owner, method, leaking)
    return lambda: setattr(owner, method, original)


def list_of_transitions(trainer: ParallelTrainer) -> Callable[[], None]:
    trainer.transitions = []  # type: ignore[attr-defined]
    buffer = trainer.arenas[0].collector.buffer
    return after(trainer.arenas[0].collector, "collect", lambda _: trainer.transitions.append(  # type: ignore[attr-defined]
        (buffer.rows["observation"].clone(), buffer.rows["reward"].clone())))


def _with_landscapes(trainer: ParallelTrainer, draw: Any) -> Callable[[], None]:
    source = trainer.arenas[0].env.source
    trainer.arenas[0].env.source = replace(source, landscape=draw)

    def undo() -> None:
        trainer.arenas[0].env.source = source
    return undo


def landscape_per_episode(trainer: ParallelTrainer) -> Callable[[], None]:
    made = trainer.arenas[0].env.source.landscape
    atlas: dict[tuple[int, int], object] = {}

    def draw(seed: int, episode: int) -> Any:
        return atlas.setdefault((seed, episode), made(seed, episode))
    return _with_landscapes(trainer, draw)


def endless_lru_cache(trainer: ParallelTrainer) -> Callable[[], None]:
    return _with_landscapes(trainer, functools.lru_cache(maxsize=None)(
        trainer.arenas[0].env.source.landscape))


def figures_not_closed(trainer: ParallelTrainer) -> Callable[[], None]:
    undo = after(trainer_module, "validate", lambda _: pyplot.figure(figsize=(1, 1)))

    def close() -> None:
        undo()
        pyplot.close("all")
    return close


def tensors_with_graph(trainer: ParallelTrainer) -> Callable[[], None]:
    weights = trainer.agent.online_net.parameters()
    weight = next(iter(weights))
    trainer.agent.recent = []  # type: ignore[attr-defined]
    return after(trainer.agent, "learn", lambda update: trainer.agent.recent.append(  # type: ignore[attr-defined]
        (weight * update.loss).sum()))


def descriptors(trainer: ParallelTrainer) -> Callable[[], None]:
    held: list[Any] = []
    path = trainer.run_folder / "journal.txt"
    undo = after(trainer, "save", lambda _: held.append(path.open("a")))

    def close() -> None:
        undo()
        for file in held:
            file.close()
    return close


def threads(trainer: ParallelTrainer) -> Callable[[], None]:
    end = threading.Event()
    started: list[threading.Thread] = []

    def start(_: object) -> None:
        thread = threading.Thread(target=end.wait, name=f"uploader-{len(started)}", daemon=True)
        started.append(thread)
        thread.start()
    undo = after(trainer_module, "validate", start)

    def stop() -> None:
        undo()
        end.set()
        for thread in started:
            thread.join()
    return stop


def growing_dict_in_an_env(trainer: ParallelTrainer) -> Callable[[], None]:
    trainer.arenas[0].env.visited = {}  # type: ignore[attr-defined]
    def note(step: Any) -> None:
        for reward in step[1].tolist():
            trainer.arenas[0].env.visited[len(trainer.arenas[0].env.visited)] = reward  # type: ignore[attr-defined]
    return after(trainer.arenas[0].env, "step", note)


def module_level_cache(trainer: ParallelTrainer) -> Callable[[], None]:
    sources._SEEN = []  # type: ignore[attr-defined]
    undo = after(trainer.arenas[0].collector, "collect", lambda _: sources._SEEN.append(  # type: ignore[attr-defined]
        np.ones(2000)))

    def clear() -> None:
        undo()
        del sources._SEEN  # type: ignore[attr-defined]
    return clear


def problems_kept_out_of_reach(trainer: ParallelTrainer) -> Callable[[], None]:
    """Held by the frame of a generator that nothing of the run refers to: no path leads there."""
    def keeper() -> Any:
        kept: list[object] = []
        while True:
            kept.append((yield))
    hidden = keeper()
    next(hidden)
    _HIDDEN.append(hidden)
    source: ProblemSource = trainer.arenas[0].env.source
    made = source.landscape
    def draw(seed: int, episode: int) -> Any:
        land = made(seed, episode)
        _HIDDEN[-1].send(land)
        return land
    undo = _with_landscapes(trainer, draw)
    def forget() -> None:
        undo()
        _HIDDEN.clear()
    return forget


def env_kept_per_validation(trainer: ParallelTrainer) -> Callable[[], None]:
    trainer.old_envs = []  # type: ignore[attr-defined]
    source = trainer.arenas[0].env.source
    return after(trainer_module, "validate", lambda _: trainer.old_envs.append(  # type: ignore[attr-defined]
        FuelbreakVectorEnv(source, 1)))


def agent_kept_per_checkpoint(trainer: ParallelTrainer) -> Callable[[], None]:
    trainer.generations = []  # type: ignore[attr-defined]
    agent = trainer.agent
    return after(trainer, "save", lambda _: trainer.generations.append(  # type: ignore[attr-defined]
        DQNAgent(agent.settings, 0)))


def view_of_a_large_base(trainer: ParallelTrainer) -> Callable[[], None]:
    """Eight bytes are kept of each array, and with them all of it."""
    trainer.last_rows = []  # type: ignore[attr-defined]
    return after(trainer.arenas[0].collector, "collect", lambda _: trainer.last_rows.append(  # type: ignore[attr-defined]
        np.ones(5000)[-1:]))


def rewards_never_forgotten(trainer: ParallelTrainer) -> Callable[[], None]:
    trainer.all_rewards = []  # type: ignore[attr-defined]
    return after(trainer.arenas[0].env, "step", lambda step: trainer.all_rewards.extend(  # type: ignore[attr-defined]
        step[1].tolist()))


def child_processes(trainer: ParallelTrainer) -> Callable[[], None]:
    started: list[subprocess.Popen[bytes]] = []
    undo = after(trainer_module, "validate", lambda _: started.append(
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])))

    def stop() -> None:
        undo()
        for child in started:
            child.kill()
            child.wait()
    return stop


CHILD_BYTES = 87_000
"""That a child process takes for each episode."""
_KEEPER = f"""
import sys
kept = []
for _ in sys.stdin:
    kept.append(bytearray(b"x" * {CHILD_BYTES}))
    print(flush=True)
"""


def child_that_grows(trainer: ParallelTrainer) -> Callable[[], None]:
    """A child that is there from the start and keeps something of each episode."""
    child = subprocess.Popen([sys.executable, "-c", _KEEPER], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, text=True)
    told, answered = child.stdin, child.stdout
    assert told is not None
    assert answered is not None

    def leak(collected: Any) -> None:
        for _ in collected:
            print(file=told, flush=True)
            answered.readline()
    undo = after(trainer.arenas[0].collector, "collect", leak)

    def stop() -> None:
        undo()
        child.communicate()
    return stop


_HIDDEN: list[Any] = []

NATIVE_BYTES = 230_000  # that native code takes for each episode
_SMALL = 10_000  # of one allocation, which the C library does not make a mapping of its own
_C = ctypes.CDLL(None, use_errno=True)
_C.malloc.restype = _C.mmap.restype = ctypes.c_void_p
_C.malloc.argtypes, _C.free.argtypes = [ctypes.c_size_t], [ctypes.c_void_p]
_C.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *3 * [ctypes.c_int], ctypes.c_long]
_C.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
_TAKEN: defaultdict[str, list[int]] = defaultdict(list)
"""Addresses by sort, where no path from a run leads."""


def per_episode(trainer: ParallelTrainer, sort: str, take: Callable[[], None],
                give_back: Callable[[int], object]) -> Callable[[], None]:
    """Calls `take`, which notes addresses, for each episode that a collection has ended."""
    def leak(collected: Any) -> None:
        for _ in collected:
            take()
    undo = after(trainer.arenas[0].collector, "collect", leak)

    def undo_all() -> None:
        undo()
        while _TAKEN[sort]:
            give_back(_TAKEN[sort].pop())
    return undo_all


def c_heap(trainer: ParallelTrainer) -> Callable[[], None]:
    def take() -> None:
        for _ in range(NATIVE_BYTES // _SMALL):
            _TAKEN["heap"].append(_C.malloc(_SMALL))
            ctypes.memset(_TAKEN["heap"][-1], 1, _SMALL)
    return per_episode(trainer, "heap", take, _C.free)


def anonymous_mapping(trainer: ParallelTrainer, path: Path | None = None) -> Callable[[], None]:
    """A mapping for each episode, of the file if there is one."""
    sort = "file" if path else "anonymous"

    def take() -> None:
        flags = mmap.MAP_SHARED if path else mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
        file = os.open(path, os.O_RDWR) if path else -1
        place = _C.mmap(None, NATIVE_BYTES, mmap.PROT_READ | mmap.PROT_WRITE, flags, file, 0)
        if path:
            os.close(file)
        ctypes.memset(place, 1, NATIVE_BYTES)
        _TAKEN[sort].append(place)
    return per_episode(trainer, sort, take, lambda place: _C.munmap(place, NATIVE_BYTES))


def file_mapping(trainer: ParallelTrainer) -> Callable[[], None]:
    trainer.run_folder.mkdir(parents=True, exist_ok=True)
    path = trainer.run_folder / "history.bin"
    path.write_bytes(bytes(NATIVE_BYTES))
    return anonymous_mapping(trainer, path)


LEAKS = {
    "transitions": Leak(list_of_transitions, "trainer.transitions", "owned_bytes", "collect"),
    "landscapes": Leak(landscape_per_episode, "atlas", "owned_bytes", "collect"),
    "lru cache": Leak(endless_lru_cache, "source.landscape", "items", "collect"),
    "figures": Leak(figures_not_closed, "figures", "figures", "evaluate"),
    "graphs": Leak(tensors_with_graph, "tensors", "graph_tensors", "learn"),
    "descriptors": Leak(descriptors, "journal.txt", "open_files", "checkpoint"),
    "threads": Leak(threads, "uploader-#", "threads", "evaluate"),
    "dict in env": Leak(growing_dict_in_an_env, "trainer.arenas[].env.visited", "items", "collect"),
    "module cache": Leak(module_level_cache, "env.sources._SEEN", "owned_bytes", "collect"),
    "env": Leak(env_kept_per_validation, "trainer.old_envs", "owned_bytes", "evaluate"),
    "agent": Leak(agent_kept_per_checkpoint, "QMapNetwork", "objects", "checkpoint"),
    "view": Leak(view_of_a_large_base, "trainer.last_rows", "owned_bytes", "collect"),
    "rewards": Leak(rewards_never_forgotten, "trainer.all_rewards", "items", "collect"),
    "children": Leak(child_processes, "child processes", "children", "evaluate"),
    "memory of a child": Leak(child_that_grows, "child processes", "children_bytes", "collect"),
    "out of reach": Leak(problems_kept_out_of_reach, "Landscape", "objects", "collect"),
    "c heap": Leak(c_heap, "", "heap_bytes", "collect"),
    "anonymous mapping": Leak(anonymous_mapping, "anonymous mappings", "mapped_bytes", "collect"),
    "file mapping": Leak(file_mapping, "history.bin", "mapped_bytes", "collect"),
}
