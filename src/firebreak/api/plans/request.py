"""The request for a plan: its options, checked, and the map and the policy, read."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from firebreak.api.shared.budget import money_by_year, phases_of
from firebreak.api.shared.executor_options import WindowOptions, use_threads
from firebreak.api.shared.map_defaults import check_one_treatment, is_map, rows_named
from firebreak.api.shared.option_rules import (
    check_corridors,
    check_on_land,
    check_on_maps,
    is_judged,
)
from firebreak.api.shared.plan_options import PlanOptions
from firebreak.api.shared.scene_checks import check_memory_first, least_rows, size_in_headers
from firebreak.checks import fail
from firebreak.landscape.names import path_of
from firebreak.planning.core.area import named_shape
from firebreak.planning.core.limits import MAX_TREATABLE
from firebreak.planning.methods import (
    CHOOSERS,
    DEFAULT,
    METHODS,
    check_methods,
    check_policy,
    check_takes_lines,
    method_of,
)
from firebreak.settings.rules import AT_ONCE, BY_WINDOWS, check

if TYPE_CHECKING:
    from firebreak.agent.policy_file import Policy
    from firebreak.api.plans.area import PlanningArea
    from firebreak.landscape.landscape import Landscape
    from firebreak.planning.core.plan import Plan

Sayer = Callable[[str], object]
"""Takes a sentence for whoever waits for the plan."""

RANDOM_DRAWS = 3
"""Plans of a random method beside a plan."""
WINDOWS_METHOD = "dqn"
"""The method that windows plan by where a chooser, or none, is named."""
BY_CHOICE = (WINDOWS_METHOD, "segments")
"""Candidates of a chooser that windows plan by; where houses are scattered, the second leads."""


_MADE = re.compile(r"(?:synthetic:\d+|closed-form:[a-z-]+)(?::(\d{1,9})(?:x(\d{1,9}))?)?(?::.*)?")
"""Names of maps that are made, with their size, a small one where there is none."""


class PlanRequest(NamedTuple):
    """All that a plan is made from.

    Attributes:
        source: what the landscape was read from; empty for one that was handed in.
        options: as given.
        method: the method, or the chooser, that plans.
        by_windows: True where the map is planned by windows, False where it is planned at once.
        area: the part of the map to plan for.
        policy: that learned methods follow, or None.
        network: of breaks to compare with, or None.
        corridors: True where the plan is to be built of corridors.
        whole: True where a plan by windows is chosen and judged as plans at once are, on a scene of
            the whole map; else tile by tile.
    """

    source: str
    options: PlanOptions
    method: str
    by_windows: bool
    area: "PlanningArea"
    policy: "Policy | None"
    network: "Plan | None"
    corridors: bool = False
    whole: bool = False


def check_options(source: "str | Landscape", options: PlanOptions) -> bool | None:
    """Refuse options that contradict one another, as far as can be seen before anything is loaded.

    source: a landscape, or what to read it from.

    Returns:
        True where the map is planned by windows, False where it is planned at once, None where its
        size decides that and is not known.

    Raises:
        InputError: naming the option.
    """
    method = options.method or DEFAULT
    check_methods([method], "--method", choosers=True)
    check_corridors(source, options)
    improves = options.place.improve is not None
    if (improves or options.windows != WindowOptions()) and (
            method not in CHOOSERS and not method_of(method).treats):
        raise fail(expected="a method that makes breaks", given=f"'{method}'", where="--method",
                   remedy="name another, or leave it out")
    if options.windows != WindowOptions():
        _check_by_windows(options)
        return True
    if (method in CHOOSERS or method_of(method).guided) and _may_be_large(source, options):
        return None
    _check_at_once(options)
    return False


def read_request(source: "str | Landscape", options: PlanOptions) -> PlanRequest:
    """Check the options, and read the map and the policy.

    A map is planned by windows where an option of windows is given, or where it has more than
    MAX_TREATABLE treatable cells, the method chooses among others or follows a policy, and no plan
    of corridors fits the memory.

    Args:
        source: a landscape, or what to read it from.

    Raises:
        InputError: options that contradict one another or do not fit the map.
    """
    from firebreak.api.plans.area import planning_area
    from firebreak.planning.core.fire_counts import fits

    by_windows = check_options(source, options)
    phases_of(options.budget)  # what is wrong there is said before a large map is read
    check_on_maps([source], options.scene)
    method, policy = options.method or DEFAULT, None
    if by_windows is not None:
        policy = _policy(method, options)
    if by_windows is False:
        _check_memory(source, options)
    check_one_treatment(options.place.network, options.scene.breaks)
    if isinstance(source, str):
        from firebreak.api.shared.scene_checks import check_breaks_first

        check_breaks_first(source, [options.place.network], options.place.area,
                           options.scene.map.crs)
    use_threads(options.scene.threads)
    full = options.scene.read(source)
    check_on_land(full, source, options.scene)
    name = source if isinstance(source, str) else ""
    area = planning_area(options.place, full, options.budget, options.scene, name)
    corridors = is_map(source) and not (options.place.cells or options.place.only_lines)

    def holds() -> bool:
        return fits(area.land.shape, options.scene.conditions(area.land, name),
                    options.fewest_plan_fires)

    if by_windows is None:
        by_windows = int(area.land.treatable.sum()) > MAX_TREATABLE and not (corridors and holds())
        if by_windows:
            _check_by_windows(options)
        else:
            _check_at_once(options)
            _check_memory(source, options)
        policy = _policy(method, options)
    whole = by_windows and (_needs_whole(options) or (options.method in CHOOSERS and holds()))
    method = WINDOWS_METHOD if by_windows and not whole and method in CHOOSERS else method
    request = PlanRequest(name, options, method, by_windows, area, policy, None,
                          corridors and not by_windows, whole)
    _check_on_map(request)
    return request._replace(network=_network(request))


def _needs_whole(options: PlanOptions) -> bool:
    """True where options ask a plan by windows for what tile by tile is not known."""
    place = options.place
    return (place.lines is not None or place.horizon is not None or options.report == "full"
            or place.improve is not None
            or options.fires_per_ha_year is not None or bool(options.budget.years))


def no_words(words: str) -> None:
    """Nobody listens."""


def _policy(planner: str, options: PlanOptions) -> "Policy | None":
    """The policy that a method or chooser follows, if any; its network has one thread."""
    from firebreak.api.shared.policies import policy_for

    policy = policy_for([planner], options.policy, options.scene)
    if planner in METHODS:
        check_policy(planner, policy)
    if policy is not None:
        use_threads(options.scene.threads, torch_threads=1)
    return policy


def compared_methods(options: PlanOptions) -> list[str]:
    """The methods that a plan that is made at once is compared with."""
    return ["none"] if options.report == "brief" else [
        name for name, method in METHODS.items() if method.compared]


def _may_be_large(source: "str | Landscape", options: PlanOptions) -> bool:
    """True where the map may have more than MAX_TREATABLE treatable cells, before it is read."""
    size = named_shape(options.place.area)
    if size is None and not isinstance(source, str):
        size = source.shape
    elif size is None and (made := _MADE.fullmatch(str(source))):
        size = int(made[1] or 0), int(made[2] or made[1] or 0)
    elif size is None:
        size = size_in_headers(path_of(str(source)))
    return size is None or size[0] * size[1] > MAX_TREATABLE


def _check_at_once(options: PlanOptions) -> None:
    """Refuse options that no plan that is made at once can heed."""
    check(options, rules=AT_ONCE)
    if options.place.horizon is not None:
        from firebreak.planning.years.savings import check_horizon

        check_horizon(rows_named(options.scene.breaks), options.place.horizon, "--horizon")


def _check_memory(source: "str | Landscape", options: PlanOptions) -> None:
    """Refuse a map and test fires that will not fit the memory before any layer is loaded."""
    from firebreak.planning.core.fire_counts import check_test_fires

    area, weather = options.place.area, options.scene.weather
    named = named_shape(area)
    if isinstance(source, str) and (area is None or named is not None):
        check_memory_first(source, named, least_rows(source, weather.weather, weather.scenarios))
    if is_judged(options):
        check_test_fires(source if isinstance(source, str) else source.name, options.test_fires,
                         RANDOM_DRAWS + len(compared_methods(options)) + 1)


def _check_by_windows(options: PlanOptions) -> None:
    """Refuse options that a plan by windows cannot heed: no option is without effect."""
    method = options.method or DEFAULT
    options.windows.check()
    check(options, rules=BY_WINDOWS)
    if _needs_whole(options):
        _check_at_once(options)
    if options.place.lines is not None and method not in CHOOSERS:
        raise fail(expected=f"the method {DEFAULT} together with --lines: windows choose among no "
                            "given lines", given=f"'{method}'", where="--method",
                   remedy="leave it out, or plan a part of the map at once with --area")
    if method_of(method).handed:
        raise fail(expected="a method that a plan by windows finds by its name",
                   given=f"the function '{method}'", where="--method",
                   remedy="plan without options of windows, or install a package that adds it")


def _check_on_map(request: PlanRequest) -> None:
    """Refuse what the map that was read speaks against."""
    from firebreak.api.plans.area import check_corridors_fit
    from firebreak.planning.core.fire_counts import check_test_fires

    options, area = request.options, request.area
    if request.by_windows:
        _check_windows(request)
    if request.by_windows and not request.whole:
        if options.test_fires:
            check_test_fires(request.source or area.full.name, options.test_fires,
                             2 if options.place.network is None else 3)
        return
    if request.corridors:
        check_corridors_fit(options.place, area, options.scene.map.value)
    if area.rules.lines is not None or request.corridors:
        check_takes_lines(request.method, alone=request.corridors or options.place.only_lines)
    if options.place.horizon is not None:
        money_by_year(area.phases, area.money, options.place.horizon)


def _check_windows(request: PlanRequest) -> None:
    """Refuse windows that are larger than a method that follows a policy plans for."""
    from firebreak.planning.windows.cores import CORE_CELLS, cores_of

    if request.method in METHODS and not METHODS[request.method].guided:
        return
    free = request.area.land.treatable.copy()
    free.ravel()[request.area.rules.include] = False
    cores = cores_of(free.shape, request.options.windows.window_cells or CORE_CELLS, 0)
    most = max(int(np.count_nonzero(free[core.inside.slices])) for core in cores)
    if most > MAX_TREATABLE:
        raise fail(expected=f"windows of at most {MAX_TREATABLE:,} treatable cells (256 x 256) for "
                            f"method {request.method}", given=f"one of {most:,}",
                   where="--window-cells", remedy="lower it, or leave it out")


def _network(request: PlanRequest) -> "Plan | None":
    """The network of breaks to compare with, read before any fire burns."""
    from firebreak.planning.output.given import given_plan

    existing, area = request.options.place.network, request.area
    return None if existing is None else given_plan(
        existing, area.anywhere, area.full, area.offset)
