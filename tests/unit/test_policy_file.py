import pickle
from pathlib import Path

import pytest
import torch

from firebreak.agent.network import QMapNetwork
from firebreak.agent.policy_file import FORMAT, load_policy, save_policy
from firebreak.checks import InputError
from firebreak.layout import OBSERVATION


@pytest.fixture
def network() -> QMapNetwork:
    torch.manual_seed(3)
    return QMapNetwork(OBSERVATION.channels, 8)


def test_a_policy_comes_back_as_it_was(tmp_path: Path, network) -> None:
    provenance = {"run": "a", "episodes": 300, "config": {"width": 8}}
    save_policy(tmp_path / "policy.pt", network, 8, provenance)
    for path in (tmp_path / "policy.pt", tmp_path):  # the file, or its run folder
        policy = load_policy(path)
        assert policy.provenance == provenance
        assert not policy.network.training
        observation = torch.rand(2, OBSERVATION.channels, 9, 10)
        assert torch.equal(policy.network(observation), network(observation))
    assert [p.name for p in tmp_path.iterdir()] == ["policy.pt"]


def test_a_policy_of_other_options_comes_back_as_it_was(tmp_path: Path) -> None:
    network = QMapNetwork(OBSERVATION.channels, 8, OBSERVATION.channel("available"), 5, 0.4)
    save_policy(tmp_path / "p.pt", network, 8, {})
    observation = torch.rand(2, OBSERVATION.channels, 9, 10)
    assert torch.equal(load_policy(tmp_path / "p.pt").network(observation), network(observation))


def test_a_policy_for_another_layout_is_refused(tmp_path: Path, network, monkeypatch) -> None:
    other = OBSERVATION._replace(static=OBSERVATION.static[::-1])
    monkeypatch.setattr("firebreak.agent.policy_file.OBSERVATION", other)
    save_policy(tmp_path / "p.pt", network, 8, {})
    monkeypatch.undo()
    with pytest.raises(InputError, match="layout"):
        load_policy(tmp_path / "p.pt")


def test_no_file_is_named_with_a_remedy(tmp_path: Path) -> None:
    for path in (tmp_path / "none.pt", tmp_path):
        with pytest.raises(InputError, match="firebreak train"):
            load_policy(path)


def test_damaged_files_are_refused(tmp_path: Path, network) -> None:
    file = tmp_path / "p.pt"
    save_policy(file, network, 8, {})
    whole = file.read_bytes()
    for content in (b"", b"not a policy", whole[:len(whole) // 2], whole[:100], whole[500:],
                    bytes(len(whole)), b"II*\0" + bytes(50)):
        file.write_bytes(content)
        with pytest.raises(InputError):
            load_policy(file)


@pytest.mark.parametrize("content", [
    [1, 2], {"format": "other"}, {"format": FORMAT}, {"format": FORMAT, "channels": None},
    {"format": FORMAT, "channels": list(OBSERVATION.names)},
    {"format": FORMAT, "channels": list(OBSERVATION.names), "width": 8, "weights": {},
     "provenance": {}}])
def test_files_that_hold_something_else_are_refused(tmp_path: Path, content) -> None:
    torch.save(content, tmp_path / "p.pt")
    with pytest.raises(InputError):
        load_policy(tmp_path / "p.pt")


class Payload:
    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self):
        return Path.touch, (self.file,)


@pytest.mark.parametrize("zipped", [True, False])
def test_a_pickle_with_code_is_refused_and_not_run(tmp_path: Path, zipped: bool) -> None:
    payload = {"format": FORMAT, "weights": Payload(tmp_path / "run")}
    if zipped:
        torch.save(payload, tmp_path / "p.pt")
    else:
        (tmp_path / "p.pt").write_bytes(pickle.dumps(payload, protocol=2))
    with pytest.raises(InputError):
        load_policy(tmp_path / "p.pt")
    assert not (tmp_path / "run").exists()
