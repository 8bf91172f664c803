"""Plans on twelve maps under doubt: do they still save where the fire model and the weather are
wrong, and does the order of methods hold?

    python benchmarks/doubt.py --data FOLDER

measures one map after the other and appends a JSON line for each to docs/results/doubt.jsonl; maps
that are there are not measured again. `benchmarks/results.py` makes the table of docs/results.md
from it. Maps are test land of `benchmarks/protocol.py`; nothing was tuned on them.
"""

import argparse
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from protocol import SYNTHETIC_40, TEST_SEED, Set, landscapes, read_records, real
from results_records import markdown

from firebreak.agent.policy_file import load_policy
from firebreak.agent.policy_place import SHIPPED
from firebreak.fire import FireConditions, make_scene
from firebreak.native_library import set_threads
from firebreak.planning.evaluation.doubt import DoubtResult, doubt, order_kept
from firebreak.planning.making import make_plan

OUT = Path("docs/results/doubt.jsonl")
METHODS = ("dqn-lookahead", "dqn", "segments", "downstream-value", "betweenness")
BUDGET, PLAN_FIRES, TEST_FIRES, DRAWS = 0.05, 256, 200, 20
MAPS: tuple[tuple[Set, int], ...] = (
    (SYNTHETIC_40, 3), (Set("shifted-40", 40, 12, family="shifted"), 2),
    *zip(real(40, 4), (2, 1, 2, 1, 1), strict=True))
"""Test land, and how many maps of each."""
KINDS = {"rates": "rates of spread", "wind": "wind direction", "moisture": "dead moisture",
         "all": "all together"}


def measure(data: Path, done: set[str]) -> Iterator[dict[str, Any]]:
    """A record of each map that is not in `done`."""
    policy = load_policy(SHIPPED)
    for kind, count in MAPS:
        for index, land in enumerate(landscapes(kind, data)[:count]):
            key = f"{kind.name}|{index}"
            if key in done:
                continue
            begin = time.process_time()
            scene = make_scene(land, FireConditions(), TEST_SEED)
            plans = {name: make_plan(scene, BUDGET, PLAN_FIRES, name, seed=TEST_SEED,
                                     policy=policy) for name in METHODS}
            found = doubt(scene, plans, TEST_FIRES, TEST_SEED, DRAWS)
            yield {"key": key, "set": kind.name, "index": index, "test_fires": TEST_FIRES,
                   "cpu_s": time.process_time() - begin, **_to_json(found)}


def _to_json(result: DoubtResult) -> dict[str, Any]:
    """Plain data."""
    return {
        "unperturbed": {"burned_ha": result.own_burned_ha,
                        "reduction": dict(zip(result.methods, result.own.tolist(), strict=True))},
        "kinds": {kind: {"burned_ha": own.burned_ha.tolist(),
                         "reduction": dict(zip(result.methods, own.reduction.T.tolist(),
                                               strict=True)),
                         "order_kept": {f"{a} - {b}": share
                                        for a, b, share in order_kept(result, kind)}}
                  for kind, own in result.by_kind.items()}}


def tables(records: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The tables of the page, by name."""
    if not records:
        return {"doubt": "Not measured.", "doubt order": "Not measured."}
    return {"doubt": _saved(records), "doubt order": _order(records)}


def _saved(records: Sequence[Mapping[str, Any]]) -> str:
    """Mean savings of each method over maps, and the number of perturbed worlds where it saves."""
    rows = []
    for name in METHODS:
        own = np.mean([one["unperturbed"]["reduction"][name] for one in records])
        cells = [f"{own:.3f}"]
        for kind in KINDS:
            worlds = np.array([one["kinds"][kind]["reduction"][name] for one in records])
            means = worlds.mean(axis=1)
            cells.append(f"{means.mean():.3f} ({worlds.min():.3f} to {worlds.max():.3f})")
        every = np.array([one["kinds"]["all"]["reduction"][name] for one in records])
        rows.append([f"`{name}`", *cells, f"{int((every > 0).sum())} of {every.size}"])
    burned = ["untreated fire, ha", _area(records, None), *(_area(records, kind) for kind in KINDS),
              ""]
    return markdown(["", "nothing perturbed", *KINDS.values(), "saves, all together"],
                    [*rows, burned])


def _area(records: Sequence[Mapping[str, Any]], kind: str | None) -> str:
    if kind is None:
        return f"{np.mean([one['unperturbed']['burned_ha'] for one in records]):.0f}"
    return f"{np.mean([np.mean(one['kinds'][kind]['burned_ha']) for one in records]):.0f}"


def _order(records: Sequence[Mapping[str, Any]]) -> str:
    """Order of each two methods that lie next to each other by mean, and if it stays."""
    def mean(name: str) -> float:
        return float(np.mean([one["unperturbed"]["reduction"][name] for one in records]))

    ranked = sorted(METHODS, key=mean, reverse=True)
    rows = []
    for better, worse in pairwise(ranked):
        cells = [f"{mean(better) - mean(worse):+.3f}"]
        for kind in KINDS:
            apart = np.array([np.subtract(one["kinds"][kind]["reduction"][better],
                                          one["kinds"][kind]["reduction"][worse])
                              for one in records])
            by_draw = apart.mean(axis=0)
            cells.append(f"{apart.mean():+.3f}; {int((by_draw > 0).sum())} of {by_draw.size}")
        rows.append([f"`{better}` minus `{worse}`", *cells])
    return markdown(["", "nothing perturbed", *KINDS.values()], rows)


def main() -> None:
    """Measures the maps that are missing."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--data", type=Path, required=True, help="folder of the maps")
    options.add_argument("--records", type=Path, default=OUT)
    args = options.parse_args()
    set_threads(1)
    torch.set_num_threads(1)
    done = {record["key"] for record in read_records(args.records)}
    with args.records.open("a", encoding="utf-8") as out:
        for record in measure(args.data, done):
            out.write(json.dumps(_rounded(record)) + "\n")
            out.flush()
            print(record["key"], f"{record['cpu_s']:.0f} s", flush=True)


def _rounded(tree: Any) -> Any:
    if isinstance(tree, float):
        return round(tree, 5)
    if isinstance(tree, dict):
        return {key: _rounded(one) for key, one in tree.items()}
    return [_rounded(one) for one in tree] if isinstance(tree, list) else tree


if __name__ == "__main__":
    main()
