"""Plans of corridors beside plans of cells at equal money, on three districts of real maps.

    python -m benchmarks.corridors --data FOLDER --district santa-ana --out outputs/corridors
    python -m benchmarks.corridors --out outputs/corridors

The first burns one district and keeps a record of each budget; the second prints the tables of all
records. Houses stand in burnable cells beside the developed land of the map's own codes. Shaded
breaks are held by hand crews; the same test fires judge all plans, which no method saw.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from benchmarks.jobs.codes import developed, roads
from benchmarks.validation.page import replaced
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
from firebreak.landscape.candidates.lines import candidate_lines, masks_of
from firebreak.landscape.formats.read import read_landscape
from firebreak.landscape.formats.write import write_text
from firebreak.landscape.landscape import Landscape
from firebreak.planning.core.build_rules import BESIDE_CELLS, BESIDE_M, MOST_BESIDE
from firebreak.planning.core.corridors import HA_A_PIECE, MORE_PIECES, Corridors, parts_of
from firebreak.planning.core.plan import Plan, cost_of
from firebreak.planning.core.rules import FREE, PlanRules
from firebreak.planning.evaluation.auto import plan_by_choice
from firebreak.planning.evaluation.intervals import fire_groups
from firebreak.planning.evaluation.knee import at_knee
from firebreak.planning.making import make_plan
from firebreak.planning.output.buildable import counts_of
from firebreak.seeding import generator

DISTRICTS = {"santa-ana": ("landfire-santa-ana-ca", "156:356,126:386"),
             "bitterroot": ("landfire-bitterroot-mt", "156:356,300:500"),
             "otay": ("lcp-otay-90m", "116:316,171:371")}
HOUSES, BUDGETS, PLAN_FIRES, TEST_FIRES = 80, (0.01, 0.03, 0.05), 96, 400
CELLS, OFF_HOUSES = ("dqn", "downstream-value"), "downstream-value, cells off houses"
PAGE, ROWS = "results-jobs.md", "results/corridors.json"
WHOLE, KNEE, TERRAIN = "corridors", "corridors, to the knee", "`segments`, terrain lines"


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


class Made(NamedTuple):
    """A plan, its parts, and the seconds that it took."""

    plan: Plan
    parts: list[Corridor]
    seconds: float


def plans_for(share: float, request: PlanRequest, scene: Scene, more: bool) -> dict[str, Made]:
    """Plans of corridors, whole and to the knee; with as much money as each plans of cells. With
    `more` also plans of long pieces and of lines along the terrain, as dear as the whole one.
    """
    everywhere, begin = request.area.anywhere, perf_counter()
    whole = cost_of(np.flatnonzero(everywhere.treatable), everywhere)
    area = with_corridors(request.options, request.area._replace(
        share=share, money=share * whole), scene, PLAN_FIRES)
    assert area is not None
    own = replace(scene, landscape=area.land)
    plan = plan_by_choice(own, area.share, PLAN_FIRES, seed=0, policy=request.policy,
                          rules=area.rules).plan
    parts, made = parts_of(plan, area.land, lines=area.rules.lines), perf_counter()
    knee = at_knee(own, plan, parts, area.rules.include)
    found = {WHOLE: Made(plan, parts, made - begin),
             KNEE: Made(knee.plan, knee.parts, perf_counter() - begin)}

    def of_cells(method: str, money: float, rules: PlanRules = FREE,
                 scene: Scene = scene) -> Made:
        begin, land = perf_counter(), scene.landscape
        share = money / cost_of(np.flatnonzero(land.treatable), land)
        plan = make_plan(scene, share, PLAN_FIRES, method, seed=0, policy=request.policy,
                         rules=rules)
        return Made(plan, parts_of(plan, everywhere), perf_counter() - begin)

    for method in CELLS:
        for words, money in (("", plan.cost), (", as much money as the knee", knee.plan.cost)):
            found[f"{method}, cells{words}"] = of_cells(method, money)
    off = everywhere.treatable & ~ground_of(
        everywhere, house_buffer_of(request.options.place)).near_houses
    found[OFF_HOUSES] = of_cells(CELLS[1], plan.cost, scene=replace(
        scene, landscape=replace(everywhere, treatable=off)))
    if not more:
        return found
    found["dqn, pieces from 300 m"] = of_cells("dqn", plan.cost, PlanRules(shortest_m=300.0))
    lines = candidate_lines(everywhere, masks_of(everywhere, roads_of(everywhere)))
    found[TERRAIN] = of_cells("segments", plan.cost, PlanRules(lines=Corridors(
        corridors=tuple(lines), line=tuple(range(len(lines))), only=True)))
    return found


def roads_of(land: Landscape) -> NDArray[np.bool_] | None:
    """The cells of roads, where they are known."""
    return None if land.road_m is None else land.road_m == 0.0


def lying_beside(parts: list[Corridor], land: Landscape) -> int:
    """Pairs of parts of which one lies beside the other along too much of the shorter one."""
    near_m, found = max(BESIDE_M, BESIDE_CELLS * land.cell_size_m), 0
    for k, one in enumerate(parts):
        away = np.ones(land.shape, np.bool_)
        away.ravel()[one.path] = False
        near = ndimage.distance_transform_edt(away).ravel() * land.cell_size_m < near_m
        for other in parts[:k]:
            shorter, beside = (one, other) if one.length_m < other.length_m else (other, one)
            if shorter is one:
                mask = np.ones(land.shape, np.bool_)
                mask.ravel()[beside.path] = False
                shares = ndimage.distance_transform_edt(mask).ravel()[one.path] * (
                    land.cell_size_m) < near_m
            else:
                shares = near[other.path]
            found += bool(shares.mean() > MOST_BESIDE)
    return found


def shapes(parts: list[Corridor], land: Landscape) -> dict[str, float]:
    """The counts of parts: those shorter than 300 m that are no gap, pairs that lie beside each
    other, and the median length of those that are neither cut nor gap, m.
    """
    lengths = [own.length_m for own in parts if own.kind not in ("cut", "gap")]
    return {"parts": len(parts), "beside": lying_beside(parts, land),
            "short": sum(own.length_m < 300.0 and own.kind != "gap" for own in parts),
            "median_m": median(lengths) if lengths else 0.0}


def measured(name: str, data: Path, budgets: Sequence[float],
             more: bool) -> Iterator[dict[str, Any]]:
    """The record of each budget of a district."""
    land, options = district(name, data)
    request = read_request(land, options)
    scene = options.scene.scene(request.area.anywhere, "", PLAN_FIRES)
    buffer_m = house_buffer_of(options.place)
    ground, fires = ground_of(scene.landscape, buffer_m), scene.fires("test", TEST_FIRES)
    for share in budgets:
        made = plans_for(share, request, scene, more)
        rows, losses, cells = [], {}, {}
        before, *after = burn_plans(scene, fires, [None, *(
            own.plan.break_mask() for own in made.values())])
        groups = fire_groups(fires.scenario, before, fires.times)
        for (kind, own), loss in zip(made.items(), after, strict=True):
            counts = counts_of(own.plan.cells, scene.landscape, ground, buffer_m,
                               own.parts if kind in (WHOLE, KNEE) else ())
            saved = groups.saving(before - loss, before)
            rows.append({"district": name, "budget": share, "plan": kind,
                         "method": own.plan.method, "cost": own.plan.cost,
                         **counts._asdict(), "can_be_built": counts.can_be_built,
                         **shapes(own.parts, scene.landscape), "seconds": own.seconds,
                         "saved": saved.mean, "low": saved.low, "high": saved.high})
            losses[kind] = loss.tolist()
            cells[kind] = [(part.kind, part.name, part.length_m, part.path.tolist(),
                                         part.cells.tolist()) for part in own.parts]
        yield {"district": name, "budget": share, "rows": rows, "cells": cells,
               "losses": {"before": before.tolist(), **losses}}


def pooled(records: list[dict[str, Any]], of: str, beside: str) -> tuple[float, float, float]:
    """Savings of one kind of plan as a share of another's, over districts and budgets, with
    a 95 % interval over the test fires.
    """
    rng = generator(0, "pooled")
    draws: list[NDArray[np.float64]] = []
    again: dict[str, NDArray[np.int64]] = {}  # all budgets of a district have the same fires
    for own in records:
        before = np.array(own["losses"]["before"])
        saved = np.stack([before - own["losses"][kind] for kind in (of, beside)])
        at = again.setdefault(own["district"], np.concatenate([np.arange(before.size)[
            None], rng.integers(0, before.size, (2000, before.size))]))
        draws.append(saved[:, at].sum(axis=2) / before[at].sum(axis=1))
    ratio = np.sum(draws, axis=0)
    low, high = np.quantile(ratio[0, 1:] / ratio[1, 1:], (0.025, 0.975))
    return float(ratio[0, 0] / ratio[1, 0]), float(low), float(high)


def table(records: list[dict[str, Any]]) -> str:
    """A table with a row for each plan."""
    lines = ["| district | budget | plan | cost | pieces (most allowed) | single cells | houses "
             "within 30 m | parts below 300 m | beside another | median length, m | saved |",
             "|---" * 11 + "|"]
    lines += [f"| {row['district']} | {row['budget']:.1%} | {row['plan']} | {row['cost']:,.0f} | "
              f"{row['pieces']} ({row['area_ha'] / HA_A_PIECE + MORE_PIECES:.0f}) | "
              f"{row['single']} | {row['houses']} | {row['short']} | {row['beside']} | "
              f"{row['median_m']:,.0f} | {_saved(row)} |" for own in records for row in own["rows"]]
    return "\n".join(lines)


def pooled_words(records: list[dict[str, Any]]) -> list[str]:
    """Sentences on what corridors save beside cells over all districts and budgets."""
    pairs = [*((of, beside) for method in CELLS for of, beside in (
        (WHOLE, f"{method}, cells"), (KNEE, f"{method}, cells, as much money as the knee"))),
        (WHOLE, OFF_HOUSES), (KNEE, WHOLE)]
    return [f"{of} save {ratio:.2f} ({low:.2f} to {high:.2f}) of what {beside} save"
            for of, beside in pairs for ratio, low, high in (pooled(records, of, beside),)]


def summary(rows: list[dict[str, Any]]) -> str:
    """A table with a row for each district and budget: shares saved, and counts of three plans."""
    lines = ["| district | budget | corridors | to the knee, its money | `dqn`, cells | "
             "`downstream-value`, cells | the same off houses | pieces | single cells | "
             "houses within 30 m |", "|---|---:|" + "---|" * 8]
    for key in dict.fromkeys((row["district"], row["budget"]) for row in rows):
        of = {row["plan"]: row for row in rows if (row["district"], row["budget"]) == key}
        shown = [of[name] for name in (WHOLE, *(f"{method}, cells" for method in CELLS))]
        lines.append("| " + " | ".join([
            key[0], f"{key[1]:.0%}", _saved(of[WHOLE]),
            f"{_saved(of[KNEE])}, {of[KNEE]['cost'] / of[WHOLE]['cost']:.0%}",
            *(_saved(row) for row in (*shown[1:], of[OFF_HOUSES])),
            *(", ".join(str(row[name]) for row in shown)
              for name in ("pieces", "single", "houses"))]) + " |")
    return "\n".join(lines)


def _saved(row: dict[str, Any]) -> str:
    return f"{row['saved']:.2f} ({row['low']:.2f} to {row['high']:.2f})"


def write_page(records: list[dict[str, Any]], docs: Path) -> None:
    """Writes the rows into the documentation, and its table anew."""
    rows = [{name: float(f"{value:.6g}") if isinstance(value, float) else value
             for name, value in row.items()} for own in records for row in own["rows"]]
    write_text(docs / ROWS, json.dumps(rows, indent=1) + "\n")
    write_text(docs / PAGE, with_table((docs / PAGE).read_text(encoding="utf-8"), rows))


def with_table(page: str, rows: list[dict[str, Any]]) -> str:
    """The page with the table of these rows between its markers."""
    return replaced(page, "districts", summary(rows))


def main() -> None:
    """Measures a district, or prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--district", choices=DISTRICTS)
    parser.add_argument("--budgets", type=float, nargs="+", default=BUDGETS)
    parser.add_argument("--more", action="store_true",
                        help="also plans of long pieces and of lines along the terrain")
    parser.add_argument("--out", type=Path, default=Path("outputs/corridors"))
    parser.add_argument("--docs", type=Path, help="folder of the documentation, to write its page")
    args = parser.parse_args()
    if args.district:
        for record in measured(args.district, args.data, args.budgets, args.more):
            name = f"{args.district}-{record['budget']:g}.json"
            write_text(made_folder(args.out) / name, [json.dumps(record)])
        return
    records = [json.loads(path.read_text(encoding="utf-8")) for name in DISTRICTS
               for path in sorted(args.out.glob(f"{name}-*.json"))]
    print(table(records), "", "Pooled, with intervals over the test fires:", "",
          *(f"- {own}" for own in pooled_words(records)), sep="\n")
    if args.docs:
        write_page(records, args.docs)


if __name__ == "__main__":
    main()
