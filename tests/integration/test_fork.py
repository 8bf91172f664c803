"""A process that has burned fires forks: in multiprocessing, in gymnasium's environments that run
in processes of their own, in PyTorch's data loaders. Fires burn in parent and children, with the
same bits, on several threads.
"""

import multiprocessing
import os
import sys
from collections.abc import Iterator

import gymnasium
import numpy as np
import pytest
import torch

from firebreak.fire import FireConditions, Fires, Scene, burn_field, make_scene
from firebreak.landscape.synthetic.generate import generate
from firebreak.native_library import max_threads, set_threads

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
SMALL = {"size": 10, "plan_fires": 16, "reward_fires": 16}
PATIENCE_S = 60


@pytest.fixture
def scene() -> Iterator[tuple[Scene, Fires]]:
    own = make_scene(generate(3, 24), FireConditions(scenarios=2), 0)
    set_threads(max_threads())
    yield own, own.fires("plan", 40)
    set_threads(1)


def losses(scene: Scene, fires: Fires) -> np.ndarray:
    return burn_field(scene.field, fires, scene.value_by_class.astype(np.float32)).loss


def test_children_of_multiprocessing_burn_after_their_parent_did(
        scene: tuple[Scene, Fires]) -> None:
    before = losses(*scene)
    context = multiprocessing.get_context("fork")
    with context.Pool(2) as pool:
        made = [pool.apply_async(losses, scene) for _ in range(4)]
        for result in made:
            np.testing.assert_array_equal(result.get(PATIENCE_S), before)
    np.testing.assert_array_equal(losses(*scene), before)


def test_environments_in_processes_run_after_one_in_the_parent() -> None:
    one = gymnasium.make("firebreak.env:firebreak/Fuelbreak-v0", **SMALL)
    _, info = one.reset(seed=0)
    one.step(int(np.flatnonzero(info["action_mask"])[0]))
    several = gymnasium.make_vec("firebreak.env:firebreak/Fuelbreak-v0", num_envs=2,
                                 vectorization_mode="async", vector_kwargs={"context": "fork"},
                                 **SMALL)
    try:
        several.reset_async(seed=1)
        observations, _ = several.reset_wait(timeout=PATIENCE_S)
        assert observations.shape[0] == 2
    finally:
        several.close(terminate=True)


class Losses(torch.utils.data.Dataset):
    """Losses of one scene, burned where they are asked for."""

    def __init__(self, scene: Scene, fires: Fires) -> None:
        self.scene, self.fires = scene, fires

    def __len__(self) -> int:
        return 3

    def __getitem__(self, k: int) -> torch.Tensor:
        return torch.from_numpy(losses(self.scene, self.fires))


@pytest.mark.skipif(sys.platform != "linux", reason="loaders fork on Linux")
def test_workers_of_a_data_loader_burn_after_their_parent_did(scene: tuple[Scene, Fires]) -> None:
    before = losses(*scene)
    loader = torch.utils.data.DataLoader(Losses(*scene), batch_size=None, num_workers=2,
                                         multiprocessing_context="fork", timeout=PATIENCE_S)
    for made in loader:
        np.testing.assert_array_equal(made.numpy(), before)
