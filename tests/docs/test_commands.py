"""Commands that pages show are understood, also those that take long or need other files."""

import re
import shlex
import sys
from pathlib import Path

import pytest

from firebreak.checks import InputError
from firebreak.cli.commands import PROGRAMS, class_of
from firebreak.cli.shared.common import parse
from firebreak.train.config.load import presets

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import run_docs  # noqa: E402

PAGES = run_docs.pages([*run_docs.PAGES, "src/firebreak/policies/README.md"])
FENCE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
STARTS = re.compile(r"^(?:firebreak|python3 scripts/run\.py) ")


def shown(page: Path) -> list[str]:
    """The commands of firebreak on a page: in fences, and with arguments in the text."""
    text = page.read_text(encoding="utf-8")
    fenced = [line for block in run_docs.blocks(page) if block.kind in ("sh", "text")
              for line in run_docs.commands(block)]
    spans = [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", FENCE.sub("", text))]
    return [STARTS.sub("", line) for line in [*fenced, *(
        span for span in spans if " -" in span)] if STARTS.match(line) and "..." not in line]


def refusal(line: str) -> str | None:
    """Why a command is not understood; None where it is, or is none of those with options."""
    words = shlex.split(line.replace("--config my_plan.toml ", ""))  # a reader's own, read at once
    for count in (2, 1):
        name = " ".join(words[:count])
        if name in PROGRAMS and not {"--help", "--help-all"} & set(words):
            try:
                parse(class_of(name), words[count:], name)
            except InputError as error:
                return str(error)
            return _unknown_start(words) if name == "train" else None
    return None


def _unknown_start(words: list[str]) -> str | None:
    """Why nothing begins with the first word after `train`; None for a preset or a file."""
    first = words[1] if len(words) > 1 else ""
    known = first in presets() or first.endswith(".toml") or first.startswith("-")
    return None if known else f"no preset {first}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_of_pages_are_understood(page: Path) -> None:
    found = {line: refusal(line) for line in shown(page)}
    assert {line: why for line, why in found.items() if why is not None} == {}


def test_there_are_commands_and_a_wrong_one_is_told(tmp_path: Path) -> None:
    assert sum(len(shown(page)) for page in PAGES) > 70
    page = tmp_path / "page.md"
    page.write_text("`firebreak plan a.tif --budgets\n0.1`\n\n```sh skip: x\nfirebreak landscape "
                    "lines a.tif\n```\n")
    told = [refusal(line) for line in shown(page)]
    assert ["--out" in told[0], "--budgets" in told[1]] == [True, True]  # type: ignore[operator]
