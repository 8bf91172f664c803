"""Plans burned in a simulator that is not ours: does the order of methods hold there?

    python -m benchmarks.other_simulator plan FOLDER [--maps 16]      # where firebreak is installed
    python -m benchmarks.other_simulator burn FOLDER [--fires 300]    # where pyretechnics is
    python -m benchmarks.other_simulator records FOLDER > docs/results/records/elsewhere.jsonl

`plan` makes plans with 256 plan fires on maps of 40x40 cells and writes each map, its weather, its
test fires and the plans; `burn` burns these fires with Pyretechnics (Johnson et al., EPL-2.0),
whose level set, wind limits and crown fire are its own, and goes on where it was stopped; `records`
prints what they save. Breaks are cells of fuel model 99 (bare ground) there; a fire that starts in
one starts all the same, as the break's cell keeps its fuel for that fire alone. `--methods dqn`
makes, burns and prints the plans of one method again, on the same maps and fires.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

METHODS = ("none", "random", "burn-probability", "downstream-value", "betweenness", "strips",
           "greedy", "segments", "regression", "dqn")
BARE_GROUND = 99
GRIDS = ("fuel_model", "slope_tan", "aspect_deg", "canopy_cover", "canopy_height_m",
         "canopy_base_height_m", "canopy_bulk_density_kg_m3", "value")
WEATHER = ("wind_20ft_m_min", "wind_from_deg", "dead_moisture_1h", "dead_moisture_10h",
           "dead_moisture_100h", "live_moisture_herb", "live_moisture_woody", "foliar_moisture")
WIND_10M_PER_20FT = 1.0 / 0.87
KM_H_PER_M_MIN = 60.0 / 1000.0


def plan(folder: Path, maps: int, methods: tuple[str, ...], seed: int = 2028) -> None:
    """Writes maps, weather, test fires and plans, one file a map."""
    from benchmarks import rivals

    from firebreak.agent.policy_file import load_policy
    from firebreak.fire import FireConditions, make_scene
    from firebreak.landscape.synthetic.generate import generate
    from firebreak.planning.evaluation.judging import judge_scene
    from firebreak.planning.making import make_plan
    from firebreak.seeding import integer_seed
    folder.mkdir(parents=True, exist_ok=True)
    for index in range(maps):
        land = generate(integer_seed(seed, "other-simulator", index), 40)
        scene = make_scene(land, FireConditions(), seed)
        with rivals.known():
            plans = {name: make_plan(scene, 0.05, 256, name, seed=seed, policy=load_policy())
                     for name in methods}
        rows = judge_scene(scene, {name: [one] for name, one in plans.items()}, 256, 2000).rows
        fires = scene.fires("test", 2000)
        np.savez_compressed(
            folder / f"map-{index:02d}.npz", cell_size_m=land.cell_size_m,
            source=fires.source, scenario=fires.scenario, duration_min=fires.duration_min,
            methods=np.array(methods), allow_pickle=False,
            ours=np.array([rows[name].reduction for name in methods]),
            **{f"plan_{name}": plans[name].break_mask() for name in methods},
            **{name: getattr(land, name) for name in GRIDS},
            **{name: getattr(scene.scenarios, name) for name in WEATHER})
        print(land.name, {name: round(rows[name].reduction, 3) for name in methods},
              flush=True)


def burn(folder: Path, count: int) -> None:
    """Burns the first `count` test fires of each map under each plan; what is there of as many
    fires stays.
    """
    for file in sorted(folder.glob("map-*.npz")):
        out = file.with_name(file.name.replace("map", "burned"))
        if out.is_file() and np.load(out)["none"].size == count:
            continue
        case = dict(np.load(file))
        losses = {name: np.array([_loss(case, case[f"plan_{name}"], fire) for fire in range(count)])
                  for name in case["methods"].tolist()}
        np.savez_compressed(out, allow_pickle=False, **losses)
        print(out.name, {name: round(1.0 - float(loss.sum() / losses["none"].sum()), 3)
                         for name, loss in losses.items()}, flush=True)


def _loss(case: dict[str, NDArray], breaks: NDArray[np.bool_], fire: int) -> float:
    """Value burned by a test fire of a map under a plan, in Pyretechnics."""
    import pyretechnics.eulerian_level_set as els
    from pyretechnics.space_time_cube import SpaceTimeCube
    rows, cols = breaks.shape
    row, col = divmod(int(case["source"][fire]), cols)
    duration, weather = float(case["duration_min"][fire]), int(case["scenario"][fire])
    shape = (1, rows, cols)
    fuel = np.where(breaks, BARE_GROUND, case["fuel_model"]).astype(np.float32)
    fuel[row, col] = case["fuel_model"][row, col]

    def cube(values: Any) -> Any:
        return SpaceTimeCube(shape, np.asarray(values, np.float32)[None]
                             if np.ndim(values) else values)

    def at(name: str) -> float:
        return float(case[name][weather])

    inputs = {
        "slope": cube(case["slope_tan"]), "aspect": cube(case["aspect_deg"]),
        "fuel_model": cube(fuel), "canopy_cover": cube(case["canopy_cover"]),
        "canopy_height": cube(case["canopy_height_m"]),
        "canopy_base_height": cube(case["canopy_base_height_m"]),
        "canopy_bulk_density": cube(case["canopy_bulk_density_kg_m3"]),
        "wind_speed_10m": cube(at("wind_20ft_m_min") * KM_H_PER_M_MIN * WIND_10M_PER_20FT),
        "upwind_direction": cube(at("wind_from_deg")),
        "fuel_moisture_dead_1hr": cube(at("dead_moisture_1h")),
        "fuel_moisture_dead_10hr": cube(at("dead_moisture_10h")),
        "fuel_moisture_dead_100hr": cube(at("dead_moisture_100h")),
        "fuel_moisture_live_herbaceous": cube(at("live_moisture_herb")),
        "fuel_moisture_live_woody": cube(at("live_moisture_woody")),
        "foliar_moisture": cube(at("foliar_moisture"))}
    size = float(case["cell_size_m"])
    state = els.SpreadState(shape).ignite_cell((row, col))
    done = els.spread_fire_with_phi_field(
        inputs, state, (duration + 1.0, size, size), start_time=0.0, max_duration=duration)
    burned = np.isfinite(
        done["spread_state"].get_full_matrices()["time_of_arrival"])
    return float(case["value"][burned].sum())


def records(folder: Path) -> list[dict[str, Any]]:
    """Savings of each plan of the mean loss there and here, for `benchmarks/results.py`."""
    found = []
    for index, file in enumerate(sorted(folder.glob("burned-*.npz"))):
        case = np.load(file.with_name(file.name.replace("burned", "map")))
        loss = np.load(file)
        found += [{"key": f"elsewhere|{index}|{name}", "part": "elsewhere", "set": "elsewhere",
                   "index": index, "method": name, "policy": "", "fires": loss[name].size,
                   "reduction": round(1.0 - float(loss[name].sum() / loss["none"].sum()), 5),
                   "reduction_here": round(float(ours), 5)}
                  for name, ours in zip(case["methods"].tolist(), case["ours"], strict=True)]
    return found


def main() -> None:
    """Run the step asked for."""
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("plan", "burn", "records"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--maps", type=int, default=16)
    parser.add_argument("--fires", type=int, default=300)
    parser.add_argument("--methods", default=",".join(METHODS), help="comma-separated")
    given = parser.parse_args()
    if given.step == "plan":
        plan(given.folder, given.maps, tuple(dict.fromkeys(["none", *given.methods.split(",")])))
    elif given.step == "burn":
        burn(given.folder, given.fires)
    else:
        print("\n".join(map(json.dumps, records(given.folder))))


if __name__ == "__main__":
    main()
