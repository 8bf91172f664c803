"""`firebreak.evaluate`: methods and plans compared on test fires that no method was given."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from firebreak.api.given import Source, source_of, with_arrays
from firebreak.api.options import filled, verb
from firebreak.api.shared.evaluate_steps import request_of
from firebreak.api.shared.executor_options import threads_kept
from firebreak.api.shared.plan_options import EvaluateOptions
from firebreak.api.shared.policies import policy_for
from firebreak.api.shared.progress import notebook_bars
from firebreak.checks import fail
from firebreak.landscape.raster.on_grid import array_on
from firebreak.planning.core.area import cut_grid
from firebreak.planning.core.plan import Plan, plan_of_cells
from firebreak.planning.evaluation.evaluate import (
    Evaluation,
)
from firebreak.planning.evaluation.evaluate import evaluate as evaluate_scenes

if TYPE_CHECKING:
    from firebreak.api.plans.area import PlanningArea
    from firebreak.api.plans.at_once import PlanAtOnce

GIVEN_FIRES = 1000
"""Test fires of a comparison of a plan that was made without any."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ComparedPlans(Evaluation):
    """Methods and plans on the same test fires; `print` shows the table.

    Attributes:
        methods: by name the share of the loss that the plan prevents, with its 95 % interval.
        paired: "a - b" -> how much more a prevents than b, with its 95 % interval.
        rows: one per landscape and method.
        plans: of each landscape by name the plan, of a stochastic method the first.
        test_fires: fires per landscape.
        interval: what the intervals are over: landscapes, or of a single one the weathers of its
            fires; fires where these are fewer than 4, whose weather is taken as given.
    """

    @classmethod
    def of(cls, evaluation: Evaluation) -> "ComparedPlans":
        """The record of what `evaluate` found."""
        return cls(**{one.name: getattr(evaluation, one.name) for one in fields(evaluation)})

    @property
    def best(self) -> str:
        """The method or plan that prevents most."""
        return max(self.methods, key=lambda name: self.methods[name].reduction)

    def to_json(self) -> dict[str, Any]:
        """Plain data, as `firebreak evaluate --json` writes them."""
        from firebreak.planning.evaluation.tables import to_json

        return to_json(self)

    def __str__(self) -> str:
        from firebreak.planning.evaluation.tables import table

        return table(self)

    def __repr__(self) -> str:
        return (f"<{len(self.methods)} methods on {len(self.plans)} landscapes, "
                f"{self.test_fires:,} test fires each; {self.best} saves most>")

    def _repr_html_(self) -> str:
        from firebreak.report.pages.plan_report import methods_table

        return methods_table(self)


@verb(EvaluateOptions)
def evaluate(landscapes: Source | Sequence[Source], *, plans: Sequence[Any] = (),
             **options: Any) -> ComparedPlans:
    """Compares methods on test fires, as `firebreak evaluate` does: the same options, the same
    defaults, the same numbers. Writes nothing.

    Args:
        landscapes: one or several, each as `plan` takes it.
        plans: paths of plans, or what `plan` returned, one or several, for the only landscape.

    `methods` takes a list of names as well, and functions as the `method` of `plan`.

    Raises:
        InputError: one sentence that says what was expected, what was given, and what to do.
    """
    several = landscapes if isinstance(landscapes, list | tuple) else [landscapes]
    sources = [source_of(one, "evaluate") for one in several]
    given = dict(options)
    if isinstance(given.get("methods"), list | tuple):
        given["methods"] = ",".join(_named(one, "methods") for one in given["methods"])
    settings = filled(EvaluateOptions, given, "evaluate")
    if len(sources) == 1:
        settings = with_arrays(settings, sources[0], settings.scene)
    compared = _plans(plans if isinstance(plans, list | tuple) else [plans])
    with threads_kept():
        scenes, methods, more, _ = request_of(sources, settings, compared)
        return ComparedPlans.of(evaluate_scenes(
            scenes, methods, test_fires=settings.test_fires,
            bar=notebook_bars(settings.scene.quiet), **more))


def _named(method: Any, where: str) -> str:
    """The name of a method, or of a function, which is one from now on."""
    from firebreak.planning.methods import with_function

    return with_function(method, where) if callable(method) else str(method)


def _plans(given: Sequence[Any]) -> list[Path | Plan]:
    """Files of plans, and behind them plans as such."""
    files: list[Path | Plan] = []
    made: list[Path | Plan] = []
    for one in given:
        plan = getattr(one, "plan", one)  # of what `plan` returned
        if isinstance(plan, str | Path) and str(plan):
            files.append(Path(plan))
        elif isinstance(plan, Plan):
            made.append(plan)
        else:
            raise fail(expected="plans: folders, files, or what plan returned",
                       given=type(plan).__name__, where="plans",
                       remedy="compare a mask with plan(...).compare(mask)")
    return files + made


def compared_with(run: "PlanAtOnce", others: Sequence[Any]) -> ComparedPlans:
    """A plan beside methods, plans and masks, on the test fires of its scene."""
    from firebreak.planning.methods import METHODS, check_methods

    request, own = run.request, run.plan
    options, area = request.options, request.area
    others = [_named(one, "compare") if callable(one) else one for one in others]
    names = [one for one in others if isinstance(one, str)]
    if names:
        check_methods(names, "compare", choosers=True)
    if not others:
        names = [name for name, method in METHODS.items()
                 if method.compared and name != own.label]
    given: dict[str, Plan] = {own.label: own}
    for one in others:
        if not isinstance(one, str):
            plan = _as_plan(one, area)
            number = 1
            while (name := plan.label if number == 1 else f"{plan.label}-{number}") in given:
                number += 1
            given[name] = replace(plan, method=name, chosen_by=None)
    from firebreak.api.plans.making import beside

    with threads_kept():
        return ComparedPlans.of(beside(
            run, [name for name in names if name not in given], given,
            test_fires=options.test_fires or GIVEN_FIRES,
            policy=request.policy or policy_for(names, None, options.scene),
            bar=notebook_bars(options.scene.quiet)))


def _as_plan(given: Any, area: "PlanningArea") -> Plan:
    """A plan or mask of the whole map as a plan of the part that was planned for."""
    plan = getattr(given, "plan", given)  # of what `plan` returned
    whole = plan.break_mask() if isinstance(plan, Plan) else given
    mask = cut_grid(np.nan_to_num(array_on(area.full, whole, "compare").values) != 0,
                    area.anywhere.shape, area.offset)
    cells = np.flatnonzero(mask & area.anywhere.treatable)
    if not cells.size:
        raise fail(expected="breaks on treatable cells", given="none", where="compare",
                   remedy="check the mask, and the area and masks of the plan")
    return plan_of_cells(cells, area.anywhere,
                         plan.label if isinstance(plan, Plan) else "given")
