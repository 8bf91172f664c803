"""The scenes, methods and plans of a comparison, from the options that the command
line and `api.compared` take.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from firebreak.api.shared.inputs import check_named_there
from firebreak.api.shared.machine import use_threads
from firebreak.api.shared.option_rules import check_methods_fit
from firebreak.api.shared.plan_options import EvaluateOptions
from firebreak.api.shared.scene_checks import (
    BYTES_PER_CELL_PARTS,
    check_memory_first,
    check_tiled_memory_first,
    least_rows,
    size_in_headers,
)
from firebreak.checks import fail
from firebreak.landscape.names import check_there, path_of
from firebreak.planning.output.earlier import plan_file

if TYPE_CHECKING:
    from firebreak.fire import Scene
    from firebreak.landscape.landscape import Landscape
    from firebreak.planning.core.plan import Plan


LARGE_CELLS = 1_000_000
"""Cells of a map above which workers burn its fires weather by weather. What is free of memory does
not decide: the fires are others than those of chunks."""


class Request(NamedTuple):
    """A comparison. more: the other arguments of `evaluate` but for the test fires."""

    scenes: "list[Scene]"
    methods: list[str]
    more: dict[str, Any]


def request_of(sources: "Sequence[str | Landscape]", options: EvaluateOptions,
               plans: "Sequence[Path | Plan]", *, tiled: bool = True,
               beside: int | None = None) -> Request:
    """Reads landscapes and plans, and makes the scenes once all that is asked for can be done.

    Args:
        sources: landscapes, or what to read them from.
        plans: folders or files of plans for the only landscape, or plans.
        tiled: whether tiled scenes will do where no method plans anything: of maps that do not fit
            the memory otherwise.
        beside: where workers burn the fires, how many of them are processes of this machine: tiled
            is then the scene of a single map of more than LARGE_CELLS cells.

    Raises:
        InputError: no fires or no methods asked for, files that do not fit, plans of another
            landscape.
    """
    from firebreak.planning.methods import CHOOSERS, check_methods, method_of

    methods = [name.strip() for name in options.methods.split(",") if name.strip()]
    if methods or not plans:
        check_methods(methods, "--methods", choosers=True)  # before maps are read
    check_methods_fit(methods, options)
    for source in sources:
        if isinstance(source, str):
            check_there(source)
    for plan in plans:
        if isinstance(plan, Path):
            plan_file(plan)
    check_named_there(options)
    from firebreak.api.shared.policies import policy_for
    from firebreak.native_library import max_threads
    from firebreak.planning.evaluation.compared_plans import checked_plans

    policy = policy_for(methods, options.policy, options.scene)
    use_threads(options.scene.threads, torch_threads=None if policy is None else 1)
    given = options.scene.weather
    tiled = tiled and not any(name in CHOOSERS or method_of(name).treats for name in methods)
    by_workers = beside is not None
    tiled = tiled and not (by_workers and (len(sources) > 1 or options.window is not None))
    for source in sources:
        if isinstance(source, str) and options.window is None:
            if tiled and (not by_workers or _is_large(size_in_headers(path_of(source)))):
                check_tiled_memory_first(source, None, max_threads())
            else:
                check_memory_first(source, None, least_rows(source, given.weather,
                                                            given.scenarios))
    parts = [(land, source if isinstance(source, str) else "")
             for source in sources for land in parts_of(source, options)]
    lands = [land for land, _ in parts]
    read = [_plan(one, lands, options) for one in plans]
    checked_plans(lands, methods, read, options.budget, options.random_draws)
    scenes = [_scene(land, source, options,
                     tiled and (_is_large(land.shape) if by_workers
                               else not _fits(land, source, options)), beside)
              for land, source in parts]
    return Request(scenes, methods, {
        "budget_share": options.budget, "plan_fires": options.plan_fires,
        "seed": options.scene.seed, "policy": policy, "random_draws": options.random_draws,
        "plans": read, "search": options.search()})


def _plan(given: "Path | Plan", lands: "Sequence[Landscape]", options: EvaluateOptions) -> "Plan":
    """A plan as it is given, or read for the only landscape."""
    from firebreak.api.shared.records import warn_of_other_options
    from firebreak.planning.output.export import read_plan

    if not isinstance(given, Path):
        return given
    warn_of_other_options(given, options.scene)
    return read_plan(given, _only(lands))


def _scene(land: "Landscape", source: str, options: EvaluateOptions,
           tiled: bool, beside: int | None) -> "Scene":
    """The scene of a landscape, a tiled one if asked for. beside: as `request_of`."""
    from firebreak.planning.core.fire_counts import TESTED_BYTES

    if tiled:
        parts = BYTES_PER_CELL_PARTS if beside == 0 else 0
        return options.scene.tiled_scene(land, source, TESTED_BYTES + parts, beside or 0)
    return options.scene.scene(land, source, options.plan_fires)


def _fits(land: "Landscape", source: str, options: EvaluateOptions) -> bool:
    """True where the scene of a landscape, and plans on it, fit the memory that is free."""
    from firebreak.free_memory import free_bytes
    from firebreak.planning.core.fire_counts import planning_bytes

    conditions = options.scene.conditions(land, source)
    return sum(planning_bytes(land.shape, conditions, options.plan_fires)) <= free_bytes()


def _is_large(shape: tuple[int, int] | None) -> bool:
    """True where a map has more than LARGE_CELLS cells, as far as is known."""
    return shape is not None and shape[0] * shape[1] > LARGE_CELLS


def parts_of(source: "str | Landscape", options: EvaluateOptions) -> "list[Landscape]":
    """The landscape, or windows of it, drawn over the whole of it.

    Raises:
        InputError: no landscape there, or no window.
    """
    from firebreak.api.shared.scene_checks import check_windows
    from firebreak.landscape.raster.windows import Window, list_windows
    from firebreak.seeding import generator

    land = options.scene.read(source)
    if options.window is None:
        return [land]
    rows, cols = land.shape
    room = (rows // options.window) * (cols // options.window)
    check_windows(land.name, min(options.windows, room), options.window**2,
                  options.scene.weather.scenarios if options.scene.weather.weather is None else 1)
    found = list_windows([Window(0, 0, rows, cols)], options.window, options.window, land)
    # Neighbours are alike, and an interval takes windows for independent.
    drawn = generator(options.scene.seed, "evaluate", "windows", land.fire_checksum()).permutation(
        len(found))[:options.windows]
    return [found[place].of(land) for place in sorted(drawn.tolist())]


def _only(lands: "Sequence[Landscape]") -> "Landscape":
    if len(lands) != 1:
        raise fail(expected="one landscape together with --plan", given=f"{len(lands)}",
                   where="evaluate", remedy="evaluate a plan on the landscape it was made for")
    return lands[0]
