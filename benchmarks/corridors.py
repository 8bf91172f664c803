"""Plans of corridors beside plans of cells at equal money, on three districts of real maps.

    python -m benchmarks.corridors --data FOLDER --district santa-ana --out outputs/corridors
    python -m benchmarks.corridors --out outputs/corridors

The first burns one district and keeps its records; the second prints a table of all records.
Houses stand in burnable cells beside the developed land of the map's own codes. Shaded breaks are
held by hand crews; the same test fires judge all plans, which no method saw.
"""

import argparse
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.jobs.codes import developed, roads
from numpy.typing import NDArray
from scipy import ndimage

from firebreak.api.options import filled
from firebreak.api.plans.corridors import house_buffer_of, with_corridors
from firebreak.api.plans.request import PlanRequest, read_request
from firebreak.api.shared.plan_options import PlanOptions
from firebreak.files import made_folder
from firebreak.fire import Scene, burn_plans
from firebreak.landscape.candidates.corridor import Corridor
from firebreak.landscape.candidates.corridors.ground import ground_of
from firebreak.landscape.formats.read import read_landscape
from firebreak.landscape.formats.write import write_text
from firebreak.landscape.landscape import Landscape
from firebreak.planning.core.built import parts_of
from firebreak.planning.core.plan import Plan, cost_of
from firebreak.planning.evaluation.intervals import fire_groups
from firebreak.planning.evaluation.knee import at_knee
from firebreak.planning.making import make_plan
from firebreak.planning.output.buildable import counts_of
from firebreak.seeding import generator

DISTRICTS = {"santa-ana": ("landfire-santa-ana-ca", "156:356,126:386"),
             "bitterroot": ("landfire-bitterroot-mt", "156:356,300:500"),
             "otay": ("lcp-otay-90m", "116:316,171:371")}
HOUSES, BUDGETS, PLAN_FIRES, TEST_FIRES = 80, (0.01, 0.03), 96, 400
CELLS = ("dqn", "downstream-value")


def district(name: str, data: Path) -> tuple[Landscape, PlanOptions]:
    """The map of a district with houses and roads, and the options of its plans."""
    folder, area = DISTRICTS[name]
    land = read_landscape(data / folder)
    beside = ndimage.binary_dilation(developed(land), np.ones((3, 3))) & land.burnable
    (top, bottom), (left, right) = (map(int, own.split(":")) for own in area.split(","))
    inside = np.zeros(land.shape, np.bool_)
    inside[top:bottom, left:right] = True
    cells = np.flatnonzero(beside & inside)
    value = np.zeros(land.shape, np.float32)
    value.ravel()[generator(0, "houses").choice(cells, min(HOUSES, cells.size), False)] = 1.0
    away = ndimage.distance_transform_edt(~roads(land)) * land.cell_size_m
    return replace(land, value=value, value_unit="houses", road_m=away.astype(np.float32)), filled(
        PlanOptions, {"area": area, "break_kind": "shaded", "hold": "hand", "wind_20ft_km_h": 50.0,
                      "wind_from_deg": 45.0, "plan_fires": PLAN_FIRES, "threads": 1,
                      "quiet": True, "method": "dqn"}, "plan")


def plans_for(share: float, request: PlanRequest,
              scene: Scene) -> tuple[dict[str, Plan], list[Corridor]]:
    """Plans of corridors, whole and to the knee, and of cells with as much money as each; and the
    parts up to the knee.
    """
    everywhere = request.area.anywhere
    whole = cost_of(np.flatnonzero(everywhere.treatable), everywhere)
    area = with_corridors(request.options.place, request.area._replace(
        share=share, money=share * whole), scene, PLAN_FIRES)
    assert area is not None
    own = replace(scene, landscape=area.land)
    plan = make_plan(own, area.share, PLAN_FIRES, "segments", seed=0, rules=area.rules)
    knee = at_knee(own, plan, parts_of(plan, area.land, lines=area.rules.lines),
                   area.rules.include)
    found = {"corridors": plan, "corridors, to the knee": knee.plan}
    for method in CELLS:
        for words, money in (("", plan.cost), (", as much money as the knee", knee.plan.cost)):
            found[f"{method}, cells{words}"] = make_plan(
                scene, money / whole, PLAN_FIRES, method, seed=0, policy=request.policy)
    return found, knee.parts


def measured(name: str, data: Path) -> Iterator[dict[str, Any]]:
    """The records of a district, after each budget."""
    land, options = district(name, data)
    request = read_request(land, options)
    scene = options.scene.scene(request.area.anywhere, "", PLAN_FIRES)
    buffer_m = house_buffer_of(options.place)
    ground, fires = ground_of(scene.landscape, buffer_m), scene.fires("test", TEST_FIRES)
    rows, losses = [], {}
    for share in BUDGETS:
        plans, parts = plans_for(share, request, scene)
        before, *after = burn_plans(scene, fires, [None, *(
            plan.break_mask() for plan in plans.values())])
        groups = fire_groups(fires.scenario, before, fires.times)
        for (kind, plan), loss in zip(plans.items(), after, strict=True):
            counts = counts_of(plan.cells, scene.landscape, ground, buffer_m,
                               parts if kind.endswith("the knee") and "cells" not in kind else ())
            saved = groups.saving(before - loss, before)
            rows.append({"district": name, "budget": share, "plan": kind, "cost": plan.cost,
                         **counts._asdict(), "can_be_built": counts.can_be_built,
                         "saved": saved.mean, "low": saved.low, "high": saved.high})
            losses[f"{share}:{kind}"] = loss.tolist()
        losses["before"] = before.tolist()
        yield {"rows": rows, "losses": losses}


def pooled(records: list[dict[str, Any]], of: str, beside: str) -> tuple[float, float, float]:
    """What one kind of plan saves as a share of what another does, over districts and budgets, with
    a 95 % interval over the test fires.
    """
    rng = generator(0, "pooled")
    draws: list[NDArray[np.float64]] = []
    for own in records:
        before = np.array(own["losses"]["before"])
        for share in BUDGETS:
            saved = np.stack([before - own["losses"][f"{share}:{kind}"] for kind in (of, beside)])
            at = np.concatenate([np.arange(before.size)[None], rng.integers(
                0, before.size, (2000, before.size))])
            draws.append(saved[:, at].sum(axis=2) / before[at].sum(axis=1))
    ratio = np.sum(draws, axis=0)
    low, high = np.quantile(ratio[0, 1:] / ratio[1, 1:], (0.025, 0.975))
    return float(ratio[0, 0] / ratio[1, 0]), float(low), float(high)


def table(records: list[dict[str, Any]]) -> str:
    """A table of plans, and what corridors save beside cells over all districts."""
    lines = ["| district | budget | plan | cost | routes | single cells | houses within 30 m | "
             "saved |", "|---|---|---|---|---|---|---|---|"]
    lines += [f"| {row['district']} | {row['budget']:.0%} | {row['plan']} | {row['cost']:,.0f} | "
              f"{row['routes']} | {row['single']} | {row['houses']} | {row['saved']:.2f} "
              f"({row['low']:.2f} to {row['high']:.2f}) |"
              for own in records for row in own["rows"]]
    words = [f"{of} save {ratio:.2f} ({low:.2f} to {high:.2f}) of what `{method}` saves with cells "
             f"and as much money" for method in CELLS for of, beside in (
                 ("corridors", f"{method}, cells"),
                 ("corridors, to the knee", f"{method}, cells, as much money as the knee"))
             for ratio, low, high in (pooled(records, of, beside),)]
    return "\n".join([*lines, "", "Pooled, with intervals over the test fires:", "",
                      *(f"- {own}" for own in words)])


def main() -> None:
    """Measures a district, or prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--district", choices=DISTRICTS)
    parser.add_argument("--out", type=Path, default=Path("outputs/corridors"))
    args = parser.parse_args()
    if args.district:
        for record in measured(args.district, args.data):
            write_text(made_folder(args.out) / f"{args.district}.json", [json.dumps(record)])
    else:
        print(table([json.loads((args.out / f"{name}.json").read_text()) for name in DISTRICTS
                     if (args.out / f"{name}.json").exists()]))


if __name__ == "__main__":
    main()
