"""Every planning method and rival on validation maps: a table of reductions on test fires.

    python -m benchmarks.methods [--maps 6] [--size 20] [--budget 0.05]
"""

import argparse

from benchmarks.rivals import RIVALS, known

from firebreak.env.sources import synthetic_landscapes
from firebreak.fire import FireConditions, make_scene
from firebreak.native_library import set_threads
from firebreak.planning.evaluation.evaluate import evaluate
from firebreak.planning.evaluation.tables import table
from firebreak.planning.methods import METHODS


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--maps", type=int, default=6)
    parser.add_argument("--size", type=int, default=20)
    parser.add_argument("--budget", type=float, default=0.05)
    parser.add_argument("--methods",
                        default=",".join(name for name, method in (METHODS | RIVALS).items()
                                         if not method.guided))
    args = parser.parse_args()
    set_threads(1)
    draw = synthetic_landscapes(args.size, "validation")
    scenes = [make_scene(draw(0, episode), FireConditions(), 0)
              for episode in range(args.maps)]
    with known():
        print(table(evaluate(scenes, args.methods.split(","), budget_share=args.budget,
                             plan_fires=256, test_fires=1000, seed=0)))


if __name__ == "__main__":
    main()
