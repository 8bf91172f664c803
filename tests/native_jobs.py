"""Small jobs that together call every entry of the native library, in every kind of fire."""

import warnings

import numpy as np
from benchmarks.rivals.burned_maps import burn_maps

import firebreak
from break_cases import KINDS, by_class, slots_on, with_periods, with_rules
from firebreak.fire import burn_field
from firebreak.fire.travel.travel_field import pad, padded_cells
from firebreak.landscape.synthetic.generate import generate
from firebreak.native_library import max_threads, set_threads
from firebreak.planning.patterns.rows import cheap_rows
from firebreak.planning.ranking import TreeSums
from strategies import random_case

SMALL = {"seed": 1, "plan_fires": 24, "test_fires": 20, "threads": 1,
         "quiet": True}


def burn_every_kind(rng: np.random.Generator) -> None:
    """Burns fires, and burns them again as breaks come and go."""
    for rules in KINDS:
        for steps in (1, 2):
            case = random_case(rng, 17, 14, scenarios=4, fires=8)
            case = case._replace(fires=case.fires._replace(scenario=case.fires.scenario // steps))
            case, field = with_periods(case, with_rules(case, rules, int(rng.integers(2**31)),
                                                        steps), 2)
            burn_maps(field, case.fires, by_class(case), case.breaks)
            burn_field(field, case.fires, by_class(case), case.breaks, want="statistics")
            change_breaks(case, field, rng)


def change_breaks(case, field, rng: np.random.Generator) -> None:
    """Places breaks one after the other, and takes some away."""
    slots, _ = slots_on(case, field, by_class(case))
    placed = []
    for cell in rng.permutation(case.burnable.size)[:6].tolist():
        if slots.available[0].ravel()[cell]:
            slots.place(0, cell)
            slots.update(np.zeros(1, np.int64))
            placed.append(cell)
    for cell in placed[:2]:
        slots.remove(0, cell)
        slots.update(np.zeros(1, np.int64))
    places = padded_cells(np.array(placed[:1]), case.burnable.shape[1])
    slots.fires.may_change(places, np.arange(2), nearby=False)
    trees = slots.plan_trees(0)
    TreeSums(case.burnable.shape).behind(trees.code, pad(case.value.astype(np.float64)),
                                         trees.times, [places, places[:0]])


def plan_by_methods() -> None:
    """Plans with methods that try cells and lines, rank trees, and lay rows."""
    for method in ("greedy", "segments", "enclose", "betweenness", "strips", "dqn-lookahead"):
        firebreak.plan("synthetic:2:24", budget=0.05, method=method, **SMALL)
    cheap_rows(generate(3, 28), (1.0, 0.3), 4, 6.0, joined=True)
    firebreak.plan("synthetic:3:28", budget=0.03, **SMALL)


def every_kind_of_job() -> None:
    """All of these, with scratch memory for several threads."""
    set_threads(1)
    assert max_threads() > 1, "set FIREBREAK_THREADS to 4: scratch memory has a row for each"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        burn_every_kind(np.random.default_rng(5))
        plan_by_methods()
