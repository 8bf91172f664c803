"""`firebreak landscape`: info, generate, convert, fetch."""

from firebreak.cli.commands.landscape.command import run

__all__ = ["run"]
