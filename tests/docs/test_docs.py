"""The pages: every fence is known, every command is one, the site builds, the picture is true."""

import re
import subprocess
import sys
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest

from firebreak import fire
from firebreak.cli import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import api_pages  # noqa: E402
import architecture  # noqa: E402
import line_counts  # noqa: E402
import run_docs  # noqa: E402

PAGES = run_docs.pages(list(run_docs.PAGES))
SHELL = [block for page in PAGES for block in run_docs.blocks(page) if block.kind == "sh"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_fence_says_what_is_in_it(page: Path) -> None:
    for block in run_docs.blocks(page):
        assert block.kind in run_docs.KINDS, f"{page.name}:{block.line}"
        if block.kind in ("sh", "python"):
            assert block.about in ("", "long") or re.fullmatch(r"skip: .{8,}", block.about)
        if block.kind == "python":
            compile(block.text, f"{page.name}:{block.line}", "exec")
        elif block.kind == "toml":
            assert tomllib.loads(block.text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_prose_is_wrapped(page: Path) -> None:
    prose = re.sub(r"^```.*?^```", lambda fence: "\n" * fence[0].count("\n"),
                   page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    long = [f"{page.name}:{number}" for number, line in enumerate(prose.split("\n"), 1)
            if len(line) > 100 and not line.startswith("|")]
    assert not long


@pytest.mark.parametrize("block", SHELL, ids=lambda block: f"{block.page.name}:{block.line}")
def test_every_line_of_a_shell_fence_is_a_command_that_there_is(block: run_docs.Block) -> None:
    lines = run_docs.commands(block)
    assert lines
    for line in lines:
        words = run_docs.command_line(line, setup=False)
        if words[1:3] == ["-m", "firebreak"]:
            assert words[3] in (*COMMANDS, "setup"), line
        elif words[0] == sys.executable and words[1] != "-m":
            assert (ROOT / words[1]).is_file(), line


def test_the_runner_takes_comments_off_and_knows_its_interpreter() -> None:
    block = run_docs.Block(Path("x"), 1, "sh", "", "firebreak bench   # fast\n\n# nothing\nls")
    assert run_docs.commands(block)[0] == "firebreak bench"
    long = block._replace(text="python a.py --b \\\n  --c d \\\n  --e\nls")
    assert run_docs.commands(long) == ["python a.py --b --c d --e", "ls"]
    assert run_docs.command_line("firebreak bench", False) == [sys.executable, "-m", "firebreak",
                                                               "bench"]
    assert run_docs.command_line("python3 scripts/run.py plan x", True)[1:] == [
        "scripts/run.py", "plan", "x"]


def test_a_failing_command_is_told(tmp_path: Path) -> None:
    block = run_docs.Block(ROOT / "README.md", 1, "sh", "", "python -c 'raise SystemExit(3)'\n"
                                                            "python -c pass")
    ran: set[tuple[str, ...]] = set()
    failed = run_docs.run_block(block, tmp_path, False, {}, ran)
    assert failed == ["README.md:1: python -c 'raise SystemExit(3)'"]
    assert len(ran) == 2
    assert run_docs.run_block(block, tmp_path, False, {}, ran) == []


def test_the_picture_of_the_house_shows_the_imports_that_there_are() -> None:
    drawn = set(re.findall(r"<title>(\w+) imports (\w+) \d+ times</title>",
                           architecture.OUT.read_text()))
    _, arrows = architecture.parts()
    assert drawn == {pair for pair in arrows if pair[1] != "base"}, "run scripts/architecture.py"
    assert architecture.upward() == []


def test_the_table_of_lines_is_true() -> None:
    """Within 3 % in all, so that not every change has to write it."""
    page = line_counts.PAGE.read_text(encoding="utf-8").split(line_counts.MARKS[0])[1]
    written, now = (int(re.findall(r"^\| all of src .*? \| [\d,]+ \| ([\d,]+) ", table,
                                   re.MULTILINE)[0].replace(",", ""))
                    for table in (page, line_counts.table()))
    assert abs(written - now) <= 0.03 * now, "run scripts/line_counts.py --write"


def test_the_pages_stay_within_their_bounds() -> None:
    counted = line_counts.pages()
    assert len(counted.keys() - line_counts.MADE) <= line_counts.MOST_PAGES
    assert sum(count["hand"] for count in counted.values()) <= line_counts.MOST_WORDS, \
        "run scripts/line_counts.py, and say which words go"
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 90


def test_rows_that_a_script_writes_are_generated_and_its_sentences_are_not(tmp_path: Path) -> None:
    text = ("One word, 2 - 3.\n\n| by | hand |\n\n<!-- table: a -->\nA remark.\n| made | 4.5 % |\n"
            "<!-- end: a -->\n")
    own, made = tmp_path / "own.md", tmp_path / "licences.md"
    for page in (own, made):
        page.write_text(text)
    assert line_counts.words_of(own) == {"hand": 12, "generated": 2}
    assert line_counts.words_of(made) == {"hand": 10, "generated": 4}


def test_lines_are_code_docstrings_or_blank(tmp_path: Path) -> None:
    python, native = tmp_path / "a.py", tmp_path / "a.cpp"
    python.write_text('"""One.\n\nTwo."""\n\n# why\nx = """s"""  # not alone\n"""About x."""\n')
    native.write_text("/* a\n\n b */ int x;  // c\n// d\n\nint y;\n")
    kinds = ("lines", "code", "docs", "blank")
    assert [line_counts.counts_of(python)[kind] for kind in kinds] == [7, 1, 4, 2]
    assert [line_counts.counts_of(native)[kind] for kind in kinds] == [6, 2, 2, 2]


ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
SOURCE = architecture.PACKAGE


def walks() -> dict[str, list[tuple[str, list[str]]]]:
    """The walks of docs/architecture.md by heading: (room, modules named) of each step."""
    section = ARCHITECTURE.split("## Five walks")[1].split("\n## ")[0]
    found = {}
    for part in section.split("\n### ")[1:]:
        steps = re.findall(r"^\d+\. `([\w/]+)`: (.*(?:\n +.*)*)", part, re.MULTILINE)
        found[part.split("\n")[0]] = [(room, re.findall(r"`(\w+(?:\.\w+)+)`", text))
                                      for room, text in steps]
    return found


@pytest.mark.parametrize("name", walks())
def test_no_room_of_a_walk_is_entered_twice(name: str) -> None:
    rooms = [room for room, _ in walks()[name]]
    assert 4 <= len(rooms) <= 12
    assert sorted(set(rooms)) == sorted(rooms)


@pytest.mark.parametrize("name", walks())
def test_every_module_of_a_walk_lies_in_its_room(name: str) -> None:
    for room, modules in walks()[name]:
        here = [module for module in modules if not module.endswith(".tif")]
        assert here, room
        for module in here:
            assert module.replace(".", "/").rpartition("/")[0] == room, module
            assert (SOURCE / f"{module.replace('.', '/')}.py").is_file(), module


def test_every_room_is_in_the_lists_of_rooms() -> None:
    rows = re.findall(r"^\| (`.*?) \|", ARCHITECTURE, re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`([\w/]+)`", row)}
    rooms = {path.parent.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("__init__.py")}
    rooms = {room for room in rooms if room.count("/") < 2} - {"."}
    single = {path.stem for path in SOURCE.glob("*.py") if not path.stem.startswith("_")}
    assert named == rooms | single


def test_every_public_module_has_its_place_in_the_api() -> None:
    text = "".join(api_pages.pages().values())
    named = set(re.findall(r"automodule:: firebreak\.([\w.]+)", text))
    there = {".".join(path.relative_to(api_pages.PACKAGE).with_suffix("").parts)
             for path in api_pages.PACKAGE.rglob("*.py")
             if not path.stem.startswith("_")}
    assert named == {name for name in there if not name.startswith("cli.")}


def test_the_api_of_fire_begins_with_what_other_parts_import() -> None:
    page = api_pages.pages()["fire.md"]
    listed = set(re.findall(r"^\| `(\w+)` \| `fire\.", page.split("## ")[0], re.MULTILINE))
    assert listed == set(fire.__all__)


def test_the_tests_that_pages_name_exist() -> None:
    named = {name for page in PAGES
             for name in re.findall(r"`([\w/]+\.py::test_\w+)`", page.read_text(encoding="utf-8"))}
    assert len(named) > 5
    gone = [name for name in sorted(named)
            if f"def {name.partition('::')[2]}(" not in
            (ROOT / "tests" / name.partition("::")[0]).read_text(encoding="utf-8")]
    assert not gone


def test_the_counts_of_drawn_cases_are_those_of_the_tests() -> None:
    text = (ROOT / "docs" / "fire-model.md").read_text(encoding="utf-8")
    rows = re.findall(r"\| `([\w/]+\.py)::(test_\w+)` \| (\d+) \|", text)
    assert len(rows) == 9
    for path, name, count in rows:
        source = (ROOT / "tests" / path).read_text(encoding="utf-8")
        assert re.search(rf"max_examples={count},[^@]*\)\ndef {name}\(", source), name


def test_every_page_is_in_the_contents() -> None:
    index = (ROOT / "docs" / "index.md").read_text()
    listed = set(re.findall(r"^([\w/*-]+)$", index, re.MULTILINE))
    there = {path.stem for path in (ROOT / "docs").glob("*.md")} - {"index", "results.template"}
    there |= {f"api/{name.removesuffix('.md')}" for name in api_pages.pages()}
    there |= {"api/commands", "api/configuration"}  # of scripts/reference_pages.py
    assert [page for page in there if not any(fnmatch(page, entry) for entry in listed)] == []
    assert [entry for entry in listed if not any(fnmatch(page, entry) for page in there)] == []


@pytest.mark.slow
def test_the_site_builds_without_a_warning_and_asks_nothing_from_elsewhere(tmp_path: Path) -> None:
    for package in ("sphinx", "furo", "myst_parser"):
        pytest.importorskip(package, reason=f"the package {package} is absent: [docs]")
    done = subprocess.run([sys.executable, "-m", "sphinx", "-W", "-q", "--keep-going", "-b", "html",
                           str(ROOT / "docs"), str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    fetched = re.compile(r"<(?:script|img|link|iframe)\b[^>]*(?:src|href)=[\"'](?:https?:)?//")
    pages = list(tmp_path.rglob("*.html"))
    assert len(pages) > 30
    assert [page.name for page in pages if fetched.search(page.read_text())] == []


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_every_command_of_the_pages_runs_in_a_fresh_clone() -> None:
    done = subprocess.run([sys.executable, "scripts/run_docs.py"], cwd=ROOT, capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stdout[-3000:]
