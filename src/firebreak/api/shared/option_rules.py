"""The rules over options that depend on more than options: on the methods that are asked for, on
the landscape that was read, on how much is told of a plan. The others are in `settings.rules`.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from firebreak.api.shared.map_defaults import is_map
from firebreak.checks import fail
from firebreak.landscape.names import is_made
from firebreak.settings.rules import Rule, check, check_method

if TYPE_CHECKING:
    from firebreak.api.shared.plan_options import PlanOptions
    from firebreak.api.shared.scene_options import PlanningOptions, SceneOptions
    from firebreak.landscape.landscape import Landscape


def check_methods_fit(methods: Sequence[str], options: "PlanningOptions") -> None:
    """Refuses a policy where no method follows one, limits where none searches, and draws where
    none draws. Of several methods it is enough that one does.

    methods: known ones.

    Raises:
        InputError: naming the option and the methods that heed it.
    """
    from firebreak.planning.methods import CHOOSERS, METHODS

    check_method(options, methods, {
        "time_limit": ("searches", [name for name, own in METHODS.items() if own.searches]),
        "policy": ("follows a policy",
                   [*CHOOSERS, *(name for name, own in METHODS.items() if own.guided)]),
        "random_draws": ("draws its plans",
                         [name for name, own in METHODS.items() if own.stochastic])})


def check_on_maps(sources: "Sequence[str | Landscape]", options: "SceneOptions") -> None:
    """Refuses the share of synthetic land that burns where one of the landscapes is a map that is
    read.

    sources: paths or names, or landscapes.

    Raises:
        InputError: naming the option and what to write instead.
    """
    if any(is_map(source) for source in sources):
        check(options, rules=[Rule(
            ("burned_share",), (), lambda _: True, "no {name} on a map that is read", "{value}",
            "give hours instead, for example --burning-hours 8 --burning-periods 1.2")])


def check_on_land(land: "Landscape", source: "str | Landscape", options: "SceneOptions") -> None:
    """Refuses what says nothing of fires on the one landscape that is asked for: where several are,
    another may heed it.

    land: as the options read it; source: its path or name, or the landscape itself.

    Raises:
        InputError: naming the option.
    """
    from firebreak.landscape.fuel_systems import FBP

    made = isinstance(source, str) and is_made(source)
    check(options, rules=(
        Rule(("burning_periods",), ("burning_hours",),
             lambda given: not is_map(source) and given["burning_hours"] is None,
             "--burning-hours together with {name}", "none", "add it, or leave the periods out"),
        Rule(("terrain",), (), lambda _: made, "a landscape of a file or folder",
             "one whose slopes follow from its elevations", "leave it out"),
        Rule(("crew_speed_km_h",), (), lambda _: land.road_m is None,
             "--roads together with {name}", "none",
             "say where crews come from, or leave it out"),
        Rule(("crown",), (),
             lambda _: land.fuel_system == FBP.name, "fuels of Scott & Burgan or Anderson",
             "those of the FBP System, which says it by itself", "leave it out")))


def check_corridors(source: "str | Landscape", options: "PlanOptions") -> None:
    """Refuses what says something of corridors on land that is made, which has none.

    source: a path or name, or the landscape itself.

    Raises:
        InputError: naming the option.
    """
    check(options, rules=[Rule(
        ("house_buffer",), (), lambda _: not is_map(source),
        "a map that is read together with {name}", "synthetic land, which has no corridors",
        "leave it out")])


def is_judged(options: "PlanOptions") -> bool:
    """True for a plan that is made at once and compared with others on test fires."""
    return options.test_fires != 0 and options.report != "none"


def check_segments(options: "PlanOptions", *, by_choice: bool, at_once: bool = True) -> None:
    """Refuses a length of segments where nothing is cut into any. Not in Python, where the lines of
    a plan can be asked for afterwards.

    Args:
        by_choice: several methods are tried, and single segments left out.
        at_once: not by windows, where nothing but the report knows segments.

    Raises:
        InputError: naming the option.
    """
    place = options.place
    if (is_judged(options) or by_choice or place.lines is not None
            or place.segment_m == type(place).segment_m):
        return
    needed = "a report, --lines or the method auto" if at_once else "a report"
    raise fail(expected=f"{needed} together with --segment-m", given="none",
               where=f"--report {options.report}" if options.test_fires else "--test-fires 0",
               remedy="leave one of the two out")
