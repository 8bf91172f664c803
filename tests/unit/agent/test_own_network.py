"""Networks of the user's, in the agent, in policies and in plans."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from firebreak.agent import own_network
from firebreak.agent.dqn import DQNAgent
from firebreak.agent.network import QMapNetwork, network_of, take_over
from firebreak.agent.own_network import MakeNetwork, OwnNetwork, with_network
from firebreak.agent.policy_file import Policy, load_policy, save_policy
from firebreak.checks import InputError
from firebreak.layout import OBSERVATION
from firebreak.settings.agent import AgentSettings


def one_layer(channels: int, width: int, shapes: int) -> nn.Module:
    """The smallest network."""
    return nn.Conv2d(channels, shapes, 1)


@pytest.fixture(autouse=True)
def _known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_network, "_HANDED", {})
    with_network(one_layer, "network")


@pytest.mark.parametrize("segments", [False, True])
def test_it_is_called_as_firebreaks_own_is(segments: bool) -> None:
    settings = AgentSettings(network="one_layer", segments=segments)
    network = network_of(settings)
    like = network_of(AgentSettings(segments=segments))
    seen = torch.rand(2, OBSERVATION.channels, 9, 10)
    values = network(seen)
    assert values.shape == like(seen).shape
    action = torch.tensor([3, values.shape[1] - 1])
    assert torch.equal(network.value_of(seen, action), values[[0, 1], action])
    assert torch.equal(network.values_at(seen, action[:, None]), values.gather(1, action[:, None]))
    part = (slice(2, 5), slice(1, 9))
    assert network(seen, part).shape == like(seen, part).shape
    whole = values.reshape(2, -1, 9, 10)[:, :, *part]
    assert torch.equal(network(seen, part), whole.flatten(1))


def test_values_of_another_shape_are_refused() -> None:
    def halved(channels: int, width: int, shapes: int) -> nn.Module:
        return nn.Conv2d(channels, shapes, 2, stride=2)

    network = OwnNetwork(with_network(halved, "network"), OBSERVATION.channels, 8, 1)
    with pytest.raises(InputError, match=r"network 'halved': expected values of shape \(1, 1, 8"):
        network(torch.rand(1, OBSERVATION.channels, 8, 8))


class Answers(nn.Conv2d):
    """Gives one layer's values as another kind."""

    def __init__(self, channels: int, width: int, shapes: int) -> None:
        super().__init__(channels, shapes, 1)

    def forward(self, input: torch.Tensor) -> Any:
        return (super().forward(input),)


class Whole(Answers):
    """The same as whole numbers."""

    def forward(self, input: torch.Tensor) -> Any:
        return super().forward(input)[0].long()


class Finer(Answers):
    """The same in another precision."""

    def forward(self, input: torch.Tensor) -> Any:
        return super().forward(input)[0].double()


class Detached(Answers):
    """The same, which no gradient reaches."""

    def forward(self, input: torch.Tensor) -> Any:
        return super().forward(input)[0].detach()


class WritesOver(Answers):
    """The same, but the observation is another one afterwards."""

    def forward(self, input: torch.Tensor) -> Any:
        return super().forward(input.relu_())[0]


@pytest.mark.parametrize(("make", "given"), [
    (Answers, "tuple"), (Whole, "torch.int64"), (Finer, "torch.float64"),
    (Detached, "values that do not follow from the parameters"),
    (WritesOver, "an observation written over")])
def test_what_is_no_tensor_of_numbers_is_refused(make: MakeNetwork, given: str) -> None:
    network = OwnNetwork(with_network(make, "network"), OBSERVATION.channels, 8, 1)
    with pytest.raises(InputError, match=rf"expected values of shape \(1, 1, 8, 8\), got {given};"):
        network(torch.rand(1, OBSERVATION.channels, 8, 8))


@pytest.mark.parametrize("made", [
    None, nn.Identity(), nn.LazyConv2d(1, 1), nn.Conv2d(OBSERVATION.channels, 1, 1).double(),
    nn.Conv2d(OBSERVATION.channels, 1, 1).requires_grad_(False)])
def test_what_cannot_learn_is_refused(made: Any) -> None:
    def other(channels: int, width: int, shapes: int) -> Any:
        return made

    with pytest.raises(InputError, match=r"network 'other': expected a torch module with param"):
        OwnNetwork(with_network(other, "network"), OBSERVATION.channels, 8, 1)


@pytest.mark.parametrize("layer", [nn.Dropout(0.1), nn.BatchNorm2d(1), nn.Dropout2d(0.5)])
def test_a_layer_that_acts_otherwise_in_training_is_refused(layer: nn.Module) -> None:
    def drawing(channels: int, width: int, shapes: int) -> nn.Module:
        return nn.Sequential(nn.Conv2d(channels, 1, 1), nn.Sequential(layer))

    with pytest.raises(InputError, match=f"network 'drawing': .* got {type(layer).__name__}; "):
        OwnNetwork(with_network(drawing, "network"), OBSERVATION.channels, 8, 1)


def test_the_weights_of_another_network_of_the_name_are_not_restored() -> None:
    agents = []
    for kernel in (1, 3):
        def named(channels: int, width: int, shapes: int, kernel: int = kernel) -> nn.Module:
            return nn.Conv2d(channels, shapes, kernel, padding=kernel // 2)

        with_network(named, "network")
        agents.append(DQNAgent(AgentSettings(network="named"), 1))
    with pytest.raises(ValueError, match=r"another network: body.weight is .* 1, 1\) in the check"):
        agents[1].restore(agents[0].state())
    agents[1].restore(agents[1].state())


def test_a_policy_finds_its_network_by_its_name(tmp_path: Path,
                                                monkeypatch: pytest.MonkeyPatch) -> None:
    network = network_of(AgentSettings(network="one_layer", width=12))
    file = tmp_path / "policy.safetensors"
    save_policy(file, network, {"run": "a"})
    again = load_policy(file).network
    seen = torch.rand(1, OBSERVATION.channels, 8, 8)
    assert isinstance(again, OwnNetwork)
    assert (again.name, again.width) == ("one_layer", 12)
    assert torch.equal(again(seen), network(seen))
    monkeypatch.setattr(own_network, "_HANDED", {})
    with pytest.raises(InputError, match=rf"{file}: .* got 'one_layer'; install the package"):
        load_policy(file)


def test_the_file_of_firebreaks_own_network_does_not_name_one(tmp_path: Path) -> None:
    file = tmp_path / "policy.safetensors"
    save_policy(file, QMapNetwork(OBSERVATION.channels, 8), {"run": "a"})
    assert b'network' not in file.read_bytes()[:4000]


def test_an_unknown_network_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(InputError, match="did you mean 'one_layer'"):
        network_of(AgentSettings(network="one_layers"))
    with pytest.raises(InputError, match="expected a function with a name"):
        with_network(lambda channels, width, shapes: one_layer(channels, width, shapes), "network")
    with pytest.raises(InputError, match="expected a function with a name"):
        with_network("one_layer", "network")  # type: ignore[arg-type]


def test_the_weights_of_another_network_are_not_taken_over() -> None:
    own = network_of(AgentSettings(network="one_layer", segments=True))
    with pytest.raises(RuntimeError):
        take_over(own, QMapNetwork(OBSERVATION.channels))
    cells = network_of(AgentSettings(network="one_layer"))
    with pytest.raises(RuntimeError):
        take_over(QMapNetwork(OBSERVATION.channels, shapes=2), cells)


@pytest.mark.slow
def test_it_trains_and_its_policy_plans() -> None:
    from firebreak import plan, train_policy

    small = {"landscapes.size": 10, "train.episodes": 16, "train.learning_starts": 24,
             "evaluation.every_episodes": 8, "evaluation.validation_landscapes": 2,
             "evaluation.test_landscapes": 2, "evaluation.test_fires": 20}
    trained = train_policy("quick", set=small, network=one_layer, quiet=True)
    assert isinstance(trained.policy, Policy)
    assert isinstance(trained.policy.network, OwnNetwork)
    made = plan("synthetic:5:12", method="dqn", policy=trained, test_fires=0, quiet=True)
    assert made.plan.cells.size


ASKS = """
import sys, torch
sys.path.insert(0, sys.argv[1])
from firebreak.agent.own_network import OwnNetwork
from firebreak.checks import InputError
for name in ("tiny-net", "broken-net"):
    try:
        print(OwnNetwork(name, 5, 8, 1)(torch.zeros(1, 5, 4, 6)).shape)
    except InputError as error:
        print(error)
"""


@pytest.mark.slow
@pytest.mark.parametrize("broken", [False, True])
def test_an_installed_package_adds_networks(tmp_path: Path, broken: bool) -> None:
    (tmp_path / "tiny.py").write_text("from torch import nn\n"
                                      "def net(channels, width, shapes):\n"
                                      "    return nn.Conv2d(channels, shapes, 1)\n")
    about = tmp_path / "tiny-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[firebreak.networks]\ntiny-net = tiny:net\n" + (
        "broken-net = tiny:nothing\n" if broken else ""))
    done = subprocess.run([sys.executable, "-c", ASKS, str(tmp_path)], capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0, done.stderr
    made, other = done.stdout.splitlines()
    assert made == "torch.Size([1, 24])"
    assert ("tiny 1.0, entry point 'broken-net' of firebreak.networks: expected a function"
            if broken else "expected one of tiny-net, got network 'broken-net'") in other
