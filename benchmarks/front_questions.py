"""Which discretisation of the front is right: measured answers, as tables.

    python benchmarks/front_questions.py [--quick]

1. Burned area over the closed-form ellipse, and cells visited per burned cell: the causal adaptive
   ring against fixed rings and against the front that may run ahead of a segment's ends.
2. What a thin slow strip delays, over what it should, and whether a gap of one cell lets fire
   through: with the gate on rates of spread, without it, and with costs integrated along long ways.
3. Patchy fuel: arrival times against a grid five times as fine.
4. Bits: random breaks that come and go, in any order, against burning anew.
"""

import math
import sys
import time
from statistics import median

import numpy as np
from front_variants import ADAPTIVE, Solved, Variant, solve
from numpy.typing import NDArray

from firebreak.env.storage.problem import make_problem
from firebreak.env.storage.slots import Slots, sizes_for
from firebreak.fire.behavior.wind import backing_rate, flanking_rate
from firebreak.fire.engine import burn, burn_arrival, set_threads
from firebreak.fire.fires import Fires
from firebreak.fire.scene import FireConditions, FireRegime, make_scene
from firebreak.fire.travel.travel_field import Ellipse, TravelField, field_from_ellipse, unpad
from firebreak.landscape.synthetic.generate import generate

HEAD_M_MIN, CELL_M, SEED, WINDS = 10.0, 30.0, 7, 12
VARIANTS = {
    "8 segments, causal": Variant(0),
    "8 segments, unclamped": Variant(0, causal=False),
    "24 segments, causal": Variant(1),
    "56 segments, causal": Variant(2),
    "adaptive, unclamped": ADAPTIVE._replace(causal=False),
    "adaptive, causal (default)": ADAPTIVE,
}
LONG_WAYS = {
    "gate 1.3 (default)": ADAPTIVE,
    "no gate": ADAPTIVE._replace(gate=math.inf),
    "no gate, integrated": ADAPTIVE._replace(gate=math.inf, integrated=True),
    "gate 1.3, integrated": ADAPTIVE._replace(integrated=True),
}


def main() -> None:
    """Prints all tables."""
    set_threads(1)
    quick = "--quick" in sys.argv
    areas(41 if quick else 101)
    strips(41 if quick else 61)
    patches(21 if quick else 41, 2 if quick else 8)
    bits((20, 40) if quick else (40, 100, 200), 2 if quick else 6)


def field_of(head: NDArray[np.float64], ratio: float, toward_deg: float,
             cell_m: float = CELL_M, burnable: NDArray[np.bool_] | None = None) -> TravelField:
    """Ellipses of one length over width and one direction; head: [H, W], m/min."""
    parts = (head, head * float(backing_rate(1.0, ratio)), head * float(flanking_rate(1.0, ratio)),
             np.full(head.shape, toward_deg))
    return field_from_ellipse(Ellipse(*(part[None] for part in parts)),
                              np.ones(head.shape, np.bool_) if burnable is None else burnable,
                              cell_m)


def areas(size: int) -> None:
    """Table 1."""
    print(f"1. area burned over the ellipse's, {WINDS} winds, {size}x{size}; visits per cell; "
          "time over the default's")
    clocks: dict[str, list[float]] = {name: [] for name in VARIANTS}
    lines = {name: "" for name in VARIANTS}
    for ratio in (1.0, 2.0, 3.0, 4.0):
        found: dict[str, list[float]] = {name: [] for name in VARIANTS}
        visits: dict[str, list[float]] = {name: [] for name in VARIANTS}
        for wind in np.linspace(0.0, 360.0, WINDS, endpoint=False) + 3.7:
            field = field_of(np.full((size, size), HEAD_M_MIN), ratio, float(wind))
            duration = 0.37 * size * CELL_M / HEAD_M_MIN
            back, flank = (float(rate(HEAD_M_MIN, ratio)) for rate in (backing_rate,
                                                                       flanking_rate))
            true = math.pi * 0.5 * (HEAD_M_MIN + back) * flank * duration**2
            for name, variant in VARIANTS.items():
                begin = time.process_time()
                solved = solve(field, variant, size // 2 * size + size // 2)
                clocks[name].append(time.process_time() - begin)
                burned = (solved.arrival_min <= duration).sum() * CELL_M**2
                found[name].append(burned / true)
                visits[name].append(solved.visits)
        for name in VARIANTS:
            lines[name] += (f" | {min(found[name]):.3f}-{max(found[name]):.3f}, "
                            f"{max(visits[name]):.2f}")
    usual = median(clocks["adaptive, causal (default)"])
    print("| variant | length/width 1 | 2 | 3 | 4 | time |")
    for name, line in lines.items():
        print(f"| {name}{line} | {median(clocks[name]) / usual:.1f} |", flush=True)


def strips(size: int) -> None:
    """Table 2. Behind a strip one cell thick that burns a fiftieth as fast, an hour late."""
    print("2. least delay behind a slow strip over the true one; share of the far side that burns "
          "through a gap of one cell in an unburnable line")
    print("| long ways | strip across, length/width 2 | 4 | oblique strip, 4 | gap, 2 | gap, 4 |")
    row, col = np.mgrid[:size, :size]
    across, oblique = col == size // 2, np.abs(col - size // 2 - (row - size // 2) // 3) == 0
    # Cells that touch by a corner only would let the front pass beside the strip.
    oblique |= np.roll(oblique, 1, axis=0) & (col >= 1)
    for name, variant in LONG_WAYS.items():
        cells = [delay(size, mask, ratio, variant)
                 for mask, ratio in ((across, 2.0), (across, 4.0), (oblique, 4.0))]
        for ratio in (2.0, 4.0):
            line = across & (row != size // 2)
            field = field_of(np.full((size, size), HEAD_M_MIN), ratio, 90.0, burnable=~line)
            reached = solve(field, variant, size // 2 * size + size // 8).arrival_min
            cells.append(float(np.isfinite(reached[col > size // 2]).mean()))
        print(f"| {name} | " + " | ".join(f"{cell:.2f}" for cell in cells) + " |", flush=True)


def delay(size: int, strip: NDArray[np.bool_], ratio: float, variant: Variant) -> float:
    """Least delay behind a strip over what it takes straight through one cell of it."""
    worst = math.inf
    head = np.full((size, size), HEAD_M_MIN)
    slow = np.where(strip, HEAD_M_MIN / 50.0, head)
    true = CELL_M / HEAD_M_MIN * (50.0 - 1.0)
    behind = np.logical_or.accumulate(strip, axis=1) & ~strip
    for toward in (90.0, 70.0, 117.0):
        source = size // 2 * size + size // 8
        before, after = (solve(field_of(rates, ratio, toward), variant, source).arrival_min
                         for rates in (head, slow))
        worst = min(worst, float((after - before)[behind].min()) / true)
    return worst


def patches(size: int, maps: int) -> None:
    """Table 3. Rates of spread by patches of 1 to 4 cells, lognormal."""
    print(f"3. arrival times against a grid 5 times as fine, {maps} maps of {size}x{size}: median "
          "of (ours / fine - 1), and of its size")
    print("| variant | spread of rates x1.5, length/width 2 | x4, 2 | x4, 4 |")
    variants = VARIANTS | LONG_WAYS
    cases = ((math.log(1.5), 2.0), (math.log(4.0), 2.0), (math.log(4.0), 4.0))
    found: dict[str, list[list[NDArray]]] = {name: [[] for _ in cases] for name in variants}
    rng = np.random.default_rng(SEED)
    for k, (sigma, ratio) in enumerate(cases):
        for number in range(maps):
            patch = 1 + number % 4
            squares = (size // patch + 1,) * 2
            rough: NDArray[np.float64] = np.exp(sigma * rng.standard_normal(squares))
            patches = rough.repeat(patch, axis=0).repeat(patch, axis=1)
            head = HEAD_M_MIN * patches[:size, :size]
            toward = float(rng.uniform(0.0, 360.0))
            fine = field_of(head.repeat(5, axis=0).repeat(5, axis=1), ratio, toward, CELL_M / 5.0)
            middle = size // 2
            exact = burn_arrival(fine, Fires(
                np.array([(5 * middle + 2) * 5 * size + 5 * middle + 2]), np.zeros(1, np.int64),
                np.full(1, np.inf), np.zeros(1, np.uint64)))[0, 2::5, 2::5]
            field = field_of(head, ratio, toward)
            far = exact > 0.1 * np.median(exact)
            for name, variant in variants.items():
                ours: Solved = solve(field, variant, middle * size + middle)
                found[name][k].append((ours.arrival_min / np.maximum(exact, 1e-9) - 1.0)[far])
    for name, by_case in found.items():
        errors = [np.concatenate(case) for case in by_case]
        print(f"| {name} | " + " | ".join(
            f"{np.median(e):+.3f}, {np.median(np.abs(e)):.3f}" for e in errors) + " |", flush=True)


def bits(sizes: tuple[int, ...], sequences: int) -> None:
    """Table 4. Each sequence: 60 breaks placed and taken away at random, some several at a time."""
    print("4. fires whose trees, losses or sums have other bits than burned anew")
    rng = np.random.default_rng(SEED)
    for size in sizes:
        wrong = compared = 0
        for number in range(sequences):
            conditions = FireConditions(scenarios=3, regime=FireRegime(burned_share=0.2))
            scene = make_scene(generate(SEED + number, size), conditions, SEED)
            problem = make_problem(scene, 0.5, 8, 8)
            slots = Slots(sizes_for(scene, 1, 8, 8))
            slots.load(0, problem)
            one = np.zeros(1, np.int64)
            slots.update(one, fresh=True)
            near = burned_cells(slots)
            for _ in range(60):
                for cell in rng.choice(near, int(rng.integers(1, 4)), replace=False).tolist():
                    if slots.breaks[0].flat[cell]:
                        slots.remove(0, cell)
                    elif slots.available[0].flat[cell]:
                        slots.place(0, cell)
                slots.update(one)
            # In another order, all at once, and by the engine that knows no environment.
            fresh = Slots(slots.sizes)
            fresh.load(0, problem)
            for cell in rng.permutation(np.flatnonzero(slots.breaks[0])).tolist():
                fresh.place(0, cell)
            fresh.update(one, fresh=True)
            ours, other = slots.plan_trees(0), fresh.plan_trees(0)
            anew = burn(scene.field, problem.plan_fires, scene.value_by_class, slots.breaks[0])
            trees = unpad(ours.code, scene.field.shape)
            same = ((trees == anew.parent_code).all(axis=(1, 2)) & (ours.loss == anew.loss)
                    & (ours.code == other.code).all(axis=1) & (ours.loss == other.loss))
            if not np.array_equal(slots.maps(0), fresh.maps(0)):
                same[:] = False
            wrong, compared = wrong + int((~same).sum()), compared + same.size
        print(f"{size}x{size}: {wrong} of {compared}, after {sequences} sequences", flush=True)


def burned_cells(slots: Slots) -> NDArray[np.int64]:
    """Flat cells that at least one plan fire burns."""
    return np.flatnonzero(slots.maps(0)[0].ravel() > 0)


if __name__ == "__main__":
    main()
