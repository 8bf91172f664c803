"""`firebreak visualize`: figures of a trained agent, curves of several, and the explorer."""

import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from firebreak.api.shared.executor_options import use_threads
from firebreak.api.shared.run_output import draw_run
from firebreak.checks import fail
from firebreak.cli.shared import common
from firebreak.cli.shared.shown import VisualizeArguments, check_shown, run_config, run_parts
from firebreak.files import without_links
from firebreak.settings.binding import Bound
from firebreak.settings.schema import leaves

if TYPE_CHECKING:
    from firebreak.train.config.schema import RunConfig


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
