"""Jobs in which breaks pay only when they close: towns, and fires that come from outside.

    python benchmarks/closing.py --set round drawn windows --data FOLDER --records FILE

measures methods on jobs and appends a JSON line per job and method to the records file; what is
there already is not measured again. It then prints the means by set and by stratum of budget over
the cost of the cheapest barrier around the towns, and what `enclose` and `auto` save more than each
other method, paired by job. `--table` prints only. The method `cut` is that barrier itself, at any
cost: a bound of what one barrier can do, not a rival below the cost of it.

- round: six maps, a round town of radius 5 in the middle, fires from the edge that burn 60 %, hard
  breaks, the budget 1.05 barriers.
- drawn: one to three irregular towns of houses on 32 to 64 cells; none, half or all of the fires
  enter from the edge; they burn 30 to 90 %; hard breaks, bare strips that are breached, shaded
  breaks that crews hold; the budget .4 to 1.3 barriers.
- windows: windows of real maps, houses drawn beside developed land, else as drawn.
- below: towns as in the preset closing, on 16 x 16 cells, the budget .44 to .94 barriers.
- sealed: 48 jobs as in drawn and 12 as in windows, none of which is in another set, a third of each
  from each stratum of budget over barrier: below .7, .7 to 1, 1 and above.

`anneal`, from the plan of `segments`, and `dqn-search` try 800 plans.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks.jobs.codes import developed, near
from benchmarks.rivals import from_start, known
from job_kinds import KINDS
from protocol import read_records

from firebreak.agent.policy_file import Policy, load_policy
from firebreak.agent.policy_place import SHIPPED
from firebreak.checks import InputError
from firebreak.env.storage.problem import problem_of
from firebreak.fire import FireConditions, FireRegime, Scene, burn, make_scene
from firebreak.landscape.formats.read import read_landscape
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.raster.windows import Window, list_windows
from firebreak.landscape.synthetic.generate import generate
from firebreak.landscape.synthetic.noise import power_law_noise
from firebreak.native_library import set_threads
from firebreak.planning.barriers.cut import Cut, Network
from firebreak.planning.barriers.enclose import stakes_of
from firebreak.planning.core.limits import SearchOptions
from firebreak.planning.core.rules import PlanRules
from firebreak.planning.evaluation.auto import plan_by_choice
from firebreak.planning.evaluation.intervals import bounds_over_maps
from firebreak.planning.making import make_plan
from firebreak.planning.methods import CHOOSERS
from firebreak.seeding import generator

PLAN_FIRES, TEST_FIRES = 256, 1000
SEARCH = SearchOptions(evaluations=800)
CUT = "cut"
METHODS = (CUT, "downstream-value", "segments", "dqn", "dqn-lookahead", "enclose", "auto")
Stratum = tuple[float, float]
STRATA: tuple[Stratum, ...] = ((0.0, 0.7), (0.7, 1.0), (1.0, np.inf))
ALL: Stratum = (0.4, 1.3)
"""Budgets over the cost of the barrier, of all strata."""
OPEN_LAND = 0.002
"""Value of a cell of open land where a house is worth 1."""
MAPS = ("landfire-santa-ana-ca", "landfire-bitterroot-mt", "landfire-worcester-vt-north")

Mask = NDArray[np.bool_]


class Job(NamedTuple):
    """A scene, the budget in units of cost, and the cheapest barrier around its towns."""

    name: str
    scene: Scene
    budget: float
    barrier: Cut
    plan_fires: int = PLAN_FIRES

    @property
    def ratio(self) -> float:
        """The budget over the cost of the barrier."""
        return self.budget / self.barrier.cost


def job_of(name: str, land: Landscape, towns: Mask, conditions: FireConditions, ratio: float,
           seed: int, within: Mask | None = None) -> Job | None:
    """The job of a map with towns in which nothing may be treated; None where no barrier helps.

    within: where the barrier may lie.
    """
    scene = make_scene(replace(land, treatable=land.treatable & ~towns), conditions, seed)
    fires = scene.fires("plan", PLAN_FIRES)
    try:
        stakes = stakes_of(problem_of(scene, 0.5, fires, fires.first(0)))
    except InputError:  # fires that lose nothing
        return None
    if within is not None:
        stakes = stakes._replace(cost=np.where(within, stakes.cost, np.inf))
    value = np.where(towns, stakes.value, 0.0)
    network = Network(stakes)
    barrier = network.cut(network.most_willing(value), value)
    if not barrier.cells.size:
        return None
    cost = max(4.0, round(ratio * barrier.cost)) if (scene.landscape.cost == 1.0).all() else (
        ratio * barrier.cost)
    return Job(name, scene, cost + 1e-6, barrier)


def round_towns(data: Path) -> Iterator[Job]:
    """The six maps of the first table."""
    regime = FireRegime(burned_share=0.6, edge_share=1.0, duration_sigma=0.3)
    for seed in range(95001, 95007):
        land, rng = generate(seed, 40), np.random.default_rng(seed)
        row, col = rng.integers(20 - 40 // 6, 20 + 40 // 6 + 1, 2)
        rows, cols = np.indices(land.shape)
        away = np.hypot(rows - row, cols - col)
        value = np.where((away < 5.0) & land.burnable, 1.0, OPEN_LAND).astype(np.float32)
        job = job_of(f"round-{seed}", replace(land, value=value), away < 5.0,
                     FireConditions(regime=regime), 1.05, seed, away < 13.0)
        assert job is not None
        yield job


def drawn_towns(data: Path, count: int = 48, seed: int = 0, name: str = "drawn",
                strata: tuple[Stratum, ...] = (ALL,)) -> Iterator[Job]:
    """Synthetic maps with irregular towns, as many as there is a barrier for, of seeds above one;
    budgets over barriers from the strata by turns.
    """
    while count:
        seed += 1
        rng = generator(seed, "closing", "towns")
        land = generate(7000 + seed, int(rng.choice((32, 40, 48, 64))))
        towns = draw_towns(rng, land)
        value = np.where(land.burnable, OPEN_LAND, 0.0)
        value[towns & land.burnable] = 1.0 + rng.poisson(1.0, int((towns & land.burnable).sum()))
        job = _drawn(f"{name}-{seed}", replace(land, value=value.astype(np.float32)), towns, seed,
                     strata[count % len(strata)])
        if job is not None:
            count -= 1
            yield job


def draw_towns(rng: np.random.Generator, land: Landscape) -> Mask:
    """One to three towns with ragged edges, off the map's edge, bool [H, W]."""
    side = land.shape[0]
    rows, cols = np.indices(land.shape)
    ragged = power_law_noise(rng, 1, land.shape, correlation_cells=4.0, exponent=2.0)[0]
    towns = np.zeros(land.shape, np.bool_)
    for _ in range(int(rng.integers(1, 4))):
        row, col = rng.uniform(0.2 * side, 0.8 * side, 2)
        away = np.hypot(rows - row, cols - col) / (rng.uniform(0.05, 0.12) * side)
        towns |= away + 0.3 * ragged < 1.0
    towns[[0, 1, -2, -1]] = towns[:, [0, 1, -2, -1]] = False
    return towns


def windows(data: Path, count: int = 12, side: int = 56, passed: int = 0, prefix: str = "",
            strata: tuple[Stratum, ...] = (ALL,)) -> Iterator[Job]:
    """Windows of real maps with houses beside developed land, spread over the maps.

    passed: as many jobs of each map are passed over; strata: as in `drawn_towns`.
    """
    for number, name in enumerate(MAPS):
        whole = read_landscape(str(data / name))
        rows, cols = whole.shape
        edge = near(developed(whole), whole, 60.0)
        found = [window for window in list_windows([Window(0, 0, rows, cols)], side, side, whole)
                 if 20 <= edge[window.slices].sum() <= 400]
        taken, own = -passed, count // len(MAPS)
        spread = np.linspace(0, len(found) - 1, min(len(found), 3 * own)).astype(int).tolist()
        for k in [*spread, *sorted({*range(len(found))} - {*spread})]:
            seed = 1000 * (number + 1) + k
            land = found[k].of(whole)
            houses = edge[found[k].slices] & (
                generator(seed, "closing", "houses").random(land.shape) < 0.4)
            houses[[0, 1, -2, -1]] = houses[:, [0, 1, -2, -1]] = False
            value = np.where(land.burnable, OPEN_LAND, 0.0) + houses
            job = _drawn(f"{prefix}{name}-{found[k].row}-{found[k].col}",
                         replace(land, value=value.astype(np.float32)), houses, seed,
                         strata[(number + taken) % len(strata)])
            if job is not None:
                taken += 1
                if taken > 0:
                    yield job
            if taken == own:
                break


def towns_below(data: Path, count: int = 48) -> Iterator[Job]:
    """Towns and fires as in the preset closing, and budgets that close no barrier."""
    conditions = FireConditions(regime=FireRegime(burned_share=0.7, duration_sigma=0.2))
    for seed in range(count):
        land = generate(8000 + seed, 16, family="town")
        job = job_of(f"below-{seed}", land, land.value == 1.0, conditions,
                     generator(seed, "closing", "below").uniform(0.45, 0.94), seed)
        assert job is not None
        yield job._replace(plan_fires=128)


def sealed(data: Path) -> Iterator[Job]:
    """Towns and windows that are in no other set."""
    bounds = tuple((max(low, ALL[0]), min(high, ALL[1])) for low, high in STRATA)
    yield from drawn_towns(data, 48, 610_000, "sealed", bounds)
    yield from windows(data, 12, passed=4, prefix="sealed-", strata=bounds)


def _drawn(name: str, land: Landscape, towns: Mask, seed: int, ratios: Stratum) -> Job | None:
    """The job with fires, breaks and a budget drawn by a seed; ratios: least and largest budget
    over the barrier.
    """
    rng = generator(seed, "closing", "job")
    regime = FireRegime(burned_share=rng.uniform(0.3, 0.9), duration_sigma=0.3,
                        edge_share=float(rng.choice((0.0, 0.5, 1.0, 1.0))))
    kind = str(rng.choice(("", "", "held", "breached")))
    conditions = KINDS[kind].conditions(FireConditions(regime=regime), seed)
    job = job_of(f"{name}-{kind or 'hard'}-{regime.edge_share:g}", land, towns, conditions,
                 rng.uniform(*ratios), seed)
    return job if job is not None and job.barrier.cells.size >= 6 else None


SETS: dict[str, Callable[[Path], Iterator[Job]]] = {
    "round": round_towns, "drawn": drawn_towns, "windows": windows,
    "below": towns_below, "sealed": sealed}


def measure(job: Job, method: str, policy: Policy | None) -> dict[str, Any]:
    """Share of the test fires' loss that a method's plan saves, its processor seconds, and what it
    saves of each test fire as a share of the mean loss.
    """
    scene, land = job.scene, job.scene.landscape
    began = process_time()
    share = min(1.0, job.budget / float(land.cost[land.treatable].astype(np.float64).sum()))
    rules, by = PlanRules(budget=job.budget), method
    if method == CUT:
        cells = job.barrier.cells
    elif method in CHOOSERS:
        plan = plan_by_choice(scene, share, job.plan_fires, seed=0, policy=policy, rules=rules).plan
        cells, by = plan.cells, plan.method
    else:
        cells = make_plan(scene, share, job.plan_fires, method, seed=0, policy=policy,
                          search=SEARCH, rules=rules).cells
    seconds, test = process_time() - began, scene.fires("test", TEST_FIRES)
    untreated = burn(scene, test).loss
    saved = (untreated - burn(scene, test, cells).loss) / untreated.mean()
    return {"job": job.name, "method": method, "by": by, "reduction": round(float(saved.mean()), 5),
            "seconds": round(seconds, 2), "ratio": round(job.ratio, 3),
            "barrier": round(job.barrier.cost, 2), "saved": saved.round(5).tolist()}


def tables(records: list[dict[str, Any]], methods: tuple[str, ...]) -> Iterator[str]:
    """Means by set and stratum over the jobs that all methods were measured on, and differences."""
    by_job: dict[str, dict[str, dict[str, Any]]] = {}
    for record in records:
        by_job.setdefault(record["job"], {})[record["method"]] = record
    whole = {name: own for name, own in by_job.items() if set(methods) <= set(own)}
    groups: dict[str, list[dict[str, dict[str, Any]]]] = {}
    for kind, begins in (("round", "round"), ("drawn", "drawn"), ("windows", "landfire"),
                         ("below", "below"), ("sealed", "sealed")):
        jobs = [own for name, own in whole.items() if name.startswith(begins)]
        groups[kind] = jobs
        for low, high in STRATA if kind != "round" else ():
            groups[f"{kind}, budget {low:g} to {high:g}"] = [
                own for own in jobs if low <= own[methods[0]]["ratio"] < high]
    for group, jobs in groups.items():
        if not jobs:
            continue
        yield f"{group}: {len(jobs)} jobs"
        saved = {name: np.array([own[name]["reduction"] for own in jobs]) for name in methods}
        for name in methods:
            seconds = np.mean([own[name]["seconds"] for own in jobs])
            line = f"  {name:18} {saved[name].mean():.3f}  {seconds:6.1f} s"
            for rival in ("enclose", "auto"):
                if rival in methods and name != rival and len(jobs) > 1:
                    more = saved[rival] - saved[name]
                    low, high = bounds_over_maps(more, 0)
                    line += f"  {rival} {more.mean():+.3f} ({low:+.3f} to {high:+.3f})"
            yield line


def main() -> None:
    """Measures the sets asked for, and prints the tables."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--data", type=Path, required=True, help="folder of the maps")
    options.add_argument("--set", nargs="+", choices=SETS, default=list(SETS))
    options.add_argument("--methods", default=",".join(METHODS), help="comma-separated")
    options.add_argument("--most", type=int, default=10_000, help="jobs of a set, at most")
    options.add_argument("--policy", type=Path, default=SHIPPED)
    options.add_argument("--follow", type=Path, nargs="+", default=(),
                         help="policies that dqn follows besides, each a method 'dqn NAME'")
    options.add_argument("--table", action="store_true", help="measure nothing")
    options.add_argument("--records", type=Path, default=Path("outputs/closing.jsonl"))
    args = options.parse_args()
    set_threads(1)
    torch.set_num_threads(1)
    policies = {"": load_policy(args.policy)} | {
        file.stem: load_policy(file) for file in args.follow}
    methods = (*args.methods.split(","), *(f"dqn {file.stem}" for file in args.follow))
    records = read_records(args.records)
    done = {(record["job"], record["method"]) for record in records}
    args.records.parent.mkdir(parents=True, exist_ok=True)
    for name in () if args.table else args.set:
        for _, job in zip(range(args.most), SETS[name](args.data), strict=False):
            for method in methods:
                if (job.name, method) in done:
                    continue
                own, _, policy = method.partition(" ")
                with known(from_start("segments")):
                    record = measure(job, own, policies[policy]) | {"method": method}
                with args.records.open("a", encoding="utf-8") as out:
                    out.write(json.dumps(record) + "\n")
                print(job.name, method, record["reduction"], record["seconds"], flush=True)
                records.append(record)
    for line in tables(records, methods):
        print(line)


if __name__ == "__main__":
    main()
