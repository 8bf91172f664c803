"""How far the burned area on uniform fuel is from the closed-form ellipse, and at what cost.

    .venv/bin/python benchmarks/front_accuracy.py [SIZE]

Prints least and greatest area over the true ellipse's in 12 wind directions on a SIZE x SIZE map
(default 201), and nanoseconds per burned cell on one core. Nothing is asserted on time.
"""

import sys

from firebreak.cli.commands.bench.measurements import ellipse_areas
from firebreak.native_library import set_threads


def main() -> None:
    """Prints the table."""
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 201
    set_threads(1)
    for ratio in (1.0, 1.5, 2.0, 3.0, 4.0):
        area, nanoseconds = ellipse_areas(ratio, size)
        print(f"length/width {ratio:<4g} area {area.min():.3f} to {area.max():.3f}   "
              f"{nanoseconds:.0f} ns per cell", flush=True)


if __name__ == "__main__":
    main()
