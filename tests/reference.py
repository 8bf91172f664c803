"""Slow, obvious versions of what the package does fast. Plain Python numbers, no cleverness."""

import heapq
import math
from typing import NamedTuple

import numpy as np

from firebreak.fire.effects.losses import intensity_edges_kw_m
from firebreak.fire.travel.stencil import IGNITION, STENCIL, UNBURNED
from firebreak.fire.travel.travel_field import TravelField, unpad

STEPS = [tuple(step) for step in STENCIL.steps.tolist()]
FACETS = [tuple(ends) for ends in STENCIL.facets.tolist()]
INF = math.inf


class SlowFire(NamedTuple):
    """arrival, code, downstream: [H, W]; weight and order by burned cell (row, col)."""

    arrival: np.ndarray
    code: np.ndarray
    downstream: np.ndarray
    loss: float
    weight: dict
    order: list


def class_of_intensity(intensity_kw_m) -> np.ndarray:
    """Class 0-5 of a fireline intensity, kW/m, by the edges of the flame lengths; of any shape."""
    return np.digitize(np.asarray(intensity_kw_m, float), intensity_edges_kw_m()).astype(np.uint8)


def _overlap(one, other, axis, strict):
    a = [axis[0] * r + axis[1] * c for r, c in one]
    b = [axis[0] * r + axis[1] * c for r, c in other]
    gap = min(max(a), max(b)) - max(min(a), min(b))
    return gap > 0 if strict else gap >= 0


def _cells(shape, strict):
    """Cells but (0, 0) that share an area (strict) or a point with a convex shape, by separating
    axes. Coordinates are doubled, so that all numbers are whole.
    """
    doubled = [(2 * r, 2 * c) for r, c in shape]
    edges = list(zip(doubled, doubled[1:] + doubled[:1], strict=True))
    axes = [(1, 0), (0, 1)] + [(q[1] - p[1], p[0] - q[0]) for p, q in edges]
    found = set()
    for row in range(-4, 5):
        for col in range(-4, 5):
            square = [(2 * row + i, 2 * col + j) for i in (-1, 1) for j in (-1, 1)]
            if (row, col) != (0, 0) and all(_overlap(doubled, square, axis, strict)
                                            for axis in axes):
                found.add((row, col))
    return found


def crossed_by_step(step):
    """Cells that the straight way to `step` meets, corners counted."""
    return _cells([(0, 0), step], strict=False)


def crossed_by_segment(facet):
    """Cells that share an area with the triangle of a segment, or that its long ends cross."""
    a, b = FACETS[facet]
    ends = [crossed_by_step(STEPS[end]) for end in (a, b) if end >= 8]
    return _cells([(0, 0), STEPS[a], STEPS[b]], strict=True).union(*ends)


_STEP_CROSSES = [crossed_by_step(step) if i >= 8 else set() for i, step in enumerate(STEPS)]
_FACET_CROSSES = [crossed_by_segment(s) if s >= 8 else set() for s in range(len(FACETS))]


def travel_time(metric, east, north):
    """F(d) of a displacement in cells."""
    m11, m12, m22, w_east, w_north = metric
    return (math.sqrt(m11 * east * east + 2.0 * m12 * east * north + m22 * north * north)
            - w_east * east - w_north * north)


def above(factor, det, rest, bound):
    """factor * sqrt(det / rest) > bound, by squares."""
    if factor >= 0.0:
        return bound < 0.0 or factor * factor * det > bound * bound * rest
    return bound < 0.0 and factor * factor * det < bound * bound * rest


def single(time):
    """Rounded to float32, as a Python number."""
    return float(np.float32(time))


def through_segment(own, at_a, at_b, a, b, time_a, time_b):
    """(time, weight) through the inside of a segment, (inf, 0) if the minimum is at an end."""
    east_a, north_a = -a[1], a[0]
    east_ab, north_ab = -b[1] - east_a, b[0] - north_a
    m11, m12, m22, w_east, w_north = own
    along_east = m11 * east_ab + m12 * north_ab
    along_north = m12 * east_ab + m22 * north_ab
    length2 = east_ab * along_east + north_ab * along_north
    mixed = east_a * along_east + north_a * along_north
    falls = w_east * east_ab + w_north * north_ab - (time_b - time_a)
    rest = length2 - falls * falls
    if rest <= 0.0:
        return INF, 0.0
    det = m11 * m22 - m12 * m12
    if not above(falls, det, rest, mixed) or above(falls, det, rest, mixed + length2):
        return INF, 0.0
    weight = (falls * math.sqrt(det / rest) - mixed) / length2
    east, north = east_a + weight * east_ab, north_a + weight * north_ab
    ends = ((1.0 - weight) * travel_time(at_a, east, north)
            + weight * travel_time(at_b, east, north))
    arc = 0.5 * travel_time(own, east, north) + 0.5 * ends
    return (time_a + weight * (time_b - time_a)) + arc, weight


class _Map:
    """One scenario of a travel field under breaks, by cell (row, col)."""

    def __init__(self, field: TravelField, scenario, source, breaks):
        self.rows, self.cols = field.shape
        self.metric = self._grid(field.metric[scenario], field.shape)
        self.unit_time = self._grid(field.unit_time[scenario], field.shape)
        self.facets = unpad(field.facets[scenario], field.shape).tolist()
        self.accepts = unpad(field.accepts[scenario], field.shape).tolist()
        burns = unpad(field.burnable, field.shape).copy()
        if breaks is not None:
            burns &= ~breaks
        burns[source] = True
        self.burns = burns.tolist()

    @staticmethod
    def _grid(flat, shape):
        return np.moveaxis(unpad(flat.T, shape), 0, -1).tolist()

    def open(self, cell):
        row, col = cell
        return 0 <= row < self.rows and 0 <= col < self.cols and self.burns[row][col]

    def all_open(self, child, cells):
        return all(self.open((child[0] + r, child[1] + c)) for r, c in cells)

    def step_open(self, child, step):
        if not self.accepts[child[0]][child[1]] >> step & 1:
            return False
        row, col = STEPS[step]
        if step >= 8:
            return self.all_open(child, _STEP_CROSSES[step])
        return row == 0 or col == 0 or (self.open((child[0] + row, child[1]))
                                        or self.open((child[0], child[1] + col)))

    def facet_open(self, child, facet):
        return (self.facets[child[0]][child[1]] >> facet & 1
                and self.all_open(child, _FACET_CROSSES[facet]))

    def arcs(self, child, step, final):
        """(time, code, weight) of all ways to `child` that the cell at `step` completes."""
        own = self.metric[child[0]][child[1]]
        parent = (child[0] + STEPS[step][0], child[1] + STEPS[step][1])
        now = final[parent]
        later = float(np.nextafter(np.float32(now), np.float32(INF)))
        if self.step_open(child, step):
            if step < 8:
                arc = 0.5 * (self.unit_time[child[0]][child[1]][step]
                             + self.unit_time[parent[0]][parent[1]][step])
            else:
                east, north = -STEPS[step][1], STEPS[step][0]
                arc = 0.5 * (travel_time(own, east, north)
                             + travel_time(self.metric[parent[0]][parent[1]], east, north))
            yield max(single(now + arc), later), step, 0.0
        for facet, (a, b) in enumerate(FACETS):
            if step not in (a, b) or not self.facet_open(child, facet):
                continue
            cell_a = (child[0] + STEPS[a][0], child[1] + STEPS[a][1])
            cell_b = (child[0] + STEPS[b][0], child[1] + STEPS[b][1])
            if cell_a in final and cell_b in final:
                time, weight = through_segment(
                    own, self.metric[cell_a[0]][cell_a[1]], self.metric[cell_b[0]][cell_b[1]],
                    STEPS[a], STEPS[b], final[cell_a], final[cell_b])
                yield max(single(time), later), len(STEPS) + facet, single(weight)


def burn_slowly(field: TravelField, scenario, source, duration, value, breaks=None) -> SlowFire:
    """One fire from the cell `source` (row, col): label setting with a heap of tuples."""
    land = _Map(field, scenario, source, breaks)
    best = {source: (0.0, IGNITION, 0.0)}
    heap = [(0.0, source)]
    final = {}
    while heap:
        now, cell = heapq.heappop(heap)
        if cell in final:
            continue
        final[cell] = now
        for step, (row, col) in enumerate(STEPS):
            child = (cell[0] - row, cell[1] - col)
            if not land.open(child) or child in final:
                continue
            for time, code, weight in land.arcs(child, step, final):
                known = best.get(child, (INF, UNBURNED, 0.0))
                if time <= duration and time < INF and (time, code) < known[:2]:
                    best[child] = (time, code, weight)
                    heapq.heappush(heap, (time, child))
    arrival, code = np.full(field.shape, INF), np.full(field.shape, UNBURNED)
    for cell in final:
        arrival[cell], code[cell] = best[cell][:2]
    weight = {cell: best[cell][2] for cell in final}
    downstream = downstream_value(list(final), code, weight, value)
    return SlowFire(arrival, code, downstream, sum(float(value[c]) for c in final), weight,
                    list(final))


def parents_of(cell, code, weight):
    """[(parent, share)] of a burned cell by its parent code."""
    if code == IGNITION:
        return []
    if code < len(STEPS):
        return [((cell[0] + STEPS[code][0], cell[1] + STEPS[code][1]), 1.0)]
    a, b = FACETS[code - len(STEPS)]
    return [((cell[0] + STEPS[end][0], cell[1] + STEPS[end][1]), share)
            for end, share in ((a, 1.0 - weight), (b, weight))]


def downstream_value(order, code, weight, value):
    """Value burned at and below each cell of the fire's tree; `order` from first to last burned."""
    below = np.zeros(code.shape)
    for cell in order:
        below[cell] = float(value[cell])
    for cell in reversed(order):
        for parent, share in parents_of(cell, code[cell], weight[cell]):
            below[parent] += share * below[cell]
    return below


class ListReplay:
    """A replay that keeps everything in one list per environment."""

    def __init__(self, num_envs, rows):
        self.rows, self.steps = rows, [[] for _ in range(num_envs)]

    def append(self, observation, action, reward, terminated, cost, tried):
        for env, steps in enumerate(self.steps):
            steps.append((observation[env].clone(), int(action[env]), float(reward[env]),
                          bool(terminated[env]), float(cost[env]),
                          tuple(part[env].copy() for part in tried)))
            del steps[:-self.rows]

    def transition(self, env, place, discount, n_step):
        """(observation, action, n-step reward, discount, next observation or None if over)."""
        steps = self.steps[env]
        total, factor, at = 0.0, 1.0, place
        while at < place + n_step and at < len(steps) - 1:
            _, _, reward, over, cost, _ = steps[at]
            share = 1.0 if discount == 1.0 else (1.0 - discount**cost) / (
                cost * (1.0 - discount))
            total += factor * reward * share
            factor *= discount**cost
            at += 1
            if over:
                return steps[place][0], steps[place][1], total, 0.0, None
        return steps[place][0], steps[place][1], total, factor, steps[at][0]
