"""What a plan, a comparison, fires on a map and a run are asked for with, on the command line and
in Python: names, defaults and meanings, said once.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from annotated_types import Ge

from firebreak.api.place.options import PlaceOptions
from firebreak.api.shared.executor_options import WindowOptions
from firebreak.api.shared.scene_options import PlanningOptions, SceneOptions
from firebreak.settings.kinds import AtLeastOne, NotNegative
from firebreak.settings.planning import COMPARED, ReportKind
from firebreak.settings.schema import ONE_EACH


@dataclass(frozen=True, kw_only=True)
class PlanOptions(PlanningOptions):
    """The options of a plan."""

    method: str | None = None
    """Planning method; auto if not given, which tries several. Or strips, downstream-value,
    betweenness, burn-probability, segments, greedy, dqn, dqn-lookahead, dqn-search, random, none:
    `firebreak methods` says what each does."""
    test_fires: Annotated[int, Ge(0)] = 1000
    """Number of test fires: other fires, on which the plan is judged. 0 leaves out the comparison
    with other methods, the maps of what the plan changes, and the report."""
    report: ReportKind | None = None
    """How much is told of the plan. If not given: its segments in build order, maps of what it
    changes, other methods. full: also doubts about the fire model, and what the beginnings of other
    methods' plans save. brief: a page with what it saves, its cost and the map of its segments.
    none: the plan's files only. Plans by windows have brief, if not given, and none."""
    fires_per_ha_year: NotNegative | None = None
    """Number of fires that start per hectare and year; the report then says what the plan saves in
    a year."""
    place: PlaceOptions = field(default_factory=PlaceOptions)
    scene: SceneOptions = field(default_factory=SceneOptions)
    windows: WindowOptions = field(default_factory=WindowOptions)


@dataclass(frozen=True, kw_only=True)
class EvaluateOptions(PlanningOptions):
    """The options of a comparison."""

    methods: str = ",".join(COMPARED)
    """Methods to compare, separated by commas; `firebreak methods` lists them."""
    window: Annotated[int, Ge(2)] | None = None
    """Compare on windows of this many rows and columns, cut from each landscape."""
    windows: AtLeastOne = 6
    """Largest number of windows of each landscape; they are drawn over the whole of it."""
    test_fires: Annotated[int, Ge(2)] = 2000
    """Number of test fires: other fires, on which the plans are judged."""
    random_draws: AtLeastOne = 30
    """Number of plans of the method random; its result is their mean."""
    scene: SceneOptions = field(default_factory=SceneOptions)


@dataclass(frozen=True, kw_only=True)
class SimulateOptions:
    """The options of fires on a map."""

    fires: AtLeastOne = 1000
    """Number of fires."""
    area: str | None = None
    """Part of the map to burn, with 16 cells around it: R0:R1,C0:C1 (half-open, from the
    north-west corner), or a file of polygons or a raster. The maps are empty outside it."""
    plan: Path | None = None
    """Burn with the breaks of a plan: a folder, plan.csv, plan.tif or a Cell2Fire table."""
    fires_per_ha_year: NotNegative | None = None
    """Number of fires that start per hectare and year; adds a map of the chance to burn in a
    year."""
    scene: SceneOptions = field(default_factory=SceneOptions)


@dataclass(frozen=True, kw_only=True)
class TrainOptions:
    """The options of a run."""

    out: Path | None = None
    """Output folder; a new one under outputs/ if not given."""
    resume: Path | None = None
    """Continue the run in this folder, with its own configuration."""
    set: Annotated[list[str], ONE_EACH] = field(default_factory=list)
    """Change a key of the configuration, such as train.episodes=600. May be repeated."""
    data: str | None = None
    """Folder that the configuration's maps are relative to; FIREBREAK_DATA if not given."""
    seed: int | None = None
    """Seed of the run, instead of the configuration's."""
