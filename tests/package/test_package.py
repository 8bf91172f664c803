"""What is built from the sources and what a user has who installs it away from them."""

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def names_in(requirements: list[str]) -> set[str]:
    """Names of packages, without versions."""
    return {re.split(r"[^\w.-]", text)[0].lower() for text in requirements}


def test_the_licence_of_every_dependency_is_listed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    page = (ROOT / "docs" / "licences.md").read_text()
    base, *extras = re.split(r"^### (\w+)$", page, flags=re.MULTILINE)
    parts = {"": base} | dict(zip(extras[::2], extras[1::2], strict=True))
    asked = {"": project["dependencies"], **project["optional-dependencies"]}
    assert parts.keys() == asked.keys()
    rows = []
    for part, text in parts.items():
        own = re.findall(r"^\| ([\w.-]+) \| (\d[\w.]*) \| (.+) \|$", text, re.MULTILINE)
        assert names_in(asked[part]) <= {name for name, _, _ in own}, part
        rows += own
    assert "not stated" not in {licence for _, _, licence in rows}
    pinned = dict(line.lower().split("==") for line in
                  (ROOT / "constraints.txt").read_text().splitlines() if "==" in line)
    pinned = {re.sub(r"[-_.]+", "-", name): version for name, version in pinned.items()}
    other = {name: (version, pinned.get(name)) for name, version, _ in rows
             if pinned.get(name) != version}
    assert other == {}


def test_the_citation_names_this_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    citation = (ROOT / "CITATION.cff").read_text()
    assert f"version: {project['version']}\n" in citation
    assert f"license: {project['license']}\n" in citation


def test_nothing_says_to_install_the_other_program() -> None:
    """`firebreak` on the Python package index is a tool to root an Echo Dot."""
    wrong = re.compile(r"pip\s+install[^\n`]*[\s'\"]firebreak(\[|==|['\"`]|\s*$)"
                       r"|firebreak\[[a-z]+\]", re.MULTILINE)
    assert wrong.search("pip install 'firebreak[ray]'")
    assert wrong.search("pip install -U firebreak\n")
    assert not wrong.search("pip install 'firebreak-planner[ray]'")
    asked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    names = asked.stdout.splitlines() if asked.returncode == 0 else [
        str(path.relative_to(ROOT)) for folder in ("src", "docs", "scripts", "configs")
        for path in (ROOT / folder).rglob("*")]
    texts = {".py", ".md", ".toml", ".cff", ".txt", ".html", ".js", ""}
    found = [name for name in names if Path(name).suffix in texts
             and name != "tests/package/test_package.py" and (ROOT / name).is_file()
             and wrong.search((ROOT / name).read_text(encoding="utf-8", errors="ignore"))]
    assert found == []
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["name"] == "firebreak-planner"
    assert project["scripts"] == {"firebreak": "firebreak.__main__:main"}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("build", reason="the package build is absent")
    out = tmp_path_factory.mktemp("dist")
    subprocess.run([sys.executable, "-m", "build", "--outdir", str(out), str(ROOT)], check=True,
                   capture_output=True)
    return out


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_wheel_and_sdist_hold_what_the_commands_read(built: Path) -> None:
    (wheel,), (sdist,) = built.glob("*.whl"), built.glob("*.tar.gz")
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {"firebreak/policies/general.safetensors", "firebreak/policies/segments.safetensors",
            "firebreak/configs/quick.toml", "firebreak/report/explorer/assets/explorer.html",
            "firebreak/report/explorer/assets/explorer.css",
            "firebreak/report/explorer/assets/explorer.js",
            "firebreak/py.typed"} <= names
    assert not [name for name in names if name.startswith(("tests/", "docs/"))]
    with tarfile.open(sdist) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    assert {"CITATION.cff", "LICENSE", "README.md", "constraints.txt", "configs/quick.toml",
            "src/firebreak/policies/general.safetensors", "tests/package/test_package.py"} <= held


@pytest.mark.slow
@pytest.mark.timeout(3000)
def test_an_empty_environment_plans_with_the_shipped_policy(built: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "env", with_pip=True)
    programs = tmp_path / "env" / ("Scripts" if os.name == "nt" else "bin")
    (wheel,) = built.glob("*.whl")
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run([programs / "python", "-m", "pip", "install", "-q", "-c",
                    ROOT / "constraints.txt", wheel], check=True, env=clean)
    done = subprocess.run(
        [programs / "firebreak", "plan", "synthetic:1:64", "--budget", "0.05", "--out", "p"],
        cwd=tmp_path, env=clean, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "dqn: 149 cells" in done.stdout
    assert (tmp_path / "p" / "plan.tif").stat().st_size > 0
