"""Parts of docs/results.md as data: the methods that are compared, and their land.

    python benchmarks/protocol.py --data FOLDER --policy RUN... --part main --records FILE

measures a part and appends one JSON line per landscape, method and policy to the records file. What
is there already is not measured again, so a run that was stopped goes on. `benchmarks/results.py`
makes the page from the records. The policy was not chosen, and no
method tuned, on test landscapes and test fires. A policy that was left out had been seen on them
(docs/results-ablation.md, More kinds of jobs).
"""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, NamedTuple

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks import rivals
from flow_lines import FLOW_METHODS
from job_kinds import KINDS

from firebreak.agent.policy_file import Policy, load_policy
from firebreak.env.sources import treat_inside
from firebreak.fire import FireConditions, Scene, make_scene
from firebreak.fire.fires import FireRegime
from firebreak.landscape.formats.read import read_landscape
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.raster.windows import Window, aggregate, list_windows
from firebreak.landscape.synthetic.families import Family
from firebreak.landscape.synthetic.generate import generate
from firebreak.native_library import set_threads
from firebreak.planning import making
from firebreak.planning.core.limits import SearchOptions
from firebreak.planning.core.plan import pieces_of
from firebreak.planning.evaluation.judging import judge_scene
from firebreak.planning.making import make_plan
from firebreak.planning.methods import METHODS
from firebreak.seeding import integer_seed

TEST_SEED = 2027
RANDOM_DRAWS = 30
LEARNED = ("dqn", "dqn-lookahead", "dqn-search", "regression")

CHEAP = ("none", "random", "burn-probability", "value-hazard", "downstream-value-static",
         "downstream-value", "betweenness", "segments", "tom", "strips")
OTHERS = rivals.RIVALS | FLOW_METHODS
"""Methods that are measured here only."""
RIVALS = ("downstream-value", "greedy", "segments", "regression", "dqn", "dqn-lookahead")


class Set(NamedTuple):
    """Test land: a synthetic family (None: all of them) or windows of a map.

    windows are cut apart from one another, joined to `cell_size_m` first; corners are their
    north-west cells where they are known. kind: of the jobs on it, see `job_kinds`.
    """

    name: str
    size: int
    count: int  # type: ignore[assignment]  # of tuples, which nothing here asks for
    family: str | Family | None = None
    map: str | None = None
    cell_size_m: float = 0.0
    corners: tuple[tuple[int, int], ...] = ()
    kind: str = ""


class Part(NamedTuple):
    """A table of the page: every method on every set at each budget, number of plan fires and share
    that untreated fires burn. limits: seconds that searches may take, 0 for methods that are done
    when they are done. start: method that `swap` and `anneal` start from, if not their own.
    own_time: seconds are the processor's, not the clock's: other work may share the machine.
    seed: of synthetic land, fires and methods.
    """

    sets: tuple[Set, ...]
    methods: tuple[str, ...]
    budgets: tuple[float, ...] = (0.05,)
    plan_fires: tuple[int, ...] = (256,)
    burned_shares: tuple[float, ...] = (0.15,)
    limits: tuple[float, ...] = (0.0,)
    test_fires: int = 2000
    start: str | None = None
    own_time: bool = False
    seed: int = TEST_SEED


def real(size: int, count: int) -> tuple[Set, ...]:
    """Windows of maps that no policy was trained on."""
    return (Set(f"santa-ana-30m-{size}", size, count, map="landfire-santa-ana-ca"),
            Set(f"santa-ana-90m-{size}", size, count, map="landfire-santa-ana-ca", cell_size_m=90),
            Set(f"vilopriu-20m-{size}", size, count, map="c2fw-sb-vilopriu"),
            Set(f"dogrib-100m-{size}", size, count, map="cell2fire-dogrib"),
            Set(f"arrowhead-100m-{size}", size, count, map="cell2fire-arrowhead-fire1"))


SYNTHETIC_40 = Set("synthetic-40", 40, 24)
PARTS: dict[str, Part] = {
    "main": Part((SYNTHETIC_40, Set("shifted-40", 40, 12, family="shifted")), CHEAP + RIVALS[1:],
                 plan_fires=(64, 256, 1000)),
    "rivals": Part((SYNTHETIC_40._replace(count=48), Set("shifted-40", 40, 36, family="shifted"),
                    *real(40, 12)), RIVALS, plan_fires=(64, 256, 1000)),
    "real": Part(real(40, 4), CHEAP + RIVALS[1:]),
    "large": Part((Set("synthetic-64", 64, 8), *real(64, 2)[:3]), RIVALS),
    "budgets": Part((SYNTHETIC_40._replace(count=6),), RIVALS,
                    budgets=(0.01, 0.02, 0.03, 0.05, 0.10)),
    "range": Part(tuple(Set(f"synthetic-{size}", size, 6) for size in (20, 40, 64, 128)),
                  ("downstream-value", "dqn", "dqn-lookahead"),
                  burned_shares=(0.02, 0.05, 0.10, 0.20, 0.40)),
    "range-greedy": Part(tuple(Set(f"synthetic-{size}", size, 6) for size in (20, 40, 64)),
                         ("greedy",), burned_shares=(0.02, 0.05, 0.10, 0.20, 0.40), own_time=True),
    "small-budgets": Part((SYNTHETIC_40._replace(count=48), *real(40, 12)),
                          ("greedy", "segments", "dqn", "dqn-lookahead"), budgets=(0.01, 0.02),
                          own_time=True),
    "kinds": Part(tuple(Set(f"synthetic-{kind or 'hard'}-40", 40, 30, kind=kind)
                        for kind in KINDS),
                  ("downstream-value", "segments", "dqn", "dqn-lookahead"), own_time=True),
    "huge": Part((Set("synthetic-256", 256, 3),), ("downstream-value", "dqn", "dqn-lookahead"),
                 burned_shares=(0.02, 0.15)),
    "gap": Part((SYNTHETIC_40._replace(count=6),), RIVALS,
                plan_fires=(50, 100, 400, 1600, 6400)),
    "pace": Part((SYNTHETIC_40._replace(count=6), Set("shifted-40", 40, 6, family="shifted"),
                  *real(40, 2)), RIVALS, plan_fires=(64, 256), test_fires=100),
    "time": Part((SYNTHETIC_40._replace(count=6),), ("swap", "anneal", "dqn-search"),
                 limits=(1.0, 10.0, 100.0)),
    "search-budgets": Part((SYNTHETIC_40._replace(count=6),), ("swap", "anneal", "dqn-search"),
                           budgets=(0.01, 0.02, 0.03, 0.10), limits=(10.0,)),
    "lines": Part((Set("lines-40", 40, 12),), (
        "dqn", "dqn-lookahead", "lookahead-flow", "segments", "segments-halves"), own_time=True),
    "line-searches": Part((Set("lines-40", 40, 12),), ("dqn-search",), limits=(1.0, 2.0, 10.0),
                          own_time=True),
    "flow-searches": Part((Set("lines-40", 40, 12),), ("search-flow",), limits=(2.0,),
                          own_time=True),
    "searches-from-segments": Part((Set("lines-40", 40, 12),), ("swap", "anneal"),
                                   limits=(1.0, 10.0, 100.0), start="segments", own_time=True),
}


def landscapes(part_set: Set, data: Path, seed: int = TEST_SEED) -> list[Landscape]:
    """The land of a set, the same at every call."""
    if part_set.map is None:
        seeds = [integer_seed(seed, "results", part_set.name, i) for i in range(part_set.count)]
        treat = KINDS[part_set.kind].land
        return [treat(generate(own, part_set.size, family=part_set.family), own) for own in seeds]
    whole = whole_map(part_set, data)
    return [treat_inside(window.of(whole), margin_of(part_set))
            for window in windows_of(part_set, whole)]


def whole_map(part_set: Set, data: Path) -> Landscape:
    """The map that a set's windows are cut from, joined to the set's cells."""
    whole = read_landscape(data / str(part_set.map))
    if not part_set.cell_size_m:
        return whole
    return aggregate(whole, round(part_set.cell_size_m / whole.cell_size_m))


def margin_of(part_set: Set) -> int:
    """Cells around a window of a set that only burn."""
    return part_set.size // 10


def windows_of(part_set: Set, whole: Landscape) -> list[Window]:
    """The windows of a set on its map, with their margins."""
    full = part_set.size + 2 * margin_of(part_set)
    if part_set.corners:
        return [Window(row, col, full, full) for row, col in part_set.corners]
    rows, cols = whole.shape
    found = list_windows([Window(0, 0, rows, cols)], full, full, whole)
    # Spread over the map: not the first few from its north-west corner; none twice.
    count = min(part_set.count, len(found))
    return [found[round(k * (len(found) - 1) / max(count - 1, 1))] for k in range(count)]


def measure(name: str, part: Part, data: Path, policies: dict[str, Policy],
            done: set[str], most: int) -> Iterator[dict[str, Any]]:
    """Records of a part that are not in `done`, one per landscape, method and policy; of the first
    `most` landscapes of each set.
    """
    for part_set in part.sets:
        lands = landscapes(part_set, data, part.seed)[:most]
        for share in part.burned_shares:
            plain = FireConditions(regime=FireRegime(burned_share=share))
            for index, land in enumerate(lands):
                scene = None
                own = integer_seed(part.seed, part_set.name, index)
                conditions = KINDS[part_set.kind].conditions(plain, own)
                for budget in part.budgets:
                    for shown in part.plan_fires:
                        for method, policy, limit in _runs(part, _followed(part_set, policies)):
                            key = "|".join(map(str, (name, part_set.name, share, index, budget,
                                                     shown, method, policy, limit)))
                            if key in done:
                                continue
                            scene = scene or make_scene(land, conditions, part.seed)
                            record = _judged(scene, budget, shown, part, method,
                                             policies.get(policy), limit)
                            yield {"key": key, "part": name, "set": part_set.name, "index": index,
                                   "burned_share": share, "policy": policy, "limit": limit,
                                   **record}


def _followed(part_set: Set, policies: dict[str, Policy]) -> dict[str, Policy]:
    """The policies without those that commands follow for other kinds of jobs."""
    own = KINDS[part_set.kind].policy
    of_kinds = {kind.policy for kind in KINDS.values()}
    return {name: policy for name, policy in policies.items()
            if name == own or name not in of_kinds}


def _runs(part: Part, policies: dict[str, Policy]) -> Iterator[tuple[str, str, float]]:
    for method in part.methods:
        for policy in policies if method in LEARNED else ("",):
            yield from ((method, policy, limit) for limit in part.limits)


def _judged(scene: Scene, budget: float, shown: int, part: Part, method: str,
            policy: Policy | None, limit: float) -> dict[str, Any]:
    stochastic = (METHODS | OTHERS)[method].stochastic
    search = SearchOptions(seconds=limit or None)
    seeds = ([integer_seed(part.seed, "random-draw", k) for k in range(RANDOM_DRAWS)]
             if stochastic else [part.seed])
    with own_clock(part.own_time), rivals.known(rivals.from_start(part.start)):
        plans = [make_plan(scene, budget, shown, method, seed=seed, policy=policy,
                           search=search) for seed in seeds]
    row = judge_scene(scene, {method: plans}, shown, part.test_fires).rows[method]
    pieces = sum(pieces_of(plan.break_mask()) for plan in plans) / len(plans)
    return row._asdict() | {
        "cells": sum(plan.cells.size for plan in plans) / len(plans), "pieces": pieces,
        "length_m": sum(plan.cells.size for plan in plans) / len(plans)
        * scene.landscape.cell_size_m}


@contextmanager
def own_clock(wanted: bool) -> Iterator[None]:
    """Seconds of plans by the processor's time, if wanted; methods that are measured here only are
    known meanwhile.
    """
    making.perf_counter = process_time if wanted else perf_counter
    try:
        with rivals.known(OTHERS):
            yield
    finally:
        making.perf_counter = perf_counter


def read_records(path: Path) -> list[dict[str, Any]]:
    """All records of a file, or of a folder's files; none if it is not there."""
    if path.is_dir():
        return [record for file in sorted(path.glob("*.jsonl")) for record in read_records(file)]
    if not path.is_file():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def main() -> None:
    """Measures the parts asked for."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--data", type=Path, required=True, help="folder of the maps")
    options.add_argument("--policy", type=Path, nargs="*", default=[], help="runs or policy files")
    options.add_argument("--part", nargs="+", choices=PARTS, default=list(PARTS))
    options.add_argument("--methods", default="", help="only these, comma-separated")
    options.add_argument("--sets", default="", help="only these, comma-separated")
    options.add_argument("--plan-fires", type=int, default=0, help="only this number of them")
    options.add_argument("--most", type=int, default=10_000, help="landscapes of a set, at most")
    options.add_argument("--records", type=Path, default=Path("outputs/records.jsonl"))
    args = options.parse_args()
    set_threads(1)
    torch.set_num_threads(1)
    wanted = set(args.methods.split(",")) if args.methods else None
    policies = {name_of(path): load_policy(path) for path in args.policy}
    done = {record["key"] for record in read_records(args.records)}
    for name in args.part:
        part = PARTS[name]
        if args.plan_fires:
            part = part._replace(plan_fires=(args.plan_fires,))
        part = part._replace(methods=tuple(m for m in part.methods
                                           if wanted is None or m in wanted),
                             sets=tuple(s for s in part.sets
                                        if not args.sets or s.name in args.sets.split(",")))
        append(args.records, measure(name, part, args.data, policies, done, args.most))


def append(path: Path, records: Iterable[dict[str, Any]]) -> None:
    """Writes records to the end of a file as they come, and shows each."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as out:
        for record in records:
            out.write(json.dumps({name: round(value, 5) if isinstance(value, float) else value
                                  for name, value in record.items()}) + "\n")
            out.flush()
            print(record["key"], f"{record['reduction']:.4f} {record['seconds']:.2f} s",
                  flush=True)


def name_of(path: Path) -> str:
    """Name of a policy in records: a file's stem, or a run's folder."""
    return path.stem if path.is_file() else path.name


if __name__ == "__main__":
    main()
