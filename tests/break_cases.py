"""Cases whose breaks are of any kind, with embers and changing weather; slots that hold them."""

import numpy as np

from firebreak.env.storage.problem import Problem
from firebreak.env.storage.problem_batch import ProblemBatch, sizes_for
from firebreak.fire import FireConditions
from firebreak.fire.effects.losses import CLASSES
from firebreak.fire.travel.arcs import BARE, BARE_CODES, NO_CREWS, Spots
from firebreak.fire.travel.breaks import treated_part
from firebreak.fire.travel.travel_field import (
    BreakRules,
    Ellipse,
    TravelField,
    field_from_ellipse,
    heat_of,
    in_streams,
    pad,
)
from firebreak.landscape.treatments import Treatment
from strategies import CELL_SIZE_M, Case, problem_on

BREAKS = {
    "hard": FireConditions(scenarios=2),
    "leaking": FireConditions(scenarios=2, leak=True),
    "narrow": FireConditions(scenarios=2, treatment=Treatment(width_m=20.0)),
    "breached": FireConditions(scenarios=2, treatment=Treatment(width_m=10.0), breach="wilson"),
    "by flames": FireConditions(scenarios=2, breach="flame-length"),
    "shaded": FireConditions(scenarios=2, treatment=Treatment(kind="shaded"))}
"""Conditions of every kind of break that one can plan, for scenes."""

HARD_KINDS = ("hard", "leak", "narrow", "breach", "narrow-breach", "roads", "narrow-breach-roads",
              "mixed-breach-roads")
KINDS = (*HARD_KINDS, "shaded", "embers", "shaded-embers", "held-shaded", "held-breach",
         "held-narrow-breach", "held-shaded-embers", "few-held-shaded", "attack",
         "attack-held-shaded", "shaded-roads", "held-breach-roads", "embers-roads")


def with_rules(case: Case, rules: str, seed: int, steps: int = 1) -> TravelField:
    """The field of a case whose breaks, fires and weather behave as asked."""
    rng = np.random.default_rng(seed)
    rows = case.ellipse.head.shape[0]
    ground = roads_on(case, rng) if "roads" in rules else np.zeros((0, 0), np.uint8)
    passable = case.burnable | (ground > 0) if ground.size else case.burnable
    field = in_streams(field_from_ellipse(case.ellipse, passable, CELL_SIZE_M), steps, 20.0)
    field = field._replace(heat=heat_of(field, 300.0 * case.ellipse.head))
    if "embers" in rules:
        field = field._replace(spots=embers(case, rng))
    breaks = BreakRules(leak=rules == "leak", lost=0.4 if "narrow" in rules else 0.0,
                        ground=ground)
    if "mixed" in rules:  # widths by cell
        breaks = breaks._replace(
            lost=rng.choice(np.float32([0.0, 0.4, 0.8]), case.burnable.shape))
    if "breach" in rules or ground.size:
        chance = rng.random((rows // steps, *case.burnable.shape)).astype(np.float32)
        breaks = breaks._replace(breach=pad(chance if "breach" in rules else chance * (ground > 0)))
    if "shaded" in rules:
        change = np.exp(rng.normal(-0.5, 1.0, case.ellipse.head.shape))
        slower = Ellipse(*(rate * change for rate in case.ellipse[:3]), case.ellipse.heading_deg)
        other = in_streams(field_from_ellipse(slower, passable, CELL_SIZE_M), steps, 20.0)
        other = other._replace(heat=heat_of(other, 200.0 * slower.head),
                               spots=field.spots._replace(cells=0.5 * field.spots.cells))
        breaks = breaks._replace(treated=treated_part(field, other))
    if "bare" in rules:
        breaks = breaks._replace(bare=rng.random(case.burnable.shape) < 0.4)
    return field._replace(breaks=crewed(breaks, case, rules, rng))


def with_periods(case: Case, field: TravelField, later: int) -> tuple[Case, TravelField]:
    """The case and its field, where most fires last up to `later` more burning periods, each in a
    stream of its own.
    """
    rng = np.random.default_rng(int(case.fires.key[0]) % 2**32)
    streams, fires = field.metric.shape[0] // field.steps, case.fires
    begins = np.cumsum(rng.exponential(60.0, (fires.source.size, later)), axis=1)
    begins[np.arange(later) >= rng.integers(0, later + 1, (fires.source.size, 1))] = np.inf
    return (case._replace(fires=fires._replace(later_min=begins)),
            field._replace(later=rng.integers(0, streams, (streams, later))))


def roads_on(case: Case, rng: np.random.Generator) -> np.ndarray:
    """Codes of bare ground that fire may cross, in most of the cells that do not burn."""
    bare = ~case.burnable & (rng.random(case.burnable.shape) < 0.8)
    codes = rng.integers(BARE, BARE + BARE_CODES, case.burnable.shape)
    return np.where(bare, codes, 0).astype(np.uint8)


def crewed(breaks: BreakRules, case: Case, rules: str, rng: np.random.Generator) -> BreakRules:
    """Crews that hold some breaks, some fires and some lengths, and contain some fires."""
    crew = NO_CREWS._replace(cell_ha=0.09)
    if "held" in rules:
        crew = crew._replace(scale=0.0775, power=0.46, always=1.5, never=6.0,
                             cells=3.0 if "few" in rules else np.inf)
        ready = rng.choice([0.0, 10.0, 40.0], case.burnable.shape).astype(np.float32)
        breaks = breaks._replace(ready=pad(ready)[None])
    if "attack" in rules:
        crew = crew._replace(attack_min=15.0)
    return breaks._replace(crew=crew)


def embers(case: Case, rng: np.random.Generator) -> Spots:
    shape = case.ellipse.head.shape
    cells = np.stack([rng.random(shape), np.full(shape, 4.0), np.full(shape, 0.7),
                      np.full(shape, 20.0), np.full(shape, 90.0)]).astype(np.float32)
    toward = rng.uniform(0.0, 2 * np.pi, shape[0])
    winds = np.stack([np.full(shape[0], 0.6), np.sin(toward), np.cos(toward),
                      np.full(shape[0], 0.002)]).astype(np.float32)
    return Spots(pad(cells), winds, 1.5, CELL_SIZE_M)


def by_class(case: Case) -> np.ndarray:
    return case.value * np.linspace(0.1, 1.0, CLASSES, dtype=np.float32)[:, None, None]


def slots_on(case: Case, field: TravelField, value: np.ndarray) -> tuple[ProblemBatch, Problem]:
    half = case.fires.source.size // 2
    plan, reward = case.fires.part(slice(half)), case.fires.part(slice(half, None))
    problem = problem_on(case, plan, reward, field=field, value_by_class=value)
    slots = ProblemBatch(sizes_for(problem.scene, 1, plan.source.size, reward.source.size))
    slots.load(0, problem)
    slots.update(np.zeros(1, np.int64), fresh=True)
    return slots, problem
