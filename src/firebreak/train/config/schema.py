"""The tables of a configuration, each key with its range and meaning.

Steps in schedules are absolute (env steps, learner steps), never shares of the run.
"""

from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

from annotated_types import Ge, Gt, Le, Len

from firebreak.executors.base import ExecutorName
from firebreak.settings.agent import AgentSettings
from firebreak.settings.kinds import (
    DURATION_SPREAD,
    AtLeastOne,
    DurationSpread,
    Positive,
    Share,
    WindSpeed,
)
from firebreak.settings.mixture import MixtureSettings
from firebreak.settings.planning import BUDGET, COMPARED, PLAN_FIRES
from firebreak.settings.scene import (
    BURNED_SHARE,
    DEFAULT_MOISTURE,
    DEFAULT_WIND_KM_H,
    TOML_NAMES,
    BreakSettings,
    FireSettings,
    TreatmentSettings,
    ValueSettings,
    WeatherSettings,
)


@dataclass(frozen=True, kw_only=True)
class LandscapeConfig:
    """The source of landscapes."""

    kind: Literal["synthetic", "windows"] = "synthetic"
    """Made, or cut from maps."""
    size: Annotated[int, Ge(6), Le(256)] = 20
    """Treatable rows and columns."""
    margin: Annotated[int, Ge(0), Le(64)] = 0
    """Cells around them that only burn."""
    family: str | None = None
    """Synthetic family; all of them if not set."""
    data: str | None = None
    """Folder that maps are relative to."""
    maps: list[str] = field(default_factory=list)
    """Maps cut into train, validation and test blocks."""
    test_maps: list[str] = field(default_factory=list)
    """Maps used for testing only."""
    aggregate: Annotated[int, Ge(1), Le(20)] = 1
    """Cells of a map joined into one."""
    block: Annotated[int, Ge(8)] = 57
    """Rows and columns of a split's blocks, joined cells."""
    turned: bool = True
    """Train on the eight symmetries of each window."""


@dataclass(frozen=True, kw_only=True)
class FireConfig(ValueSettings, WeatherSettings, FireSettings):
    """Weather and fires, with the defaults that a run's TOML has."""

    burned_share: Share = BURNED_SHARE
    """Mean share of the burnable cells that an untreated fire burns; durations are set for it."""

    wind_20ft_km_h: WindSpeed = DEFAULT_WIND_KM_H
    """Mean wind speed at 20 ft."""
    moisture: str = DEFAULT_MOISTURE
    """Fuel moisture, for weather files without moisture."""
    weather: str | None = None
    """Weather file or folder, relative to the data, instead of drawn weather."""
    losses: Annotated[list[float], Len(6, 6)] | None = None
    """Share of the value lost in each class of flame length."""
    layers: str | None = None
    """A .toml of value layers on the maps, relative to the data."""
    wind_spread_km_h: Annotated[float, Ge(0), Le(100)] = 7.2
    """Standard deviation of the wind speed."""
    wind_direction_spread_deg: Annotated[float, Ge(0), Le(180)] = 25.0
    """Standard deviation of the wind direction around the main one."""
    duration_sigma: DurationSpread = DURATION_SPREAD
    """Standard deviation of the logarithm of the duration."""
    plan_fires: AtLeastOne = PLAN_FIRES
    """Plan fires."""
    reward_fires: AtLeastOne = 256
    """Reward fires."""


@dataclass(frozen=True, kw_only=True)
class BreakConfig(TreatmentSettings, BreakSettings):
    """The breaks."""

    KEYS: ClassVar = TOML_NAMES

    treatments: str | None = None
    """A .toml of treatments of your own, relative to the data."""


@dataclass(frozen=True, kw_only=True)
class TrainConfig:
    """The run."""

    episodes: AtLeastOne = 300
    num_envs: Annotated[int, Ge(1), Le(1024)] = 8
    """Environments stepped together."""
    collect_steps: AtLeastOne = 4
    """Steps of all environments per collection."""
    learning_starts: AtLeastOne = 1000
    """Transitions before the first update."""
    updates_per_env_step: Annotated[float, Gt(0), Le(16)] = 1.0
    """Gradient steps per env step."""
    threads: Annotated[int, Ge(0), Le(256)] = 0
    """Threads that burn fires; 0 = all cores."""
    torch_threads: Annotated[int, Ge(1), Le(256)] = 1
    """Threads of the network."""
    device: Literal["cpu", "cuda"] = "cpu"
    """Where the network lives."""
    collectors: Annotated[int, Ge(0), Le(4096)] = 0
    """Collectors that play whole episodes beside the learner, num_envs each; 0: none, the learner
    collects by itself."""
    collector_executor: ExecutorName = "processes"
    """Where collectors play; ray: on the cluster of RAY_ADDRESS."""
    collector_workers: Annotated[int, Ge(0), Le(4096)] = 0
    """Workers of the collectors; 0: one each."""
    collector_limit_s: Positive = 600.0
    """A worker that takes longer for a round is replaced, and the round played again."""
    broadcast_steps: AtLeastOne = 32
    """Learner steps between sending weights."""
    checkpoints_kept: Annotated[int, Ge(1), Le(1000)] = 2
    """Last checkpoints kept, and the best besides."""


@dataclass(frozen=True, kw_only=True)
class ReplayConfig:
    """The replay and its bound."""

    capacity: Annotated[int, Ge(16)] = 12_000
    """Transitions."""
    memory_budget_mb: AtLeastOne = 2000
    """Refuse to start above this."""


@dataclass(frozen=True, kw_only=True)
class EvaluationConfig:
    """Validation during the run and the comparison at its end."""

    every_episodes: AtLeastOne = 30
    """Episodes between validations."""
    validation_landscapes: AtLeastOne = 16
    test_landscapes: AtLeastOne = 30
    """Landscapes of each test source."""
    test_fires: Annotated[int, Ge(10)] = 1000
    test_seed: Annotated[int, Ge(0)] = 2026
    """Names the held-out landscapes, not the run."""
    methods: list[str] = field(default_factory=lambda: [*COMPARED, "dqn"])


@dataclass(frozen=True, kw_only=True)
class CleanupConfig:
    """Scheduled cleanups and bounded histories."""

    episodes: AtLeastOne = 10
    """Episodes between cleanups of everything."""
    collector_steps: AtLeastOne = 50
    """Env steps of one slot between cleanups of the collector."""
    learner_steps: AtLeastOne = 100
    """Learner steps between cleanups of agent and GPU."""
    max_losses: AtLeastOne = 1000
    max_rewards: AtLeastOne = 1000
    max_step_times: AtLeastOne = 100
    max_collection_times: AtLeastOne = 20
    max_experiences: AtLeastOne = 2000
    """Bound of the experience buffer."""
    gpu_cleanup_share: Share = 0.75
    """Share of GPU memory in use above which a run cleans up."""
    gpu_warning_share: Share = 0.8
    """Share of GPU memory in use after a cleanup above which a run warns."""
    rss_limit_mb: AtLeastOne | None = None
    """Resident memory above which a run cleans up, else saves and stops."""
    log_megabytes: AtLeastOne = 16
    """Size at which metrics and memory rows go on in another file."""
    log_files: AtLeastOne = 20
    """Such files kept."""
    python_heap: bool = False
    """Trace Python's own heap too; slow."""


@dataclass(frozen=True, kw_only=True)
class RunConfig:
    """Everything a run depends on."""

    seed: Annotated[int, Ge(0)] = 0
    budget: Share = BUDGET
    """Share of the treatable cells' cost."""
    landscapes: LandscapeConfig = field(default_factory=LandscapeConfig)
    mixture: MixtureSettings = field(default_factory=MixtureSettings)
    fires: FireConfig = field(default_factory=FireConfig)
    breaks: BreakConfig = field(default_factory=BreakConfig)
    agent: AgentSettings = field(default_factory=AgentSettings)
    train: TrainConfig = field(default_factory=TrainConfig)
    replay: ReplayConfig = field(default_factory=ReplayConfig)
    evaluation: EvaluationConfig = field(default_factory=EvaluationConfig)
    cleanup: CleanupConfig = field(default_factory=CleanupConfig)
