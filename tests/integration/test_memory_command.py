"""`firebreak memory report` and `check` as a user types them."""

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from firebreak.api.shared.run_output import consume
from firebreak.cli import main
from firebreak.cli.commands.memory import often_read
from firebreak.memory.registry import live_counts
from firebreak.train.config.load import as_toml, load_config
from firebreak.train.data.splits import make_splits
from firebreak.train.run.trainer import ParallelTrainer
from firebreak.train.storage.checkpoints import locked
from leaks import LEAKS
from tiny import TINIER
from unit.memory.rows import series

Out = pytest.CaptureFixture[str]
KEYS = {"schema", "verdict", "slope_bytes_per_episode", "low", "high", "owners", "rss_judged",
        "episodes", "env_steps", "seconds"}


@pytest.fixture(scope="module")
def leaky(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that kept its transitions and left its threads running."""
    folder = tmp_path_factory.mktemp("runs") / "leaky"
    config = often_read(load_config("quick", TINIER), 60)
    trainer = ParallelTrainer(config, make_splits(config, Path()), folder)
    undo = [LEAKS[name].plant(trainer) for name in ("transitions", "descriptors")]
    folder.mkdir()
    (folder / "config.toml").write_text(as_toml(config))
    consume(trainer, folder, config, quiet=True)
    for call in undo:
        call()
    return folder


def run(capsys: Out, *arguments: str) -> tuple[int, list[str], str]:
    capsys.readouterr()
    code = main(["memory", *arguments])
    shown = capsys.readouterr()
    return code, shown.out.strip().splitlines(), shown.err


def test_check_of_a_run_finds_the_leak_and_exits_1(leaky: Path, capsys: Out) -> None:
    code, lines, _ = run(capsys, "check", str(leaky), "--json")
    assert code == 1
    content = json.loads(lines[-1])
    assert content.keys() >= KEYS
    assert content["verdict"] == "leak"
    owners = {owner["owner"]: owner for owner in content["owners"]}
    assert owners["trainer.transitions[]"]["phase"] == "collect"
    assert owners["journal.txt"]["phase"] == "checkpoint"
    assert all(owner["low"] > 0 for owner in owners.values())
    assert any("trainer.transitions" in line and "remedy" not in line for line in lines)
    assert lines[-2].startswith("verdict: leak (")


@pytest.mark.slow
def test_report_prints_phases_and_draws_the_timeline(leaky: Path, capsys: Out) -> None:
    code, lines, _ = run(capsys, "report", str(leaky), "--json")
    assert code == 0
    content = json.loads(lines[-1])
    picture = leaky / "figures" / "memory_timeline.png"
    assert content["files"] == [str(picture)]
    assert picture.stat().st_size > 20_000
    assert live_counts().get("Figure", 0) == 0
    phases = {line.split()[0] for line in lines[1:9] if line}
    assert {"baseline", "cleanup", "collect", "learn", "evaluate", "checkpoint", "end"} <= phases


def test_too_few_episodes_are_never_ok(leaky: Path, capsys: Out) -> None:
    code, lines, _ = run(capsys, "check", str(leaky), "--episodes", "20", "--json")
    assert code == 4
    assert json.loads(lines[-1])["verdict"] == "too short for a verdict"
    assert "too short for a verdict" in lines[-2]
    code, _, error = run(capsys, "check", "quick", "--episodes", "5")
    assert code == 2
    assert "too short for a verdict" in error


def test_a_run_whose_resident_memory_is_not_judged_is_never_ok(
        tmp_path: Path, capsys: Out) -> None:
    """As the log of an earlier version, which has no sorts of mappings."""
    (tmp_path / "config.toml").touch()
    old = [{name: value for name, value in row.items()
            if name not in ("mapped_bytes", "heap_free_bytes")} for row in series()]
    (tmp_path / "memory.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in old))
    code, lines, _ = run(capsys, "check", str(tmp_path), "--json")
    content = json.loads(lines[-1])
    assert (code, content["verdict"], content["rss_judged"]) == (4, "not judged", False)
    assert lines[-2].startswith("verdict: not judged (below 20,000 env steps")


def test_help_says_all_exit_codes(capsys: Out) -> None:
    code, lines, _ = run(capsys, "--help")
    assert code == 0
    assert "4: the run is too short" in " ".join(" ".join(lines).split())
    assert main(["memory", "check", "--help"]) == 0
    assert "4:" in " ".join(capsys.readouterr().out.split())
    assert main(["--help"]) == 0
    assert "4 not judged" in capsys.readouterr().out


@pytest.mark.slow
def test_check_of_a_configuration_trains_and_judges_it(tmp_path: Path, capsys: Out) -> None:
    changes = [part for change in TINIER for part in ("--set", change)]
    code, lines, _ = run(capsys, "check", "quick", "--episodes", "150", "--json", "--out",
                         str(tmp_path / "kept"), *changes)
    content: dict[str, Any] = json.loads(lines[-1])
    assert (code, content["verdict"]) == (0, "ok"), content
    assert content["episodes"] >= 150
    assert content["rss_judged"] is (sys.platform == "linux")
    assert run(capsys, "check", str(tmp_path / "kept"))[0] == 0
    code, _, error = run(capsys, "check", "quick", "--episodes", "60", "--out",
                         str(tmp_path / "kept"), *changes)
    assert code == 2
    assert "another --out" in error


def test_a_check_writes_nothing_into_a_folder_in_use(tmp_path: Path, capsys: Out) -> None:
    changes = [part for change in TINIER for part in ("--set", change)]
    with locked(tmp_path / "run"):
        code, _, error = run(capsys, "check", "quick", "--episodes", "60", "--out",
                             str(tmp_path / "run"), *changes)
    assert code == 2
    assert "no other run writes to, got one in use" in error
    assert [path.name for path in (tmp_path / "run").iterdir()] == [".lock"]


def broken(leaky: Path, folder: Path, line: str) -> str:
    shutil.copytree(leaky, folder, ignore=shutil.ignore_patterns("figures", "checkpoints"))
    rows = (folder / "memory.jsonl").read_text().splitlines()
    (folder / "memory.jsonl").write_text("\n".join([*rows[:9], line, *rows[9:]]) + "\n")
    return str(folder)


@pytest.mark.parametrize("action", ["report", "check"])
def test_bad_input_is_one_sentence(leaky: Path, tmp_path: Path, capsys: Out, action: str) -> None:
    empty = tmp_path / "empty"
    shutil.copytree(leaky, empty, ignore=shutil.ignore_patterns("memory*"))
    silent = tmp_path / "silent"
    shutil.copytree(empty, silent)
    (silent / "memory.jsonl").touch()
    cases = {
        str(silent): "expected rows, got none",
        str(tmp_path): "config.toml", str(tmp_path / "nowhere"): "nowhere",
        str(empty): "memory.jsonl",
        broken(leaky, tmp_path / "cut", '{"kind": "memory", "pha'): "line",
        broken(leaky, tmp_path / "other", '{"kind": "progress"}'): "phase",
        broken(leaky, tmp_path / "list", "[1, 2]"): "one JSON object per line",
        broken(leaky, tmp_path / "half", '{"phase": "cleanup", "episodes": 3, "rss_bytes": 1}'):
            "owned_bytes",
    }
    for target, words in cases.items():
        code, lines, error = run(capsys, action, target)
        assert code == 2, target
        assert words in error, (target, error)
        assert len(error.splitlines()) == 1, error
        assert lines == [], target
    assert run(capsys, "chek", str(leaky))[0] == 2
    assert run(capsys, "check", str(leaky), "--episodes", "0")[0] == 2
    assert run(capsys)[0] == 0


def test_a_last_line_cut_off_by_a_kill_is_no_damage(leaky: Path, tmp_path: Path,
                                                    capsys: Out) -> None:
    folder = tmp_path / "killed"
    shutil.copytree(leaky, folder)
    with (folder / "memory.jsonl").open("a") as file:
        file.write('{"kind": "memory", "phase": "cle')
    assert run(capsys, "check", str(folder))[0] == 1
