"""What a plan, a comparison, fires on a map and a run are asked for with, on the command line and
in Python: names, defaults and meanings, said once.
"""

from dataclasses import dataclass, field
from pathlib import Path

from firebreak.api.shared.plan_inputs import PlaceOptions
from firebreak.api.shared.scene_options import PlanningOptions, SceneOptions
from firebreak.settings.kinds import NotNegative
from firebreak.settings.planning import COMPARED


@dataclass(kw_only=True)
class PlanOptions(PlanningOptions):
    """The options of a plan."""

    method: str | None = None
    """How to plan; auto if not given, which tries several. Or strips, downstream-value,
    downstream-value-static, betweenness, dominator, burn-probability, value-hazard, tom, segments,
    greedy, greedy-filtered, swap, anneal, milp, regression, dqn, dqn-lookahead, dqn-search,
    random, none: `firebreak methods` says what each does."""
    batch: int | None = None
    """Cells placed per simulation; about 50 rounds if not given."""
    test_fires: int = 1000
    """Test fires: other fires that the plan is judged on. 0 leaves out the comparison, what the
    plan changes, and the report."""
    place: PlaceOptions = field(default_factory=PlaceOptions)
    scene: SceneOptions = field(default_factory=SceneOptions)


@dataclass(kw_only=True)
class EvaluateOptions(PlanningOptions):
    """The options of a comparison."""

    methods: str = ",".join(COMPARED)
    """Comma-separated, in any order: auto, or those of --method of plan."""
    window: int | None = None
    """Cut windows of so many rows and columns from each landscape."""
    windows: int = 6
    """At most so many windows of each landscape, drawn over the whole of it."""
    test_fires: int = 2000
    """Other fires, which the plans are judged on."""
    random_draws: int = 30
    """Plans that random is the mean over."""
    scene: SceneOptions = field(default_factory=SceneOptions)


@dataclass(kw_only=True)
class SimulateOptions:
    """The options of fires on a map."""

    fires: int = 1000
    """Number of fires."""
    area: str | None = None
    """Burn these cells with 16 around them only: R0:R1,C0:C1 (half-open, from the north-west
    corner), or a file of polygons or a raster. Rasters are empty outside them."""
    plan: Path | None = None
    """Burn with the breaks of a plan: a folder, plan.csv, plan.tif or a Cell2Fire table."""
    fires_per_ha_year: NotNegative | None = None
    """Fires that start per hectare and year: adds a map of the chance to burn in a year."""
    scene: SceneOptions = field(default_factory=SceneOptions)


@dataclass(kw_only=True)
class TrainOptions:
    """The options of a run."""

    out: Path | None = None
    """Output folder; a new one under outputs/ if not given."""
    resume: Path | None = None
    """Go on with the run in this folder, with its own configuration."""
    set: list[str] = field(default_factory=list)
    """Change a key of the configuration, such as train.episodes=600."""
    data: str | None = None
    """Folder that the maps of the configuration are relative to; else FIREBREAK_DATA."""
    seed: int | None = None
    """Seed of the run, instead of the configuration's."""
