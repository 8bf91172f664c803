"""What is asked of a plan by windows, checked before its fires are made: no option is without
effect, see docs/scale.md.
"""

from typing import TYPE_CHECKING

import numpy as np

from firebreak.api.shared.executor_options import BurnOptions
from firebreak.api.shared.heeded import check_judged, check_segments
from firebreak.checks import fail
from firebreak.cli.shared.plan_record import PlanArguments

if TYPE_CHECKING:
    from firebreak.api.place.place import Place

LEAST_WINDOW = 16
"""Cells along a side of a window's core."""


def check_asked(args: PlanArguments, method: str, plan_fires: int | None) -> None:
    """Refuses options that no plan by windows can be made with, or that would change nothing in it.

    Args:
        method: what windows plan by.
        plan_fires: where their number was given.

    Raises:
        InputError: naming the option.
    """
    check_numbers(args, plan_fires)
    where = args.windows
    BurnOptions(where.executor, where.workers, where.ray_address, where.worker_limit_s).named()
    _check_effect(args, method)
    args.search().check()


def check_numbers(args: PlanArguments, plan_fires: int | None) -> None:
    """Refuses numbers that no plan can be made with, by windows or at once.

    plan_fires: where their number was given.

    Raises:
        InputError: naming the option.
    """
    for name, value, least in (("--window-cells", args.windows.window_cells, LEAST_WINDOW),
                               ("--window-margin", args.windows.window_margin, 0)):
        if value is not None and value < least:
            raise fail(expected=f"at least {least} cells", given=f"{value}", where=name,
                       remedy="leave it out")
    if plan_fires is not None and plan_fires < 1:
        raise fail(expected="at least 1 plan fire", given=f"{plan_fires}", where="--plan-fires",
                   remedy="leave it out")
    check_judged(args)


def check_windows(place: "Place", method: str, args: PlanArguments) -> None:
    """Refuses windows that are larger than what a method that follows a policy plans for.

    Raises:
        InputError: naming the window's treatable cells.
    """
    from firebreak.planning.core.learned_size import MAX_TREATABLE
    from firebreak.planning.methods import METHODS
    from firebreak.planning.windows.cores import CORE_CELLS, cores_of

    if not METHODS[method].guided:
        return
    free = place.land.treatable.copy()
    free.ravel()[place.rules.include] = False
    cores = cores_of(free.shape, args.windows.window_cells or CORE_CELLS, 0)
    most = max(int(np.count_nonzero(free[core.inside.slices])) for core in cores)
    if most > MAX_TREATABLE:
        raise fail(expected=f"windows of at most {MAX_TREATABLE:,} treatable cells (256 x 256) for "
                            f"method {method}", given=f"one of {most:,}",
                   where="--window-cells", remedy="lower it, or leave it out")


def _check_effect(args: PlanArguments, method: str) -> None:
    """Refuses what is for plans that are made at once, and what says nothing by itself."""
    from firebreak.api.place.money import phases_of
    from firebreak.planning.methods import METHODS

    where, place = f"a plan by windows of {args.landscape}", args.place
    for expected, given in (
            ("none of --lines, --phases and --horizon", {
                "--lines": place.lines is not None, "--only-lines": place.only_lines,
                "--phases": bool(phases_of(place.phases, args.config)),
                "--horizon": place.horizon is not None}),
            ("no --fires-per-ha-year", {
                "--fires-per-ha-year": args.fires_per_ha_year is not None}),
            ("--report brief or none", {"--report full": args.report == "full"})):
        for name, is_given in given.items():
            if is_given:
                raise fail(expected=expected, given=name, where=where,
                           remedy="leave it out, or plan a part of the map at once with --area")
    check_segments(args, by_choice=False, at_once=False)
    if place.discount_rate:
        raise fail(expected="--horizon together with --discount-rate", given="none",
                   where="--discount-rate", remedy="leave it out")
    if not METHODS[method].treats:
        raise fail(expected="a method that makes breaks", given=f"'{method}'", where="--method",
                   remedy="name another, or leave it out")
