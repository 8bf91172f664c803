"""Fits a network anew to the labelled states of finished runs, and writes it as a policy file.

    python scripts/fit_policy.py outputs/RUN [outputs/RUN ...] --out policy.safetensors

While a run goes on its network learns from few states first, and from states that worse networks
came to. Here all states that its last checkpoint holds with the gains of breaks or segments
(`agent.gain_share`) are there from the start, and those of runs of other seeds besides.
"""

import argparse
import sys
import time
from dataclasses import replace
from pathlib import Path

import torch
from torch import Tensor

from firebreak.agent.dqn import DQNAgent
from firebreak.agent.gain_store import GainStore
from firebreak.agent.policy_file import save_policy
from firebreak.agent.settings import LinearSchedule, settings_of
from firebreak.agent.symmetry import SYMMETRIES
from firebreak.checks import InputError, fail
from firebreak.layout import OBSERVATION
from firebreak.train.config.load import as_toml, load_config
from firebreak.train.config.setup import begin_with
from firebreak.train.run.resume import KIND
from firebreak.train.storage.checkpoints import CHECKPOINTS, latest_checkpoint

CELLS = 40_000
"""Cells of the maps of a gradient step."""


def stores_of(run: Path) -> list[GainStore]:
    """The labelled states of a run's last checkpoint, one store for each map size.

    Raises:
        InputError: no checkpoint, or one of a run without labels.
    """
    found = []
    for arena in latest_checkpoint(run / CHECKPOINTS, KIND).load({})["arenas"]:
        state: dict[str, Tensor] | None = arena["labels"]
        if state is None or not int(state["counters"][0]):
            raise fail(expected="a run that labelled states", given="none in its last checkpoint",
                       where=str(run), remedy="train with agent.gain_share above 0")
        capacity, _, height, width = state["layers"].shape
        lines = state["gain"].shape[1] if "segment" in state else None
        store = GainStore(OBSERVATION, (height, width), capacity, lines)
        store.restore({name: tensor for name, tensor in state.items() if name != "turn"})
        found.append(store)
    return found


def _kinds(stores: list[GainStore]) -> list[tuple[int, ...]]:
    """Sizes of maps and, of line actions, how many are labelled."""
    return [(*store.layers.shape[1:], 0 if store.line is None else store.line.shape[1])
            for store in stores]


def fit(runs: list[Path], start: str | None, steps: int, rate: float, seed: int) -> DQNAgent:
    """Learns for so many steps, map sizes and runs by turns, at a rate that falls to 0.

    Raises:
        InputError: runs or a start that do not go together.
    """
    config = load_config(str(runs[0] / "config.toml"))
    settings = settings_of(config.agent)
    agent = DQNAgent(OBSERVATION, replace(settings, learning_rate=LinearSchedule(
        rate, 0.0, steps // 5, steps)), seed)
    if start is not None:
        begin_with(agent, start)
    stores = [stores_of(run) for run in runs]
    for run, own in zip(runs, stores, strict=True):
        if _kinds(own) != _kinds(stores[0]):
            raise fail(expected=f"states like those of {runs[0]}",
                       given="other map sizes or labels", where=str(run),
                       remedy="give runs of one configuration with other seeds")
    begin, loss, told = time.perf_counter(), 0.0, max(steps // 20, 20)
    for step in range(steps):
        place, size = step // len(stores[0]) % len(stores), step % len(stores[0])
        store = stores[place][size]
        rows, cols = store.layers.shape[-2:]
        batch = store.sample(max(2, round(CELLS / (rows * cols))), agent.sampling)
        turned = int(torch.randint(SYMMETRIES, (1,), generator=agent.sampling))
        loss += (agent.learn_gains(batch, turned).loss - loss) / (step % told + 1)
        if (step + 1) % told == 0:
            print(f"{step + 1} steps, {time.perf_counter() - begin:.0f} s, loss {loss:.4f}",
                  flush=True)
    return agent


def main() -> None:
    """Fits and writes."""
    options = argparse.ArgumentParser(description=__doc__,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("runs", type=Path, nargs="+", help="folders of runs with checkpoints")
    options.add_argument("--out", type=Path, required=True, help="the policy file")
    options.add_argument("--start", help="a policy to start from, of cells "
                         "too; else drawn weights")
    options.add_argument("--steps", type=int, default=4500)
    options.add_argument("--rate", type=float, default=1e-3, help="learning rate at the start")
    options.add_argument("--seed", type=int, default=0)
    args = options.parse_args()
    torch.set_num_threads(1)
    try:
        _fit_and_write(args)
    except InputError as error:
        print(f"fit_policy: {error}", file=sys.stderr)
        raise SystemExit(2) from None


def _fit_and_write(args: argparse.Namespace) -> None:
    agent = fit(args.runs, args.start, args.steps, args.rate, args.seed)
    config = load_config(str(args.runs[0] / "config.toml"))
    # Where the maps lay is of no use to others.
    land = config.landscapes.model_copy(update={"data": None})
    save_policy(args.out, agent.online_net, config.agent.width, {
        "run": "fitted", "config": as_toml(config.model_copy(update={"landscapes": land})),
        "runs": len(args.runs), "start": "" if args.start is None else Path(args.start).name,
        "rate": args.rate, "seed": args.seed, "learner_steps": agent.learner_steps})
    print(args.out)


if __name__ == "__main__":
    main()
