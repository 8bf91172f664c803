"""Alternatives to a plan: how much two have in common, which are kept, and what is said of none."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firebreak.landscape.candidates.corridor import Corridor, corridor_of
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.alternatives import (
    LEAST_SAVED,
    MOST_COST,
    MOST_FOUND,
    MOST_SHARED,
    Alternatives,
    find_alternatives,
    share_in_common,
)
from firebreak.planning.core.corridors import Corridors
from firebreak.planning.core.plan import Plan, plan_of_cells
from firebreak.planning.core.progress import Reporter, no_report
from firebreak.planning.evaluation.knee import KNEE_SAVED, WHOLE_COST, WHOLE_SAVED, Knee

SIZE = 60
LAND = generate(3, SIZE, cell_size_m=30.0)
NONE = np.empty(0, np.int64)


def row(number: int, first: int = 0, last: int = SIZE) -> Corridor:
    """A corridor along a row of the map."""
    cells = number * SIZE + np.arange(first, last)
    return corridor_of(cells, LAND, "route")._replace(cells=cells, cost=float(cells.size),
                                                      name=f"row {number}")


class Made(NamedTuple):
    """A plan, its parts in order, and what it saves of the choice fires."""

    plan: Plan
    parts: list[Corridor]
    saved: float


def made_of(parts: Sequence[Corridor], saved: float) -> Made:
    cells = np.unique(np.concatenate([NONE, *(part.cells for part in parts)]))
    return Made(plan_of_cells(cells, LAND, "segments"), [*parts], saved)


def found_of(own: Made, made: Iterable[Made], others: Sequence[Made] = (),
             seen: list[np.ndarray] | None = None) -> Alternatives:
    """The alternatives where planning again makes these plans, one after another, then none."""
    again, every = iter(made), [own, *others]

    def plan_again(near: np.ndarray, report: Reporter) -> Plan | None:
        if seen is not None:
            seen.append(near)
        every.extend(one := [*islice(again, 1)])
        return one[0].plan if one else None

    def of(plan: Plan) -> Made:  # a beginning is of the latest plan that has its cells
        return next(one for one in reversed(every) if np.isin(plan.cells, one.plan.cells).all())

    notes = {WHOLE_COST: own.plan.cost, WHOLE_SAVED: own.saved, KNEE_SAVED: own.saved}
    return find_alternatives(
        LAND, Knee(replace(own.plan, notes=notes), own.parts), [one.plan for one in others],
        plan_again, lambda plan: of(plan).parts, lambda plan: of(plan).saved, NONE)


def slow_share(one: np.ndarray, other: np.ndarray) -> float:
    """Of each cell whether one of the other plan is three rows and columns away, at most."""
    def part(own: np.ndarray, its: np.ndarray) -> float:
        return float(np.mean([any(max(abs(a // SIZE - b // SIZE), abs(a % SIZE - b % SIZE)) <= 3
                                  for b in its.tolist()) for a in own.tolist()]))
    return max(part(one, other), part(other, one))


CELLS = st.lists(st.integers(0, SIZE * SIZE - 1), min_size=1, max_size=25, unique=True).map(
    lambda cells: np.array(cells, np.int64))


@settings(max_examples=50, deadline=None)
@given(CELLS, CELLS)
def test_the_share_in_common_counts_cells_on_or_beside_another_plan(
        one: np.ndarray, other: np.ndarray) -> None:
    assert share_in_common(one, other, LAND, NONE) == pytest.approx(slow_share(one, other))


def test_a_plan_within_a_larger_one_has_all_in_common_with_it() -> None:
    small, large = row(10, 0, 20).cells, np.concatenate([row(10).cells, row(40).cells])
    assert share_in_common(small, large, LAND, NONE) == 1.0
    assert share_in_common(large, small, LAND, NONE) == 1.0


def test_what_both_must_have_is_not_in_common() -> None:
    both = row(10).cells
    one, other = (np.concatenate([both, row(number).cells]) for number in (30, 50))
    assert share_in_common(one, other, LAND, both) == 0.0
    assert share_in_common(one, other, LAND, NONE) == 0.5
    assert share_in_common(both, both, LAND, both) == 0.0


def test_plans_that_were_made_already_come_first_and_three_are_enough() -> None:
    made = [made_of([row(number)], 0.8) for number in (40, 50)]
    others = [made_of([row(20)], 0.75), made_of([row(21)], 0.8), made_of([row(30)], 0.5)]
    found = found_of(made_of([row(10)], 0.8), made, others)
    assert [own.plan.cells[0] // SIZE for own in found.found.values()] == [20, 40, 50]
    assert list(found.found) == ["alternative-1", "alternative-2", "alternative-3"]
    assert all(own.shared == 0.0 for own in found.found.values())
    assert [own.saved for own in found.found.values()] == [0.75, 0.8, 0.8]
    assert found.less == 0.625
    assert found.words() is None  # as many as are looked for
    assert len(found.found) == MOST_FOUND


def test_what_saves_too_little_ends_the_search() -> None:
    found = found_of(made_of([row(10)], 0.8), [made_of([row(40)], 0.71), made_of([row(50)], 0.8)])
    assert not found.found
    assert found.words() == (
        "no alternative: no plan that has at most 50% of its cells in common with the plan was "
        "found to save 90% of what the plan saves on the choice fires; the best one saves 89% of "
        "it")


def test_what_has_too_much_in_common_is_planned_again_off_the_whole_plan() -> None:
    seen: list[np.ndarray] = []
    found = found_of(made_of([row(10), row(30, 0, 20)], 0.8),
                     [made_of([row(10), row(20, 0, 10)], 0.8), made_of([row(45)], 0.8)], seen=seen)
    assert list(found.found) == ["alternative-1"]
    assert found.words() == (
        "no further alternative: no plan that has at most 50% of its cells in common with the plan "
        "and each alternative was found to save 90% of what the plan saves on the choice fires")
    assert [near[10].any() for near in seen[:2]] == [True, True]
    assert [near[30].any() for near in seen[:2]] == [False, True]  # what is built first comes first


def test_an_alternative_costs_little_more_than_the_plan() -> None:
    whole = made_of([row(30, 0, 40), row(40, 0, 30), row(50, 0, 40)], 0.8)
    (own,) = found_of(made_of([row(10)], 0.8), [whole]).found.values()
    assert {*(own.plan.cells // SIZE).tolist()} == {30, 40}  # 70 cells of at most 75
    assert own.plan.cost == 70.0


LINES = st.lists(st.tuples(st.integers(0, SIZE - 1), st.integers(0, SIZE - 11),
                           st.floats(0.0, 1.0)), min_size=1, max_size=12,
                 unique_by=lambda line: line[0])


@settings(max_examples=60, deadline=None)
@given(LINES)
def test_alternatives_differ_from_the_plan_and_one_another_and_save_nearly_as_much(
        lines: list[tuple[int, int, float]]) -> None:
    pool = [(row(number, first, min(first + 30, SIZE)), worth) for number, first, worth in lines]
    made: list[Made] = []

    def again(near: np.ndarray, report: Reporter) -> Plan | None:
        for share in (0.0, 0.5, 1.0):
            report(share)
        chosen = [pair for pair in pool if near.ravel()[pair[0].cells].mean() <= 1 / 3][:2]
        made.append(made_of([part for part, _ in chosen], 0.0))
        return made[-1].plan if chosen else None

    def parts_in(plan: Plan) -> list[Corridor]:
        return [part for part in made[-1].parts if np.isin(part.cells, plan.cells).all()]

    def saved_by(plan: Plan) -> float:
        return sum(worth for part, worth in pool if np.isin(part.cells, plan.cells).all())

    first = again(np.zeros((SIZE, SIZE), np.bool_), no_report)
    assert first is not None
    own, shares = saved_by(first), list[float]()
    if not own > 0.0:
        return
    found = find_alternatives(LAND, Knee(replace(first, notes={KNEE_SAVED: own}), made[0].parts),
                              [], again, parts_in, saved_by, NONE, shares.append)
    assert shares == sorted(shares)
    assert shares[1] > 0.0  # while the first is planned
    assert shares[-1] == 1.0
    plans = [first, *(one.plan for one in found.found.values())]
    for k, one in enumerate(plans):
        assert one.cost <= MOST_COST * first.cost
        assert saved_by(one) >= LEAST_SAVED * own
        for other in plans[:k]:
            assert share_in_common(one.cells, other.cells, LAND, NONE) <= MOST_SHARED
    assert len(found.found) <= MOST_FOUND
    if found.less is not None:
        assert found.less < LEAST_SAVED


def test_some_corridors_keep_their_lines_and_pairs() -> None:
    every = Corridors(corridors=tuple(row(number) for number in (0, 10, 20, 30)), line=(0, 0, 1, 2),
                      pairs=((0, 2), (1, 3), (2, 3)), only=True, routes=True)
    kept = every.kept([True, False, True, True])
    assert [own.name for own in kept.corridors] == ["row 0", "row 20", "row 30"]
    assert kept.line == (0, 1, 2)
    assert kept.pairs == ((0, 1), (1, 2))
    assert kept.only
    assert kept.routes
