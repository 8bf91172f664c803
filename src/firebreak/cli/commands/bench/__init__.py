"""`firebreak bench`: how fast this machine is. Measurements of methods and
models are in `benchmarks`, outside the package."""

from firebreak.cli.commands.bench.command import run

__all__ = ["run"]
