"""The rows of a run in TensorBoard while it trains; any other logger is fed in the same way.

    pip install tensorboard
    python examples/rows_in_tensorboard.py --episodes 100
    tensorboard --logdir tensorboard_run
"""

import argparse
from typing import Any

from torch.utils.tensorboard import SummaryWriter

from firebreak import train_policy

options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
options.add_argument("--episodes", type=int, default=100)
options.add_argument("--log", default="tensorboard_run")
asked = options.parse_args()


def log(row: dict[str, Any]) -> None:
    """Writes the numbers of a row under its kind, over the environment steps so far."""
    for name, value in row.items():
        if isinstance(value, int | float):
            board.add_scalar(f"{row['kind']}/{name}", value, row["env_steps"])


changes = {"train.episodes": asked.episodes, "train.learning_starts": min(300, 10 * asked.episodes),
           "evaluation.every_episodes": asked.episodes, "evaluation.validation_landscapes": 8,
           "evaluation.test_landscapes": 4, "evaluation.test_fires": 100}
with SummaryWriter(asked.log) as board:
    trained = train_policy("quick", set=changes, on_row=log, quiet=True)
print(f"{len(trained.metrics)} rows of {trained.episodes} episodes are in {asked.log}")
