"""What a configuration may say: typed sections, each key with its range and what it means.

Steps in schedules are absolute (env steps, learner steps), never shares of the run.
"""

from typing import Annotated, Literal, Self

import pydantic
from pydantic import BaseModel, ConfigDict, Field

Share = Annotated[float, Field(gt=0, le=1)]
Count = Annotated[int, Field(ge=1, le=100_000)]
Speed = Annotated[float, Field(gt=0, le=150)]
Angle = Annotated[float, Field(ge=0, le=180)]


class Section(BaseModel):
    """A table of the file: unknown keys are errors, values are fixed once read."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


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


class MixtureConfig(Section):
    """In what the episodes of training differ; comparisons use the values of the other tables.

    A pair is drawn from once per episode: shares and counts evenly in their logarithm.
    """

    sizes: list[Annotated[int, Field(ge=6, le=256)]] = Field(
        [], description="treatable rows and columns, one group of environments each; "
                        "landscapes.size if not set")
    synthetic: float = Field(0.0, ge=0, le=1, description="share of synthetic landscapes among "
                                                          "windows")
    cell_sizes_m: list[Annotated[float, Field(gt=0)]] = Field(
        [], description="cell sizes that maps are joined to; as landscapes.aggregate if not set")
    margin: int = Field(0, ge=0, le=64, description="most cells at the edge that only burn")
    value_maps: float = Field(0.0, ge=0, le=1, description="share of landscapes on which cells "
                                                           "differ in value")
    budget: tuple[Share, Share] | None = Field(None, description="share of the cells' cost")
    plan_fires: tuple[Count, Count] | None = Field(None, description="fires shown")
    burned_share: tuple[Share, Share] | None = Field(None, description="of untreated fires")
    wind_20ft_km_h: tuple[Speed, Speed] | None = Field(None, description="mean wind speed")
    wind_direction_spread_deg: tuple[Angle, Angle] | None = Field(
        None, description="around the main wind")

    @pydantic.field_validator("budget", "plan_fires", "burned_share", "wind_20ft_km_h",
                              "wind_direction_spread_deg")
    @classmethod
    def _rising(cls, pair: tuple[float, float] | None) -> tuple[float, float] | None:
        if pair is not None and pair[0] > pair[1]:
            raise ValueError("the lower bound first")
        return pair

    @property
    def is_mixed(self) -> bool:
        """Whether episodes, and with them the validation problems, differ in anything from what
        the other tables say, and so from the evaluation's.
        """
        return self != MixtureConfig()


class FireConfig(Section):
    """Weather and fires."""

    spread: Literal["front", "graph"] = Field("front", description="ellipse, or 8 neighbours")
    scenarios: int = Field(8, ge=1, le=256, description="weather scenarios per landscape")
    burned_share: float = Field(0.15, gt=0, le=1, description="mean of untreated fires")
    duration_min: float | None = Field(None, gt=0, description="median, instead of the one that "
                                                               "follows from the share")
    duration_sigma: float = Field(0.5, ge=0, le=2, description="of the logarithm of the duration")
    edge_share: float = Field(0.0, ge=0, le=1, description="fires that enter from the map's edge")
    plan_fires: int = Field(256, ge=1, description="fires the planner is shown")
    reward_fires: int = Field(256, ge=1, description="other fires it is paid on")
    wind_20ft_km_h: float = Field(16.2, gt=0, le=150, description="mean wind speed at 20 ft")
    wind_spread_km_h: float = Field(7.2, ge=0, le=100, description="its standard deviation")
    wind_direction_spread_deg: float = Field(25.0, ge=0, le=180, description="around the main wind")
    weather: str | None = Field(None, description="weather file or folder, relative to the data, "
                                                  "instead of drawn weather")
    hours: int | None = Field(None, ge=1, description="of it that change as a fire burns")
    moisture: str = Field("D2L2", description="fuel moisture of weather files that do not say")
    crown: Literal["none", "finney", "scott-reinhardt", "cruz"] = Field(
        "finney", description="crown fire where there are crowns")
    spotting: bool = Field(False, description="crowning cells throw embers")
    losses: list[float] | None = Field(
        None, min_length=6, max_length=6,
        description="share of the value lost in each class of flame length")


class BreakConfig(Section):
    """What a break is."""

    kind: Literal["hard", "shaded"] = Field("hard", description="bare ground, or less fuel")
    width_m: float | None = Field(None, gt=0, description="of the bare strip; the whole cell if "
                                                          "not set")
    fuel: int | None = Field(None, description="code of a shaded break; the least load of the same "
                                               "kind if not set")
    breach: Literal["never", "wilson", "wilson-trees", "flame-length"] = Field(
        "never", description="rule by which fire crosses")
    leak: bool = Field(False, description="fire passes between breaks that touch at a corner")


class AgentConfig(Section):
    """The learner."""

    start: str | None = Field(None, description="policy file or run whose weights it begins with, "
                              "or one that comes with firebreak: segments, general")
    width: int = Field(32, ge=4, le=512, description="channels of the network")
    learning_rate: float = Field(7e-4, gt=0, description="at the start")
    learning_rate_end: float = Field(1e-4, gt=0, description="from decay_finish on")
    decay_begin: int = Field(4000, ge=0, description="learner steps")
    decay_finish: int = Field(9000, ge=1, description="learner steps")
    epsilon: float = Field(1.0, ge=0, le=1, description="exploration at the start")
    epsilon_end: float = Field(0.05, ge=0, le=1, description="from epsilon_steps on")
    epsilon_steps: int = Field(3000, ge=1, description="env steps")
    discount: float = Field(0.0, ge=0, lt=1, description="at the start: each break's own gain")
    discount_end: float = Field(0.9, ge=0, lt=1, description="in the end: breaks that pay together")
    discount_begin: int = Field(1600, ge=0, description="learner steps: raised from here")
    discount_finish: int = Field(4000, ge=1, description="learner steps: raised until here")
    n_step: int = Field(1, ge=1, le=100, description="steps summed in a return")
    batch_size: int = Field(64, ge=1, description="transitions per update")
    target_period: int = Field(300, ge=1, description="learner steps between target copies")
    gradient_clip: float = Field(10.0, gt=0, description="largest gradient norm")
    guided: float = Field(0.5, ge=0, le=1, description="exploration among the best cells")
    guided_cells: int = Field(15, ge=1, description="how many of them")
    symmetries: bool = Field(True, description="learn from turned and mirrored batches")
    target_share: float = Field(0.0, ge=0, lt=1, description="of the online network taken into the "
                                "target network at each learner step; 0: copies by target_period")
    dueling: bool = Field(False, description="a base value and advantages over the legal cells")
    demonstrations: float = Field(0.0, ge=0, le=1, description="share of the environments that "
                                  "play downstream value until demonstration_steps")
    demonstration_steps: int = Field(2000, ge=1, description="env steps")
    imitation: float = Field(0.0, ge=0, description="weight of the large-margin loss at the start")
    imitation_finish: int = Field(2000, ge=1, description="learner steps: it is 0 from here on")
    margin: float = Field(0.5, ge=0, description="of that loss, network's unit")
    gain_share: float = Field(0.0, ge=0, le=1, description="of env steps whose every break, or "
                              "some segments, are tried by the simulator; learned from until "
                              "discount_begin, instead of transitions")
    gain_fires: int = Field(64, ge=1, description="reward fires that a break is tried on")
    gain_capacity: int = Field(4000, ge=1, description="states kept with their gains")
    segments: bool = Field(False, description="an action is a straight segment of cells; learned "
                           "from gains, at discount 0")

    @pydantic.model_validator(mode="after")
    def _gains_are_discount_0(self) -> Self:
        if self.gain_share > 0.0 and self.discount > 0.0:
            raise ValueError("gain_share needs discount = 0: gains are the values of discount 0")
        if self.segments and not (self.gain_share > 0.0 == self.discount_end):
            raise ValueError("segments needs gain_share above 0 and discount_end = 0")
        if self.segments and self.dueling:
            raise ValueError("segments and dueling do not go together")
        return self


class TrainConfig(Section):
    """The run."""

    episodes: int = Field(300, ge=1)
    num_envs: int = Field(8, ge=1, le=1024, description="environments stepped together")
    collect_steps: int = Field(4, ge=1, description="steps of all environments per collection")
    learning_starts: int = Field(1000, ge=1, description="transitions before the first update")
    updates_per_env_step: float = Field(1.0, gt=0, le=16, description="gradient steps")
    threads: int = Field(0, ge=0, le=256, description="threads that burn fires; 0 = all cores")
    torch_threads: int = Field(1, ge=1, le=256, description="threads of the network")
    device: Literal["cpu", "cuda"] = Field("cpu", description="where the network lives")
    collectors: int = Field(0, ge=0, le=4096, description="that play whole episodes beside the "
                                                         "learner, num_envs each; 0: none, the "
                                                         "learner collects by itself")
    collector_executor: Literal["in-process", "processes", "ray"] = Field(
        "processes", description="where they play")
    collector_workers: int = Field(0, ge=0, le=4096, description="that play for them; 0: one each")
    collector_limit_s: float = Field(600.0, gt=0, description="a worker that takes longer for a "
                                     "round is replaced, and the round played again")
    ray_address: str | None = Field(None, description="HOST:PORT of a Ray cluster's head")
    mode: Literal["lockstep", "async"] = Field(
        "lockstep", description="the same bits anywhere, or rounds as they come")
    broadcast_steps: int = Field(32, ge=1, description="learner steps between sending weights")
    collector_wait_s: float = Field(5.0, gt=0, description="in async, the longest wait for one")
    checkpoints_kept: int = Field(2, ge=1, le=1000, description="last checkpoints kept, and the "
                                                                "best besides")


class ReplayConfig(Section):
    """The replay and its bound."""

    capacity: int = Field(12000, ge=16, description="transitions")
    memory_budget_mb: int = Field(2000, ge=1, description="refuse to start above this")


class EvaluationConfig(Section):
    """Validation during the run and the comparison at its end."""

    every_episodes: int = Field(30, ge=1, description="between validations")
    validation_landscapes: int = Field(16, ge=1)
    test_landscapes: int = Field(30, ge=1, description="of each test source")
    test_fires: int = Field(1000, ge=10)
    test_seed: int = Field(2026, ge=0, description="names the held-out landscapes, not the run")
    methods: list[str] = Field(["none", "random", "burn-probability", "downstream-value-static",
                                "downstream-value", "dqn"])


class ArtifactsConfig(Section):
    """Copies of checkpoints and reports elsewhere, made beside the run."""

    store: str | None = Field(None, min_length=1, description="a directory, or an fsspec URL such "
                                                              "as s3://BUCKET/PATH")
    queue: int = Field(64, ge=1, le=10_000, description="files that wait to be copied, at most")
    attempts: int = Field(3, ge=1, le=100, description="for each file, before it counts as failed")
    drain_s: float = Field(60.0, ge=0, description="longest wait for copies when the run has ended")


class TrialsConfig(Section):
    """A search for hyper-parameters, cross-validated: `firebreak trials`."""

    folds: int = Field(5, ge=3, le=100, description="of landscapes: one to test on, one to choose "
                                                    "by, the others to train on")
    trials: int = Field(12, ge=1, le=10_000, description="configurations tried")
    landscapes: int = Field(40, ge=3, le=10_000, description="of the folds together, where they "
                                                             "are synthetic")
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
    mutation_share: float = Field(0.1, gt=0, le=1, description="of their weights that change")
    mutation_scale: float = Field(0.05, gt=0, description="of the change, in standard deviations "
                                                          "of a layer's weights")
    hyper_spread: float = Field(0.2, ge=0, le=2, description="of the change of hyper-parameters, "
                                                             "in the logarithm")
    episodes: int = Field(8, ge=1, description="that each member plays per generation")
    updates: int = Field(100, ge=0, description="learner steps of each member per generation, but "
                                                "for elites")
    figure_every: int = Field(5, ge=1, description="generations between fitness figures")

    @pydantic.model_validator(mode="after")
    def _room_for_children(self) -> "EvolutionConfig":
        if self.elites >= self.population:
            raise ValueError(f"fewer elites than the population of {self.population}")
        return self


class CleanupConfig(Section):
    """Scheduled cleanups and bounded histories."""

    episodes: int = Field(10, ge=1, description="everything, every so many episodes")
    collector_steps: int = Field(50, ge=1, description="the collector, env steps of one slot")
    learner_steps: int = Field(100, ge=1, description="agent and GPU")
    max_losses: int = Field(1000, ge=1)
    max_rewards: int = Field(1000, ge=1)
    max_step_times: int = Field(100, ge=1)
    max_collection_times: int = Field(20, ge=1)
    max_experiences: int = Field(2000, ge=1, description="bound of the experience buffer")
    gpu_cleanup_share: float = Field(0.75, gt=0, le=1, description="of the GPU in use: clean up")
    gpu_warning_share: float = Field(0.80, gt=0, le=1, description="still in use after it: warn")
    rss_limit_mb: int | None = Field(None, ge=1, description="resident memory above which a run "
                                                             "cleans up, else saves and stops")
    log_megabytes: int = Field(16, ge=1, description="size at which metrics and memory rows go on "
                                                     "in another file")
    log_files: int = Field(20, ge=1, description="of them kept")
    python_heap: bool = Field(False, description="trace Python's own heap too; slow")


class RunConfig(Section):
    """Everything a run depends on."""

    seed: int = Field(0, ge=0)
    budget: float = Field(0.05, gt=0, le=1, description="share of the treatable cells' cost")
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
