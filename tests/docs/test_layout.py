"""Layout of the pages: what wrapping and indenting can break, and a reader sees at once."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import run_docs  # noqa: E402

MORE = ("CHANGELOG.md", "src/firebreak/policies/README.md", "benchmarks/policies/README.md")
PAGES = run_docs.pages([*run_docs.PAGES, *MORE])
FENCE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
MARKER = re.compile(r"\s*([-+*]|\d+[.)])\s")
SHELL = re.compile(r"^ *```sh\n(.*?)^ *```", re.DOTALL | re.MULTILINE)
PROGRAMS = {"firebreak", "python", "python3", "pip", "git", "cd", "for"}
BACKSLASH = re.compile(r"\\(?!\n)")


def faults(text: str) -> list[str]:
    """What a page shows otherwise than it was meant, each with the number of its line."""
    found = []
    lines = FENCE.sub(lambda fence: "\n" * fence[0].count("\n"), text).split("\n")
    first = before = ""  # line of the paragraph or list; line before
    for number, line in enumerate(lines, 1):
        first = first if before.strip() else line
        if MARKER.match(line) and before.strip() and not MARKER.match(first):
            found.append(f"{number}: a paragraph that goes on as a list")
        elif MARKER.match(line) and before.count("(") > before.count(")"):
            found.append(f"{number}: a bracket that goes on as a list")
        if re.match(r" {4}\S", line) and not before.strip():
            found.append(f"{number}: code that stands in no fence")
        if line.startswith(": "):
            found.append(f"{number}: a definition, which the pages' Markdown does not have")
        before = line
    if (len(re.findall(r"^```", text, re.MULTILINE)) % 2
            or re.search(r"[^`\n]```$", text, re.MULTILINE)):
        found.append("a fence that does not begin or end on a line of its own")
    found += [f"{text[:fence.start()].count(chr(10)) + 1}: a backslash within a line of code"
              for fence in FENCE.finditer(text) if BACKSLASH.search(fence[0])]
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages_show_what_was_meant(page: Path) -> None:
    assert faults(page.read_text(encoding="utf-8")) == []


def no_commands(text: str) -> list[str]:
    """Lines of shell code that begin with no program, and blocks that a shell cannot read: what is
    left where a block was wrapped as if it were prose.
    """
    found = []
    for block in SHELL.findall(text):
        read = subprocess.run(["bash", "-n"], input=block, capture_output=True, text=True,
                              check=False)
        found += read.stderr.splitlines()
        lines = [line.strip() for line in block.replace("\\\n", " ").splitlines()]
        found += [line for line in lines
                  if line and not line.startswith("#") and line.split()[0] not in PROGRAMS]
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_shell_code_is_commands(page: Path) -> None:
    assert no_commands(page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(("code", "count"), [
    ("firebreak plan a --set\ntrain.threads=1\n", 1), ("for S in 0 1; do firebreak plan done\n", 1),
    ("firebreak plan a \\\n    --budget 2%\n# why\n\npip install b\n", 0)])
def test_wrapped_shell_code_is_found(code: str, count: int) -> None:
    assert len(no_commands(f"# Page\n\n```sh\n{code}```\n")) >= count
    assert bool(no_commands(f"```sh\n{code}```\n")) == bool(count)


@pytest.mark.parametrize("text", ["it is +0.053 (0.036\n- 0.070).", "- it is (0.036\n  - 0.070)",
                                  "Run:\n\n    firebreak plan", "A term\n: its meaning",
                                  "```sh\na --b \\ --c\n```", "many of them:\n1. one",
                                  "```sh long firebreak plan a\n--out b ```"])
def test_a_fault_is_found(text: str) -> None:
    assert len(faults(f"# Page\n\n{text}\n")) == 1


def test_lists_and_commands_over_several_lines_are_no_fault() -> None:
    assert faults("- one (a\n  b)\n- two\n\n1. one\n\n   more\n\n```sh\na \\\n  --b\n```\n") == []
