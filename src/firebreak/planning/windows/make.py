"""A plan of a map of any size: windows propose, all plan fires judge, the best lines are taken."""

from collections.abc import Sequence
from math import ceil, inf
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from firebreak.checks import InputError, fail
from firebreak.env.storage.problem import nothing_burned
from firebreak.executors.base import Executor, map_chunks
from firebreak.executors.calls import Recipe
from firebreak.fire import Scene
from firebreak.free_memory import check_free
from firebreak.planning.core.fire_counts import enough_plan_fires
from firebreak.planning.core.limits import MOST_BURNED, SEARCH, SearchOptions
from firebreak.planning.core.line_trials import UNTRIED, tried_cells
from firebreak.planning.core.plan import Plan, check_plan, plan_on
from firebreak.planning.core.progress import Reporter, no_report, part_of
from firebreak.planning.core.rules import FREE, PlanRules
from firebreak.planning.methods import METHODS
from firebreak.planning.windows.cores import (
    OVER,
    WINDOWS,
    Core,
    WindowSettings,
    check_margin,
    cores_of,
    margin_for,
    reach_of,
    seam_lines,
    share_beyond,
)
from firebreak.planning.windows.exchange import chosen_plan
from firebreak.planning.windows.kept import NOTHING_KEPT, Kept
from firebreak.planning.windows.line_plan import (
    ShardedFires,
    budget_of,
    check_included,
    plan_of_lines,
)
from firebreak.planning.windows.memory import check_memory, fitting_shards
from firebreak.planning.windows.reached import footprints_by_workers
from firebreak.planning.windows.region import (
    Footprint,
    Lines,
    Proposal,
    Region,
    RegionWorker,
    fires_in,
    make_worker,
)
from firebreak.planning.windows.shards.shard_plan import known_boxes

if TYPE_CHECKING:
    from firebreak.agent.policy_file import Policy

FEWEST_FIRES, CELLS_PER_FIRE = 256, 8
"""Plan fires: with fewer than one for every few cells of its budget a plan fences in the fires that
were drawn, and no others."""
_FIRE_BYTES = 600
"""Memory of a plan fire: what it is, the box that it burned, and the windows that it came to."""
class WindowPlan(NamedTuple):
    """A plan of a large map, and how it came about.

    Attributes:
        plan: the plan.
        windows: how many proposed lines; margin: around each, in cells.
        beyond: share of the fires that touch the rim of the window that they start in.
        lines: proposed; taken: of them.
        promised: share of the untreated loss that the plan saves on the plan fires.
        shards: of plan fires.
        rated, risen: how often a line was rated, and how often it then saved more than before.
        rows: whether it began with rows across the whole map, which saved more of the choice fires
            than the lines of windows.
        refused: why windows proposed nothing, by number.
        needed_bytes: of memory that it was to take beside the process itself, see `check_memory`.
    """

    plan: Plan
    windows: int
    margin: int
    beyond: float
    lines: int
    taken: int
    promised: float
    shards: int
    rated: int
    risen: int
    rows: bool
    refused: dict[int, str]
    needed_bytes: int


def plan_fires_for(budget_cells: int) -> int:
    """The number of plan fires that a budget of so many cells needs."""
    return max(FEWEST_FIRES, ceil(budget_cells / CELLS_PER_FIRE))


def region_recipe(region: Region) -> Recipe:
    """The recipe by which a worker makes what it answers calls with."""
    return Recipe(make_worker, (region,))


def plan_by_windows(region: Region, budget_share: float, executor: Executor,
                    settings: WindowSettings = WINDOWS, *, most_shard_fires: int = 2**20,
                    kept: Kept = NOTHING_KEPT,
                    report: Reporter = no_report) -> WindowPlan:
    """The plan of a region; the same bits for any executor and number of workers.

    Args:
        budget_share: of the cost of all treatable cells, (0, 1].
        executor: whose workers are made by `region_recipe`.
        most_shard_fires: see `shards_of`; it changes no bit.
        kept: what was computed before, for a plan that goes on; it changes no bit.
        report: takes the share of the plan that is made.

    Raises:
        InputError: a margin below the reach of most fires, a budget that buys no line, fires that
            burn nothing of value or come near no land to treat, breaks that save nothing, windows
            or shards that do not fit the memory.
    """
    began, budget = perf_counter(), budget_of(region, budget_share)
    check_included(region, budget)
    cut = _cut(region, settings, executor)
    boxes = known_boxes([one.box for one in cut.footprints], region.scene)
    shards = fitting_shards(region, boxes, executor, most_shard_fires)
    needed = check_memory(region, cut.cores, cut.margin, min(settings.most_fires, len(boxes)),
                          shards, boxes, executor)
    report(0.05)
    proposals = _proposals(region, cut, settings, executor, kept, report)
    lines, forced = _lines(region, proposals, cut)
    sharded = ShardedFires(region, shards, lines, executor, kept, _most_tried(region, cut))
    untreated = sharded.lost_by_shard()
    if sum(untreated) <= 0:
        raise nothing_burned(region.scene)
    by_windows = plan_of_lines(region, sharded, lines, forced, budget,
                               part_of(report, 0.55, 0.75))
    chosen = chosen_plan(region, sharded, by_windows, untreated, budget, kept,
                         part_of(report, 0.75, 1.0))
    land, promised = region.scene.landscape, 1.0 - chosen.made.lost / sum(untreated)
    left = chosen.made.untried
    plan = plan_on(
        land, chosen.cells, method=region.method, budget=budget, budget_share=budget_share,
        plan_fires=region.fires.source.size, seed=region.seed, seconds=perf_counter() - began,
        simulations=(sum(proposal.simulations for proposal in proposals)
                     + chosen.burned / region.fires.source.size),
        policy=region.policy.provenance if region.policy else None,
        notes={"promised": promised, "windows": float(len(cut.cores)),
               "fires_beyond_their_window": cut.beyond, "rows": float(chosen.rows),
               **({} if left is None else {UNTRIED: left})})
    check_plan(plan, land)
    report(1.0)
    return WindowPlan(
        plan, len(cut.cores), cut.margin, cut.beyond, len(chosen.lines), len(chosen.made.lines),
        promised, len(shards), chosen.made.rated, chosen.made.risen, chosen.rows,
        {core.number: proposal.refused for core, proposal in zip(cut.cores, proposals, strict=True)
         if proposal.refused}, needed)


def _most_tried(region: Region, cut: "_Cut") -> float:
    """Fires that trials may burn anew: as many as burn MOST_BURNED cells, about."""
    if not region.scene.conditions.burns_anew:
        return inf
    return MOST_BURNED / max(tried_cells(np.array([one.cells for one in cut.footprints])), 1.0)


class _Cut(NamedTuple):
    cores: list[Core]
    footprints: list[Footprint]
    margin: int
    beyond: float


def _cut(region: Region, settings: WindowSettings, executor: Executor) -> _Cut:
    """The windows, with a margin that follows from how far the first fires get."""
    land, fires = region.scene.landscape, region.fires
    some = np.arange(min(fires.source.size, FEWEST_FIRES))
    boxes = [one.box for one in footprints_by_workers(region, some, (), executor)]
    reach = reach_of(fires.source[some], boxes, land.shape[1])
    if settings.margin is not None:
        check_margin(settings.margin, reach, land.name)
    margin = margin_for(reach, settings.core) if settings.margin is None else settings.margin
    cores = cores_of(land.shape, settings.core, margin)
    footprints = footprints_by_workers(region, np.arange(fires.source.size), cores, executor)
    return _Cut(cores, footprints, margin, share_beyond(
        fires.source, [one.box for one in footprints], cores, land.shape))


def _proposals(region: Region, cut: _Cut, settings: WindowSettings, executor: Executor,
               kept: Kept, report: Reporter) -> list[Proposal]:
    found = {core.number: proposal for core in cut.cores
             if (proposal := kept.proposal(core.number)) is not None}
    missing = [core for core in cut.cores if core.number not in found]
    calls = [(core, fires_in(core, region.fires, cut.footprints, settings.most_fires,
                             region.scene.landscape.shape[1])) for core in missing]
    for place, proposal in map_chunks(executor, RegionWorker.propose.__name__, calls, "async"):
        found[missing[place].number] = proposal
        kept.keep_proposal(missing[place].number, proposal)
        report(0.05 + 0.5 * len(found) / len(cut.cores))
    return [found[core.number] for core in cut.cores]


def _lines(region: Region, proposals: Sequence[Proposal], cut: _Cut) -> tuple[Lines, list[int]]:
    """All lines to judge, and the numbers of those that the plan must have.

    Raises:
        InputError: there are none, since windows refused, what the first one said; or since no fire
            comes near land to treat.
    """
    lines = [line for proposal in proposals for line in proposal.lines]
    refused = [proposal.refused for proposal in proposals if proposal.refused]
    include, any_lines = region.rules.include, bool(lines)
    if refused and not any_lines and (
            not include.size or len(refused) == _windows_with_fires(region, cut)):
        # A plan of the included cells would bear the name of a method that planned nothing.
        raise InputError(refused[0])
    if not any_lines and not include.size and not _windows_with_fires(region, cut):
        fires = region.fires.source.size
        raise fail(expected="plan fires that come near land that may be treated",
                   given=f"none of {fires:,}", where=f"landscape {region.scene.landscape.name}",
                   remedy="raise --plan-fires, let fires last longer, or let more land be treated")
    lines += seam_lines(lines, region.scene.landscape, cut.cores,
                        joined=region.scene.conditions.leak)
    if not include.size:
        return lines, []
    bare = (line[~np.isin(line, include)] for line in lines)
    return [include, *(line for line in bare if line.size)], [0]


def _windows_with_fires(region: Region, cut: _Cut) -> int:
    """The number of windows with land to treat and fires that come near it."""
    treatable = region.scene.landscape.treatable
    return sum(bool(treatable[core.inside.slices].any() and fires_in(
        core, region.fires, cut.footprints, 1, treatable.shape[1]).source.size)
        for core in cut.cores)


def make_region(scene: Scene, budget_share: float, method: str, *, seed: int,
                policy: "Policy | None" = None, search: SearchOptions = SEARCH,
                plan_fires: int | None = None, over: float = OVER,
                rules: PlanRules = FREE) -> Region:
    """The region of a map: its plan fires, as many as budget and values need if not given.

    Raises:
        InputError: more fires than fit the memory that is free.
    """
    land = scene.landscape
    count = enough_plan_fires(scene, plan_fires, plan_fires_for(
        round(budget_share * int(land.treatable.sum()))))
    check_free({f"{count:,} plan fires": count * _FIRE_BYTES}, where=f"landscape {land.name}",
               remedy="ask for fewer with --plan-fires")
    followed = policy if METHODS[method].guided else None  # no plan names another
    return Region(scene=scene, fires=scene.fires("plan", count), method=method, policy=followed,
                  search=search, share=min(1.0, budget_share * over), seed=seed,
                  rules=rules)
