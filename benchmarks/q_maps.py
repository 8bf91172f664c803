"""Q-maps and plans of the policy on three real maps that it never saw, to be looked at.

    python benchmarks/q_maps.py --data FOLDER [--out outputs/q-maps]

Windows of 40x40 cells of Santa Ana, Vilopriu and Dogrib: fuels, the Q-map before the first break
and at half of a 5 % budget, the plans of dqn and dqn-lookahead, and those of downstream value and
greedy beside them. docs/results.md says what was seen.
"""

import argparse
from pathlib import Path

import numpy as np
from protocol import TEST_SEED, landscapes, real

from firebreak.agent.policy_file import load_policy
from firebreak.env.storage.problem import make_problem
from firebreak.fire import FireConditions, make_scene
from firebreak.native_library import set_threads
from firebreak.planning.core.rounds import loaded
from firebreak.planning.evaluation.judging import judge_scene
from firebreak.planning.learned.policy import q_map
from firebreak.planning.making import make_plan
from firebreak.report.figures.canvas import save_figure
from firebreak.report.figures.maps import landscape_figure, plan_figure, q_map_figure

SETS, WINDOW = ("santa-ana-30m-40", "vilopriu-20m-40", "dogrib-100m-40"), 2
BUDGET, PLAN_FIRES = 0.05, 256


def main() -> None:
    """Draws them."""
    options = argparse.ArgumentParser(description=__doc__,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, required=True, help="folder of the maps")
    options.add_argument("--out", type=Path, default=Path("outputs/q-maps"))
    args = options.parse_args()
    set_threads(1)
    args.out.mkdir(parents=True, exist_ok=True)
    policy = load_policy()
    for part_set in real(40, 4):
        if part_set.name not in SETS:
            continue
        land = landscapes(part_set, args.data)[WINDOW]
        scene = make_scene(land, FireConditions(), TEST_SEED)
        plans = {name: make_plan(scene, BUDGET, PLAN_FIRES, name, seed=TEST_SEED, policy=policy)
                 for name in ("dqn", "dqn-lookahead", "downstream-value", "greedy")}
        rows = judge_scene(scene, {n: [p] for n, p in plans.items()}, PLAN_FIRES, 2000).rows
        save_figure(landscape_figure(land, caption=part_set.name),
                    args.out / f"{part_set.name}-fuels.png")
        for name, plan in plans.items():
            caption = f"{part_set.name} · saves {rows[name].reduction:.1%}"
            save_figure(plan_figure(land, plan, caption=caption),
                        args.out / f"{part_set.name}-{name}.png")
        slots = loaded(make_problem(scene, BUDGET, PLAN_FIRES, 1))
        cells = plans["dqn"].cells
        for place, cell in enumerate([*cells[:cells.size // 2].tolist(), -1]):
            if place in (0, cells.size // 2):
                save_figure(q_map_figure(land, q_map(policy, slots), slots.available[0],
                                         slots.breaks[0], caption=part_set.name),
                            args.out / f"{part_set.name}-q-{place:03d}.png")
            if cell >= 0:
                slots.place(0, cell)
                slots.update(np.zeros(1, np.int64))
        print(part_set.name, {n: round(row.reduction, 3) for n, row in rows.items()}, flush=True)


if __name__ == "__main__":
    main()
