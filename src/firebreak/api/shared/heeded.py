"""Options of methods, held against the methods that are asked for: none is without effect."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from firebreak.checks import fail

if TYPE_CHECKING:
    from firebreak.api.shared.scene_options import PlanningOptions


def check_heeded(methods: Sequence[str], options: "PlanningOptions") -> None:
    """Refuses a policy where no method follows one, limits where none searches, and a start where
    none begins with one. Of several methods it is enough that one does.

    methods: known ones.

    Raises:
        InputError: naming the option and the methods that heed it.
    """
    from firebreak.planning.methods import CHOOSERS, METHODS

    searching = [name for name, own in METHODS.items() if own.searches]
    counting = [name for name, own in METHODS.items() if own.counts]
    starting = [name for name, own in METHODS.items() if own.takes_start]
    following = [*CHOOSERS, *(name for name, own in METHODS.items() if own.guided)]
    started = starting if options.search_from in following else []
    for option, value, what, heeding, also in (
            ("--search-from", options.search_from, "starts from another's plan", starting, []),
            ("--time-limit", options.time_limit, "searches", searching, []),
            ("--evaluations", options.evaluations, "counts the plans it tries", counting, []),
            ("--policy", options.policy, "follows a policy", following, started)):
        if value is not None and not {*heeding, *also} & {*methods}:
            raise fail(expected=f"a method that {what}: {', '.join(heeding)}",
                       given=", ".join(methods) or "none", where=option,
                       remedy="name one of them, or leave it out")
