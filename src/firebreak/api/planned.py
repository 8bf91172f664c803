"""`firebreak.plan`: fuel breaks for a landscape, judged on test fires."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from firebreak.api.compared import ComparedPlans, compared_with
from firebreak.api.given import (
    Source,
    saving_into,
    source_of,
    with_arrays,
    with_files,
    with_folder,
    with_policy_file,
)
from firebreak.api.notebook import lines_of, on_axes
from firebreak.api.options import filled, keywords, verb
from firebreak.api.plan_effect import Grid, PlanEffect, effect_at_once, effect_by_windows, on_map
from firebreak.api.plans.at_once import PlanAtOnce
from firebreak.api.plans.request import read_request
from firebreak.api.plans.run import check_not_made_from, make_run, write_run
from firebreak.api.shared.executor_options import threads_kept
from firebreak.api.shared.inputs import inputs_of
from firebreak.api.shared.plan_options import PlanOptions
from firebreak.api.shared.progress import notebook_bars
from firebreak.api.shared.records import write_record
from firebreak.checks import fail
from firebreak.files import keeping
from firebreak.landscape.landscape import Landscape
from firebreak.planning.core.area import lift
from firebreak.planning.core.break_segments import break_segments_of
from firebreak.planning.core.plan import Plan
from firebreak.planning.evaluation.auto import Choice
from firebreak.planning.methods import method_of
from firebreak.planning.output.earlier import check_list
from firebreak.settings.names import LIMITS, command_words

if TYPE_CHECKING:
    import geopandas
    import xarray

    from firebreak.api.plans.run import PlanRun


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class PlannedBreaks:
    """A plan of fuel breaks.

    Attributes:
        plan: the cells in order of placement, their cost, and how the plan was made; of the whole
            map.
        landscape: the whole map, with its values, costs and treatable cells; the values of
            `layers` lie in none.
        effect: what the breaks change; None without test fires, and with report="none" unless the
            plan is one by windows of one method.
        comparison: the plan beside other methods on the same test fires; None where there is no
            effect, and of such a plan.
        alternatives: plans of the whole map that do nearly as much elsewhere, by their names in
            `comparison`; empty where there are none or nobody looked for any.
        choice: why this method's plan was kept; None where the method was named.
    """

    plan: Plan
    landscape: Landscape
    effect: PlanEffect | None
    comparison: ComparedPlans | None
    alternatives: Mapping[str, Plan]
    choice: "Choice | None"
    _run: "PlanRun"
    _source: str | Landscape
    _given: tuple[str, ...]
    _home: Path

    @property
    def breaks(self) -> NDArray[np.bool_]:
        """Cells to treat, bool [H, W] on the landscape's grid; read-only."""
        mask = self.plan.break_mask()
        mask.flags.writeable = False
        return mask

    @property
    def rank(self) -> NDArray[np.int32]:
        """Place of a cell in the order of placement, int32 [H, W], from 1; 0: none; read-only."""
        ranks = np.zeros(self.plan.shape, np.int32)
        ranks.ravel()[self.plan.cells] = np.arange(1, self.plan.cells.size + 1)
        ranks.flags.writeable = False
        return ranks

    @property
    def lines(self) -> "geopandas.GeoDataFrame":
        """The segments as lines with what is known of each, in the landscape's reference system.

        Raises:
            InputError: geopandas is not installed.
        """
        judged = self._run.segments()
        if judged is not None:
            return lines_of(*judged, self.landscape)
        found = break_segments_of(self.breaks, self.landscape,
                                  self._run.request.options.place.segment_m)
        columns = [{"cells": int(one.cells.size), "length_m": one.length_m,
                    "area_ha": one.area_ha, "cost": one.cost} for one in found]
        return lines_of(found, columns, self.landscape)

    def compare(self, *others: "str | PlannedBreaks | Plan | NDArray[Any]") -> ComparedPlans:
        """The plan beside others on its test fires, 1,000 where it was made without.

        Args:
            others: methods by name or functions, which plan with the same budget and plan fires; or
                plans, or masks [H, W] of where to treat, at their own cost.

        Raises:
            InputError: an unknown method, a plan of another map; a plan by windows.
        """
        return compared_with(self._at_once("compare", "firebreak.evaluate compares saved plans"),
                             others)

    def values(self, placed: int = 0) -> Grid:
        """The value that the policy that the plan followed, or was chosen beside, gives the next
        break through each cell, per cell, in percent of the loss without breaks, once the first
        `placed` cells of the plan stand: [H, W] of the whole map, nan where none may be placed. Of
        a policy that places lines it is the best line through the cell.

        Raises:
            InputError: no policy was followed, or the plan has fewer cells; a plan by windows.
        """
        run, cells = self._at_once("values", "plan a part of the map with area"
                                   ), self.plan.cells.size
        # A plan that was chosen was compared with those that follow the policy.
        followed = self.plan.policy is not None or self.plan.chosen_by is not None
        if run.request.policy is None or not followed:
            raise fail(expected="a plan that followed a policy", given=f"one of {self.plan.method}",
                       where="values", remedy="plan with method='dqn', or without a method")
        if not 0 <= placed <= cells:
            raise fail(expected=f"0 to {cells} cells of the plan", given=f"{placed}",
                       where="values", remedy="the plan has no more")
        from firebreak.planning.learned.policy import q_map, slots_after

        with threads_kept():
            slots = slots_after(run.scene, run.plan, placed)
            found = q_map(run.request.policy, slots)
        shown = np.where(slots.available[0] & np.isfinite(found), found, np.nan)
        return on_map(shown, run.scene.landscape, run.request.area.full, run.request.area.offset)

    def _at_once(self, what: str, remedy: str) -> PlanAtOnce:
        """The plan as one that was made at once.

        Raises:
            InputError: it was made by windows.
        """
        if not isinstance(self._run, PlanAtOnce):
            raise fail(expected="a plan that was made at once", given="one by windows", where=what,
                       remedy=remedy)
        return self._run

    def to_xarray(self) -> "xarray.Dataset":
        """Rank, breaks and, of a plan that was made at once, burn probabilities on the axes x and
        y, with the reference system.

        Raises:
            InputError: xarray or rioxarray is not installed.
        """
        grids: dict[str, NDArray[Any]] = {"rank": self.rank, "breaks": self.breaks}
        if self.effect is not None and isinstance(self._run, PlanAtOnce):
            grids |= {name: getattr(self.effect, name) for name in (
                "burn_probability_before", "burn_probability_after",
                "burn_probability_half_width")}
        return on_axes(grids, self.landscape, {
            "method": self.plan.label, "cost": self.plan.cost, "cost_unit": self.plan.cost_unit})

    def save(self, folder: str | Path) -> list[Path]:
        """Writes the files of `firebreak plan`, the report among them, into a folder, made if need
        be; returns them. A landscape, arrays or a policy that were handed in are written beside
        them, so that `firebreak visualize FOLDER --serve` finds them.

        Raises:
            InputError: a folder that may not be written.
        """
        with saving_into(folder, self._home) as out:
            check_list(out)
            request = self._run.request
            source, options = request.source, request.options
            if isinstance(self._source, Landscape):
                source, options = with_folder(self._source, options, out)
            options = with_policy_file(with_files(options, out, request.area.full), out)
            made_from = inputs_of(source, options.policy, options.place, options.scene)
            check_not_made_from(out, made_from, source, judged=self.effect is not None)
            with keeping(made_from):
                _, files = write_run(
                    self._run, out, made_from, notebook_bars(options.scene.quiet),
                    record=lambda: write_record(out, options, source),
                    command=self._command(options, source), options=options)
            return files

    def _command(self, options: PlanOptions, source: str) -> str:
        """The command that makes the same plan from what was written."""
        known = keywords(PlanOptions)
        # What was handed in without an option, such as the values of a landscape, has one now.
        written = [name for name, leaf in known.items() if name not in self._given
                   and leaf.of(options) != leaf.of(self._run.request.options)]
        words = shlex.join(["firebreak", "plan", source, *command_words(
            options, [known[name] for name in (*self._given, *written)])])
        function = method_of(self.plan.method).handed
        return f"{words}  # {self.plan.method} is a function of Python" if function else words

    def __repr__(self) -> str:
        saved = "" if self.effect is None else f"; {self.effect!r}"
        return (f"<plan of {self.plan.label} on {self.landscape.name}: {self.plan.cells.size:,} "
                f"cells, {self.plan.cost:,.4g} {self.plan.cost_unit}{saved}>")

    def _repr_html_(self) -> str:
        from firebreak.report.pages.plan_report import plan_cell

        run = self._run
        if isinstance(run, PlanAtOnce):
            return plan_cell(run.scene, run.plan,
                             None if run.judgement is None else run.judgement.result,
                             run.evaluation)
        return plan_cell(run.region.scene, run.plan, None, None)


@verb(PlanOptions)
def plan(landscape: Source, **options: Any) -> PlannedBreaks:
    """Plans fuel breaks, judges them on test fires and compares them with other methods, as
    `firebreak plan` does: the same options, the same defaults, the same plan. Writes nothing.

    Args:
        landscape: a path or name that `firebreak plan` takes, or what `read_landscape` returned.

    Options of rasters and shapes also take arrays [H, W] on the landscape's grid, `existing` and
    `plan` what `plan` returned, `policy` what `train_policy` returned. `method` may be a function
    that takes a `firebreak.MethodProblem` and returns where to treat: a mask bool [H, W], or cells
    or lines of cells in order of placement, numbers row * W + column. Its name is that of the plan.

    Raises:
        InputError: one sentence that says what was expected, what was given, and what to do.
    """
    source = source_of(landscape, "plan")
    settings = filled(PlanOptions, options, "plan")
    settings = with_arrays(settings, source, settings.scene)
    bar = notebook_bars(settings.scene.quiet)
    with threads_kept():
        request = read_request(source, settings)
        run = make_run(request, bar).judged(bar)
    area = request.area
    found: dict[str, Any] = {"effect": None, "comparison": None, "choice": None,
                             "alternatives": {}}
    if isinstance(run, PlanAtOnce):
        found = {"effect": effect_at_once(run), "choice": run.choice, "comparison":
                 None if run.evaluation is None else ComparedPlans.of(run.evaluation),
                 "alternatives": {} if run.alternatives is None else {
                     name: lift(own.plan, area.offset, area.full)
                     for name, own in run.alternatives.found.items()}}
    else:
        found["effect"] = effect_by_windows(run)
    land = (area.full if settings.scene.map.layers is None else
            replace(area.full, value_unit=None))  # values of layers lie in no landscape
    return PlannedBreaks(
        plan=lift(run.plan, area.offset, area.full), landscape=land,
        _run=run, _source=source, _given=tuple(dict.fromkeys(
            "budget" if name in LIMITS else name for name in options)), _home=Path.cwd(), **found)
