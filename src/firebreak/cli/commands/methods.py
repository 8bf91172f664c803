"""`firebreak methods`: the planning methods by name, and what each does."""

import textwrap
from dataclasses import dataclass

from firebreak.cli.shared import common
from firebreak.settings.binding import Bound

WIDTH = 96


@dataclass(frozen=True)
class MethodsArguments:
    """List the planning methods, which --method and --methods take, and what each does."""

    json: bool = False
    """End with one machine-readable line."""


def run(bound: Bound[MethodsArguments]) -> int:
    """Runs the command."""
    args = bound.options
    from firebreak.planning.methods import CHOOSERS, DEFAULT, METHODS

    column = max(map(len, METHODS)) + 2
    descriptions = CHOOSERS | {name: method.description for name, method in METHODS.items()}
    for name, description in descriptions.items():
        text = description + (" (the default of plan)" if name == DEFAULT else "")
        text += (" (searches until --time-limit)" if name in METHODS and METHODS[name].searches
                 else "")
        print(textwrap.fill(text, WIDTH, initial_indent=name.ljust(column),
                            subsequent_indent=" " * column, break_on_hyphens=False))
    if args.json:
        common.print_json({"methods": {
            name: {"description": description, "default": name == DEFAULT,
                   "stochastic": name in METHODS and METHODS[name].stochastic,
                   "policy": name in CHOOSERS or METHODS[name].guided,
                   "searches": name in METHODS and METHODS[name].searches}
            for name, description in descriptions.items()}})
    return 0
