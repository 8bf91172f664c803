"""What a plan by windows has computed so far, so that one that was killed goes on.

A plan is a function of its input: the same questions come in the same order. So answers are kept in
order, and a plan that is made again takes them until none is left. What shards answer follows from
which fires each holds, and that from the memory that is free and the workers: see `Kept.begin`.
"""

import hashlib
from collections.abc import Callable, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from firebreak.planning.windows.region import Proposal
from firebreak.planning.windows.shards.line_table import NO_FIRES, NO_UNITS, Rating
from firebreak.planning.windows.shards.shard_plan import ShardPlan

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
        for count in islice(counts, number):
            own = slice(first, first + count)
            rating.fires.append(arrays["fires"][own] if count else NO_FIRES)
            rating.saved.append(arrays["saved"][own] if count else NO_UNITS)
            first += count
        found.append(rating)
    return found
