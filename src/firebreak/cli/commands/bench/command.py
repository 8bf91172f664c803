"""`firebreak bench`: how fast this machine is, as ratios measured in one run wherever possible."""

import platform
import time
from dataclasses import dataclass
from typing import Any

from firebreak.api.shared.executor_options import use_threads
from firebreak.cli.commands.bench import measurements as bench
from firebreak.cli.shared import common
from firebreak.settings.binding import Bound

FRONT = "front"  # the key below which the line of --json has its numbers
ELLIPSE_RATIOS = (1.0, 2.0, 3.0, 4.0)
SIZES, LARGE_SIZES = (20, 40, 100), (512, 1000)
BURNED_SHARES = (0.02, 0.15, 0.40)
ENVS = (1, 8, 64)


@dataclass(frozen=True)
class BenchArguments:
    """Measure fires, environment steps and learner updates per second on this machine."""

    quick: bool = False
    """Fewer repetitions, and without what takes long; the last line says what was left out."""
    seed: int = 0
    """Seed of the landscapes and fires."""
    json: bool = False
    """End with one machine-readable line."""


def run(bound: Bound[BenchArguments]) -> int:
    """Runs the command."""
    args = bound.options
    begin = time.perf_counter()
    repeats = 3 if args.quick else 7
    use_threads(1, 1)
    print(f"one core of {platform.processor() or platform.machine()}, medians of {repeats}, "
          "\u00b1 half their range; processor time; fires burn their whole map")
    found = _fires(args, repeats) | _accuracy(args) | _environment(args, repeats)
    found["skipped"] = _skipped(args)
    if found["skipped"]:
        print("left out: " + "; ".join(found["skipped"]))
    if args.json:
        common.print_json(found | {"files": [], "seconds": time.perf_counter() - begin})
    return 0


def _skipped(args: BenchArguments) -> list[str]:
    from firebreak.native_library import max_threads

    threads = ["thread scaling (one thread)"] if max_threads() < 2 else []
    quick = [f"maps of {' and '.join(map(str, LARGE_SIZES))} cells a side", "64 environments",
             "burning again at burned shares other than 0.15"] if args.quick else []
    return quick + threads


def _fires(args: BenchArguments, repeats: int) -> dict[str, Any]:
    """Fires per second, ratios to scipy, threads, building."""
    found: dict[str, Any] = {key: {FRONT: {}} for key in (
        "fires_per_second", "fires_per_second_spread", "ratio_to_scipy", "build_in_fires")}
    for size in SIZES if args.quick else SIZES + LARGE_SIZES:
        turns = repeats if size in SIZES else 3
        rate, ratio = bench.against_scipy(size, args.seed, turns)
        build = bench.build_in_fires(size, args.seed, turns)
        for key, value in (("fires_per_second", rate.value),
                           ("fires_per_second_spread", rate.spread),
                           ("ratio_to_scipy", ratio.value), ("build_in_fires", build)):
            found[key][FRONT][str(size)] = value
        print(f"{size:>4}x{size:<4} {rate.value:>11,.1f} fires/s "
              f"\u00b1{rate.spread:<4.0%} {ratio.value:5.2f} \u00b1{ratio.spread:<4.0%} x "
              "scipy's Dijkstra on 8 neighbours; travel times of one weather take as long as "
              f"{build:.1f} fires")
    found["thread_scaling"] = scaling = bench.thread_scaling(args.seed, repeats)
    if scaling is not None:
        print(f"{scaling['threads']} threads are {scaling['median']:.2f} x as fast as one (best of "
              f"alternating pairs {scaling['best']:.2f} x)")
    return found


def _accuracy(args: BenchArguments) -> dict[str, Any]:
    size = 101 if args.quick else 201
    areas = {f"{ratio:g}": float(bench.ellipse_areas(ratio, size)[0].mean())
             for ratio in ELLIPSE_RATIOS}
    print(f"burned area over the ellipse's, mean of {bench.WINDS} winds: " + ", ".join(
        f"{area:.3f} at length/width {ratio}" for ratio, area in areas.items()))
    return {"ellipse_area_ratio": {FRONT: areas}}


def _environment(args: BenchArguments, repeats: int) -> dict[str, Any]:
    """Burning again, environment steps, bytes and learner updates."""
    speedups = {}
    for share in (0.15,) if args.quick else BURNED_SHARES:
        speedups[f"{share:g}"] = own = bench.reburn_speedup(args.seed, share, repeats)
        print(f"re-burning what a break changes, fires of {share:.0%} of the map: " + ", ".join(
            f"{speedup:.1f} x as fast as anew at {float(budget):.0%} broken"
            for budget, speedup in own.items()))
    steps = {str(envs): bench.env_steps_per_second(args.seed, envs,
                                                     repeats if envs == 1 else 2)
             for envs in (ENVS[:2] if args.quick else ENVS)}
    fire_bytes, updates = bench.bytes_per_fire(), bench.updates_per_second(repeats)
    print("environment 40x40, 256 plan and 256 reward fires each: " + ", ".join(
        f"{rate:.0f} steps/s with {envs}" for envs, rate in steps.items())
        + f"; {fire_bytes:,.0f} bytes a fire")
    print(f"learner 40x40, batch 64: {updates:.1f} updates/s")
    return {"reburn_speedup": speedups["0.15"]["0.05"], "reburn_speedup_by_share": speedups,
            "env_steps_per_second": steps["1"], "env_steps_per_second_by_envs": steps,
            "bytes_per_fire": fire_bytes, "learner_updates_per_second": updates}
