"""Saved folders: what goes in comes out, damage anywhere is found, nothing in them can run."""

import errno
import json
import os
import pickle
import random
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from firebreak.checks import InputError
from firebreak.tensor_file import KINDS, Damaged
from firebreak.train.storage import store
from firebreak.train.storage.checkpoints import checkpoints_of, latest_checkpoint, save_checkpoint
from firebreak.train.storage.store import (
    MANIFEST,
    STATE,
    TENSORS,
    open_folder,
    remove_folder,
    sweep,
    write_folder,
)

TREE = {"agent": {"w": torch.arange(6.0).reshape(2, 3), "b": torch.tensor(3, dtype=torch.int64)},
        "arenas": [{"bits": torch.tensor([True, False, True])}, {"none": torch.empty(0, 4)}],
        "optimizer": {0: {"step": 1.5}, 10: {"m": torch.tensor([0.1, -0.0])}},
        "best": None, "loss": 0.1 + 0.2, "name": "Süd\n", "steps": 2**60}


def same(one: Any, other: Any) -> bool:
    if isinstance(one, torch.Tensor):
        return (one.dtype == other.dtype and one.shape == other.shape
                and one.numpy().tobytes() == other.numpy().tobytes())
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[k], other[k]) for k in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and one == other


def sorted_tree(tree: Any) -> Any:
    if isinstance(tree, dict):
        return {k: sorted_tree(tree[k]) for k in sorted(tree, key=str)}
    return [sorted_tree(v) for v in tree] if isinstance(tree, list) else tree


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    write_folder(tmp_path / "s", "run", TREE)
    return tmp_path / "s"


def test_what_is_saved_comes_back_bit_for_bit(saved: Path) -> None:
    assert same(open_folder(saved, "run").load(), sorted_tree(TREE))
    assert [p.name for p in saved.parent.iterdir()] == ["s"]


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_any_kind_and_shape_comes_back(tmp_path_factory: pytest.TempPathFactory, data) -> None:
    kind = data.draw(st.sampled_from(sorted(KINDS.values(), key=str)))
    shape = data.draw(st.lists(st.integers(0, 4), max_size=4))
    raw = np.frombuffer(data.draw(st.randoms(use_true_random=False)).randbytes(8 * 4**4), np.uint8)
    count = int(np.prod(shape, dtype=int)) * kind.itemsize
    tensor = torch.tensor(raw[:count] % 2 if kind == torch.bool else raw[:count])
    tensor = tensor.view(kind).reshape(shape)
    if len(shape) > 1:
        tensor = tensor.transpose(0, 1)
    folder = tmp_path_factory.mktemp("any") / "s"
    write_folder(folder, "k", {"t": tensor})
    back = open_folder(folder, "k").load()["t"]
    assert back.dtype == tensor.dtype
    assert back.contiguous().view(-1).view(torch.uint8).equal(
        tensor.contiguous().view(-1).view(torch.uint8)) or not tensor.numel()


def test_the_tensor_file_is_one_that_safetensors_reads(saved: Path) -> None:
    library = pytest.importorskip("safetensors.torch")
    read = library.load_file(saved / TENSORS)
    assert read["agent/w"].equal(TREE["agent"]["w"])


def test_tensors_are_read_into_memory_that_is_there(saved: Path) -> None:
    room = torch.zeros(2, 3)
    tree = open_folder(saved, "run").load({"agent/w": room})
    assert tree["agent"]["w"] is room
    assert room.equal(TREE["agent"]["w"])
    for wrong in (torch.zeros(3, 2), torch.zeros(2, 3, dtype=torch.int32)):
        with pytest.raises(ValueError, match="agent/w"):
            open_folder(saved, "run").load({"agent/w": wrong})
    with pytest.raises(ValueError, match="nothing"):
        open_folder(saved, "run").load({"agent/v": room})


def test_every_flipped_bit_is_found(saved: Path) -> None:
    draw = random.Random(4)
    for path in sorted(saved.iterdir()):
        content = path.read_bytes()
        every = [(at, bit) for at in range(len(content)) for bit in range(8)]
        for at, bit in draw.sample(every, min(150, len(every))):
            broken = bytearray(content)
            broken[at] ^= 1 << bit
            path.write_bytes(broken)
            with pytest.raises(Damaged):
                open_folder(saved, "run")
        path.write_bytes(content)
    open_folder(saved, "run")


def test_every_truncation_and_every_missing_file_is_found(saved: Path) -> None:
    for path in sorted(saved.iterdir()):
        content = path.read_bytes()
        for length in {*range(0, len(content), 7), len(content) - 1}:
            path.write_bytes(content[:length])
            with pytest.raises(Damaged):
                open_folder(saved, "run")
        path.write_bytes(content + b" ")
        with pytest.raises(Damaged):
            open_folder(saved, "run")
        path.unlink()
        with pytest.raises(Damaged, match=path.name):
            open_folder(saved, "run")
        path.write_bytes(content)


def forged(folder: Path, **files: bytes) -> None:
    """A folder whose checksums are right, with other content than was ever written."""
    names = {"state": STATE, "tensors": TENSORS}
    for key, content in files.items():
        (folder / names[key]).write_bytes(content)
    listed = {name: {"bytes": (folder / name).stat().st_size, "sha256": store._sha256(
        (folder / name).read_bytes()).decode()} for name in names.values()}
    manifest(folder, files=listed)


def manifest(folder: Path, **changes: Any) -> None:
    content = json.loads((folder / MANIFEST).read_bytes().splitlines()[0])
    head = json.dumps({**content, **changes}).encode() + b"\n"
    (folder / MANIFEST).write_bytes(head + store._sha256(head))


def tensor_file(header: Any, data: bytes = b"") -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


ENTRY = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}


class Planted:
    """Runs when it is unpickled."""

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return os.mkdir, ("ran",)


@pytest.mark.parametrize("content", [
    pickle.dumps(Planted()), b"", b"\xff" * 8, (2**63).to_bytes(8, "little") + b"{}",
    tensor_file(b"[" * 100_000), tensor_file([]), tensor_file({"a": 1}),
    tensor_file({"a": {**ENTRY, "shape": [2**40], "data_offsets": [0, 2**42]}}, bytes(8)),
    tensor_file({"a": {**ENTRY, "shape": [2**62, 2**62, 0], "data_offsets": [0, 0]}}),
    tensor_file({"a": {**ENTRY, "shape": [2**40 - 1] * 100_000}}),  # their product takes minutes
    tensor_file({"a": {**ENTRY, "shape": [10**4000] * 3}}),
    tensor_file({"a": {**ENTRY, "shape": [1] * 100_000 + [2]}}, bytes(8)),
    tensor_file({"a": {"dtype": "BOOL", "shape": [8], "data_offsets": [0, 8]}}, b"\2" * 8),
    tensor_file({"a": {**ENTRY, "shape": [-2]}}, bytes(8)),
    tensor_file({"a": {**ENTRY, "shape": [2.0]}}, bytes(8)),
    tensor_file({"a": {**ENTRY, "shape": "2"}}, bytes(8)),
    tensor_file({"a": {**ENTRY, "dtype": "O"}}, bytes(8)),
    tensor_file({"a": {**ENTRY, "dtype": ["F32"]}}, bytes(8)),
    tensor_file({"a": {**ENTRY, "data_offsets": [-8, 0]}}, bytes(8)),
    tensor_file({"a": {**ENTRY, "data_offsets": ["0", "8"]}}, bytes(8)),
    tensor_file({"a": ENTRY, "b": ENTRY}, bytes(8)),
    tensor_file({"a": ENTRY}, bytes(16)),
])
def test_a_forged_tensor_file_is_refused_before_memory_is_asked_for(
        saved: Path, content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(saved.parent)
    forged(saved, tensors=content)
    tracemalloc.start()
    with pytest.raises(Damaged):
        open_folder(saved, "run").load()
    assert tracemalloc.get_traced_memory()[1] < 20_000_000
    tracemalloc.stop()
    assert not Path("ran").exists()


@pytest.mark.parametrize("content", [
    pickle.dumps(Planted()), b"{", b"[" * 100_000, b"\xff\xfe", b'{"a": {"$tensor": "b"}}',
    b'{"a": {"$tensor": []}}', b'{"a": {"$numbered": {"x": 1}}}'])
def test_a_forged_state_is_refused(saved: Path, content: bytes) -> None:
    forged(saved, state=content)
    with pytest.raises(Damaged):
        open_folder(saved, "run").load()


def test_a_newer_schema_and_another_kind_are_named(saved: Path) -> None:
    with pytest.raises(InputError, match="kind 'shard', got 'run'"):
        open_folder(saved, "shard")
    manifest(saved, schema=2)
    with pytest.raises(InputError, match="schema 1 or older, got schema 2"):
        open_folder(saved, "run")


def test_a_link_or_a_pipe_in_place_of_a_file_is_refused(saved: Path, tmp_path: Path) -> None:
    (saved / STATE).rename(tmp_path / "elsewhere")
    (saved / STATE).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Damaged):
        open_folder(saved, "run")
    (saved / STATE).unlink()
    os.mkfifo(saved / STATE)
    with pytest.raises(Damaged, match="not a file"):
        open_folder(saved, "run")


def test_saving_copies_no_large_tensor(tmp_path: Path) -> None:
    large = {"replay": torch.zeros(40_000_000, dtype=torch.uint8)}
    before = _peak_rss()
    write_folder(tmp_path / "s", "run", large)
    room = {"replay": torch.zeros_like(large["replay"])}
    level = _peak_rss()
    open_folder(tmp_path / "s", "run").load(room)
    assert level - before < 40_000_000 * 1.05 + 4_000_000  # the room itself
    assert _peak_rss() - level < 40_000_000 * 0.05 + 4_000_000


def _peak_rss() -> int:
    from firebreak.memory.process import peak_rss_bytes

    return peak_rss_bytes()


def test_a_full_disk_leaves_the_earlier_folder_and_nothing_else(
        saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.fsync
    for failing in range(5):
        calls = iter(range(100))

        def full(handle: int, calls=calls, failing=failing) -> None:
            if next(calls) == failing:
                raise OSError(errno.ENOSPC, "No space left on device")
            real(handle)
        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space"):
            write_folder(saved.parent / "t", "run", TREE)
        if failing < 4:  # the last one is after the renaming
            assert [p.name for p in saved.parent.iterdir()] == ["s"]
    monkeypatch.setattr(os, "fsync", real)
    assert same(open_folder(saved, "run").load(), sorted_tree(TREE))
    assert same(open_folder(saved.parent / "t", "run").load(), sorted_tree(TREE))


def test_leftovers_are_swept(saved: Path) -> None:
    root = saved.parent
    (root / ".writing-00000002-1").mkdir()
    (root / ".writing-00000002-1" / STATE).write_text("{")
    (root / ".deleting-00000001-1").mkdir()
    assert [p.name for p in sweep(root)] == [".deleting-00000001-1", ".writing-00000002-1"]
    assert [p.name for p in root.iterdir()] == ["s"]
    remove_folder(saved)
    assert not list(root.iterdir())
    assert sweep(root / "missing") == []


def test_the_last_ones_and_the_best_are_kept(tmp_path: Path) -> None:
    for number in range(1, 8):
        save_checkpoint(tmp_path, "run", {"n": number}, best=number in (2, 4), keep=2)
    assert [p.name for p in checkpoints_of(tmp_path)] == ["00000004-best", "00000006", "00000007"]
    assert latest_checkpoint(tmp_path, "run").load() == {"n": 7}


def test_folders_of_a_user_are_no_checkpoints(tmp_path: Path) -> None:
    """Dates are names of eight digits too."""
    for name in ("20261126", "00000002"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "notes.txt").write_text("my own")
    assert checkpoints_of(tmp_path) == []
    for turn in range(5):
        save_checkpoint(tmp_path, "run", {"turn": turn})
    assert [path.name for path in checkpoints_of(tmp_path)] == ["00000005", "00000006"]
    assert all((tmp_path / name / "notes.txt").is_file() for name in ("20261126", "00000002"))


FOREIGN = {
    "a manifest of another program": {MANIFEST: b'{"name": "my web app"}', "notes.txt": b"own"},
    "nothing but that": {MANIFEST: b'{"name": "my web app"}'},
    "all three names": {MANIFEST: b'{"version": 2}', STATE: b"{}", TENSORS: b"weights"},
    "a state of another program": {STATE: b'{"open": true}'},
    "tensors of another program": {TENSORS: b"weights"},
    "a manifest that is empty": {MANIFEST: b"", "index.html": b"<p>"},
    "nothing": {},
}


@pytest.mark.parametrize("name", FOREIGN)
def test_a_folder_of_another_program_is_not_numbered_from_nor_removed(
        name: str, tmp_path: Path) -> None:
    """Its name may be a number, and its files may have the names of ours."""
    for folder in ("20261126", "00000002", ".writing-site", ".deleting-00000001-x"):
        (tmp_path / folder).mkdir()
        for file, content in FOREIGN[name].items():
            (tmp_path / folder / file).write_bytes(content)
    before = {path for path in tmp_path.rglob("*")}
    for turn in range(4):
        assert sweep(tmp_path) == []
        save_checkpoint(tmp_path, "run", {"turn": turn})
    assert [path.name for path in checkpoints_of(tmp_path)] == ["00000004", "00000005"]
    assert before <= {path for path in tmp_path.rglob("*")}
    remove_folder(tmp_path / "20261126")
    assert before <= {path for path in tmp_path.rglob("*")}
    assert latest_checkpoint(tmp_path, "run").load() == {"turn": 3}


def test_a_checkpoint_with_something_of_a_user_in_it_is_read_and_never_removed(
        tmp_path: Path) -> None:
    save_checkpoint(tmp_path, "run", {"turn": 0})
    (tmp_path / "00000001" / "notes.txt").write_text("own")
    assert latest_checkpoint(tmp_path, "run").load() == {"turn": 0}
    for turn in range(1, 5):
        save_checkpoint(tmp_path, "run", {"turn": turn})
    assert [path.name for path in checkpoints_of(tmp_path)] == ["00000001", "00000004", "00000005"]
    assert (tmp_path / "00000001" / "notes.txt").is_file()


@pytest.mark.parametrize("name", [".writing-00000002-1", ".deleting-00000002-1"])
def test_leftovers_with_something_of_a_user_in_them_stay(name: str, tmp_path: Path) -> None:
    for file, content in ((STATE, "{}"), (MANIFEST, '{"name": "my web app"}')):
        (tmp_path / name).mkdir(exist_ok=True)
        (tmp_path / name / file).write_text(content)
    assert sweep(tmp_path) == []
    (tmp_path / name / MANIFEST).write_text('{"files": {"sta')  # one of ours, cut short
    (tmp_path / name / "pages").mkdir()
    assert sweep(tmp_path) == []
    (tmp_path / name / "pages").rmdir()
    assert [path.name for path in sweep(tmp_path)] == [name]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("damage", [
    lambda content: b"", lambda content: content[:40], lambda content: content[50:],
    lambda content: bytes([content[0] ^ 4]) + content[1:],
    lambda content: content.replace(b"firebreak", b"firebrebk")])
def test_a_checkpoint_with_a_damaged_manifest_is_stepped_over(damage: Any, tmp_path: Path) -> None:
    for turn in range(2):
        save_checkpoint(tmp_path, "run", {"turn": turn})
    manifest = tmp_path / "00000002" / MANIFEST
    manifest.write_bytes(damage(manifest.read_bytes()))
    with pytest.warns(UserWarning, match=r"00000002/manifest\.json.*00000001 is used"):
        assert latest_checkpoint(tmp_path, "run").load() == {"turn": 0}
    for turn in range(2, 5):
        save_checkpoint(tmp_path, "run", {"turn": turn})
    assert [path.name for path in checkpoints_of(tmp_path)] == ["00000004", "00000005"]


def test_a_link_with_the_name_of_a_checkpoint_stays(tmp_path: Path) -> None:
    root = tmp_path / "root"
    save_checkpoint(tmp_path / "elsewhere", "run", {"turn": 0})
    root.mkdir()
    (root / "00000001").symlink_to(tmp_path / "elsewhere" / "00000001")
    for turn in range(1, 5):
        save_checkpoint(root, "run", {"turn": turn})
    assert (root / "00000001").is_symlink()
    assert latest_checkpoint(tmp_path / "elsewhere", "run").load() == {"turn": 0}


def test_a_damaged_checkpoint_is_named_and_the_one_before_is_used(tmp_path: Path) -> None:
    for number in range(3):
        save_checkpoint(tmp_path, "run", {"n": number})
    (tmp_path / "00000003" / STATE).write_text("{}")
    with pytest.warns(UserWarning, match=r"00000003/state\.json.*00000002 is used"):
        saved = latest_checkpoint(tmp_path, "run")
    assert saved.load() == {"n": 1}
    save_checkpoint(tmp_path, "run", {"n": 9})
    assert latest_checkpoint(tmp_path, "run").load() == {"n": 9}


def test_without_a_whole_checkpoint_it_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="none there"):
        latest_checkpoint(tmp_path / "nowhere", "run")
    save_checkpoint(tmp_path, "run", {})
    (tmp_path / "00000001" / MANIFEST).unlink()
    with pytest.raises(InputError, match="an undamaged checkpoint among 1, got damaged ones only"):
        latest_checkpoint(tmp_path, "run")


def test_only_what_json_can_say_is_saved(tmp_path: Path) -> None:
    for wrong in ({"a": float("nan")}, {"a": object()}, {"a/b": 1}, {1: 1, "a": 2}, {"$x": 1}):
        with pytest.raises((TypeError, ValueError)):
            write_folder(tmp_path / "s", "run", wrong)
    assert not list(tmp_path.iterdir())
