"""The preset quick on other processors: within which range its plans save, and lead.

    python benchmarks/quick_range.py [--roundings 1 2 3 4 5 6 7 8] [--seeds 0 1 2] [--record]

trains the preset with each rounding (tests/rounding) and seed, in a folder of its own below --out.
Rounding 0 is this processor as it is. A run that has ended is not trained again, one that was
killed goes on where it was. The published range is the mean and three standard deviations of the
runs in docs/results/quick.jsonl. The command fails for a run outside it; with --record, the runs of
this call become the published ones, here and on the pages.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from protocol import read_records
from results_records import markdown

from firebreak.train.storage.stored import metrics_rows

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "docs" / "results" / "quick.jsonl"
PAGES = ("README.md", "docs/results-ablation.md", "docs/train-your-policy.md")
RIVAL = "downstream-value"
GAINS_EPISODE = 150
"""The last check of the phase that learns from exact gains."""
MEASURES = {"reduction": "reduction on the 30 test maps",
            "lead": f"lead over `{RIVAL}` there",
            "validation_gains": f"validation after {GAINS_EPISODE} episodes, exact gains alone",
            "validation_last": "validation at the end, after transitions",
            "validation_kept": "validation of the policy that is kept"}
PUBLISHED = ("reduction", "lead")
"""Published ranges of a run's figures."""


class Range(NamedTuple):
    """Mean over runs and three standard deviations."""

    mean: float
    three: float

    def holds(self, value: float) -> bool:
        """True if a run's value lies in the range."""
        return abs(value - self.mean) <= self.three

    def __str__(self) -> str:
        return f"{self.mean:.3f} ± {self.three:.3f}"


def main() -> None:
    """Trains what is missing, prints the table, holds the runs to the published range."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--roundings", type=int, nargs="+", default=list(range(1, 9)))
    options.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    options.add_argument("--out", type=Path, default=Path("outputs/quick-range"))
    options.add_argument("--record", action="store_true", help="publish these runs")
    args = options.parse_args()
    rows = [result(trained(args.out, rounding, seed), rounding, seed)
            for seed in args.seeds for rounding in args.roundings]
    print(table(rows))
    if args.record:
        publish(rows, [ROOT / name for name in PAGES])
        return
    outside = strays(rows, read_records(RECORD))
    print(*outside, sep="\n", file=sys.stderr)
    sys.exit(bool(outside))


def trained(out: Path, rounding: int, seed: int) -> Path:
    """The folder of a run that has ended; it is trained, or gone on with, where it has not."""
    folder = out / f"rounding-{rounding}-seed-{seed}"
    if not (folder / "evaluation.json").is_file():
        words = (["--resume", str(folder)] if (folder / "config.toml").is_file() else
                 ["quick", "--seed", str(seed), "--set", "train.threads=1", "--out", str(folder)])
        subprocess.run([sys.executable, "-m", "firebreak", "train", *words, "--quiet"], check=True,
                       env=surroundings(rounding), stdout=subprocess.DEVNULL)
    return folder


def surroundings(rounding: int) -> dict[str, str]:
    """The environment of a process in which PyTorch rounds as the processor `rounding`."""
    before = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    paths = [str(ROOT / "tests" / "rounding"), *filter(None, before)]
    return os.environ | {"PYTHONPATH": os.pathsep.join(paths),
                         "FIREBREAK_TEST_ROUNDING": str(rounding or "")}


def result(folder: Path, rounding: int, seed: int) -> dict[str, Any]:
    """A run's row of the record."""
    found, = json.loads((folder / "evaluation.json").read_text(encoding="utf-8")).values()
    checks = {row["episodes"]: row["reduction"] for row in metrics_rows(folder)
              if row["kind"] == "validation"}
    kept = max(checks, key=checks.__getitem__)
    row = {"reduction": found["methods"]["dqn"]["reduction"],
           "lead": found["paired"][f"dqn - {RIVAL}"]["difference"],
           "validation_gains": checks[min(checks, key=lambda at: abs(at - GAINS_EPISODE))],
           "validation_last": checks[max(checks)], "validation_kept": checks[kept]}
    return {"rounding": rounding, "seed": seed, "kept_episode": kept,
            **{name: round(value, 5) for name, value in row.items()}}


def range_of(rows: Sequence[Mapping[str, Any]], measure: str) -> Range:
    """Mean and three standard deviations of a measure over runs, at least two."""
    values = np.array([row[measure] for row in rows])
    return Range(float(values.mean()), 3 * float(values.std(ddof=1)))


def strays(rows: Sequence[Mapping[str, Any]], published: Sequence[Mapping[str, Any]]) -> list[str]:
    """A sentence for each value of a run outside the range of the published runs."""
    ranges = {name: range_of(published, name) for name in PUBLISHED}
    return [f"rounding {row['rounding']}, seed {row['seed']}: {name} {row[name]:.3f}, "
            f"published {ranges[name]}"
            for row in rows for name in PUBLISHED if not ranges[name].holds(row[name])]


def publish(rows: Sequence[Mapping[str, Any]], pages: Sequence[Path]) -> None:
    """Writes the record, and its numbers on pages that have those of the record before."""
    before = read_records(RECORD)
    RECORD.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    for page in pages:
        text = page.read_text(encoding="utf-8")
        for old, new in zip(phrases(before), phrases(rows), strict=True):
            text = text.replace(old, new)
        page.write_text(text, encoding="utf-8")


def phrases(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Sentences of the pages on these runs, the longest first."""
    return [table(rows), *(str(range_of(rows, name)) for name in PUBLISHED),
            f"{len(rows)} runs of `quick`"]


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Mean, three standard deviations, least and largest of each measure over the runs."""
    lines = [[words, str(range_of(rows, name)) if len(rows) > 1 else "",
              f"{min(row[name] for row in rows):.3f} to {max(row[name] for row in rows):.3f}"]
             for name, words in MEASURES.items()]
    return markdown(("measure", "mean ± 3 standard deviations", "least to largest"), lines)


if __name__ == "__main__":
    main()
