"""Method `enclose`: closed barriers around what is valued, or the best parts of them.

Cuts propose: those that the budget pays for, and parts of those that it does not. Burning decides,
for a cut knows neither how far fire runs before it goes out nor what holds it. What is left of the
budget goes to straight lines and further pieces of cuts, as `segments` places them.
"""

from dataclasses import replace

import numpy as np

from firebreak.checks import fail
from firebreak.env.gains import gains_of_lines, trial_in_place
from firebreak.env.storage.problem import Problem, nothing_burned
from firebreak.fire import burn, burn_plans
from firebreak.landscape.landscape import Landscape
from firebreak.planning.barriers.cut import Barriers, Cells, Mask, Network, Stakes, barriers
from firebreak.planning.barriers.pieces import arcs, corridors_of
from firebreak.planning.barriers.words import BEYOND, BEYOND_COST, CLOSED, INSIDE, NOTABLY
from firebreak.planning.core.build_rules import BuildRules
from firebreak.planning.core.corridors import Corridors
from firebreak.planning.core.plan import cost_of
from firebreak.planning.core.rounds import Placement, Task, loaded, spendable
from firebreak.planning.patterns.line_greedy import place_line_greedy
from firebreak.planning.search.filling import tries_quickly

FILLED = 2
"""Proposals that are filled to the end: what saves most, and what saves most per cost. The first
alone saves 0.05 less of the loss on all of Bitterroot, and 0.08 less on jobs with breaches."""
NEARLY_ALL, MOST_BUDGETS = 0.8, 4.0
"""Share of what any barrier shuts out that one must, to be told of, and what it may cost."""
MOST_WHOLE = 16
"""Barriers of whole corridors that are burned, the dearest."""
IN_PARTS, OFFERED = 3, 3
"""Barriers beyond the budget, in parts; and in pieces, one alone where trials burn anew."""


def stakes_of(problem: Problem, only: Corridors | None = None) -> Stakes:
    """The losses of a problem's plan fires, and where they come from: one burn of them all. Bare
    ground that fire may cross is open, and nothing can be done there.

    only: the sole corridors that may be treated.

    Raises:
        InputError: they burn nothing of value.
    """
    scene, fires = problem.scene, problem.plan_fires
    land, standing = scene.landscape, problem.standing_mask()
    burned = burn(scene, fires, standing if standing.any() else None, want="statistics")
    if not burned.lost.any():
        raise nothing_burned(scene)
    entry = np.zeros(land.shape, np.bool_)
    start = np.bincount(fires.source, burned.loss / fires.source.size,
                        land.fuel_model.size).reshape(land.shape)
    if scene.conditions.regime.edge_share > 0.0:
        entry[[0, -1]] = entry[:, [0, -1]] = True
        entry &= land.burnable & (land.ignition_weight > 0.0) & (start[entry].sum() > 0.0)
    treatable = land.treatable & ~standing
    if only is not None:
        treatable &= only.mask(land.shape)
    cost = np.where(treatable, land.cost.astype(np.float64), np.inf)
    opened, ground = land.burnable & ~standing, scene.field.breaks.ground
    if ground.size:
        opened |= ground != 0
    return Stakes(opened, cost, burned.lost, entry, np.where(entry, 0.0, start),
                  scene.conditions.leak)


def relying_on_bare_ground(stakes: Stakes, problem: Problem) -> Barriers:
    """Barriers as if fire never crossed bare ground, where there is some; burning decides."""
    walls = stakes._replace(open=stakes.open & problem.scene.landscape.burnable)
    if (walls.open == stakes.open).all():
        return Barriers([], [])
    return barriers(Network(walls), spendable(problem.budget))


def place_enclose(task: Task) -> Placement:
    """The closed barrier, the parts of one, or the several that save most on the plan fires.

    Source: fire containment as a minimum cut, see `cut`.

    Raises:
        InputError: the plan fires burn nothing of value, or no barrier keeps them from any.
    """
    problem, only = task.problem, task.lines if task.lines and task.lines.only else None
    stakes = stakes_of(problem, only)
    found = barriers(Network(stakes), spendable(problem.budget))
    check_closed(found, stakes, problem)
    land, leak = problem.scene.landscape, stakes.leak
    if only is not None and only.routes:
        plans = of_corridors(only, land, problem.budget, problem.standing_mask())
    else:
        relying = relying_on_bare_ground(stakes, problem)
        plans = [cut.cells for cut in (*found.bought, *relying.bought) if cut.cells.size]
        for cut in (*found.beyond[:IN_PARTS], *relying.beyond[:IN_PARTS]):
            plans += arcs(cut, land, problem.budget, leak=leak)
    order = [plans[k] for k in _best_first(problem, plans)] or [np.empty(0, np.int64)]
    offered = corridors_of(found.beyond[:most_offered(problem)] or found.bought[-1:], land,
                           leak=leak)
    lines = task.lines if only is not None else joined(task.lines, offered)
    made = [_filled(task._replace(lines=lines), cells) for cells in order]
    best = made[0] if len(made) == 1 else made[
        int(np.argmin(_losses(problem, [one.cells for one in made])))]
    burned = 2.0 + len(plans) + sum(one.simulations for one in made)
    return Placement(best.cells, burned, (best.notes or {}) | notes_of(
        found, stakes, problem.budget))


def of_corridors(lines: Corridors, land: Landscape, budget: float,
                 standing: Mask | None = None) -> list[Cells]:
    """Flat cells of the dearest barriers of whole corridors that a budget buys; of a barrier that
    it does not buy, or that may not be built beside what stands [H, W], as many neighbouring
    corridors as can.
    """
    found: dict[bytes, tuple[float, Cells]] = {}
    built = np.zeros(land.shape, np.bool_) if standing is None else standing
    rules = BuildRules(lines, land)
    for number in sorted(set(lines.line)):
        along = [place for place, line in enumerate(lines.line) if line == number]
        kinds = {lines.corridors[place].kind for place in along}
        if not kinds <= {"cut", "gap"} or (kinds == {"gap"} and len(along) == 1):
            continue
        own = {place: lines.corridors[place].in_order() for place in along}
        for first in range(len(along)):
            some = np.empty(0, np.int64)
            for last in range(first, len(along)):
                new = own[along[last]]
                more = np.concatenate([some, new[~np.isin(new, some)]])
                if cost_of(more, land) > spendable(budget) or not rules.may_be_built(
                        built, along[first:last + 1], more[~built.ravel()[more]]):
                    break
                some = more
            if some.size:
                found.setdefault(np.sort(some).tobytes(), (cost_of(some, land), some))
    return [some for _, some in sorted(found.values(), key=lambda pair: -pair[0])][:MOST_WHOLE]


def check_closed(found: Barriers, stakes: Stakes, problem: Problem) -> None:
    """Refuses a job in which no barrier, at any cost, keeps fires from any value.

    Raises:
        InputError: saying why.
    """
    if len(found.bought) + len(found.beyond) > 1:
        return
    inside = not stakes.entry.any() and not (stakes.start[stakes.value <= 0.0] > 0.0).any()
    raise fail(
        expected="value that a barrier can keep apart from where fires start",
        given="fires that all start among the value" if inside else
        "value that fire reaches over ground that cannot be treated",
        where=f"method enclose on landscape {problem.scene.landscape.name}",
        remedy="use method segments, or let more land be treated")


def notes_of(found: Barriers, stakes: Stakes, budget: float) -> dict[str, float]:
    """The facts on barriers in a plan, in shares of what is at stake without any: the most that one
    shuts out which the budget buys; the cheapest that shuts out nearly all that any does, and its
    cost, where the budget does not buy one; what is lost to fires that start behind it.
    """
    whole = found.bought[0].lost
    shuts = {cut.cost: 1.0 - cut.lost / whole for cut in (*found.bought, *found.beyond)}
    enough = NEARLY_ALL * max(shuts.values())
    notes = {CLOSED: max(1.0 - cut.lost / whole for cut in found.bought)}
    worth = [cut for cut in (*found.bought, *found.beyond)
             if shuts[cut.cost] >= enough and cut.cost <= MOST_BUDGETS * budget]
    if not worth:
        return notes
    if notes[CLOSED] < enough:
        notes |= {BEYOND_COST: worth[0].cost, BEYOND: shuts[worth[0].cost]}
    inside = float(stakes.start[~worth[-1].exposed].sum()) / whole
    return notes | ({INSIDE: inside} if inside >= NOTABLY else {})


def most_offered(problem: Problem) -> int:
    """The number of barriers whose pieces lines are chosen among."""
    return OFFERED if tries_quickly(problem.scene.field) else 1


def joined(lines: Corridors | None, more: Corridors | None) -> Corridors | None:
    """Lines to choose among, and more of them."""
    if lines is None or more is None:
        return lines or more
    first = max(lines.line) + 1
    return replace(lines, corridors=(*lines.corridors, *more.corridors),
                   line=(*lines.line, *(first + number for number in more.line)))


def _best_first(problem: Problem, plans: list[Cells]) -> list[int]:
    """Numbers of the plans worth filling: that which saves most, then by what they save per cost.
    """
    if not plans:
        return []
    slots = loaded(problem)
    if trial_in_place(slots):
        saved = gains_of_lines(slots, plans)[0]
    else:
        losses = _losses(problem, [np.empty(0, np.int64), *plans])
        saved = losses[0] - losses[1:]
    rate = saved / np.array([cost_of(cells, problem.scene.landscape) for cells in plans])
    order = np.argsort(-rate, kind="stable").tolist()
    most = int(np.argmax(saved))
    return [k for k in dict.fromkeys([most, *order]) if saved[k] > 0.0][:FILLED]


def _losses(problem: Problem, plans: list[Cells]) -> np.ndarray:
    """Mean loss of the plan fires under each of some sets of flat cells beside what stands."""
    with_standing = [np.concatenate([problem.standing, cells]) for cells in plans]
    return burn_plans(problem.scene, problem.plan_fires, with_standing).mean(axis=1)


def _filled(task: Task, cells: Cells) -> Placement:
    """Cells, and lines that spend what is left of the budget beside them."""
    problem, land = task.problem, task.problem.scene.landscape
    treatable = land.treatable.copy()
    treatable.ravel()[cells] = False
    left = problem.budget - cost_of(cells, land)
    if not (land.cost[treatable] <= spendable(left)).any():
        return Placement(cells, 0.0)
    more = place_line_greedy(task._replace(problem=replace(
        problem, scene=replace(problem.scene, landscape=replace(land, treatable=treatable)),
        budget=left, standing=np.concatenate([problem.standing, cells]))))
    return more._replace(cells=np.concatenate([cells, more.cells]))
