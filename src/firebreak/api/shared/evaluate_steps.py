"""The scenes, methods and plans of a comparison, from the options that the command
line and `api.compared` take.
"""

import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from firebreak.api.shared.budget import share_of
from firebreak.api.shared.domains import Part, part_of_map
from firebreak.api.shared.executor_options import use_threads
from firebreak.api.shared.inputs import check_named_there
from firebreak.api.shared.map_defaults import ShapeTreatments, treatments_of_shapes
from firebreak.api.shared.option_rules import check_methods_fit, check_on_maps
from firebreak.api.shared.plan_options import EvaluateOptions
from firebreak.api.shared.records import warn_of_other_options
from firebreak.api.shared.scene_checks import (
    BYTES_PER_CELL_PARTS,
    check_breaks_first,
    check_memory_first,
    check_windows,
    least_rows,
    size_in_headers,
)
from firebreak.checks import fail
from firebreak.landscape.names import check_there, path_of
from firebreak.landscape.raster.windows import Window, list_windows
from firebreak.planning.core.area import cut_plan, named_shape
from firebreak.planning.output.earlier import is_planned, plan_file
from firebreak.seeding import generator
from firebreak.settings.budget import UNSAID

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from firebreak.fire import Fires, Scene
    from firebreak.landscape.landscape import Landscape
    from firebreak.landscape.raster.windows import Window
    from firebreak.planning.core.domain import Domain
    from firebreak.planning.core.plan import Plan
    from firebreak.planning.evaluation.judging import Burn
    from firebreak.planning.output.given import Feature


LARGE_CELLS = 1_000_000
"""Cells of a map above which workers burn its fires weather by weather."""
KIND = "burned fires"


class Request(NamedTuple):
    """A comparison. more: other arguments of `evaluate`; domains: of the scenes, or None."""

    scenes: "list[Scene]"
    methods: list[str]
    more: dict[str, Any]
    domains: "list[Domain | None]"


def request_of(sources: "Sequence[str | Landscape]", options: EvaluateOptions,
               plans: "Sequence[Path | Plan]", *, beside: int | None = None) -> Request:
    """Reads landscapes and plans, and makes the scenes once all that is asked for can be done.

    Args:
        sources: landscapes, or what to read them from.
        plans: folders or files of plans for the only landscape, or plans.
        beside: where workers burn the fires, how many of them are processes of this machine.

    Where no method plans anything, scenes of maps that do not fit the memory otherwise are tiled;
    with workers that of a single map of more than LARGE_CELLS cells.

    Raises:
        InputError: no fires or no methods asked for, files that do not fit, plans of another
            landscape.
    """
    from firebreak.planning.methods import CHOOSERS, check_methods, method_of

    named = options.methods.split(",") if options.methods.strip() else []
    methods = [name.strip() for name in named]
    if methods or not plans:
        check_methods(methods, "--methods", choosers=True)  # before maps are read
    check_methods_fit(methods, options)
    check_on_maps(sources, options.scene)
    for source in sources:
        if isinstance(source, str):
            check_there(source)
    for plan in plans:
        if isinstance(plan, Path) and (is_planned(plan) or not plan.is_file()):
            plan_file(plan)
    check_named_there(options)
    own = [_own_treatments(plan, options) for plan in plans]
    from firebreak.api.shared.policies import policy_for
    from firebreak.fire import treated_as
    from firebreak.planning.core.fire_counts import enough_plan_fires, fits
    from firebreak.planning.evaluation.compared_plans import checked_plans
    from firebreak.planning.output.given import is_drawn

    policy = policy_for(methods, options.policy, options.scene)
    use_threads(options.scene.threads, torch_threads=None if policy is None else 1)
    given = options.scene.weather
    by_workers = beside is not None
    tiled = not (any(name in CHOOSERS or method_of(name).treats for name in methods)
                 or (by_workers and (len(sources) > 1 or options.window is not None)))
    if options.area is not None and len(sources) > 1:
        raise fail(expected="one landscape together with --area", given=f"{len(sources)}",
                   where="--area", remedy="evaluate them one after the other")
    shape = named_shape(options.area)
    if len(sources) == 1 and isinstance(sources[0], str):
        check_breaks_first(sources[0], plans, options.area, options.scene.map.crs)
    for source in sources:
        if isinstance(source, str) and options.window is None and (
                options.area is None or shape is not None):
            in_tiles = tiled and (not by_workers
                                  or _is_large(shape or size_in_headers(path_of(source))))
            check_memory_first(source, shape, None if in_tiles else least_rows(
                source, given.weather, given.scenarios))
    parts = [part for source in sources for part in parts_of(source, options, [
        plan for plan, treated in zip(plans, own, strict=True) if treated is None], any(own))]
    lands = [part.land for part in parts]
    treated = [None if made is None else _treated(one, made, _only(parts), options)
               for one, made in zip(plans, own, strict=True)]
    read = [_plan(one, parts, options, land) for one, land in zip(plans, treated, strict=True)]
    labels = Counter([*methods, *(plan.label for plan in read)])
    read = [replace(plan, method=str(one), chosen_by=None)
            if isinstance(one, Path) and labels[plan.label] > 1 else plan
            for one, plan in zip(plans, read, strict=True)]
    features = [_features(one, plan, parts[0], options)
                if isinstance(one, Path) and is_drawn(one) else []
                for one, plan in zip(plans, read, strict=True)]
    shares = _shares(options, lands, read)
    checked_plans(lands, methods, read, shares, options.random_draws, treated)
    scenes = [_scene(part.land, part.source, options,
                     tiled and (_is_large(part.land.shape) if by_workers
                               else not fits(part.land.shape, options.scene.conditions(
                                   part.land, part.source), options.fewest_plan_fires)), beside)
              for part in parts]
    return Request(scenes, methods, {
        "budget_share": shares,
        "plan_fires": max(enough_plan_fires(scene, options.plan_fires) for scene in scenes),
        "seed": options.scene.seed, "policy": policy, "random_draws": options.random_draws,
        "plans": read, "features": features, "search": options.search(),
        "own": [None if made is None or land is None
                else treated_as(scenes[0], land, made.treatment)
                for made, land in zip(own, treated, strict=True)]},
        [part.domain for part in parts])


def kept_in(folder: Path, burn: "Burn") -> "Burn":
    """`burn`, with its results kept in a folder. Fires of which that has the result, under the same
    breaks and by the same program, are not burned again; a damaged result is.
    """
    import torch

    from firebreak.fire import BurnResult
    from firebreak.planning.core.identity import bytes_of, hash_of, parts_of_scene, program
    from firebreak.tensor_file import Damaged
    from firebreak.train.storage.checkpoints import restoring
    from firebreak.train.storage.store import open_folder, remove_folder, sweep, write_folder

    sweep(folder)

    def kept(scene: "Scene", fires: "Fires", breaks: "NDArray[np.bool_] | None") -> BurnResult:
        own = folder / hash_of([program(), *parts_of_scene(scene), *map(bytes_of, fires),
                                bytes_of(breaks)])[:16]
        if own.is_dir():
            try:
                with restoring(own):
                    found = open_folder(own, KIND).load()
                    return BurnResult(**{name: tensor.numpy() for name, tensor in found.items()})
            except Damaged as error:
                warnings.warn(f"{error}; its fires burn again", stacklevel=2)
                remove_folder(own)
        burned = burn(scene, fires, breaks)
        write_folder(own, KIND, {name: torch.from_numpy(array)
                                 for name, array in burned._asdict().items()})
        return burned

    return kept


def _own_treatments(plan: "Path | Plan", options: EvaluateOptions) -> ShapeTreatments | None:
    """The treatments that the shapes of a plan name, where they are not those of all breaks."""
    from firebreak.planning.output.given import is_drawn

    if not isinstance(plan, Path) or not is_drawn(plan):
        return None
    return treatments_of_shapes(plan, options.scene.breaks)


def _treated(plan: "Path | Plan", made: ShapeTreatments, part: Part,
             options: EvaluateOptions) -> "Landscape":
    """The land of a part with the treatment of each shape of a plan."""
    from firebreak.landscape.raster.on_grid import mask_of
    from firebreak.planning.core.area import area_mask
    from firebreak.planning.output.feature_treatments import treated_by_shapes

    assert isinstance(plan, Path)
    assert part.may is not None
    may, built = part.may, options.scene.map.built
    if options.area is not None:
        may = may & area_mask(part.full, options.area)
    if built is not None:
        may = may & ~mask_of(built, part.full, how="any")
    return treated_by_shapes(plan, part.land, part.full, part.offset, may, *made)


def _features(path: Path, plan: "Plan", part: Part, options: EvaluateOptions) -> "list[Feature]":
    """The shapes of a drawn plan; where one of them names a treatment each with its own."""
    from firebreak.planning.output.given import features_of

    found = features_of(path, plan, part.full, part.offset)
    if not any(one.treatment for one in found):
        return found
    return [one._replace(treatment=one.treatment or options.scene.breaks.treatment or "")
            for one in found]


def _plan(given: "Path | Plan", parts: Sequence[Part], options: EvaluateOptions,
          treated: "Landscape | None") -> "Plan":
    """A plan, read for the only landscape if need be; where only a part burns, of that part.
    treated: that part with treatments of the plan's own.
    """
    from firebreak.planning.core.plan import on_budget_of
    from firebreak.planning.output.export import read_plan
    from firebreak.planning.output.given import given_plan, name_of

    if not isinstance(given, Path):
        plan, own = given, [part for part in parts
                            if part.full.checksum() == given.landscape_checksum]
        part = own[0] if own else None
    elif not is_planned(given):
        part = _only(parts)
        land = part.land if treated is None else treated
        return on_budget_of(part.land, given_plan(given, land, part.full, part.offset,
                                                  name_of(given)))
    else:
        warn_of_other_options(given, options.scene)
        part = _only(parts)
        plan = read_plan(given, part.full)
    if part is None or part.land is part.full:
        return plan
    return cut_plan(plan, part.offset, part.land, part.full,
                    str(given) if isinstance(given, Path) else f"plan '{plan.method}'")


def _scene(land: "Landscape", source: str, options: EvaluateOptions,
           tiled: bool, beside: int | None) -> "Scene":
    """The scene of a landscape, a tiled one if asked for. beside: as `request_of`."""
    from firebreak.planning.core.fire_counts import TESTED_BYTES

    if tiled:
        parts = BYTES_PER_CELL_PARTS if beside == 0 else 0
        return options.scene.tiled_scene(land, source, TESTED_BYTES + parts, beside or 0)
    return options.scene.scene(land, source, options.fewest_plan_fires)


def _is_large(shape: tuple[int, int] | None) -> bool:
    """True where a map has more than LARGE_CELLS cells, as far as is known."""
    return shape is not None and shape[0] * shape[1] > LARGE_CELLS


def parts_of(source: "str | Landscape", options: EvaluateOptions,
             plans: "Sequence[Path | Plan]" = (), untreated: bool = False) -> list[Part]:
    """The area of a landscape, or windows drawn over the whole of it, each with the land where its
    fires come from; a window of land that has no such surroundings is a landscape of its own.
    plans: may say widths of breaks. untreated: keep where breaks may go whatever the treatment.

    Raises:
        InputError: no landscape there, or no window.
    """
    spec, given = source if isinstance(source, str) else "", options.scene.read_map(source)
    land = options.scene.with_strips(options.scene.with_treatments(given), plans)
    if options.window is None:
        part = part_of_map(land, options.area, options.scene, spec)
        return [part._replace(may=given.treatable) if untreated else part]
    rows, cols = land.shape
    room = (rows // options.window) * (cols // options.window)
    check_windows(land.name, min(options.windows, room), options.window**2,
                  options.scene.weather.scenarios if options.scene.weather.weather is None else 1)
    found = list_windows([Window(0, 0, rows, cols)], options.window, options.window, land)
    # Neighbours are alike, and an interval takes windows for independent.
    drawn = generator(options.scene.seed, "evaluate", "windows", land.fire_checksum()).permutation(
        len(found))[:options.windows]
    return [_window_part(land, found[place], options, spec) for place in sorted(drawn.tolist())]


def _window_part(land: "Landscape", window: "Window", options: EvaluateOptions,
                 spec: str) -> Part:
    rows, cols = window.slices
    part = part_of_map(land, f"{rows.start}:{rows.stop},{cols.start}:{cols.stop}", options.scene,
                       spec)
    if part.domain is not None:
        return part
    own = window.of(land)
    return Part(spec, own, own, (0, 0), None)


def _shares(options: EvaluateOptions, lands: "Sequence[Landscape]",
            plans: "Sequence[Plan]") -> list[float]:
    """The share of each landscape's cost to spend; if not said, that of the first compared plan."""
    if plans and options.budget == UNSAID:
        return [plans[0].budget_share] * len(lands)
    width = options.scene.breaks.break_width_m
    return [share_of(options.budget, land, width) for land in lands]


def _only(parts: Sequence[Part]) -> Part:
    if len(parts) != 1:
        raise fail(expected="one landscape together with --plan", where="evaluate",
                   given=f"{len(parts)} maps or windows", remedy="give its landscape as a whole")
    return parts[0]
