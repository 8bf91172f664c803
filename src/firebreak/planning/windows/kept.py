"""What a plan by windows has computed so far, so that one that was killed goes on.

A plan is a function of its input: the same questions come in the same order. So answers are kept in
order, and a plan that is made again takes them until none is left. What shards answer follows from
which fires each holds, and that from the memory that is free and the workers: see `Kept.begin`.
"""

import hashlib
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from firebreak.planning.windows.region import Proposal
from firebreak.planning.windows.shards import Rating, ShardPlan

Arrays = dict[str, NDArray]


class Kept:
    """Keeps nothing."""

    def proposal(self, window: int) -> Proposal | None:
        """What a window proposed before, None if that is not known."""
        return None

    def keep_proposal(self, window: int, proposal: Proposal) -> None:
        """Takes what a window proposes."""

    def begin(self, shards: str) -> None:
        """The questions to these shards, see `shards_key`, come next: answers of others are none
        to them.
        """

    def answer(self, ask: Callable[[], Arrays]) -> Arrays:
        """The answer to the next question: the one that was kept, else what `ask` gives."""
        return ask()


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
    every = [(fires, saved) for rating in ratings
             for fires, saved in zip(rating.fires, rating.saved, strict=True)]
    return {"count": np.array([fires.size for fires, _ in every], np.int64),
            "fires": np.concatenate([np.empty(0, np.int32), *(fires for fires, _ in every)]),
            "saved": np.concatenate([np.empty(0, np.int64), *(saved for _, saved in every)])}


def ratings_from(arrays: Arrays, lines: Sequence[int]) -> list[Rating]:
    """The same ratings; lines: how many each shard rated."""
    ends = np.cumsum(arrays["count"])[:-1]
    fires, saved = (np.split(arrays[name], ends) for name in ("fires", "saved"))
    found, first = [], 0
    for count in lines:
        found.append(Rating(fires[first:first + count], saved[first:first + count]))
        first += count
    return found
