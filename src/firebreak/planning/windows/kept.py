"""Answers that a plan by windows has computed so far, so that the same command goes on where one
was killed. The same questions come in the same order, so answers are kept in order. Those of shards
follow from which fires each holds, and that from free memory and workers: see `Kept.begin`.
"""

import contextlib
import hashlib
import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import count, islice, takewhile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import counted, fail
from firebreak.files import check_folder, made_folder, write_bytes
from firebreak.planning.core.identity import bytes_of, hash_of, parts_of_scene, program
from firebreak.planning.windows.cores import WindowSettings
from firebreak.planning.windows.region import Proposal, Region
from firebreak.planning.windows.shards.shard_plan import NO_FIRES, NO_UNITS, Rating, ShardPlan

if TYPE_CHECKING:
    import torch

Arrays = dict[str, NDArray]


class Kept:
    """Keeps nothing."""

    @property
    def begun_words(self) -> str:
        """Says what there is to go on with; empty for nothing."""
        return ""

    def proposal(self, window: int) -> Proposal | None:
        """The proposal that a window made before, None if that is not known."""
        return None

    def keep_proposal(self, window: int, proposal: Proposal) -> None:
        """Takes what a window proposes."""

    def begin(self, shards: str) -> None:
        """Questions to these shards, see `shards_key`, come next: answers of others are void."""

    def answer(self, ask: Callable[[], Arrays]) -> Arrays:
        """The answer to the next question: the one that was kept, else what `ask` gives."""
        return ask()

    def working(self, say: Callable[[str], object]) -> AbstractContextManager[None]:
        """A context at the end of which what is done is kept, where it ends early too: by a signal
        or a full disk.

        say: takes a sentence where what is done is kept after an early end.
        """
        return contextlib.nullcontext()

    @contextlib.contextmanager
    def writing(self, say: Callable[[str], object]) -> Iterator[None]:
        """The context in which the plan is written; nothing is kept after it. say: as `working`."""
        with self.working(say):
            yield
        self.remove()

    def remove(self) -> None:
        """Removes what was kept: the plan is finished, or cannot be made."""


NOTHING_KEPT = Kept()


def shards_key(shards: Sequence[ShardPlan]) -> str:
    """Names shards by the fires of each, in order: an answer counts fires by their places there."""
    digest = hashlib.sha256()
    for shard in shards:
        digest.update(np.array([shard.stream, *shard.box, shard.fires.size], np.int64).tobytes())
        digest.update(np.ascontiguousarray(shard.fires, np.int64).tobytes())
    return digest.hexdigest()


def ratings_in(ratings: Sequence[Rating]) -> Arrays:
    """Ratings of some shards as arrays."""
    fires = [own for rating in ratings for own in rating.fires]
    saved = [own for rating in ratings for own in rating.saved if own.size]
    return {"count": np.array([own.size for own in fires], np.int64),
            "fires": np.concatenate([NO_FIRES, *(own for own in fires if own.size)]),
            "saved": np.concatenate([NO_UNITS, *saved])}


def ratings_from(arrays: Arrays, lines: Sequence[int]) -> list[Rating]:
    """The same ratings; lines: how many each shard rated."""
    found, first, counts = [], 0, iter(arrays["count"].tolist())
    for number in lines:
        rating = Rating([], [])
        for size in islice(counts, number):
            own = slice(first, first + size)
            rating.fires.append(arrays["fires"][own] if size else NO_FIRES)
            rating.saved.append(arrays["saved"][own] if size else NO_UNITS)
            first += size
        found.append(rating)
    return found


FOLDER = "unfinished"
_OWN = re.compile(r"window-\d{6,}|answers-\d{9,}")
"""Names of what is kept; the folder may hold a user's own files beside them."""
_CUT_SHORT = re.compile(r"\.(?:window|answers)-\d+\..+")
"""Names of what a kill has left of one that was being written."""
_MOST_ANSWERS, _MOST_NUMBERS = 8, 20_000
"""Answers, and numbers in them, that are kept in memory before they are written."""


class Unfinished(Kept):
    """Answers that are kept in a folder below `out`, made when there is something to keep.

    Args:
        job: names the plan, see `job_of`.

    Raises:
        InputError: the folder holds another plan, or is damaged.
    """

    def __init__(self, out: Path, job: str) -> None:
        self.folder, self._job = out / FOLDER, job
        # The nearest first: all that this plan makes, and takes away where it keeps nothing there.
        self._new = [folder for folder in (out, *out.parents) if not folder.exists()]
        if self.folder.exists():
            check_folder(self.folder)
        # All is read at once, so that nothing of another plan is replaced or removed.
        self._proposals = {path.name: _proposal_in(*self._read(path))
                           for path in self._files("window-")}
        read = [self._read(path) for path in self._files("answers-")]
        self._shards = read[0][1] if read else ""
        self._known = _from_the_first([arrays for arrays, shards in read if shards == self._shards])
        self._fresh: list[Arrays] = []
        self._next = 0

    def proposal(self, window: int) -> Proposal | None:
        return self._proposals.get(_window(window))

    def keep_proposal(self, window: int, proposal: Proposal) -> None:
        self._write(self.folder / _window(window), {
            "cells": np.concatenate([np.empty(0, np.int64), *proposal.lines]),
            "count": np.array([line.size for line in proposal.lines], np.int64),
            "simulations": np.array([proposal.simulations])}, proposal.refused)

    def begin(self, shards: str) -> None:
        """Removes answers of other shards, see `Kept`."""
        if shards != self._shards:
            # The last one first: what a kill leaves of them has no gap.
            for path in reversed(self._files("answers-")):
                path.unlink()
            self._known = []
        self._shards = shards

    def answer(self, ask: Callable[[], Arrays]) -> Arrays:
        if self._next < len(self._known):
            self._next += 1
            return self._known[self._next - 1]
        made = ask()
        self._next += 1
        self._fresh.append(made)
        numbers = sum(part.size for one in self._fresh for part in one.values())
        if len(self._fresh) >= _MOST_ANSWERS or numbers >= _MOST_NUMBERS:
            self.write()
        return made

    def write(self) -> None:
        """Writes the answers that are in memory only."""
        if self._fresh:
            first = self._next - len(self._fresh)
            self._write(self.folder / f"answers-{first:09}", {
                f"{first + place:09}.{name}": part for place, one in enumerate(self._fresh)
                for name, part in one.items()}, self._shards)
            self._fresh = []

    @contextlib.contextmanager
    def working(self, say: Callable[[str], object]) -> Iterator[None]:
        try:
            yield
        except BaseException:
            with contextlib.suppress(OSError):  # of a full disk: what is written already stays
                self.write()
            if self._files():
                say(f"firebreak: what is done of the plan is kept in {self.folder}: the same "
                    f"command with --out {shlex.quote(str(self.folder.parent))} goes on")
            raise
        self.write()

    def remove(self) -> None:
        self._fresh = []
        with contextlib.suppress(OSError):
            for path in [*self._files(), *(path for path in _files_in(self.folder)
                                           if _CUT_SHORT.fullmatch(path.name))]:
                path.unlink()
        for folder in (self.folder, *self._new):
            with contextlib.suppress(OSError):  # there is something else in it, or it was not made
                folder.rmdir()

    @property
    def begun_words(self) -> str:
        return "" if not self._proposals else (
            f"goes on with what is kept in {self.folder}: lines of "
            f"{counted(len(self._proposals), 'window')} and "
            f"{counted(len(self._known), 'result')} of burning them")

    def _files(self, begin: str = "") -> list[Path]:
        """Files of the folder that are this plan's, in order."""
        return [path for path in _files_in(self.folder)
                if _OWN.fullmatch(path.name) and path.name.startswith(begin)]

    def _write(self, path: Path, arrays: Arrays, words: str = "") -> None:
        from firebreak.tensor_file import pieces_of_file

        made_folder(self.folder)
        write_bytes(path, *pieces_of_file(
            {name: _tensor(part) for name, part in arrays.items()},
            {"job": self._job, "words": words}))

    def _read(self, path: Path) -> tuple[Arrays, str]:
        from firebreak.tensor_file import header_of, read_tensor

        with path.open("rb") as file:
            header = header_of(file, path)
            if header.texts.get("job") != self._job:
                raise fail(expected="the unfinished plan of this command",
                           given="one of other options, land or program", where=str(self.folder),
                           remedy="give another --out, or rename this folder")
            return {name: read_tensor(file, entry, None, path).numpy()
                    for name, entry in header.entries.items()}, header.texts.get("words", "")


def _files_in(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []


def _tensor(part: NDArray) -> "torch.Tensor":
    import torch

    made = torch.from_numpy(np.ascontiguousarray(part))
    # One of no numbers that comes from numpy has no step, and cannot be seen as bytes.
    return made if part.size else torch.empty(part.shape, dtype=made.dtype)


def _window(number: int) -> str:
    return f"window-{number:06}"


def _proposal_in(arrays: Arrays, refused: str) -> Proposal:
    lines = np.split(arrays["cells"], np.cumsum(arrays["count"])[:-1])
    return Proposal([line for line in lines if line.size], float(arrays["simulations"][0]), refused)


def _from_the_first(files: Sequence[Arrays]) -> list[Arrays]:
    """The answers of files from the first question on, in order, up to one that no file has: those
    after it are asked again, since which questions they answer follows from it.
    """
    found: dict[int, Arrays] = {}
    for arrays in files:
        for name, part in arrays.items():
            number, _, own = name.partition(".")
            found.setdefault(int(number), {})[own] = part
    return [found[number] for number in takewhile(found.__contains__, count())]


def job_of(region: Region, budget_share: float, settings: WindowSettings) -> str:
    """Names a plan by windows by all that it follows from."""
    rules = region.rules
    parts = [
        program(),  # answers are taken up in their order, which all sources may change
        *parts_of_scene(region.scene),
        repr((region.method, region.search, region.share, region.seed, budget_share, settings,
              rules.budget, rules.shortest_m)),
        *map(bytes_of, (*region.fires._replace(weight=region.fires.parts), rules.include))]
    if region.policy is not None:
        parts.append(repr(region.policy.network.shapes))
        for name, weight in region.policy.network.state_dict().items():
            parts += [name, weight.contiguous().numpy().tobytes()]
    return hash_of(parts)
