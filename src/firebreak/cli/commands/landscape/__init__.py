"""`firebreak landscape`: info, generate, convert, fetch, lines. Formats of files are
in the package `landscape`."""

from firebreak.cli.commands.landscape.command import run

__all__ = ["run"]
