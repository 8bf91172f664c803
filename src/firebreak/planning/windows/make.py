"""A plan of a map of any size: windows propose, all plan fires judge, the best lines are taken."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log2
from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.agent.policy_file import Policy
from firebreak.checks import fail
from firebreak.env.storage.problem import nothing_burned
from firebreak.executors.base import Executor, call_all, call_each
from firebreak.executors.calls import Recipe
from firebreak.fire import Fires, WideScene, burn_wide_statistics
from firebreak.planning.core.limits import SEARCH, SearchOptions
from firebreak.planning.core.plan import Plan, check_plan, cost_of, cost_unit
from firebreak.planning.core.progress import Reporter, no_report
from firebreak.planning.windows.choose import Selection, choose_lines
from firebreak.planning.windows.cores import (
    CORE_CELLS,
    Core,
    check_margin,
    cores_of,
    margin_for,
    reach_of,
    share_beyond,
)
from firebreak.planning.windows.footprints import Footprint, fires_in
from firebreak.planning.windows.ratings import Ratings
from firebreak.planning.windows.region import (
    Lines,
    Proposal,
    Region,
    RegionWorker,
    make_worker,
)
from firebreak.planning.windows.seams import seam_lines
from firebreak.planning.windows.shards import ROOM, Rating, ShardPlan, shards_of

FEWEST_FIRES, CELLS_PER_FIRE = 256, 8
"""Plan fires: with fewer than one for every few cells of the budget a plan fences in the fires that
were drawn, and no others."""
MOST_FIRES = 256
"""Plan fires of a window, at most: all of them judge."""
OVER = 2.0
"""How much more than its share of the budget a window proposes."""
_FIRES_PER_CALL = 32
_COST_BITS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowSettings:
    """How a large map is cut.

    Attributes:
        core: cells along a side of what a window treats, about.
        margin: cells around it; None: as far as most fires get.
        over: how much more than its share of the budget a window proposes.
        most_fires: of a window.
    """

    core: int = CORE_CELLS
    margin: int | None = None
    over: float = OVER
    most_fires: int = MOST_FIRES


class WindowPlan(NamedTuple):
    """A plan of a large map, and how it came about.

    Attributes:
        plan: the plan.
        windows: how many proposed lines; margin: around each, in cells.
        beyond: share of the fires that touch the rim of the window that they start in.
        lines: proposed; taken: of them.
        promised: share of the untreated loss that the plan saves on the plan fires.
        shards, rated, risen: shards of plan fires; ratings of a line by a shard; how often a line
            saved more when it was rated again.
        refused: why windows proposed nothing, by number.
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
    refused: dict[int, str]


def plan_fires_for(budget_cells: int) -> int:
    """How many plan fires a budget of so many cells needs."""
    return max(FEWEST_FIRES, ceil(budget_cells / CELLS_PER_FIRE))


def check_region(scene: WideScene) -> None:
    """Refuses breaks and fires that parts of a map do not burn alike.

    Raises:
        InputError: naming what would be needed.
    """
    own = scene.conditions
    wrong = ("shaded breaks" if own.treatment.kind == "shaded" else
             f"breaks that fire crosses ('{own.breach}')" if own.breach != "never" else
             "breaks that crews hold, or fires that they attack" if own.meets_crews else
             "fires that throw embers" if own.spotting is not None else None)
    if wrong is not None:
        raise fail(expected="breaks that fire does not cross, and fires without crews and embers",
                   given=wrong, where=f"a plan by windows of {scene.landscape.name}",
                   remedy="plan a part of the map with --area, or change these options")


def region_recipe(region: Region) -> Recipe:
    """How a worker makes what it answers calls with."""
    return Recipe(make_worker, (region,))


def plan_by_windows(region: Region, budget_share: float, executor: Executor,
                    settings: WindowSettings = WindowSettings(), *, lazy: bool = True,
                    most_shard_fires: int = 2**20, report: Reporter = no_report) -> WindowPlan:
    """The plan of a region; the same bits for any executor and number of workers.

    Args:
        budget_share: of the cost of all treatable cells, (0, 1].
        executor: whose workers are made by `region_recipe`.
        lazy, most_shard_fires: see `choose_lines` and `shards_of`; `most_shard_fires` changes no
            bit.
        report: takes the share of the plan that is made.

    Raises:
        InputError: breaks or fires that windows do not allow, a margin below the reach of most
            fires, a budget that buys no line, fires that burn nothing of value.
    """
    check_region(region.scene)
    began = perf_counter()
    cut = _cut(region, settings, executor)
    report(0.05)
    proposals = _proposals(region, cut, settings, executor, report)
    lines = [line for proposal in proposals for line in proposal.lines]
    lines += seam_lines(lines, region.scene.landscape, cut.cores,
                        joined=region.scene.conditions.leak)
    judged = _judged(region, cut, lines, budget_share, executor, lazy, most_shard_fires, report)
    cells = np.concatenate([np.empty(0, np.int64), *(lines[k] for k in judged.chosen.lines)])
    land = region.scene.landscape
    fires = region.fires.source.size
    plan = Plan(
        method=region.method, cells=cells, shape=land.shape, cost=cost_of(cells, land),
        cost_unit=cost_unit(land), budget=judged.budget, budget_share=budget_share,
        landscape=land.name, landscape_checksum=land.checksum(), plan_fires=fires,
        seed=region.seed, seconds=perf_counter() - began,
        simulations=sum(proposal.simulations for proposal in proposals),
        policy=region.policy.provenance if region.policy else None,
        notes={"promised": judged.promised, "windows": float(len(cut.cores)),
               "fires_beyond_their_window": cut.beyond})
    check_plan(plan, land)
    report(1.0)
    return WindowPlan(
        plan, len(cut.cores), cut.margin, cut.beyond, len(lines), len(judged.chosen.lines),
        judged.promised, judged.shards, judged.ratings.rated, judged.ratings.risen,
        {core.number: proposal.refused for core, proposal in zip(cut.cores, proposals, strict=True)
         if proposal.refused})


def kept_share(scene: WideScene, plan: Plan, fires: Fires) -> float:
    """What a plan saves of the loss of fires that it was not made from."""
    before = burn_wide_statistics(scene, fires).loss.sum()
    after = burn_wide_statistics(scene, fires, plan.break_mask()).loss.sum()
    return float(1.0 - after / before) if before > 0.0 else 0.0


class _Cut(NamedTuple):
    cores: list[Core]
    footprints: list[Footprint]
    margin: int
    beyond: float


class _JudgedLines(NamedTuple):
    chosen: Selection
    ratings: Ratings
    promised: float
    shards: int
    budget: float


def _cut(region: Region, settings: WindowSettings, executor: Executor) -> _Cut:
    """The windows, with a margin that follows from how far the first fires get."""
    land, fires = region.scene.landscape, region.fires
    some = np.arange(min(fires.source.size, FEWEST_FIRES))
    boxes = [one.box for one in _footprints(region, some, (), executor)]
    reach = reach_of(fires.source[some], boxes, land.shape[1])
    if settings.margin is not None:
        check_margin(settings.margin, reach, land.name)
    margin = margin_for(reach, settings.core) if settings.margin is None else settings.margin
    cores = cores_of(land.shape, settings.core, margin)
    footprints = _footprints(region, np.arange(fires.source.size), cores, executor)
    return _Cut(cores, footprints, margin, share_beyond(
        fires.source, [one.box for one in footprints], cores, land.shape))


def _footprints(region: Region, numbers: NDArray[np.int64], cores: Sequence[Core],
                executor: Executor) -> list[Footprint]:
    """Of fires by number; fires of one weather burn together."""
    order = numbers[np.argsort(region.fires.scenario[numbers], kind="stable")]
    calls = [(order[k:k + _FIRES_PER_CALL], cores) for k in range(0, order.size, _FIRES_PER_CALL)]
    made = [one for part in call_all(executor, RegionWorker.footprints.__name__, calls)
            for one in part]
    by_number = dict(zip(order.tolist(), made, strict=True))
    return [by_number[number] for number in numbers.tolist()]


def _proposals(region: Region, cut: _Cut, settings: WindowSettings, executor: Executor,
               report: Reporter) -> list[Proposal]:
    calls = [(core, fires_in(core, region.fires, cut.footprints, settings.most_fires,
                             region.scene.landscape.shape[1])) for core in cut.cores]
    found = []
    for proposal in call_each(executor, RegionWorker.propose.__name__, calls):
        found.append(proposal)
        report(0.05 + 0.5 * len(found) / len(calls))
    return found


def _judged(region: Region, cut: _Cut, lines: Lines, budget_share: float, executor: Executor,
            lazy: bool, most_shard_fires: int, report: Reporter) -> _JudgedLines:
    land = region.scene.landscape
    shards = shards_of([one.box for one in cut.footprints], region.fires.scenario,
                       most_shard_fires)
    executor.share(lines)
    untreated = sum(call_each(executor, RegionWorker.untreated.__name__, list(enumerate(shards))))
    if untreated <= 0:
        raise nothing_burned(region.scene)
    budget = budget_share * cost_of(np.flatnonzero(land.treatable), land)
    unit = 2.0**(_COST_BITS - ceil(log2(float(land.cost.max()))))
    costs = [round(cost_of(line, land) * unit) for line in lines]
    whole = floor(budget * (1.0 + 1e-9) * unit)
    if not costs or min(costs) > whole:
        raise fail(expected="a budget that buys one of the lines that windows propose",
                   given=f"{budget:g} {cost_unit(land)}", where=f"landscape {land.name}",
                   remedy="raise the budget")
    meets = _meets(lines, shards, land.shape)
    ratings = Ratings(lines, land.shape[1], meets)

    def rate(taken: tuple[int, ...], wanted: dict[int, list[int]]) -> dict[int, Rating]:
        calls = [(shard, shards[shard], taken, numbers)
                 for shard, numbers in wanted.items()]
        return dict(zip(wanted, call_each(executor, RegionWorker.rate.__name__, calls,
                                          list(wanted)), strict=True))

    spent = 0

    def told(cost: int) -> None:
        nonlocal spent
        spent += cost
        report(0.55 + 0.45 * min(spent / max(whole, 1), 1.0))

    chosen = choose_lines(costs, whole, ratings, rate, lazy=lazy, report=told)
    return _JudgedLines(chosen, ratings, sum(chosen.saved) / untreated, len(shards), budget)


def _meets(lines: Lines, shards: Sequence[ShardPlan], shape: tuple[int, int]) -> list[list[int]]:
    """Of each line the shards that it may have cells in, where fires may burn."""
    boxes = np.array([shard.box for shard in shards], np.int64)
    found = []
    for line in lines:
        row, col = np.divmod(line, shape[1])
        near = ((boxes[:, 0] - ROOM <= row.max()) & (boxes[:, 2] + ROOM > row.min())
                & (boxes[:, 1] - ROOM <= col.max()) & (boxes[:, 3] + ROOM > col.min()))
        found.append(np.flatnonzero(near).tolist())
    return found


def make_region(scene: WideScene, budget_share: float, method: str, *, seed: int,
                policy: Policy | None = None, search: SearchOptions = SEARCH,
                plan_fires: int | None = None, over: float = OVER) -> Region:
    """The region of a map: its plan fires, as many as the budget needs if not given."""
    land = scene.landscape
    count = plan_fires or plan_fires_for(round(budget_share * int(land.treatable.sum())))
    return Region(scene=scene, fires=scene.fires("plan", count), method=method, policy=policy,
                  search=search, share=min(1.0, budget_share * over), seed=seed)
