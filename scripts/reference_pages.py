"""Writes docs/api/commands.md and docs/api/configuration.md, every option of every command and
every key of a configuration, from the classes that hold them; every build of the documentation
does.
"""

import dataclasses
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "docs" / "api"

COMMANDS = """# Commands

Every option of every command, as `--help-all` prints them. Exit codes: 0 done, 1 a check failed, 2
bad input (one sentence, nothing written), 3 disk, memory or a worker failed, 4 not judged (`memory
check`), 130 interrupted, 141 the program that read the output closed it, 143 terminated. Every
command takes `--json` for one machine-readable line at its end.
"""
CONFIGURATION = """# Configuration

Two kinds of files hold options: that of a plan, and that of a run.

## A plan (`firebreak plan --config FILE`)

Keys are the options' names with underscores; paths are relative to the file.

```toml
{plan}
```

## A run (`firebreak train FILE`)

`--set TABLE.KEY=VALUE` changes a key for one run. Paths are relative to the data folder (`--data`).
"""
HEAD = "| key | default | meaning |\n|---|---|---|"


def commands() -> str:
    """The page of the commands."""
    os.environ["COLUMNS"] = "100"
    from firebreak.cli.commands import PROGRAMS
    from firebreak.cli.help import help_text

    parts = [COMMANDS]
    for name in PROGRAMS:
        shown = help_text(name, everything=True)
        parts.append(f"## {name}\n\n```text\n{shown}\n```\n")
    return "\n".join(parts)


def configuration() -> str:
    """The page of the files of options."""
    from firebreak.train.config.schema import RunConfig

    plan = (ROOT / "configs" / "plan.toml").read_text(encoding="utf-8").strip()
    top = [_row(name, field.default, field.description or "")
           for name, field in RunConfig.model_fields.items() if not _is_table(field.default)]
    parts = [CONFIGURATION.format(plan=plan), "\n".join([HEAD, *top])]
    for name, field in RunConfig.model_fields.items():
        if _is_table(field.default):
            about = " ".join((type(field.default).__doc__ or "").split())
            parts.append(f"\n### [{name}]\n\n{about}\n\n" + "\n".join(
                [HEAD, *(_row(*row) for row in keys_of(field.default))]))
    return "\n".join(parts) + "\n"


def keys_of(table: Any) -> Iterator[tuple[str, object, str]]:
    """Key, default and meaning of each key of a table."""
    from firebreak.settings.schema import meanings
    from firebreak.settings.surfaces import TOML_NAMES

    if dataclasses.is_dataclass(table) and not isinstance(table, type):
        told = meanings(type(table))
        for field in dataclasses.fields(table):
            yield (TOML_NAMES.get(field.name, field.name), getattr(table, field.name),
                   told.get(field.name, ""))
        return
    for name, field in type(table).model_fields.items():
        yield name, getattr(table, name), field.description or ""


def _is_table(value: object) -> bool:
    return dataclasses.is_dataclass(value) or hasattr(type(value), "model_fields")


def _row(key: str, default: object, meaning: str) -> str:
    shown = "" if default is None else f"`{json.dumps(default, default=str)}`"
    return f"| `{key}` | {shown} | {meaning.replace('|', chr(92) + '|')} |"


def main() -> None:
    """Writes both."""
    OUT.mkdir(exist_ok=True)
    (OUT / "commands.md").write_text(commands(), encoding="utf-8")
    (OUT / "configuration.md").write_text(configuration(), encoding="utf-8")


if __name__ == "__main__":
    main()
