"""The command as the QGIS provider starts it; its algorithms run in `scripts/check_qgis.py`."""

import ast
import configparser
import importlib.util
import os
import signal
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest

PROVIDER = Path(__file__).resolve().parents[2] / "qgis" / "firebreak_provider"
FILES = sorted(PROVIDER.rglob("*.py"))


@pytest.fixture(scope="module")
def command() -> ModuleType:
    spec = importlib.util.spec_from_file_location("qgis_command", PROVIDER / "command.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def program(text: str) -> list[str]:
    return [sys.executable, "-c", text]


def test_lines_and_shares_come_as_they_are_printed(command: ModuleType) -> None:
    lines: list[str] = []
    shares: list[float] = []
    printed = command.run(program(
        "import sys\nprint('a')\nprint('firebreak: plan: 40% in 12 s, about 18 s left', "
        "file=sys.stderr)\nprint('at 50% in all')"), lines.append, shares.append, lambda: False)
    assert printed == "a\nat 50% in all"
    assert sorted(lines) == sorted(["a", "at 50% in all",
                                    "firebreak: plan: 40% in 12 s, about 18 s left"])
    assert shares == [40.0]


def test_a_failure_says_the_last_line(command: ModuleType) -> None:
    with pytest.raises(command.CommandError, match="code 2: expected a landscape"):
        command.run(program("import sys\n"
                            "print('firebreak: expected a landscape', file=sys.stderr)\n"
                            "sys.exit(2)"), lambda line: None, lambda share: None, lambda: False)
    with pytest.raises(command.CommandError, match="cannot be started"):
        command.run(["/not/there"], lambda line: None, lambda share: None, lambda: False)


def test_cancelling_ends_the_program(command: ModuleType) -> None:
    began = time.monotonic()
    with pytest.raises(command.CommandError, match="Stopped"):
        command.run(program("import time\nprint('on', flush=True)\ntime.sleep(600)"),
                    lambda line: None, lambda share: None, lambda: True)
    assert time.monotonic() - began < 300.0


STARTER = """
import subprocess, sys
inner = "import sys, time\\nprint('inner', flush=True)\\ntime.sleep(60)"
if {deaf}:
    inner = "import signal\\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\\n" + inner
child = subprocess.Popen([sys.executable, "-c", inner])
print("child", child.pid, flush=True)
child.wait()
"""


@pytest.mark.skipif(os.name == "nt", reason="process groups are those of POSIX")
@pytest.mark.parametrize("deaf", [False, True])
def test_cancelling_ends_what_the_program_started(command: ModuleType, deaf: bool,
                                                  monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "GRACE_S", 0.5)
    lines: list[str] = []
    with pytest.raises(command.CommandError, match="Stopped"):
        command.run(program(STARTER.format(deaf=deaf)), lines.append, lambda share: None,
                    lambda: "inner" in lines)
    child = next(int(line.split()[1]) for line in lines if line.startswith("child"))
    assert_ends(child)


@pytest.mark.skipif(os.name == "nt", reason="process groups are those of POSIX")
def test_nothing_runs_on_where_the_one_who_listens_fails(command: ModuleType) -> None:
    lines: list[str] = []

    def fails(line: str) -> None:
        lines.append(line)
        if line == "inner":
            raise RuntimeError("the window is gone")

    with pytest.raises(RuntimeError, match="window"):
        command.run(program(STARTER.format(deaf=False)), fails, lambda share: None, lambda: False)
    assert_ends(next(int(line.split()[1]) for line in lines if line.startswith("child")))


def assert_ends(pid: int) -> None:
    """A process that nobody waits for stays listed as a zombie where init does not reap it."""
    for _ in range(100):
        try:
            os.kill(pid, 0)
            status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
        except (ProcessLookupError, FileNotFoundError):
            return
        if status.rpartition(")")[2].split()[0] == "Z":
            return
        time.sleep(0.05)
    os.kill(pid, signal.SIGKILL)
    pytest.fail("the child runs on")


def test_further_options_are_words_as_on_the_command_line(command: ModuleType,
                                                          monkeypatch: pytest.MonkeyPatch) -> None:
    split = command.split_words
    monkeypatch.setattr(command, "ON_WINDOWS", False)
    assert split("") == []
    assert split("--roads 'my roads.gpkg' --hold hand") == ["--roads", "my roads.gpkg", "--hold",
                                                            "hand"]
    assert split('--value "Häuser #2.gpkg"') == ["--value", "Häuser #2.gpkg"]
    with pytest.raises(command.CommandError, match="not closed"):
        split("--value 'houses")
    monkeypatch.setattr(command, "ON_WINDOWS", True)
    assert split(r'--value C:\maps\houses.gpkg --roads "D:\my maps\r.gpkg"') == [
        "--value", r"C:\maps\houses.gpkg", "--roads", r"D:\my maps\r.gpkg"]


def test_the_program_does_not_see_what_qgis_sets(command: ModuleType,
                                                 monkeypatch: pytest.MonkeyPatch) -> None:
    for name in command.FOREIGN:
        monkeypatch.setenv(name, "of QGIS")
    monkeypatch.setenv("FIREBREAK_DATA", "kept")
    env = command.own_environment()
    assert not set(command.FOREIGN) & env.keys()
    assert env["FIREBREAK_DATA"] == "kept"


def test_the_command_is_found_where_it_is_named(command: ModuleType, tmp_path: Path,
                                                monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FIREBREAK_COMMAND", raising=False)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(command.CommandError, match="name its environment"):
        command.find_command("")
    with pytest.raises(command.CommandError, match="no command firebreak"):
        command.find_command(str(tmp_path))
    made = tmp_path / "bin" / "firebreak"
    made.parent.mkdir()
    made.touch()
    assert command.find_command(str(tmp_path)) == str(made) == command.find_command(str(made))
    monkeypatch.setenv("FIREBREAK_COMMAND", str(made))
    assert command.find_command("") == str(made)


def test_the_provider_loads_nothing_heavy_and_names_its_licence() -> None:
    assert len(FILES) >= 9
    for path in FILES:
        text = path.read_text(encoding="utf-8")
        assert text.startswith("# SPDX-License-Identifier: GPL-2.0-or-later")
        for node in ast.walk(ast.parse(text)):
            names = ([one.name for one in node.names] if isinstance(node, ast.Import) else
                     [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level
                     else [])
            for name in names:
                assert name.split(".")[0] in {*sys.stdlib_module_names, "qgis", "processing"}, name


def test_the_metadata_is_what_qgis_asks_for() -> None:
    found = configparser.ConfigParser()
    found.read(PROVIDER / "metadata.txt", encoding="utf-8")
    general = found["general"]
    # An address by which the authors can be reached is left out until there is one.
    for key in ("name", "qgisMinimumVersion", "qgisMaximumVersion", "description", "about",
                "version", "author"):
        assert general[key]
    assert general["hasProcessingProvider"] == "yes"
    # The folder is published by itself: it brings the text of the licence that it names.
    assert general["license"] == "GPL-2.0-or-later"
    licence = (PROVIDER / "LICENSE").read_text(encoding="utf-8")
    assert "GNU GENERAL PUBLIC LICENSE\n                       Version 2" in licence
