"""The options of a plan, a comparison, fires on a map and a run, on the command line and in Python:
names, defaults and meanings, said once.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from annotated_types import Ge, Le

from firebreak.api.shared.executor_options import WindowOptions
from firebreak.api.shared.scene_options import PlanningOptions, SceneOptions
from firebreak.settings.budget import UNSAID, USUAL, Budget
from firebreak.settings.kinds import AtLeastOne, Fraction, NotNegative, Positive
from firebreak.settings.planning import COMPARED, ReportKind
from firebreak.settings.schema import ONE_EACH

MOST_YEARS = 100


@dataclass(frozen=True)
class PlaceOptions:
    """The places and costs of breaks, and cells that the plan must have. Files of shapes or rasters
    in any reference system."""

    area: str | None = None
    """Part of the map to plan for: R0:R1,C0:C1 (half-open, from the north-west corner), or a file
    of polygons or a raster. Only what is lost inside it counts; fires also start around it."""
    must_include: Path | None = None
    """Cells that the plan must have, shapes or a raster; they count in its cost."""
    must_exclude: Path | None = None
    """Cells that the plan must not have, shapes or a raster."""
    lines: Path | None = None
    """Shapes of lines, such as roads and ridges, that the method may choose beside its own breaks;
    they are cut into pieces of at most --segment-m. FILE:NAME takes their width in metres from an
    attribute; else they are a cell wide. For segments, enclose, dqn-lookahead, dqn-search and
    auto."""
    only_lines: bool = False
    """Use the lines of --lines only, and no other breaks."""
    cells: bool = False
    """Plan a map with single cells and straight lines, for research and benchmarks. Without it the
    plan of a map is built of corridors, each built as one: routes along ridges and roads over
    gentle ground, narrow gaps between barriers, and cuts around what is valued; all of them off
    houses. Such a plan stops where more money saves less than a hundredth."""
    house_buffer: NotNegative | None = None
    """Distance from a house within which no corridor runs, m; 30 if not given. Houses are value in
    at most a tenth of the cells."""
    existing: Path | None = None
    """A network of breaks, or a plan, to compare the plan with, at its own cost. FILE:NAME takes
    the width of lines, as in --lines."""
    improve: Path | None = None
    """As --existing, and the plan begins with these breaks: it keeps those that pay, spends the
    rest of the budget on what saves most beside them, and lists which to drop, lengthen or join."""
    shortest_m: NotNegative = 0.0
    """Shortest length of a connected piece of the plan; pieces of --must-include may be shorter. Of
    a corridor 300 m if not given, but for gaps between barriers."""
    segment_m: Positive = 500.0
    """Longest length of a segment: longer pieces of the plan are cut into segments of about this
    length."""
    horizon: Annotated[int, Ge(1), Le(MOST_YEARS)] | None = None
    """Number of years to plan for, with a --treatment: what to build and what to maintain in each.
    Both are paid from the money of the year, that of --budget by year, or an equal part of what may
    be spent."""
    discount_rate: Fraction = 0.0
    """Share by which a loss counts less with each year that it comes later, with --horizon: 0.03,
    or 3%."""
    cost_per_km: NotNegative = 0.0
    """Share by which each kilometre to the nearest of --roads raises the cost."""

    @property
    def network(self) -> Path | None:
        """Breaks that the plan is compared with or begins with."""
        return self.existing if self.improve is None else self.improve


@dataclass(frozen=True, kw_only=True)
class PlanOptions(PlanningOptions):
    """The options of a plan."""

    budget: Budget = USUAL
    """Limit of what may be treated: a share of the cost of all treatable cells (5%, or 0.05), an
    area (40ha), money in the unit of the costs (20000), or money by year (2027:50000,2028:80000).
    A number up to 1 is a share, a larger one money; a cell costs 1 where no costs are given. Given
    twice in different units, both limits hold."""
    method: str | None = None
    """Planning method; auto if not given, which tries several. Or strips, downstream-value,
    betweenness, burn-probability, segments, enclose, greedy, dqn, dqn-lookahead, dqn-search,
    random, none: `firebreak methods` says what each does."""
    test_fires: Annotated[int, Ge(0)] = 1000
    """Number of test fires: other fires, on which the plan is judged. 0 leaves out the comparison
    with other methods, the maps of what the plan changes, and the report."""
    report: ReportKind | None = None
    """Amount that is told of the plan. If not given: its segments in build order, maps of what it
    changes, other methods. full: also doubts about the fire model, and what the beginnings of other
    methods' plans save. brief: a page with what it saves, its cost and the map of its segments.
    none: the plan's files only. If not given, a plan by windows of one method has brief."""
    fires_per_ha_year: NotNegative | None = None
    """Number of fires that start per hectare and year; the report then says what the plan saves in
    a year."""
    place: PlaceOptions = field(default_factory=PlaceOptions)
    scene: SceneOptions = field(default_factory=SceneOptions)
    windows: WindowOptions = field(default_factory=WindowOptions)


@dataclass(frozen=True, kw_only=True)
class EvaluateOptions(PlanningOptions):
    """The options of a comparison."""

    budget: Budget = UNSAID
    """Limit of what may be treated, as in `firebreak plan`, but not by year; if not given 5%, or
    beside a plan what the plan may spend."""
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
    area: str | None = None
    """Part of the only landscape to compare on, as in `firebreak plan`, whose test fires are the
    same."""
    scene: SceneOptions = field(default_factory=SceneOptions)


@dataclass(frozen=True, kw_only=True)
class SimulateOptions:
    """The options of fires on a map."""

    fires: AtLeastOne = 1000
    """Number of fires."""
    area: str | None = None
    """Part of the map that counts: R0:R1,C0:C1 (half-open, from the north-west corner), or a file
    of polygons or a raster. Fires also start around it. The maps are empty outside it."""
    plan: Path | None = None
    """Burn with the breaks of a plan: a folder, plan.csv, Cell2Fire's table, a raster of
    breaks or shapes."""
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
    seed: Annotated[int, Ge(0)] | None = None
    """Seed of the run, instead of the configuration's."""
