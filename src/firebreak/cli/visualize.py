"""`firebreak visualize`: figures of a trained agent, and the explorer of a run or a landscape."""

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from firebreak.checks import check_fraction, fail
from firebreak.cli import common
from firebreak.cli.scene_options import (
    BreakOptions,
    FireOptions,
    MapOptions,
    SceneOptions,
    WeatherOptions,
)

if TYPE_CHECKING:
    from firebreak.fire.scene import Scene
    from firebreak.train.schema import RunConfig
    from firebreak.train.splits import Splits

DEFAULT_PORT = 8710


@dataclass
class VisualizeArguments:
    """Draw a run: learning curve, memory, maps, Q-maps, an animated fire. Or open the explorer."""

    runs: Annotated[list[str], tyro.conf.Positional]
    """Folder of a run made by `firebreak train`, or several, such as of several seeds, for their
    learning curves in one figure; for the explorer also the folder of a plan, or a landscape (a
    file or folder, or synthetic:SEED[:SIZE])."""
    out: Path | None = None
    """Folder for the curves of several runs; a new one under outputs/ if not given."""
    data: str | None = None
    """Folder that the maps of the run are relative to; else FIREBREAK_DATA."""
    landscape: int = 0
    """Which test landscape of a run to draw, counted from 0."""
    seed: int | None = None
    """Seed of the test landscapes, weather and fires drawn, instead of the run's test seed; of a
    landscape's weather and fires, 0 if not given."""
    serve: bool = False
    """Open the explorer on loopback until Ctrl-C: step through the plan, light fires, turn the
    wind, move breaks."""
    port: int = DEFAULT_PORT
    """Port of --serve; 0 for any free one."""
    export: Path | None = None
    """Write the explorer as one HTML file that needs no server."""
    plan: Path | None = None
    """Plan to explore, for a landscape: a folder, plan.csv, plan.tif or a Cell2Fire table."""
    method: str = "dqn"
    """How to plan for a landscape where no --plan is given."""
    policy: Path | None = None
    """Policy of the plan and of the Q-map; the one that comes with firebreak if not given."""
    budget: float = 0.05
    """Share of the treatable cells' cost that a landscape's plan may spend."""
    area: str | None = None
    """Explore these cells of a landscape only: R0:R1,C0:C1."""
    plan_fires: int = 256
    """Fires that methods are shown on a landscape."""
    map: MapOptions = field(default_factory=MapOptions)
    weather: WeatherOptions = field(default_factory=WeatherOptions)
    fire: FireOptions = field(default_factory=FireOptions)
    breaks: BreakOptions = field(default_factory=BreakOptions)
    threads: int = 0
    """Threads that burn fires; 0 = all cores."""
    quiet: bool = False
    """No progress bar."""
    json: bool = False
    """End with one machine-readable line."""

    def scene_options(self) -> SceneOptions:
        """The options of a landscape's scene."""
        return SceneOptions(map=self.map, weather=self.weather, fire=self.fire, breaks=self.breaks,
                            seed=self.seed or 0, threads=self.threads, json=self.json)


def run(arguments: list[str]) -> int:
    """Runs the command."""
    args = common.parse(VisualizeArguments, arguments, "visualize")
    check_fraction(args.budget, what="a budget", where="--budget",
                   remedy="0.05 treats 5 % of the treatable cells")
    begin = time.perf_counter()
    if len(args.runs) > 1:
        from firebreak.cli.run_curves import draw_curves

        return _done([draw_curves([Path(name) for name in args.runs], args)], args, begin)
    if not args.runs or args.out is not None:
        raise fail(expected="a run, a plan or a landscape, or several runs for --out",
                   given=f"{len(args.runs)}", where="visualize",
                   remedy="name the folder that 'firebreak train' printed")
    if args.serve or args.export is not None:
        from firebreak.cli.explore import explore

        return explore(args)
    folder = Path(args.runs[0])
    config, splits = run_parts(folder, args)
    common.use_threads(args.threads or config.train.threads, config.train.torch_threads)
    figures = draw_run(config, splits, folder, args.landscape)
    return _done(figures, args, begin, f"next: firebreak visualize {folder} --serve\n")


def _done(figures: list[Path], args: VisualizeArguments, begin: float, following: str = "") -> int:
    for path in figures:
        print(path)
    print(following, end="")
    if args.json:
        common.print_json({"files": [str(p) for p in figures],
                           "seconds": time.perf_counter() - begin})
    return 0


def run_parts(folder: Path, args: VisualizeArguments) -> "tuple[RunConfig, Splits]":
    """The configuration and the landscapes of a run.

    Raises:
        InputError: not the folder of a run.
    """
    from firebreak.train.config import data_folder
    from firebreak.train.splits import make_splits

    config = run_config(folder, args)
    return config, make_splits(config, data_folder(config, args.data))


def run_config(folder: Path, args: VisualizeArguments) -> "RunConfig":
    """The configuration of a run.

    Raises:
        InputError: not the folder of a run.
    """
    from firebreak.train.config import load_config

    stored = folder / "config.toml"
    if not stored.is_file():
        raise fail(expected="a run folder with config.toml", given="none there", where=str(folder),
                   remedy="train one with 'firebreak train quick', or ask for --serve to explore "
                          "a landscape or a plan")
    return load_config(str(stored), [] if args.seed is None
                       else [f"evaluation.test_seed={args.seed}"])


def test_scene(splits: "Splits", landscape: int) -> "Scene":
    """A test landscape of a run.

    Raises:
        InputError: there is none of this number.
    """
    scenes = [scene for source in splits.test.values() for scene in source]
    if not 0 <= landscape < len(scenes):
        raise fail(expected=f"a test landscape from 0 to {len(scenes) - 1}", given=f"{landscape}",
                   where="--landscape", remedy="choose one of them")
    return scenes[landscape]


def draw_run(config: "RunConfig", splits: "Splits", folder: Path, landscape: int = 0) -> list[Path]:
    """Draws every figure of a run on one of its test landscapes; returns the files."""
    from firebreak.agent.policy_file import load_policy
    from firebreak.report.run_report import write_run_report
    from firebreak.train.stored import evaluation_of, memory_rows, metrics_rows

    return write_run_report(
        folder, scene=test_scene(splits, landscape), policy=load_policy(folder),
        metrics=metrics_rows(folder), memory=memory_rows(folder),
        evaluation=evaluation_of(folder),
        seed=config.evaluation.test_seed, plan_fires=config.fires.plan_fires,
        budget_share=config.budget, levels=not config.mixture.is_mixed)
