"""Every reader of firebreak's own files, with whole files of its formats to damage: a plan, a
policy, and what runs leave in their folders.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import torch

from faults.hostile import DRAWN, Reader
from firebreak.agent.network import QMapNetwork
from firebreak.agent.policy_file import load_policy, save_policy
from firebreak.api.shared.records import warn_of_other_options, write_options
from firebreak.api.shared.scene_options import SceneOptions
from firebreak.cli.commands.memory import rows_of
from firebreak.fire import FireConditions, Scene, make_scene
from firebreak.landscape.formats.read import read_landscape
from firebreak.layout import OBSERVATION
from firebreak.memory.explain import describe_verdict
from firebreak.memory.verdict import judge
from firebreak.planning.making import make_plan
from firebreak.planning.output.export import read_plan, write_plan
from firebreak.report.explorer.plans import exploration
from firebreak.report.explorer.queries import PARAMETERS
from firebreak.report.explorer.server import Explorer
from firebreak.report.pages.run_report import RunReport, curves, run_page
from firebreak.train.storage.store import open_folder, write_folder
from firebreak.train.storage.stored import evaluation_of, memory_rows, metrics_rows


def own_readers(folder: Path) -> Iterator[Reader]:
    """The readers, each with its files in the folder."""
    scene = make_scene(read_landscape("synthetic:3:12"), FireConditions(scenarios=2), 0)
    yield from _plans(folder, scene)
    yield from _states(folder)
    yield from _runs(folder)
    yield from _drawn(folder, scene)
    yield from _questions(folder, scene)


def _text(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _plans(folder: Path, scene: Scene) -> Iterator[Reader]:
    land, plan = scene.landscape, make_plan(scene, 0.1, 2, "random", seed=0)
    made = write_plan(plan, land, folder / "plan")
    for kind in ("csv", "tif"):
        yield Reader(f"plan as {kind}", [made[kind], made["json"]],
                     lambda kind=kind: read_plan(made[kind], land))
    options = write_options(folder / "plan", SceneOptions())
    yield Reader("options beside a plan", [options], lambda: warn_of_other_options(
        folder / "plan", SceneOptions()))


def _states(folder: Path) -> Iterator[Reader]:
    policy = folder / "policy.safetensors"
    save_policy(policy, QMapNetwork(OBSERVATION.channels, 4), {"run": "a", "config": "seed = 0"})
    yield Reader("policy", [policy], lambda: load_policy(policy))
    saved = folder / "saved"
    write_folder(saved, "run", {"w": torch.arange(50.0), "n": 3, "rows": [1.5, None, "a"]})
    yield Reader("checkpoint", sorted(saved.iterdir()), lambda: open_folder(saved, "run").load())


def _runs(folder: Path) -> Iterator[Reader]:
    """Rows of a run, judged."""
    run = folder / "run"
    run.mkdir()
    _text(run / "config.toml", "seed = 0")
    rows = _text(run / "memory.jsonl", *map(json.dumps, _memory_rows()))
    yield Reader("rows of a run's memory", [rows], lambda: describe_verdict(
        judge(rows_of(run)), rows_of(run)))


def _memory_rows() -> list[dict[str, object]]:
    row = {"kind": "memory", "episodes": 0, "env_steps": 0, "rss_bytes": 9e6, "heap_bytes": 8e6}
    full = row | {"phase": "cleanup", "items": {"a.b": 40}, "live": {"Replay": 1},
                  "objects": {"Landscape": 3}, "filled": {"a.b": 0.5}, "figures": 0,
                  "graph_tensors": 0, "open_files": 9, "threads": 2, "python_blocks": 10**6,
                  "children": 0, "children_bytes": 0, "gpu_bytes": 0, "file_kinds": {"log": 1},
                  "thread_kinds": {"MainThread": 1}}
    rows: list[dict[str, object]] = [row | {"phase": "baseline"}]
    for k in range(1, 19):
        counts = {"episodes": 10 * k, "env_steps": 2000 * k}
        rows.append(full | counts | {"owned_bytes": {"a.b": 30_000 * k, "c": 4000}})
        rows.append(row | counts | {"phase": "collect", "grown": {"owned_bytes:a.b": 30_000}})
    return rows


def _drawn(folder: Path, scene: Scene) -> Iterator[Reader]:
    """What the report of a run is made of."""
    run = folder / "report"
    run.mkdir()
    _text(run / "config.toml", "seed = 0")
    memory = _text(run / "memory.jsonl", *map(json.dumps, _memory_rows()))
    rows = [{"kind": "progress", "episodes": 10 * k, "env_steps": 9 * k, "learner_steps": k,
             "mean_return": 0.1, "loss": None, "epsilon": 0.5, "discount": 0.0} for k in range(9)]
    rows += [{"kind": "validation", "episodes": 50 * k, "reduction": 0.2, "half_width": 0.1}
             for k in range(1, 3)]
    metrics = _text(run / "metrics.jsonl", *map(json.dumps, rows))
    found = {"reduction": 0.3, "low": 0.2, "high": 0.4}
    evaluation = _text(run / "evaluation.json", json.dumps({name: {
        "landscapes": 3, "interval": "landscapes", "methods": {"none": found, "dqn": found},
        "paired": {"dqn - none": {"difference": 0.1, "low": 0.0, "high": 0.2}}}
        for name in ("synthetic", "a map")}, indent=1))
    plan = make_plan(scene, 0.1, 2, "random", seed=0)

    def read() -> object:
        stored = metrics_rows(run), memory_rows(run), evaluation_of(run)
        return run_page(RunReport(run, scene, plan, stored[2], *stored[:2]))

    def draw() -> object:
        return curves(run, metrics_rows(run), memory_rows(run), evaluation_of(run), "a run")
    files = [metrics, memory, evaluation]
    yield Reader("report of a run", files, read)
    yield Reader("figures of a run", files, draw, DRAWN)


def _questions(folder: Path, scene: Scene) -> Iterator[Reader]:
    """What a page may ask the explorer: an address and a query on each line."""
    cells = make_plan(scene, 0.1, 8, "random", seed=0).cells
    explorer = Explorer(exploration(scene, None, 0.1, 8, "a map", "random", cells), 1)
    plan, more = "plan=random&step=3", f"add={_free(scene, cells.tolist())}&remove={cells[0]}"
    wind = "wind_km_h=20&wind_from_deg=270&dead_moisture=0.06&minutes=600"
    asked = _text(folder / "asked.txt", f"/api/state?{plan}&{more}&q=0", "/api/plans?",
                  f"/api/gain?{plan}&cell={_free(scene, cells.tolist())}",
                  f"/api/fire?{plan}&cell={_free(scene, cells.tolist())}&{wind}")

    def read() -> None:
        for line in asked.read_bytes().decode("latin-1").split("\n"):
            address, _, query = line.partition("?")
            if address in PARAMETERS:  # all others are answered with 404
                json.dumps(explorer.ask(address, query))
    yield Reader("questions to the explorer", [asked], read)


def _free(scene: Scene, cells: list[int]) -> int:
    treatable = scene.landscape.treatable.ravel().nonzero()[0].tolist()
    return next(cell for cell in treatable if cell not in cells)
