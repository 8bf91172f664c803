"""Records what the commands compute, bit for bit, and compares it with an earlier record.

A change that must not change any result is checked with two records, one of each tree:

    PYTHONPATH=before/src python scripts/baseline.py --out before.json
    PYTHONPATH=after/src python scripts/baseline.py --out after.json --against before.json

The second call prints one line for each item that differs, and exits with 1 if there is one.
Only the command line is called (`python -m firebreak`, with this interpreter and the PYTHONPATH
that is set), and nothing of the package is imported, so that modules may move and change names.
A whole record takes 10 to 12 minutes of one core.

With FIREBREAK_DATA (a folder of landscapes) maps of real land are read too. Not recorded: pictures,
wording (of pages only the numbers, of refusals only the exit code), clocks, memory, versions. The
records of two machines, or of two versions of torch, may differ in the last bits.
"""

import argparse
import itertools
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

from file_hashes import Items, of_files, of_page, of_raster, of_tree

Job = Callable[[], Items]

REAL = {"fbp": "cell2fire-sub20x20", "dogrib": "cell2fire-dogrib", "c2fw": "c2fw-sb-vilopriu",
        "landfire": "landfire-santa-ana-ca", "crowns.lcp": "lcp-storm-lake/storm_lake.lcp"}
"""Short names of landscapes in FIREBREAK_DATA."""

ALL_METHODS = {
    "plain": "synthetic:3:20",
    "shaded": "synthetic:3:20 --break-kind shaded",
    "breached": "synthetic:3:20 --breach wilson --break-width-m 4 --weather hours.csv --hours 6",
    "fbp": "fbp"}
SOME_METHODS = {
    "embers": "synthetic:3:20 --spotting --crown scott-reinhardt "
              "--losses 0,0.2,0.4,0.6,0.8,1 --leak",
    "dogrib": "dogrib --area 100:112,100:112"}
BY_THE_CLOCK = ("dqn-search",)
"""Methods whose plans the clock ends, so that they do not repeat."""
SOME = ("downstream-value", "betweenness", "segments", "dqn-lookahead")
FIRES = {
    "front": "synthetic:4:20",
    "cruz": "synthetic:4:20 --crown cruz --fires-per-ha-year 0.001",
    "season": "synthetic:4:20 --weather hours.csv --scenarios 6",
    "crowns": "crowns.lcp --crown scott-reinhardt --spotting --losses 0,0.2,0.4,0.6,0.8,1",
    "fbp": "fbp --scenarios 6"}
CONVERSIONS = {
    "ascii": "synthetic:5:24 --to ascii --terrain shipped", "lcp": "land.tif --to lcp",
    "coarse": "synthetic:5:24 --cell-size-m 150",
    "fbp-coarse": "fbp --cell-size-m 150", **{f"of-{name}": name for name in REAL}}
EVALUATE = ("evaluate synthetic:3:20 synthetic:4:20 --plan-fires 16 --test-fires 50 --threads 1 "
            "--methods none,random,downstream-value,segments,dqn --random-draws 3 --quiet")
ENDINGS = {"ascii": "", "lcp": ".lcp"}

QUICK = "train.episodes=40"
"""The preset as it is; its network learns nothing yet in so few episodes, those below do."""
SMALL = """agent.gain_share=0 agent.width=8 agent.batch_size=8 agent.target_period=5
    landscapes.size=10 fires.plan_fires=12 fires.reward_fires=12 fires.scenarios=2 train.episodes=16
    train.num_envs=4 train.learning_starts=24 train.updates_per_env_step=0.25 replay.capacity=400
    evaluation.every_episodes=8 evaluation.validation_landscapes=3 evaluation.test_landscapes=2
    evaluation.test_fires=20 """
SEGMENTS = SMALL + """landscapes.size=14 agent.segments=true agent.gain_share=0.4 agent.gain_fires=4
    agent.n_step=3 agent.discount_end=0 train.updates_per_env_step=0.5 """
SHORT, LONG = "train.episodes=15", "train.episodes=25"
MIXED = SMALL + """mixture.sizes=[8,12] mixture.budget=[0.03,0.2] mixture.margin=3
    mixture.plan_fires=[2,12] mixture.burned_share=[0.05,0.4] mixture.wind_20ft_km_h=[5,40]
    mixture.wind_direction_spread_deg=[0,90] mixture.value_maps=0.5 agent.n_step=3
    agent.discount=0.5"""
COLLECTORS = SMALL + "train.collectors=2 train.collector_executor=in-process"


class Workplace(NamedTuple):
    """folder: where commands run, so that the paths that they are told are the same each time."""

    folder: Path
    env: dict[str, str]
    seed: str

    def call(self, command: str) -> tuple[int, Items, str]:
        """Exit code, the JSON line (empty if there is none), and what was said of errors."""
        done = subprocess.run(
            [sys.executable, "-m", "firebreak", *command.split(), "--json", "--seed", self.seed],
            cwd=self.folder, env=self.env, capture_output=True, text=True, check=False)
        last = done.stdout.strip().rpartition("\n")[2]
        return done.returncode, json.loads(last) if last.startswith("{") else {}, done.stderr

    def run(self, command: str, out: str = "") -> Items:
        """A command's exit code, its JSON line, and the file or folder `out` that it writes."""
        code, line, errors = self.call(f"{command} --out {out}" if out else command)
        if code:
            print(f"exit {code}: {command}\n{errors.strip()}")
        return {"exit": code, "json": of_tree(line),
                **{key: value for key, value in line.items() if key.endswith("sha256")},
                **(of_files(self.folder / out) if out else {})}

    def plan(self, scene: str, method: str, out: str) -> Items:
        """A plan's cells, and how many times the fires were burned for it."""
        code, line, _ = self.call(f"plan {scene} --method {method} --plan-fires 16 --test-fires 0 "
                                  f"--threads 1 --quiet --out {out}")
        return {"exit": code} if code else {
            "n_cells": line["n_cells"], "simulations": line["simulations"],
            "cells": of_raster(next((self.folder / out).rglob("plan.tif")))}


def settings(changes: str) -> str:
    return " ".join(f"--set {change}" for change in changes.split())


def under(name: str, items: Items) -> Items:
    return {f"{name}/{key}": value for key, value in items.items()}


def train(work: Workplace, changes: str, out: str) -> Items:
    """A run: its rows, its comparison, its checkpoints."""
    return work.run(f"train quick --quiet {settings(changes)}", out)


def resumed(work: Workplace) -> Items:
    """A short run, the long one that goes on from it, and the long one without a break."""
    short = train(work, SEGMENTS + SHORT, "short")
    on = work.run(f"train --resume short --quiet {settings(LONG)}")
    on |= of_files(work.folder / "short")
    long = train(work, SEGMENTS + LONG, "long")
    return under("short", short) | under("resumed", on) | under("unbroken", long)


def reported(work: Workplace) -> Items:
    """A plan with all its files, fires under it, and its page for looking around."""
    plan = work.run("plan land.tif --area 4:24,4:24 --method segments --plan-fires 24 --test-fires "
                    "60 --phases 2027:6,2028:9 --threads 1 "
                    "--quiet", "plan")
    fires = work.run("simulate land.tif --plan plan --fires 40 --threads 1 --quiet", "burned")
    explorer = work.run("visualize plan --export explorer.html --quiet")
    return under("plan", plan) | under("fires", fires) | under("explorer", explorer) | {
        "plan/numbers": of_page(work.folder / "plan" / "report.html"),
        "explorer/data": of_page(work.folder / "explorer.html")}


def write_inputs(work: Workplace, data: str | None) -> None:
    """Hourly weather of two weeks, tables of cases, a landscape, and those of FIREBREAK_DATA."""
    turn = math.pi / 12
    write_rows(work.folder / "hours.csv", "datetime,TMP,RH,APCP,WS,WD", [
        f"2023-01-{hour // 24 + 1:02d} {hour % 24:02d}:00:00,{20 - 8 * math.cos(hour * turn):.1f},"
        f"{45 + 25 * math.cos(hour * turn):.1f},{3.5 if hour % 97 == 5 else 0},"
        f"{12 + 7 * math.sin(hour / 9):.1f},{hour * 11 % 360}" for hour in range(14 * 24)])
    surface = itertools.product(("1", "4", "10", "GS4", "TU5", "98"), "059", ("0", "30"), "49")
    write_rows(work.folder / "surface.csv", "fuel_model,midflame_wind_mph,slope_pct,m1h_pct,"
               "m10h_pct,m100h_pct,mherb_pct,mwoody_pct,wind_from_deg,aspect_deg",
               [",".join(case) + ",7,9,60,90,235,180" for case in surface])
    fuels = "C1,C2,C3,C4,C5,C6,C7,D1,M1,M2,M3,M4,S1,S2,S3,O1A,O1B,NF"
    canadian = itertools.product(fuels.split(","), ("0", "15", "45"), ("0", "40"), ("82", "94"))
    write_rows(work.folder / "canadian.csv", "FuelType,WS,GS,FFMC,BUI,WD,Aspect,LAT,LONG,Dj,PC",
               [",".join(case) + ",60,250,180,55,110,182,50" for case in canadian])
    work.call("landscape generate made.tif --size 28")
    work.call("landscape convert made.tif --crs EPSG:5070 --out land.tif")
    for name, place in REAL.items() if data else ():
        source = Path(data or "", place)
        (shutil.copytree if source.is_dir() else shutil.copy)(source, work.folder / name)


def write_rows(path: Path, head: str, rows: list[str]) -> None:
    path.write_text("\n".join([head, *rows]) + "\n")


def jobs_of(work: Workplace, methods: list[str]) -> dict[str, Job]:
    """All that is recorded, by name."""
    jobs: dict[str, Job] = {"methods": lambda: {"all": ", ".join(methods)}}

    def add(name: str, command: str, ending: str = "") -> None:
        jobs[name] = partial(work.run, command, name.replace("/", "-") + ending)

    for name, changes in (("quick", QUICK), ("mixed", MIXED), ("collectors", COLLECTORS)):
        jobs[f"train/{name}"] = partial(train, work, changes, f"train-{name}")
    jobs["train/resumed"] = partial(resumed, work)
    jobs["report"] = partial(reported, work)
    jobs["evaluate/fires"] = partial(work.run, EVALUATE)
    jobs["evaluate/workers"] = partial(work.run, f"{EVALUATE} --executor in-process")
    for name in ("surface", "canadian"):
        add(f"behavior/{name}", f"behavior {name}.csv", ".csv")
    for name in ("made", "land"):
        jobs[f"landscape/{name}"] = partial(of_files, work.folder / f"{name}.tif")
    for name, command in CONVERSIONS.items():
        if there(work, command):
            add(f"landscape/{name}", f"landscape convert {command}", ENDINGS.get(name, ".tif"))
    for name, command in FIRES.items():
        if there(work, command):
            add(f"fires/{name}", f"simulate {command} --fires 40 --threads 1 --quiet")
    for scenes, chosen in ((ALL_METHODS, methods), (SOME_METHODS, SOME)):
        for (name, scene), method in itertools.product(scenes.items(), chosen):
            if there(work, scene) and method not in BY_THE_CLOCK:
                jobs[f"plan/{name}/{method}"] = partial(
                    work.plan, scene, method, f"plan-{name}-{method}")
    return jobs


def there(work: Workplace, command: str) -> bool:
    """True if the landscape that a command begins with can be read."""
    land = command.split()[0]
    return land not in REAL or (work.folder / land).exists()


def record(jobs: dict[str, Job], at_once: int) -> Items:
    """The items of all jobs; a line is printed as each ends."""
    def timed(name: str) -> Items:
        begin = time.perf_counter()
        try:
            items = jobs[name]()
        except (OSError, LookupError) as error:  # a file that was not written
            items = {"failed": repr(error)}
        print(f"{name}: {len(items)} items, {time.perf_counter() - begin:.1f} s", flush=True)
        return under(name, items)

    with ThreadPoolExecutor(at_once) as pool:
        return {key: value for items in pool.map(timed, jobs) for key, value in items.items()}


def main() -> int:
    """Makes a record; 1 if it differs from the one that it is compared with."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="the record, JSON")
    parser.add_argument("--against", type=Path, help="an earlier record to compare with")
    parser.add_argument("--only", nargs="+", default=[""], metavar="NAME",
                        help="jobs whose names begin so, such as train/mixed or plan/fbp")
    parser.add_argument("--seed", default="0", help="of every command")
    parser.add_argument("--jobs", type=int, default=1, help="commands that run side by side")
    parser.add_argument("--keep", type=Path, help="new folder that keeps the commands' files")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = (given.keep or Path(scratch, "work")).resolve()
        folder.mkdir(parents=True)
        env = dict(os.environ, PYTHONPATH=os.pathsep.join(
            os.path.abspath(path) for path in os.environ.get("PYTHONPATH", "").split(os.pathsep)
            if path))
        work, data = Workplace(folder, env, given.seed), os.environ.get("FIREBREAK_DATA")
        if not data:
            print("FIREBREAK_DATA is not set: no maps of real land, no plans in the FBP System")
        write_inputs(work, data)
        # The refusal of an unknown method lists all methods, whatever its words are.
        refusal = work.call("plan synthetic:3:20 --method ?")[2]
        listed = re.search(r"([a-z-]+, ){9,}[a-z-]+(?=[,;.\n])", refusal)
        jobs = jobs_of(work, listed[0].split(", ") if listed else [])
        items = record({name: job for name, job in jobs.items()
                        if name.startswith(tuple(given.only))}, given.jobs)
    given.out.write_text(json.dumps(items, indent=1, sort_keys=True) + "\n")
    return compare(json.loads(given.against.read_text()), items, given.only) if given.against else 0


def compare(before: Items, now: Items, only: list[str]) -> int:
    """Prints what differs among the items whose names begin so; 1 if anything does."""
    names = sorted(name for name in before.keys() | now.keys() if name.startswith(tuple(only)))
    differ = [name for name in names if before.get(name) != now.get(name)]
    for name in differ:
        print(f"differs: {name}: {before.get(name)} before, {now.get(name)} now")
    print(f"{len(differ)} of {len(names)} items differ")
    return int(bool(differ))


if __name__ == "__main__":
    sys.exit(main())
