"""What pages say twice, or say of the code: names, codes and numbers agree."""

import re
import sys
from pathlib import Path
from typing import get_args, get_type_hints

from firebreak.cli.commands.landscape.command import ConvertArguments
from firebreak.settings.scene import TOML_NAMES

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import reference_pages  # noqa: E402


def page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_page_of_formats_lists_every_format_that_is_written() -> None:
    table = page("docs/formats.md").partition("## Output formats")[2]
    written = re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)
    assert sorted(written) == sorted(get_args(get_type_hints(ConvertArguments)["to"]))


def test_the_page_of_training_names_every_key_that_is_called_otherwise() -> None:
    text = " ".join(page("docs/train-your-policy.md").split())
    said = re.search(r"Two names differ: (.*?)\. ", text)
    assert said
    options = [f"--{name.replace('_', '-')}" for name in TOML_NAMES]
    keys = [f"breaks.{name}" for name in TOML_NAMES.values()]
    assert set(re.findall(r"`(.*?)`", said[1])) == {*options, *keys}


def test_every_variable_of_the_environment_is_listed() -> None:
    used = {name for folder in ("src", "qgis") for path in (ROOT / folder).rglob("*.py")
            for name in re.findall(r"\"(FIREBREAK_[A-Z_]+)\"", path.read_text(encoding="utf-8"))}
    assert len(used) > 2
    assert used <= set(re.findall(r"^\| `(\w+)` \|", page("docs/start.md"), re.MULTILINE))


def test_two_pages_list_the_same_exit_codes() -> None:
    table = page("docs/reliability.md").partition("## Exit codes")[2].partition("\n## ")[0]
    listed = [code for row in re.findall(r"^\| ([\d, ]+) \|", table, re.MULTILINE)
              for code in row.split(", ")]
    said = reference_pages.COMMANDS.partition("Exit codes: ")[2]
    assert sorted(listed) == sorted(re.findall(r"\b(\d+)\s[a-z]", said))
