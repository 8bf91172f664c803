r"""Tables of the sealed closing jobs, by stratum of budget over barrier.

    python benchmarks/ablation.py --config closing --episodes 150 --judged-at 1 --variants base \
      --set landscapes.size=16 --set 'mixture.budget=[0.065,0.13]' --set agent.decay_finish=900 \
      --keep outputs/closing-16 --out outputs/closing-16.jsonl
    python benchmarks/closing.py --set sealed --follow outputs/closing-16/*.safetensors \
      --data FOLDER --records outputs/closing-sealed.jsonl
    python benchmarks/closing_sealed.py outputs/closing-sealed.jsonl

Three tables, with 95 % intervals over jobs: what each method saves; what `dqn` saves more with the
policies of runs that learned at discount 1 (`base-SEED`) than with their twins at discount 0
(`twin-of-base-SEED`), the mean over the seeds of each job; what `auto` saves more than each method.
Then the jobs on which a method that took no longer saves more than `auto`, tested over the test
fires, with Holm's correction over all jobs and methods.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks.jobs.verdict import LEVEL, holm, paired_p
from closing import CUT, STRATA
from protocol import read_records

from firebreak.planning.evaluation.intervals import bounds_over_maps
from firebreak.planning.methods import AUTO

Record = dict[str, Any]
ByMethod = dict[str, dict[str, Record]]
"""Method -> job -> record."""
LEARNED, TWIN = "dqn base-", "dqn twin-of-base-"


def by_method(records: list[Record]) -> ByMethod:
    """The records of the sealed jobs, by method and job."""
    found: ByMethod = {}
    for record in records:
        if record["job"].startswith("sealed"):
            found.setdefault(record["method"], {})[record["job"]] = record
    return found


def strata_of(jobs: dict[str, Record]) -> dict[str, list[str]]:
    """Names of the jobs of each stratum that has several, and of all of them."""
    found = {f"{low:g} to {high:g}": [name for name, one in jobs.items()
                                      if low <= one["ratio"] < high] for low, high in STRATA}
    return {**{name: own for name, own in found.items() if len(own) > 1}, "all": list(jobs)}


def reductions(found: ByMethod, method: str, jobs: list[str]) -> NDArray[np.float64]:
    """Return what a method saves of each job's loss [J]."""
    return np.array([found[method][name]["reduction"] for name in jobs])


def shown(more: NDArray[np.float64]) -> str:
    """The mean of paired differences [J] with its interval."""
    return "{:+.3f} ({:+.3f} to {:+.3f})".format(more.mean(), *bounds_over_maps(more, 0))


def discount_table(found: ByMethod) -> Iterator[str]:
    """Runs at discount 1 beside their twins at 0."""
    seeds = [name.removeprefix(LEARNED) for name in found if name.startswith(LEARNED)]
    if not seeds:
        return
    yield f"| budget / barrier | jobs | discount 1 | discount 0 | difference, {len(seeds)} seeds |"
    yield "|---|---|---|---|---|"
    for stratum, jobs in strata_of(found[LEARNED + seeds[0]]).items():
        one, zero = (np.array([reductions(found, kind + seed, jobs) for seed in seeds])
                     for kind in (LEARNED, TWIN))
        yield (f"| {stratum} | {len(jobs)} | {one.mean():.3f} | {zero.mean():.3f} | "
               f"{shown((one - zero).mean(0))}; by seed "
               f"{' '.join(f'{own:+.3f}' for own in (one - zero).mean(1))} |")


def methods_table(found: ByMethod) -> Iterator[str]:
    """Yield what each method saves, and what `auto` saves more."""
    groups = strata_of(found[AUTO])
    yield f"| method | {' | '.join(groups)} | CPU s | auto minus it |"
    yield "|---" * (len(groups) + 3) + "|"
    for method in (name for name in found if not name.startswith((LEARNED, TWIN))):
        means = [f"{reductions(found, method, jobs).mean():.3f}" for jobs in groups.values()]
        seconds = np.mean([one["seconds"] for one in found[method].values()])
        minus = [f"{stratum}: {shown(reductions(found, AUTO, jobs) - own)}"
                 for stratum, jobs in groups.items()
                 for own in [reductions(found, method, jobs)]] if method != AUTO else []
        yield f"| {method} | {' | '.join(means)} | {seconds:.1f} | {'; '.join(minus)} |"


def single_jobs(found: ByMethod) -> Iterator[str]:
    """Jobs on which a method that took no longer is significantly better than `auto`."""
    pairs = [(found[AUTO][job], record) for method, own in found.items()
             if method not in (AUTO, CUT) and not method.startswith((LEARNED, TWIN))
             for job, record in own.items()
             if record["seconds"] <= found[AUTO][job]["seconds"]]
    more = [np.array(auto["saved"]) - np.array(record["saved"]) for auto, record in pairs]
    yield f"{len(pairs)} pairs of a job and a method that took no longer than auto"
    for (auto, record), own, p in zip(pairs, more, holm([paired_p(one) for one in more]),
                                      strict=True):
        if own.mean() < 0.0 and p < LEVEL:
            yield (f"{record['job']} (budget {record['ratio']} barriers): {record['method']} "
                   f"{record['reduction']:.3f}, auto by {auto['by']} {auto['reduction']:.3f}, "
                   f"Holm {p:.1g}")


def main() -> None:
    """Prints the tables of a file of records."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("records", type=Path)
    found = by_method(read_records(options.parse_args().records))
    for table in (discount_table, methods_table, single_jobs):
        print("\n".join(table(found)), end="\n\n")


if __name__ == "__main__":
    main()
