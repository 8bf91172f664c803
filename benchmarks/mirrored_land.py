"""Mirrored land against true surroundings: the inner cells of a map as an area, with the true land
around them and with their own mirror image in its place.

python benchmarks/mirrored_land.py --data FOLDER [--fires 4000] [--out FILE.json]
"""

import argparse
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from firebreak.api.shared.scene_options import FireOptions, SceneOptions, WeatherOptions
from firebreak.fire import Scene, burn, make_scene
from firebreak.landscape.landscape import AREA, MARGIN, Landscape
from firebreak.landscape.raster.windows import Window, mirrored_part
from firebreak.planning.evaluation.evaluate import evaluate

MAPS = {"landfire-santa-ana-ca": 45.0, "landfire-bitterroot-mt": 270.0}
"""Maps by the direction that their wind comes from."""
WINDS_KM_H = (24.0, 48.0)
INNER, AROUND = 256, 120
METHODS = ("strips", "betweenness", "burn-probability", "downstream-value")
PLAN_FIRES, TEST_FIRES, BUDGET, DRAWS = 128, 500, 0.05, 2000


def main() -> None:
    """Measures all cases and prints a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    # Of each land, for the loss.
    parser.add_argument("--fires", type=int, default=4000)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    found = []
    for name, wind_from_deg in MAPS.items():
        for wind_km_h in WINDS_KM_H:
            one = {"map": name, "wind_km_h": wind_km_h,
                   **compared(str(given.data / name), wind_km_h, wind_from_deg, given.fires)}
            found.append(one)
            print(json.dumps(one), flush=True)
    if given.out is not None:
        given.out.write_text(json.dumps(found, indent=2) + "\n")
    print("\n".join(rows_of(found)))


def compared(path: str, wind_km_h: float, wind_from_deg: float, fires: int) -> dict[str, Any]:
    """Loss of a fire, and what methods save, on both lands."""
    options = SceneOptions(
        weather=WeatherOptions(wind_20ft_km_h=wind_km_h, wind_from_deg=wind_from_deg),
        fire=FireOptions(burning_hours=8.0))
    full = options.read(path)
    conditions = options.conditions(full, path)
    results = {}
    for kind, land in lands_of(full):
        scene = make_scene(land, conditions, seed=0)
        results[kind] = (measured(scene, fires), saved(scene))
    (true, own), (mirrored, theirs) = results["true"], results["mirrored"]
    low, high = ratio_interval(mirrored, true)
    order = spearmanr([own[name] for name in METHODS], [theirs[name] for name in METHODS])
    return {"loss_true_ha": float(true.mean()), "loss_mirrored_ha": float(mirrored.mean()),
            "ratio": float(mirrored.mean() / true.mean()), "low": low, "high": high,
            "saved_true": own, "saved_mirrored": theirs,
            "rank_correlation": float(order.statistic)}


def lands_of(full: Landscape) -> Iterator[tuple[str, Landscape]]:
    """The area with the true land around it, and with its mirror image."""
    top, left = ((size - INNER) // 2 for size in full.shape)
    around = Window(top - AROUND, left - AROUND, INNER + 2 * AROUND, INNER + 2 * AROUND)
    inner = full.crop(top, left, INNER, INNER)
    inside = np.pad(np.ones((INNER, INNER), np.bool_), AROUND)
    for kind, land in (("true", around.of(full)),
                       ("mirrored", mirrored_part(inner, Window(
                           -AROUND, -AROUND, around.rows, around.cols)))):
        yield kind, replace(land, value=np.where(inside, land.value, 0.0),
                            treatable=land.treatable & inside,
                            zone=np.where(inside, AREA, MARGIN).astype(np.int8))


def measured(scene: Scene, fires: int) -> np.ndarray:
    """Losses of fires without breaks in the area, ha, f64 [F]."""
    land = scene.landscape
    loss = burn(scene, scene.fires("test", fires)).loss
    # The two lands do not burn in as many cells: per fire of the same number of starts a hectare.
    share = land.starts.sum() / land.fuel_model.size
    return np.asarray(loss * share * land.cell_size_m**2 / 1e4)


def saved(scene: Scene) -> dict[str, float]:
    """Share of the loss that each method's plan saves."""
    done = evaluate([scene], list(METHODS), budget_share=BUDGET, plan_fires=PLAN_FIRES,
                    test_fires=TEST_FIRES, seed=0)
    return {name: done.methods[name].reduction for name in METHODS}


def ratio_interval(one: np.ndarray, other: np.ndarray) -> tuple[float, float]:
    """95 % interval of the ratio of two means, both sets of fires drawn again."""
    rng = np.random.default_rng(0)
    means = [[rng.choice(losses, losses.size).mean() for _ in range(DRAWS)]
             for losses in (one, other)]
    low, high = np.quantile(np.divide(*map(np.array, means)), [0.025, 0.975])
    return float(low), float(high)


def rows_of(found: list[dict[str, Any]]) -> list[str]:
    """The rows of a table."""
    lines = ["| map | wind, km/h | true, ha a fire | mirrored over true | best method, true | "
             "best, mirrored | rank correlation of methods |", "|---|---|---|---|---|---|---|"]
    for one in found:
        best = [max(own, key=own.__getitem__) for own in (one["saved_true"],
                                                          one["saved_mirrored"])]
        lines.append(f"| {one['map']} | {one['wind_km_h']:g} | {one['loss_true_ha']:.0f} | "
                     f"{one['ratio']:.2f} ({one['low']:.2f} to {one['high']:.2f}) | {best[0]} | "
                     f"{best[1]} | {one['rank_correlation']:.2f} |")
    return lines


if __name__ == "__main__":
    main()
