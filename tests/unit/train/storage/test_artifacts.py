"""Copies elsewhere: complete when the run ends, retried, counted, never in the run's way."""

import json
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from firebreak.checks import InputError
from firebreak.train.config.schema import ArtifactsConfig
from firebreak.train.storage import artifacts
from firebreak.train.storage.artifacts import Directory, Mirror, mirrored, open_target
from firebreak.train.storage.checkpoints import CHECKPOINTS, latest_checkpoint, save_checkpoint


@pytest.fixture(autouse=True)
def _hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(artifacts, "_SECONDS_BETWEEN_LOOKS", 0.01)
    monkeypatch.setattr(artifacts, "_FIRST_PAUSE_S", 0.001)


class Flaky:
    """A target whose first copies of each file fail."""

    def __init__(self, root: Path, failures: int) -> None:
        self.directory, self.failures = Directory(root), failures
        self.tries: dict[str, int] = {}

    def copy(self, source: Path, name: str) -> None:
        self.tries[name] = self.tries.get(name, 0) + 1
        if self.tries[name] <= self.failures:
            raise ConnectionError("planted")
        self.directory.copy(source, name)

    def remove(self, name: str) -> None:
        self.directory.remove(name)


def write_run(folder: Path) -> None:
    save_checkpoint(folder / CHECKPOINTS, "test", {"value": 1})
    (folder / "policy.safetensors").write_bytes(b"weights")
    (folder / "figures").mkdir()
    (folder / "figures" / "fitness.png").write_bytes(b"picture")
    (folder / "metrics.jsonl").write_text('{"a": 1}\n')


def test_a_directory_holds_everything_when_the_run_has_ended(tmp_path: Path) -> None:
    run, store = tmp_path / "run", tmp_path / "store"
    with mirrored(run, ArtifactsConfig(store=str(store))):
        write_run(run)
        save_checkpoint(run / CHECKPOINTS, "test", {"value": 2})
    names = sorted(p.relative_to(store).as_posix() for p in store.rglob("*") if p.is_file())
    assert {"policy.safetensors", "figures/fitness.png", "metrics.jsonl"} <= set(names)
    assert not [name for name in names if ".tmp" in name or "probe" in name]
    assert latest_checkpoint(store / CHECKPOINTS, "test").load() == {"value": 2}
    report = json.loads((run / "artifacts.json").read_text())
    assert (report["failed"], report["stored"]) == (0, len(names))


def test_a_file_that_changes_is_copied_again(tmp_path: Path) -> None:
    run, store = tmp_path / "run", tmp_path / "store"
    run.mkdir()
    with mirrored(run, ArtifactsConfig(store=str(store))):
        (run / "policy.safetensors").write_bytes(b"first")
        deadline = time.monotonic() + 20.0
        while not (store / "policy.safetensors").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        assert (store / "policy.safetensors").read_bytes() == b"first"
        (run / "policy.safetensors").write_bytes(b"second one")
    assert (store / "policy.safetensors").read_bytes() == b"second one"


def test_an_fsspec_url_is_written_too(tmp_path: Path) -> None:
    import fsspec

    run = tmp_path / "run"
    run.mkdir()
    with mirrored(run, ArtifactsConfig(store="memory://bucket/run")):
        write_run(run)
    system = fsspec.filesystem("memory")
    assert system.cat("/bucket/run/policy.safetensors") == b"weights"
    assert not system.exists("/bucket/run/.firebreak-probe")
    system.rm("/bucket", recursive=True)


@pytest.mark.parametrize(("failures", "failed"), [(2, 0), (3, 1)])
def test_a_failing_copy_is_tried_three_times_and_counted(
        tmp_path: Path, failures: int, failed: int) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (run / "policy.safetensors").write_bytes(b"weights")
    target = Flaky(tmp_path / "store", failures)
    mirror = Mirror(run, target, ArtifactsConfig(store="flaky"))
    mirror.close()
    assert target.tries["policy.safetensors"] == 3
    assert mirror.report() == {"store": "flaky", "stored": 1 - failed, "failed": failed,
                               "retried": 2, "reason": "planted"}


def test_a_store_that_hangs_holds_the_run_up_no_longer_than_allowed(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (run / "policy.safetensors").write_bytes(b"weights")
    (run / "report.html").write_bytes(b"page")
    released = threading.Event()

    class Hanging(Flaky):
        def copy(self, source: Path, name: str) -> None:
            released.wait(30.0)
    mirror = Mirror(run, Hanging(tmp_path, 0), ArtifactsConfig(store="hanging", drain_s=0.0))
    mirror.close()
    assert mirror.failed >= 1
    assert "no time left" in mirror.reason
    released.set()


def test_no_more_files_wait_than_the_queue_holds(tmp_path: Path) -> None:
    for k in range(30):
        (tmp_path / f"{k:02}.txt").write_text("x")
    taken: list[int] = []

    class Counting(Mirror):
        def _copy_all(self, names: list[str]) -> None:
            taken.append(len(names))
            super()._copy_all(names)
    mirror = Counting(tmp_path, Directory(tmp_path / "store"),
                      ArtifactsConfig(store="x", queue=4))
    mirror.close()
    assert max(taken) == 4
    assert mirror.stored == 30


@pytest.mark.parametrize(("store", "text"), [
    ("{file}/below", "a store that can be written"),
    ("nonsense://x/y", "a kind that fsspec can open here"),
    ("s3://bucket/x", "install its library")])
def test_a_store_that_cannot_be_written_is_one_sentence(
        tmp_path: Path, store: str, text: str) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(InputError, match=text) as caught:
        open_target(store.format(file=tmp_path / "file"))
    assert "\n" not in str(caught.value)


def test_without_a_store_nothing_is_started(tmp_path: Path) -> None:
    before = threading.active_count()
    with mirrored(tmp_path, ArtifactsConfig()) as mirror:
        assert mirror is None
        assert threading.active_count() == before
    assert not list(tmp_path.iterdir())


def test_a_manifest_is_copied_after_what_it_speaks_for(tmp_path: Path) -> None:
    save_checkpoint(tmp_path / CHECKPOINTS, "test", {"value": 1})
    order: list[str] = []

    class Recording:
        def copy(self, source: Path, name: str) -> None:
            order.append(source.name)

        def remove(self, name: str) -> None:
            return
    target: Any = Recording()
    Mirror(tmp_path, target, ArtifactsConfig(store="x")).close()
    assert order[-1] == "manifest.json"
    assert len(order) == 3
