"""`firebreak bench`: how fast this machine is."""

from firebreak.cli.commands.bench.command import run

__all__ = ["run"]
