"""A run of hundreds of episodes holds at its end what it held after its warm-up."""

from pathlib import Path

import pytest

from firebreak.api.shared.run_output import consume
from firebreak.cli.commands.memory import often_read
from firebreak.memory.trend import STEPS_FOR_LONG
from firebreak.memory.verdict import judge
from firebreak.train.config.load import load_config
from firebreak.train.data.splits import make_splits
from firebreak.train.run.trainer import ParallelTrainer
from firebreak.train.storage.metrics import read_rows
from tiny import TINIER, TINY

OWNED = tuple(f"trainer.{part}" for part in (
    "arenas[].replay.", "arenas[].env.slots._", "arenas[].validation_env.slots._",
    "arenas[].collector.buffer.", "splits.", "agent."))


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_six_hundred_episodes_own_the_same_bytes_files_and_objects(tmp_path: Path) -> None:
    config = load_config("quick", [*TINY, "landscapes.size=20", "train.episodes=600",
                                   "replay.capacity=4000", "evaluation.every_episodes=100"])
    trainer = ParallelTrainer(config, make_splits(config, Path()), tmp_path)
    end = consume(trainer, tmp_path, config, quiet=True)
    rows = read_rows(tmp_path / "memory.jsonl")
    assert all(row["kind"] != "cleanup" for row in read_rows(tmp_path / "timings.jsonl"))
    assert end["cleanup_seconds"] < 0.01 * end["seconds"]
    full = [row for row in rows if row["phase"] == "cleanup"]
    warm = full[len(full) // 3:]
    assert len(warm) >= 30
    def exact(row: dict) -> tuple[object, ...]:
        owned = {k: v for k, v in row["owned_bytes"].items() if k.startswith(OWNED)}
        return owned, row["live"], row["open_files"], row["threads"], row["figures"]
    assert all(exact(row) == exact(warm[0]) for row in warm)
    assert judge(rows).state == "ok"


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_resident_memory_of_thousands_of_episodes_has_no_slope(tmp_path: Path) -> None:
    """Long enough for the limit of long runs, over all parts of rotated files."""
    config = often_read(load_config("quick", [*TINIER, "cleanup.log_megabytes=1",
                                              "evaluation.every_episodes=200"]), 6500)
    trainer = ParallelTrainer(config, make_splits(config, Path()), tmp_path)
    consume(trainer, tmp_path, config, quiet=True)
    rows = read_rows(tmp_path / "memory.jsonl")
    assert len(list(tmp_path.glob("memory.*.jsonl"))) >= 1
    assert rows[0]["phase"] == "baseline"
    verdict = judge(rows)
    assert verdict.env_steps >= STEPS_FOR_LONG
    assert verdict.rss_judged
    assert verdict.state == "ok", verdict.growths
    assert verdict.rss.high < 1000  # bytes per episode
    full = [row for row in rows if row["phase"] == "cleanup"]
    assert len(full) > 400
