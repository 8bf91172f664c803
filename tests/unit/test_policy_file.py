import pickle
import random
import tracemalloc
import zipfile
from pathlib import Path

import pytest
import torch

from firebreak.agent.network import QMapNetwork
from firebreak.agent.policy_file import FORMAT, _sha256, load_policy, save_policy
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
    network = QMapNetwork(OBSERVATION.channels, 8, OBSERVATION.channel("available"))
    save_policy(tmp_path / "p.pt", network, 8, {})
    observation = torch.rand(2, OBSERVATION.channels, 9, 10)
    assert torch.equal(load_policy(tmp_path / "p.pt").network(observation), network(observation))


@pytest.mark.parametrize(("quantiles", "readable"), [(1, True), (5, False)])
def test_files_of_versions_with_quantiles_are_read_if_they_have_one(
        tmp_path: Path, network, quantiles: int, readable: bool) -> None:
    save_policy(tmp_path / "p.pt", network, 8, {})
    content = torch.load(tmp_path / "p.pt", weights_only=True)
    content["options"] = {"mask_channel": None, "quantiles": quantiles, "risk": 1.0}
    content["sha256"] = _sha256(content)
    torch.save(content, tmp_path / "p.pt")
    if readable:
        assert load_policy(tmp_path / "p.pt").network.options == network.options
    else:
        with pytest.raises(InputError):
            load_policy(tmp_path / "p.pt")


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


def test_every_flipped_bit_leaves_the_same_policy_or_none(tmp_path: Path, network) -> None:
    file = tmp_path / "p.pt"
    save_policy(file, network, 8, {"run": "a"})
    whole, draw = file.read_bytes(), random.Random(2)
    weights = network.state_dict()
    refused = 0
    for _ in range(60):
        broken = bytearray(whole)
        broken[draw.randrange(len(whole))] ^= 1 << draw.randrange(8)
        file.write_bytes(broken)
        try:
            policy = load_policy(file)
        except InputError:
            refused += 1
            continue
        assert policy.provenance == {"run": "a"}  # the bit was of padding
        assert all(torch.equal(t, weights[k]) for k, t in policy.network.state_dict().items())
    assert refused > 30


def test_without_the_zips_own_checksums_a_changed_weight_is_found(tmp_path: Path, network) -> None:
    save_policy(tmp_path / "p.pt", network, 8, {})
    content = torch.load(tmp_path / "p.pt", weights_only=True)
    next(iter(content["weights"].values())).view(-1)[0] += 1e-3
    torch.save(content, tmp_path / "p.pt")
    with pytest.raises(InputError):
        load_policy(tmp_path / "p.pt")


def test_a_policy_of_an_earlier_format_or_without_a_checksum_is_refused(
        tmp_path: Path, network) -> None:
    save_policy(tmp_path / "p.pt", network, 8, {"run": "a"})
    content = torch.load(tmp_path / "p.pt", weights_only=True)
    torch.save(content | {"format": "firebreak-policy-1"}, tmp_path / "old.pt")
    torch.save({k: v for k, v in content.items() if k != "sha256"}, tmp_path / "unchecked.pt")
    for name in ("old.pt", "unchecked.pt"):
        with pytest.raises(InputError, match="firebreak-policy-2"):
            load_policy(tmp_path / name)


def test_a_packed_archive_is_refused_before_it_is_unpacked(tmp_path: Path, network) -> None:
    save_policy(tmp_path / "p.pt", network, 8, {})
    with zipfile.ZipFile(tmp_path / "p.pt") as plain:
        parts = {name: plain.read(name) for name in plain.namelist()}
    with zipfile.ZipFile(tmp_path / "bomb.pt", "w", zipfile.ZIP_DEFLATED) as bomb:
        for name, content in parts.items():
            bomb.writestr(name, bytes(200_000_000) if name.endswith("data/0") else content)
    tracemalloc.start()
    with pytest.raises(InputError):
        load_policy(tmp_path / "bomb.pt")
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()


@pytest.mark.parametrize("change", [
    {"width": 10**9}, {"width": -1}, {"width": "8"}, {"width": 10**40}, {"width": None},
    {"options": {"quantiles": 10**9}}, {"options": {"no": 1}}, {"options": []},
    {"weights": []}, {"weights": {"a": 1}}])
def test_sizes_that_the_weights_contradict_are_refused(tmp_path: Path, network, change) -> None:
    save_policy(tmp_path / "p.pt", network, 8, {})
    content = torch.load(tmp_path / "p.pt", weights_only=True) | change
    if isinstance(content["weights"], dict) and "a" not in content["weights"]:
        content["sha256"] = _sha256(content)
    torch.save(content, tmp_path / "p.pt")
    with pytest.raises(InputError):
        load_policy(tmp_path / "p.pt")


def test_weights_that_are_no_numbers_are_refused(tmp_path: Path, network) -> None:
    with torch.no_grad():
        next(network.parameters()).view(-1)[0] = float("nan")
    save_policy(tmp_path / "p.pt", network, 8, {})
    with pytest.raises(InputError):
        load_policy(tmp_path / "p.pt")
