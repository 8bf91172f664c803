"""Writes docs/api/commands.md and docs/api/configuration.md, every option of every command and
every key of a configuration, from the classes that hold them; every build of the documentation
does.
"""

import json
import os
from pathlib import Path

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
    from firebreak.settings.schema import leaves
    from firebreak.train.config.schema import RunConfig

    plan = (ROOT / "configs" / "plan.toml").read_text(encoding="utf-8").strip()
    tables: dict[str, list[str]] = {}
    for leaf in leaves(RunConfig).values():
        table, _, key = leaf.key.rpartition(".")
        tables.setdefault(table, []).append(_row(key, leaf.default, leaf.help))
    parts = [CONFIGURATION.format(plan=plan), "\n".join([HEAD, *tables.pop("")])]
    for name, rows in tables.items():
        about = " ".join((type(getattr(RunConfig(), name)).__doc__ or "").split())
        parts.append(f"\n### [{name}]\n\n{about}\n\n" + "\n".join([HEAD, *rows]))
    return "\n".join(parts) + "\n"


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
