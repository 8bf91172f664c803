"""The pages of commands and keys, which each build of the documentation makes."""

import re
import sys
from pathlib import Path

from firebreak.cli.commands import PROGRAMS
from firebreak.cli.help import options_of
from firebreak.train.config.schema import RunConfig

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
import reference_pages


def test_the_page_of_commands_has_every_option() -> None:
    parts = dict(re.findall(r"^## ([\w ]+)\n\n```text\n(.*?)^```", reference_pages.commands(),
                            re.DOTALL | re.MULTILINE))
    assert list(parts) == [*PROGRAMS]
    for name, text in parts.items():
        shown = set(re.findall(r"^  (--[a-z0-9-]+)", text, re.MULTILINE))
        assert {*options_of(name)} - {"--help", "--help-all"} == shown, name


def test_the_page_of_keys_has_every_key_with_its_default() -> None:
    text = reference_pages.configuration()
    assert "| `budget` | `0.05` | Share of the treatable cells' cost. |" in text
    for name in vars(RunConfig()):
        assert name in ("seed", "budget") or f"### [{name}]" in text
    assert "| `kind` | `\"hard\"` |" in text.partition("### [breaks]")[2].partition("###")[0]
    assert "break_kind" not in text.partition("### [breaks]")[2]
