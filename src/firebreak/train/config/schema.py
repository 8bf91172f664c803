"""What a configuration may say: typed sections, each key with its range and what it means.

Steps in schedules are absolute (env steps, learner steps), never shares of the run.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

import pydantic
from annotated_types import Ge, Le, Len
from pydantic import Field

from firebreak.executors.base import ExecutorName, Mode
from firebreak.settings.agent import AgentSettings
from firebreak.settings.breaks import BreakSettings, TreatmentSettings
from firebreak.settings.fire import FireSettings, ValueSettings
from firebreak.settings.kinds import DURATION_SPREAD, AtLeastOne, DurationSpread, WindSpeed
from firebreak.settings.planning import BUDGET, COMPARED, PLAN_FIRES
from firebreak.settings.weather import DEFAULT_MOISTURE, DEFAULT_WIND_KM_H, WeatherSettings
from firebreak.train.config.mixture import MixtureConfig
from firebreak.train.config.section import Section, section


class LandscapeConfig(Section):
    """Where landscapes come from."""

    kind: Literal["synthetic", "windows"] = Field("synthetic", description="made, or cut from maps")
    size: int = Field(20, ge=6, le=256, description="treatable rows and columns")
    margin: int = Field(0, ge=0, le=64, description="cells around them that only burn")
    family: str | None = Field(None, description="synthetic family; all of them if not set")
    data: str | None = Field(None, description="folder that maps are relative to")
    maps: list[str] = Field([], description="maps cut into train, validation and test blocks")
    train_maps: list[str] = Field([], description="maps used for training only")
    test_maps: list[str] = Field([], description="maps used for testing only")
    aggregate: int = Field(1, ge=1, le=20, description="cells of a map joined into one")
    block: int = Field(57, ge=8, description="rows and columns of a split's blocks, joined cells")
    turned: bool = Field(True, description="train on the eight symmetries of each window")


@section
@dataclass(frozen=True, kw_only=True)
class FireConfig(ValueSettings, WeatherSettings, FireSettings):
    """Weather and fires: the settings, but for what `firebreak.settings.surfaces` lists."""

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


@section
@dataclass(frozen=True, kw_only=True)
class BreakConfig(TreatmentSettings, BreakSettings):
    """What a break is."""

    treatments: str | None = None
    """A .toml of treatments of your own, relative to the data."""


@section
@dataclass(frozen=True, kw_only=True)
class AgentConfig(AgentSettings):
    """The learner."""


class TrainConfig(Section):
    """The run."""

    episodes: int = Field(300, ge=1)
    num_envs: int = Field(8, ge=1, le=1024, description="environments stepped together")
    collect_steps: int = Field(4, ge=1, description="steps of all environments per collection")
    learning_starts: int = Field(1000, ge=1, description="transitions before the first update")
    updates_per_env_step: float = Field(1.0, gt=0, le=16, description="gradient steps per env step")
    threads: int = Field(0, ge=0, le=256, description="threads that burn fires; 0 = all cores")
    torch_threads: int = Field(1, ge=1, le=256, description="threads of the network")
    device: Literal["cpu", "cuda"] = Field("cpu", description="where the network lives")
    collectors: int = Field(0, ge=0, le=4096, description="collectors that play whole episodes "
                                                         "beside the learner, num_envs each; 0: "
                                                         "none, the learner collects by itself")
    collector_executor: ExecutorName = Field("processes", description="where collectors play")
    collector_workers: int = Field(0, ge=0, le=4096, description="workers of the collectors; 0: "
                                                                "one each")
    collector_limit_s: float = Field(600.0, gt=0, description="a worker that takes longer for a "
                                     "round is replaced, and the round played again")
    ray_address: str | None = Field(None, description="HOST:PORT of a Ray cluster's head")
    mode: Mode = Field("lockstep", description="the same bits anywhere, or rounds as they come")
    broadcast_steps: int = Field(32, ge=1, description="learner steps between sending weights")
    collector_wait_s: float = Field(5.0, gt=0, description="longest wait for a collector in async")
    checkpoints_kept: int = Field(2, ge=1, le=1000, description="last checkpoints kept, and the "
                                                                "best besides")


class ReplayConfig(Section):
    """The replay and its bound."""

    capacity: int = Field(12000, ge=16, description="transitions")
    memory_budget_mb: int = Field(2000, ge=1, description="refuse to start above this")


class EvaluationConfig(Section):
    """Validation during the run and the comparison at its end."""

    every_episodes: int = Field(30, ge=1, description="episodes between validations")
    validation_landscapes: int = Field(16, ge=1)
    test_landscapes: int = Field(30, ge=1, description="landscapes of each test source")
    test_fires: int = Field(1000, ge=10)
    test_seed: int = Field(2026, ge=0, description="names the held-out landscapes, not the run")
    methods: list[str] = Field([*COMPARED, "dqn"])


class ArtifactsConfig(Section):
    """Copies of checkpoints and reports elsewhere, made beside the run."""

    store: str | None = Field(None, min_length=1, description="a directory, or an fsspec URL such "
                                                              "as s3://BUCKET/PATH")
    queue: int = Field(64, ge=1, le=10_000, description="files that wait to be copied, at most")
    attempts: int = Field(3, ge=1, le=100, description="attempts to copy a file, before it "
                          "counts as failed")
    drain_s: float = Field(60.0, ge=0, description="longest wait for copies when the run has ended")


class TrialsConfig(Section):
    """A search for hyper-parameters, cross-validated: `firebreak trials`."""

    folds: int = Field(5, ge=3, le=100, description="folds of the landscapes: one to test on, "
                                                    "one to choose by, the others to train on")
    trials: int = Field(12, ge=1, le=10_000, description="configurations tried")
    landscapes: int = Field(40, ge=3, le=10_000, description="landscapes of the folds together, "
                                                             "where they are synthetic")
    search: dict[str, Annotated[list[float | int | str | bool], Field(min_length=1)]] = Field(
        {"agent.learning_rate": [3e-4, 7e-4, 1.5e-3], "agent.discount_end": [0.8, 0.9],
         "agent.n_step": [1, 3]},
        description="values of keys to try; Optuna draws numbers between the least and the largest")
    prune: bool = Field(True, description="give up trials that fall behind the median")


class EvolutionConfig(Section):
    """A population of policies: `firebreak evolve`."""

    population: int = Field(8, ge=2, le=1024, description="members")
    generations: int = Field(25, ge=1)
    elites: int = Field(2, ge=1, description="best members, kept as they were evaluated")
    replaced: float = Field(0.5, gt=0, le=1, description="share of the members but elites, the "
                                                         "worst, whose places children take; the "
                                                         "others stay, with what they learned")
    tournament: int = Field(3, ge=1, description="members drawn for each parent, the best is taken")
    crossover: float = Field(0.25, ge=0, le=1, description="share of children with two parents")
    mutation: float = Field(0.5, ge=0, le=1, description="share of children whose weights change")
    mutation_share: float = Field(0.1, gt=0, le=1, description="share of a child's weights that "
                                  "change")
    mutation_scale: float = Field(0.05, gt=0, description="size of the change, in standard "
                                                          "deviations of a layer's weights")
    hyper_spread: float = Field(0.2, ge=0, le=2, description="size of the change of "
                                                             "hyper-parameters, in the logarithm")
    episodes: int = Field(8, ge=1, description="episodes that each member plays per generation")
    updates: int = Field(100, ge=0, description="learner steps of each member per generation, but "
                                                "for elites")
    figure_every: int = Field(5, ge=1, description="generations between fitness figures")

    @pydantic.model_validator(mode="after")
    def _room_for_children(self) -> "EvolutionConfig":
        if self.elites >= self.population:
            raise ValueError(f"elites must be fewer than the population of {self.population}")
        return self


class CleanupConfig(Section):
    """Scheduled cleanups and bounded histories."""

    episodes: int = Field(10, ge=1, description="episodes between cleanups of everything")
    collector_steps: int = Field(50, ge=1, description="env steps of one slot between cleanups "
                                                         "of the collector")
    learner_steps: int = Field(100, ge=1, description="learner steps between cleanups of "
                               "agent and GPU")
    max_losses: int = Field(1000, ge=1)
    max_rewards: int = Field(1000, ge=1)
    max_step_times: int = Field(100, ge=1)
    max_collection_times: int = Field(20, ge=1)
    max_experiences: int = Field(2000, ge=1, description="bound of the experience buffer")
    gpu_cleanup_share: float = Field(0.75, gt=0, le=1, description="share of GPU memory in use "
                                     "above which a run cleans up")
    gpu_warning_share: float = Field(0.80, gt=0, le=1, description="share of GPU memory in use "
                                     "after a cleanup above which a run warns")
    rss_limit_mb: int | None = Field(None, ge=1, description="resident memory above which a run "
                                                             "cleans up, else saves and stops")
    log_megabytes: int = Field(16, ge=1, description="size at which metrics and memory rows go on "
                                                     "in another file")
    log_files: int = Field(20, ge=1, description="such files kept")
    python_heap: bool = Field(False, description="trace Python's own heap too; slow")


class RunConfig(Section):
    """Everything a run depends on."""

    seed: int = Field(0, ge=0)
    budget: float = Field(BUDGET, gt=0, le=1, description="share of the treatable cells' cost")
    landscapes: LandscapeConfig = LandscapeConfig()
    mixture: MixtureConfig = MixtureConfig()
    fires: FireConfig = FireConfig()
    breaks: BreakConfig = BreakConfig()
    agent: AgentConfig = AgentConfig()
    train: TrainConfig = TrainConfig()
    replay: ReplayConfig = ReplayConfig()
    evaluation: EvaluationConfig = EvaluationConfig()
    artifacts: ArtifactsConfig = ArtifactsConfig()
    trials: TrialsConfig = TrialsConfig()
    evolution: EvolutionConfig = EvolutionConfig()
    cleanup: CleanupConfig = CleanupConfig()
