"""Whether a network learns which line of a state begins the plan that saves most.

    python benchmarks/learned_returns.py label --first 90000 --maps 575 --states FILE
    python benchmarks/learned_returns.py fit --states FILE... --held-out 75 --records FILE

`label` takes states of plans of the shipped policy on synthetic maps and the eight lines that it
values most, completes a plan from each and judges the plans of a state on the same fires, which no
plan was given. `fit` trains the network with a head for returns on all maps but the last
`--held-out`, and appends a JSON line for each measurement on the states of these; beside FILE it
writes the policies.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from returns import BUDGET, GENERAL, PLAN_FIRES, SIDE, plan_states, ranks, values_of

from firebreak.agent.dqn import DQNAgent
from firebreak.agent.gain_store import GainStore
from firebreak.agent.network import QMapNetwork, take_over
from firebreak.agent.policy_file import load_policy, save_policy
from firebreak.agent.settings import DQNSettings, LinearSchedule
from firebreak.agent.symmetry import SYMMETRIES, as_floats
from firebreak.env.core import begin
from firebreak.env.storage.problem import problem_of
from firebreak.env.storage.slots import Slots, sizes_for
from firebreak.fire import FireConditions, FireRegime, make_scene
from firebreak.landscape.synthetic.generate import generate
from firebreak.layout import OBSERVATION
from firebreak.native_library import set_threads
from firebreak.planning.evaluation.statistics import percentile_interval
from firebreak.seeding import generator
from firebreak.train.gains.paired_returns import PairedReturns

LINES, STATES, FIRES = 8, 4, 512
"""Lines of a state, states of a map, and fires that plans are judged on."""
STEPS, MEASURED, BATCH, RATE = 2000, 200, 24, 3e-4
"""Learner steps, steps between measurements, states of a step, and the learning rate, which falls
to 0."""
DRAWS = 1000
"""Of the bootstrap over maps."""

Arrays = dict[str, NDArray[Any]]


def states_of(number: int, network: QMapNetwork) -> list[Arrays]:
    """Labelled states of a map."""
    scene = make_scene(generate(number, SIDE), FireConditions(
        regime=FireRegime(burned_share=0.15)), number)
    sizes, one = sizes_for(scene, 1, PLAN_FIRES, 0), np.array([0])
    draw = generator(number, "states")
    slots, fires = Slots(sizes), scene.fires("plan", PLAN_FIRES)
    values = values_of(network, 0)
    # Half of the lines that it chooses are the best by value, which are those wanted here.
    returns = PairedReturns(sizes, 2 * LINES, FIRES, lines=True, online=values, frozen=values,
                            seed=number)
    problem, found = problem_of(scene, BUDGET, fires, fires.first(0)), []
    begin(slots, one, [problem])
    states = plan_states(slots, values, draw)
    last = len(states) - 2  # with one line left nothing follows
    for depth in sorted(draw.choice(last, min(STATES, last), replace=False).tolist()):
        begin(slots, one, [problem])
        slots.put_back(0, *states[depth])
        slots.update(one)
        lines = returns.choose(slots, 0, depth)[:LINES]
        if lines.size == LINES:
            paired = returns.follow(slots, 0, lines)
            found.append({"map": np.array(number), "layers": slots.layers[0].copy(),
                          "line": lines.astype(np.int32), "gain": paired.gain,
                          "returns": paired.returns})
    return found


def fitted(states: Arrays, held: Arrays, network: QMapNetwork, returns: bool,
           seed: int) -> tuple[QMapNetwork, list[dict[str, Any]]]:
    """The network that has learned the gains of states, and their returns if asked; measurements on
    the states held out, while it learned.
    """
    nothing = LinearSchedule(0.0, 0.0, 0, 1)
    agent = DQNAgent(OBSERVATION, DQNSettings(
        epsilon=nothing, discount=nothing, segments=True, continuation=returns,
        learning_rate=LinearSchedule(RATE, 0.0, STEPS // 5, STEPS)), seed)
    take_over(agent.online_net, network)
    agent.target_net.load_state_dict(agent.online_net.state_dict())
    store = GainStore(OBSERVATION, (SIDE, SIDE), len(states["map"]), LINES, returns=True)
    for row in zip(*(states[name] for name in ("layers", "gain", "line", "returns")), strict=True):
        store.append(*(torch.from_numpy(part) for part in row))
    found = []
    for step in range(STEPS + 1):
        if step % MEASURED == 0:
            found.append({"returns": returns, "seed": seed, "step": step,
                          **measured(agent.online_net, held)})
            print(found[-1], flush=True)
        turned = int(torch.randint(SYMMETRIES, (1,), generator=agent.sampling))
        if step < STEPS:
            agent.learn_gains(store.sample(BATCH, agent.sampling), turned)
    return agent.online_net, found


@torch.no_grad()
def measured(network: QMapNetwork, held: Arrays) -> dict[str, Any]:
    """Rank correlation within a state of values and of gains at once with returns, and what the
    line of the largest value returns more than the first line, which the shipped policy places:
    means over states, with intervals over maps.
    """
    parts = [network.values_at(as_floats(torch.from_numpy(held["layers"][rows])),
                               torch.from_numpy(held["line"][rows]).long()).numpy()
             for rows in np.array_split(np.arange(len(held["map"])), len(held["map"]) // 10 + 1)]
    values, returned = np.concatenate(parts), held["returns"]
    every = np.arange(len(returned))
    return {"rank": _over_maps(ranks(values, returned), held["map"]),
            "gain_rank": _over_maps(ranks(held["gain"], returned), held["map"]),
            "choice": _over_maps(returned[every, values.argmax(axis=1)] - returned[:, 0],
                                 held["map"])}


def _over_maps(values: NDArray[Any], maps: NDArray[Any]) -> list[float]:
    """Mean over states, and its bootstrap interval over maps."""
    draw, names = generator(0, "learned-returns"), np.unique(maps)
    places = [np.flatnonzero(maps == name) for name in names]
    means = [np.nanmean(values[np.concatenate([places[k] for k in draw.integers(
        names.size, size=names.size)])]) for _ in range(DRAWS)]
    return [round(float(x), 5) for x in (np.nanmean(values),
                                         *percentile_interval(np.array(means)))]


def table(records: list[dict[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """Head and rows of the table: by learner step, the first seed in each cell with its interval,
    the other seeds behind it.
    """
    head = ["learner steps", *(f"{what}, {how} returns" for what in (
        "value against return, rank correlation", "the line of the largest value returns more")
        for how in ("with", "without"))]
    rows = []
    for step in sorted({record["step"] for record in records}):
        here = [record for record in records if record["step"] == step]
        rows.append([f"{step:,}", *(
            _words([record[key] for record in here if record["returns"] is returns], form)
            for key, form in (("rank", "{:+.2f}"), ("choice", "{:+.4f}"))
            for returns in (True, False))])
    return head, rows


def _words(found: list[list[float]], form: str) -> str:
    """The first mean with its interval, and the other means."""
    return "; ".join([f"{form} ({form} to {form})".format(*found[0]),
                      *(form.format(mean) for mean, _, _ in found[1:])])


def label(args: argparse.Namespace) -> None:
    """Labels states of maps, and writes them all."""
    network, found = load_policy(args.policy).network, []
    for number in range(args.first, args.first + args.maps):
        found += states_of(number, network)
        print(f"map {number}: {len(found)} states", flush=True)
        if number % 20 == 0 or number == args.first + args.maps - 1:
            arrays: dict[str, Any] = {name: np.stack([state[name] for state in found])
                                      for name in found[0]}
            np.savez(args.states[0], **arrays)


def fit(args: argparse.Namespace) -> None:
    """Trains two networks for each seed, with returns and without."""
    files = [np.load(path) for path in args.states]
    states = {name: np.concatenate([file[name] for file in files]) for name in files[0].files}
    held = states["map"] >= np.unique(states["map"])[-args.held_out]
    known, apart = ({name: part[which] for name, part in states.items()}
                    for which in (~held, held))
    print(f"{(~held).sum()} states to learn from, {held.sum()} held out", flush=True)
    policy = load_policy(args.policy)
    for seed in range(args.seeds):
        for returns in (True, False):
            network, found = fitted(known, apart, policy.network, returns, seed)
            with args.records.open("a") as file:
                file.writelines(json.dumps(record) + "\n" for record in found)
            save_policy(args.records.with_name(
                f"{'returns' if returns else 'gains'}-{seed}.safetensors"), network,
                network.stem.out_channels, policy.provenance)


def main() -> None:
    """Labels, or fits."""
    options = argparse.ArgumentParser(description=__doc__,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("part", choices=("label", "fit"))
    options.add_argument("--states", type=Path, nargs="+", required=True)
    options.add_argument("--policy", type=Path, default=GENERAL)
    options.add_argument("--first", type=int, default=90000, help="seed of the first map")
    options.add_argument("--maps", type=int, default=575)
    options.add_argument("--held-out", type=int, default=75, help="maps")
    options.add_argument("--seeds", type=int, default=3)
    options.add_argument("--records", type=Path)
    args = options.parse_args()
    set_threads(1)
    torch.set_num_threads(1)
    (label if args.part == "label" else fit)(args)


if __name__ == "__main__":
    main()
