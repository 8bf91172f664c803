"""What is built from the sources and what a user has who installs it away from them."""

import json
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

import firebreak
from firebreak.agent.policy_place import shipped_policies
from firebreak.checks import install
from tiny import TINY

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


def test_the_archive_of_sources_has_all_but_what_runs_the_project() -> None:
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]
    held = build["targets"]["sdist"]["include"]
    assert [name for name in held if not name.startswith("/")] == []  # would match in any folder
    assert [name for name in held if not (ROOT / name[1:]).exists()] == []
    asked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if asked.returncode != 0:
        pytest.skip("this is no checkout")
    left_out = {".ci", ".github", ".gitignore", ".pre-commit-config.yaml", "pyproject.toml"}
    assert {line.partition("/")[0] for line in asked.stdout.splitlines()} == left_out | {
        name[1:] for name in held}


def test_the_citation_names_this_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    citation = (ROOT / "CITATION.cff").read_text()
    assert f"version: {project['version']}\n" in citation
    assert f"license: {project['license']}\n" in citation


def test_one_version_is_named_everywhere_and_its_changes_are_dated() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert version == firebreak.__version__
    archive = json.loads((ROOT / ".zenodo.json").read_text())
    assert archive["version"] == version
    assert archive["creators"] == [{"name": "The firebreak developers"}]
    recipe = (ROOT / "conda" / "recipe.yaml").read_text()
    assert f'  version: "{version}"\n' in recipe
    headings = re.findall(r"^## \[(.+?)\](.*)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings[0] == ("Unreleased", "")
    assert headings[1][0] == version
    assert all(re.fullmatch(r" - \d{4}-\d{2}-\d{2}", date) for _, date in headings[1:])


def test_the_recipe_asks_for_what_the_package_asks_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    recipe = (ROOT / "conda" / "recipe.yaml").read_text()
    run = recipe.split("  run:\n")[1].split("\n\n")[0]
    asked = {line.strip(" -").replace(" ", "") for line in run.splitlines()}
    names = {"torch": "pytorch", "matplotlib": "matplotlib-base"}  # as conda-forge has them
    wanted = {re.sub(r"^[\w-]+", lambda name: names.get(name[0], name[0]), text)
              for text in project["dependencies"]}
    assert asked - {"python>=${{python_min}}"} == wanted


def test_the_builder_of_conda_packages_takes_the_recipe() -> None:
    builder = pytest.importorskip("rattler_build", reason="py-rattler-build is absent")
    recipe = builder.Stage0Recipe.from_file(str(ROOT / "conda" / "recipe.yaml"))
    (made,) = recipe.render(builder.VariantConfig())
    assert "package='firebreak-planner'" in str(made)


def test_no_file_of_the_checkout_is_above_a_megabyte() -> None:
    asked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if asked.returncode != 0:
        pytest.skip("this is no checkout")
    files = [ROOT / name for name in asked.stdout.split("\0") if name]
    assert len(files) > 500
    assert [file.name for file in files if file.is_file() and file.stat().st_size > 1_000_000] == []


def test_nothing_says_to_install_firebreak_by_a_name_from_an_index() -> None:
    """On the Python package index `firebreak` is a tool to root an Echo Dot, `firebreak-planner` is
    nobody's, and would be what a stranger puts there. A checkout or a wheel is installed.
    """
    wrong = re.compile(r"pip3?\s+(install|download)[^\n`]*[\s'\"]firebreak([-_]planner)?"
                       r"(\[|[=<>~]=|['\"`,;)]|\s|$)"
                       r"|firebreak(-planner)?\[[a-z]+\]|pypi\.org/project/firebreak", re.MULTILINE)
    for line in ("pip install 'firebreak[ray]'", "pip install -U firebreak\n",
                 "pip install firebreak-planner", "`pip install 'firebreak-planner[ray]'`",
                 "RUN python -m pip install --no-cache-dir firebreak_planner==1.0.0",
                 "https://pypi.org/project/firebreak-planner"):
        assert wrong.search(line), line
    for line in ("pip install firebreak_planner-1.0.0-py3-none-any.whl", "pip install '.[ray]'",
                 "pip install -c constraints.txt -e .", "firebreak plan map.tif"):
        assert not wrong.search(line), line
    found = [name for name in texts_of_the_checkout() if name != "tests/package/test_package.py"
             and wrong.search((ROOT / name).read_text(encoding="utf-8", errors="ignore"))]
    assert found == []
    assert not wrong.search(" ".join(map(install, ("ray", "vector", "notebook"))))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["name"] == "firebreak-planner"
    assert project["scripts"] == {"firebreak": "firebreak.__main__:main"}


def texts_of_the_checkout() -> list[str]:
    """Names of the files that are read by people and programs."""
    asked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    names = asked.stdout.splitlines() if asked.returncode == 0 else [
        str(path.relative_to(ROOT)) for folder in ("src", "docs", "scripts", "configs")
        for path in (ROOT / folder).rglob("*")]
    texts = {".py", ".md", ".toml", ".cff", ".txt", ".html", ".js", ".ipynb", ".yaml", ".yml", ""}
    return [name for name in names if Path(name).suffix in texts and (ROOT / name).is_file()]


def test_no_address_is_made_up() -> None:
    # CONTRIBUTING.md lists what must be filled in; an address to copy from a page is no address.
    made_up = re.compile(r"https?://[\w.-]*\bexample\.(?:org|com|net)|@example\.|your-(?:name|org)"
                         r"|TODO|FIXME")
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True,
                             check=True).stdout.split()
    named = [name for name in tracked
             if name.endswith((".toml", ".cff", ".json", ".txt", ".yaml", ".md"))
             and not name.startswith(("tests/", "docs/results", "docs/formats.md"))]
    assert {"pyproject.toml", "CITATION.cff", "qgis/firebreak_provider/metadata.txt",
            "conda/recipe.yaml"} <= set(named)
    found = {name: made_up.findall((ROOT / name).read_text(encoding="utf-8")) for name in named}
    assert {name for name, hits in found.items() if hits} == set()


def test_an_extra_is_installed_by_the_names_of_its_packages() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"]
    for extra in ("ray", "vector", "notebook"):
        assert install(extra).startswith("pip install ")
        assert set(install(extra).split()[2:]) == set(map(repr, extras[extra]))
    assert install("nothing") == "pip install '.[nothing]' in the checkout"


def test_the_container_takes_each_package_from_one_index_and_holds_it_to_its_hash() -> None:
    text = (ROOT / "Containerfile").read_text()
    steps = [line for line in text.splitlines() if re.match(r"RUN .*pip install", line)]
    for step in steps:
        ways = [way for way in ("--require-hashes", "--index-url", "--no-deps") if way in step]
        assert len(ways) == 1, step
    assert [step.split()[-1] for step in steps if "--index-url" in step] == ["torch"]
    assert "--extra-index-url" not in text
    assert re.search(r"^ARG PYTHON_IMAGE=\S+:3\.\d+\.\d+-", text, re.MULTILINE)
    assert re.search(r"^ARG PYTHON_DIGEST=$", text, re.MULTILINE)
    assert all(line.split()[1] == "${PYTHON_IMAGE}${PYTHON_DIGEST}" for line in text.splitlines()
               if line.startswith("FROM"))


@pytest.mark.parametrize("name", ["run", "build"])
def test_a_lock_names_what_is_asked_for_in_the_versions_of_the_constraints(name: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    asked = (project["project"]["dependencies"] if name == "run"
             else ["build", *project["build-system"]["requires"]])
    locked = dict(re.findall(r"^([\w.-]+)==(\S+) \\\n(?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+",
                             (ROOT / "locks" / f"{name}.txt").read_text(), re.MULTILINE))
    lines = (ROOT / "locks" / f"{name}.txt").read_text().splitlines()
    assert sum("==" in line for line in lines) == len(locked) > 5
    tested = dict(line.split("==") for line in (ROOT / "constraints.txt").read_text().splitlines()
                  if "==" in line)
    for key, version in locked.items():
        assert version == tested.get(key, version), key
    wanted = {re.split(r"[<>=]", text)[0].replace("_", "-").lower() for text in asked} - {"torch"}
    assert wanted <= {key.replace("_", "-").lower() for key in locked}
    assert "torch" not in locked


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("build", reason="the package build is absent")
    out = tmp_path_factory.mktemp("dist")
    subprocess.run([sys.executable, "-m", "build", "--outdir", str(out), str(ROOT)], check=True,
                   capture_output=True)
    return out


SAMPLE = ("landscape.tif", "roads.tif", "weather.toml", "about.toml")


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_wheel_and_sdist_hold_what_the_commands_read(built: Path) -> None:
    (wheel,), (sdist,) = built.glob("*.whl"), built.glob("*.tar.gz")
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {*(f"firebreak/policies/{name}.safetensors" for name in shipped_policies()),
            *(f"firebreak/landscape/{name}" for name in (
                "fuels.csv", "fbp_codes.csv", "treatments.toml")),
            "firebreak/configs/quick.toml", "firebreak/report/explorer/assets/explorer.html",
            "firebreak/report/explorer/assets/explorer.css",
            "firebreak/report/explorer/assets/js/2_map.js",
            "firebreak/report/figures/countries.npz",
            *(f"firebreak/report/pages/assets/{name}" for name in ("plan.html", "report.css")),
            *(f"firebreak/samples/santa-ana/{name}" for name in SAMPLE),
            "firebreak/py.typed", "firebreak/__init__.pyi"} <= names
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)
    assert not [name for name in names if name.startswith(("tests/", "docs/"))]
    with tarfile.open(sdist) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    assert {"CITATION.cff", "LICENSE", "README.md", "constraints.txt", "configs/quick.toml",
            "src/firebreak/policies/general.safetensors", "tests/package/test_package.py",
            "CODE_OF_CONDUCT.md"} <= held
    assert not [name for name in held if name.startswith(".ci")]


COMMANDS = (
    ("plan", "sample:santa-ana", "--method", "dqn", "--test-fires", "50", "--out", "my_sample"),
    ("landscape", "info", "sample:santa-ana"),
    ("plan", "synthetic:1:20", "--method", "dqn", "--test-fires", "50", "--out", "my_plan"),
    ("evaluate", "synthetic:1:20", "--methods", "none,dqn", "--test-fires", "50"),
    ("simulate", "synthetic:1:20", "--fires", "20", "--out", "my_maps"),
    ("train", "quick", "--out", "my_run", "--quiet", *(
        word for change in TINY for word in ("--set", change))),
    ("plan", "synthetic:1:10", "--method", "dqn", "--policy", "my_run", "--test-fires", "20",
     "--out", "own_plan"),
    ("visualize", "my_plan", "--export", "explorer.html"),
    ("visualize", "my_sample", "--export", "sample.html"),
    ("landscape", "info", "synthetic:1:10"), ("methods",), ("memory", "report", "my_run"),
)
"""What a user does who has the wheel and nothing else."""
WRITTEN = ("my_sample/data/plan.tif", "my_sample/report.html", "my_plan/data/plan.tif",
           "my_plan/report.html", "my_maps/burn_probability.tif", "my_run/policy.safetensors",
           "own_plan/data/plan.tif", "explorer.html", "sample.html")
PYTHON = """
import pathlib, firebreak
assert "site-packages" in firebreak.__file__, firebreak.__file__
before = sorted(pathlib.Path().rglob("*"))
made = firebreak.plan("synthetic:1:20", method="dqn", test_fires=50)
assert made.breaks.sum() == made.plan.cells.size > 0
assert sorted(pathlib.Path().rglob("*")) == before
print(firebreak.__version__)
"""


@pytest.mark.slow
@pytest.mark.timeout(5400)
def test_an_empty_environment_needs_the_built_files_alone(built: Path, tmp_path: Path) -> None:
    programs = environment(tmp_path / "env")
    clean = {name: value for name, value in os.environ.items()
             if name not in ("PYTHONPATH", "FIREBREAK_DATA", "FIREBREAK_REFERENCE")}
    (wheel,), (sdist,) = built.glob("*.whl"), built.glob("*.tar.gz")
    empty = tmp_path / "empty"
    empty.mkdir()

    def run(*words: object) -> str:
        done = subprocess.run([*map(str, words)], cwd=empty, env=clean, capture_output=True,
                              text=True)
        assert done.returncode == 0, f"{words}: {done.stdout[-2000:]}{done.stderr[-2000:]}"
        return done.stdout

    pip = (programs / "python", "-m", "pip", "install", "-q", "--disable-pip-version-check")
    run(*pip, "-c", ROOT / "constraints.txt", wheel)
    for command in COMMANDS:
        run(programs / "firebreak", *command)
    assert [name for name in WRITTEN if not (empty / name).stat().st_size] == []
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert run(programs / "python", "-c", PYTHON).strip() == version
    first = (empty / "my_sample" / "data" / "plan.tif").read_bytes()
    run(*pip, "--no-deps", "--force-reinstall", sdist)
    assert run(programs / "firebreak", "--version").strip() == f"firebreak {version}"
    run(programs / "firebreak", *COMMANDS[0])
    assert (empty / "my_sample" / "data" / "plan.tif").read_bytes() == first


def environment(folder: Path) -> Path:
    """An environment with pip and nothing else; the folder of its programs."""
    venv.create(folder, with_pip=True)
    return folder / ("Scripts" if os.name == "nt" else "bin")


@pytest.mark.slow
@pytest.mark.timeout(5400)
def test_the_steps_of_the_container_make_a_program_that_runs(tmp_path: Path) -> None:
    """Where podman or docker is there, the image is built; elsewhere its steps run in a folder."""
    pytest.importorskip("build", reason="the package build is absent")
    done = subprocess.run([sys.executable, str(ROOT / "scripts" / "container_steps.py"),
                           str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 0, f"{done.stdout[-3000:]}{done.stderr[-3000:]}"
    assert "80 cells" in done.stdout
    assert "ran: plan sample:santa-ana" in done.stdout
