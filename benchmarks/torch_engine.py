"""Fires per second on a torch device, beside the compiled engine and scipy in the same run.

    .venv/bin/python benchmarks/torch_engine.py
    .venv/bin/python benchmarks/torch_engine.py --device cuda --fused --landscapes 8 --fires 4096

The fires of a landscape burn their whole map, as in `firebreak bench`: the compiled engine and
scipy's Dijkstra on 8 neighbours (for the same edge times in `graph`) on one core, torch on one
thread or on the device. Rounds alternate, medians are printed, each with its share of the compiled
engine's rate; then how far the arrival times are apart and which share of the burned cells only one
of the two burned. Nothing is asserted on time.
"""

import argparse
import time
from collections.abc import Callable
from functools import partial
from statistics import median

import numpy as np
import torch
from scipy.sparse.csgraph import dijkstra

from firebreak.cli.bench import MODES, neighbour_graph
from firebreak.fire.engine import burn_arrival, burn_loss, set_threads
from firebreak.fire.fires import Fires
from firebreak.fire.scene import FireConditions, Scene, make_scene
from firebreak.fire.torch_engine import burn_on_device
from firebreak.fire.torch_field import device_of, to_device
from firebreak.landscape.synthetic import generate

SCIPY_FIRES = 8


def arguments() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--arithmetic", nargs="+", default=["float64", "float32"])
    parser.add_argument("--fused", action="store_true", help="also with visits compiled by torch")
    parser.add_argument("--sizes", nargs="+", type=int, default=[20, 40, 100])
    parser.add_argument("--landscapes", type=int, default=1)
    parser.add_argument("--fires", type=int, default=0, help="per landscape; 0: by the size")
    parser.add_argument("--memory-gib", type=float, default=1.0)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def seconds(work: Callable[[], object], device: torch.device) -> float:
    """How long the work took, the device's part of it included."""
    begin = time.perf_counter()
    work()
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    return time.perf_counter() - begin


def on_torch(scenes: list[Scene], fires: list[Fires],
             options: argparse.Namespace) -> dict[str, Callable[[], object]]:
    """Each way to burn the fires with torch."""
    value = np.stack([scene.landscape.value for scene in scenes])
    ways: dict[str, Callable[[], object]] = {}
    for arithmetic in options.arithmetic:
        fields = to_device([scene.field for scene in scenes], options.device, arithmetic)
        for fused in (False, True)[:1 + options.fused]:
            ways[f"torch {arithmetic}{' fused' * fused}"] = partial(
                burn_on_device, fields, fires, value, arrival=False, fused=fused,
                most_bytes=int(options.memory_gib * 2**30))
    return ways


def burned_by_all(scenes: list[Scene], fires: list[Fires],
                  ways: dict[str, Callable[[], object]], options: argparse.Namespace,
                  device: torch.device) -> None:
    """Prints a line for each way to burn the same fires."""
    count = sum(one.source.size for one in fires)
    graphs = [neighbour_graph(scene.field.unit_time[0], scene.landscape.burnable,
                              scene.field.shape[1]) for scene in scenes]

    def compiled() -> None:
        for scene, one in zip(scenes, fires, strict=True):
            burn_loss(scene.field, one, scene.landscape.value)

    def by_scipy() -> None:
        dijkstra(graphs[0], indices=fires[0].source[:SCIPY_FIRES])

    every = {"compiled engine": compiled, "scipy": by_scipy, **ways}
    fired = {"scipy": min(SCIPY_FIRES, fires[0].source.size)}
    for work in every.values():
        work()
    took = {name: [] for name in every}
    for _ in range(options.repeats):
        for name, work in every.items():
            took[name].append(seconds(work, device))
    rates = {name: fired.get(name, count) / median(each) for name, each in took.items()}
    for name, rate in rates.items():
        print(f"  {name:<26} {rate:>10,.1f} fires/s {rate / rates['compiled engine']:>9.4f} x",
              flush=True)


def apart(scenes: list[Scene], fires: list[Fires], options: argparse.Namespace,
          arithmetic: str) -> tuple[float, float]:
    """Greatest relative difference of arrival times to the compiled engine, and the share of the
    burned cells that only one of them burned; for up to 16 fires a landscape, half of them short.
    """
    few = [one.first(16) for one in fires]
    for one, scene in zip(few, scenes, strict=True):
        one.duration_min[::2] = scene.median_duration_min
    known = np.concatenate([burn_arrival(scene.field, one)
                            for scene, one in zip(scenes, few, strict=True)])
    made = burn_on_device([scene.field for scene in scenes], few,
                          np.stack([scene.landscape.value for scene in scenes]),
                          device=options.device, arithmetic=arithmetic)
    arrival = made.arrival_time_min.double().cpu().numpy()
    both = np.isfinite(known) & np.isfinite(arrival) & (known > 0.0)
    off = np.abs(arrival[both] / known[both] - 1.0).max()
    either = np.isfinite(known) | np.isfinite(arrival)
    return off, 1.0 - (both | (known == 0.0)).sum() / either.sum()


def main() -> None:
    """Prints the tables."""
    options = arguments()
    device = device_of(options.device)
    set_threads(1)
    torch.set_num_threads(1)
    if device.type == "cuda":
        print(torch.cuda.get_device_name(device))
    for size in options.sizes:
        count = options.fires or max(16, 160_000 // size**2)
        for mode in MODES:
            scenes = [make_scene(generate(options.seed + k, size), FireConditions(spread=mode), 0)
                      for k in range(options.landscapes)]
            fires = [scene.fires("bench", count)._replace(duration_min=np.full(count, np.inf))
                     for scene in scenes]
            print(f"{mode} {size}x{size}, {options.landscapes} x {count} fires")
            ways = on_torch(scenes, fires, options)
            burned_by_all(scenes, fires, ways, options, device)
            for arithmetic in options.arithmetic:
                off, other = apart(scenes, fires, options, arithmetic)
                print(f"  {arithmetic}: times within {off:.1e}, {other:.1e} of the cells burned "
                      "by one only", flush=True)


if __name__ == "__main__":
    main()
