"""Machine code is kept by the hash of all sources that it comes from."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import firebreak
from firebreak import compiled

PACKAGE = Path(firebreak.__file__).parent


def hashed_files() -> set[Path]:
    return {path for rule in compiled.KERNEL_SOURCES for path in PACKAGE.glob(rule)}


def module_file(name: str) -> Path | None:
    path = PACKAGE.parent / Path(*name.split("."))
    for candidate in (path.with_suffix(".py"), path / "__init__.py"):
        if candidate.is_file():
            return candidate
    return None


def imported_files(path: Path, names: set[str] | None = None) -> set[Path]:
    """Files of the package from which a file takes these names (all that it imports, if none are
    given): code or constants. Names that an __init__ hands on are followed to where they are made.
    """
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("firebreak"):
            for alias in node.names:
                if names is not None and (alias.asname or alias.name) not in names:
                    continue
                file = module_file(f"{node.module}.{alias.name}") or module_file(str(node.module))
                assert file is not None, f"{path}: {node.module}"
                found.add(file)
                if file.name == "__init__.py":
                    found |= imported_files(file, {alias.name})
    return found


def is_compiled(path: Path) -> bool:
    text = path.read_text(encoding="utf-8")
    return any(word in text for word in ("@compiled", "njit", "@intrinsic"))


def test_every_file_that_compiled_code_comes_from_is_hashed() -> None:
    files = [path for path in PACKAGE.rglob("*.py")
             if is_compiled(path) and path.name != "compiled.py"]
    assert len(files) > 25
    seen, left = set(), list(files)
    while left:
        path = left.pop()
        if path not in seen:
            seen.add(path)
            left += imported_files(path) if path.name != "__init__.py" else set()
    assert PACKAGE / "fire" / "__init__.py" in seen
    # Of the words of errors no machine code is made, see below; they change often.
    assert seen - hashed_files() == {PACKAGE / "checks.py"}


def is_compiled_function(node: ast.AST) -> bool:
    """Whether a function is compiled or generates code that is."""
    return isinstance(node, ast.FunctionDef) and any(
        word in ast.unparse(decorator) for decorator in node.decorator_list
        for word in ("compiled", "intrinsic"))


def test_compiled_functions_take_nothing_from_checks() -> None:
    count = 0
    for path in filter(is_compiled, PACKAGE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        own = {alias.asname or alias.name for node in ast.walk(tree)
               if isinstance(node, ast.ImportFrom) and node.module == "firebreak.checks"
               for alias in node.names}
        functions = [node for node in ast.walk(tree) if is_compiled_function(node)]
        count += len(functions)
        used = {node.id for function in functions for node in ast.walk(function)
                if isinstance(node, ast.Name)}
        assert not own & used, path
    assert count > 100


def test_no_function_is_compiled_around_the_hash() -> None:
    direct = [path for path in PACKAGE.rglob("*.py")
              if path.name != "compiled.py" and "njit" in path.read_text(encoding="utf-8")]
    assert direct == []


def test_a_change_of_any_hashed_file_changes_the_hash(tmp_path: Path) -> None:
    copy = tmp_path / "firebreak"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__", "*.safetensors"))
    first = compiled.hash_of_sources(copy)
    assert first == compiled.hash_of_sources()
    seen = {first}
    for path in sorted(hashed_files()):
        with (copy / path.relative_to(PACKAGE)).open("a", encoding="utf-8") as file:
            file.write("# changed\n")
        seen.add(compiled.hash_of_sources(copy))
    assert len(seen) == len(hashed_files()) + 1


def burn_with(environment: dict[str, str], package_parent: Path) -> tuple[str, str]:
    code = ("from firebreak import compiled; import numpy as np; "
            "from firebreak.fire.effects.keyed_random import fire_keys; "
            "print(compiled.kernel_folder())")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(package_parent), **environment})
    assert done.returncode == 0, done.stderr
    return done.stdout.strip(), done.stderr


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "getuid"), reason="needs POSIX users")
def test_a_place_that_cannot_be_written_is_passed_over(tmp_path: Path) -> None:
    copy = tmp_path / "firebreak"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__", "*.safetensors"))
    (copy / "__pycache__").write_text("a file: no folder can be made here")
    cache = tmp_path / "cache"
    at, said = burn_with({"XDG_CACHE_HOME": str(cache), "PYTHONDONTWRITEBYTECODE": "1"}, tmp_path)
    assert Path(at).parent == cache
    assert said == ""
    cache_file = tmp_path / "file"
    cache_file.write_text("")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    environment = {"PYTHONDONTWRITEBYTECODE": "1", "XDG_CACHE_HOME": str(cache_file / "x"),
                   "TMPDIR": str(scratch)}
    at, said = burn_with(environment, tmp_path)
    assert Path(at).parent == scratch / f"firebreak-{os.getuid()}"
    assert said.count("set NUMBA_CACHE_DIR to a folder of yours that stays") == 1
    assert at in said
    Path(at).chmod(0o777)  # others could have filled it: compiled code is not loaded from there
    at, said = burn_with(environment, tmp_path)
    assert at == "None"
    assert said.count("cannot be kept anywhere, and is made anew by every command: set") == 1


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "getuid"), reason="needs POSIX users")
def test_a_command_runs_without_a_home_and_without_any_folder_to_write_to(tmp_path: Path) -> None:
    """As in a container: the package cannot be written to, and there is no home and no /tmp."""
    copy = tmp_path / "firebreak"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "__pycache__").write_text("a file: no folder can be made here")
    file = tmp_path / "file"
    file.write_text("")
    code = ("import tempfile; tempfile._candidate_tempdir_list = list; "
            "import firebreak.fire; from firebreak import compiled; "
            "print(compiled.kernel_folder())")
    bare = {name: text for name, text in os.environ.items() if name not in ("HOME", "TMPDIR")}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, env=bare | {
            "PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1", "HOME": str(file),
            "XDG_CACHE_HOME": str(file / "x")})
    assert done.returncode == 0, done.stderr
    assert done.stdout == "None\n"
    assert "cannot be kept anywhere" in done.stderr
