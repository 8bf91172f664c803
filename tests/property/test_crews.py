"""Breaks that crews hold, and the initial attack: against slow versions, and by planted cases."""

import heapq
import math

import numpy as np
import pytest
from benchmarks.rivals.burned_maps import burn_maps
from hypothesis import given, settings
from hypothesis import strategies as st

from break_cases import with_rules
from firebreak.fire import burn_field, make_scene
from firebreak.fire.effects.keyed_random import (
    DRAW_ATTACK,
    DRAW_CORNER_EAST,
    DRAW_CORNER_WEST,
    DRAW_HOLD,
)
from firebreak.fire.fires import Fires
from firebreak.fire.travel.arcs import NO_CREWS, Arcs
from firebreak.fire.travel.breaks import shaded, treated_part
from firebreak.fire.travel.stencil import HELD, IGNITION, UNBURNED
from firebreak.fire.travel.travel_field import (
    BreakRules,
    TravelField,
    field_from_ellipse,
    heat_of,
    padded_cells,
    unpad,
)
from native_probes import containment_chance, facet_weight, intensity, uniforms
from reference import FACETS, INF, STEPS, _Map
from strategies import CELL_SIZE_M, Case, cases, ellipse_like


def draw(key, cell, cols, kind) -> float:
    place = padded_cells(np.array([cell[0] * cols + cell[1]]), cols)
    return float(uniforms(np.uint64(key), place, kind)[0])


class CrewMap(_Map):
    """A field that has its treated fuel, and what crews do in it."""

    def __init__(self, field: TravelField, scenario, source, breaks, key):
        bare = breaks & field.breaks.bare if field.breaks.bare.size else np.zeros_like(breaks)
        super().__init__(field, scenario, source, bare)
        self.heat = unpad(field.heat[scenario, :, 0], field.shape).tolist()
        self.ready = unpad(field.breaks.ready[0], field.shape).tolist()
        self.rule, self.key = field.breaks.crew, key
        self.breaks = breaks & ~bare
        self.breaks[source] = False
        self.held = []

    def all_open(self, child, crossed):
        """A long arc does not jump over a break that crews may hold."""
        return super().all_open(child, crossed) and not any(
            self.breaks[child[0] + r, child[1] + c] for r, c in crossed)

    def hotness(self, cell, code, weight):
        """By the slowness of the front along its normal, on flat ground."""
        if code == IGNITION:
            raise AssertionError("an ignition is no break")
        if code < len(STEPS):
            row, col = STEPS[code]
        else:
            a, b = (STEPS[end] for end in FACETS[code - len(STEPS)])
            row, col = (a[i] + weight * (b[i] - a[i]) for i in (0, 1))
        east, north = -col, row
        m11, m12, m22, w_east, w_north = self.metric[cell[0]][cell[1]]
        length = math.sqrt(m11 * east**2 + 2 * m12 * east * north + m22 * north**2)
        slowness = math.hypot((m11 * east + m12 * north) / length - w_east,
                              (m12 * east + m22 * north) / length - w_north)
        return self.rule.scale * (self.heat[cell[0]][cell[1]] / slowness) ** self.rule.power

    def chance(self, hotness):
        rule = self.rule
        if hotness <= rule.always:
            return 1.0
        return max(0.0, (rule.never - hotness) / (rule.never - rule.always))

    def holds(self, cell, time, code, weight):
        if time < self.ready[cell[0]][cell[1]] or len(self.held) >= self.rule.cells:
            return False
        return draw(self.key, cell, self.cols, DRAW_HOLD) < self.chance(
            self.hotness(cell, code, weight))

    def corner_held(self, child, step, now, late):
        """A diagonal between two cells, each a break or closed, at least one a break."""
        if step >= 8 or step % 2 == 0 or len(self.held) >= self.rule.cells:
            return False
        row, col = STEPS[step]
        sides = [(child[0] + row, child[1]), (child[0], child[1] + col)]
        breaks = [side for side in sides if self.open(side) and self.breaks[side]]
        if not breaks or any(self.open(side) and not self.breaks[side] for side in sides):
            return False
        time = now + 0.5 * (late - now)
        if any(time < self.ready[r][c] for r, c in breaks):
            return False
        upper, lower = sorted(sides)
        kind = DRAW_CORNER_EAST if lower[1] == upper[1] + 1 else DRAW_CORNER_WEST
        hot = max(self.hotness(side, step, 0.0) for side in breaks)
        return draw(self.key, upper, self.cols, kind) < self.chance(hot)


def burn_slowly_held(field, scenario, source, duration, breaks, key):
    """Arrival and code [H, W] of one fire that crews meet at breaks that burn, and when fire came
    to those that they hold, by cell.
    """
    land = CrewMap(shaded(field, breaks), scenario, source, breaks, key)
    best, heap, final, stopped = {source: (0.0, IGNITION, 0.0)}, [(0.0, source)], {}, {}
    while heap:
        now, cell = heapq.heappop(heap)
        if cell in final or cell in stopped:
            continue
        if land.breaks[cell] and land.holds(cell, now, *best[cell][1:]):
            land.held.append(cell)
            stopped[cell] = now
            continue
        final[cell] = now
        for step, (row, col) in enumerate(STEPS):
            child = (cell[0] - row, cell[1] - col)
            if not land.open(child) or child in final or child in stopped:
                continue
            for time, code, weight in land.arcs(child, step, final):
                if code == step and land.corner_held(child, step, now, time):
                    continue
                known = best.get(child, (INF, UNBURNED, 0.0))
                if time <= duration and time < INF and (time, code) < known[:2]:
                    best[child] = (time, code, weight)
                    heapq.heappush(heap, (time, child))
    arrival, code = np.full(field.shape, INF), np.full(field.shape, UNBURNED)
    for cell in final:
        arrival[cell], code[cell] = best[cell][:2]
    for cell in stopped:
        code[cell] = HELD
    return arrival, code, stopped


@pytest.mark.slow
@given(cases(14, fires=6), st.sampled_from(["held-shaded", "few-held-shaded", "held-shaded-bare"]),
       st.integers(0, 2**32 - 1))
@settings(max_examples=80, deadline=None)
def test_held_breaks_have_the_bits_of_the_slow_version(case: Case, rules: str, seed: int) -> None:
    field = with_rules(case, rules, seed)
    made = burn_maps(field, case.fires, case.value, case.breaks)
    held = np.zeros(field.shape)
    for fire, (source, scenario, duration, key) in enumerate(zip(*case.fires[:4], strict=True)):
        start = divmod(int(source), field.shape[1])
        arrival, code, stopped = burn_slowly_held(field, int(scenario), start, duration,
                                                  case.breaks, key)
        np.testing.assert_array_equal(made.arrival_time_min[fire], arrival)
        np.testing.assert_array_equal(made.parent_code[fire], code)
        assert made.loss[fire] == case.value[np.isfinite(arrival)].sum(dtype=np.float64)
        for cell in stopped:
            held[cell] += 1
    total = burn_field(field, case.fires, case.value, case.breaks, want="statistics")
    np.testing.assert_array_equal(np.rint(total.held_probability * case.fires.source.size), held)


@pytest.mark.slow
@given(cases(16, fires=12), st.booleans(), st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_a_contained_fire_is_the_fire_until_the_attack(case: Case, held: bool, seed: int) -> None:
    """What is decided follows from the fire alone, by size and head at the attack."""
    rules = "attack-held-shaded" if held else "attack"
    field = with_rules(case, rules, seed)
    alone = field._replace(breaks=field.breaks._replace(
        crew=field.breaks.crew._replace(attack_min=np.inf)))
    made, free = (burn_maps(one, case.fires, case.value, case.breaks) for one in (field, alone))
    attack = field.breaks.crew.attack_min
    under = shaded(field, case.breaks)
    for fire, (source, scenario, duration, key) in enumerate(zip(*case.fires[:4], strict=True)):
        before = free.arrival_time_min[fire]
        burned = before <= attack
        around = np.pad(burned, 1)
        inside = np.all([around[1 + r:1 + r + burned.shape[0], 1 + c:1 + c + burned.shape[1]]
                         for r in (-1, 0, 1) for c in (-1, 0, 1)], axis=0)
        start = divmod(int(source), field.shape[1])
        hottest = max((intensity_at(under, int(scenario), free, fire, cell)
                       for cell in zip(*np.nonzero(burned & ~inside), strict=True)), default=0.0)
        odds = math.exp(4.6835 - 0.7043 * 0.09 * burned.sum() - 0.00041 * hottest
                        - 0.000052 * 0.09 * burned.sum() * hottest)
        contained = attack < duration and draw(key, start, field.shape[1],
                                               DRAW_ATTACK) < odds / (1 + odds)
        np.testing.assert_array_equal(
            made.arrival_time_min[fire], np.where(burned | ~np.bool_(contained), before, np.inf))
        if held:
            stopped = burn_slowly_held(alone, int(scenario), start, duration, case.breaks, key)[2]
            kept = {cell for cell, time in stopped.items() if time <= attack or not contained}
            assert {*zip(*np.nonzero(made.parent_code[fire] == HELD), strict=True)} == kept
            assert made.loss[fire] <= free.loss[fire]


def intensity_at(field, scenario, made, fire, cell) -> float:
    """As the kernel has it: the class of intensity would not do here."""

    from firebreak.fire.burn_setup import arcs_of

    place = int(padded_cells(np.array([cell[0] * field.shape[1] + cell[1]]), field.shape[1])[0])
    code = int(made.parent_code[fire][cell])
    return intensity(Arcs(*arcs_of(field)[:11]), scenario, place, code,
                     weight_of(field, scenario, made, fire, cell, code))


def weight_of(field, scenario, made, fire, cell, code) -> float:
    """The point of the facet, from the arrivals of its ends."""
    if code < len(STEPS) or code >= HELD:
        return 0.0
    facet = code - len(STEPS)
    ends = [made.arrival_time_min[fire][cell[0] + STEPS[end][0], cell[1] + STEPS[end][1]]
            for end in FACETS[facet]]
    place = int(padded_cells(np.array([cell[0] * field.shape[1] + cell[1]]), field.shape[1])[0])
    return float(np.float32(facet_weight(field.metric[scenario], place, facet, *ends)))


def meadow(side: int, rate: float = 10.0, ratio: float = 1.0, heading: float = 90.0,
           **rule: float) -> tuple[TravelField, np.ndarray]:
    """Even ground on which breaks burn like the rest, 500 kW/m at the head, and crews of a rule."""
    shape = (1, side, side)
    field = field_from_ellipse(ellipse_like(np.full(shape, rate), ratio, heading),
                               np.ones(shape[1:], bool), CELL_SIZE_M)
    field = field._replace(heat=heat_of(field, np.full(shape, 500.0)))
    ready = rule.pop("ready", 0.0)
    crew = NO_CREWS._replace(**({"always": 1000.0, "never": 2000.0, "cells": np.inf} | rule))
    rules = BreakRules(treated=treated_part(field, field), crew=crew,
                       ready=np.full((1, field.burnable.size), ready, np.float32))
    return field._replace(breaks=rules), np.ones(shape[1:], np.float32)


def one_fire(cell: int, count: int = 1) -> Fires:
    return Fires(np.full(count, cell), np.zeros(count, np.int64), np.full(count, np.inf),
                 np.arange(count).astype(np.uint64))


def test_crews_hold_a_straight_and_a_diagonal_line() -> None:
    field, value = meadow(9)
    straight = np.zeros((9, 9), bool)
    straight[:, 4] = True
    diagonal = np.eye(9, dtype=bool)
    for breaks, behind in ((straight, np.s_[:, 5:]), (diagonal, np.triu_indices(9, 1))):
        made = burn_maps(field, one_fire(8 * 9 + 2), value, breaks)
        assert np.isinf(made.arrival_time_min[0][behind]).all()
        assert (made.parent_code[0][breaks] == HELD).all()
        assert made.loss[0] == np.isfinite(made.arrival_time_min[0]).sum() < 81
        open_ = field._replace(breaks=field.breaks._replace(leak=True))
        leaked = np.isfinite(burn_maps(open_, one_fire(8 * 9 + 2), value, breaks)
                             .arrival_time_min[0][behind]).any()
        assert leaked == (breaks is not straight)


def test_a_corner_is_decided_by_who_is_there_half_way_across_it() -> None:
    """Fire is in the cell before a diagonal line of breaks, and one diagonal step from the cell
    behind it: longer than to the breaks beside the step, twice as long as to their corner.
    """
    field, value = meadow(9)
    line = np.fliplr(np.eye(9, dtype=bool))
    fire = one_fire(3 * 9 + 4)  # north-west of the corner between (3, 5) and (4, 4)
    step = float(burn_maps(field, fire, value, ~np.ones((9, 9), bool)).arrival_time_min[0][4, 5])

    def behind(ready: float) -> float:
        at = field._replace(breaks=field.breaks._replace(
            ready=np.full_like(field.breaks.ready, ready)))
        return float(burn_maps(at, fire, value, line).arrival_time_min[0][4, 5])

    assert behind(0.48 * step) == np.inf
    assert behind(0.52 * step) == behind(0.6 * step) == step  # crews hold both breaks, later


def test_crews_who_come_too_late_or_meet_too_hot_a_fire_hold_nothing() -> None:
    breaks = np.zeros((9, 9), bool)
    breaks[:, 4] = True
    for rule in ({"ready": 1e6}, {"always": 100.0, "never": 400.0}):
        field, value = meadow(9, **rule)
        made = burn_maps(field, one_fire(4 * 9), value, breaks)
        assert made.loss[0] == 81
        assert not (made.parent_code == HELD).any()


def test_the_chance_falls_linearly_between_the_limits() -> None:
    """500 kW/m between 250 and 1,250: held with a chance of 3 in 4."""
    field, value = meadow(9, always=250.0, never=1250.0)
    breaks = np.zeros((9, 9), bool)
    breaks[4, 4] = True
    made = burn_maps(field, one_fire(4 * 9, 2000), value, breaks)
    share = (made.parent_code[:, 4, 4] == HELD).mean()
    assert abs(share - 0.75) < 4 * math.sqrt(0.75 * 0.25 / 2000)


def test_a_break_is_decided_at_its_first_arrival() -> None:
    """A flank reaches a break before the head does, with less heat: what it decides stands."""
    field, value = meadow(21, ratio=6.0, heading=90.0, always=250.0, never=250.0001)
    breaks = np.zeros((21, 21), bool)
    breaks[9, :] = True  # north of the fire, along its run
    made = burn_maps(field, one_fire(10 * 21), value, breaks)
    assert (made.parent_code[0][9] == HELD).all()
    assert np.isinf(made.arrival_time_min[0][:9]).all()
    across = np.zeros((21, 21), bool)
    across[:, 10] = True  # in front of it
    made = burn_maps(field, one_fire(10 * 21), value, across)
    assert made.parent_code[0][10, 10] != HELD
    assert np.isfinite(made.arrival_time_min[0][10, 11:]).all()


def test_crews_hold_as_many_cells_as_they_can_the_first_that_burn() -> None:
    breaks = np.zeros((15, 15), bool)
    breaks[:, 7] = True
    everywhere, value = meadow(15)
    few = everywhere._replace(breaks=everywhere.breaks._replace(
        crew=everywhere.breaks.crew._replace(cells=3.0)))
    made = burn_maps(few, one_fire(7 * 15), value, breaks)
    assert np.flatnonzero(made.parent_code[0][:, 7] == HELD).tolist() == [6, 7, 8]
    assert made.loss[0] == 15 * 15 - 3
    held = burn_maps(everywhere, one_fire(7 * 15), value, breaks).parent_code[0][:, 7] == HELD
    assert held.all()


def test_a_fire_that_starts_in_a_break_burns_it_and_leaves_it() -> None:
    field, value = meadow(5)
    breaks = np.ones((5, 5), bool)
    made = burn_maps(field, one_fire(12), value, breaks)
    assert made.parent_code[0][2, 2] == IGNITION
    assert made.loss[0] == 1.0


def test_the_law_of_initial_attack_has_its_published_values() -> None:
    """ln E = 4.6835 - 0.7043 A - 0.00041 I - 0.000052 A I: even odds where that is 0."""
    for area, heat in ((4.6835 / 0.7043, 0.0), (0.0, 4.6835 / 0.00041),
                       (2.0, (4.6835 - 2 * 0.7043) / (0.00041 + 2 * 0.000052))):
        assert containment_chance(area, heat) == pytest.approx(0.5, abs=1e-12)
    assert containment_chance(0.0, 0.0) == pytest.approx(0.990838, abs=1e-6)
    assert containment_chance(1e4, 1e5) == 0.0


@pytest.mark.slow
def test_the_share_contained_is_the_law_at_the_size_of_the_fire() -> None:
    field, value = meadow(61, rate=5.0)
    area = math.pi * (5.0 * 24.0 / CELL_SIZE_M) ** 2 * CELL_SIZE_M**2 / 1e4  # hectares
    crew = NO_CREWS._replace(attack_min=24.0, cell_ha=CELL_SIZE_M**2 / 1e4)
    field = field._replace(breaks=BreakRules(crew=crew))
    loss = burn_field(field, one_fire(30 * 61 + 30, 4000), value).loss
    contained = (loss < 61 * 61).mean()
    assert abs(contained - containment_chance(area, 500.0)) < 0.05


@pytest.mark.parametrize(("east", "counts"), [(1, False), (4, True)])
def test_only_the_edge_of_a_fire_decides_at_the_attack(east: int, counts: bool) -> None:
    """One cell is too hot to contain; the fire has burned 4 cells out by the attack."""
    field, value = meadow(21, rate=5.0)
    heat = np.full((1, 21, 21), 500.0)
    heat[0, 10, 10 + east] = 1e6
    crew = NO_CREWS._replace(attack_min=24.0, cell_ha=1e-6)
    field = field._replace(heat=heat_of(field, heat), breaks=BreakRules(crew=crew))
    loss = burn_field(field, one_fire(10 * 21 + 10, 500), value).loss
    contained = (loss < 21 * 21).mean()
    assert contained == 0.0 if counts else contained > 0.95


def test_durations_are_set_without_crews() -> None:
    from firebreak.fire import FireConditions
    from firebreak.fire.effects.breaks import HoldRule
    from firebreak.landscape.formats.read import read_landscape
    from firebreak.landscape.treatments import Treatment

    land, shade = read_landscape("synthetic:3:20"), Treatment(kind="shaded")
    own = [make_scene(land, FireConditions(treatment=shade, **crews), 0).median_duration_min
           for crews in ({}, {"attack_min": 5.0}, {"hold": HoldRule(by="hand")})]
    assert own[0] == own[1] == own[2]
