"""`firebreak visualize`: figures of a trained agent, curves of several, and the explorer."""

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Annotated

from annotated_types import Ge, Le

from firebreak.api.shared.machine import use_threads
from firebreak.api.shared.run_output import draw_run
from firebreak.api.shared.scene_options import FireOptions, MapOptions, SceneOptions, WeatherOptions
from firebreak.checks import fail
from firebreak.cli.shared import common
from firebreak.files import without_links
from firebreak.settings.binding import Bound
from firebreak.settings.breaks import MadeBreaks
from firebreak.settings.kinds import AtLeastOne, Share
from firebreak.settings.planning import BUDGET, PLAN_FIRES
from firebreak.settings.schema import POSITIONAL, leaves, option_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from firebreak.train.config.schema import RunConfig
    from firebreak.train.data.splits import Splits

DEFAULT_PORT = 8710


@dataclass(frozen=True)
class VisualizeArguments:
    """Draw a run: learning curve, memory, maps, Q-maps, an animated fire. Or open the explorer."""

    runs: Annotated[list[str], POSITIONAL]
    """Folder of a run made by `firebreak train`. Several, such as those of several seeds: their
    learning curves in one figure. The explorer also takes the folder of a plan, or a landscape (a
    file or folder, synthetic:SEED[:SIZE], or sample:NAME)."""
    out: Path | None = None
    """Folder for the curves of several runs; a new one under outputs/ if not given."""
    data: str | None = None
    """Folder that the run's maps are relative to; FIREBREAK_DATA if not given."""
    landscape: Annotated[int, Ge(0)] = 0
    """Number of the test landscape of a run to draw, counted from 0."""
    seed: int | None = None
    """Seed of the test landscapes, weather and fires that are drawn; if not given, the test seed of
    a run, and 0 for the weather and fires of a landscape."""
    serve: bool = False
    """Serve the explorer to this machine's browser until Ctrl-C: step through the plan, light
    fires, turn the wind, move breaks."""
    port: Annotated[int, Ge(0), Le(65_535)] = DEFAULT_PORT
    """Port of --serve; 0 for any free one."""
    export: Path | None = None
    """Write the explorer as one HTML file that needs no server."""
    plan: Path | None = None
    """Plan of a landscape to explore: a folder, plan.csv, plan.tif or a Cell2Fire table."""
    method: str | None = None
    """Planning method for a landscape without --plan; dqn if not given."""
    policy: Path | None = None
    """Policy of the plan and of the Q-map; one that comes with firebreak if not given."""
    budget: Share = BUDGET
    """Share of the treatable cells' cost that a landscape's plan may spend."""
    area: str | None = None
    """Part of a landscape to explore: R0:R1,C0:C1."""
    plan_fires: AtLeastOne = PLAN_FIRES
    """Number of plan fires: the fires that every method is given to plan with."""
    map: MapOptions = field(default_factory=MapOptions)
    weather: WeatherOptions = field(default_factory=WeatherOptions)
    fire: FireOptions = field(default_factory=FireOptions)
    breaks: MadeBreaks = field(default_factory=MadeBreaks)
    threads: int = 0
    """Number of threads that burn fires; 0: one for each core."""
    quiet: bool = False
    """Show no progress."""
    json: bool = False
    """End with one machine-readable line."""

    def scene_options(self) -> SceneOptions:
        """The options of a landscape's scene."""
        return SceneOptions(map=self.map, weather=self.weather, fire=self.fire, breaks=self.breaks,
                            seed=self.seed or 0, threads=self.threads, json=self.json)


EXPLORER = ("serve", "export", "port")
ALWAYS = ("threads", "quiet", "json", "out")
"""`--out` is refused elsewhere, in words of its own."""


def check_shown(bound: Bound[VisualizeArguments]) -> None:
    """Refuses options that would change nothing in what is shown.

    Raises:
        InputError: naming the option and what is shown.
    """
    args = bound.options
    shown, known, remedy = _shown(args)
    for name in bound.origins:
        if name not in ("runs", *ALWAYS, *known):
            raise fail(expected=shown, given=option_of(name), where="visualize", remedy=remedy)


def _shown(args: VisualizeArguments) -> tuple[str, "Collection[str]", str]:
    """The subject, the options that apply to it, and the remedy for others."""
    folder, alone = Path(args.runs[0]), "leave it out"
    if len(args.runs) > 1:
        return "the learning curves of runs as they are", (*EXPLORER, "seed"), alone
    if (folder / "config.toml").is_file():
        return "a run as it is", (*EXPLORER, "data", "landscape", "seed"), alone
    if not args.serve and args.export is None:  # which is refused: only a run has figures
        return "the explorer", {*leaves(VisualizeArguments)}, alone
    if (folder / "plan.json").is_file():
        return ("a plan's folder alone, which says what it was made on and with",
                (*EXPLORER, "policy"), f"{alone}, or give the landscape and --plan {folder}")
    known = {*leaves(VisualizeArguments)} - {"data", "landscape"}
    if args.plan is None:
        return "a landscape, which is no run", known, alone
    return "a plan as it is", known - {"method", "budget"}, alone


def run_parts(folder: Path, args: VisualizeArguments) -> "tuple[RunConfig, Splits]":
    """The configuration and the landscapes of a run.

    Raises:
        InputError: not the folder of a run.
    """
    config = run_config(folder, args)
    from firebreak.train.config.load import data_folder
    from firebreak.train.data.splits import make_splits

    return config, make_splits(config, data_folder(config, args.data))


def run_config(folder: Path, args: VisualizeArguments) -> "RunConfig":
    """The configuration of a run.

    Raises:
        InputError: not the folder of a run.
    """
    from firebreak.train.config.load import load_config

    stored = folder / "config.toml"
    if not stored.is_file():
        raise fail(expected="a run folder with config.toml", given="none there", where=str(folder),
                   remedy="train one with 'firebreak train quick', or ask for --serve to explore "
                          "a landscape or a plan")
    return load_config(str(stored), [] if args.seed is None
                       else [f"evaluation.test_seed={args.seed}"])


def run(bound: Bound[VisualizeArguments]) -> int:
    """Runs the command."""
    args = bound.options
    begin = time.perf_counter()
    if args.runs:
        check_shown(bound)
    if len(args.runs) > 1:
        return _done([_draw_curves([Path(name) for name in args.runs], args)], args, begin)
    if not args.runs or args.out is not None:
        raise fail(expected="a run, a plan or a landscape, or several runs for --out",
                   given=f"{len(args.runs)}", where="visualize",
                   remedy="name the folder that 'firebreak train' printed")
    if args.serve or args.export is not None:
        common.check_there(args, args.runs[0])
        from firebreak.cli.commands.explore import explore

        return explore(args)
    folder = Path(args.runs[0])
    config, splits = run_parts(folder, args)
    use_threads(args.threads or config.train.threads, config.train.torch_threads)
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


def _draw_curves(folders: list[Path], args: VisualizeArguments) -> Path:
    """Draws the learning curves of several runs into one figure; returns the file.

    Raises:
        InputError: one of them is no run or never validated, or the explorer is asked for too.

    Warns:
        UserWarning: the runs differ in more than the seed.
    """
    from firebreak.report.figures.canvas import save_figure
    from firebreak.report.figures.curves import runs_figure
    from firebreak.report.pages.run_report import baselines_of
    from firebreak.train.storage.stored import evaluation_of, metrics_rows

    if args.serve or args.export is not None:
        raise fail(expected="one run, plan or landscape to explore", given=f"{len(folders)}",
                   where="visualize", remedy="name one of them")
    if len(set(map(without_links, folders))) < len(folders):
        raise fail(expected="each run once", given="one twice", where="visualize",
                   remedy="remove the repeated run")
    configs = {str(folder): run_config(folder, args) for folder in folders}
    other = _differing([*configs.values()])
    if other:
        warnings.warn(f"these runs differ in more than the seed: {', '.join(other)}", stacklevel=2)
    # A mixture validates on problems that the evaluation does not ask: no level is comparable.
    found = [{} if config.mixture.is_mixed else baselines_of(evaluation_of(Path(name)))
             for name, config in configs.items()]
    baselines = {name: fmean(own[name] for own in found)
                 for name in found[0] if all(name in own for own in found)}
    seeds = ", ".join(str(config.seed) for config in configs.values())
    lines = " · lines: test landscapes, mean of the runs" if baselines else ""
    figure = runs_figure(
        {name: metrics_rows(Path(name)) for name in configs}, baselines,
        caption=f"runs {', '.join(without_links(folder).name for folder in folders)} · "
                f"seeds {seeds}{lines}")
    return save_figure(figure, common.new_folder(args.out, "curves") / "learning_curves.png")


def _differing(configs: "Sequence[RunConfig]") -> list[str]:
    """Keys that are not the same in all configurations, but for the seed."""
    from firebreak.train.config.schema import RunConfig

    return [leaf.key for leaf in leaves(RunConfig).values() if leaf.key != "seed"
            and any(leaf.of(config) != leaf.of(configs[0]) for config in configs)]
