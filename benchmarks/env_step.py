"""Where the time of an environment's step goes: stages of the step, and parts of burning again.

    python benchmarks/env_step.py [--environments 1] [--episodes 5]

40x40 cells, 256 plan and 256 reward fires that burn 15 % of the map, on one core; breaks where
downstream value is greatest. The parts of a fire are timed by the processor's clock in a copy of
`reburn_kernel`'s loop, whose losses must be those of the loop itself.
"""

import argparse
import time
from collections import Counter
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from firebreak.cli.bench_env import bench_source
from firebreak.compiled import compiled
from firebreak.env import core, fire_store
from firebreak.env.slots import Slots
from firebreak.fire.engine import set_threads
from firebreak.fire.front_kernel import lie_of
from firebreak.fire.reburn_kernel import changes_of_thread, in_place
from firebreak.fire.resolve_kernel import change, settle
from firebreak.fire.solve_kernel import solve_again
from firebreak.fire.sums_kernel import correct, lost_before, lost_now
from firebreak.fire.way_kernel import STEP_COL, STEP_ROW
from firebreak.layout import OBSERVATION

STEPS = 60  # of an episode
PARTS = ("forgetting, queueing the rim", "solving again", "losses", "sums of plan fires")
COUNTS = ("fires that change", "cells forgotten", "cells queued from the rim", "cells burned again")


@intrinsic
def ticks(typing_context: Any) -> Any:
    """The processor's clock."""
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(ir.IntType(64), [])
        clock = builder.module.declare_intrinsic("llvm.readcyclecounter", fnty=kind)
        return builder.call(clock, [])

    return types.uint64(), generate


@compiled()
def _burn_timed(fire, offset, width, ways, rules, fires, overlays, new, crossing, values, changes,
                store, scratch, spent, counted):
    slot, first, limits = fires.overlay[fire], fires.row[fire], rules.class_limits
    work, changed = in_place(fire, 0, store, scratch), changes_of_thread(changes, 0)
    lie = lie_of(fire, overlays.state[slot], offset, width, ways, rules, fires)
    begin = ticks()
    size = change(new.cells[slot, :new.how_many[slot]], fires.duration[fire], crossing, first, ways,
                  lie, changed, work)
    forgotten, rim = changed.how_many[0], ticks()
    fresh = solve_again(size, fires.duration[fire], first, ways, lie, changed, work)
    solved = ticks()
    store.lost[fire] += (lost_now(fresh, first, ways, limits, values.worth[slot], work)
                         - lost_before(first, ways, limits, values.worth[slot], changed))
    store.loss[fire] = np.float64(store.lost[fire]) / values.unit[slot]
    lost = ticks()
    if fire < store.below.shape[0]:
        correct(fire, slot, 0, fresh, offset, values.share[slot], store, changed, work)
    settle(changed, work)
    spent[0] += rim - begin
    spent[1] += solved - rim
    spent[2] += lost - solved
    spent[3] += ticks() - lost
    counted[0] += 1
    counted[1] += forgotten
    counted[2] += size
    counted[3] += fresh


@numba.njit
def burn_timed(which, width, ways, rules, fires, overlays, new, crossing, values, changes, store,
               scratch, spent, counted):
    """Burns fires again like `reburn_many`, one after the other. Adds ticks of PARTS to spent u64
    and what was done to counted i64.
    """
    offset = STEP_ROW * width + STEP_COL
    for fire in which:
        _burn_timed(fire, offset, width, ways, rules, fires, overlays, new, crossing, values,
                    changes, store, scratch, spent, counted)


class Clock:
    """Seconds by stage, of functions that it is put around."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()

    def around(self, owner: Any, name: str, stage: str) -> None:
        """Has owner.name counted as a stage."""
        plain = getattr(owner, name)

        def timed(*args: Any, **named: Any) -> Any:
            begin = time.perf_counter()
            result = plain(*args, **named)
            self.seconds[stage] += time.perf_counter() - begin
            return result

        setattr(owner, name, timed)


def episode(number: int, environments: int, clock: Clock | None) -> tuple[float, np.ndarray]:
    """(seconds of STEPS steps, losses of the reward fires at the end) of one episode."""
    source = bench_source()
    slots = Slots(source.sizes(environments))
    core.begin(slots, np.arange(environments),
               [source.problem(k, number) for k in range(environments)])
    if clock is not None:
        clock.around(slots.fires, "burn", "burning again")
        clock.around(slots, "update", "update")
        clock.around(slots, "reward_losses", "rewards")
    guide, seconds = OBSERVATION.channel("downstream_value"), 0.0
    for _ in range(STEPS):
        score = np.where(slots.available, slots.layers[:, guide].astype(np.int64) + 1, 0)
        cells = score.reshape(environments, -1).argmax(axis=1)
        begin = time.perf_counter()
        core.step(slots, cells)
        seconds += time.perf_counter() - begin
    return seconds, slots.reward_losses(np.arange(environments))


def stages(environments: int, episodes: int) -> float:
    """Prints the stages of a step; returns how long one takes, ms."""
    clock, steps = Clock(), environments * STEPS * episodes
    episode(0, environments, None)
    clock.around(core, "place_actions", "breaks, budgets, fires concerned")
    clock.around(core, "are_allowed", "which actions are allowed")
    whole = sum(episode(k, environments, clock)[0] for k in range(episodes))
    spent = clock.seconds
    spent["observation, masks"] = spent.pop("update") - spent["burning again"]
    print(f"a step of one of {environments}: {1e3 * whole / steps:.3f} ms, "
          f"{steps / whole:.0f} steps/s\n")
    for stage, seconds in [*spent.most_common(), ("all else", whole - spent.total())]:
        print(f"{stage:34}{1e3 * seconds / steps:8.3f} ms {seconds / whole:7.1%}")
    return 1e3 * whole / steps


def parts(environments: int, episodes: int) -> None:
    """Prints the parts of a fire that burns again."""
    spent, counted = np.zeros(len(PARTS), np.uint64), np.zeros(len(COUNTS), np.int64)
    plain = fire_store.reburn_many
    expected = [episode(k, environments, None)[1] for k in range(episodes)]

    def burn(which: Any, width: int, ways: Any, spots: Any, rules: Any, fires: Any, overlays: Any,
             new: Any, crossing: Any, values: Any, changes: Any, store: Any, scratch: Any) -> None:
        if store.kept[which].all():
            burn_timed(which, width, ways, rules, fires, overlays, new, crossing, values, changes,
                       store, scratch, spent, counted)
        else:  # before the first break
            plain(which, width, ways, spots, rules, fires, overlays, new, crossing, values, changes,
                  store, scratch)

    fire_store.reburn_many = burn
    try:
        episode(0, environments, None)  # compiles it
        spent[:], counted[:] = 0, 0
        for number in range(episodes):
            losses = episode(number, environments, None)[1]
            assert np.array_equal(losses, expected[number]), "the copy burns otherwise"
    finally:
        fire_store.reburn_many = plain
    print()
    for part, amount in zip(PARTS, spent.tolist(), strict=True):
        print(f"{part:34}{amount / counted[0] / 1e3:8.1f} thousand ticks "
              f"{amount / spent.sum():7.1%}")
    steps = environments * STEPS * episodes
    print(f"\n{counted[0] / steps:.0f} {COUNTS[0]} in a step; of each "
          + ", ".join(f"{n / counted[0]:.0f} {name}" for name, n in
                      zip(COUNTS[1:], counted[1:].tolist(), strict=True)))


def main() -> None:
    """Prints both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--environments", type=int, default=1)
    parser.add_argument("--episodes", type=int, default=5)
    args = parser.parse_args()
    set_threads(1)
    stages(args.environments, args.episodes)
    parts(args.environments, args.episodes)


if __name__ == "__main__":
    main()
