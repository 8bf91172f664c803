"""A run of hundreds of episodes holds at its end what it held at its start."""

from pathlib import Path

import pytest

from firebreak.train.config import load_config
from firebreak.train.splits import make_splits
from firebreak.train.trainer import ParallelTrainer
from tiny import TINY

FIXED = ("validation_problems", "replay.", "env._", "validation_env._", "experience_buffer.")


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_six_hundred_episodes_own_the_same_bytes_files_and_objects(tmp_path: Path) -> None:
    config = load_config("quick", [*TINY, "landscapes.size=20", "train.episodes=600",
                                   "replay.capacity=4000", "evaluation.every_episodes=100"])
    trainer = ParallelTrainer(config, make_splits(config, Path()), tmp_path)
    memory = []
    for row in trainer.run():
        assert row["kind"] != "cleanup", row
        if row["kind"] == "memory":
            memory.append(row)
    def exact(row: dict) -> tuple[object, ...]:
        owned = {k: v for k, v in row["owned_bytes"].items() if k.startswith(FIXED)}
        return owned, row["live"], row["open_files"], row["threads"]
    warm = memory[len(memory) // 3:]
    assert len(warm) >= 30
    assert all(exact(row) == exact(warm[0]) for row in warm)
    # Resident memory may settle, but a kilobyte-per-episode habit would show as megabytes.
    assert warm[-1]["rss_bytes"] - warm[0]["rss_bytes"] < 20_000_000
