"""Draws of fires where they matter beside plain draws: the difference of the mean loss, its
variance, and the effective number of fires that meet value.

    python -m benchmarks.proposal [--maps FOLDER...] [--fires N] [--json FILE]

Without maps: 20 synthetic ones with houses in a corner. On maps of files 60 houses stand together
in a place that is drawn.
"""

import argparse
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from firebreak.fire import (
    FireConditions,
    FireRegime,
    Scene,
    burn,
    effective_number,
    make_scene,
    with_proposal,
)
from firebreak.landscape.formats.read import read_landscape
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.synthetic.generate import generate

SYNTHETIC_MAPS, SIZE, HOUSES = 20, 128, 60
HOURS, WEATHERS = 8.0, 18


def with_houses(land: Landscape, near: NDArray[np.bool_], seed: int) -> Landscape:
    """Houses on burnable cells, near if there are any."""
    cells = np.flatnonzero(land.burnable & near if (land.burnable & near).any() else land.burnable)
    value = np.zeros(land.shape, np.float32)
    np.add.at(value.ravel(), np.random.default_rng(seed).choice(cells, HOUSES), 1.0)
    return replace(land, value=value)


def scenes(maps: list[Path]) -> Iterator[Scene]:
    """Jobs to compare on."""
    row, col = np.indices((SIZE, SIZE))
    for seed in range(0 if maps else SYNTHETIC_MAPS):
        land = with_houses(generate(seed, SIZE), (row < SIZE // 8) & (col < SIZE // 8), seed)
        yield make_scene(land, FireConditions(scenarios=WEATHERS, regime=FireRegime(
            duration_min=60.0)), seed)
    for path in maps:
        land = read_landscape(path)
        for seed in (1, 2):
            rng = np.random.default_rng(seed)
            place = divmod(int(rng.choice(np.flatnonzero(land.burnable))), land.shape[1])
            near = np.maximum(*(abs(axis - middle) for axis, middle in zip(
                np.indices(land.shape), place, strict=True))) < max(land.shape) // 16
            yield make_scene(with_houses(land, near, seed), FireConditions(
                scenarios=WEATHERS, regime=FireRegime(hours=HOURS, periods=1.2)), seed)


def compared(scene: Scene, count: int) -> dict[str, float | str]:
    """Both kinds of draw on a scene, so many fires each."""
    began = perf_counter()
    proposed = with_proposal(scene)
    seconds = perf_counter() - began
    fires = proposed.fires("test", count)
    plain, drawn = burn(scene, scene.fires("test", count)).loss, burn(scene, fires).loss
    error = np.sqrt((plain.var() + drawn.var()) / count)
    return {"map": scene.landscape.name, "meets": float((plain > 0.0).mean()),
            "mean_plain": float(plain.mean()), "mean_drawn": float(drawn.mean()),
            "z": float((drawn.mean() - plain.mean()) / error),
            "variance_ratio": float(plain.var() / drawn.var()),
            "effective_of_256": 256.0 / count * effective_number(fires.times[drawn > 0.0]),
            "plain_of_256": 256.0 * float((plain > 0.0).mean()),
            "heaviest": float(fires.times.max()), "seconds": seconds}


def main() -> None:
    """Print a row for each map, and what they say together."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--maps", type=Path, nargs="*", default=[])
    parser.add_argument("--fires", type=int, default=4000)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    rows = []
    for scene in scenes(given.maps):
        rows.append(compared(scene, given.fires))
        print("  ".join(f"{name} {value:.3g}" if isinstance(value, float) else str(value)
                        for name, value in rows[-1].items()), flush=True)
    z = np.array([row["z"] for row in rows], float)
    rare = [row["variance_ratio"] for row in rows if float(row["meets"]) < 0.05]
    print(f"pooled z {z.sum() / np.sqrt(z.size):.2f}, largest {np.abs(z).max():.2f}; where fewer "
          f"than 5 % of fires meet value ({len(rare)} maps) the variance of the mean falls "
          f"{np.median(np.array(rare, float)):.1f} times in the median")
    if given.json is not None:
        given.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
