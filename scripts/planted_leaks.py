"""Plant leaks of five sorts in training runs, and count which the verdict finds; count how many
clean runs it calls a leak.

    python scripts/planted_leaks.py                                  # 300 episodes, 20 clean runs
    python scripts/planted_leaks.py --episodes 10000 --seeds 1 --clean 1
    python scripts/planted_leaks.py --only "anonymous mapping" --clean 0

Each run is a process of its own: maps of 10x10 cells, 16 fires, few gradient steps. Prints a table,
and a line of JSON for each run to --rows. The exit code is 1 if a leak is not found or a clean run
is called one.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from firebreak.api.shared.run_output import consume
from firebreak.cli.commands.memory import often_read
from firebreak.memory.explain import last_line, to_json
from firebreak.memory.verdict import Verdict, judge
from firebreak.train.config.load import load_config
from firebreak.train.data.splits import make_splits
from firebreak.train.run.trainer import ParallelTrainer
from firebreak.train.storage.metrics import read_rows
from leaks import LEAKS
from tiny import TINIER

CLEAN = "none"
PLANTED = ("dict in env", "c heap", "anonymous mapping", "file mapping", "threads")
"""Of `tests/leaks.py`: Python objects, and what the names say."""
VALIDATIONS = 12  # of a run: a leak of threads adds one at each
CHANGES = [*TINIER, "fires.plan_fires=16", "fires.reward_fires=16",
           "train.updates_per_env_step=0.1"]


def train(name: str, seed: int, episodes: int, folder: Path) -> Verdict:
    """The verdict on a run with the leak of that name ("none" for a clean one)."""
    every = max(episodes // VALIDATIONS, 1)
    config = often_read(load_config("quick", [*CHANGES, f"seed={seed}",
                                              f"evaluation.every_episodes={every}"]), episodes)
    trainer = ParallelTrainer(config, make_splits(config, Path()), folder)
    undo = LEAKS[name].plant(trainer) if name != CLEAN else None
    consume(trainer, folder, config, quiet=True)
    if undo:
        undo()
    return judge(read_rows(folder / "memory.jsonl"))


def row_of(name: str, seed: int, episodes: int, keep: Path | None) -> dict[str, object]:
    """Trains in a folder, kept below `keep` if given; what the verdict says, as plain values."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) if keep is None else keep / f"{name.replace(' ', '-')}-{seed}"
        folder.mkdir(parents=True, exist_ok=True)
        begin = time.perf_counter()
        verdict = train(name, seed, episodes, folder)
        return {"leak": name, "seed": seed, "outcome": outcome(name, verdict),
                "seconds": round(time.perf_counter() - begin, 1), "line": last_line(verdict),
                **to_json(verdict)}


def outcome(name: str, verdict: Verdict) -> str:
    """"found" if the verdict names the leak's kind and owner; of a clean run whether it is called
    a leak ("flagged") or not.
    """
    if name == CLEAN:
        return "flagged" if verdict.state == "leak" else verdict.state
    leak = LEAKS[name]
    if any(growth.state == "leak" and growth.kind == leak.kind and leak.owner in growth.owner
           for growth in verdict.growths):
        return "found"
    return "not judged" if not verdict.rss_judged and verdict.state != "leak" else "missed"


def in_a_process(name: str, seed: int, episodes: int, keep: Path | None) -> dict[str, object]:
    """Row of `row_of`, from a process of its own."""
    kept = ["--keep", str(keep)] if keep else []
    done = subprocess.run([sys.executable, __file__, "--one", name, "--seed", str(seed),
                           "--episodes", str(episodes), *kept],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"the run with {name} and seed {seed} ended with {done.returncode}: "
                 f"{done.stderr.strip()[-2000:]}")
    found: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return found


def table(rows: list[dict[str, object]]) -> str:
    """Runs by leak and outcome, and the longest of their times."""
    lines = ["| leak | runs | found | not judged | missed | seconds, longest |",
             "|---|---|---|---|---|---|"]
    for name in dict.fromkeys(row["leak"] for row in rows):
        own = [row for row in rows if row["leak"] == name]
        count = Counter(row["outcome"] for row in own)
        longest = max(float(str(row["seconds"])) for row in own)
        cells = ([f"{count['flagged']} flagged", count["not judged"],
                  f"{count['ok'] + count['filling']} ok"]
                 if name == CLEAN else [count["found"], count["not judged"], count["missed"]])
        lines.append(f"| {name} | {len(own)} | {cells[0]} | {cells[1]} | {cells[2]} | "
                     f"{longest:.0f} |")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--episodes", type=int, default=300)
    parser.add_argument("--clean", type=int, default=20, help="clean runs")
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--seeds", type=int, default=2, help="runs of each leak")
    parser.add_argument("--only", choices=sorted(LEAKS), help="plant this leak alone")
    parser.add_argument("--rows", type=Path, help="file to add a line of JSON per run to")
    parser.add_argument("--keep", type=Path, help="folder to keep the runs in")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--seed", type=int, default=0, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        print(json.dumps(row_of(args.one, args.seed, args.episodes, args.keep)))
        return 0
    names = [args.only] if args.only else list(PLANTED)
    first = args.first_seed
    asked = [(name, seed) for seed in range(first, first + args.seeds) for name in names]
    rows = []
    for name, seed in [*asked, *((CLEAN, seed) for seed in range(first, first + args.clean))]:
        row = in_a_process(name, seed, args.episodes, args.keep)
        rows.append(row)
        print(f"{name}, seed {seed}: {row['outcome']} in {row['seconds']} s; {row['line']}",
              flush=True)
        if args.rows:
            with args.rows.open("a") as file:
                file.write(json.dumps(row) + "\n")
    print(table(rows))
    return int(any(row["outcome"] == "flagged" if row["leak"] == CLEAN
                   else row["outcome"] != "found" for row in rows))


if __name__ == "__main__":
    sys.exit(main())
