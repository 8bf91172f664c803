"""The parts of scripts/run.py that need no network and no set-up."""

import ast
import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "run.py"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """The script as a module that believes an empty project in `tmp_path` is its own."""
    spec = importlib.util.spec_from_file_location("run_script", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    (tmp_path / "constraints.txt").write_text("torch==2.13.0\n")
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(module, "STAMP", tmp_path / ".venv" / ".firebreak-setup")
    monkeypatch.delenv("FIREBREAK_TORCH", raising=False)
    return module


KEY_PARTS = {"pyproject": "p", "constraints": "c", "python": "3.11", "choice": "", "root": "/a"}


@pytest.mark.parametrize("part", KEY_PARTS)
def test_every_part_changes_the_key(run: ModuleType, part: str) -> None:
    changed = {**KEY_PARTS, part: KEY_PARTS[part] + "x"}
    assert run.setup_key(**changed) != run.setup_key(**KEY_PARTS)


def test_key_is_stable_and_parts_do_not_run_together(run: ModuleType) -> None:
    assert run.setup_key(**KEY_PARTS) == run.setup_key(**dict(KEY_PARTS))
    assert run.setup_key("ab", "c", "", "", "") != run.setup_key("a", "bc", "", "", "")


def test_old_python_is_refused_in_one_sentence(run: ModuleType) -> None:
    with pytest.raises(run.UsageError) as caught:
        run.check_python((3, 10))
    text = str(caught.value)
    assert "3.11" in text
    assert "3.10" in text
    assert "\n" not in text


@pytest.mark.parametrize("version", [(3, 11), (3, 14), (4, 0)])
def test_new_python_is_accepted(run: ModuleType, version: tuple[int, int]) -> None:
    run.check_python(version)


def test_an_old_python_can_read_the_script_up_to_the_refusal() -> None:
    """Otherwise it would answer with a syntax error instead of the sentence."""
    ast.parse(SCRIPT.read_text(encoding="utf-8"), feature_version=(3, 7))


def test_script_needs_the_standard_library_only() -> None:
    names = set()
    for node in ast.walk(ast.parse(SCRIPT.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add((node.module or "").split(".")[0])
    assert names <= sys.stdlib_module_names


@pytest.mark.parametrize(("argv", "command"), [
    (["train"], ["-m", "firebreak", "train", "quick"]),
    (["train", "long", "--seed", "3"], ["-m", "firebreak", "train", "long", "--seed", "3"]),
    (["test"], ["-m", "pytest", "-n", "auto", "--maxprocesses", "4",
               "--dist", "worksteal"]),
    (["test", "-x", "tests/unit"], ["-m", "pytest", "-x", "tests/unit"]),
    (["plan", "a b.tif", "--json"], ["-m", "firebreak", "plan", "a b.tif", "--json"]),
    (["landscape", "info", "x"], ["-m", "firebreak", "landscape", "info", "x"]),
])
def test_verbs(run: ModuleType, argv: list[str], command: list[str]) -> None:
    verb, *args = argv
    assert run.child_command("python", verb, args) == ["python", *command]


def test_constraints_pin_torch_and_name_no_hosts(run: ModuleType) -> None:
    text = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    assert run.pinned_version("torch", text) == "2.13.0"
    for line in text.splitlines():
        if not line.startswith("#"):
            assert line.count("==") == 1, line
            assert not set("/@+ ") & set(line), line


def test_a_missing_pin_is_an_error(run: ModuleType) -> None:
    with pytest.raises(run.SetupError, match=r"constraints\.txt does not pin torch"):
        run.pinned_version("torch", "# torch\npytorch==1\ntorchrl==0.7\n")


@pytest.mark.parametrize(("choice", "linux", "nvidia", "sources"), [
    ("", True, False, ["--no-index", "--index-url", "default"]),
    ("", True, True, ["--no-index", "default"]),
    ("", False, False, ["default"]),
    ("cpu", True, True, ["--no-index", "--index-url"]),
    ("cpu", False, False, ["default"]),
    ("cuda", True, False, ["default"]),
])
def test_where_torch_comes_from(run: ModuleType, choice: str, linux: bool, nvidia: bool,
                                sources: list[str]) -> None:
    attempts = [args for _, args in run.torch_attempts("2.13.0", choice, linux, nvidia)]
    found = [next((a for a in args if a in ("--no-index", "--index-url")), "default")
             for args in attempts]
    assert found == sources
    pin = "torch===2.13.0" if choice == "cuda" else "torch==2.13.0"
    assert all(args[-1] == pin for args in attempts)


@pytest.mark.parametrize(("choice", "linux", "word"), [
    ("gpu", True, "expected cpu or cuda"), ("cuda", False, "Linux only"),
])
def test_a_wrong_torch_choice_is_refused(run: ModuleType, choice: str, linux: bool,
                                         word: str) -> None:
    with pytest.raises(run.UsageError, match=word):
        run.check_torch_choice(choice, linux)


def fake_setup(run: ModuleType, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Replace the slow steps; returns the list in which they are noted."""
    steps: list[str] = []

    def make_venv(lock: int | None) -> None:
        steps.append("venv")
        run.venv_python().parent.mkdir(parents=True, exist_ok=True)
        run.venv_python().touch()

    def pip_install(args: list[str], lock: int | None) -> str | None:
        steps.append("torch" if args[-1].startswith("torch") else "rest")
        return None

    monkeypatch.setattr(run, "make_venv", make_venv)
    monkeypatch.setattr(run, "pip_install", pip_install)
    return steps


def test_set_up_runs_once_and_torch_first(run: ModuleType,
                                          monkeypatch: pytest.MonkeyPatch) -> None:
    steps = fake_setup(run, monkeypatch)
    run.set_up()
    assert steps == ["venv", "torch", "rest"]
    run.set_up()
    assert len(steps) == 3


@pytest.mark.parametrize("change", ["constraints", "variable", "stamp", "python"])
def test_set_up_runs_again_after_a_change(run: ModuleType, monkeypatch: pytest.MonkeyPatch,
                                          change: str) -> None:
    steps = fake_setup(run, monkeypatch)
    run.set_up()
    if change == "constraints":
        (run.ROOT / "constraints.txt").write_text("torch==2.13.0\nnumpy==2.4.6\n")
    elif change == "variable":
        monkeypatch.setattr(run.sys, "platform", "linux")
        monkeypatch.setenv("FIREBREAK_TORCH", "cpu")
    elif change == "stamp":
        run.STAMP.unlink()
    else:
        run.venv_python().unlink()
    run.set_up()
    assert steps == ["venv", "torch", "rest"] * 2


def test_a_killed_set_up_leaves_no_stamp(run: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_setup(run, monkeypatch)
    run.set_up()
    (run.ROOT / "constraints.txt").write_text("torch==2.13.0\nnumpy==2.4.6\n")

    def killed(args: list[str], lock: int | None) -> str | None:
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "pip_install", killed)
    assert run.main(["setup"]) == 130
    assert not run.STAMP.exists()
    steps = fake_setup(run, monkeypatch)
    run.set_up()
    assert steps == ["venv", "torch", "rest"]


def test_a_failing_pip_is_one_sentence(run: ModuleType, monkeypatch: pytest.MonkeyPatch,
                                       capsys: pytest.CaptureFixture[str]) -> None:
    fake_setup(run, monkeypatch)
    monkeypatch.setattr(run, "pip_install", lambda args, lock: "no network")
    assert run.main(["setup"]) == run.SETUP_FAILED
    last = capsys.readouterr().err.splitlines()[-1]
    assert "could not install PyTorch, pip said 'no network'" in last
    assert not run.STAMP.exists()


def test_a_missing_venv_module_is_one_sentence(run: ModuleType, monkeypatch: pytest.MonkeyPatch,
                                               capsys: pytest.CaptureFixture[str]) -> None:
    failed = subprocess.CompletedProcess([], 1)
    monkeypatch.setattr(run.subprocess, "run", lambda *args, **kwargs: failed)
    assert run.main(["setup"]) == run.SETUP_FAILED
    assert "python3-venv" in capsys.readouterr().err.splitlines()[-1]


def test_without_a_verb_it_explains_itself() -> None:
    done = subprocess.run([sys.executable, os.fspath(SCRIPT)], capture_output=True, text=True)
    assert done.returncode == 2
    assert "scripts/run.py train" in done.stdout
