"""Copies of a run's checkpoints and reports elsewhere: a directory, or any fsspec URL (s3, gcs).

A thread of its own looks for what is new in the run's folder and copies it, a bounded number of
files at a time, each several times before it counts as failed. The run neither waits for it nor
ends because of it; what is left is copied when the run has ended, within a limit.
"""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from firebreak.agent.policy_place import POLICY
from firebreak.checks import fail
from firebreak.files import copy_file, write_text
from firebreak.train.config.schema import ArtifactsConfig
from firebreak.train.storage.checkpoints import CHECKPOINTS
from firebreak.train.storage.store import MANIFEST

REPORT = "artifacts.json"
PROBE = ".firebreak-probe"
_ONCE = ("*.toml", "*.txt", POLICY, "*.json", "*.html", "figures/*", f"trial-*/*/{POLICY}")
_GROWING = ("*.jsonl",)
_SECONDS_BETWEEN_LOOKS = 2.0
_FIRST_PAUSE_S = 0.2


class Directory(NamedTuple):
    """A directory: a file there is whole or not there."""

    root: Path

    def copy(self, source: Path, name: str) -> None:
        """Copies a file beside its place and renames it."""
        place = self.root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        copy_file(source, place)

    def remove(self, name: str) -> None:
        """Deletes a file."""
        (self.root / name).unlink()


class Remote(NamedTuple):
    """A place that fsspec knows, whose stores write files whole."""

    system: Any
    root: str

    def copy(self, source: Path, name: str) -> None:
        """Uploads a file."""
        place = f"{self.root}/{name}"
        self.system.makedirs(place.rpartition("/")[0], exist_ok=True)
        self.system.put_file(str(source), place)

    def remove(self, name: str) -> None:
        """Deletes a file."""
        self.system.rm_file(f"{self.root}/{name}")


Target = Directory | Remote
"""A place that copies go to; its errors are OSError, or what the store's library raises."""


def open_target(store: str) -> Target:
    """The target of a directory or URL, tried with a small file.

    Raises:
        InputError: nothing can be written there, or the library of the URL's kind is missing.
    """
    target: Target = _remote(store) if "://" in store else Directory(Path(store))
    probe = Path(__file__)  # any small file
    try:
        target.copy(probe, PROBE)
        target.remove(PROBE)
    except Exception as error:  # the libraries of stores have their own
        reason = getattr(error, "strerror", None) or str(error).split("\n")[0] or repr(error)
        raise fail(expected="a store that can be written", given=reason,
                   where=f"artifacts.store {store}",
                   remedy="check its name and your permissions, or leave it out") from None
    return target


def _remote(store: str) -> Remote:
    import fsspec

    try:
        system, root = fsspec.core.url_to_fs(store)
    except (ImportError, ValueError) as error:
        raise fail(expected="a URL of a kind that fsspec can open here",
                   given=str(error).split("\n")[0], where=f"artifacts.store {store}",
                   remedy="install its library (s3fs, gcsfs), or use a directory") from None
    return Remote(system, str(root).rstrip("/"))


class Mirror:
    """Copies what appears in a folder until it is closed.

    Attributes:
        stored, failed, retried: files copied, given up, and attempts made again.
        reason: of the last failure.
    """

    def __init__(self, folder: Path, target: Target, config: ArtifactsConfig) -> None:
        self.folder, self.target, self.config = folder, target, config
        self.stored = self.failed = self.retried = 0
        self.reason = ""
        self._seen: dict[str, tuple[int, int]] = {}
        self._ended = threading.Event()
        self._deadline = float("inf")
        self._thread = threading.Thread(target=self._work, name="firebreak-artifacts", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Copies what is left, at most `artifacts.drain_s` seconds long; the rest has failed."""
        self._deadline = time.monotonic() + self.config.drain_s
        self._ended.set()
        self._thread.join(self.config.drain_s + 1.0)
        left = self._new_files(growing=True)
        if left:
            self.failed += len(left)
            self.reason = self.reason or f"no time left after {self.config.drain_s:g} s"

    def report(self) -> dict[str, Any]:
        """Counts of what was copied and what was not, for `artifacts.json`."""
        return {"store": self.config.store, "stored": self.stored, "failed": self.failed,
                "retried": self.retried, "reason": self.reason}

    def _work(self) -> None:
        while not self._ended.wait(_SECONDS_BETWEEN_LOOKS):
            self._copy_all(self._new_files(growing=False))
        while left := self._new_files(growing=True):
            self._copy_all(left)
            if time.monotonic() > self._deadline:
                return

    def _copy_all(self, names: list[str]) -> None:
        for name in names:
            if time.monotonic() > self._deadline:
                return
            self._copy(name)

    def _copy(self, name: str) -> None:
        """One file, several times; a file that is gone meanwhile was replaced by a newer one."""
        source = self.folder / name
        pause = _FIRST_PAUSE_S
        for attempt in range(self.config.attempts):
            try:
                self._seen[name] = _stamp(source)
                self.target.copy(source, name)
                self.stored += 1
                return
            except Exception as error:  # the libraries of stores have their own
                if not source.is_file():
                    return
                self.reason = str(error).split("\n")[0] or repr(error)
                if attempt + 1 < self.config.attempts:
                    self.retried += 1
                    self._ended.wait(pause)
                    pause *= 2.0
        self.failed += 1

    def _new_files(self, *, growing: bool) -> list[str]:
        """Files that are not copied as they are, checkpoints first, at most `artifacts.queue`; of a
        checkpoint the manifest last, so that a part of one is never taken for whole.
        """
        found = []
        for name in _names(self.folder, growing):
            try:
                if self._seen.get(name) != _stamp(self.folder / name):
                    found.append(name)
            except FileNotFoundError:
                continue
        return found[:self.config.queue]


@contextmanager
def mirrored(folder: Path, config: ArtifactsConfig) -> Iterator[Mirror | None]:
    """Copies the folder's checkpoints and reports while the block runs, and what is left after it;
    `artifacts.json` in the folder says what became of it.

    Raises:
        InputError: nothing can be written to the store.
    """
    if config.store is None:
        yield None
        return
    mirror = Mirror(folder, open_target(config.store), config)
    try:
        yield mirror
    finally:
        mirror.close()
        write_text(folder / REPORT, json.dumps(mirror.report()) + "\n")


def _names(folder: Path, growing: bool) -> list[str]:
    checkpoints = [path for path in (folder / CHECKPOINTS).glob("[0-9]*/*")
                   if not path.parent.name.startswith(".")]
    checkpoints.sort(key=lambda path: (path.parent.name, path.name == MANIFEST, path.name))
    patterns = _ONCE + (_GROWING if growing else ())
    others = sorted(path for pattern in patterns for path in folder.glob(pattern)
                    if not path.name.startswith(".") and path.name != REPORT)
    return [path.relative_to(folder).as_posix() for path in [*checkpoints, *others]
            if path.is_file()]


def _stamp(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_mtime_ns, status.st_size
