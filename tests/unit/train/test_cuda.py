"""Training on a GPU: it learns there, keeps nothing there that waits, and goes on without one."""

from pathlib import Path

import pytest
import torch

from firebreak.train.config.load import load_config
from firebreak.train.data.splits import make_splits
from firebreak.train.run.trainer import ParallelTrainer
from tiny import TINY

DEVICE = "cuda"
GAINS = ["agent.gain_share=0.25", "agent.gain_fires=6", "agent.discount_begin=4",
         "agent.discount_finish=8"]
LINES = [*GAINS, "agent.segments=true", "agent.discount_end=0"]

pytestmark = [pytest.mark.gpu, pytest.mark.skipif(
    not torch.cuda.is_available(), reason="needs a CUDA device and a CUDA build of PyTorch")]


def made(run: Path, device: str, changes: list[str]) -> ParallelTrainer:
    config = load_config("quick", [*TINY, *changes, f"train.device='{device}'"])
    return ParallelTrainer(config, make_splits(config, Path()), run)


@pytest.mark.parametrize("changes", [[], GAINS, LINES],
                         ids=["transitions", "gains", "lines"])
def test_a_run_on_a_gpu_learns_and_its_checkpoint_loads_on_the_cpu(
        tmp_path: Path, changes: list[str]) -> None:
    trainer = made(tmp_path, DEVICE, changes)
    network = trainer.agent.online_net
    before = {name: tensor.cpu().clone() for name, tensor in network.state_dict().items()}
    for _ in trainer.run():
        pass
    assert trainer.agent.learner_steps >= 5
    assert {tensor.device.type for tensor in network.state_dict().values()} == {DEVICE}
    assert any(not torch.equal(before[name], tensor.cpu())
               for name, tensor in network.state_dict().items())
    group = trainer.arenas[0]
    kept = [*group.replay.state().values()]
    assert len(group.replay) > 0
    assert {tensor.device.type for tensor in kept} == {"cpu"}
    assert not any(tensor.requires_grad for tensor in kept)
    trainer.save()

    again = made(tmp_path, "cpu", [*changes, "train.episodes=24"])
    with pytest.warns(UserWarning, match=f"device {DEVICE} then, cpu now|train.device cpu instead"):
        again.resume()
    assert again.weights_sha256() == trainer.weights_sha256()
    assert {tensor.device.type for tensor in again.agent.online_net.state_dict().values()} == {
        "cpu"}
    steps = again.agent.learner_steps
    assert list(again.run())[-1]["learner_steps"] > steps
    trainer.close()
    again.close()
