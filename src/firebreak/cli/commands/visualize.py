"""`firebreak visualize`: figures of a trained agent, and the explorer of a run or a landscape."""

import time
from pathlib import Path

from firebreak.api.shared.machine import use_threads
from firebreak.api.shared.run_output import draw_run
from firebreak.checks import fail
from firebreak.cli.commands.visualize_options import VisualizeArguments, check_shown, run_parts
from firebreak.cli.shared import common
from firebreak.settings.binding import Bound


def run(bound: Bound[VisualizeArguments]) -> int:
    """Runs the command."""
    args = bound.options
    begin = time.perf_counter()
    if args.runs:
        check_shown(bound)
    if len(args.runs) > 1:
        from firebreak.cli.commands.run_curves import draw_curves

        return _done([draw_curves([Path(name) for name in args.runs], args)], args, begin)
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
