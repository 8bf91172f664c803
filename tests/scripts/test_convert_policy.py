"""Policy files of earlier versions: refused in one sentence, and converted by a script at little
cost.
"""

import resource
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
import torch

from firebreak.agent.network import QMapNetwork
from firebreak.agent.policy_file import load_policy, save_policy
from firebreak.checks import InputError
from firebreak.cli import main
from firebreak.layout import OBSERVATION
from firebreak.line_actions import SHAPES
from old_policies import old_content, save_old_policy, sealed

SCRIPT = Path(__file__).parents[2] / "scripts" / "convert_policy.py"
MAX_SECONDS, MAX_MEMORY = 10, 512 << 20


def convert(old: Path, new: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(SCRIPT), str(old), str(new)], text=True,
                          capture_output=True)


@pytest.fixture
def network() -> QMapNetwork:
    torch.manual_seed(3)
    return QMapNetwork(OBSERVATION.channels, 8)


PROVENANCE = {"run": "a", "config": "seed = 0", "validation_reduction": 0.1 + 0.2, "episodes": 3}


def pickled(path: Path, content: bytes, **storages: bytes) -> Path:
    """An archive like torch's with any pickle."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("p/data.pkl", content)
        for name, numbers in storages.items():
            archive.writestr(f"p/data/{name}", numbers)
    return path


def with_content(path: Path, **changes: Any) -> Path:
    """A policy with other parts, and the checksum that belongs to them."""
    content = old_content(QMapNetwork(OBSERVATION.channels, 8), 8, dict(PROVENANCE))
    torch.save(sealed(content | changes), path)
    return path


def strides(path: Path) -> Path:
    """Weights of 2 ** 31 numbers, all of them the same one."""
    content = old_content(QMapNetwork(OBSERVATION.channels, 8), 8, {})
    content["weights"] = {"stem.bias": torch.zeros(1).expand(2**31)}
    torch.save(content, path)
    return path


def doubled(path: Path) -> Path:
    """A provenance that is a list of 2 ** 40 numbers by references."""
    held: list[Any] = [0]
    for _ in range(40):
        held = [held, held]
    content = old_content(QMapNetwork(OBSERVATION.channels, 8), 8, {})
    torch.save(content | {"provenance": held}, path)
    return path


def itself(path: Path) -> Path:
    """A provenance that holds itself."""
    held: list[Any] = []
    held.append(held)
    content = old_content(QMapNetwork(OBSERVATION.channels, 8), 8, {})
    torch.save(content | {"provenance": {"a": held}}, path)
    return path


class Payload:
    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self):
        return Path.touch, (self.mark,)


def code(path: Path) -> Path:
    """A pickle that touches a file."""
    torch.save({"format": "firebreak-policy-2", "weights": Payload(path.with_name("ran"))}, path)
    return path


def cut(path: Path) -> Path:
    """The first half of a policy."""
    whole = with_content(path).read_bytes()
    path.write_bytes(whole[:len(whole) // 2])
    return path


def noise(path: Path) -> Path:
    """Random bytes after the first four."""
    path.write_bytes(b"PK\3\4" + bytes(torch.randint(0, 256, (5000,)).tolist()))
    return path


def packed(path: Path) -> Path:
    """A compressed archive of 200 MB of zeros."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as bomb:
        bomb.writestr("p/data.pkl", bytes(200_000_000))
    return path


HOSTILE = {
    "strides": strides, "doubled list": doubled, "list in itself": itself, "code": code,
    "cut": cut, "noise": noise, "packed": packed,
    "channels that are a number": lambda path: with_content(path, channels=5),
    "channels that are text": lambda path: with_content(path, channels="abc"),
    "a configuration that is a dict": lambda path: with_content(
        path, provenance={"config": {"breaks": {}}}),
    "provenance that is a list": lambda path: with_content(path, provenance=[1]),
    "a provenance of NaN": lambda path: with_content(path, provenance={"a": float("nan")}),
    "much text": lambda path: with_content(path, provenance={"config": "a" * 3_000_000}),
    "a width of no end": lambda path: with_content(path, width=10**40),
    "a width below 0": lambda path: with_content(path, width=-1),
    "another width": lambda path: with_content(path, width=16),
    "options that are a list": lambda path: with_content(path, options=[]),
    "an unknown option": lambda path: with_content(path, options={"no": 1}),
    "many quantiles": lambda path: with_content(path, options={"quantiles": 10**9}),
    "no weights": lambda path: with_content(path, weights={}),
    "weights of 8 bytes": lambda path: with_content(path, weights={
        name: tensor.double()
        for name, tensor in QMapNetwork(OBSERVATION.channels, 8).state_dict().items()}),
    "a memo of 2 ** 31": lambda path: pickled(path, b"\x80\x02Nr\xff\xff\xff\x7f."),
    "nested lists": lambda path: pickled(path, b"\x80\x02" + b"(" * 3_000_000),
    "a number of 2 GB": lambda path: pickled(path, b"\x80\x02\x8b\xff\xff\xff\x7f."),
    "a storage outside": lambda path: pickled(
        path, b"\x80\x02(X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x0b\x00\x00\x00"
        b"../../x/y/zX\x03\x00\x00\x00cpuK\x01tQ."),
    "nothing": lambda path: pickled(path, b""),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused_in_one_sentence_at_little_cost(
        name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By the script, or where the network that it describes is not that of its weights."""
    file, new = HOSTILE[name](tmp_path / "p.pt"), tmp_path / "new.safetensors"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = convert(file, new)
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode in (0, 2)
    if done.returncode == 0:
        with pytest.raises(InputError, match="expected a policy"):
            load_policy(new)
    else:
        assert len(done.stderr.splitlines()) == 1
        assert "expected a policy" in done.stderr
        assert str(file) in done.stderr
        assert sorted(path.name for path in tmp_path.iterdir()) == ["p.pt"]
    assert not (tmp_path / "ran").exists()
    assert spent.ru_utime - before.ru_utime < MAX_SECONDS + 1
    assert main(["plan", "synthetic:1:16", "--policy", str(file), "--out", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1
    assert "scripts/convert_policy.py" in said
    assert "last in version 1.0" in said


MEASURED = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
print(code != 0, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)
"""
"""A small process that starts the reader and tells whether it refused, and the memory that it took:
a child of a large one is counted with what its parent had.
"""


@pytest.mark.parametrize("name", ["strides", "doubled list", "a memo of 2 ** 31", "nested lists",
                                  "a number of 2 GB", "packed"])
def test_no_file_takes_more_memory_than_the_reader_may_have(name: str, tmp_path: Path) -> None:
    file = HOSTILE[name](tmp_path / "p.pt")
    done = subprocess.run(
        [sys.executable, "-S", "-c", MEASURED, sys.executable, str(SCRIPT), str(file),
         str(tmp_path / "new")], capture_output=True, text=True, check=True)
    refused, taken = done.stdout.split()
    assert refused == "True"
    assert int(taken) < MAX_MEMORY


@pytest.mark.slow
def test_what_takes_too_long_is_ended(tmp_path: Path) -> None:
    # The keys of a dict: whole numbers that all have the hash 0.
    numbers = b"".join(b"\x8a\x0a" + (k * (2**61 - 1)).to_bytes(10, "little") + b"N"
                       for k in range(120_000))
    file = pickled(tmp_path / "slow.pt", b"\x80\x02}(" + numbers + b"u.")
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    assert "more than 10 s" in convert(file, tmp_path / "new").stderr
    assert 9.0 < resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before < 11.5


@pytest.mark.parametrize("options", [(), (SHAPES,)])
def test_an_old_policy_comes_back_as_it_was(tmp_path: Path, options: tuple[Any, ...]) -> None:
    """From a file or the folder of a run, as the file that is written today."""
    network = QMapNetwork(OBSERVATION.channels, 8, *options)
    old = save_old_policy(tmp_path / "policy.pt", network, 8, PROVENANCE)
    save_policy(tmp_path / "direct", network, PROVENANCE)
    for given in (old, tmp_path):
        new = tmp_path / "new.safetensors"
        assert convert(given, new).stdout == f"{new}\n"
        assert new.read_bytes() == (tmp_path / "direct").read_bytes()
        new.unlink()


@pytest.mark.parametrize(("quantiles", "readable"), [(1, True), (5, False)])
def test_files_of_versions_with_quantiles_are_read_if_they_have_one(
        tmp_path: Path, quantiles: int, readable: bool) -> None:
    file = with_content(tmp_path / "p.pt", options={
        "mask_channel": None, "quantiles": quantiles, "risk": 1.0})
    assert convert(file, tmp_path / "new").returncode == 0
    if readable:
        assert load_policy(tmp_path / "new").network.shapes == 1
    else:
        with pytest.raises(InputError):
            load_policy(tmp_path / "new")


def test_an_old_policy_for_another_layout_is_refused(tmp_path: Path) -> None:
    convert(with_content(tmp_path / "p.pt", channels=["a", "b"]), tmp_path / "new")
    with pytest.raises(InputError, match="layout"):
        load_policy(tmp_path / "new")


def test_a_changed_weight_and_a_missing_checksum_are_found(tmp_path: Path, network) -> None:
    content = old_content(network, 8, {})
    content["weights"]["stem.bias"][0] += 1e-3
    torch.save(content, tmp_path / "changed.pt")
    del content["sha256"]
    torch.save(content, tmp_path / "unchecked.pt")
    torch.save(content | {"format": "firebreak-policy-1"}, tmp_path / "older.pt")
    for name in ("changed", "unchecked", "older"):
        assert "firebreak-policy-2" in convert(tmp_path / f"{name}.pt", tmp_path / "new").stderr


def test_a_folder_with_both_is_read_from_the_new_file(tmp_path: Path, network) -> None:
    save_old_policy(tmp_path / "policy.pt", network, 8, {"run": "old"})
    save_policy(tmp_path / "policy.safetensors", network, {"run": "new"})
    assert load_policy(tmp_path).provenance == {"run": "new"}


@pytest.mark.parametrize(("arguments", "reason"), [
    (["segments.safetensors", "new"], "expected a policy of format firebreak-policy-2"),
    (["none.pt", "new"], "no such file"), (["large.pt", "new"], "expected a policy"),
    (["policy.pt", "."], "a folder that exists"), (["policy.pt", "policy.pt"], "another file"),
    (["policy.pt", "no/new"], "a folder that exists")])
def test_a_conversion_that_cannot_be_is_one_sentence(
        arguments: list[str], reason: str, tmp_path: Path, network, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    save_old_policy(Path("policy.pt"), network, 8, {})
    save_policy(Path("segments.safetensors"), network, {})
    with Path("large.pt").open("wb") as file:
        file.write(b"PK\3\4")
        file.truncate(1 << 30)
    done = convert(*map(Path, arguments))
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert reason in done.stderr
    assert not Path("new").exists()


def test_the_command_that_converted_says_what_does_now(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["policy", "convert", "old.pt", "new"]) == 2
    assert "scripts/convert_policy.py" in capsys.readouterr().err
