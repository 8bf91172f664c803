"""Every writer on a disk that fills: an old file intact or a new one, exit 3, one sentence."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from faults.disks import can_mount
from faults.full_disks import walk_all
from faults.writers import writers

pytest.importorskip("resource")


def kinds(folder: Path) -> list[str]:
    (folder / "mount").mkdir()
    return ["limit", "disk"] if can_mount(folder / "mount") else ["limit"]


@pytest.fixture(name="inputs")
def made_inputs(tmp_path: Path) -> Path:
    folder = tmp_path / "inputs"
    folder.mkdir()
    return folder


@pytest.mark.slow
def test_a_disk_that_is_full_early_or_late_loses_nothing(tmp_path: Path, inputs: Path) -> None:
    made = writers(inputs)
    found = walk_all(made, tmp_path, kinds(tmp_path), few=True)
    assert not found.bad, "\n".join(found.bad)
    assert found.tried >= 3 * len(made)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_a_disk_that_is_full_after_every_page_loses_nothing(tmp_path: Path, inputs: Path) -> None:
    made = writers(inputs)
    found = walk_all(made, tmp_path, kinds(tmp_path), few=False)
    assert not found.bad, "\n".join(found.bad)
    print(f"{len(made)} writers, {found.tried} points, {len(found.bad)} losses")


COMMANDS = """
import json, sys
from pathlib import Path
from faults.full_disks import walk_all
from faults.writers import commands
folder, kinds = Path(sys.argv[1]), sys.argv[2:]
print(json.dumps(walk_all(commands(folder / "inputs"), folder, kinds, few=False)))
"""


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_commands_on_a_full_disk_end_in_one_sentence(tmp_path: Path, inputs: Path) -> None:
    # In a process of its own: one whose threads have burned fires cannot be forked to burn more.
    tests = Path(__file__).resolve().parents[1]
    done = subprocess.run([sys.executable, "-c", COMMANDS, str(tmp_path), *kinds(tmp_path)],
                          capture_output=True, text=True, check=False,
                          env=os.environ | {"PYTHONPATH": os.pathsep.join([str(tests), *sys.path])})
    tried, bad, _ = json.loads(done.stdout.splitlines()[-1])
    assert not bad, "\n".join(bad)
    assert tried > 100
