"""Plans of given lines alone: ridges, valleys, edges of fuels and roads of synthetic maps.

    python benchmarks/given_lines.py --records outputs/given-lines.jsonl

measures methods on maps of 64 x 64 cells whose lines, cut every twelve cells, are all that may be
built, at 3 % of the cost of the map, with 256 plan fires and 1,000 test fires. It appends a JSON
line per map to the records, goes on where it stopped, and prints the means, and what
`dqn-lookahead` saves more than each other method, paired by map.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from protocol import read_records

from firebreak.agent.policy_file import Policy, load_policy
from firebreak.agent.policy_place import SHIPPED
from firebreak.fire import FireConditions, FireRegime, make_scene
from firebreak.landscape.candidates.corridor import corridor_of
from firebreak.landscape.candidates.lines import candidate_lines, masks_of
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.synthetic.generate import generate
from firebreak.native_library import set_threads
from firebreak.planning.core.corridors import Corridors
from firebreak.planning.core.rules import PlanRules
from firebreak.planning.evaluation.intervals import bounds_over_maps
from firebreak.planning.evaluation.judging import judge_scene
from firebreak.planning.making import make_plan

SIDE, SHARE, BURNED, PLAN_FIRES, TEST_FIRES = 64, 0.03, 0.15, 256, 1000
METHODS = ("downstream-value", "segments", "dqn", "dqn-lookahead")
HERO = METHODS[-1]
FIRST_SEED, FEWEST, CELLS = 98_001, 8, 12
"""Seed of the first map; lines that a map has at least; cells after which a line is cut."""


def lines_on(land: Landscape) -> Corridors:
    """The lines of a map, cut."""
    found = [(corridor_of(whole.path[first:first + CELLS + 1], land, "given"), number)
             for number, whole in enumerate(candidate_lines(land, masks_of(land),
                                                            3.0 * land.cell_size_m))
             for first in range(0, whole.path.size, CELLS)]
    kept = [(line, number) for line, number in found
            if line.path.size > 3 and line.cells.size > 1]
    return Corridors(corridors=tuple(line for line, _ in kept),
                     line=tuple(number for _, number in kept), only=True)


def maps(count: int) -> Iterator[tuple[int, Landscape, Corridors]]:
    """The first maps that have lines, with their seeds."""
    seed = FIRST_SEED
    while count:
        land = generate(seed, SIDE)
        lines = lines_on(land)
        if len(lines.corridors) >= FEWEST:
            yield seed, land, lines
            count -= 1
        seed += 1


def measured(seed: int, land: Landscape, lines: Corridors, methods: Sequence[str],
             policy: Policy) -> dict[str, Any]:
    """Savings by the plan of each method on a map, and its CPU seconds."""
    own = replace(land, treatable=land.treatable & lines.mask(land.shape))
    share = min(SHARE * float(land.cost[land.treatable].sum())
                / float(own.cost[own.treatable].sum()), 1.0)
    scene = make_scene(own, FireConditions(regime=FireRegime(burned_share=BURNED)), seed)
    plans, seconds = {}, {}
    for method in methods:
        began = process_time()
        plans[method] = [make_plan(scene, share, PLAN_FIRES, method, seed=0, policy=policy,
                                   rules=PlanRules(lines=lines))]
        seconds[method] = process_time() - began
    rows = judge_scene(scene, plans, PLAN_FIRES, TEST_FIRES).rows
    return {"seed": seed, "seconds": seconds,
            "reduction": {method: rows[method].reduction for method in methods}}


def table(records: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Rows of the methods: mean reduction, CPU seconds, and how much more HERO saves."""
    yield f"| method | {len(records)} maps | CPU s | {HERO} saves more |"
    yield "|---|---|---|---|"
    hero = np.array([one["reduction"][HERO] for one in records])
    for method in records[0]["reduction"]:
        saved = np.array([one["reduction"][method] for one in records])
        low, high = bounds_over_maps(hero - saved, 0)
        yield (f"| {method} | {saved.mean():.3f} | "
               f"{np.mean([one['seconds'][method] for one in records]):.2f} | "
               f"{(hero - saved).mean():+.3f} ({low:+.3f} to {high:+.3f}) |")


def main() -> None:
    """Measures the maps that the records do not have, and prints the table."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--maps", type=int, default=48)
    options.add_argument("--policy", type=Path, default=SHIPPED)
    options.add_argument("--records", type=Path, default=Path("outputs/given-lines.jsonl"))
    args = options.parse_args()
    set_threads(1)
    torch.set_num_threads(1)
    policy, records = load_policy(args.policy), read_records(args.records)
    done = {record["seed"] for record in records}
    args.records.parent.mkdir(parents=True, exist_ok=True)
    for seed, land, lines in maps(args.maps):
        if seed not in done:
            records.append(measured(seed, land, lines, METHODS, policy))
            with args.records.open("a", encoding="utf-8") as out:
                out.write(json.dumps(records[-1]) + "\n")
    print("\n".join(table(records)))


if __name__ == "__main__":
    main()
