"""A checkpoint whose checksums are right and whose values are absurd is refused before it is used.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from bare import without_looks_at_memory
from faults.forged import sealed, tensor_places, with_value
from faults.runs import CONFIG
from firebreak.checks import InputError
from firebreak.train.config.load import load_config
from firebreak.train.data.splits import make_splits
from firebreak.train.run.trainer import ParallelTrainer
from firebreak.train.storage.checkpoints import CHECKPOINTS, checkpoints_of
from firebreak.train.storage.store import STATE, TENSORS

MOMENTS = ("agent", "optimizer", "state", "$numbered", "0")
COLLECTOR = ("arenas", 0, "collector")
VALUES: list[tuple[tuple[Any, ...], Any]] = [
    (("positions",), 5), (("positions", "metrics"), [0, -1]), (("positions", "metrics"), [0, "x"]),
    (("positions", "metrics"), [0, 0, 0]), (("positions", "metrics"), 0),
    ((*MOMENTS, "exp_avg"), 1), ((*MOMENTS, "exp_avg_sq"), {"$tensor": "agent/acting"}),
    (MOMENTS, {}), (("agent", "optimizer", "param_groups", 0, "lr"), "x"),
    (("agent", "optimizer", "param_groups"), []),
    (("agent", "learner_steps"), 10**400), (("agent", "learner_steps"), 0.5),
    (("agent", "learner_steps"), -5), (("agent", "acting"), {"$tensor": "agent/online/stem.bias"}),
    (("progress", "in_turn"), "x"), (("progress", "next_validation"), None),
    (("progress", "updates_due"), 1e308), (("progress", "updates_due"), float("nan")),
    (("progress", "updates"), [[1]]), (("progress", "of_later"), 1),
    (("histories", "losses"), [None]), (("histories", "returns"), [float("inf")]),
    ((*COLLECTOR, "episodes"), 2**63), ((*COLLECTOR, "returns"), ["x", "y"]),
    ((*COLLECTOR, "env", "streams", 0), -7), ((*COLLECTOR, "env", "budget_left", 0), True),
    ((*COLLECTOR, "env", "episodes"), []), ((*COLLECTOR, "buffer"), None),
    (("best", "reduction"), "x"), (("best", "provenance"), [1]), (("config",), "["),
    (("made_by",), "x"), (("arenas",), {}), (("arenas",), []), (("agent",), [])]
TENSOR_BYTES = [("arenas/0/replay/counters", b"\xff"), ("arenas/0/replay/land", b"\x7f"),
                ("arenas/0/replay/current_land", b"\x80"), ("arenas/0/replay/action", b"\x7f"),
                ("arenas/0/replay/terminated", b"\x02"), ("arenas/0/collector/env/breaks", b"\x01")]


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ParallelTrainer]:
    folder = tmp_path_factory.mktemp("run")
    config = load_config("quick", [*CONFIG, "train.episodes=9"])
    trainer = ParallelTrainer(config, make_splits(config, Path()), folder)
    with pytest.MonkeyPatch.context() as patch:
        without_looks_at_memory(patch)
        for _ in trainer.run():
            pass
    trainer.positions = lambda: {"metrics": (0, 0)}
    trainer.save()
    for earlier in checkpoints_of(folder / CHECKPOINTS)[:-1]:
        shutil.rmtree(earlier)
    yield trainer
    trainer.close()


@pytest.fixture
def checkpoint(begun: ParallelTrainer) -> Iterator[Path]:
    torch.set_num_threads(begun.config.train.torch_threads)  # a resume warns of others
    folder, = checkpoints_of(begun.run_folder / CHECKPOINTS)
    before = {path: path.read_bytes() for path in folder.iterdir()}
    yield folder
    for path, content in before.items():
        path.write_bytes(content)


def test_a_checkpoint_as_it_was_written_is_taken(begun: ParallelTrainer, checkpoint: Path) -> None:
    sealed(checkpoint, {STATE: (checkpoint / STATE).read_bytes()})
    assert begun.resume() == {"metrics": (0, 0)}


@pytest.mark.parametrize(("path", "value"), VALUES)
def test_absurd_values_are_refused_in_one_sentence(
        begun: ParallelTrainer, checkpoint: Path, path: tuple[Any, ...], value: Any) -> None:
    sealed(checkpoint, {STATE: with_value((checkpoint / STATE).read_bytes(), path, value)})
    with pytest.raises(InputError) as caught:
        begun.resume()
    assert str(checkpoint.parent.parent) in str(caught.value)
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize(("name", "fill"), TENSOR_BYTES)
def test_places_that_are_none_are_refused(begun: ParallelTrainer, checkpoint: Path, name: str,
                                          fill: bytes) -> None:
    content = (checkpoint / TENSORS).read_bytes()
    begin, end = tensor_places(content)[name]
    assert end > begin
    sealed(checkpoint, {TENSORS: content[:begin] + fill * (end - begin) + content[end:]})
    with pytest.raises(InputError):
        begun.resume()


def test_a_run_whose_observations_had_other_channels_is_told_so(
        begun: ParallelTrainer, checkpoint: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replay = begun.arenas[0].replay
    static = replay.static
    with_one_more = replay.state() | {"static": torch.cat([static, static[:, :1]], dim=1)}
    monkeypatch.setattr(type(replay), "state", lambda self: with_one_more)
    with pytest.raises(InputError, match=rf"have {static.shape[1] + 1} fixed channels, as in this "
                       rf"version, got {static.shape[1]}; begin a new run"):
        begun.resume()
