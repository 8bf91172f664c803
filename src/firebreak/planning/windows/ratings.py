"""What lines save, as far as it is known: by line and shard, with the fires that it depends on.

After a line was taken, another is out of date in a shard where both depend on one of its fires, and
wherever its end lies beside the line: savings mostly fall, but rise where a gap closes.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from firebreak.planning.windows.shards import Rating

BESIDE = 3
"""Cells (Chebyshev) between a line's end and another line that may close a gap with it."""

Pair = tuple[int, int]
"""Line, shard."""


class Ratings:
    """Ratings of n lines.

    Args:
        lines: flat cells of the whole map; cols: its columns.
        meets: of each line the shards that it has cells in.

    Attributes:
        risen: how often a line saved more when it was rated again.
        rated: ratings of a line by a shard.
    """

    def __init__(self, lines: Sequence[NDArray[np.int64]], cols: int,
                 meets: Sequence[Sequence[int]]) -> None:
        self._meets = meets
        self._saved: dict[Pair, int] = {}
        self._total = [0] * len(lines)
        self._fires: dict[Pair, NDArray[np.int32]] = {}
        self._lines_of: defaultdict[tuple[int, int], set[int]] = defaultdict(set)  # shard, fire
        self._stale: list[set[int]] = [set(shards) for shards in meets]
        self._beside = _Ends(lines, cols)
        self.risen = self.rated = 0

    def saved(self, line: int) -> int:
        """Whole units, as last rated."""
        return self._total[line]

    def stale(self, line: int) -> bool:
        """Whether some shard must rate a line again."""
        return bool(self._stale[line])

    def wanted(self, lines: Iterable[int]) -> dict[int, list[int]]:
        """By shard the lines, of these, that it must rate again; both in order."""
        found: defaultdict[int, list[int]] = defaultdict(list)
        for line in sorted(lines):
            for shard in sorted(self._stale[line]):
                found[shard].append(line)
        return dict(sorted(found.items()))

    def put(self, shard: int, lines: Sequence[int], rating: Rating) -> None:
        """Takes what a shard says of lines."""
        for line, saved, fires in zip(lines, rating.saved.tolist(), rating.fires, strict=True):
            pair = line, shard
            for fire in self._fires.get(pair, ()):
                self._lines_of[shard, int(fire)].discard(line)
            for fire in fires.tolist():
                self._lines_of[shard, fire].add(line)
            before = self._saved.get(pair)
            self.risen += before is not None and saved > before
            self._total[line] += saved - (before or 0)
            self._saved[pair], self._fires[pair] = saved, fires
            self._stale[line].discard(shard)
        self.rated += len(lines)

    def take(self, line: int) -> set[int]:
        """Marks what is out of date once a line is broken; returns the lines with ends beside it,
        whose savings may rise.
        """
        for shard in self._meets[line]:
            for fire in self._fires.pop((line, shard), ()):
                for other in self._lines_of[shard, int(fire)]:
                    self._stale[other].add(shard)
        beside = self._beside.of(line)
        for other in beside:
            self._stale[other] |= set(self._meets[other])
        return beside


class _Ends:
    """Which lines have a cell beside which others."""

    def __init__(self, lines: Sequence[NDArray[np.int64]], cols: int) -> None:
        self._lines, self._cols = lines, cols
        self._at: defaultdict[Pair, set[int]] = defaultdict(set)
        for number, cells in enumerate(lines):
            row, col = np.divmod(cells, cols)
            for block in set(zip((row // BESIDE).tolist(), (col // BESIDE).tolist(), strict=True)):
                self._at[block].add(number)

    def of(self, line: int) -> set[int]:
        """Other lines with a cell at most BESIDE from one of a line's."""
        row, col = np.divmod(self._lines[line], self._cols)
        near = {number for r, c in zip((row // BESIDE).tolist(), (col // BESIDE).tolist(),
                                       strict=True)
                for down in (-1, 0, 1) for right in (-1, 0, 1)
                for number in self._at.get((r + down, c + right), ())} - {line}
        return {number for number in near if self._distance(line, number) <= BESIDE}

    def _distance(self, one: int, other: int) -> int:
        first, second = (np.stack(np.divmod(self._lines[k], self._cols)) for k in (one, other))
        return int(np.abs(first[:, :, None] - second[:, None]).max(axis=0).min())
