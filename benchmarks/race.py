"""Frequency with which the race of `auto` chooses another plan than all choice fires would.

    python benchmarks/race.py --jobs 200

Draws jobs on small synthetic maps, burns all choice fires under every candidate, and lets the
candidates race on these losses. Prints what the race saves and how often it chooses otherwise.
"""

import argparse
import sys
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.agent.policy_file import load_policy
from firebreak.fire import FireConditions, Scene, make_scene
from firebreak.landscape.synthetic.generate import generate
from firebreak.landscape.treatments import Treatment
from firebreak.native_library import set_threads
from firebreak.planning.core.break_segments import least_length_m
from firebreak.planning.core.fire_counts import choice_count
from firebreak.planning.core.progress import no_report
from firebreak.planning.core.rules import PlanRules
from firebreak.planning.evaluation.auto import FINALISTS, finalists_of
from firebreak.planning.evaluation.choice import SIGMAS, choice_fires, choose, race
from firebreak.planning.evaluation.refine import moved_plan
from firebreak.planning.making import make_plan
from firebreak.planning.methods import CANDIDATES, METHODS
from firebreak.planning.search import moves as improve
from firebreak.seeding import generator

Saved = NDArray[np.float64]
SHARE, WORST = 0.02, 0.005
"""Of the jobs the share that may have another choice, and what that may save less."""
MOVES = 64_000
"""Plan fires times plans tried when breaks move: fewer than in a plan, as all races of a job share
the moves."""


class Job(NamedTuple):
    """A drawn job: its scene, share of the budget, plan fires."""

    scene: Scene
    share: float
    plan_fires: int


class Outcome(NamedTuple):
    """Choice of a race. lost: less saved than by the choice of all fires; burned: share of the
    candidates' fires.
    """

    same: bool
    lost: float
    burned: float


def drawn_job(number: int) -> Job:
    """A small map with its weather, breaks, budget and plan fires."""
    rng = generator(number, "benchmark", "race")
    size = int(rng.integers(14, 25))
    land = generate(1_000_000 + number, size, cell_size_m=float(rng.choice([30.0, 100.0])))
    treatment = Treatment(kind="shaded" if rng.random() < 0.25 else "hard")
    conditions = FireConditions(scenarios=int(rng.integers(1, 7)), treatment=treatment)
    return Job(make_scene(land, conditions, number), float(rng.uniform(0.03, 0.10)),
               int(rng.choice([32, 64, 128])))


def outcomes(job: Job, sigmas: tuple[float, ...], choice: int | None = None) -> list[Outcome]:
    """Choices of races of these strictnesses, beside that of all choice fires."""
    scene, land = job.scene, job.scene.landscape
    rules, policy = PlanRules(least_m=least_length_m(land.cell_size_m)), load_policy()
    plans = {}
    for name in CANDIDATES:
        entry = METHODS[name].candidate
        if entry is not None and entry.fits(scene, job.share, job.plan_fires):
            plans[name] = make_plan(scene, job.share, job.plan_fires, name, seed=0, policy=policy,
                                    rules=rules)
    count = choice or choice_count(job.plan_fires, land.fuel_model.size)
    judge = choice_fires(scene, count)
    full = {name: judge.savings(plan) for name, plan in plans.items()}
    moved: dict[str, Saved] = {}

    def kept(saved: Mapping[str, Saved]) -> Saved:
        """Savings of the chosen plan by fire."""
        last = dict(saved)
        for name in finalists_of(saved):
            if name not in moved:
                moved[name] = moved_plan(scene, plans[name], full[name], judge.savings, rules,
                                         no_report).saved
            last[name] = moved[name]
        chosen[:] = [choose(last, CANDIDATES).chosen]
        return last[chosen[0]]

    chosen: list[str] = []
    best, by_all = kept(full), chosen[0]
    found = []
    for strict in sigmas:
        saved = race(list(full), lambda name, part: full[name][part], count, FINALISTS,
                     sigmas=strict)
        own = kept(saved)
        found.append(Outcome(chosen[0] == by_all, float((best - own).mean()),
                             sum(one.size for one in saved.values()) / (count * len(full))))
    return found


def main() -> None:
    """Prints a line for each strictness."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--jobs", type=int, default=200)
    parser.add_argument("--sigmas", type=float, nargs="+", default=[SIGMAS])
    args = parser.parse_args()
    set_threads(1)
    improve.MOST_BURNS = MOVES
    found = []
    for number in range(args.jobs):
        found.append(outcomes(drawn_job(number), tuple(args.sigmas)))
        print(number, *found[-1], file=sys.stderr, flush=True)
    for strict, own in zip(args.sigmas, zip(*found, strict=True), strict=True):
        other = sum(not one.same for one in own)
        print(f"{strict:g} standard errors: another choice in {other} of {args.jobs} jobs, at most "
              f"{max(one.lost for one in own):.4f} less saved; "
              f"{np.mean([one.burned for one in own]):.0%} of the fires burned")


if __name__ == "__main__":
    main()
