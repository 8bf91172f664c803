"""Records set side by side: values of methods on the same landscapes, differences, table lines."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firebreak.planning.evaluation.intervals import (
    MIN_BOOTSTRAP_LANDSCAPES,
    bootstrap_means,
    percentile_interval,
    student_interval,
)
from firebreak.seeding import generator

LANDS = {"synthetic": "synthetic", "shifted": "shifted"}
"""Land by the first word of a set's name; the others are real maps."""

Record = dict[str, Any]
Records = list[Record]


def places_of(records: Records) -> list[tuple[str, int]]:
    """Landscapes that records are of."""
    return sorted({(record["set"], record["index"]) for record in records})


def matrix(records: Records, field: str = "reduction",
           only: Sequence[tuple[str, int]] | None = None) -> NDArray[np.float64]:
    """A method's values [policies, landscapes], of `only` these landscapes if given."""
    policies = sorted({record["policy"] for record in records})
    places = places_of(records) if only is None else list(only)
    records = [record for record in records if (record["set"], record["index"]) in places]
    values = np.full((len(policies), len(places)), np.nan)
    for record in records:
        values[policies.index(record["policy"]),
               places.index((record["set"], record["index"]))] = record[field]
    return values if only is not None else values[:, ~np.isnan(values).any(axis=0)]


def paired(records: Records, ours: str,
           theirs: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Two methods' values on the landscapes that both were measured on."""
    first, second = of(records, method=ours), of(records, method=theirs)
    common = sorted(set(places_of(first)) & set(places_of(second)))
    return matrix(first, only=common), matrix(second, only=common)


def methods_of(records: Records) -> list[str]:
    """Methods in the order of their mean reduction, none first."""
    names = dict.fromkeys(record["method"] for record in records)
    return sorted(names, key=lambda name: float(np.mean(
        [record["reduction"] for record in records if record["method"] == name])))


def of(records: Records, **wanted: Any) -> Records:
    """The records with these values."""
    return [record for record in records
            if all(record[name] == value for name, value in wanted.items())]


def difference(ours: NDArray[np.float64],
               theirs: NDArray[np.float64]) -> tuple[float, float, float]:
    """Mean difference per landscape with its 95 % interval over landscapes; seeds are averaged."""
    paired = ours.mean(axis=0) - theirs.mean(axis=0)
    if paired.size < 2:
        return float(paired.mean()), float("nan"), float("nan")
    if paired.size < MIN_BOOTSTRAP_LANDSCAPES:
        return float(paired.mean()), *student_interval(paired)
    means = bootstrap_means(paired[:, None], generator(0, "results"))
    return float(paired.mean()), *percentile_interval(means[:, 0])


def worded(more: tuple[float, float, float]) -> str:
    """A difference with its interval, if there is one."""
    interval = "" if np.isnan(more[1]) else f" ({more[1]:+.3f} to {more[2]:+.3f})"
    return f"{more[0]:+.3f}{interval}"


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table; the first column to the left, the others to the right."""
    rule = ["---"] + ["---:"] * (len(header) - 1)
    return "\n".join("| " + " | ".join(line) + " |" for line in [header, rule, *rows])


def on_land(records: Records, land: str) -> Records:
    """Records on synthetic maps, the shifted family, or real maps."""
    return [record for record in records
            if land == LANDS.get(record["set"].split("-")[0], "real")]
