"""Options, held against the methods, test fires and reports that would heed them: none is without
effect.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from firebreak.checks import fail
from firebreak.landscape.names import is_path, is_sample
from firebreak.settings.breaks import BreakSettings
from firebreak.settings.fire import FireSettings
from firebreak.settings.schema import option_of

if TYPE_CHECKING:
    from firebreak.api.shared.plan_options import PlanOptions
    from firebreak.api.shared.scene_options import PlanningOptions, SceneOptions
    from firebreak.landscape.landscape import Landscape


def check_heeded(methods: Sequence[str], options: "PlanningOptions") -> None:
    """Refuses a policy where no method follows one, and limits where none searches. Of several
    methods it is enough that one does.

    methods: known ones.

    Raises:
        InputError: naming the option and the methods that heed it.
    """
    from firebreak.planning.methods import CHOOSERS, METHODS

    searching = [name for name, own in METHODS.items() if own.searches]
    following = [*CHOOSERS, *(name for name, own in METHODS.items() if own.guided)]
    for option, value, what, heeding in (
            ("--time-limit", options.time_limit, "searches", searching),
            ("--policy", options.policy, "follows a policy", following)):
        if value is not None and not {*heeding} & {*methods}:
            raise fail(expected=f"a method that {what}: {', '.join(heeding)}",
                       given=", ".join(methods) or "none", where=option,
                       remedy="name one of them, or leave it out")


def check_heeded_on(land: "Landscape", source: "str | Landscape", options: "SceneOptions") -> None:
    """Refuses what says nothing of fires on the one landscape that is asked for: where several are,
    another may heed it.

    land: as the options read it; source: what from.

    Raises:
        InputError: naming the option.
    """
    from firebreak.landscape.fuel_systems import FBP

    if isinstance(source, str) and not (is_path(source) or is_sample(source)) and (
            options.map.terrain != type(options.map).terrain):
        raise fail(expected="a landscape of a file or folder", given=f"{source}, whose slopes "
                   "follow from its elevations", where="--terrain", remedy="leave it out")
    breaks, fire = options.breaks, options.fire
    if land.road_m is None and breaks.hold is not None and (
            breaks.crew_speed_km_h != BreakSettings.crew_speed_km_h):
        raise fail(expected="--roads together with --crew-speed-km-h", given="none",
                   where="--crew-speed-km-h",
                   remedy="say where crews come from, or leave it out")
    for name in ("crown", "wind_limit", "length_to_width"):
        if land.fuel_system == FBP.name and getattr(fire, name) != getattr(FireSettings, name):
            raise fail(expected="fuels of Scott & Burgan or Anderson", given="those of the FBP "
                       "System, which says it by itself", where=option_of(name),
                       remedy="leave it out")


def is_judged(options: "PlanOptions") -> bool:
    """Whether a plan that is made at once is compared with others on test fires."""
    return options.test_fires != 0 and options.report != "none"


def check_judged(options: "PlanOptions") -> None:
    """Refuses a number of test fires that tells nothing, and options that say nothing without test
    fires, by windows or at once.

    Raises:
        InputError: naming the option.
    """
    if options.test_fires != 0 and options.test_fires < 2:
        raise fail(expected="at least 2 test fires, or 0 for none", given=f"{options.test_fires}",
                   where="--test-fires", remedy="1000 is usual")
    if options.test_fires == 0:
        _check_alone("test fires", "--test-fires 0", {
            "--existing": options.place.existing is not None,
            f"--report {options.report}": options.report in ("full", "brief"),
            "--fires-per-ha-year": options.fires_per_ha_year is not None})


def check_judged_at_once(options: "PlanOptions") -> None:
    """Refuses also what the report that is asked for would not tell of a plan that is made at once.

    Raises:
        InputError: naming the option.
    """
    check_judged(options)
    if options.report == "none":
        _check_alone("a report", "--report none", {
            "--existing": options.place.existing is not None})
    if options.report in ("none", "brief"):
        _check_alone("--report full", f"--report {options.report}", {
            "--fires-per-ha-year": options.fires_per_ha_year is not None})


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
    if is_judged(options) or by_choice or place.lines is not None:
        return
    _check_alone("a report, --lines or the method auto" if at_once else "a report",
                 f"--report {options.report}" if options.test_fires else "--test-fires 0",
                 {"--segment-m": place.segment_m != type(place).segment_m})


def _check_alone(needed: str, where: str, given: dict[str, bool]) -> None:
    """Refuses what is given without what it needs."""
    for name, is_given in given.items():
        if is_given:
            raise fail(expected=f"{needed} together with {name}", given="none", where=where,
                       remedy="leave one of the two out")
