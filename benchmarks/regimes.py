"""Fires that burn a share of a map and start on it, as maps of files had them before, beside fires
of burning periods that come from the land around it: what they are like, what methods save, and
what the plans made for the former save of the latter.

    python -m benchmarks.regimes [--maps NAME ...] [--methods [NAME ...]] [--data DIR] [--json FILE]

Plans of both kinds are judged on the same test fires of burning periods. Intervals are over the
weathers of these.
"""

import argparse
import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from benchmarks.jobs.inputs import ROOT, landscape_path

from firebreak.agent.policy_file import load_policy
from firebreak.api.shared.domains import Part, part_of_map
from firebreak.api.shared.executor_options import use_threads
from firebreak.api.shared.policies import shipped_for
from firebreak.api.shared.scene_options import SceneOptions
from firebreak.fire import FireRegime, Scene, burn, make_scene
from firebreak.planning.core.area import Offset, named_area
from firebreak.planning.core.plan import Plan
from firebreak.planning.evaluation.fire_facts import fire_facts
from firebreak.planning.evaluation.intervals import FireGroups, fire_groups
from firebreak.planning.making import make_plan

AREAS = {"landfire-santa-ana-ca": "360:416,168:224", "landfire-bitterroot-mt": "184:232,426:474",
         "lcp-otay-90m": "60:100,228:268"}
METHODS = ("downstream-value", "strips", "segments", "dqn")
BUDGET, SHARE, PLAN_FIRES, TEST_FIRES = 0.05, 0.15, 128, 400


class Both(NamedTuple):
    """A map with fires of both kinds: the scenes, and where the land of each lies on the map."""

    old: Scene
    new: Scene
    offset: Offset
    part: Part


def both(name: str, data: Path) -> Both:
    """The scenes of a map."""
    options = SceneOptions()
    source = str(landscape_path(data / name))
    full = options.read(source)
    part = part_of_map(full, AREAS[name], options, source)
    new = options.scene(part.land, source)
    before, offset = named_area(full, AREAS[name])
    old = make_scene(before, replace(options.conditions(before, source), regime=FireRegime(
        burned_share=SHARE)), options.seed)
    return Both(old, new, offset, part)


def facts_of(scene: Scene) -> dict[str, Any]:
    """Facts on the fires of a scene: median hours, hectares by wind, share at the edge of the land
    and from outside the area.
    """
    facts = fire_facts(scene, scene.fires("test", TEST_FIRES))
    return {"hours": float(facts.hours[1]), "longest_h": float(facts.hours[3]),
            "hectares": {own.wind_km_h: float(own.hectares[1]) for own in facts.winds},
            "edge": facts.at_edge, "edge_loss": facts.lost_from_edge, "outside": facts.outside,
            "outside_loss": facts.lost_from_outside}


def compared(name: str, data: Path, methods: Sequence[str]) -> dict[str, Any]:
    """One map: its fires of both kinds; by method what its plans of both kinds save, and by how
    much they differ.
    """
    old, new, offset, part = both(name, data)
    facts = {kind: facts_of(scene) for kind, scene in (("old", old), ("new", new))}
    print(name, json.dumps(facts), flush=True)
    policy = load_policy(shipped_for(SceneOptions()))
    tests = {scene: scene.fires("test", TEST_FIRES) for scene in (old, new)}
    lost = {scene: burn(scene, tests[scene]).loss for scene in (old, new)}
    groups = fire_groups(tests[new].scenario, lost[new], tests[new].times)
    rows = {}
    for method in methods:
        began = process_time()
        plans = {scene: make_plan(scene, BUDGET, PLAN_FIRES, method, seed=0, policy=policy)
                 for scene in (old, new)}
        mask = plans[new].break_mask()
        moved = _moved(plans[old], offset, part)
        saved = {"old": _saved(old, plans[old].break_mask(), lost[old]),
                 "new": _saved(new, mask, lost[new]), "moved": _saved(new, moved, lost[new])}
        rows[method] = {"old": float(saved["old"].mean() / lost[old].mean()),
                        **_intervals(saved, groups, lost[new]), "seconds": process_time() - began}
        print(name, method, json.dumps(rows[method]), flush=True)
    return {"map": name, "cells": new.landscape.fuel_model.size, "facts": facts, "methods": rows}


def _saved(scene: Scene, breaks: np.ndarray, lost: np.ndarray) -> np.ndarray:
    return np.asarray(lost - burn(scene, scene.fires("test", TEST_FIRES), breaks).loss)


def _moved(plan: Plan, offset: Offset, part: Part) -> np.ndarray:
    """The breaks of a plan of a part of the map on the land of another part."""
    row, col = np.divmod(plan.cells, plan.shape[1])
    mask = np.zeros(part.land.shape, np.bool_)
    mask[row + offset[0] - part.offset[0], col + offset[1] - part.offset[1]] = True
    return mask


def _intervals(saved: dict[str, np.ndarray], groups: FireGroups,
               lost: np.ndarray) -> dict[str, list[float]]:
    """Savings of plans under fires of burning periods, and how much more the new ones save."""
    by_kind = {"new": saved["new"], "moved": saved["moved"], "gain": saved["new"] - saved["moved"]}
    return {kind: list(groups.saving(one, lost, at_most=None)) for kind, one in by_kind.items()}


def fires_table(found: Sequence[dict[str, Any]]) -> str:
    """A row for each kind of fires of each map."""
    lines = ["| map | fires | hours, median (longest) | ha by wind, median | reach the edge (of "
             "the loss) | start outside (of the loss) |", "|---|---|---|---|---|---|"]
    for one in found:
        for kind, row in one["facts"].items():
            by_wind = ", ".join(f"{wind} km/h {ha:,.0f}" for wind, ha in row["hectares"].items())
            lines.append(
                f"| {one['map']} | {kind} | {row['hours']:.1f} ({row['longest_h']:.0f}) | {by_wind}"
                f" | {row['edge']:.0%} ({row['edge_loss']:.0%}) | {row['outside']:.0%} "
                f"({row['outside_loss']:.0%}) |")
    return "\n".join(lines)


def main() -> None:
    """Measure, and print the rows of a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--maps", nargs="+", choices=AREAS, default=list(AREAS))
    parser.add_argument("--methods", nargs="*", choices=METHODS, default=METHODS,
                        help="methods to plan with; none of them: only what fires are like")
    parser.add_argument("--data", type=Path, default=Path(os.environ.get(
        "FIREBREAK_DATA", ROOT.parent / "shared" / "landscapes")))
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    use_threads(1, torch_threads=1)
    found = [compared(name, given.data, given.methods) for name in given.maps]
    print(fires_table(found) + "\n")
    print("| map | method | before, on its own fires | now | plan from before, on the fires of now "
          "| the plan of now saves more |\n|---|---|---|---|---|---|")
    for one in found:
        for method, row in one["methods"].items():
            print(f"| {one['map']} | {method} | {row['old']:.3f} | " + " | ".join(
                f"{row[kind][0]:.3f} ({row[kind][1]:.3f} to {row[kind][2]:.3f})"
                for kind in ("new", "moved", "gain")) + " |")
    if given.json is not None:
        given.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
