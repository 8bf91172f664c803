"""NaN and infinity, planted in a run: how many learner steps it makes before it stops."""

from collections.abc import Callable
from pathlib import Path

import torch

from faults.kills import Found
from faults.runs import CONFIG, read_no_memory
from firebreak.train.config.load import load_config
from firebreak.train.data.splits import make_splits
from firebreak.train.run.trainer import ParallelTrainer
from firebreak.train.storage.checkpoints import CHECKPOINTS, checkpoints_of, latest_checkpoint
from firebreak.train.storage.store import open_folder

Plant = Callable[[ParallelTrainer, float], None]


def _env_reward(trainer: ParallelTrainer, value: float) -> None:
    env = trainer.arenas[0].env
    step = env.step

    def spoiled(actions: object) -> object:
        found = step(actions)  # type: ignore[arg-type]
        found[1][0] = value
        return found
    env.step = spoiled  # type: ignore[method-assign,assignment]


def _stored_reward(trainer: ParallelTrainer, value: float) -> None:
    trainer.arenas[0].replay.reward.fill_(value)


def _online(trainer: ParallelTrainer, value: float) -> None:
    _first(trainer.agent.online_net).view(-1)[0] = value


def _target(trainer: ParallelTrainer, value: float) -> None:
    _first(trainer.agent.target_net).view(-1)[0] = value


def _optimizer(trainer: ParallelTrainer, value: float) -> None:
    state = trainer.agent.optimizer.state
    next(iter(state.values()))["exp_avg"].view(-1)[0] = value


def _gradient(trainer: ParallelTrainer, value: float) -> None:
    parameter = next(trainer.agent.online_net.parameters())
    parameter.register_hook(lambda gradient: gradient * value)


def _first(network: torch.nn.Module) -> torch.Tensor:
    return next(network.parameters()).detach()


PLANTS: dict[str, Plant] = {
    "reward of the environment": _env_reward, "reward in the replay": _stored_reward,
    "gradient": _gradient, "online weights": _online, "target weights": _target,
    "optimizer": _optimizer}


def plant_everywhere(folder: Path, values: int = 2) -> Found:
    """NaN (and infinity, if 2 values) in each place, once the run has learned and saved."""
    bad, steps = [], []
    read_no_memory()
    for name, plant in PLANTS.items():
        for value in (float("nan"), float("inf"))[:values]:
            run = folder / f"{name}-{value}"
            taken, faults = _spoil(run, plant, value)
            steps.append(taken)
            bad += [f"{name}, {value}: {fault}" for fault in faults]
    return Found(len(steps), bad, f"{max(steps)} learner step at most, {len(steps)} plants in "
                                  f"{len(PLANTS)} places")


def _spoil(run: Path, plant: Plant, value: float) -> tuple[int, list[str]]:
    """Learner steps from the plant to the end (one that was begun counts), and what was wrong."""
    torch.set_num_threads(1)
    config = load_config("quick", [*CONFIG, "train.episodes=10000"])
    trainer = ParallelTrainer(config, make_splits(config, Path()), run)
    run.mkdir(parents=True)
    planted = 0
    try:
        for row in trainer.run():
            learned = trainer.agent.learner_steps
            if not planted and row["kind"] == "progress" and learned > 3 and checkpoints_of(
                    run / CHECKPOINTS):
                planted, kept = learned, latest_checkpoint(run / CHECKPOINTS, "run").folder
                plant(trainer, value)
            elif planted and learned > planted + 20:
                return learned - planted, ["went on"]
    except FloatingPointError as error:
        failure = next(run.glob("failure-*"))
        said = str(error)
        faults = [f"does not say {part}" for part in (str(failure), str(kept), "seed")
                  if part not in said]
        state = open_folder(failure, "failure").load()
        faults += ["no batch"] * (not state["batch"]) + ["no seed"] * (state["seed"] != config.seed)
        if latest_checkpoint(run / CHECKPOINTS, "run").folder != kept:
            faults.append("saved after it")
        return trainer.agent.learner_steps - planted + 1, faults
    finally:
        trainer.close()
    return 10**6, ["ended"]
