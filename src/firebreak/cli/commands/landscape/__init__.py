"""`firebreak landscape`: info, generate, convert, fetch, lines."""

from firebreak.cli.commands.landscape.command import run

__all__ = ["run"]
