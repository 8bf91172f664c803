"""Plans that were drawn or made elsewhere, at their own cost: what each saves for its length and
cost, what the single lines or polygons of a drawn map are worth, and what a plan that begins with
them changes.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from firebreak.checks import counted
from firebreak.fire import Fires, KnownFires, Scene
from firebreak.landscape.candidates.corridor import Cells, Corridor, corridor_of
from firebreak.landscape.candidates.corridors.anchors import BARE
from firebreak.landscape.landscape import Landscape, mask_of_cells
from firebreak.landscape.value_unit import value_unit
from firebreak.line_actions import line_steps
from firebreak.planning.core.break_segments import break_segments_of, pieces
from firebreak.planning.core.corridors import parts_of
from firebreak.planning.core.plan import Plan, cost_of
from firebreak.planning.core.progress import Reporter, no_report
from firebreak.planning.evaluation.effect import meets_crews
from firebreak.planning.evaluation.intervals import FireGroups, Interval, fire_groups
from firebreak.planning.evaluation.judging import TEST_SET, Burn, SceneResult, statistics


class Named(Protocol):
    """A line or polygon."""

    @property
    def name(self) -> str: ...
    @property
    def cells(self) -> NDArray[np.int64]: ...


class Drawn(Named, Protocol):
    """A line or polygon of a drawn plan, see `output.given.Feature`."""

    @property
    def treatment(self) -> str: ...


class Rate(NamedTuple):
    """Savings of a plan for its length and its cost, of the mean loss of a fire, in the unit of
    `Row.loss_unit`: a km of its segments, a unit of cost. more_per_km, more_per_cost: than the
    first of the plans; None of that.
    """

    km: float
    cost: float
    per_km: Interval
    per_cost: Interval
    more_per_km: Interval | None
    more_per_cost: Interval | None


def rates_of(scene: Scene, result: SceneResult, plans: Mapping[str, Plan]) -> dict[str, Rate]:
    """Rates of plans that treat something, by name, with paired 95 % intervals."""
    groups, before = _groups(result), result.untreated
    scale = float(before.mean()) * value_unit(scene.landscape).per_value
    sizes = {name: (sum(part.length_m for part in parts_of(plan, scene.landscape)) / 1000.0,
                    plan.cost) for name, plan in plans.items() if plan.cells.size}

    def saved(less: NDArray[np.float64]) -> Interval:
        return Interval(*(scale * one for one in groups.saving(less, before, at_most=None)))

    found: dict[str, Rate] = {}
    for name, own in sizes.items():
        each = [result.saved[name] / size for size in own]
        first = next(iter(sizes))
        than = [result.saved[first] / size for size in sizes[first]]
        found[name] = Rate(*own, *map(saved, each), *(
            (None, None) if name == first
            else [saved(one - other) for one, other in zip(each, than, strict=True)]))
    return found


class Met(NamedTuple):
    """Mean length, m, of breaks that a fire reaches, and at which crews hold it; None where it is
    not known, see `meets_crews`.
    """

    engaged_m: float | None = None
    held_m: float | None = None

    def columns(self) -> dict[str, float]:
        """Columns of a table with what is known."""
        return {name: round(length, 1) for name, length in self._asdict().items()
                if length is not None}


class FeatureWorth(NamedTuple):
    """Shares of the loss without breaks. alone: what a feature saves by itself; lost: what its plan
    saves less without it. met: of it, under its plan; gaps: see `gaps_of`. treatment: its own, by
    name, empty where no line names one.
    """

    name: str
    cells: int
    cost: float
    alone: Interval
    lost: Interval
    met: Met = Met()
    gaps: Sequence[Corridor] = ()
    treatment: str = ""


def gaps_of(cells: Cells, features: Sequence[Named], land: Landscape, *, leak: bool,
            ) -> list[Corridor]:
    """The straight ways ahead from the ends of the pieces of a feature's cells to what stops fire
    nearest, by its name: bare ground, other features or pieces. Ends that touch such cells, by
    edges if breaks leak, have none.
    """
    name_of, width = np.where(land.burnable.ravel(), "", BARE).astype(object), land.shape[1]
    for one in features:
        name_of[one.cells] = one.name
    found = list[Corridor]()
    for piece in break_segments_of(mask_of_cells(cells, land.shape), land, np.inf):
        stops = np.setdiff1d(np.flatnonzero(name_of != ""), piece.cells)
        ends = np.stack(np.divmod(piece.path[[0, -1]], width), axis=1)
        for end, other in (ends, ends[::-1])[:piece.path.size]:
            steps = np.stack(np.divmod(stops, width), axis=1) - end
            counts = np.abs(steps).sum(axis=1) if leak else np.abs(steps).max(axis=1)
            ahead = np.flatnonzero(steps @ (end - other) >= 0)
            if ahead.size and counts.min() > 1:
                nearest = ahead[np.argmin(np.hypot(*steps[ahead].T))]
                path = end + line_steps(tuple(steps[nearest]), int(counts[nearest]), leak)[1:]
                found.append(corridor_of(path @ np.array([width, 1]), land, "gap")._replace(
                    name=name_of[stops[nearest]]))
    return found


def stays_open_m(gap: Corridor) -> float:
    """Length of a gap over ground that burns and may not be treated, m: no money closes that."""
    return gap.length_m * (1.0 - gap.cells.size / gap.path.size)


def met_by_fires(scene: Scene, fires: Fires, breaks: Cells,
                 burn: Burn = statistics) -> Callable[[Cells], Met]:
    """The function that says how much of some of the breaks fires meet under all of them."""
    if not meets_crews(scene):
        return lambda cells: Met()
    found = burn(scene, fires, mask_of_cells(breaks, scene.landscape.shape))
    held, size = found.held_probability.ravel(), scene.landscape.cell_size_m
    reached = found.burn_probability.ravel() + held
    return lambda cells: Met(size * float(reached[cells].sum()), size * float(held[cells].sum()))


def worth_of(scene: Scene, result: SceneResult, plan: Plan, features: Sequence[Drawn],
             burn: Burn = statistics, report: Reporter = no_report) -> list[FeatureWorth]:
    """The worth of the features of a drawn plan on the test fires.

    Args:
        features: whose cells are all of the plan's; a cell may be of several, and is treated as in
            the plan, which the scene says.
        report: takes fires as they burn, twice the test fires for each feature.
    """
    land, groups, before = scene.landscape, _groups(result), result.untreated
    fires = scene.fires(TEST_SET, before.size)
    known = (KnownFires(scene, fires, plan.break_mask())
             if burn is statistics and not scene.tiled else None)
    standing = None if known is None else known.under(plan.break_mask())
    times = np.zeros(land.fuel_model.size, np.int64)  # features that a cell is of
    for feature in features:
        times[feature.cells] += 1

    def loss(cells: NDArray[np.int64], beside: KnownFires | None) -> NDArray[np.float64]:
        mask = mask_of_cells(cells, land.shape)
        report(before.size)
        return burn(scene, fires, mask).loss if beside is None else beside.loss_under(mask)

    under, found = loss(plan.cells, standing), []
    met = met_by_fires(scene, fires, plan.cells, burn)
    for feature in features:
        alone = loss(feature.cells, known)
        rest = plan.cells[~np.isin(plan.cells, feature.cells[times[feature.cells] == 1])]
        found.append(FeatureWorth(
            feature.name, int(feature.cells.size), cost_of(feature.cells, land),
            groups.saving(before - alone, before),
            groups.saving(loss(rest, standing) - under, before, at_most=None), met(feature.cells),
            gaps_of(feature.cells, features, land, leak=scene.conditions.leak), feature.treatment))
    return found


def _groups(result: SceneResult) -> FireGroups:
    return fire_groups(result.weather, result.untreated, result.times)


KEEP, DROP, SHORTEN, LENGTHEN, JOIN, ADD = "keep", "drop", "shorten", "lengthen", "join", "add"
COVERED = "covered"
RANK = {JOIN: 0, LENGTHEN: 0, ADD: 0, DROP: 1, SHORTEN: 1, KEEP: 2, COVERED: 3}
"""The place of an action among the changes."""


class Change(NamedTuple):
    """A line of the network, or a new one, and what is done with it.

    Attributes:
        action: DROP, SHORTEN or KEEP of the network, COVERED of a shape that lies on cells of other
            lines alone; JOIN, LENGTHEN or ADD of what is new.
        name: of the line; beside: of the lines of the network that a new one touches, or that lie
            where this one does.
        cells: how many are dropped, kept, or new.
        cost: of these.
        saved: share of the loss without breaks that they save beside the others, of the network or
            of the plan.
        met: of these cells under that.
    """

    action: str
    name: str
    beside: tuple[str, ...]
    cells: int
    cost: float
    saved: Interval
    met: Met = Met()


def changes_of(scene: Scene, fires: Fires, groups: FireGroups, network: Sequence[Named],
               plan: Plan, covered: Sequence[Named] = (), parts: Sequence[Named] = (),
               report: Reporter = no_report) -> list[Change]:
    """The changes from a network to a plan: what is new first, by what it saves per cost; then what
    is dropped, the least worth first; then what is kept.

    Args:
        fires: that say what each saves, with `groups` of them.
        network: lines of treatable cells; a cell may be of several.
        covered: shapes that lie on cells of these lines alone.
        parts: of the plan, where they have names; else its new cells are told piece by piece.
        report: takes lines.
    """
    land = scene.landscape
    own = np.unique(np.concatenate([plan.cells[:0], *(one.cells for one in network)]))
    known = KnownFires(scene, fires, land.treatable)
    met_before, met = (met_by_fires(scene, fires, cells) for cells in (own, plan.cells))

    before, after = (known.under(mask_of_cells(cells, land.shape)) for cells in (own, plan.cells))

    def saved(cells: Cells, some: Cells, under: KnownFires) -> Interval:
        """The saving by some cells beside the others, of fires under all."""
        rest = mask_of_cells(np.setdiff1d(cells, some), land.shape)
        report(1)
        return groups.saving(under.loss_under(rest) - under.loss, known.loss, at_most=None)

    found = []
    for one in network:
        kept = np.isin(one.cells, plan.cells)
        gone = one.cells[~kept]
        others = np.concatenate([own[:0], *(more.cells for more in network if more is not one)])
        action = KEEP if not gone.size else DROP if not kept.any() else SHORTEN
        cells = np.setdiff1d(gone if gone.size else one.cells, others)
        found.append(Change(action, one.name, (), int(cells.size), cost_of(cells, land),
                            saved(own, cells, before) if gone.size else
                            saved(plan.cells, cells, after),
                            (met_before if gone.size else met)(cells)))
    for one in covered:
        on = tuple(line.name for line in network if np.isin(line.cells, one.cells).any())
        found.append(Change(COVERED, one.name, on, 0, 0.0, Interval(0.0, 0.0, 0.0), met(own[:0])))
    new = np.zeros(land.shape, np.bool_)
    new.ravel()[np.setdiff1d(plan.cells, own)] = True
    stays = [one for one in network if np.isin(one.cells, plan.cells).any()]
    for name, piece in ([(one.name, np.setdiff1d(one.cells, own)) for one in parts
                         if not np.isin(one.cells, own).all()]
                        if parts else [("", piece) for piece in pieces(new)]):
        beside = ndimage.binary_dilation(mask_of_cells(piece, land.shape), np.ones((3, 3))).ravel()
        names = tuple(one.name for one in stays if beside[one.cells].any())
        action = JOIN if len(names) > 1 else LENGTHEN if names else ADD
        found.append(Change(action, name, names, int(piece.size), cost_of(piece, land),
                            saved(plan.cells, piece, after), met(piece)))

    def place(change: Change) -> tuple[int, float]:
        per_cost = change.saved.mean / change.cost if change.cost > 0.0 else 0.0
        return RANK[change.action], per_cost if RANK[change.action] == 1 else -per_cost

    return sorted(found, key=place)


def changes_table(changes: Sequence[Change], land: Landscape, cost_unit: str,
                  ) -> list[dict[str, str | int | float]]:
    """A row for each change."""
    return [{"action": one.action, "line": one.name, "beside": "; ".join(one.beside),
             "cells": one.cells, "area_ha": round(one.cells * land.cell_size_m**2 / 1e4, 4),
             "cost": round(one.cost, 4), "cost_unit": cost_unit, **one.met.columns(),
             **{name: round(100.0 * share, 4) for name, share in zip(
                 ("saves_percent", "saves_low", "saves_high"), one.saved, strict=True)}}
            for one in changes]


def changes_words(changes: Sequence[Change]) -> str:
    """A sentence on the lines that are kept, dropped and new."""
    count = {action: sum(one.action == action for one in changes) for action in RANK}
    return (f"of the lines of the existing network {count[KEEP]} are kept, {count[SHORTEN]} "
            f"shortened and {count[DROP]} dropped; of the new pieces {count[JOIN]} join two of "
            f"them, {count[LENGTHEN]} lengthen one, {count[ADD]} stand alone"
            + ("" if not count[COVERED] else
               f"; {counted(count[COVERED], 'other line')} on cells of these"))


def change_words(change: Change) -> str:
    """A change in words: what to do with which line, with how many cells."""
    where, cells = " and ".join(change.beside), counted(change.cells, "cell")
    new = f"{change.name} ({cells})" if change.name else cells
    return {KEEP: f"keep {change.name}", DROP: f"drop {change.name}",
            SHORTEN: f"shorten {change.name} by {cells}", JOIN: f"join {where} with {new}",
            LENGTHEN: f"lengthen {where} by {new}",
            COVERED: f"{change.name} has no cells of its own: it lies on those of {where}",
            ADD: f"add {new}" if change.name else f"add a piece of {cells}"}[change.action]
