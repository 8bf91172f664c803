"""How much of what a plan saves is due to one of its lines, and how much to the lines that follow.

    python benchmarks/returns.py --first 62000 --maps 25 --records FILE

appends one JSON line for each of three states of each map: eight lines of a state, each followed by
the plan of the policy three times: on the same plan fires, with the map turned, and on other plan
fires. All plans of a state are judged on the same fires, which no plan was given. A map that the
file has is not measured again. `benchmarks/results.py` makes the table.
"""

import argparse
import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from protocol import read_records
from scipy.stats import rankdata

import firebreak
from firebreak.agent.network import QMapNetwork
from firebreak.agent.policy_file import load_policy
from firebreak.agent.symmetry import turn_line_actions, turn_observation
from firebreak.env.actions import action_count, allowed, place_actions
from firebreak.env.core import begin
from firebreak.env.storage.observation import to_floats
from firebreak.env.storage.problem import problem_of
from firebreak.env.storage.slots import Slots, sizes_for
from firebreak.fire import FireConditions, FireRegime, make_scene
from firebreak.landscape.synthetic.generate import generate
from firebreak.layout import OBSERVATION
from firebreak.native_library import set_threads
from firebreak.planning.evaluation.statistics import percentile_interval
from firebreak.seeding import generator
from firebreak.train.gains.paired_returns import PairedReturns, Values

GENERAL = Path(firebreak.__file__).parent / "policies" / "general.safetensors"
"""The policy that docs/results.md tells of."""

SIDE, BUDGET, PLAN_FIRES, FIRES = 40, 0.05, 256, 1000
STATES, LINES, BEST = 3, 8, 4
"""States of a map, lines of a state, and how many of these are the best by value."""
NOISE = 0.05
"""Of the policy that comes to the states: Gumbel noise on values, in units of the best."""
DRAWS = 1000
"""Of the bootstrap over maps."""

Record = dict[str, Any]


class Share(NamedTuple):
    """Of returns [states, plans, lines]: their standard deviation within a state, and the share of
    the variance that is the line's own; the rest is of the lines that follow.
    """

    deviation: float
    own: float


def returns_of(number: int, network: QMapNetwork) -> list[Record]:
    """The records of a map."""
    scene = make_scene(generate(number, SIDE), FireConditions(
        regime=FireRegime(burned_share=0.15)), number)
    sizes = sizes_for(scene, 1, PLAN_FIRES, 0)
    here, elsewhere = (Slots(sizes), Slots(sizes))
    one, draw, found = np.array([0]), generator(number, "returns"), []
    for slots, name in ((here, "plan"), (elsewhere, "other plan")):
        fires = scene.fires(name, PLAN_FIRES)
        begin(slots, one, [problem_of(scene, BUDGET, fires, fires.first(0))])
    plain = values_of(network, 0)
    own, turned = (PairedReturns(sizes, LINES, FIRES, lines=True, online=plain, frozen=frozen,
                                 seed=number)
                   for frozen in (plain, values_of(network, int(draw.integers(1, 8)))))
    states = plan_states(here, plain, draw)
    last = len(states) - 2  # with one line left nothing follows
    for depth in sorted(draw.choice(last, min(STATES, last), replace=False).tolist()):
        breaks, left = states[depth]
        for slots in (here, elsewhere):
            fires = scene.fires("plan" if slots is here else "other plan", PLAN_FIRES)
            begin(slots, one, [problem_of(scene, BUDGET, fires, fires.first(0))])
            slots.put_back(0, breaks, left)
            slots.update(one)
        lines = own.choose(here, 0, depth)
        if lines.size < LINES:
            continue
        first = own.follow(here, 0, lines)
        found.append({
            "map": number, "lines_before": depth, "lines": lines.tolist(),
            "value": plain(here.layers)[0][lines].tolist(), "gain": first.gain.tolist(),
            "returns": [first.returns.tolist(), turned.follow(here, 0, lines).returns.tolist(),
                        own.follow(elsewhere, 0, lines).returns.tolist()]})
    return found


def values_of(network: QMapNetwork, k: int) -> Values:
    """A network's values of lines, of maps seen under symmetry k; what is off the map has none."""
    to, inside = (part.numpy() for part in turn_line_actions(
        torch.arange(action_count((SIDE, SIDE), lines=True)), k, SIDE))

    @torch.no_grad()
    def values(layers: NDArray[np.uint8]) -> NDArray[np.float32]:
        seen = turn_observation(torch.from_numpy(to_floats(layers)), k, OBSERVATION)
        # Lines off the turned map come last, and can be had if there are no others.
        return np.where(inside, network(seen).numpy()[:, to], np.float32(-1e9))

    return values


def plan_states(slots: Slots, values: Values,
            draw: np.random.Generator) -> list[tuple[NDArray[np.bool_], float]]:
    """Breaks and budget left before each line of a plan by noisy values."""
    one, states = np.array([0]), []
    while (may := allowed(slots, one, True)).any():
        states.append((slots.breaks[0].copy(), float(slots.budget_left[0])))
        found = np.where(may, values(slots.layers), -np.inf)[0]
        noise = NOISE * abs(float(found.max())) * draw.gumbel(size=found.size)
        place_actions(slots, one, np.array([(found + noise).argmax()]), True)
        slots.update(one)
    return states


def table(records: list[Record]) -> tuple[list[str], list[list[str]]]:
    """Head and rows of the table: of all lines of a state, and of the best by value."""
    head = ["lines of a state", "standard deviation of a return", "share of its variance due to "
            "the line", "value against return, rank correlation", "gain at once against return",
            "the best by one plan, in others", "the best by two plans, in the third"]
    rows = []
    for name, count in ((f"all {LINES}", LINES), (f"the {BEST} best by value", BEST)):
        value, gain = (np.array([record[key][:count] for record in records])
                       for key in ("value", "gain"))
        returns = np.array([[plan[:count] for plan in record["returns"]] for record in records])
        maps = np.array([record["map"] for record in records])
        rows.append([name, f"{_share(returns).deviation:.4f}", *(
            _interval(statistic, parts, maps, form) for statistic, parts, form in (
                (lambda found: _share(found).own, (returns,), "{:.2f}"),
                (_rank, (value, returns), "{:+.2f}"), (_rank, (gain, returns), "{:+.2f}"),
                (lambda found: float(_best_by_one(found).mean()), (returns,), "{:+.4f}"),
                (lambda found: float(_best_by_two(found).mean()), (returns,), "{:+.4f}")))])
    return head, rows


def _share(returns: NDArray[np.float64]) -> Share:
    centred = returns - returns.mean(axis=2, keepdims=True)
    free = centred.shape[2] - 1
    whole = (centred**2).sum(axis=2).mean() / free
    common = np.mean([(centred[:, a] * centred[:, b]).sum(axis=1).mean() / free
                      for a, b in ((0, 1), (0, 2), (1, 2))])
    return Share(float(np.sqrt(whole)), float(common / whole))


def _rank(known: NDArray[np.float64], returns: NDArray[np.float64]) -> float:
    """Mean rank correlation within a state of what is known with the mean return of three plans."""
    return float(np.nanmean(ranks(known, returns.mean(axis=1))))


def ranks(one: NDArray[Any], other: NDArray[Any]) -> NDArray[np.float64]:
    """The rank correlation in each state [K] of two values of its lines [K, L]; NaN in states in
    which a value is the same for all lines.
    """
    first, second = (rankdata(part, axis=1) for part in (one, other))
    first, second = (part - part.mean(axis=1, keepdims=True) for part in (first, second))
    norm = np.sqrt((first**2).sum(axis=1) * (second**2).sum(axis=1))
    return np.asarray(np.where(norm > 0, (first * second).sum(axis=1) / np.maximum(norm, 1e-9),
                               np.nan))


def _best_by_one(returns: NDArray[np.float64]) -> NDArray[np.float64]:
    """What the line of the best return in one plan saves more in another than the policy's own."""
    every = np.arange(len(returns))
    return np.mean([returns[every, b, returns[:, a].argmax(axis=1)] - returns[:, b, 0]
                    for a in range(3) for b in range(3) if a != b], axis=0)


def _best_by_two(returns: NDArray[np.float64]) -> NDArray[np.float64]:
    """`_best_by_one`, chosen by the mean of two plans and judged by the third."""
    every = np.arange(len(returns))
    return np.mean([returns[every, c, (returns[:, a] + returns[:, b]).argmax(axis=1)]
                    - returns[:, c, 0] for a, b, c in ((0, 1, 2), (0, 2, 1), (1, 2, 0))], axis=0)


def _interval(statistic: Any, parts: tuple[NDArray[np.float64], ...], maps: NDArray[np.int64],
              form: str) -> str:
    """A statistic in words, with its bootstrap interval over maps."""
    draw, names = generator(0, "returns-interval"), np.unique(maps)
    places = [np.flatnonzero(maps == name) for name in names]
    values = []
    for _ in range(DRAWS):
        rows = np.concatenate([places[k] for k in draw.integers(names.size, size=names.size)])
        values.append(statistic(*(part[rows] for part in parts)))
    low, high = percentile_interval(np.array(values))
    return f"{form} ({form} to {form})".format(statistic(*parts), low, high)


def _rounded(value: Any) -> Any:
    """The same with six decimals, far below what a return is uncertain by."""
    if isinstance(value, dict):
        return {key: _rounded(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_rounded(part) for part in value]
    return round(value, 6) if isinstance(value, float) else value


def main() -> None:
    """Measures the maps that the file lacks."""
    options = argparse.ArgumentParser(description=__doc__,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--first", type=int, default=62000, help="seed of the first map")
    options.add_argument("--maps", type=int, default=25)
    options.add_argument("--policy", type=Path, default=GENERAL)
    options.add_argument("--records", type=Path, required=True)
    args = options.parse_args()
    set_threads(1)
    torch.set_num_threads(1)
    network = load_policy(args.policy).network
    have = {record["map"] for record in read_records(args.records)}
    for number in range(args.first, args.first + args.maps):
        if number in have:
            continue
        found = returns_of(number, network)
        with args.records.open("a") as file:
            file.writelines(json.dumps(_rounded(record)) + "\n" for record in found)
        print(f"map {number}: {len(found)} states", flush=True)


if __name__ == "__main__":
    main()
