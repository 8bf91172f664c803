"""The worker of a large plan: what it holds, and the calls that it answers.

A call carries all that its answer depends on. What a worker keeps between calls, its shards, is a
cache: a worker that lacks a shard makes it.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import InputError
from firebreak.fire import Fires, Scene, Workspace, burn_plans, burn_tracks
from firebreak.free_memory import give_back_freed
from firebreak.landscape.landscape import Landscape, mask_of_cells
from firebreak.planning.core.area import lift_cells
from firebreak.planning.core.break_segments import break_segments_of
from firebreak.planning.core.limits import SearchOptions
from firebreak.planning.core.plan import cost_of
from firebreak.planning.core.rules import FREE, PlanRules
from firebreak.planning.making import make_plan
from firebreak.planning.windows.cores import Box, Core
from firebreak.planning.windows.shards.shard import Shard, room_to_burn
from firebreak.planning.windows.shards.shard_plan import (
    LineTable,
    Rating,
    ShardPlan,
    Wanted,
    loss_bound,
    loss_unit,
)

if TYPE_CHECKING:
    from firebreak.agent.policy_file import Policy


class Entry(NamedTuple):
    """First place and time of a fire in a window: flat cell of the whole map, minutes."""

    cell: int
    minutes: float


class Footprint(NamedTuple):
    """The place of a fire that burns untreated. box: the smallest that holds it; entries: by core;
    cells: that it burns.
    """

    box: Box
    entries: dict[int, Entry]
    cells: int


def footprints_of(scene: Scene, fires: Fires, cores: Sequence[Core]) -> list[Footprint]:
    """Footprint of each fire, in order."""
    cols = scene.landscape.shape[1]
    found: list[Footprint] = [Footprint((0, 0, 0, 0), {}, 0)] * fires.source.size

    def take(fire: int, cells: NDArray[np.int64], minutes: NDArray[np.float32]) -> None:
        row, col = np.divmod(cells, cols)
        box = (int(row.min()), int(col.min()), int(row.max()) + 1, int(col.max()) + 1)
        entries = {}
        for core in cores:
            own = core.whole
            if not (box[0] < own.row + own.rows and box[2] > own.row
                    and box[1] < own.col + own.cols and box[3] > own.col):
                continue
            inside = np.flatnonzero((row >= own.row) & (row < own.row + own.rows)
                                    & (col >= own.col) & (col < own.col + own.cols))
            if inside.size:
                first = inside[int(np.argmin(minutes[inside]))]
                entries[core.number] = Entry(int(cells[first]), float(minutes[first]))
        found[fire] = Footprint(box, entries, cells.size)

    burn_tracks(scene, fires, take)
    return found


def fires_in(core: Core, fires: Fires, footprints: Sequence[Footprint], most: int,
             cols: int) -> Fires:
    """The fires that come into a window, as its own: one that enters starts in the cell where it
    does, with the time that it has left then. At most the first `most` of them.
    """
    numbers = [k for k, footprint in enumerate(footprints)
               if (entry := footprint.entries.get(core.number)) is not None
               and entry.minutes < fires.duration_min[k]][:most]
    entries = [footprints[k].entries[core.number] for k in numbers]
    own = fires.part(np.array(numbers, np.int64))
    row, col = np.divmod(np.array([entry.cell for entry in entries], np.int64), cols)
    minutes = np.array([entry.minutes for entry in entries])
    return own._replace(
        source=(row - core.whole.row) * core.whole.cols + col - core.whole.col,
        duration_min=own.duration_min - minutes,
        later_min=None if own.later_min is None else own.later_min - minutes[:, None])


LINE_CELLS = 12
"""Cells along a line that is judged as one, about: what a window proposes is cut to such lines."""

Lines = list[NDArray[np.int64]]
"""Flat cells of the whole map, line by line."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Region:
    """A map to plan for.

    Attributes:
        scene: the whole map.
        fires: its plan fires.
        method, policy, search, seed: of the windows' plans, see `make_plan`.
        share: of the cost of its treatable cells that a window's plan may spend.
        rules: what the plan of the whole map keeps to.
    """

    scene: Scene
    fires: Fires
    method: str
    policy: "Policy | None"
    search: SearchOptions
    share: float
    seed: int
    rules: PlanRules = FREE


class Proposal(NamedTuple):
    """The proposal of a window. refused: why it proposes nothing, else empty."""

    lines: Lines
    simulations: float
    refused: str = ""


class RegionWorker:
    """Answers calls about a region."""

    def __init__(self, region: Region) -> None:
        self.region = region
        self._bound = loss_bound(region.scene, region.fires.source.size,
                                 region.fires.heaviest)
        self._lines = LineTable([], 1)
        self._shards: dict[int, Shard] = {}
        self._scratch: Workspace | None = None

    def receive(self, payload: Lines) -> None:
        """Takes the lines that are judged, by number."""
        self._lines = LineTable(payload, self.region.scene.landscape.shape[1])
        self._shards, self._scratch = {}, None
        give_back_freed()

    def shards_held(self) -> int:
        """The number of shards that it holds."""
        return len(self._shards)

    def footprints(self, numbers: NDArray[np.int64], cores: Sequence[Core]) -> list[Footprint]:
        """Burn these fires untreated."""
        return footprints_of(self.region.scene, self.region.fires.part(numbers), cores)

    def losses(self, fires: Fires, plans: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
        """Losses of any fires under sets of breaks, flat cells, in whole units [plans, F]."""
        loss = burn_plans(self.region.scene, fires, plans)
        return np.rint(loss * loss_unit(self._bound)).astype(np.int64)

    def propose(self, core: Core, fires: Fires) -> Proposal:
        """The lines that a window's plan is made of, for fires that are its own."""
        region = self.region
        scene = region.scene.part(core.whole)
        own = np.zeros(scene.landscape.shape, np.bool_)
        rows, cols = core.inside.slices
        own[rows.start - core.whole.row:rows.stop - core.whole.row,
            cols.start - core.whole.col:cols.stop - core.whole.col] = True
        land = replace(scene.landscape, treatable=scene.landscape.treatable & own)
        if not land.treatable.any() or not fires.source.size:
            return Proposal([], 0.0)
        rules = region.rules  # cells to include in its core cost a window nothing
        wanted = mask_of_cells(rules.include, region.scene.landscape.shape)
        include = np.flatnonzero(wanted[core.whole.slices] & land.treatable)
        budget = (region.share * cost_of(np.flatnonzero(land.treatable), land)
                  + cost_of(include, land))
        rules = replace(rules, include=include, budget=budget if include.size else None)
        try:
            plan = make_plan(replace(scene, landscape=land), region.share, fires.source.size,
                             region.method, seed=region.seed, policy=region.policy,
                             search=region.search, rules=rules, fires=fires)
        except InputError as error:
            return Proposal([], 0.0, str(error))
        breaks = plan.break_mask()
        breaks.ravel()[rules.include] = False
        return Proposal([lift_cells(cells, core.whole.cols, (core.whole.row, core.whole.col),
                                    region.scene.landscape)
                         for cells in cut_lines(breaks, land, LINE_CELLS, region.rules.shortest_m)],
                        plan.simulations)

    def lost(self, number: int, plan: ShardPlan, taken: tuple[int, ...]) -> int:
        """Losses of the fires of a shard once the lines taken are broken, in whole units."""
        with self._shard(number, plan, taken) as shard:
            return shard.lost()

    def lost_in_order(self, plan: ShardPlan) -> NDArray[np.int64]:
        """Losses of the fires of a shard, in whole units i64 [n + 1]: without lines, and once each
        of the n is broken besides those before it. The shard is not kept.
        """
        shard = self._new_shard(plan)
        lost = [shard.lost()]
        for count in range(1, len(self._lines) + 1):
            shard.take(tuple(range(count)), self._lines)
            lost.append(shard.lost())
        return np.array(lost, np.int64)

    def rate(self, number: int, plan: ShardPlan, taken: tuple[int, ...],
             wanted: Sequence[Wanted], standing: bool = False) -> Rating:
        """Savings by each line wanted besides those taken; standing: by each of some taken."""
        with self._shard(number, plan, taken) as shard:
            return shard.rate(wanted, self._lines, standing=standing)

    @contextmanager
    def _shard(self, number: int, plan: ShardPlan, taken: tuple[int, ...]) -> Iterator[Shard]:
        """A shard with lines taken. It is kept unless it fails: it may have begun and not ended."""
        shard = self._shards.pop(number, None) or self._new_shard(plan)
        shard.take(taken, self._lines)
        yield shard
        self._shards[number] = shard

    def _new_shard(self, plan: ShardPlan) -> Shard:
        if self._scratch is None:
            self._scratch = room_to_burn(self.region.scene)
        return Shard(self.region.scene, plan, self.region.fires.part(plan.fires), self._bound,
                     self._scratch)


def make_worker(region: Region) -> RegionWorker:
    """The worker of a region."""
    return RegionWorker(region)


def cut_lines(breaks: NDArray[np.bool_], landscape: Landscape, cells: int,
              shortest_m: float) -> Lines:
    """Breaks [H, W] in pieces about so many cells long, none shorter than it may be."""
    return [segment.cells for segment in break_segments_of(
        breaks, landscape, max(cells * landscape.cell_size_m, 2.0 * shortest_m))]
